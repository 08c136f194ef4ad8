"""What happens next in a run: decided here, and done elsewhere.

:func:`next_step` looks at a few facts about the run and says whether the model is asked, calls are run, or the run has
ended. :func:`answered` and :func:`closed` are how the facts change. So limits, wrong calls and cut answers are tables,
and a run that is taken up again goes the way that it would have gone.

Pure: this module knows no clock, no task, no provider and no executor.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from toolwright.agent.limits import RunLimits
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.values import encode

__all__ = [
    "NOT_RUN",
    "WRONG_CODES",
    "Ask",
    "Call",
    "Ending",
    "Finish",
    "NotRun",
    "RunCalls",
    "RunStatus",
    "State",
    "Step",
    "Why",
    "answered",
    "closed",
    "corrected",
    "key_of",
    "next_step",
]

RunStatus: TypeAlias = Literal[
    "completed",
    "max_turns",
    "max_tool_calls",
    "timed_out",
    "cancelled",
    "refused",
    "length",
    "wrong_calls",
    "provider_error",
    "failed",
    "waiting",
]
"""How a run ended; a run that is ``waiting`` goes on when a person has decided."""

Ending: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "error"]
"""Why an answer of the model ended."""

Call: TypeAlias = ToolCall | InvalidToolCall

Why: TypeAlias = Literal[
    "cut", "broken", "withheld", "limit", "cancelled", "timed_out", "failed", "unknown", "happened", "did_not_happen"
]
"""Why a call was not run; the last three: why it is not run again, as the program was interrupted before its end."""

_SAME_WRONG_CALLS: Final = 3  # in a row, after which nothing better is to be expected


WRONG_CODES: Final = frozenset(["tool_not_found", "validation_failed"])
"""The codes of calls that no tool could have carried out: what the model sent was wrong."""


class NotRun(msgspec.Struct, frozen=True):
    """What is said of a call that was not run: its status and code, and what the model reads."""

    status: str
    code: str
    text: str
    is_error: bool = True


NOT_RUN: Final[Mapping[Why, NotRun]] = MappingProxyType({
    "cut": NotRun(
        "failed",
        "validation_failed",
        "Not run: the answer was cut off at its length limit, so this call may not be whole. Make fewer or shorter "
        "calls at once.",
    ),
    "broken": NotRun("cancelled", "cancelled", "Not run: the answer broke off before it was whole."),
    "withheld": NotRun("denied", "denied", "Not run: the answer with this call was refused or withheld."),
    "limit": NotRun("denied", "permission_denied", "Not run: the run has made as many calls as it may."),
    "cancelled": NotRun("cancelled", "cancelled", "Not run: the run was cancelled."),
    "timed_out": NotRun("cancelled", "cancelled", "Not run: the time of the run was over."),
    "failed": NotRun("cancelled", "cancelled", "Not run: the run could not go on."),
    "unknown": NotRun(
        "unknown",
        "unknown_outcome",
        "Nobody knows whether this call was carried out: the program was interrupted before its result was there. "
        "Find out before you repeat it.",
    ),
    "happened": NotRun(
        "completed",
        "",
        "This call was carried out, as a person found out; the program was interrupted before its result was there.",
        is_error=False,
    ),
    "did_not_happen": NotRun(
        "cancelled",
        "cancelled",
        "Not run: the program was interrupted before this call was carried out, as a person has found out.",
    ),
})  # fmt: skip
"""The answer to a call that was not run, by the reason."""


class Ask(msgspec.Struct, frozen=True):
    """Ask the model; with ``correcting``, tell it first that its answer does not fit."""

    correcting: bool = False


class RunCalls(msgspec.Struct, frozen=True):
    """Run the ``calls``, and answer the ``refused`` ones with the reason why they are not run."""

    calls: tuple[Call, ...]
    refused: tuple[Call, ...] = ()
    why: Why = "limit"


class Finish(msgspec.Struct, frozen=True):
    """The run has ended."""

    status: RunStatus


Step: TypeAlias = Ask | RunCalls | Finish

_NO_STREAKS: Final[Mapping[bytes, int]] = MappingProxyType({})


class State(msgspec.Struct, frozen=True, kw_only=True):
    """All that need be known of a run to say what comes next; its size does not grow with the run.

    ``ending`` is how the last answer ended, None where the model is to be asked. ``pending`` are the calls of that
    answer that have no result yet; ``called`` says that it had some. ``streaks`` counts in how many answers in a row
    the same wrong call was made. ``undecided`` says that a person has to decide about one of them first. ``fits`` is
    false for a structured answer that has another form than was asked for.
    """

    turns: int = 0
    calls: int = 0
    ending: Ending | None = None
    refused: bool = False
    called: bool = False
    pending: tuple[Call, ...] = ()
    undecided: bool = False
    exhausted: bool = False
    streaks: Mapping[bytes, int] = _NO_STREAKS
    fits: bool = True
    corrections: int = 0


def next_step(state: State, limits: RunLimits) -> Step:
    """Say what comes next. Nothing is done, and the same facts always give the same step."""
    if state.pending:
        return Finish("waiting") if state.undecided else _calls(state, limits)
    if state.ending is None:
        return _ask(state, limits)
    if state.ending == "error":
        return Finish("provider_error")
    if state.refused or state.ending == "content_filter":
        return Finish("refused")
    if state.called:
        return _after_calls(state, limits)
    if state.ending == "length":
        return Finish("length")
    if state.fits:
        return Finish("completed")
    return Finish("failed") if state.corrections >= limits.corrections else _ask(state, limits, correcting=True)


def _calls(state: State, limits: RunLimits) -> RunCalls:
    why: Why | None = None
    if state.ending == "error":
        why = "broken"
    elif state.refused or state.ending == "content_filter":
        why = "withheld"
    elif state.ending == "length":  # of which call the end is missing is not known: one cut early looks whole
        why = "cut"
    if why is not None:
        return RunCalls((), state.pending, why)
    room = max(0, limits.max_tool_calls - state.calls)
    return RunCalls(state.pending[:room], state.pending[room:])


def _after_calls(state: State, limits: RunLimits) -> Step:
    if state.exhausted:
        return Finish("max_tool_calls")
    if state.streaks and max(state.streaks.values()) >= _SAME_WRONG_CALLS:
        return Finish("wrong_calls")
    return _ask(state, limits)


def _ask(state: State, limits: RunLimits, *, correcting: bool = False) -> Step:
    return Ask(correcting) if state.turns < limits.max_turns else Finish("max_turns")


def answered(
    state: State, calls: tuple[Call, ...], ending: Ending, *, refused: bool = False, fits: bool = True
) -> State:
    """Return the state once the model has answered."""
    return State(
        turns=state.turns + 1,
        calls=state.calls,
        ending=ending,
        refused=refused,
        called=bool(calls),
        pending=calls,
        streaks=state.streaks if calls else _NO_STREAKS,
        fits=fits,
        corrections=state.corrections,
    )


def closed(state: State, *, ran: int, wrong: Iterable[bytes] = (), exhausted: bool = False) -> State:
    """Return the state once every call of the last answer has its result.

    ``ran`` is how many of them were handed to the executor, ``wrong`` are the keys of those that were wrong, and
    ``exhausted`` says that the limit kept some from running.
    """
    streaks = {key: state.streaks.get(key, 0) + 1 for key in wrong}
    return State(
        turns=state.turns,
        calls=state.calls + ran,
        ending=state.ending,
        refused=state.refused,
        called=True,
        exhausted=exhausted,
        streaks=streaks or _NO_STREAKS,
        corrections=state.corrections,
    )


def corrected(state: State) -> State:
    """Return the state once the model was told that its answer does not fit."""
    return replace(state, ending=None, fits=True, corrections=state.corrections + 1)


def key_of(call: Call) -> bytes:
    """Return what two calls share when they are the same: the name and the arguments."""
    if isinstance(call, ToolCall):
        return b"%b %b" % (call.name.encode(), encode(call.arguments, canonical=True))
    return encode([call.name, call.arguments_text])
