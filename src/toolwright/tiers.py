"""What each tier of an application that sells plans has, and what is said to somebody who wants more.

:class:`Tier` is the table. The ``validate_...`` functions hold one wish against it, and raise a
:class:`~toolwright.errors.LicenseError` that names the limit and the lowest tier that lifts it. Whoever counts
definitions does so through a :class:`DefinitionQuota`, or holds its own lock around counting and adding.

This module may not know where definitions are kept, nor where a licence comes from.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final, Protocol, TypeGuard, runtime_checkable

import msgspec

from toolwright.errors import LicenseError
from toolwright.levels import OrderedWord, SandboxIsolationLevel
from toolwright.values import JsonObject, JsonValue, join_path

__all__ = [
    "BASIC_KEYWORDS",
    "DefinitionQuota",
    "KeywordClass",
    "License",
    "LicenseContext",
    "Tier",
    "advanced_keywords",
    "validate_custom_definitions",
    "validate_custom_validator",
    "validate_isolation",
    "validate_keywords",
]


class KeywordClass(OrderedWord):
    """How much of JSON Schema a custom definition may use."""

    BASIC = "basic", 0, "Basic", "Types, properties, enumerations and defaults"
    ADVANCED = "advanced", 1, "Advanced", "All of JSON Schema"
    FULL = "full", 2, "Full", "All of JSON Schema, and custom validators"


class Tier(OrderedWord):
    """A plan, and its limits; a limit of None is none."""

    builtins: int
    custom_definitions: int | None
    keywords: KeywordClass
    isolation: SandboxIsolationLevel

    CORE = "core", 0, "Core", "Built-in tools", 5, 0, KeywordClass.BASIC, SandboxIsolationLevel.STANDARD
    WRITER_PRO = (
        *("writer_pro", 1, "Writer Pro", "A few tools of one's own"),
        *(5, 10, KeywordClass.BASIC, SandboxIsolationLevel.STANDARD),
    )
    TEAMS = (
        *("teams", 2, "Teams", "Tools shared in a team, strictly isolated"),
        *(8, 50, KeywordClass.ADVANCED, SandboxIsolationLevel.STRICT),
    )
    ENTERPRISE = (
        *("enterprise", 3, "Enterprise", "No limits"),
        *(8, None, KeywordClass.FULL, SandboxIsolationLevel.RESTRICTED),
    )


@runtime_checkable
class LicenseContext(Protocol):
    """Whoever knows the tier: asked each time, so that an upgrade counts at once."""

    @property
    def tier(self) -> Tier:
        """The tier that holds now."""
        ...


class License(msgspec.Struct, frozen=True):
    """A licence of one tier; without an argument the highest, so that nobody who hosts it meets a limit."""

    tier: Tier = Tier.ENTERPRISE

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "tier", Tier.parse(self.tier))


def _lifted_by(tier: Tier, allows: Mapping[Tier, bool]) -> str | None:
    """Return the lowest tier above this one that allows what this one does not."""
    return next((str(higher) for higher in Tier if higher > tier and allows[higher]), None)


def _refusal(tier: Tier, problem: str, limit: str, allows: Mapping[Tier, bool]) -> LicenseError:
    lifted = _lifted_by(tier, allows)
    remedy = f"; {Tier(lifted).display_name} lifts this" if lifted else ""
    return LicenseError(f"{tier.display_name} has {problem}{remedy}", limit=limit, tier=lifted)


def validate_custom_definitions(tier: Tier, count: int) -> None:
    """Let there be ``count`` custom definitions altogether, or refuse.

    Raises:
        LicenseError: The tier has fewer.
    """
    limit = tier.custom_definitions
    if limit is not None and count > limit:
        allows = {each: each.custom_definitions is None or count <= each.custom_definitions for each in Tier}
        words = f"room for {limit} custom definitions" if limit else "no custom definitions"
        raise _refusal(tier, words, "custom_definitions", allows)


def validate_isolation(tier: Tier, level: SandboxIsolationLevel) -> None:
    """Let a tool need this level of isolation, or refuse; it is never run at a lower one instead.

    Raises:
        LicenseError: The tier goes less far.
    """
    if level > tier.isolation:
        allows = {each: each.isolation >= level for each in Tier}
        raise _refusal(tier, f"no isolation above {tier.isolation}", "isolation", allows)


def validate_custom_validator(tier: Tier) -> None:
    """Let a custom definition name a function that checks its arguments, or refuse.

    Raises:
        LicenseError: The tier has no custom validators.
    """
    if tier.keywords < KeywordClass.FULL:
        allows = {each: each.keywords is KeywordClass.FULL for each in Tier}
        raise _refusal(tier, "no custom validators", "custom_validators", allows)


def validate_keywords(tier: Tier, schema: JsonValue) -> None:
    """Let a custom definition use the keywords of a schema, given as JSON, or refuse.

    Raises:
        LicenseError: The tier has only the basic keywords; the text names what goes beyond them.
    """
    if tier.keywords > KeywordClass.BASIC:
        return
    found = dict.fromkeys(keyword[:64] for _, keyword in advanced_keywords(schema))
    if found:
        allows = {each: each.keywords > KeywordClass.BASIC for each in Tier}
        named = ", ".join(list(found)[:5]) + (", ..." if len(found) > 5 else "")
        raise _refusal(tier, f"only the basic schema keywords, not {named}", "schema_keywords", allows)


BASIC_KEYWORDS: Final = frozenset(
    ["type", "properties", "required", "additionalProperties", "items", "enum", "title", "description", "default"]
)
"""The keywords of JSON Schema that every tier has."""


def advanced_keywords(schema: JsonValue) -> Iterator[tuple[str, str]]:
    """Yield each keyword of a schema, given as JSON, that is not basic, with the place of the schema that has it.

    ``$schema`` only says how the others are to be read, and is not counted. What stands below an advanced keyword is
    not looked at, nor what is data, such as defaults. A property may have any name.
    """
    waiting: list[tuple[str, Any]] = [("", schema)]
    while waiting:
        place, node = waiting.pop()
        if _is_object(node):
            yield from ((place, keyword) for keyword in node if not _is_basic(keyword, node))
            waiting += _below(place, node)


def _is_object(node: object) -> TypeGuard[JsonObject]:
    return isinstance(node, Mapping)


def _is_basic(keyword: str, node: JsonObject) -> bool:
    # Up to draft 7, "items" may hold one schema for each place in an array: that is more than the basic keyword does.
    one_each = keyword == "items" and isinstance(node["items"], (list, tuple))
    return keyword == "$schema" or (keyword in BASIC_KEYWORDS and not one_each)


def _below(place: str, node: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    properties = node.get("properties")
    if _is_object(properties):
        inside = join_path(place, "properties")
        yield from ((join_path(inside, name), child) for name, child in properties.items())
    for keyword in ("items", "additionalProperties"):
        yield join_path(place, keyword), node.get(keyword)


class DefinitionQuota:
    """Counts custom definitions, so that a limit holds however many are created at once.

    It is given the licence and how many there are already. Safe to share between threads; never waits for more than
    the counting itself, so that it may also be used on an event loop.
    """

    def __init__(self, license: LicenseContext, used: int = 0) -> None:
        _refuse_negative(used)
        self._license = license
        self._used = used
        self._lock = Lock()

    @property
    def used(self) -> int:
        """How many places are taken, the reserved ones included."""
        return self._used

    @contextmanager
    def reserve(self, count: int = 1) -> Generator[None]:
        """Take places for definitions that the block creates; they are free again where the block raises.

        Raises:
            LicenseError: There are not so many left; none was taken, and the block is not entered.
        """
        _refuse_negative(count)
        with self._lock:
            validate_custom_definitions(self._license.tier, self._used + count)
            self._used += count
        try:
            yield
        except BaseException:  # a cancelled creation has created nothing either
            self.release(count)
            raise

    def release(self, count: int = 1) -> None:
        """Give places back, once that many definitions are gone."""
        _refuse_negative(count)
        with self._lock:
            self._used = max(0, self._used - count)


def _refuse_negative(count: int) -> None:
    if count < 0:
        raise ValueError("count: must not be negative, or there would be room above the limit")
