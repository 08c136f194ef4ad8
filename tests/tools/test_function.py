from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Generic, Literal, LiteralString, NewType, Optional, TypedDict, TypeVar
from uuid import UUID

import attrs
import msgspec
import pydantic
import pytest

from tests.promises import keeps
from toolwright.errors import InvalidDefinitionError, UnsupportedTypeError
from toolwright.levels import RiskLevel, SandboxIsolationLevel, ToolCategory
from toolwright.schema import Meta, Schema, ValidationIssue, ValidationReport
from toolwright.testing import tool_context
from toolwright.tools import FunctionTool, Service, Tool, ToolContext, ToolDefinition, ToolOutcome, tool
from toolwright.tools.constraints import ToolConstraints


async def run(made: Tool, /, arguments: Mapping[str, Any] | None = None, **more: Any) -> ToolOutcome:
    return await made.execute(tool_context(arguments, **more))


# What comes from the signature


@tool(category="file_system", risk="safe", isolation="none", permissions=["tool.filesystem.read"])
async def read_lines(  # noqa: D417  what is annotated need not be told again
    path: Annotated[str, Meta(description="Relative to the workspace")],
    encoding: Literal["utf-8", "latin-1"] = "utf-8",
    limit: int = 10,
    *,
    context: ToolContext,
) -> list[str]:
    """Read the lines of a text file.

    Args:
        limit: How many at most.
    """
    with context.open(path, encoding=encoding) as file:
        return [line.rstrip("\n") for _, line in zip(range(limit), file, strict=False)]


@keeps("tools.from_signature", "tools.context_by_annotation")
def test_the_definition_comes_from_signature_annotations_and_docstring() -> None:
    definition = read_lines.definition
    assert definition.name == "read_lines"
    assert definition.title == "Read Lines"
    assert definition.description == "Read the lines of a text file."
    assert (definition.category, definition.risk) == (ToolCategory.FILE_SYSTEM, RiskLevel.SAFE)
    assert definition.permissions == ("tool.filesystem.read",)
    assert definition.isolation is SandboxIsolationLevel.NONE
    assert definition.parameters == Schema(
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Relative to the workspace"},
                "encoding": {"type": "string", "enum": ["utf-8", "latin-1"], "default": "utf-8"},
                "limit": {"type": "integer", "default": 10, "description": "How many at most."},
            },
            "required": ["path"],
            "additionalProperties": False,
        }
    )
    assert definition.output_schema == Schema({"type": "array", "items": {"type": "string"}})
    assert isinstance(read_lines, Tool)
    assert repr(read_lines) == "<FunctionTool read_lines>"


