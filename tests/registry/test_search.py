from __future__ import annotations

import gc
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.registry import labelled_tools, places
from tests.promises import keeps
from tests.registry.making import Echo, make_tool, make_tools, names_of
from toolwright.registry import Availability, Registry
from toolwright.registry.postings import has_full_text
from toolwright.schema import Schema

ROOT = Path(__file__).parents[2]
WAYS = [pytest.param(True, id="full-text"), pytest.param(False, id="scan")]
both_ways = pytest.mark.parametrize("full_text", WAYS)


def office(full_text: bool | None = None) -> Registry:
    tools = [
        make_tool("read_file", "Read a text file.", parameters={"path": "Relative to the workspace"}),
        make_tool("resize_image", "Change the dimensions of a picture.", tags=["Graphics"]),
        make_tool("send_email", "Deliver a message to someone.", parameters={"recipients": "Whom it is for"}),
        make_tool("current_weather", "Temperature and humidity of a place.", title="Weather Right Now"),
        make_tool("convert_currency", "Convert an amount of money.", parameters={"targetCurrency": "ISO 4217 code"}),
        make_tool("search_repositories", "Search GitHub for repositories by keyword."),
        make_tool("authenticate_user", "Check who somebody is."),
        make_tool("greatest_common_divisor", "The largest integer by which two integers can be divided."),
    ]
    return Registry(tools, full_text=full_text)


def first(registry: Registry, query: str) -> str:
    return names_of(registry.search(query))[0]


def test_this_machine_has_both_ways() -> None:
    assert has_full_text()


def test_a_python_without_sqlite_searches_all_the_same() -> None:
    script = (
        "import sys; sys.modules['sqlite3'] = None\n"
        "from tests.registry.making import make_tools, names_of\n"
        "from toolwright.registry import Registry\n"
        "print(*names_of(Registry(make_tools('send_email', 'read_file')).search('sending emails')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=ROOT, check=False
    )
    assert done.stdout.split() == ["send_email"], done.stderr


@both_ways
def test_a_rare_word_decides_among_thousands_that_share_a_common_one(full_text: bool) -> None:
    registry = Registry(make_tools(*(f"report_{number}" for number in range(2_000))), full_text=full_text)
    registry.register(make_tool("report_zebra"))
    assert names_of(registry.search("zebra report", limit=1)) == ["report_zebra"]
    assert len(registry.search("report")) == 10


@both_ways
@keeps("registry.search.fields")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("email", "send_email"),  # name
        ("right now", "current_weather"),  # title
        ("dimensions", "resize_image"),  # description
        ("GRAPHICS", "resize_image"),  # tag
        ("recipients", "send_email"),  # parameter
        ("target", "convert_currency"),  # part of a parameter in camelCase
        ("ISO code", "convert_currency"),  # description of a parameter
    ],
)
def test_every_field_is_searched(query: str, found: str, full_text: bool) -> None:
    assert first(office(full_text), query) == found


@both_ways
@keeps("registry.search.forms")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("resizing images", "resize_image"),
        ("converted currencies", "convert_currency"),
        ("sent emails", "send_email"),
        ("reading files", "read_file"),
        ("repo", "search_repositories"),
        ("auth", "authenticate_user"),
        ("mail", "send_email"),
        ("readFile", "read_file"),
        ("resize-image", "resize_image"),
        ("github", "search_repositories"),
        ("git hub", "search_repositories"),
        ("filename", "read_file"),
        ("gcd", "greatest_common_divisor"),
        ("wether", "current_weather"),
        ("curency", "convert_currency"),
        ("picutre", "resize_image"),
        ("Umbrella?", "current_weather"),
        ("what is on bob@example.com", "send_email"),
        ("shrink photo.jpg", "resize_image"),
    ],
)
def test_inflected_part_and_misspelt_words_are_found(query: str, found: str, full_text: bool) -> None:
    assert first(office(full_text), query) == found


