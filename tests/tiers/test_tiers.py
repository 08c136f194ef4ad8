from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import LicenseError
from toolwright.levels import SandboxIsolationLevel
from toolwright.tiers import (
    BASIC_KEYWORDS,
    DefinitionQuota,
    License,
    LicenseContext,
    Tier,
    advanced_keywords,
    validate_custom_definitions,
    validate_custom_validator,
    validate_isolation,
    validate_keywords,
)

BASIC = {
    "type": "object",
    "title": "Anything",
    "description": "A pattern is a name here, not a keyword",
    "properties": {
        "pattern": {"type": "string", "enum": ["a"], "default": {"minLength": 1}},
        "rows": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}},
    },
    "required": ["pattern"],
    "additionalProperties": False,
}


def refusal(check: Any, *arguments: Any) -> LicenseError:
    with pytest.raises(LicenseError) as caught:
        check(*arguments)
    return caught.value


@keeps("tiers.table")
def test_the_tiers_are_those_of_the_table() -> None:
    assert {
        str(tier): (tier.number, tier.builtins, tier.custom_definitions, str(tier.keywords), str(tier.isolation))
        for tier in Tier
    } == {
        "core": (0, 5, 0, "basic", "standard"),
        "writer_pro": (1, 5, 10, "basic", "standard"),
        "teams": (2, 8, 50, "advanced", "strict"),
        "enterprise": (3, 8, None, "full", "restricted"),
    }


@keeps("tiers.default")
def test_without_a_word_the_licence_is_the_highest() -> None:
    licence = License()
    assert isinstance(licence, LicenseContext)
    assert licence.tier is max(Tier) is Tier.ENTERPRISE
    assert License("WriterPro").tier is Tier.WRITER_PRO  # type: ignore[arg-type]  # words are read


@keeps("tiers.license_error")
@pytest.mark.parametrize(
    ("tier", "count", "lifts"),
    [("core", 1, "writer_pro"), ("core", 11, "teams"), ("writer_pro", 11, "teams"), ("teams", 51, "enterprise")],
)
def test_too_many_definitions_are_refused_with_the_tier_that_has_room(tier: str, count: int, lifts: str) -> None:
    validate_custom_definitions(Tier.parse(tier), Tier.parse(tier).custom_definitions or 0)
    error = refusal(validate_custom_definitions, Tier.parse(tier), count)
    assert (error.code, error.limit, error.tier) == ("license_limit", "custom_definitions", lifts)
    assert Tier.parse(lifts).display_name in str(error)


@keeps("tiers.license_error")
@given(st.integers(min_value=0))
def test_the_highest_tier_takes_any_number_of_definitions(count: int) -> None:
    validate_custom_definitions(Tier.ENTERPRISE, count)


@keeps("tiers.isolation", "tiers.license_error")
@pytest.mark.parametrize("tier", Tier)
@pytest.mark.parametrize("level", SandboxIsolationLevel)
def test_isolation_is_refused_exactly_where_the_tier_ends(tier: Tier, level: SandboxIsolationLevel) -> None:
    if level <= tier.isolation:
        validate_isolation(tier, level)
    else:
        error = refusal(validate_isolation, tier, level)
        assert error.limit == "isolation"
        assert error.tier == min(each for each in Tier if each.isolation >= level)


@keeps("tiers.validators")
def test_custom_validators_need_the_highest_tier() -> None:
    validate_custom_validator(Tier.ENTERPRISE)
    for tier in (Tier.CORE, Tier.WRITER_PRO, Tier.TEAMS):
        error = refusal(validate_custom_validator, tier)
        assert (error.limit, error.tier) == ("custom_validators", "enterprise")


@keeps("tiers.basic_keywords")
def test_basic_keywords_pass_wherever_they_stand() -> None:
    assert sorted(BASIC_KEYWORDS) == sorted(
        ["type", "properties", "required", "additionalProperties", "items", "enum", "title", "description", "default"]
    )
    assert list(advanced_keywords(BASIC)) == []
    for tier in Tier:
        validate_keywords(tier, BASIC)


@keeps("tiers.basic_keywords", "tiers.license_error")
@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "string", "pattern": "a"}, [("", "pattern")]),
        ({"properties": {"a": {"items": {"minimum": 1}}}}, [("properties.a.items", "minimum")]),
        ({"additionalProperties": {"anyOf": []}}, [("additionalProperties", "anyOf")]),
        ({"items": [{"type": "string"}]}, [("", "items")]),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "const": 1}, [("", "const")]),
    ],
)
def test_other_keywords_need_a_tier_that_has_them(schema: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert list(advanced_keywords(schema)) == found
    for tier in (Tier.CORE, Tier.WRITER_PRO):
        error = refusal(validate_keywords, tier, schema)
        assert (error.limit, error.tier) == ("schema_keywords", "teams")
        assert found[0][1] in str(error)
    validate_keywords(Tier.TEAMS, schema)


@keeps("tiers.concurrent")
def test_a_limit_holds_however_many_create_at_once() -> None:
    quota = DefinitionQuota(License(Tier.WRITER_PRO), used=3)
    together = Barrier(16)

    def create(_: int) -> bool:
        together.wait(10)
        try:
            with quota.reserve():
                return True
        except LicenseError:
            return False

    with ThreadPoolExecutor(16) as pool:
        created = list(pool.map(create, range(64)))
    assert sum(created) == 7
    assert quota.used == 10


@keeps("tiers.concurrent")
def test_a_creation_that_fails_gives_its_place_back() -> None:
    quota = DefinitionQuota(License(Tier.WRITER_PRO), used=9)
    for _ in range(3):
        with pytest.raises(KeyError), quota.reserve():
            raise KeyError
    with quota.reserve(), pytest.raises(LicenseError), quota.reserve():
        pass
    quota.release()
    assert quota.used == 9


def test_an_upgrade_counts_at_once() -> None:
    class Plan:
        tier = Tier.CORE

    plan = Plan()
    quota = DefinitionQuota(plan)
    assert refusal(quota.reserve().__enter__).tier == "writer_pro"
    plan.tier = Tier.ENTERPRISE
    with quota.reserve(1_000):
        assert quota.used == 1_000