async def test_a_call_finds_its_workspace_in_the_context(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    outcome = await run(read_lines, {"path": "a.txt", "limit": 2}, workspace=tmp_path)
    assert outcome.data == ["one", "two"]
    assert outcome.duration is not None
    assert (await run(read_lines, {"path": "../a"}, workspace=tmp_path)).error_code == "path_outside_workspace"


def test_a_name_in_camel_case_becomes_one_that_is_legal() -> None:
    @tool
    def getWeather(city: str) -> str:  # noqa: N802
        """Get it."""
        return city

    assert getWeather.definition.name == "get_weather"


@keeps("tools.options")
def test_every_field_of_the_definition_and_of_its_constraints_is_an_option() -> None:
    constraints: dict[str, Any] = {
        "max_execution_time": 5.0,
        "max_output_size": 2048,
        "side_effects": False,
        "idempotency_key": True,
        "resource": "city:{city}",
        "isolation": "none",
    }
    fields: dict[str, Any] = {
        "name": "weather",
        "description": "Tell the weather.",
        "title": "Weather!",
        "category": "network",
        "risk": "high",
        "tags": ["sky"],
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "strict": False,
        "output_schema": {"type": "string"},
        "permissions": ["tool.network.fetch"],
        "requires_confirmation": True,
        "version": "1.2.3",
        "metadata": {"team": "sky"},
        "examples": [{"city": "Oslo"}],
    }
    assert set(fields) | {"constraints"} == set(ToolDefinition.__struct_fields__)
    assert set(constraints) == set(ToolConstraints.__struct_fields__)

    def told(city: str) -> str:
        return city

    made = tool(told, **fields, **constraints)
    assert made.definition == ToolDefinition(**fields, constraints=ToolConstraints(**constraints))
    whole = tool(told, constraints=ToolConstraints(max_execution_time=9), side_effects=False, description="x")
    assert whole.definition.constraints == ToolConstraints(max_execution_time=9, side_effects=False)


def test_an_option_that_is_wrong_is_refused_with_all_that_is_wrong() -> None:
    with pytest.raises(InvalidDefinitionError) as caught:

        @tool(risk="extreme", version="one")
        def nothing() -> None:
            pass

    assert caught.value.report is not None
    assert {issue.path for issue in caught.value.report.errors} == {"risk", "version", "description"}
    with pytest.raises(TypeError, match="no option 'categry'; did you mean 'category'"):
        tool(lambda: None, name="x", categry="git")  # type: ignore[call-overload]


# What a call gives the function


class Colour(Enum):
    RED = "red"


class Mixed(Enum):
    WHOLE = 1
    HALF = 0.5
    WORD = "word"


class Options(TypedDict, total=False):
    deep: bool


class Struct(msgspec.Struct):
    n: int


@attrs.define
class Attributes:
    n: int


class Model(pydantic.BaseModel):
    at: datetime


@dataclass
class Point:
    x: int
    y: float = 1.0
    tags: list[str] = field(default_factory=list)


@dataclass
class Named:
    kind: Literal["named"]
    name: str


@dataclass
class Several:
    numbers: Iterable[int]


@dataclass
class HoldsMixed:
    value: Mixed


UserId = NewType("UserId", int)
Strength = NewType("Strength", Mixed)
Choice = TypeVar("Choice", int, list[int])
T = TypeVar("T")


@dataclass
class Box(Generic[T]):
    value: T


@dataclass
class Node:
    value: int
    next: Node | None = None


CASES: list[tuple[Any, Any, Any]] = [
    (str, "a", "a"),
    (int, 5, 5),
    (int, 5.0, 5),
    (float, 5, 5.0),
    (bool, True, True),
    (str | None, None, None),
    (Optional[int], 3, 3),  # noqa: UP045  an older way to write it
    (list[int], [1, 2], [1, 2]),
    (Sequence[str], ["a"], ["a"]),
    (tuple[int, str], [1, "a"], (1, "a")),
    (set[int], [1, 2], {1, 2}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (dict[str, Any], {"a": [{"b": None}]}, {"a": [{"b": None}]}),
    (Any, {"a": [1]}, {"a": [1]}),
    (object, {"a": [1]}, {"a": [1]}),
    (object, None, None),
    (list[object], ["a", {"b": 1}], ["a", {"b": 1}]),
    (datetime, "2026-01-02T12:00:00Z", datetime(2026, 1, 2, 12, tzinfo=UTC)),
    (date, "2026-01-02", date(2026, 1, 2)),
    (UUID, str(UUID(int=1)), UUID(int=1)),
    (Decimal, "1.5", Decimal("1.5")),
    (Path, "a/b", Path("a/b")),
    (PurePosixPath, "a/b", PurePosixPath("a/b")),
    (list[Path], ["a"], [Path("a")]),
    (Path | None, "a", Path("a")),
    (Colour, "red", Colour.RED),
    (Mixed, 0.5, Mixed.HALF),
    (Mixed, 1.0, Mixed.WHOLE),
    (Mixed | None, "word", Mixed.WORD),
    (list[Strength], [1, "word"], [Mixed.WHOLE, Mixed.WORD]),
    (Iterable[int], [1, 2.0], [1, 2]),
    (Iterable, [1, "a"], [1, "a"]),
    (dict[str, Iterable[Path]], {"a": ["b"]}, {"a": [Path("b")]}),
    (Several, {"numbers": [1]}, Several([1])),
    (Choice, 3, 3),
    (Choice, [3], [3]),
    (LiteralString, "a", "a"),
    (Literal["a", 1], 1, 1),
    (UserId, 7, 7),
    (Options, {"deep": True}, {"deep": True}),
    (Struct, {"n": 1}, Struct(1)),
    (Attributes, {"n": 1}, Attributes(1)),
    (Model, {"at": "2026-01-02T12:00:00Z"}, Model(at=datetime(2026, 1, 2, 12, tzinfo=UTC))),
    (Point, {"x": 1}, Point(1)),
    (list[Point], [{"x": 1, "tags": ["a"]}], [Point(1, tags=["a"])]),
    (Box[int], {"value": 1}, Box(1)),
    (Node, {"value": 1, "next": {"value": 2}}, Node(1, Node(2))),
    (Point | Named, {"kind": "named", "name": "a"}, Named("named", "a")),
    (Point | Named | None, {"x": 3}, Point(3)),
    (Struct | str, "plain", "plain"),
    (date | str, "2026-01-02", date(2026, 1, 2)),
    (date | str, "soon", "soon"),
    (list[int] | list[str], ["a"], ["a"]),
    (list[Path | int], ["a", 1], [Path("a"), 1]),
    (Annotated[int, Meta(ge=1)], 1, 1),
]


@keeps("tools.converted")
@pytest.mark.parametrize(("hint", "sent", "expected"), CASES, ids=lambda case: str(case)[:40])
async def test_an_argument_arrives_as_the_annotated_type(hint: Any, sent: Any, expected: Any) -> None:
    got: list[Any] = []

    def take(value: Any) -> None:
        got.append(value)

    take.__annotations__["value"] = hint
    outcome = await run(tool(take, description="Take."), {"value": sent})
    assert outcome.success, outcome.error
    assert got == [expected]
    assert type(got[0]) is type(expected)


@keeps("tools.converted")
async def test_a_dataclass_comes_in_and_a_dataclass_goes_out() -> None:
    @tool
    async def move(point: Point, by: float = 2) -> Point:
        """Move."""
        return Point(point.x, point.y + by)

    outcome = await run(move, {"point": {"x": 1}})
    assert outcome.data == {"x": 1, "y": 3.0, "tags": []}
    assert move.definition.output_schema is not None
    assert move.definition.output_schema.validate(outcome.data).valid
    assert await move(Point(1)) == Point(1, 3.0)


@keeps("tools.converted")
async def test_a_path_arrives_resolved_where_there_is_a_workspace_and_text_as_given(tmp_path: Path) -> None:
    @tool
    def show(path: Path, text: str, more: list[Path] = []) -> list[str]:  # noqa: B006  never changed
        """Show."""
        return [str(path), text, *map(str, more)]

    outcome = await run(show, {"path": "a", "text": "a", "more": ["b"]}, workspace=tmp_path)
    assert outcome.data == [str(tmp_path / "a"), "a", str(tmp_path / "b")]
    refused = await run(show, {"path": "a", "text": "a", "more": ["../b"]}, workspace=tmp_path)
    assert refused.error_code == "validation_failed"
    assert "more[0]: names a file or folder outside the workspace" in (refused.error or "")


async def test_a_default_that_json_does_not_have_stays_what_it_is_in_python() -> None:
    marker = object()

    many = [Point(1)]

    @tool
    def default(when: Any = marker, points: list[Point] = many, kind: Colour = Colour.RED) -> list[bool]:
        """Default."""
        return [when is marker, points == [Point(1)], kind is Colour.RED]

    assert (await run(default)).data == [True, True, True]


async def test_arguments_are_plain_values_that_the_function_may_change() -> None:
    @tool
    def change(options: dict[str, Any], rows: list[Any]) -> list[Any]:
        """Change."""
        options["inner"]["a"] = 2
        rows.append(options)
        return rows

    context = tool_context({"options": {"inner": {"a": 1}}, "rows": [[1]]})
    assert (await change.execute(context)).data == [[1], {"inner": {"a": 2}}]
    assert context.arguments == {"options": {"inner": {"a": 1}}, "rows": [[1]]}


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({}, "number: is missing"),
        ({"number": "five"}, "number: must be an integer, not a string"),
        ({"number": 1, "nmber": 2}, "nmber: is not defined here"),
        ({"number": -1}, "number: must be at least 0"),
    ],
)
async def test_arguments_that_do_not_fit_never_reach_the_function(arguments: dict[str, Any], where: str) -> None:
    @tool
    def count(number: Annotated[int, Meta(ge=0)]) -> int:
        """Count."""
        raise AssertionError("reached")

    outcome = await run(count, arguments)
    assert outcome.error_code == "validation_failed"
    assert where in (outcome.error or "")