@both_ways
@keeps("registry.search.fields")
def test_a_name_weighs_more_than_a_description_and_that_more_than_a_parameter(full_text: bool) -> None:
    registry = Registry(
        [
            make_tool("gamma", "Something.", parameters={"path": "where the invoice is"}),
            make_tool("beta", "Handles an invoice of somebody."),
            make_tool("invoice", "Something."),
        ],
        full_text=full_text,
    )
    found = registry.search("invoice")
    assert names_of(found) == ["invoice", "beta", "gamma"]
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


@both_ways
@keeps("registry.search.empty")
def test_an_empty_query_gives_all_whatever_the_limit(full_text: bool) -> None:
    registry = office(full_text)
    for query in ("", "   ", "\n\t"):
        assert names_of(registry.search(query, limit=1)) == names_of(registry)
    assert Registry(full_text=full_text).search("") == []


@both_ways
def test_the_limit_is_kept(full_text: bool) -> None:
    registry = Registry(make_tools(*(f"tool_{number}" for number in range(300))), full_text=full_text)
    for limit in (0, 1, 10, 250):
        assert len(registry.search("tool", limit)) == limit
    assert len(registry.search("tool", 10**30)) == 300
    with pytest.raises(ValueError, match="limit"):
        registry.search("tool", -1)


@both_ways
def test_tools_that_fit_alike_come_in_the_order_of_registration(full_text: bool) -> None:
    registry = Registry(make_tools("same_bb", "same_aa", "same_cc"), full_text=full_text)
    assert names_of(registry.search("same")) == ["same_bb", "same_aa", "same_cc"]


GARBAGE = [
    '"', "'", "*", "a*", "NEAR(a b)", "name:read", "a AND", "OR", "NOT NOT", "(", "a AND (b OR", "-x", "^read",
    "{name}: x", "\x00", "read\x00file", "'; DROP TABLE documents; --", "🙂", "👩‍👩‍👧", "\ud800", "read \udfff file",
    "é" * 5_000, "\u202e", "a" * 1_000_000, "read " * 200_000, "../../etc/passwd", "%s %d {0}", "\\",
    "\ufeff", "read_" * 50_000, "[[" * 1_000,
    "1.1." * 100_000, "a@" * 100_000, "x/" * 100_000,
]  # fmt: skip


@both_ways
@pytest.mark.parametrize("query", GARBAGE, ids=lambda query: ascii(query)[:20])
def test_garbage_finds_something_or_nothing(query: str, full_text: bool) -> None:
    found = office(full_text).search(query)
    assert len(found) <= 10
    assert len(set(names_of(found))) == len(found)


@given(st.text(max_size=60))
def test_both_ways_find_the_same_for_any_text(query: str) -> None:
    by_index, by_scan = OFFICE[True].search(query), OFFICE[False].search(query)
    assert [(each.tool.definition.name, each.score) for each in by_index] == [
        (each.tool.definition.name, each.score) for each in by_scan
    ]


OFFICE = {way: office(way) for way in (True, False)}

TEXTS = st.text(max_size=40)


@given(
    st.lists(st.tuples(TEXTS.filter(str.strip), TEXTS.filter(str.strip), TEXTS.filter(str.strip)), max_size=5), TEXTS
)
def test_any_texts_of_tools_can_be_indexed(texts: list[tuple[str, str, str]], query: str) -> None:
    tools = [
        make_tool(f"tool_{number}", description, tags=[tag], parameters={"p": note})
        for number, (description, tag, note) in enumerate(texts)
        if description.isprintable() and tag.isprintable()
    ]
    by_index, by_scan = Registry(tools, full_text=True), Registry(tools, full_text=False)
    for words in (query, *(text for each in texts for text in each)):
        assert set(names_of(by_index.search(words))) <= set(names_of(tools))
        assert names_of(by_index.search("tool")) == names_of(by_scan.search("tool"))


