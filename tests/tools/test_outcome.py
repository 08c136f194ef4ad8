from __future__ import annotations

import gc
import json
import pickle
import re
import threading
import unicodedata
import weakref
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args
from uuid import UUID

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import MessageDecodeError, NotJsonError, PathOutsideWorkspaceError
from toolwright.redact import MASK
from toolwright.schema import ValidationIssue, ValidationReport
from toolwright.tools import Artifact, ToolOutcome
from toolwright.tools.codes import CODES, OutcomeCode, advice_for, count_as, meaning_of
from toolwright.tools.host_paths import HIDDEN_PATH

# How it is made


@dataclass
class Point:
    x: int
    when: datetime
    tags: set[str]


class Colour(Enum):
    RED = "red"


class Camel(msgspec.Struct, rename="camel"):
    some_name: Path


@attrs.define
class Attributes:
    day: date


class Model(pydantic.BaseModel):
    at: datetime


NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@keeps("tools.any_value")
@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        ("text", "text"),
        ({"a": [1, 2.5, True, None]}, {"a": [1, 2.5, True, None]}),
        ((1, (2,)), [1, [2]]),
        (Point(1, NOON, {"b", "a"}), {"x": 1, "when": "2026-01-02T12:00:00Z", "tags": ["a", "b"]}),
        ([Camel(Path("a/b"))], [{"someName": "a/b"}]),
        (Attributes(date(2026, 1, 2)), {"day": "2026-01-02"}),
        (Model(at=NOON), {"at": "2026-01-02T12:00:00Z"}),
        (Colour.RED, "red"),
        ({Colour.RED: {3, 1, 2}}, {"red": [1, 2, 3]}),
        ({1: "one", None: 0, date(2026, 1, 2): 2}, {"1": "one", "null": 0, "2026-01-02": 2}),
        (b"\xff", "/w=="),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Decimal("1.50"), "1.50"),
        (timedelta(seconds=3), "PT3S"),
        (MappingProxyType({"a": frozenset([1])}), {"a": [1]}),
    ],
)
def test_whatever_has_a_json_form_becomes_json(value: object, plain: object) -> None:
    outcome = ToolOutcome.ok(value)
    assert outcome.success
    assert outcome.data == plain
    assert ToolOutcome.from_json(outcome.to_json()) == outcome


def _loop() -> list[object]:
    endless: list[object] = [{1}]
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (object(), "data is a object"),
        ({"rows": [1, object()]}, "data.rows[1] is a object"),
        ([float("nan")], "data[0] is not a finite number"),
        (iter(range(3)), "data is a range_iterator"),
        ({(1, 2): 3}, "data has a key that is not text"),
        ({1: 0, "1": 0, "x": {2}}, "data has two keys that are the same as text"),
        (Point, "data is a type"),
        (_loop(), "data is nested deeper"),
    ],
)
def test_what_has_no_json_form_is_a_failure_that_says_where(value: object, where: str) -> None:
    outcome = ToolOutcome.ok(value, message="done")
    assert not outcome.success
    assert outcome.error_code == "output_invalid"
    assert outcome.data is None
    assert where in (outcome.error or "")


def test_a_number_that_nobody_can_write_is_a_failure_too() -> None:
    assert "too many digits" in (ToolOutcome.ok([10**5000]).error or "")


def test_a_failure_stays_the_failure_it_was_when_its_partial_result_has_no_json_form() -> None:
    outcome = ToolOutcome.failed("The disk is full.", partial=object())
    assert outcome.error == "The disk is full."
    assert outcome.error_code == "tool_error"
    assert outcome.data is None


def test_the_data_cannot_be_changed_through_what_the_tool_kept() -> None:
    kept = {"rows": [1]}
    outcome = ToolOutcome.ok(kept)
    kept["rows"].append(2)
    assert outcome.data == {"rows": [1]}
    with pytest.raises(TypeError):
        outcome.data["rows"] = []
    with pytest.raises(AttributeError):
        outcome.success = False  # type: ignore[misc]


def test_an_outcome_says_one_thing_only() -> None:
    with pytest.raises(ValueError, match="neither an error"):
        ToolOutcome(success=True, error="but")
    with pytest.raises(ValueError, match="snake_case"):
        ToolOutcome.failed("no", code="NotFound")
    with pytest.raises(ValueError, match="snake_case"):
        ToolOutcome(success=False, error_code="NotFound")
    with pytest.raises(NotJsonError):
        ToolOutcome.ok(metadata={"a": object()})
    assert ToolOutcome(success=False).error == CODES["tool_error"].meaning
    assert ToolOutcome(success=False, message="It broke.").error == "It broke."


