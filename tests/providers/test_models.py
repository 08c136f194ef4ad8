from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.providers.models import ListedModel, read_models, usual_model


def listed(*names: str, **made: float) -> list[ListedModel]:
    return [ListedModel(name=name, made=made.get(name, 0.0)) for name in names]


@keeps("choose.newest")
@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({"object": "list", "data": [{"id": "b", "created": 5}, {"id": "a"}]}, ["b", "a"]),
        ({"data": [{"type": "model", "id": "claude", "created_at": "2026-01-01T00:00:00Z"}]}, ["claude"]),
        ({"models": [{"name": "models/x", "supportedGenerationMethods": ["generateContent"]}]}, ["x"]),
        ({"models": [{"name": "qwen3:8b", "modified_at": "2026-01-01T12:00:00.5+02:00"}]}, ["qwen3:8b"]),
        ([{"id": "together"}], ["together"]),
        ({"data": [{}, 5, {"id": 7}, {"id": "x", "created": "soon"}]}, ["x"]),
    ],
)
def test_lists_of_models_are_read_in_the_forms_of_all_servers(document: Any, names: list[str]) -> None:
    assert [model.name for model in read_models(json.dumps(document).encode())] == names


@pytest.mark.parametrize("body", [b"", b"{}", b"5", b'{"data": 1}', b"<html>", b'{"models": {"a": 1}}'])
def test_what_is_no_list_of_models_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        read_models(body)


@keeps("choose.newest")
def test_the_newest_that_chats_is_meant_and_a_small_one_where_it_costs() -> None:
    models = listed(
        "big-1", "big-2-mini", "big-2", "text-embedding-9", "big-3-preview", **{"big-2": 9.0, "text-embedding-9": 99.0}
    )
    assert usual_model(models, paid=False) == "big-2"
    assert usual_model(models, paid=True) == "big-2-mini"
    assert usual_model(listed("whisper-1", "tts-2"), paid=True) is None
    assert usual_model(listed("m-2.5", "m-10", "m-9"), paid=False) == "m-10"
    assert usual_model(listed("first", "second"), paid=False) == "first"


@given(
    body=st.binary(max_size=200)
    | st.recursive(st.none() | st.text() | st.integers() | st.floats(), st.lists).map(
        lambda value: json.dumps({"data": value}).encode()
    )
)
def test_no_bytes_break_the_reading_of_a_list(body: bytes) -> None:
    with suppress(ValueError):
        usual_model(read_models(body), paid=True)
