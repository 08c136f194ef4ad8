"""What a tool gave: within its schema, within its size, and the rest to be read on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.calling import executor_of, run
from tests.promises import keeps
from toolwright.execution.keeping import Kept
from toolwright.execution.known import KnownTool
from toolwright.execution.steps.bound import bound
from toolwright.messages import ToolCall
from toolwright.registry.snapshot import Entry
from toolwright.testing import MockTool
from toolwright.tools import Artifact, ToolOutcome

LIMIT = 1024


def limited(data: object = None, **fields: Any) -> MockTool:
    return MockTool("limited", data, max_output_size=LIMIT, **fields)


@keeps("execution.bound")
async def test_a_long_text_is_cut_in_the_middle_and_says_how_to_read_on() -> None:
    text = "".join(f"line {number}\n" for number in range(1_000))
    answer = await run(limited(text))
    outcome = answer.outcome
    assert (outcome.success, outcome.truncated) == (True, True)
    assert isinstance(outcome.data, str)
    assert len(outcome.data.encode()) <= LIMIT
    assert outcome.data.startswith("line 0\n")
    assert outcome.data.endswith("line 999\n")
    assert f'read_more with id "{outcome.more}"' in outcome.data
    assert "characters left out" in answer.to_result().result


@keeps("execution.bound")
async def test_what_a_tool_says_of_its_failure_is_held_to_the_size_as_well() -> None:
    for tool in (
        limited(run=lambda _context: ToolOutcome.failed("no " * 100_000)),
        limited(run=lambda _context: ToolOutcome.ok(1, message="yes " * 100_000)),
        MockTool.throwing("limited", ValueError("\u2603" * 100_000), max_output_size=LIMIT),
    ):
        outcome = (await run(tool)).outcome
        assert outcome.truncated
        words = f"{outcome.error or ''}{outcome.message or ''}"
        assert len(words.encode()) <= LIMIT
        assert "characters left out" in words
    short = (await run(limited(run=lambda _context: ToolOutcome.failed("no")))).outcome
    assert (short.error, short.truncated) == ("no", False)


@keeps("execution.bound")
async def test_larger_structured_data_becomes_its_json_text_cut() -> None:
    answer = await run(limited([{"number": number} for number in range(1_000)]))
    assert isinstance(answer.outcome.data, str)
    assert answer.outcome.truncated
    assert answer.outcome.data.startswith('[{"number":0}')
    assert answer.outcome.data.endswith('{"number":999}]')
    small = await run(limited([1, 2, {"a": None}]))
    assert small.outcome.data == (1, 2, {"a": None})


@keeps("execution.bound.more")
async def test_what_was_cut_is_read_on_page_by_page_until_the_end() -> None:
    text = "".join(f"word{number} " for number in range(30_000))
    executor = executor_of(limited(text))
    more = (await executor.execute(ToolCall.new("limited"), session="s")).outcome.more
    pages: list[str] = []
    start: object = 0
    while start is not None:
        page = await executor.execute(ToolCall.new("read_more", id=more, start=start), session="s")
        assert page.outcome.success
        assert isinstance(page.outcome.data, str)
        pages.append(page.outcome.data.rpartition("\n[characters")[0])
        assert page.to_result().result.startswith(pages[-1])
        start = page.outcome.metadata["next"]
    assert len(pages) > 2
    assert "".join(pages) == text
    assert all(page.endswith(" ") for page in pages)


@keeps("execution.bound.more")
async def test_what_a_session_left_is_for_that_session_alone_and_ends_with_it() -> None:
    executor = executor_of(limited("long " * 1_000))
    more = (await executor.execute(ToolCall.new("limited"), session="s")).outcome.more

    async def readable(session: str | None, id: object = more) -> bool:
        return (await executor.execute(ToolCall.new("read_more", id=id), session=session)).outcome.success

    assert [await readable("s"), await readable("t"), await readable(None)] == [True, False, False]
    assert not await readable("s", "out_9_guess")
    executor.forget_session("s")
    assert not await readable("s")


@keeps("execution.bound.more")
async def test_a_result_that_is_within_its_limit_and_too_long_for_a_model_can_be_read_on_as_well() -> None:
    answer = await run(MockTool("long", "x" * 60_000))
    assert (answer.outcome.truncated, len(str(answer.outcome.data))) == (False, 60_000)
    assert answer.outcome.more is not None
    assert answer.outcome.more in answer.to_result().result
    assert len(answer.to_result().result) <= 50_000
    short = MockTool("short", run=lambda _context: ToolOutcome(success=True, data="y" * 300, max_chars=100))
    assert (await run(short)).outcome.more is not None


async def test_a_tool_that_reads_on_by_itself_keeps_its_own_handle() -> None:
    own = MockTool("own", run=lambda _context: ToolOutcome(success=True, data="x" * 60_000, more="page-2"))
    assert (await run(own)).outcome.more == "page-2"
    cut = limited(run=lambda _context: ToolOutcome(success=True, data="x" * 60_000, more="page-2"))
    answer = await run(cut)
    assert (answer.outcome.more, answer.outcome.truncated) == ("page-2", True)


async def test_a_tool_of_the_application_that_is_called_read_more_is_the_one_that_is_found() -> None:
    assert (await run(MockTool("read_more", "mine"))).outcome.data == "mine"


@keeps("execution.output_schema")
async def test_a_result_that_is_not_what_was_declared_is_a_failure_and_keeps_its_artifacts() -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    fits = MockTool("counted", {"count": 1}, output_schema=schema)
    assert (await run(fits)).outcome.data == {"count": 1}
    artifact = Artifact.url("https://example.org/a")
    wrong = MockTool(
        "counted", run=lambda _context: ToolOutcome.ok({"count": "x"}, artifacts=[artifact]), output_schema=schema
    )
    answer = await run(wrong)
    assert (answer.outcome.error_code, answer.status) == ("output_invalid", "failed")
    assert "count" in answer.to_result().result
    assert answer.outcome.artifacts == (artifact,)
    failed = MockTool("counted", run=lambda _context: ToolOutcome.failed("no"), output_schema=schema)
    assert (await run(failed)).outcome.error_code == "tool_error"


async def test_what_is_no_json_is_a_failure_that_says_so() -> None:
    answer = await run(MockTool("odd", object()))
    assert not answer.outcome.success
    assert answer.to_result().is_error


async def test_secrets_are_hidden_before_a_text_is_cut_so_that_no_half_of_one_is_left() -> None:
    executor = executor_of(limited("a" * 2_000 + " sk-abcdefghijklmnopqrstuvwxyz0123 " + "b" * 90_000))
    more = (await executor.execute(ToolCall.new("limited"))).outcome.more
    page = await executor.execute(ToolCall.new("read_more", id=more))
    assert "sk-abc" not in str(page.outcome.data)
    assert "[redacted]" in str(page.outcome.data)


def known(limit: int) -> KnownTool:
    tool = MockTool("limited", max_output_size=limit)
    return KnownTool(Entry("limited", tool, tool.definition, builtin=False))


KNOWN = {limit: known(limit) for limit in (1024, 1025, 1500, 4096)}


@given(
    st.text(max_size=300).map(lambda text: text * 40) | st.lists(st.integers() | st.text(max_size=9), max_size=500),
    st.sampled_from(sorted(KNOWN)),
)
def test_nothing_is_longer_than_its_limit_and_what_fits_is_left_as_it_was(data: Any, limit: int) -> None:
    given_outcome = ToolOutcome.ok(data)
    kept = Kept()
    outcome = bound(given_outcome, KNOWN[limit], kept, "s")
    if outcome.truncated:
        assert isinstance(outcome.data, str)
        assert len(outcome.data.encode("utf-8", "replace")) <= limit
        assert outcome.more is not None
        page = kept.read("s", outcome.more, 0)
        assert page is not None
        assert outcome.data.startswith(page.text[:100])
    else:
        assert outcome.data == given_outcome.data


def test_what_is_kept_is_bounded_and_the_oldest_goes_first() -> None:
    kept = Kept(texts=3, characters=100)
    few = [str(kept.keep("s", f"text {number}")) for number in range(4)]
    assert [kept.read("s", id, 0) is not None for id in few] == [False, True, True, True]
    big = [str(kept.keep("t", "x" * 40)) for _ in range(3)]
    assert [kept.read("t", id, 0) is not None for id in big] == [False, True, True]
    page = kept.read("t", big[2], -5, 10)
    assert page is not None
    assert (page.text, page.start, page.end, page.total) == ("x" * 10, 0, 10, 40)
    assert kept.keep("t", "x" * 101) is None
    kept.forget("t")
    assert kept.keep("s", "y" * 100) is not None


async def test_what_is_too_long_to_be_kept_is_cut_and_promises_nothing_more() -> None:
    outcome = bound(ToolOutcome.ok("x" * 5_000), KNOWN[1024], Kept(characters=1_000), None)
    assert (outcome.truncated, outcome.more) == (True, None)
    assert "read_more" not in str(outcome.data)
    shown = bound(ToolOutcome.ok("x" * 60_000), known(100_000), Kept(characters=1_000), None)
    assert (shown.truncated, shown.more) == (False, None)


@pytest.mark.parametrize("start", [10_000, 1_000_000])
async def test_reading_on_behind_the_end_gives_nothing_and_says_that_it_is_the_end(start: int) -> None:
    executor = executor_of(limited("long " * 1_000))
    more = (await executor.execute(ToolCall.new("limited"))).outcome.more
    page = await executor.execute(ToolCall.new("read_more", id=more, start=start))
    assert "this is the end" in str(page.outcome.data)