@keeps("tools.factories")
def test_each_way_to_end_has_its_factory() -> None:
    report = ValidationReport.invalid(ValidationIssue.required("path"))
    made = {
        "tool_error": ToolOutcome.failed("It broke."),
        "cancelled": ToolOutcome.cancelled(),
        "denied": ToolOutcome.denied("too dangerous"),
        "validation_failed": ToolOutcome.invalid(report),
        "timed_out": ToolOutcome.timed_out(30),
        "tool_not_found": ToolOutcome.not_found("raed_file", ["read_file"]),
    }
    for code, outcome in made.items():
        assert not outcome.success
        assert outcome.error_code == code
    assert "too dangerous" in (made["denied"].error or "")
    assert "path: is missing" in (made["validation_failed"].error or "")
    assert "30 s" in (made["timed_out"].error or "")
    assert made["tool_not_found"].suggestions == ("read_file",)
    assert "'read_file'" in (made["tool_not_found"].error or "")
    assert ToolOutcome.ok(1, message="one", artifacts=[Artifact.url("https://x")]).artifacts[0].type == "url"
    partial = ToolOutcome.failed("half", code="half_done", partial=[1])
    assert (partial.data, partial.error_code) == ([1], "half_done")


@keeps("tools.factories")
def test_an_exception_becomes_a_failure_with_its_words() -> None:
    error = ValueError("depth must be positive")
    outcome = ToolOutcome.from_exception(error, context="Reading the tree")
    assert outcome.error == "Reading the tree: depth must be positive"
    assert outcome.exception is error
    assert outcome.error_code == "tool_error"
    assert ToolOutcome.from_exception(RuntimeError()).error == "RuntimeError"
    assert ToolOutcome.from_exception(KeyError("city")).error == "KeyError: 'city'"
    outside = ToolOutcome.from_exception(PathOutsideWorkspaceError("the path leads out"))
    assert outside.error_code == "path_outside_workspace"


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"success": False, "error": ValueError("x")}, "error: must be text, not a ValueError"),
        ({"success": False, "error_code": 3}, "error_code: must be text"),
        ({"success": "yes"}, "success: must be true or false"),
        ({"success": True, "message": 3}, "message: must be text"),
        ({"success": True, "max_chars": "9"}, "max_chars: must be a whole number"),
        ({"success": True, "duration": "long"}, "duration: must be a number"),
        ({"success": True, "more": 7}, "more: must be text"),
        ({"success": True, "artifacts": ["out.txt"]}, r"artifacts\[0\]: must be an Artifact, not a str"),
        ({"success": True, "suggestions": ["a", None]}, r"suggestions\[1\]: must be text"),
    ],
)
def test_an_outcome_that_could_not_be_told_is_refused_where_it_is_made(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        ToolOutcome(**fields)


def test_one_suggestion_alone_is_not_taken_for_its_letters() -> None:
    for outcome in (
        ToolOutcome.ok(suggestions="list_files"),
        ToolOutcome.failed("no", suggestions="list_files"),
        ToolOutcome.not_found("ls", "list_files"),
        ToolOutcome(success=True, suggestions="list_files"),  # type: ignore[arg-type]
    ):
        assert outcome.suggestions == ("list_files",)


def test_a_group_of_exceptions_becomes_a_failure_with_the_words_of_those_in_it() -> None:
    inner = ExceptionGroup("inner", [KeyError("city"), OSError("disk full")])
    told = ToolOutcome.from_exception(ExceptionGroup("two reads failed", [ValueError("bad depth"), inner])).error
    assert told == "two reads failed (2 sub-exceptions): bad depth; KeyError: 'city'; disk full"
    many = ToolOutcome.from_exception(ExceptionGroup("many", [ValueError(f"no {number}") for number in range(9)]))
    assert many.error == "many (9 sub-exceptions): no 0; no 1; no 2; no 3; no 4"
    nested: Exception = ValueError("deep down")
    for _ in range(5_000):
        nested = ExceptionGroup("g", [nested])
    assert "deep down" in (ToolOutcome.from_exception(nested).error or "")


@keeps("tools.exception_stays")
def test_the_exception_of_an_outcome_is_in_no_json_and_read_from_none() -> None:
    outcome = ToolOutcome.from_exception(ValueError("no"))
    assert "exception" not in json.loads(outcome.to_json())
    assert ToolOutcome.from_json(outcome.to_json()).exception is None
    assert ToolOutcome.from_json(b'{"success":true,"exception":{"a":1}}').exception is None
    assert outcome.exception is not None
    assert outcome.took(1.5).exception is outcome.exception


@keeps("tools.codes")
def test_the_table_of_codes_is_complete_and_a_tools_own_word_counts_as_tool_error() -> None:
    assert set(CODES) == set(get_args(OutcomeCode))
    for code, known in CODES.items():
        assert count_as(code) == code
        assert (meaning_of(code), advice_for(code)) == (known.meaning, known.advice)
        assert known.meaning.endswith(".")
        assert known.advice.endswith(".")
    assert count_as("disk_full") == "tool_error"
    assert count_as(None) is None
    assert ToolOutcome.failed("The disk is full.", code="disk_full").error_code == "disk_full"


def test_the_json_form_comes_back_and_what_is_none_is_refused() -> None:
    outcome = ToolOutcome.failed(
        "no", code="half_done", partial={"a": 1}, artifacts=[Artifact.url("https://x")], metadata={"k": [1]}
    ).took(0.5)
    assert ToolOutcome.from_json(outcome.to_json()) == outcome
    for text in ("", "[]", "{}", '{"success":1}', '{"success":true,"artifacts":[{}]}', '{"success":true,"error":"x"}'):
        with pytest.raises(MessageDecodeError) as caught:
            ToolOutcome.from_json(text)
        assert caught.value.__cause__ is None


def test_a_duration_is_added_without_touching_the_outcome_that_the_tool_kept() -> None:
    shared = ToolOutcome.ok({"a": 1})
    timed = shared.took(2.0)
    assert shared.duration is None
    assert timed.duration == 2.0
    assert timed.data is shared.data


@keeps("tools.exception_stays")
def test_an_outcome_goes_to_other_processes_without_its_exception() -> None:
    class Holding(Exception):  # noqa: N818
        lock = threading.Lock()

    made = ToolOutcome.failed("x", partial={"a": [1]}, exception=Holding(), artifacts=[Artifact.url("https://a.b/c")])
    again: ToolOutcome = pickle.loads(pickle.dumps(made))  # noqa: S301  our own bytes
    assert again == msgspec.structs.replace(made, exception=None)
    assert again.artifacts == made.artifacts
    with pytest.raises(TypeError):
        again.data["a"] = 2


def test_the_repr_holds_no_content() -> None:
    shown = repr(ToolOutcome.ok({"password": "hunter2"}, message="hunter2"))
    assert "hunter2" not in shown
    assert hash(ToolOutcome.ok({"a": 1})) == hash(ToolOutcome.ok({"b": 1}))


def test_an_outcome_in_a_circle_with_its_exception_is_collected() -> None:
    class Held(Exception):  # noqa: N818
        outcome: object = None

    error = Held("x")
    error.outcome = ToolOutcome.from_exception(error)
    gone = weakref.ref(error)
    del error
    gc.collect()
    assert gone() is None


# What the model reads


@keeps("tools.for_model")
def test_the_model_reads_the_data_as_it_is() -> None:
    assert ToolOutcome.ok("plain text").for_model() == "plain text"
    assert ToolOutcome.ok({"a": [1, None], "b": "é"}).for_model() == '{"a":[1,null],"b":"é"}'
    assert ToolOutcome.ok("").for_model() == ""
    assert ToolOutcome.ok(message="Written.").for_model() == "Written."
    assert ToolOutcome.ok().for_model() == "Done."
    assert ToolOutcome.ok({"a": 1}, message="for people").for_model() == '{"a":1}'


@keeps("tools.for_model")
def test_the_model_reads_what_went_wrong_and_what_to_try_then_the_rest() -> None:
    outcome = ToolOutcome.failed(
        "The folder is not empty.",
        code="not_empty",
        partial={"removed": 3},
        artifacts=[
            Artifact(type="file", path="out/log.txt", size=1200, mime_type="text/plain", is_new=True, description="log")
        ],
        suggestions=["List the folder first."],
    )
    assert outcome.for_model() == (
        "Error (not_empty): The folder is not empty.\n"
        "Change what the error speaks of, or try another way.\n\n"
        "What there is of the result:\n"
        '{"removed":3}\n\n'
        "Artifacts:\n"
        "- file out/log.txt (1,200 bytes, text/plain, new): log\n\n"
        "Suggestions:\n"
        "- List the folder first."
    )
    for code, known in CODES.items():
        assert known.advice in ToolOutcome.failed("No.", code=code).for_model()


def test_long_lists_of_artifacts_and_suggestions_are_counted_and_not_all_shown() -> None:
    made = [Artifact(type="file", path=f"out/{number}") for number in range(100_000)]
    text = ToolOutcome.ok("x", artifacts=made, suggestions=["y" * 10_000] * 60).for_model()
    assert "- and 99,950 more" in text
    assert "- and 10 more" in text or text.endswith(" ...")
    assert len(text) <= 50_000


@keeps("tools.for_model_cut")
def test_what_is_too_long_is_cut_in_the_middle_and_says_so() -> None:
    text = ToolOutcome.ok("a" * 30_000 + "b" * 30_000).for_model(10_000)
    begin, notice, end = text.split("\n")
    assert set(begin) == {"a"}
    assert set(end) == {"b"}
    assert len(text) <= 10_000
    assert (
        notice
        == f"[... {60_000 - len(begin) - len(end):,} characters left out here: ask for a smaller part to see it ...]"
    )
    read_on = msgspec.structs.replace(ToolOutcome.ok("a" * 1000), more="call_7").for_model(500)
    assert 'call read_more with id "call_7" to read on' in read_on


@keeps("tools.for_model_cut")
def test_a_tools_own_limit_holds_too_and_the_smaller_one_wins() -> None:
    outcome = ToolOutcome.ok("x" * 5000, max_chars=1000)
    assert len(outcome.for_model()) <= 1000
    assert len(outcome.for_model(300)) <= 300


@keeps("tools.for_model_cut")
def test_a_hundred_megabytes_cost_no_more_than_what_is_shown() -> None:
    huge = "0123456789" * 10_000_000
    text = ToolOutcome.ok(huge).for_model()
    assert len(text) <= 50_000
    assert text.startswith("0123456789")
    assert text.endswith("0123456789")
    rows = ToolOutcome.ok({"rows": [huge, *range(100_000)]}).for_model()
    assert rows.startswith('{"rows":["0123456789')
    assert rows.endswith("99998,99999]}")


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.sampled_from('ab"\\\n\x00é😀/'), max_size=60),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6),
    max_leaves=40,
)


