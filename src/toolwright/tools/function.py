"""Tools out of functions: what ``@tool`` makes.

Everything that a call needs is worked out when the function is decorated; a call then reads its arguments, fills in
what comes from the context, and awaits the function, in the loop or in a thread.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial, update_wrapper
from pathlib import Path
from time import perf_counter
from types import MethodType
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)

from toolwright.errors import UnsupportedTypeError
from toolwright.levels import RiskLevel, SandboxIsolationLevel, ToolCategory
from toolwright.schema import Schema
from toolwright.schema.report import ValidationReport
from toolwright.tools.arguments import REQUIRED, UnfitArguments
from toolwright.tools.base import (
    checked_context,
    combined_check,
    default_summary,
    failure,
    raised_risk,
    run_blocking,
    written_summary,
)
from toolwright.tools.constraints import ToolConstraints, gather_limits
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.signature import Plan, name_from, plan_described, plan_given
from toolwright.tools.strictness import without_true

__all__ = ["FunctionTool", "ToolHooks", "ToolOptions", "tool"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")

_Arguments: TypeAlias = Mapping[str, Any]
_Diff: TypeAlias = Callable[[_Arguments, Path | None], str | None]
_Reconcile: TypeAlias = Callable[[ToolContext], Awaitable[ToolOutcome | None]]

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class ToolHooks(TypedDict, total=False):
    """What a tool can say about its own calls.

    ``check`` adds errors and warnings to the schema's, ``effective_risk`` may raise the definition's risk,
    ``summarize`` words the line in approvals, and ``diff(arguments, workspace)`` shows there what would be written.
    ``reconcile`` finds out what became of a call that was cut off.
    """

    available: bool | Callable[[], bool]
    check: Callable[[_Arguments], ValidationReport | None]
    summarize: Callable[[_Arguments], str]
    effective_risk: Callable[[_Arguments], RiskLevel | str]
    diff: _Diff
    reconcile: _Reconcile


class ToolOptions(ToolHooks, total=False):
    """What ``@tool`` takes: every field of the definition and of its constraints, and the hooks."""

    definition: ToolDefinition
    name: str
    description: str
    title: str
    category: ToolCategory | str
    risk: RiskLevel | str
    tags: Iterable[str]
    parameters: Schema | Mapping[str, Any]
    strict: bool
    output_schema: Schema | Mapping[str, Any] | None
    constraints: ToolConstraints
    permissions: Iterable[str]
    requires_confirmation: bool
    version: str
    metadata: Mapping[str, Any]
    examples: Iterable[Mapping[str, Any]]
    max_execution_time: float
    max_output_size: int
    side_effects: bool
    idempotency_key: bool
    resource: str
    isolation: SandboxIsolationLevel | str


class FunctionTool(Generic[P, R]):
    """A function that is a tool: registered, described and run like any other, and still called as itself.

    In the body of a class it is a method: each instance has its own tool.
    """

    __name__: str
    __qualname__: str
    __wrapped__: Callable[P, R]

    def __init__(
        self,
        function: Callable[P, R],
        definition: ToolDefinition,
        plan: Plan,
        hooks: ToolHooks | None = None,
        *,
        binds: str = "",
    ) -> None:
        update_wrapper(self, function)
        self.function: Callable[..., Any] = function
        self.definition = definition
        self._hooks: ToolHooks = hooks or {}
        self._plan = plan
        self._binds = binds or ("instance" if plan.takes_self else "")
        self._call = self._callable()

    def _callable(self) -> Callable[..., Any]:
        function, positional = self.function, self._plan.positional

        def by_position(**arguments: Any) -> Any:
            return function(*[arguments.pop(name) for name in positional], **arguments)

        if self._binds in ("instance", "class"):
            return _unbound  # a method runs when it has been taken from an instance
        return by_position if positional else function

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Call the function as itself: nothing is validated, and what it raises is raised."""
        return cast("R", self.function(*arguments, **named))

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(
        self: FunctionTool[Concatenate[S, Q], R], instance: S, owner: type | None = None
    ) -> FunctionTool[Q, R]: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        target = owner if self._binds == "class" else instance if self._binds == "instance" else None
        if target is None:
            return self
        return type(self)(MethodType(self.function, target), self.definition, self._plan, self._hooks, binds="bound")

    @property
    def address(self) -> str | None:
        """Where another process finds the function (``package.module:name``); None where it cannot be imported."""
        name = getattr(self.function, "__qualname__", "<unknown>")
        module = getattr(self.function, "__module__", None)
        if module is None or "<" in name or isinstance(self.function, MethodType) or self._binds:
            return None
        return f"{module}:{name}"

    @property
    def hooks(self) -> frozenset[str]:
        """Which of the functions in :class:`ToolHooks` the tool was given: what it says of its calls by itself."""
        return frozenset(self._hooks)

    @property
    def reconcile(self) -> _Reconcile | None:
        """What finds out what became of a call that was cut off, if the tool can."""
        return self._hooks.get("reconcile")

    @property
    def diff(self) -> _Diff | None:
        """What shows, before a call is allowed, what it would change in files, if the tool can."""
        return self._hooks.get("diff")

    @property
    def available(self) -> bool:
        """Whether the tool can be offered just now; not, where its own answer fails."""
        said = self._hooks.get("available", True)
        try:
            return bool(said() if callable(said) else said)
        except Exception:  # noqa: BLE001  around the user's own code
            return False

    def check(self, arguments: _Arguments) -> ValidationReport:
        """Say what is wrong with arguments: by the schema, and by the tool's own rules."""
        own = self._hooks.get("check")
        if own is None:
            return self.definition.parameters.validate(arguments)
        return combined_check(self.definition, own, arguments)

    def summarize(self, arguments: _Arguments) -> str:
        """Say in one line what a call would do."""
        own = self._hooks.get("summarize")
        if own is None:
            return default_summary(self.definition, arguments)
        return written_summary(self.definition, own, arguments)

    def effective_risk(self, arguments: _Arguments) -> RiskLevel:
        """Return the risk of a call with these arguments; never below that of the definition."""
        own = self._hooks.get("effective_risk")
        return self.definition.risk if own is None else raised_risk(self.definition, own, arguments)

    async def execute(self, context: ToolContext) -> ToolOutcome:
        """Call the function with the call's arguments, and return how it ended."""
        started = perf_counter()
        try:
            if not context.checked:
                context, refusal = checked_context(self, context)
                if refusal is not None:
                    return refusal.took(perf_counter() - started)
            plan = self._plan
            named = plan.reader.read(context.arguments, None if context.workspace is None else context.resolve)
            for name in plan.contexts:
                named[name] = context
            if plan.services:
                self._add_services(named, context)
            if plan.is_async:
                value = await self._call(**named)
            else:
                value = await run_blocking(context, self._call, **named)
            if not isinstance(value, ToolOutcome):
                return ToolOutcome(success=True, data=value, duration=perf_counter() - started)
            outcome = value
        except UnfitArguments as unfit:
            outcome = ToolOutcome.invalid(unfit.report)
        except BaseException as error:  # noqa: BLE001  around the user's own code; what may not be caught goes on
            outcome = failure(error)
        return outcome.took(perf_counter() - started)

    def _add_services(self, named: dict[str, Any], context: ToolContext) -> None:
        for name, kind, default in self._plan.services:
            named[name] = context.services[kind] if default is REQUIRED else context.services.get(kind, default)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FunctionTool):
            return NotImplemented
        return self.function == other.function and self.definition == other.definition  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return f"<FunctionTool {self.definition.name}>"