async def test_what_a_schema_lets_through_and_a_type_does_not_take_is_named_by_its_place() -> None:
    @tool
    def book(model: Model, days: list[date]) -> None:
        """Book."""

    checked = msgspec.structs.replace(tool_context({"model": {"at": "secret"}, "days": ["2026-01-02"]}), checked=True)
    outcome = await book.execute(checked)
    assert outcome.error_code == "validation_failed"
    assert "- model: does not fit Model" in (outcome.error or "")
    assert "secret" not in (outcome.error or "")
    checked = msgspec.structs.replace(tool_context({"model": {"at": "2026-01-02"}, "days": ["x"]}), checked=True)
    assert "- days[0]: does not fit list[date]" in ((await book.execute(checked)).error or "")
    unknown = msgspec.structs.replace(tool_context({"x": 1}), checked=True)
    assert "x: is not defined" in ((await book.execute(unknown)).error or "")


# Context and services


class Database:
    name = "main"


class Cache:
    name = "cache"


@keeps("tools.context_by_annotation", "tools.services_by_type")
async def test_context_and_services_are_filled_in_under_any_name_and_never_shown() -> None:
    @tool
    async def ask(
        question: str,
        db: Annotated[Database, Service],
        cache: Annotated[Cache | None, Service()],
        other: Annotated[Cache, Service] | None,
        /,
        where: ToolContext | None,
        fallback: Annotated[Cache, Service] = Cache(),  # noqa: B008
        *,
        again: Annotated[ToolContext, "the same"],
    ) -> list[Any]:
        """Ask."""
        return [question, db.name, cache, other, where is again, fallback.name]

    assert list(ask.definition.parameters.properties) == ["question"]
    outcome = await run(ask, {"question": "why"}, services={Database: Database()})
    assert outcome.data == ["why", "main", None, None, True, "cache"]
    missing = await run(ask, {"question": "why"})
    assert missing.error == "no service of type Database was given to the executor"
    spoofed = await run(ask, {"question": "why", "where": 1, "db": 2}, services={Database: Database()})
    assert spoofed.error_code == "validation_failed"


