"""Tools found where they are written: in packages, and in what other distributions offer.

This module may not know what becomes of the tools.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from importlib import import_module, metadata
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from toolwright.errors import ToolLoadError
from toolwright.registry.view import is_tool
from toolwright.tools.base import Tool
from toolwright.tools.definition import ToolDefinition

if TYPE_CHECKING:
    from toolwright.registry.registry import Registry

__all__ = ["find_in_package", "take_in_entry_points"]

_log: Final = logging.getLogger("toolwright.registry")


def find_in_package(name: str) -> list[Tool]:
    """Return the tools that are defined in a package and all modules below it; a single module will do.

    Raises:
        ToolLoadError: Modules that cannot be imported.
    """
    modules: list[ModuleType] = []
    faults: dict[str, BaseException] = {}
    _import_all(name, modules, faults)
    if faults:
        names = tuple(faults)
        raise ToolLoadError(f"cannot be imported: {', '.join(names)}", modules=names) from faults[names[0]]
    return _each_once(tool for module in modules for tool in _defined_in(module))


def _import_all(name: str, modules: list[ModuleType], faults: dict[str, BaseException]) -> None:
    """Import a module and those below it, and go on after a fault: all faults are told at once."""
    try:
        module = import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (a module's own code may raise anything, and wish to end)
        faults[name] = error
        return
    modules.append(module)
    below = sorted(found.name for found in iter_modules(getattr(module, "__path__", [])))
    for child in below:
        if child != "__main__":  # importing that would run a program
            _import_all(f"{name}.{child}", modules, faults)


def _defined_in(module: ModuleType) -> Iterator[Tool]:
    for name, value in list(vars(module).items()):
        if not name.startswith("_") and _is_own_tool(value, module.__name__):
            yield value


def _is_own_tool(value: object, module: str) -> TypeGuard[Tool]:
    try:
        home = getattr(value, "__module__", None)  # of a function, or of the class of an object
        return home == module and _is_tool(value)
    except Exception:  # noqa: BLE001  (what stands for something else, such as a request, may not be looked at now)
        return False


def _is_tool(value: object) -> TypeGuard[Tool]:
    if not is_tool(value):
        return False
    definition: Any = value.definition
    return isinstance(definition, ToolDefinition)


def _each_once(tools: Iterable[Tool]) -> list[Tool]:
    return list({id(tool): tool for tool in tools}.values())


def take_in_entry_points(registry: Registry, group: str) -> list[Tool]:
    """Put the tools of a group of entry points into a registry, and return them; what fails is logged and left out."""
    taken: list[Tool] = []
    for point in sorted(metadata.entry_points(group=group), key=lambda point: (point.name, point.value)):
        try:
            tools = list(_offered(point.load()))
            registry.add(tools)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (another distribution's code may raise anything)
            facts = {"event": "entry_point.failed", "entry_point": point.name, "error": type(error).__name__}
            _log.warning("the tools of entry point %s cannot be used", point.name, extra=facts)
        else:
            taken += tools
    return taken


def _offered(value: Any) -> Iterable[Tool]:
    if isinstance(value, ModuleType):
        return _each_once(_defined_in(value))
    return [value] if _is_tool(value) else value