@keeps("tools.for_model_cut")
@given(JSON, st.integers(0, 900), st.booleans(), st.lists(st.text(max_size=200), max_size=4))
def test_the_text_is_never_longer_than_the_limit(value: Any, limit: int, good: bool, words: list[str]) -> None:
    outcome = ToolOutcome.ok(value, suggestions=words) if good else ToolOutcome.failed("e" * 300, partial=value)
    text = outcome.for_model(limit)
    assert len(text) <= limit
    text.encode()  # no half of a character


ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|.)")


@keeps("tools.for_model_cut")
@given(st.lists(st.text(st.sampled_from('a"\\\n\x01é'), max_size=30), min_size=30, max_size=60), st.integers(250, 600))
def test_no_escape_sequence_of_json_is_cut_in_two(texts: list[str], limit: int) -> None:
    whole = ToolOutcome.ok(texts).for_model()
    assert json.loads(whole) == texts
    text = ToolOutcome.ok(texts).for_model(limit)
    if len(whole) <= limit:
        assert text == whole
        return
    begin, _, end = text.split("\n")
    assert whole.startswith(begin)
    assert whole.endswith(end)
    inside = {at for match in ESCAPE.finditer(whole) for at in range(match.start() + 1, match.end())}
    assert inside.isdisjoint({len(begin), len(whole) - len(end)})