# Where it runs

WHO: ContextVar[str] = ContextVar("WHO")


@keeps("tools.sync_in_thread")
async def test_sync_functions_run_in_a_thread_and_async_ones_in_the_loop() -> None:
    @tool
    def sync() -> list[Any]:
        """Sync."""
        return [threading.get_ident(), WHO.get()]

    @tool
    async def in_loop() -> list[Any]:
        """Async."""
        return [threading.get_ident(), WHO.get()]

    WHO.set("me")
    here = threading.get_ident()
    assert (await run(in_loop)).data == [here, "me"]
    thread, who = (await run(sync)).data
    assert thread != here
    assert who == "me"


async def test_a_sync_function_hears_that_its_call_was_cancelled() -> None:
    started, heard = threading.Event(), threading.Event()

    @tool
    def wait(context: ToolContext) -> None:
        """Wait."""
        started.set()
        while not context.cancelled:
            pass
        heard.set()

    running = asyncio.ensure_future(run(wait))
    await asyncio.to_thread(started.wait, 30)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await asyncio.to_thread(heard.wait, 30)


async def test_what_a_function_raises_becomes_an_outcome() -> None:
    @tool
    async def fail(how: str) -> None:
        """Fail."""
        raise {"exit": SystemExit(2), "value": ValueError("no such row"), "key": KeyError("row")}[how]

    assert (await run(fail, {"how": "value"})).error == "no such row"
    assert (await run(fail, {"how": "key"})).error == "KeyError: 'row'"
    assert "wanted to end the program" in ((await run(fail, {"how": "exit"})).error or "")
    with pytest.raises(SystemExit):
        await fail("exit")


