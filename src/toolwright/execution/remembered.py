"""Decisions that are remembered: for which calls, for how long, by whom, and how they are taken back.

A remembered decision is bound to the definition that was decided about: when that changes, it no longer counts. An
approval covers calls up to the risk that was seen when it was given. It stands behind deny rules and
``requires_confirmation``, whatever it says; that order is the policy's.

What shall outlast the program is written by a :class:`Keeper`, which this module only describes. It does no I/O, and
may not know who asks or what rules there are.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_hex
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, Self, TypeAlias, get_args

import msgspec
from msgspec.structs import force_setattr, replace

from toolwright.errors import PolicyError
from toolwright.levels import RiskLevel
from toolwright.values import JsonObject, Value, thaw

if TYPE_CHECKING:
    from toolwright.execution.verdict import CallFacts
    from toolwright.tools.definition import ToolDefinition

__all__ = ["Covers", "Keeper", "Lasts", "Memory", "Remember", "Remembered", "arguments_digest"]

Covers: TypeAlias = Literal["call", "tool"]
"""Which calls a decision is remembered for: those with exactly these arguments, or all of the tool."""

Lasts: TypeAlias = Literal["session", "project", "always"]
"""How long: until the session ends, in a rule of the project's file, or in a rule of the user's."""

_COVERS: Final = frozenset(get_args(Covers))
_LASTS: Final = frozenset(get_args(Lasts))


class Remember(Value, frozen=True):
    """The wish to remember a decision; what is not said is the tool, for the session.

    ``seconds`` is how long it holds at most. :meth:`of` reads the short form: one word of either kind.

    Raises:
        PolicyError: A word or the number of seconds is not one.
    """

    covers: Covers = "tool"
    lasts: Lasts = "session"
    seconds: float | None = None

    def __post_init__(self) -> None:
        _check_word(self.covers, _COVERS, "covers")
        _check_word(self.lasts, _LASTS, "lasts")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise PolicyError("must be more than 0", code="invalid_rule", path="seconds")

    @classmethod
    def of(cls, wish: Remember | str | None) -> Remember | None:
        """Return a wish that may be written as ``call``, ``tool``, ``session``, ``project`` or ``always``.

        Raises:
            PolicyError: It is none of these words.
        """
        if wish is None or isinstance(wish, Remember):
            return wish
        _check_word(wish, _COVERS | _LASTS, "remember")
        return cls(covers=wish) if wish in _COVERS else cls(lasts=wish)  # type: ignore[arg-type]


def _check_word(word: object, words: frozenset[str], path: str) -> None:
    if word not in words:
        raise PolicyError(f"must be one of {', '.join(sorted(words))}", code="invalid_rule", path=path)


def arguments_digest(arguments: JsonObject, workspace: str | None = None, *, numbers_alike: bool = False) -> str:
    """Return the SHA-256 of a call's arguments, as they are run, and the workspace they are run in.

    ``1``, ``1.0``, ``true`` and ``"1"`` are four different arguments; the order of keys makes no difference. With
    ``numbers_alike``, numbers of the same value are the same.
    """
    given = thaw(arguments)
    if numbers_alike:
        given = _with_whole_numbers(given)
    # Not the JSON of other places, in which each half of a surrogate pair is written as the same character.
    text = json.dumps([given, workspace], sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


def _with_whole_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _with_whole_numbers(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return [_with_whole_numbers(item) for item in value] if isinstance(value, list) else value  # pyright: ignore[reportUnknownVariableType]


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """One decision, and the calls that it holds for.

    ``definition`` is the digest of the definition that was decided about, and ``arguments`` that of the arguments where
    only the same call is meant. ``risk`` is the highest that an approval covers. ``origin`` says who decided.

    Raises:
        PolicyError: A field does not hold what it should.
    """

    id: str
    effect: Literal["allow", "deny"]
    tool: str
    definition: str
    arguments: str | None = None
    session: Hashable = None
    lasts: Lasts = "session"
    risk: RiskLevel = RiskLevel.CRITICAL
    origin: str = ""
    reason: str | None = None
    at: datetime
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        _check_word(self.effect, frozenset(["allow", "deny"]), "effect")
        _check_word(self.lasts, _LASTS, "lasts")
        force_setattr(self, "risk", RiskLevel.parse(self.risk))
        for name in ("at", "expires_at"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                raise PolicyError("must have a time zone, such as 2026-01-31T12:00:00Z", code="invalid_rule", path=name)

    @classmethod
    def of(
        cls,
        wish: Remember,
        effect: Literal["allow", "deny"],
        *,
        tool: str,
        definition: str,
        arguments: JsonObject,
        risk: RiskLevel,
        now: datetime,
        origin: str,
        session: Hashable = None,
        workspace: str | None = None,
        reason: str | None = None,
    ) -> Self:
        """Return a decision about a call, for as many calls and as long as is wished."""
        digest = arguments_digest(arguments, workspace, numbers_alike=effect == "deny")
        return cls(
            id=f"decision_{token_hex(8)}",
            effect=effect,
            tool=tool,
            definition=definition,
            arguments=digest if wish.covers == "call" else None,
            session=session if wish.lasts == "session" else None,
            lasts=wish.lasts,
            risk=risk,
            origin=origin,
            reason=reason,
            at=now,
            expires_at=None if wish.seconds is None else _later(now, wish.seconds),
        )

    def concerns(self, call: CallFacts, now: datetime) -> bool:
        """Say whether it was about such a call and has not expired; the definition may have changed since."""
        if self.tool != call.definition.name or _expired(self, now):
            return False
        if self.lasts == "session" and self.session != call.session:
            return False
        if self.arguments is None:
            return True
        # A denial also holds for 1.0 where it was said of 1: the two are the same to most tools.
        return self.arguments == (call.alike_arguments if self.effect == "deny" else call.exact_arguments)

    def covers(self, digest: str, risk: RiskLevel) -> bool:
        """Say whether it still counts for a call that it concerns: same definition, and no more risk than was seen."""
        return self.definition == digest and (self.effect == "deny" or risk <= self.risk)

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about: a later decision on the same subject takes its place."""
        session = self.session if self.lasts == "session" else None
        return self.tool, self.arguments, self.lasts, session