SEEN_AS_ONE = st.sampled_from(["a\u0301", "👍🏽", "👩\u200d👧\u200d👦", "☺\ufe0f", "e", " "])


@keeps("tools.for_model_cut")
@given(st.lists(SEEN_AS_ONE, min_size=400, max_size=500).map("".join), st.integers(200, 380), st.booleans())
def test_no_accent_or_joined_emoji_is_cut_from_what_it_belongs_to(text: str, limit: int, plain: bool) -> None:
    whole = text if plain else json.dumps([text], ensure_ascii=False, separators=(",", ":"))
    begin, _, end = ToolOutcome.ok(text if plain else [text]).for_model(limit).split("\n")
    assert whole.startswith(begin)
    assert whole.endswith(end)
    for before, after in ((begin[-1], whole[len(begin)]), (whole[-len(end) - 1], end[0])):
        assert before != "\u200d"
        assert after not in "\u200d🏽"
        assert unicodedata.category(after)[0] != "M"


def test_marks_heaped_without_end_are_cut_all_the_same() -> None:
    text = ToolOutcome.ok("a" + "\u0301" * 20_000).for_model(1000)
    assert 900 < len(text) <= 1000


SECRET = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@keeps("tools.for_model_clean")
@given(st.integers(0, 800), st.integers(0, 800))
def test_no_cut_leaves_half_of_a_secret_behind(before: int, after: int) -> None:
    text = f"{'x ' * before}{SECRET}{' y' * after} "
    for shown in (
        ToolOutcome.ok(text * 40).for_model(700),
        ToolOutcome.ok([text] * 400).for_model(700),
        ToolOutcome.ok({"a": text * 400, "b": 1}).for_model(900),
    ):
        for start in range(0, len(SECRET) - 12, 4):
            assert SECRET[start : start + 12] not in shown