@keeps("tools.any_value")
async def test_an_outcome_that_the_function_gives_is_the_outcome_and_promises_no_schema() -> None:
    @tool
    async def give() -> ToolOutcome:
        """Give."""
        return ToolOutcome.ok(1, message="given")

    assert give.definition.output_schema is None
    outcome = await run(give)
    assert (outcome.data, outcome.message) == (1, "given")


# Everything that can be called


class Searcher:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    @tool
    async def search(self, query: str) -> str:
        """Search."""
        return self.prefix + query

    @tool
    @staticmethod
    def fixed(query: str) -> str:
        """Fixed."""
        return query

    @tool
    @classmethod
    def named(cls, query: str) -> str:
        """Named."""
        return cls.__name__ + query

    def plain(self, query: str) -> str:
        """Plain."""
        return self.prefix + query

    def __call__(self, query: str, limit: int = 1) -> str:
        """Called."""
        return self.prefix + query * limit


@keeps("tools.callable")
async def test_methods_are_tools_of_their_instance() -> None:
    searcher = Searcher("a:")
    assert list(searcher.search.definition.parameters.properties) == ["query"]
    assert (await run(searcher.search, {"query": "x"})).data == "a:x"
    assert await searcher.search("y") == "a:y"
    assert searcher.search == searcher.search
    assert len({searcher.search, searcher.search}) == 1
    assert searcher.search != Searcher("b:").search
    assert (await run(searcher.fixed, {"query": "x"})).data == "x"
    assert (await run(Searcher.fixed, {"query": "x"})).data == "x"
    assert (await run(Searcher.named, {"query": "x"})).data == "Searcherx"
    assert "register that of an instance" in ((await run(Searcher.search, {"query": "x"})).error or "")


@keeps("tools.callable")
async def test_partials_bound_methods_objects_and_wrapped_functions_are_tools() -> None:
    def repeat(text: str, times: int, mark: str = "!") -> str:
        """Repeat."""
        return text * times + mark

    @functools.wraps(repeat)
    def wrapped(*arguments: Any, **named: Any) -> str:
        return f"<{repeat(*arguments, **named)}>"

    async def later(text: str) -> str:
        """Later."""
        return text

    searcher = Searcher("a:")
    partial = tool(functools.partial(repeat, times=2), name="partial_tool")
    assert (await run(partial, {"text": "x"})).data == "xx!"
    assert (await run(tool(functools.partial(repeat, "y")), {"times": 3})).data == "yyy!"
    assert (await run(tool(wrapped), {"text": "x", "times": 1})).data == "<x!>"
    assert (await run(tool(searcher.plain), {"query": "x"})).data == "a:x"
    assert (await run(tool(searcher, name="called"), {"query": "x", "limit": 2})).data == "a:xx"
    assert (await run(tool(functools.partial(later)), {"text": "x"})).data == "x"
    assert (await run(tool(read_lines.function, name="again"), {"path": "../x"}, workspace="/")).error_code


