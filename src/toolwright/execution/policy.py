"""What may run: decided by rules, by what a person decided before, and by the risk of the call.

The order is fixed: deny rules, then ``requires_confirmation``, then remembered decisions, then all other rules from
the first to the last, then the risk. What that lets pass still needs room under the limits. :meth:`Policy.decide` takes
plain facts and returns a :class:`Verdict`; :meth:`Policy.explain` goes the same way and tells each step.

Pure: no file, clock or task. This module may not know who asks the person, nor how a call is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

import msgspec
from msgspec.structs import force_setattr, replace

from toolwright.errors import NotJsonError, PolicyError, UnknownWordError
from toolwright.execution.globs import Glob, text_of
from toolwright.execution.limits import NOTHING_COUNTED, Counts, Limits
from toolwright.execution.remembered import Lasts, Remembered
from toolwright.execution.verdict import CallFacts, Considered, Effect, Explanation, Source, Verdict
from toolwright.levels import RiskLevel, ToolCategory
from toolwright.values import JsonObject, freeze_object, join_path

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["Policy", "Rule"]

_EFFECTS: Final = get_args(Effect)
_NOTHING: Final[JsonObject] = freeze_object({})
_NO_FILES: Final[Mapping[Lasts, str]] = MappingProxyType({})
_TextsOf: TypeAlias = "Callable[[str], tuple[str, ...]]"
_PathsOf: TypeAlias = "Callable[[str], tuple[tuple[str, ...], ...]]"
_TOOL_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_*?[]!-")


def _no_paths(_argument: str) -> tuple[tuple[str, ...], ...]:
    """Return which paths an example holds: nobody can tell without a tool."""
    return ()


class Rule(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Says what happens to calls of which all conditions are true.

    ``tool`` is a name or a glob over names, ``when`` a mapping from arguments to globs. An allow rule holds for calls
    up to its ``risk``; one that asks or denies, from its risk on. An argument that is missing never fits. ``match``
    and ``not_match`` are examples of arguments, tried when the rule is made. ``reason`` is told to the model.

    Raises:
        PolicyError: A word is unknown, a glob is broken, there is no condition, or an example is wrong.
    """

    effect: Effect
    tool: str | None = None
    category: ToolCategory | None = None
    tag: str | None = None
    risk: RiskLevel | None = None
    when: Mapping[str, str] = _NOTHING
    match: Sequence[Mapping[str, Any]] = ()
    not_match: Sequence[Mapping[str, Any]] = ()
    reason: str | None = None
    origin: str = ""
    """Where the rule stands; an unnamed one is named after its place in the policy."""

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            effect: Effect,
            tool: str | None = ...,
            category: ToolCategory | str | None = ...,
            tag: str | None = ...,
            risk: RiskLevel | str | None = ...,
            when: Mapping[str, str] = ...,
            match: Sequence[Mapping[str, Any]] = ...,
            not_match: Sequence[Mapping[str, Any]] = ...,
            reason: str | None = ...,
            origin: str = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        if self.effect not in _EFFECTS:
            raise PolicyError(f"must be one of {', '.join(_EFFECTS)}", code="invalid_rule", path="effect")
        for name in ("tool", "tag", "reason"):
            _check_text(getattr(self, name), name)
        if self.tool is not None and not _TOOL_LETTERS.issuperset(self.tool):
            raise PolicyError(
                "must be a name as tools have it, in a-z, 0-9 and _, or a glob over such names",
                code="invalid_rule",
                path="tool",
            )
        self._settle("category", ToolCategory)
        self._settle("risk", RiskLevel)
        force_setattr(self, "when", _texts(self.when, "when"))
        if not (self.tool_glob or self.category or self.tag or self.risk is not None or self.globs):
            raise PolicyError('has no condition; say tool = "*" if all tools are meant', code="invalid_rule")
        for name, wanted in (("match", True), ("not_match", False)):
            force_setattr(self, name, self._tried(name, wanted=wanted))

    @cached_property
    def tool_glob(self) -> Glob | None:
        """The glob over the names of tools."""
        return None if self.tool is None else _glob(self.tool, "tool")

    @cached_property
    def globs(self) -> tuple[tuple[str, Glob], ...]:
        """The globs over arguments."""
        return tuple((key, _glob(glob, f"when.{key}")) for key, glob in self.when.items())

    def _settle(self, name: str, kind: type[ToolCategory | RiskLevel]) -> None:
        word = getattr(self, name)
        if word is not None:
            try:
                force_setattr(self, name, kind.parse(word))
            except UnknownWordError as error:
                raise PolicyError(error.problem, code="invalid_rule", path=name) from None

    def _tried(self, name: str, *, wanted: bool) -> tuple[JsonObject, ...]:
        """Return the examples as immutable JSON, each of which does what it should."""
        examples: list[JsonObject] = []
        given: object = getattr(self, name)
        if not isinstance(given, (list, tuple)):
            raise PolicyError("must be an array of examples, each an object", code="invalid_rule", path=name)
        for index, example in enumerate(given):  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
            place = join_path(name, index)
            try:
                examples.append(freeze_object(example))
            except NotJsonError as error:
                raise PolicyError(error.problem, code="invalid_rule", path=place) from None
            if not self.globs:
                raise PolicyError(
                    "is an example of a rule that says nothing of arguments", code="wrong_example", path=place
                )
            wrong = self._argument_that_differs(partial(_given, examples[-1]))
            if wanted and wrong is not None:
                problem = f"is an example that should fit and does not, because of '{wrong}'"
                raise PolicyError(problem, code="wrong_example", path=place)
            if not wanted and wrong is None:
                raise PolicyError("is an example that should not fit and does", code="wrong_example", path=place)
        return tuple(examples)

    def misfit(self, facts: CallFacts) -> str | None:
        """Return the first condition that a call does not meet; None where the rule fits."""
        condition = self.misfit_of(facts.definition)
        if condition is not None:
            return condition
        if self.risk is not None and (facts.risk > self.risk if self.effect == "allow" else facts.risk < self.risk):
            return "risk"
        if self.globs:
            argument = self._argument_that_differs(facts.texts_of, facts.paths_of)
            return None if argument is None else f"when.{argument}"
        return None

    def misfit_of(self, definition: ToolDefinition) -> str | None:
        """Return the first condition that no call of a tool meets."""
        if self.tool_glob is not None and not self.tool_glob.fits_strictly(definition.name):
            return "tool"
        if self.category is not None and definition.category is not self.category:
            return "category"
        if self.tag is not None and self.tag.casefold() not in {tag.casefold() for tag in definition.tags}:
            return "tag"
        return None

    def _argument_that_differs(self, texts_of: _TextsOf, paths_of: _PathsOf = _no_paths) -> str | None:
        """Return the first argument that no glob fits: in a list of paths all must be allowed, and one stops a call."""
        for argument, glob in self.globs:
            if self.effect == "allow":
                each = paths_of(argument) or (texts_of(argument),)
                fits = all(any(map(glob.fits_strictly, texts)) for texts in each)
            else:
                each = (texts_of(argument), *paths_of(argument))
                fits = any(any(map(glob.fits_widely, texts)) for texts in each)
            if not fits:
                return argument
        return None

    def __str__(self) -> str:
        conditions = [
            f"{name} {word}"
            for name, word in (("tool", self.tool), ("category", self.category), ("tag", self.tag), ("risk", self.risk))
            if word is not None
        ]
        conditions += [f"{argument} like {glob.pattern!r}" for argument, glob in self.globs]
        return f"{self.effect} {', '.join(conditions)}"