@keeps("tools.for_model_clean")
def test_secrets_are_hidden_by_shape_and_by_key_in_every_part() -> None:
    outcome = ToolOutcome.failed(
        f"login with {SECRET} failed",
        partial={"password": "hunter2", "rows": [SECRET], "max_tokens": 5},
        suggestions=[f"use {SECRET}"],
        artifacts=[Artifact.url(f"https://user:hunter2@host/{SECRET}", description=SECRET)],
    )
    text = outcome.for_model()
    assert SECRET not in text
    assert "hunter2" not in text
    assert '"max_tokens":5' in text
    assert text.count(MASK) == 7
    large = ToolOutcome.ok({"api_key": {"a": ["hunter2"] * 9}, "rows": ["x" * 100] * 5000}).for_model(5000)
    assert large.startswith('{"api_key":{"a":["[redacted]","[redacted]"')


@keeps("tools.for_model_clean")
@pytest.mark.parametrize("more", [[], ["x" * 50] * 2000])
def test_the_keys_of_data_are_as_clean_as_its_values(more: list[str]) -> None:
    data = {SECRET: 1, "/home/somebody/private": 2, "more": more, f"z{SECRET[:3]}": 3, f"/{SECRET}": 4}
    text = ToolOutcome.ok(data).for_model(2000)
    assert SECRET[4:] not in text
    assert "somebody" not in text
    assert text.startswith(f'{{"{MASK}":1,"{HIDDEN_PATH}":2,"more":[')


@keeps("tools.for_model_clean")
def test_no_stack_trace_is_shown_with_an_error() -> None:
    trace = 'Traceback (most recent call last):\n  File "/srv/app/x.py", line 3, in f\n    g(1)\nValueError: too deep'
    outcome = ToolOutcome.failed(f"The worker died. {trace}")
    assert outcome.for_model().startswith("Error (tool_error): The worker died. ValueError: too deep\n")


@keeps("tools.for_model_clean")
@pytest.mark.parametrize(
    "path",
    [
        "/home/alice/secret.txt", "/etc/passwd", "/root/keys/id_rsa", "/srv/other/x", "/srv/workspace-old/x",
        "/tmp/a b/c", "/srv/workspace/../x", "C:\\Users\\alice\\x", "file:///var/lib/x", "\\\\server\\share\\x",
        "/Users/bob/x",
    ],
)  # fmt: skip
def test_an_error_shows_no_path_outside_the_workspace(path: str) -> None:
    error = FileNotFoundError(2, "No such file or directory", path)
    text = ToolOutcome.from_exception(error).for_model(workspace="/srv/workspace")
    assert text.startswith(f"Error (tool_error): [Errno 2] No such file or directory: '{HIDDEN_PATH}'\n")


@keeps("tools.for_model_clean")
def test_paths_inside_the_workspace_and_addresses_of_pages_stay() -> None:
    words = "see /srv/workspace/src/app.py and src/b.py; GET https://x.org/home/page and /api/users failed (a/b/tmp/c)."
    assert words in ToolOutcome.failed(words).for_model(workspace="/srv/workspace")
    assert "/srv/workspace" not in ToolOutcome.failed(words).for_model()


@keeps("tools.for_model_clean")
def test_of_data_a_value_that_is_a_path_is_hidden_and_text_only_where_somebody_lives() -> None:
    value = {
        "path": "/srv/data/x.db",
        "text": "#!/usr/bin/env sh\ncd /opt/app && cat /home/alice/notes/x.txt",
        "git": "/usr/bin/git",
    }
    shown = json.loads(ToolOutcome.ok(value).for_model())
    assert shown["path"] == HIDDEN_PATH
    assert shown["git"] == "/usr/bin/git"
    assert shown["text"] == f"#!/usr/bin/env sh\ncd /opt/app && cat {HIDDEN_PATH}"
    assert ToolOutcome.ok("/srv/w/a").for_model(workspace="/srv/w") == "/srv/w/a"