@keeps("tools.callable")
def test_the_decorated_function_stays_callable_as_itself() -> None:
    @tool(risk="high")
    def double(number: int, /, *, times: int = 2) -> int:
        """Double."""
        return number * times

    assert double(4) == 8
    assert double("ab", times=3) == "ababab"  # type: ignore[arg-type]  # nothing is validated
    assert (double.__name__, double.__doc__, double.__module__) == ("double", "Double.", __name__)
    assert isinstance(double, FunctionTool)


async def test_arguments_that_go_by_position_are_given_by_position() -> None:
    @tool
    def divide(a: int, b: int = 2, /, *, whole: bool = False) -> float:
        """Divide."""
        return a // b if whole else a / b

    assert (await run(divide, {"a": 7})).data == 3.5
    assert (await run(divide, {"whole": True, "b": 3, "a": 7})).data == 2


# What is refused


def _unannotated(value) -> None:  # type: ignore[no-untyped-def]
    """Value."""


def _starred(*values: int) -> None:
    """Values."""


def _named(**values: int) -> None:
    """Values."""


def _unknown(value: complex) -> None:
    """Value."""


def _deep(value: list[threading.Lock]) -> None:
    """Value."""


def _mixed_inside(value: HoldsMixed) -> None:
    """Value."""


def _generating(value: int):  # type: ignore[no-untyped-def]
    """Values."""
    yield value


async def _generating_later(value: int):  # type: ignore[no-untyped-def]
    """Values."""
    yield value


@keeps("tools.refused")
@pytest.mark.parametrize(
    ("function", "says"),
    [
        (_unannotated, r"has no annotation: write value: str"),
        (_starred, r"takes \*values.*: take a list: items: list\[int\]"),
        (_named, r"takes \*\*values.*: take a dictionary"),
        (_unknown, "complex"),
        (_deep, "lock"),
        (
            _mixed_inside,
            r"_mixed_inside\(value\): cannot be built from JSON as HoldsMixed: .* an enum values of one kind",
        ),
        (_generating, "is a generator: return a list"),
        (_generating_later, "is a generator: return a list"),
    ],
)
def test_what_cannot_be_described_is_refused_with_what_to_change(function: Any, says: str) -> None:
    with pytest.raises(UnsupportedTypeError, match=says):
        tool(function)


@keeps("tools.refused")
def test_a_function_that_says_nothing_of_itself_is_refused() -> None:
    def silent(value: int) -> int:
        return value

    with pytest.raises(InvalidDefinitionError, match="description: .* a function's docstring") as caught:
        tool(silent)
    assert caught.value.report is not None
    assert tool(silent, description="Say nothing.").definition.description == "Say nothing."