def _unbound(**_arguments: Any) -> Any:
    raise TypeError("this tool is a method: register that of an instance")


@overload
def tool(function: Callable[P, R], /, **options: Unpack[ToolOptions]) -> FunctionTool[P, R]: ...


@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Make a tool of a function: ``@tool``, or ``@tool(risk="high", permissions=["tool.git.write"])``.

    Name, description, parameters and output schema come from the signature and the docstring; every field of the
    definition and of its constraints may be given instead, and the hooks of :class:`ToolHooks`. ``definition`` gives a
    whole one, written by hand.

    Raises:
        UnsupportedTypeError: The signature cannot be described, or does not fit the definition; the text says what to
            change.
        InvalidDefinitionError: What comes out is no valid definition; ``report`` says all that is wrong.
    """
    if function is not None:
        return _make(function, options)
    return partial(_make, options=options)


_OPTIONS: Final = frozenset(ToolOptions.__annotations__)


def _make(function: Callable[..., Any], options: ToolOptions) -> FunctionTool[..., Any]:
    binds = ""
    wrapper: Any = function
    if isinstance(wrapper, (staticmethod, classmethod)):
        binds = "class" if isinstance(wrapper, classmethod) else "static"
        function = wrapper.__func__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    given: dict[str, Any] = dict(options)
    for unknown in given.keys() - _OPTIONS:
        near = get_close_matches(unknown, _OPTIONS, n=1)
        raise TypeError(f"a tool has no option {unknown!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    hooks = {name: given.pop(name) for name in ToolHooks.__annotations__ if name in given}
    definition: ToolDefinition | None = given.pop("definition", None)
    if definition is None:
        plan, definition = _described(function, given)
    elif given:
        raise TypeError(f"definition= is the whole of it: {', '.join(sorted(given))} cannot be given beside it")
    else:
        plan = _given(function, definition)
    made: FunctionTool[..., Any] = FunctionTool(function, definition, plan, cast("ToolHooks", hooks), binds=binds)
    if definition.isolation > SandboxIsolationLevel.NONE and made.address is None:
        raise UnsupportedTypeError(
            f"asks for isolation {definition.isolation}, in another process, and cannot be imported there: define it "
            "with def at the top of a module",
            path=name_from(function),
        )
    return made


def _described(function: Callable[..., Any], given: dict[str, Any]) -> tuple[Plan, ToolDefinition]:
    """Return plan and definition by the signature, what was given by hand first."""
    plan, described = plan_described(function)
    if "parameters" in given:
        parameters = given["parameters"]
        given["parameters"] = parameters if isinstance(parameters, Schema) else Schema(parameters)
        plan = plan_given(function, given["parameters"].properties, open_ended=False)
    written: dict[str, Any] = {
        "name": _CAMEL.sub("_", name_from(function)).lower(),
        "description": described.description,
        "parameters": without_true(Schema(described.parameters)),
        "output_schema": described.returns,
    }
    return plan, ToolDefinition(**(written | gather_limits(given)))


def _given(function: Callable[..., Any], definition: ToolDefinition) -> Plan:
    schema = definition.parameters
    extra: Any = schema.to_dict().get("additionalProperties", True)
    return plan_given(function, schema.properties, open_ended=extra is not False)