def _check_text(value: object, path: str) -> None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise PolicyError("must be text that is not empty", code="invalid_rule", path=path)


def _texts(value: object, path: str) -> JsonObject:
    try:
        frozen = freeze_object(value)
    except NotJsonError as error:
        raise PolicyError(
            error.problem, code="invalid_rule", path=f"{path}.{error.path}" if error.path else path
        ) from None
    for key, glob in frozen.items():
        if not isinstance(glob, str):
            raise PolicyError("must be a glob, which is text", code="invalid_rule", path=join_path(path, key[:64]))
    return frozen


def _glob(pattern: str, path: str) -> Glob:
    try:
        return Glob(pattern)
    except PolicyError as error:
        raise PolicyError(error.problem, code=error.code, path=path) from None


def _given(example: JsonObject, argument: str) -> tuple[str, ...]:
    text = text_of(example.get(argument))
    return () if text is None else (text,)


class Policy(msgspec.Struct, frozen=True, dict=True):
    """Rules, limits, and whether arguments may be repaired: everything by which calls are let through.

    ``remembered`` are the decisions that stand in the files the policy was read from, and ``files`` where new ones that
    last are written. Without rules, safe and low risks are allowed, and a person is asked about all others.

    Raises:
        PolicyError: Something else than rules or limits was given.
    """

    rules: Sequence[Rule] = ()
    limits: Limits = Limits()
    repair: bool = True
    remembered: Sequence[Remembered] = ()
    files: Mapping[Lasts, str] = _NO_FILES

    def __post_init__(self) -> None:
        rules = tuple(self.rules)  # read once: an iterator would be empty the next time
        if not all(isinstance(rule, Rule) for rule in rules):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PolicyError("must be Rules", code="invalid_rule", path="rules")
        if not isinstance(self.limits, Limits):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise PolicyError("must be Limits", code="invalid_rule", path="limits")
        if self.repair is not True and self.repair is not False:
            raise PolicyError("must be true or false", code="invalid_rule", path="repair")
        named = (rule if rule.origin else _named(rule, f"rule {place}") for place, rule in enumerate(rules, 1))
        force_setattr(self, "rules", tuple(named))
        force_setattr(self, "remembered", tuple(self.remembered))
        force_setattr(self, "files", MappingProxyType(dict(self.files)))

    def standing(self, definition: ToolDefinition, risk: RiskLevel) -> Verdict | None:
        """Return what is decided about every call of a tool at a risk; None where it takes more to know that.

        That is so where no rule speaks of the tool and nothing is to be confirmed. Remembered decisions come before it.
        """
        if definition.requires_confirmation or (self.rules and any(self.rules_for(definition))):
            return None
        return _BY_RISK[risk]

    def decide(
        self,
        facts: CallFacts,
        *,
        now: datetime,
        remembered: Iterable[Remembered] | None = None,
        counts: Counts = NOTHING_COUNTED,
    ) -> Verdict:
        """Return what happens to a call.

        ``remembered`` are the decisions that may concern it, those of the policy's files unless others are given.
        ``counts`` are the calls of its session so far.
        """
        given = self.remembered if remembered is None else tuple(remembered)
        verdict = _BY_RISK[facts.risk]
        if self.rules or given or facts.definition.requires_confirmation:
            for _, step in _STEPS:
                decided = step(self, facts, given, now)
                if decided is not None:
                    verdict = decided
                    break
        refusal = self.limits.refusal(counts)
        if refusal is not None and verdict.effect != "deny":
            return _over_limit(refusal)
        return verdict

    def explain(
        self,
        facts: CallFacts,
        *,
        now: datetime,
        remembered: Iterable[Remembered] | None = None,
        counts: Counts = NOTHING_COUNTED,
    ) -> Explanation:
        """Return what :meth:`decide` returns, with every step on the way. Nothing is counted, asked or run."""
        given = self.remembered if remembered is None else tuple(remembered)
        verdict = self.decide(facts, now=now, remembered=given, counts=counts)
        steps: list[Considered] = []
        for source, step in _STEPS:
            found = step(self, facts, given, now)
            steps.append(Considered(source, found.reason if found else self._missed(source, facts, given)))
            if found is not None:
                break
        if verdict.source == "limit":
            steps.append(Considered("limit", verdict.reason))
        return Explanation(verdict, tuple(steps))

    def followed_by(self, other: Policy) -> Policy:
        """Return both in one: these rules go first, the stricter limits hold, and both have to allow repair."""
        return Policy(
            rules=(*self.rules, *other.rules),
            limits=self.limits.strictest(other.limits),
            repair=self.repair and other.repair,
            remembered=(*self.remembered, *other.remembered),
            files={**other.files, **self.files},
        )

    def doubts(self, definitions: Iterable[ToolDefinition]) -> tuple[str, ...]:
        """Return what is suspicious about the rules, given the tools that there are.

        A rule on an argument that none of its tools has will never fit, though it looks as if it guarded something.
        """
        known = tuple(definitions)
        found: list[str] = []
        for rule in self.rules:
            meant = [each for each in known if rule.misfit_of(each) is None]
            if rule.tool is not None and not meant:
                found.append(f"{rule.origin}: there is no such tool as {rule.tool!r}")
            closed = [each.parameters for each in meant if each.strict]
            for argument, _ in rule.globs:
                if closed and len(closed) == len(meant) and not any(argument in each.properties for each in closed):
                    found.append(f"{rule.origin}: no tool that it speaks of has an argument {argument!r}")
        return tuple(found)

    def rules_for(self, definition: ToolDefinition) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
        """Return the deny rules and the others that calls of a tool can meet, found out once for each tool."""
        known = self._by_tool.get(definition.name)
        if known is None or known[0] is not definition:
            fitting = [rule for rule in self.rules if rule.misfit_of(definition) is None]
            denying = tuple(rule for rule in fitting if rule.effect == "deny")
            others = tuple(rule for rule in fitting if rule.effect != "deny")
            known = self._by_tool[definition.name] = (definition, (denying, others))
        return known[1]

    @cached_property
    def _by_tool(self) -> dict[str, tuple[ToolDefinition, tuple[tuple[Rule, ...], tuple[Rule, ...]]]]:
        return {}

    def _missed(self, source: Source, facts: CallFacts, given: Sequence[Remembered]) -> str:
        """Say why a step decided nothing."""
        if source == "confirmation":
            return "the tool does not ask for a confirmation of each call"
        if source == "remembered":
            return "nothing that is remembered covers this call" if given else "nothing is remembered for this tool"
        denying = source == "deny_rule"
        tried = [rule for rule in self.rules if (rule.effect == "deny") == denying]
        lines = [f"{rule.origin} ({rule}) does not fit: {rule.misfit(facts)}" for rule in tried]
        return "\n".join(lines) or f"there are no {'deny' if denying else 'other'} rules"


