"""What a tool is, and what every tool does alike.

:class:`Tool` is the shape that registries and executors look for. :class:`ToolBase` gives all of it but the definition
and the work itself: it validates, measures the time, and makes an outcome of whatever happens. What a tool says about
its own calls is added to what its definition says, and takes nothing away from it.

A tool does not know whether it may run: whoever calls :meth:`Tool.execute` has decided that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import isawaitable, iscoroutinefunction
from time import perf_counter
from typing import Any, ClassVar, Final, Protocol, TypeVar, cast, runtime_checkable

from msgspec.structs import replace

from toolwright.levels import RiskLevel
from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.tools.context import ToolContext
from toolwright.tools.definition import ToolDefinition
from toolwright.tools.outcome import ToolOutcome

__all__ = [
    "Tool",
    "ToolBase",
    "checked_context",
    "combined_check",
    "complete",
    "default_summary",
    "failure",
    "raised_risk",
    "run_blocking",
    "written_summary",
]

F = TypeVar("F", bound=Callable[..., Any])

_Arguments = Mapping[str, Any]


@runtime_checkable
class Tool(Protocol):
    """Anything that can be registered and run: functions with ``@tool``, subclasses of ``ToolBase``, custom tools."""

    @property
    def definition(self) -> ToolDefinition:
        """What everybody else reads: name, parameters, risk, limits."""
        ...

    @property
    def available(self) -> bool:
        """Whether the tool can be offered just now."""
        ...

    def check(self, arguments: _Arguments) -> ValidationReport:
        """Say what is wrong with arguments: by the schema, and by the tool's own rules."""
        ...

    def summarize(self, arguments: _Arguments) -> str:
        """Say in one line what a call would do: ``Read file 'src/app.py'``."""
        ...

    def effective_risk(self, arguments: _Arguments) -> RiskLevel:
        """Return the risk of a call with these arguments; never below that of the definition."""
        ...

    async def execute(self, context: ToolContext) -> ToolOutcome:
        """Do the work, and return how it ended. Raises only when the caller is cancelled or the program is ended."""
        ...


_COMPLETE: Final = "says_all_of_it"


def complete(method: F) -> F:
    """Mark a method that asks the definition itself, and needs nothing added to what it says."""
    setattr(method, _COMPLETE, True)
    return method


class ToolBase:
    """A tool as a class: give it a ``definition`` and a ``run(context)``, sync (in a thread) or async.

    ``run`` returns any JSON-able value or a :class:`ToolOutcome`; what it raises becomes a failed outcome. ``check``,
    ``summarize`` and ``effective_risk`` may be overridden: what they say is added to what the definition says. A tool
    keeps no state between calls.
    """

    definition: ToolDefinition
    _runs_async: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "run" in cls.__dict__:
            cls._runs_async = iscoroutinefunction(cls.__dict__["run"])
        for name, guard in _GUARDS.items():
            found = getattr(cls, name)  # of a mixin, perhaps
            if not hasattr(found, _COMPLETE):
                setattr(cls, name, guard(found))

    @property
    def available(self) -> bool:
        """Whether the tool can be offered just now."""
        return True

    def run(self, context: ToolContext) -> Any:
        """Do the work. The arguments have been validated: ``context.arguments``, ``context.arguments_as(...)``."""
        raise TypeError(f"{type(self).__name__} has no run(context)")

    @complete
    def check(self, arguments: _Arguments) -> ValidationReport:
        """Say what is wrong with arguments: by the schema, and by the tool's own rules."""
        return self.definition.parameters.validate(arguments)

    @complete
    def summarize(self, arguments: _Arguments) -> str:
        """Say in one line what a call would do."""
        return default_summary(self.definition, arguments)

    @complete
    def effective_risk(self, arguments: _Arguments) -> RiskLevel:
        """Return the risk of a call with these arguments; never below that of the definition."""
        del arguments
        return self.definition.risk

    async def execute(self, context: ToolContext) -> ToolOutcome:
        """Validate the arguments, do the work, and return how it ended."""
        started = perf_counter()
        try:
            context, refusal = checked_context(self, context)
            if refusal is not None:
                return refusal.took(perf_counter() - started)
            value = await (self.run(context) if self._runs_async else run_blocking(context, self.run, context))
            outcome = value if isinstance(value, ToolOutcome) else ToolOutcome.ok(value)
        except BaseException as error:  # noqa: BLE001  around the user's own code; what may not be caught goes on
            outcome = failure(error)
        return outcome.took(perf_counter() - started)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.definition.name}>"