@both_ways
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("天気予報を教えて", "weather_ja"),
        ("Wetter für morgen", "weather_de"),
        ("погода завтра", "weather_ru"),
        ("meteo", "weather_fr"),
    ],
)
def test_other_languages_find_what_is_written_in_them(query: str, found: str, full_text: bool) -> None:
    registry = Registry(
        [
            make_tool("weather_ja", "天気予報を調べる"),
            make_tool("weather_de", "Das Wetter der nächsten Tage."),
            make_tool("weather_ru", "Погода на завтра."),
            make_tool("weather_fr", "La météo de demain."),
        ],
        full_text=full_text,
    )
    assert first(registry, query) == found


@both_ways
@keeps("registry.search.current")
def test_the_index_follows_every_change(full_text: bool) -> None:
    registry = office(full_text)
    assert registry.search("zebra") == []
    registry.register(make_tool("count_zebras", "Count striped animals."))
    assert first(registry, "zebra") == "count_zebras"
    registry.replace(make_tool("count_zebras", "Count okapis instead."))
    assert first(registry, "okapi") == "count_zebras"
    assert registry.search("striped") == []
    registry.unregister("count_zebras")
    assert registry.search("zebra okapi") == []
    registry.exchange({each.definition.name: each for each in registry}, [])
    assert registry.search("email") == []
    registry.register(make_tool("send_email"))
    assert first(registry, "email") == "send_email"


@both_ways
def test_what_is_not_allowed_hides_nothing_behind_it(full_text: bool) -> None:
    names = [f"report_{number}" for number in range(2_000)]
    registry = Registry(make_tools(*names), full_text=full_text)
    found = registry.search("report", availability=Availability(enabled=names[-3:]))
    assert names_of(found) == names[-3:]


class Searching(Echo):
    """Searches when it is asked whether it is available."""

    registry: Registry | None = None

    @property
    def available(self) -> bool:
        registry, self.registry = self.registry, None  # once
        return registry is None or bool(registry.search("tool"))


@both_ways
def test_a_tool_may_search_while_it_is_searched_for(full_text: bool) -> None:
    tool = Searching(make_tool("searching_tool").definition)
    registry = Registry([tool, make_tool("second_tool")], full_text=full_text)
    tool.registry = registry
    assert names_of(registry.search("tool")) == ["searching_tool", "second_tool"]


@both_ways
def test_nested_and_referred_parameters_are_searched(full_text: bool) -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "filter": {"type": "object", "properties": {"giraffe": {"type": "string"}}},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"walrus": {"type": "string"}}}},
            "either": {"anyOf": [{"type": "object", "properties": {"pelican": {"type": "string"}}}, {"type": "null"}]},
            "animal": {"$ref": "#/$defs/Animal"},
        },
        "$defs": {"Animal": {"type": "object", "properties": {"heron": {"description": "A long-legged bird"}}}},
    }
    registry = Registry([make_tool("nested", parameters=Schema(schema))], full_text=full_text)
    for word in ("giraffe", "walrus", "pelican", "heron", "long-legged"):
        assert names_of(registry.search(word)) == ["nested"]


@both_ways
@keeps("registry.search.quality")
def test_the_right_tool_is_among_the_first_five_for_nine_of_ten_labelled_questions(full_text: bool) -> None:
    registry = Registry(labelled_tools(), full_text=full_text)
    found = places(registry, None)
    assert len(registry) >= 150
    assert len(found) >= 300
    assert sum(0 < place <= 5 for place in found) / len(found) >= 0.9
    held_out = places(registry, "held_out")
    assert sum(0 < place <= 5 for place in held_out) / len(held_out) >= 0.8


def test_the_connection_is_closed_with_the_registry(recwarn: pytest.WarningsRecorder) -> None:
    registry = office(full_text=True)
    registry.search("email")
    del registry
    gc.collect()
    assert [warning for warning in recwarn if issubclass(warning.category, ResourceWarning)] == []
    assert sqlite3.threadsafety in (1, 3)