def _named(rule: Rule, origin: str) -> Rule:
    return replace(rule, origin=origin)


def _by_deny_rule(policy: Policy, facts: CallFacts, _given: Sequence[Remembered], _now: datetime) -> Verdict | None:
    return _first_fitting(policy.rules_for(facts.definition)[0], facts, "deny_rule")


def _by_confirmation(_policy: Policy, facts: CallFacts, _given: Sequence[Remembered], _now: datetime) -> Verdict | None:
    return _CONFIRMATION if facts.definition.requires_confirmation else None


def _by_memory(_policy: Policy, facts: CallFacts, given: Sequence[Remembered], now: datetime) -> Verdict | None:
    """Decide as a person did before: a denial goes before an approval, and before what has become of a changed tool."""
    concerning = [each for each in given if each.concerns(facts, now)]
    covering = [each for each in concerning if each.covers(facts.bound_to, facts.risk)]
    if covering:
        found = next((each for each in covering if each.effect == "deny"), covering[0])
        said = "denied" if found.effect == "deny" else "approved"
        scope = "this call" if found.arguments else "this tool"
        because = f": {found.reason}" if found.reason else ""
        reason = f"{scope} was {said} before, by {found.origin or 'somebody'}{because}"
        return Verdict(effect=found.effect, source="remembered", reason=reason, remembered=found)
    lapsed = next((each for each in concerning if each.effect == "deny"), None)
    if lapsed is None:
        return None
    reason = "it was denied before, and the tool's definition has changed since"
    return Verdict(effect="ask", source="remembered", reason=reason, remembered=lapsed)