def checked_context(tool: Tool | ToolBase, context: ToolContext) -> tuple[ToolContext, ToolOutcome | None]:
    """Return a context whose arguments are valid and complete; else the outcome that says what is wrong with them."""
    if context.checked:
        return context, None
    arguments = tool.definition.parameters.with_defaults(context.arguments)
    report = tool.check(arguments)
    if not report.valid:
        return context, ToolOutcome.invalid(report)
    return replace(context, arguments=arguments, checked=True), None


async def run_blocking(context: ToolContext, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """Run a sync function in a thread; when the caller is cancelled meanwhile, ``context.cancelled`` tells it."""
    try:
        value = await context.threads.run(function, *arguments, **named)
    except BaseException:
        context.cancellation.cancel()
        raise
    return await value if isawaitable(value) else value


def failure(error: BaseException) -> ToolOutcome:
    """Return the outcome of a tool that raised.

    Raises:
        BaseException: ``error`` itself, where it is not the tool's: the caller was cancelled, or the user wants to end
            the program. ``SystemExit`` is the tool's: a parser of arguments inside it, say, may not end its host.
    """
    import asyncio  # not with the module: whoever only describes tools runs no event loop

    if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
        raise error
    if _holds_interrupt(error):
        raise error
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise error
        return ToolOutcome.cancelled("Something that the tool was waiting for was cancelled.")
    if isinstance(error, SystemExit):
        return ToolOutcome.failed("The tool wanted to end the program.", exception=error)
    return ToolOutcome.from_exception(error)


def _holds_interrupt(error: BaseException) -> bool:
    if not isinstance(error, BaseExceptionGroup):
        return False
    group = cast("BaseExceptionGroup[BaseException]", error)
    return group.subgroup(KeyboardInterrupt) is not None


def default_summary(definition: ToolDefinition, arguments: _Arguments) -> str:
    """Return what is said of a call when its tool says nothing: ``Execute Read File``."""
    del arguments
    return f"Execute {definition.title}"


def combined_check(
    definition: ToolDefinition, own: Callable[[_Arguments], object], arguments: _Arguments
) -> ValidationReport:
    """Return what the schema says, and where that finds nothing wrong, also what the tool's own check says.

    An own check that raises, or returns something else, is an error: what could not be checked is not valid.
    """
    by_schema = definition.parameters.validate(arguments)
    if not by_schema.valid:
        return by_schema
    try:
        said = own(arguments)
    except Exception as error:  # noqa: BLE001  around the user's own code
        return ValidationReport.invalid(_unchecked(f"raised {type(error).__name__}"))
    if said is None:
        return by_schema
    if not isinstance(said, ValidationReport):
        return ValidationReport.invalid(_unchecked(f"returned a {type(said).__name__} instead of a ValidationReport"))
    return ValidationReport.combine(by_schema, said)


def _unchecked(what: str) -> ValidationIssue:
    return ValidationIssue.invalid_value("", f"the arguments could not be checked: the tool's own check {what}")


def written_summary(definition: ToolDefinition, own: Callable[[_Arguments], object], arguments: _Arguments) -> str:
    """Return the tool's own summary; the default where it fails, or says nothing."""
    try:
        said = own(arguments)
    except Exception:  # noqa: BLE001  around the user's own code
        said = ""
    return said if isinstance(said, str) and said else default_summary(definition, arguments)


def raised_risk(
    definition: ToolDefinition, own: Callable[[_Arguments], RiskLevel | str], arguments: _Arguments
) -> RiskLevel:
    """Return the tool's own estimate, but never less than the definition's risk; critical where it fails."""
    try:
        said = own(arguments)
        if said is definition.risk:
            return definition.risk
        return max(RiskLevel(said), definition.risk)
    except Exception:  # noqa: BLE001  around the user's own code
        return RiskLevel.CRITICAL


_Own = Callable[[Any, _Arguments], Any]


def _guard(combine: Callable[[ToolDefinition, Callable[[_Arguments], Any], _Arguments], Any]) -> Callable[[_Own], _Own]:
    def around(own: _Own) -> _Own:
        @wraps(own)
        def guarded(self: ToolBase, arguments: _Arguments) -> Any:
            return combine(self.definition, lambda given: own(self, given), arguments)

        return complete(guarded)

    return around


_GUARDS: Final[Mapping[str, Callable[[_Own], _Own]]] = {
    "check": _guard(combined_check),
    "summarize": _guard(written_summary),
    "effective_risk": _guard(raised_risk),
}
