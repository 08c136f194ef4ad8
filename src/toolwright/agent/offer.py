"""What a model is shown, and so what it may call: at first, and once it has looked for more.

This module may not know what is done with a call, nor what a model is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any, Final, cast

from toolwright.execution import Execution, Executor
from toolwright.registry import Availability, ToolView
from toolwright.registry.view import is_available
from toolwright.tools import ToolDefinition

__all__ = ["Offer"]

_NO_CONDITION: Final = Availability(has_workspace=True, has_terminal=True, has_editor=True, has_git=True)


class Offer:
    """The tools of one run: those of ``shown``, or all; and those that were ``found`` since."""

    def __init__(
        self, executor: Executor, shown: ToolView | None, availability: Availability | None, workspace: Path | None
    ) -> None:
        conditions = availability or executor.scope.availability
        if conditions is not None and workspace is not None:
            conditions = replaced(conditions, workspace=workspace)
        self._registry: Final = executor.registry
        self._read_more: Final = executor.read_more.definition
        self._shown: Final = shown
        self._conditions: Final = conditions
        self._found: dict[str, None] = {}  # names, in the order in which they were found
        self._offered: list[ToolDefinition] | None = None
        self._definitions: tuple[ToolDefinition, ...] = ()
        self._callable: Availability | None = None

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return what the model is shown now; the very tuple of last time where nothing has changed."""
        view = self._registry if self._shown is None else self._shown
        offered = view.definitions(self._conditions)
        if self._found:
            there = {definition.name for definition in offered}
            offered += [each for each in map(self._definition_of, self._found) if each and each.name not in there]
        if offered != self._offered:  # where they are the very same ones, which costs a look
            self._offered, self._definitions = offered, tuple(offered)
            self._callable = self._only(definition.name for definition in offered)
        return self._definitions

    @property
    def callable(self) -> Availability | None:
        """The conditions under which only what was last shown is found; None where all that there is was shown."""
        if self._offered is None:
            self.definitions()  # a run that is taken up again begins with calls
        return self._callable

    def learn(self, execution: Execution) -> list[str]:
        """See whether a call has found tools, or left something to be read on; return what is offered from now on."""
        outcome = execution.outcome
        names = [self._read_more.name] if outcome.more is not None else []
        if outcome.success and isinstance(outcome.data, Mapping) and self._is_search(execution.tool_name):
            tools: Any = cast("Any", outcome.data)["tools"]
            names += [each["name"] for each in tools]
        if names:
            self.add(names)
        return names

    def add(self, names: Iterable[str]) -> None:
        """Offer more tools from the next turn on."""
        self._found.update(dict.fromkeys(names))

    def _is_search(self, name: str) -> bool:
        from toolwright.registry.find_tools import FindTools  # which makes a schema; who gets here has such a tool

        entry = self._registry.entry(name)
        tool: Any = None if entry is None else entry.tool
        while hasattr(tool, "wrapped"):  # under another name
            tool = tool.wrapped
        return isinstance(tool, FindTools)

    def _definition_of(self, name: str) -> ToolDefinition | None:
        entry = self._registry.entry(name)
        if entry is None:
            return self._read_more if name == self._read_more.name else None
        conditions = self._conditions
        fits = conditions is None or conditions.allows(entry.definition)
        return entry.definition if fits and is_available(entry.tool, name) else None

    def _only(self, names: Iterable[str]) -> Availability | None:
        if self._shown is None:
            return None
        return replaced(self._conditions or _NO_CONDITION, enabled=frozenset(names))
