"""What the signatures of functions say."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import pytest

from tests.promises import keeps
from toolwright.errors import UnsupportedTypeError
from toolwright.schema import Meta, Schema
from toolwright.schema.from_signature import Described, describe_signature


@dataclass
class Range:
    """A range of lines.

    Attributes:
        first: Counted from 1.
    """

    first: int
    last: int | None = None


def search(
    pattern: Annotated[str, Meta(min_length=1, description="What to look for.")],
    where: Path = Path(),
    mode: Literal["text", "regex"] = "text",
    *,
    lines: Range | None = None,
    limit: int = 10,
) -> dict[str, list[int]]:
    """Search files.

    Hidden ones are left out.

    Args:
        pattern: Overruled by what stands beside the type.
        where: The folder.
        mode: How the pattern is read.
        lines: Which lines.
        limit: At most so many.

    Returns:
        The lines of each file.

    Raises:
        OSError: A file cannot be read.
    """
    raise OSError(pattern, where, mode, lines, limit)


class Service:
    """Serves."""

    def method(self, name: str) -> None:
        """Call a method."""

    @classmethod
    def of_class(cls, name: str) -> None:
        """Call a class method."""

    @staticmethod
    def static(name: str) -> None:
        """Call a static method."""

    def __call__(self, name: str) -> None:
        """Call the service."""


@keeps("schema.of_functions")
def test_a_signature_becomes_one_object_with_texts_from_the_docstring() -> None:
    described = describe_signature(search)
    assert Schema(described.parameters) == Schema({
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "minLength": 1, "description": "What to look for."},
            "where": {"type": "string", "format": "path", "default": ".", "description": "The folder."},
            "mode": {
                "type": "string", "enum": ["text", "regex"], "default": "text",
                "description": "How the pattern is read.",
            },
            "lines": {
                "anyOf": [
                    {
                        "type": "object",
                        "description": "A range of lines.",
                        "properties": {
                            "first": {"type": "integer", "description": "Counted from 1."},
                            "last": {"type": ["integer", "null"], "default": None},
                        },
                        "required": ["first"],
                        "additionalProperties": False,
                    },
                    {"type": "null"},
                ],
                "default": None,
                "description": "Which lines.",
            },
            "limit": {"type": "integer", "default": 10, "description": "At most so many."},
        },
        "required": ["pattern"],
        "additionalProperties": False,
    })  # fmt: skip
    assert described.description == "Search files.\n\nHidden ones are left out."
    assert described.returns == {
        "type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}},
        "description": "The lines of each file.",
    }  # fmt: skip
    assert list(described.hints) == ["pattern", "where", "mode", "lines", "limit", "return"]


@keeps("schema.of_functions")
def test_skipped_parameters_are_not_shown_and_keep_their_hints() -> None:
    def tool(name: str, service: Service, *rest: int) -> None: ...

    def is_skipped(parameter: inspect.Parameter, hint: Any) -> bool:
        return hint is Service or parameter.name == "rest"

    described = describe_signature(tool, skip=is_skipped)
    assert list(described.parameters["properties"]) == ["name"]
    assert described.hints["service"] is Service


@keeps("schema.of_functions")
@pytest.mark.parametrize(
    ("function", "text"),
    [
        (Service().method, "Call a method."),
        (Service.of_class, "Call a class method."),
        (Service.static, "Call a static method."),
        (Service(), "Serves."),
        (functools.partial(Service().method), "Call a method."),
        (functools.wraps(Service.static)(lambda *arguments, **options: (arguments, options)), "Call a static method."),
        (functools.partial(functools.partial(Service())), "Serves."),
    ],
)  # fmt: skip
def test_whatever_can_be_called_is_read_as_what_it_calls(function: Callable[..., Any], text: str) -> None:
    described = describe_signature(function)
    assert described.description == text
    assert described.parameters["properties"] == {"name": {"type": "string"}}
    assert described.parameters["required"] == ["name"]


def test_what_a_partial_has_filled_in_is_gone_or_a_default() -> None:
    described = describe_signature(functools.partial(search, "x", limit=3))
    assert "pattern" not in described.parameters["properties"]
    assert described.parameters["properties"]["limit"]["default"] == 3
    assert "required" not in described.parameters


def test_parameters_given_by_position_only_are_described_like_others() -> None:
    def tool(name: str, /, size: int = 1) -> None: ...

    assert list(describe_signature(tool).parameters["properties"]) == ["name", "size"]


def test_none_as_default_of_another_type_means_not_given() -> None:
    def tool(name: str = None, size: int | None = None) -> None: ...  # type: ignore[assignment] # noqa: RUF013

    assert describe_signature(tool).parameters["properties"] == {
        "name": {"type": "string"}, "size": {"type": ["integer", "null"], "default": None},
    }  # fmt: skip


@keeps("schema.of_pydantic_field")
def test_a_pydantic_field_as_default_gives_constraints_and_the_default() -> None:
    many: int = pydantic.Field(3, ge=1, description="How many.")
    short: str = pydantic.Field(max_length=9)
    fresh: list[str] = pydantic.Field(default_factory=list)

    def tool(size: int = many, name: str = short, tags: list[str] = fresh) -> None: ...

    parameters = describe_signature(tool).parameters
    assert parameters["properties"] == {
        "size": {"type": "integer", "minimum": 1, "description": "How many.", "default": 3},
        "name": {"type": "string", "maxLength": 9},
        "tags": {"type": "array", "items": {"type": "string"}},
    }
    assert parameters["required"] == ["name"]


def returning(hint: Any) -> Described:
    def tool() -> None: ...

    tool.__annotations__["return"] = hint
    return describe_signature(tool)


@pytest.mark.parametrize("hint", [None, Any, object, Iterator[int], Service, Callable[[], int]])
def test_a_result_that_promises_nothing_has_no_schema(hint: Any) -> None:
    assert returning(hint).returns is None


def test_a_function_without_annotated_result_promises_nothing() -> None:
    def tool(): ...  # type: ignore[no-untyped-def]

    assert describe_signature(tool).returns is None


@pytest.mark.parametrize("hint", [int, Awaitable[int], Coroutine[Any, Any, int]])
def test_a_result_is_what_comes_of_it_when_awaited(hint: Any) -> None:
    assert returning(hint).returns == {"type": "integer"}


def test_a_result_may_hold_times_without_an_offset() -> None:
    schema = Schema(returning(dict[str, list[datetime]]).returns or False)
    assert schema.validate({"a": ["2030-01-31T14:30:00"]}).valid


def test_types_local_to_the_caller_are_found() -> None:
    @dataclass
    class Local:
        size: int

    def tool(local: Local) -> Local:
        return local

    assert describe_signature(tool).parameters["properties"]["local"]["properties"] == {"size": {"type": "integer"}}


def test_types_in_a_closure_are_found() -> None:
    def make() -> Callable[..., Any]:
        @dataclass
        class Local:
            size: int

        def tool(local: Local) -> object:
            return Local, local

        return tool

    assert "local" in describe_signature(make()).parameters["properties"]


@keeps("schema.of_unsupported")
@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("*names: str", r"tool: takes \*names, which has no JSON Schema: take a list: items: list\[int\]"),
        ("**options: str", r"tool: takes \*\*options, which has no JSON Schema: take a dictionary"),
        ("name", r"tool\(name\): has no annotation: write name: str, or another type \(Any for anything\)"),
        ("name: Service", "name: Service has no JSON Schema"),
        ("name: list[complex]", r"name\[\]: complex has no JSON Schema: use two numbers"),
        ("name: Missing", "tool: an annotation names 'Missing', which is not found"),
        ("name: Annotated[int, Meta(min_length=1)]", "name: 'min_length' has no meaning"),
    ],
)
def test_a_signature_that_cannot_be_described_says_what_to_change(source: str, problem: str) -> None:
    names: dict[str, Any] = dict(globals())
    exec(f"def tool({source}): ...", names)  # noqa: S102  (the forms are what is tried here)
    with pytest.raises(UnsupportedTypeError, match=problem):
        describe_signature(names["tool"])


def test_something_without_a_readable_signature_is_refused() -> None:
    with pytest.raises(UnsupportedTypeError, match="has no signature that can be read"):
        describe_signature(dict.update)