def _by_rule(policy: Policy, facts: CallFacts, _given: Sequence[Remembered], _now: datetime) -> Verdict | None:
    return _first_fitting(policy.rules_for(facts.definition)[1], facts, "rule")


def _by_risk(_policy: Policy, facts: CallFacts, _given: Sequence[Remembered], _now: datetime) -> Verdict:
    return _BY_RISK[facts.risk]


_Step: TypeAlias = Callable[[Policy, CallFacts, Sequence[Remembered], datetime], Verdict | None]

_STEPS: Final[tuple[tuple[Source, _Step], ...]] = (
    ("deny_rule", _by_deny_rule),
    ("confirmation", _by_confirmation),
    ("remembered", _by_memory),
    ("rule", _by_rule),
    ("risk", _by_risk),
)

_BY_RISK: Final[Mapping[RiskLevel, Verdict]] = {
    risk: Verdict(
        effect="ask" if risk.requires_approval else "allow",
        source="risk",
        reason=f"its risk is {risk}, and {'a person is asked' if risk.requires_approval else 'such calls are allowed'}",
    )
    for risk in RiskLevel
}

_CONFIRMATION: Final = Verdict(
    effect="ask", source="confirmation", reason="the tool wants every call of it confirmed by a person"
)

_SAID: Final[Mapping[Effect, str]] = {"allow": "allows this", "ask": "wants a person asked", "deny": "forbids this"}


def _first_fitting(rules: Iterable[Rule], facts: CallFacts, source: Source) -> Verdict | None:
    for rule in rules:
        if rule.misfit(facts) is None:
            reason = f"{rule.origin} {_SAID[rule.effect]}" + (f": {rule.reason}" if rule.reason else "")
            return Verdict(effect=rule.effect, source=source, reason=reason, rule=rule)
    return None


def _over_limit(refusal: str) -> Verdict:
    return Verdict(effect="deny", source="limit", reason=refusal)