@keeps("tools.refused")
def test_an_annotation_that_names_nothing_is_refused() -> None:
    def ask(value: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
        """Ask."""

    with pytest.raises(UnsupportedTypeError, match="Nowhere"):
        tool(ask)


def importable(number: int) -> int:
    """Importable."""
    return number


@keeps("tools.importable")
def test_isolation_above_none_needs_a_function_that_can_be_imported() -> None:
    def closure(number: int) -> int:
        """Closure."""
        return number

    made = tool(importable, isolation="strict")
    assert made.address == f"{__name__}:importable"
    assert tool(closure).address is None
    impossible: list[Any] = [
        closure,
        lambda: None,
        functools.partial(importable, 1),
        Searcher("a").plain,
        Searcher("a"),
    ]
    for function in impossible:
        with pytest.raises(UnsupportedTypeError, match="define it with def at the top of a module"):
            tool(function, name="impossible", description="x", isolation="standard")


# A definition by hand

BY_HAND = ToolDefinition(
    "by_hand",
    "By hand.",
    Schema({"type": "object", "properties": {"a": {"type": "integer", "default": 4}, "b": {"type": "string"}}}),
)


@keeps("tools.hand_written")
async def test_a_definition_written_by_hand_is_taken_as_it_is() -> None:
    @tool(definition=BY_HAND)
    def unannotated(a, b="x", *, context: ToolContext):  # type: ignore[no-untyped-def]
        return [a, b, context.tool_name]

    assert unannotated.definition is BY_HAND
    assert (await run(unannotated, {"b": "y"}, name="by_hand")).data == [4, "y", "by_hand"]

    @tool(definition=BY_HAND)
    def rest(**given: Any) -> Any:
        return given

    assert (await run(rest, {"b": "y"})).data == {"a": 4, "b": "y"}
    loose = ToolDefinition("loose", "Loose.", Schema({"type": "object"}), strict=False)
    assert (await run(tool(lambda **given: given, definition=loose), {"x": [1]})).data == {"x": [1]}


@keeps("tools.hand_written", "tools.refused")
def test_a_function_that_does_not_fit_its_definition_is_refused() -> None:
    loose = ToolDefinition("loose", "Loose.", Schema({"type": "object", "properties": {"a": {}}}), strict=False)
    wrong: list[tuple[Any, ToolDefinition, str]] = [
        (lambda a: a, BY_HAND, "no parameter b"),
        (lambda a, b, c: a, BY_HAND, "needs c, which the definition does not describe"),
        (lambda *a: a, BY_HAND, r"takes \*a"),
        (lambda a: a, loose, r"needs \*\*rest"),
    ]
    for function, definition, says in wrong:
        with pytest.raises(UnsupportedTypeError, match=says):
            tool(function, definition=definition)
    with pytest.raises(TypeError, match="risk cannot be given beside it"):
        tool(lambda a, b: a, definition=BY_HAND, risk="high")


# Hooks


@keeps("tools.hooks", "tools.check_adds", "tools.risk_never_below", "tools.summary")
async def test_what_a_tool_says_of_its_calls_comes_from_its_hooks() -> None:
    offered = [True]

    def check(arguments: Mapping[str, Any]) -> ValidationReport | None:
        if arguments["to"] == arguments["source"]:
            return ValidationReport.invalid(ValidationIssue.invalid_value("to", "is the source itself"))
        return None

    async def reconcile(context: ToolContext) -> ToolOutcome | None:
        return ToolOutcome.ok("it was done")

    @tool(
        risk="medium",
        available=lambda: offered[0],
        check=check,
        summarize=lambda arguments: f"Copy {arguments['source']!r}",
        effective_risk=lambda arguments: "high" if arguments.get("to", "").startswith("/") else "safe",
        reconcile=reconcile,
    )
    def copy(source: str, to: str) -> None:
        """Copy."""

    assert copy.available
    offered[0] = False
    assert not copy.available
    assert not copy.check({"source": "a"}).valid, "by the schema"
    assert "is the source itself" in copy.check({"source": "a", "to": "a"}).message
    assert copy.check({"source": "a", "to": "b"}).valid
    assert (await run(copy, {"source": "a", "to": "a"})).error_code == "validation_failed"
    assert copy.summarize({"source": "a"}) == "Copy 'a'"
    assert copy.summarize({}) == "Execute Copy"
    assert copy.effective_risk({"to": "b"}) is RiskLevel.MEDIUM
    assert copy.effective_risk({"to": "/b"}) is RiskLevel.HIGH
    assert copy.effective_risk({"to": None}) is RiskLevel.CRITICAL
    assert copy.reconcile is reconcile
    assert read_lines.reconcile is None
    assert read_lines.available
    assert read_lines.summarize({}) == "Execute Read Lines"
    assert read_lines.effective_risk({}) is RiskLevel.SAFE
    assert read_lines.check({"path": "a"}).valid


def test_a_tool_whose_availability_cannot_be_told_is_not_offered() -> None:
    @tool(available=lambda: 1 / 0 > 1)
    def nothing() -> None:
        """Nothing."""

    @tool(available=False)
    def never() -> None:
        """Never."""

    assert not nothing.available
    assert not never.available
