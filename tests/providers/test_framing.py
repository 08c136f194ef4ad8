"""Where the pieces of a stream end, whatever the chunks are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages.strategies import json_values
from tests.promises import keeps
from toolwright.providers.codecs.framing import ArrayFrames, EventFrames, Frames, Nesting, RowFrames

KINDS: list[Callable[[], Frames]] = [ArrayFrames, EventFrames, RowFrames]


def cut(make: Callable[[], Frames], data: bytes, cuts: list[int]) -> list[bytes]:
    frames = make()
    found: list[bytes] = []
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        found += frames.feed(data[start:end])
    return found + frames.close()


@keeps("codecs.any_cut")
@pytest.mark.parametrize("make", KINDS)
@given(data=st.binary(max_size=60) | st.text('data: {}[]"\\,\r\n:e\ufeff', max_size=60).map(str.encode), cuts=st.data())
def test_any_bytes_in_any_chunks_give_the_same_pieces(
    make: Callable[[], Frames], data: bytes, cuts: st.DataObject
) -> None:
    places = cuts.draw(st.lists(st.integers(0, len(data)), max_size=6).map(sorted))
    assert cut(make, data, places) == cut(make, data, [])


@keeps("quirk.1", "quirk.2", "quirk.3")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_data_of_events_is_given_and_nothing_else(end: str) -> None:
    lines = [": hello", "event: x", "id: 7", "data: one", "", ": wait", "data:two", "data: three", "", "", "data: four"]
    data = ("\ufeff" + end.join(lines)).encode()
    assert cut(EventFrames, data, []) == [b"one", b"two\nthree", b"four"]


@keeps("quirk.5", "quirk.19")
def test_a_body_that_is_no_event_stream_comes_out_whole() -> None:
    body = b'\n\n  {\n  "error": "x"\n}\n'
    assert [json.loads(piece) for piece in cut(EventFrames, body, [3, 9])] == [{"error": "x"}]


@given(st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=3), max_size=5), st.data())
def test_the_items_of_an_array_are_given_one_by_one(items: list[Any], data: st.DataObject) -> None:
    text = json.dumps(items, indent=data.draw(st.none() | st.just(1)), ensure_ascii=data.draw(st.booleans()))
    raw = text.encode("utf-8", "replace")
    places = data.draw(st.lists(st.integers(0, len(raw)), max_size=6).map(sorted))
    assert [json.loads(piece) for piece in cut(ArrayFrames, raw, places)] == json.loads(raw)


def test_an_item_is_given_as_soon_as_it_is_whole() -> None:
    frames = ArrayFrames()
    assert frames.feed(b'[{"a": "]}"}') == [b'{"a": "]}"}']
    assert frames.feed(b', {"b"') == []
    assert frames.close() == [b'{"b"']


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=3))
def test_an_object_is_whole_at_its_end_and_not_before(value: dict[str, Any]) -> None:
    text = json.dumps(value).encode()
    nesting = Nesting()
    for byte in text[:-1]:
        nesting.feed(bytes([byte]))
        assert not nesting.is_whole
    nesting.feed(text[-1:])
    assert nesting.is_whole


@keeps("codecs.any_cut")
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_row_is_given_when_it_has_ended_and_not_at_the_end_of_all(end: bytes) -> None:
    """Where a CR ends a line, the next byte tells that no LF belongs to it."""
    frames = RowFrames()
    given = [frames.feed(bytes([byte])) for byte in b"one" + end + b"two"]
    assert [row for rows in given for row in rows] == [b"one"]
    assert frames.feed(b"") == []
    assert frames.close() == [b"two"]