class Keeper(Protocol):
    """Whoever writes decisions down for longer than the program runs: a file of rules, a store."""

    def add(self, remembered: Remembered, /) -> None:
        """Write it down. Raises a ``PolicyError`` or an ``OSError`` where that cannot be done."""
        ...

    def remove(self, id: str, /) -> bool:
        """Strike it out, and say whether it was there."""
        ...


class Memory:
    """What was decided, by session and tool. Safe to share between threads and loops; readers never wait.

    ``keepers`` write down what shall last longer than a session. Where there is none, or it fails, a decision is
    remembered for the session alone, which is less than was wished for and never more.
    """

    def __init__(self, remembered: Iterable[Remembered] = (), *, keepers: Mapping[Lasts, Keeper] | None = None) -> None:
        self._keepers = dict(keepers or {})
        self._lock = Lock()
        self._found: dict[tuple[Hashable, str], tuple[Remembered, ...]] = {}
        for each in remembered:
            self._put(each)

    def about(self, tool: str, session: Hashable = None) -> tuple[Remembered, ...]:
        """Return what may concern a tool in a session, the latest first."""
        found = self._found
        if not found:
            return ()
        return found.get((session, tool), ()) + found.get((_EVERYWHERE, tool), ())

    def remember(
        self,
        wish: Remember,
        effect: Literal["allow", "deny"],
        *,
        definition: ToolDefinition,
        arguments: JsonObject,
        risk: RiskLevel,
        now: datetime,
        origin: str,
        session: Hashable = None,
        workspace: str | None = None,
        reason: str | None = None,
        digest: str | None = None,
    ) -> Remembered:
        """Remember a decision as wished, and return it as it is remembered.

        ``digest`` is what it is bound to, where that is more than the definition. Its ``lasts`` is ``session`` where it
        could not be written down for longer. Writing goes to the disk: with a keeper, call this in a thread.
        """
        made = Remembered.of(
            wish,
            effect,
            tool=definition.name,
            definition=digest or definition.digest,
            arguments=arguments,
            risk=risk,
            now=now,
            origin=origin,
            session=session,
            workspace=workspace,
            reason=reason,
        )
        if wish.lasts != "session" and not self._written(made):
            made = replace(made, lasts="session", session=session)
        with self._lock:
            self._put(made, now)
        return made

    def all(self, now: datetime) -> tuple[Remembered, ...]:
        """Return all that has not expired, the latest first."""
        live = (each for group in self._found.copy().values() for each in group if not _expired(each, now))
        return tuple(sorted(live, key=lambda each: each.at, reverse=True))

    def revoke(self, id: str) -> bool:
        """Take a decision back, also where it was written down, and say whether there was one.

        Raises:
            PolicyError: It stands in a file from which it cannot be struck out; it no longer counts in this program.
            OSError: Likewise.
        """
        with self._lock:
            found = next((each for group in self._found.values() for each in group if each.id == id), None)
            if found is not None:
                self._change(found, None, None)
        if found is not None and found.lasts in self._keepers:
            self._keepers[found.lasts].remove(id)
        return found is not None

    def forget(self, session: Hashable) -> None:
        """Forget what was remembered for a session that has ended."""
        with self._lock:
            self._found = {key: group for key, group in self._found.items() if key[0] != session}

    def _written(self, made: Remembered) -> bool:
        keeper = self._keepers.get(made.lasts)
        if keeper is None:
            return False
        try:
            keeper.add(made)
        except (PolicyError, OSError):
            return False
        return True

    def _put(self, made: Remembered, now: datetime | None = None) -> None:
        self._change(made, made, now)

    def _change(self, about: Remembered, made: Remembered | None, now: datetime | None) -> None:
        """Replace what was said on a subject; the mapping is never changed in place, so that readers need no lock."""
        key = (about.session if about.lasts == "session" else _EVERYWHERE, about.tool)
        subject = about.subject
        rest = [each for each in self._found.get(key, ()) if each.subject != subject]
        group = (*([] if made is None else [made]), *(each for each in rest if now is None or not _expired(each, now)))
        found = {**self._found, key: group}
        if not group:
            del found[key]
        self._found = found


_EVERYWHERE: Final[Hashable] = object()  # where a session would stand: for decisions that hold in all of them


def _expired(remembered: Remembered, now: datetime) -> bool:
    return remembered.expires_at is not None and remembered.expires_at <= now


def _later(now: datetime, seconds: float) -> datetime | None:
    try:
        return now + timedelta(seconds=seconds)
    except OverflowError:
        return None  # further off than there are dates
