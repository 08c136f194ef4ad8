"""What is known of a call when it is decided about, and what is decided.

These are values. How one follows from the other is not known here.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from toolwright.execution.globs import text_of
from toolwright.execution.remembered import arguments_digest
from toolwright.levels import RiskLevel
from toolwright.values import JsonArray, JsonObject

if TYPE_CHECKING:
    from toolwright.execution.policy import Rule
    from toolwright.execution.remembered import Remembered
    from toolwright.tools.definition import ToolDefinition

__all__ = ["CallFacts", "Considered", "Effect", "Explanation", "Source", "Verdict"]

Effect: TypeAlias = Literal["allow", "ask", "deny"]
"""What happens to a call: it runs, a person is asked, it does not run."""

Source: TypeAlias = Literal[
    "arguments", "permissions", "tier", "deny_rule", "confirmation", "remembered", "rule", "risk", "limit"
]
"""What decided about a call."""

_NO_PATHS: Final[frozenset[str]] = frozenset()


class CallFacts(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What a policy knows of a call.

    The arguments are validated, with their defaults, and paths among them are resolved: absolute texts. Of those named
    in ``paths``, what lies in ``workspace`` is also known by its place there. ``risk`` is the effective one.
    """

    definition: ToolDefinition
    arguments: JsonObject
    risk: RiskLevel
    session: Hashable = None
    workspace: str | None = None
    paths: frozenset[str] = _NO_PATHS
    digest: str | None = None

    @property
    def bound_to(self) -> str:
        """The digest that decisions about such calls are bound to: where only the definition counts, its own."""
        return self.digest or self.definition.digest

    @cached_property
    def exact_arguments(self) -> str:
        """The digest of the arguments, by which exactly the same call is known again."""
        return arguments_digest(self.arguments, self.workspace)

    @cached_property
    def alike_arguments(self) -> str:
        """The same for all calls that only write their numbers in another way."""
        return arguments_digest(self.arguments, self.workspace, numbers_alike=True)

    def texts_of(self, argument: str) -> tuple[str, ...]:
        """Return an argument as globs see it: none if it was not given, two if it is a path in the workspace."""
        value = self.arguments.get(argument)
        return self._texts(value, is_path=argument in self.paths)

    def paths_of(self, argument: str) -> tuple[tuple[str, ...], ...]:
        """Return each item of a list that holds paths, as globs see it; none of what is no such list."""
        items: Any = self.arguments.get(argument)
        if argument not in self.paths or not isinstance(items, JsonArray):
            return ()
        return tuple(self._texts(item, is_path=True) for item in items)

    def _texts(self, value: Any, *, is_path: bool) -> tuple[str, ...]:
        text = text_of(value)
        if text is None:
            return ()
        if not is_path or self.workspace is None:
            return (text,)
        inside = text_of(_seen_from(self.workspace, value))
        return (text,) if inside is None or inside == text else (text, inside)


def _seen_from(workspace: str, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_seen_from(workspace, item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, str):
        return value
    if value == workspace:
        return "."
    separator = "/" if workspace.startswith("/") else "\\"  # elsewhere a backslash is a letter like any other
    root = workspace.removesuffix(separator) + separator
    return value.removeprefix(root).replace(separator, "/") if value.startswith(root) else value


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to a call, and why.

    ``reason`` is fit for a model and for a person; it quotes no argument. ``rule`` or ``remembered`` is what decided,
    where it was one of these, and ``origin`` says where that comes from.
    """

    effect: Effect
    source: Source
    reason: str
    rule: Rule | None = None
    remembered: Remembered | None = None

    @property
    def origin(self) -> str:
        """Where the decision comes from: a rule's place, who decided before, or the word for the step."""
        if self.rule is not None:
            return self.rule.origin
        return self.remembered.origin if self.remembered is not None else self.source


class Considered(msgspec.Struct, frozen=True):
    """One step on the way to a verdict, and what came of it."""

    step: Source
    found: str


class Explanation(msgspec.Struct, frozen=True):
    """A verdict with the steps that led to it, in order; as text, one line each."""

    verdict: Verdict
    steps: tuple[Considered, ...]

    def __str__(self) -> str:
        width = max((len(step.step) for step in self.steps), default=0)
        lines = [f"{step.step:<{width}}  {line}" for step in self.steps for line in step.found.splitlines()]
        return "\n".join([f"{self.verdict.effect}: {self.verdict.reason}", *(f"  {line}" for line in lines)])
