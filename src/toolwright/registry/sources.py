"""Tools that come from elsewhere, and come and go as they please: the registry follows them.

This module may not know what a source is: a server, a folder, another program.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from toolwright.errors import DuplicateToolError, ToolwrightError

if TYPE_CHECKING:
    from toolwright.registry.registry import Registry
    from toolwright.tools.base import Tool

__all__ = ["Mount", "ToolSource"]

_log: Final = logging.getLogger("toolwright.registry")


class ToolSource(Protocol):
    """Gives tools, and tells when they have changed.

    The tools have names of the source's own (a prefix), and say themselves whether they are ``available``: those of a
    source that has died are not. A tool that has not changed is the same object as before.
    """

    def tools(self) -> Iterable[Tool]:
        """Return the tools that there are now."""
        ...

    def subscribe(self, changed: Callable[[], object], /) -> Callable[[], object]:
        """Call ``changed``, in whatever thread, when :meth:`tools` gives something else; return what ends that."""
        ...


class Mount:
    """Keeps the tools of one source in a registry.

    Raises:
        DuplicateToolError: The name of one of its tools is taken: nothing was taken in.
    """

    def __init__(self, registry: Registry, source: ToolSource) -> None:
        self._registry = registry
        self._source = source
        self._mounted: dict[str, Tool] = {}
        self._ended = False
        self._stale = False
        # Held while the source is read and the registry changed: of two changes the later one has the last word.
        self._following = Lock()
        with self._following:
            self._unsubscribe = source.subscribe(self._follow)
            try:
                tools = list(source.tools())
                registry.add(tools)
            except BaseException:
                self._ended = True
                self._unsubscribe()
                raise
            self._mounted = {tool.definition.name: tool for tool in tools}
        self._catch_up()

    def unmount(self) -> None:
        """Take out the tools of this source, and follow it no longer. Doing so again does nothing."""
        if not self._ended:
            self._ended = True
            self._follow()
            self._unsubscribe()

    def _follow(self) -> None:
        self._stale = True
        self._catch_up()

    def _catch_up(self) -> None:
        # Who comes while somebody follows already leaves a note and goes: a source may tell of a change from within
        # tools(), and a subscriber of the registry may unmount from within its callback.
        while self._stale and self._following.acquire(blocking=False):
            try:
                self._stale = False
                self._exchange()
            finally:
                self._following.release()

    def _exchange(self) -> None:
        try:
            now = {} if self._ended else {tool.definition.name: tool for tool in self._source.tools()}
        except Exception as error:  # noqa: BLE001  (the source's code: it must not take the program with it)
            _log.warning("a source of tools failed", extra={"event": "source.failed", "error": type(error).__name__})
            return
        same = {name: tool for name, tool in now.items() if self._mounted.get(name) is tool}
        leaving = {name: tool for name, tool in self._mounted.items() if name not in same}
        coming = {name: tool for name, tool in now.items() if name not in same}
        self._mounted = same
        try:
            self._registry.exchange(leaving, coming.values())
            self._mounted |= coming
        except (ToolwrightError, TypeError):
            self._exchange_singly(leaving, coming)

    def _exchange_singly(self, leaving: dict[str, Tool], coming: dict[str, Tool]) -> None:
        """Do as much of a change as can be done, one tool at a time: one that cannot be taken in stops no other."""
        self._registry.exchange({name: tool for name, tool in leaving.items() if name not in coming}, ())
        for name, tool in coming.items():
            old = {name: leaving[name]} if name in leaving else {}
            try:
                self._registry.exchange(old, [tool])
                self._mounted[name] = tool
            except (ToolwrightError, TypeError) as error:
                self._registry.exchange(old, ())  # the source has it no longer, and what follows it is refused
                if not isinstance(error, DuplicateToolError):  # that, the registry has logged
                    facts = {"event": "source.refused", "tool": name, "error": type(error).__name__}
                    _log.warning("tool %s of a source refused", name, extra=facts)
