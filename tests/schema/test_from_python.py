"""The schemas of Python types."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, NamedTuple, NewType, TypeVar
from uuid import UUID

import annotated_types as at
import attrs
import msgspec
import pydantic
import pytest
import typing_extensions as te
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.promises import keeps
from toolwright.errors import UnsupportedTypeError
from toolwright.schema import Meta, Schema
from toolwright.schema.from_python import describe
from toolwright.values import convert

T = TypeVar("T")
Number = TypeVar("Number", int, float)
Text = TypeVar("Text", bound=str)


class Color(enum.Enum):
    """A colour."""

    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    ONE = 1
    TWO = "two"


class Rights(enum.IntFlag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@dataclasses.dataclass
class Box(Generic[T]):
    item: T
    more: list[T] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Named(Box[str]):
    name: str = "n"


class Pair(msgspec.Struct, Generic[T]):
    left: T
    right: T


class Item(msgspec.Struct, rename="camel", kw_only=True):
    unit_price: float
    tags: list[str] = []
    note: str | msgspec.UnsetType = msgspec.UNSET
    of_kind: Color = Color.RED


class Cat(msgspec.Struct, tag="cat"):
    lives: int


class Dog(msgspec.Struct, tag="dog"):
    breed: str


class Row(msgspec.Struct, array_like=True):
    key: str
    value: int = 0


class Movie(te.TypedDict, total=False):
    title: te.Required[str]
    year: int


class Frozen(te.TypedDict):
    year: te.ReadOnly[te.NotRequired[int]]


class Sequel(Movie):
    part: int
    note: te.NotRequired[str]


class Open(te.TypedDict, extra_items=int):  # type: ignore[call-arg, unused-ignore]
    name: str


class Place(NamedTuple):
    lat: float
    name: str = "here"


@attrs.define
class Person:
    name: str
    tags: list[str] = attrs.Factory(list)


class Node(msgspec.Struct):
    value: int
    children: list[Node] = []
    parent: Node | None = None


@dataclasses.dataclass
class Left:
    right: Right | None = None


@dataclasses.dataclass
class Right:
    left: Left


class Address(pydantic.BaseModel):
    """Where somebody lives.

    Attributes:
        street: With the number.
    """

    street: str = pydantic.Field(min_length=1)
    city: str = pydantic.Field("Bern", description="The town.", alias="townName")
    zip: int
    "Four digits."


class Family(pydantic.BaseModel):
    home: Address
    other: Address | None = None
    parents: list[Family] = []
    extra: dict[str, Any] = {}


@pydantic.dataclasses.dataclass
class Small:
    x: int = pydantic.Field(3, ge=0)


UserId = NewType("UserId", int)
Json = te.TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")
Listed = te.TypeAliasType("Listed", list[T], type_params=(T,))


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """Return the schema of an object with these properties only."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


HERE, UNSAID = Place(1.5), object()
POINT = closed({"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}}, "x")

SIMPLE: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (None, {"type": "null"}),
    (Any, {}),
    (object, {}),
    (datetime, {"type": "string", "format": "date-time"}),
    (date, {"type": "string", "format": "date"}),
    (UUID, {"type": "string", "format": "uuid"}),
    (Path, {"type": "string", "format": "path"}),
    (Color, {"type": "string", "description": "A colour.", "enum": ["red", "green"]}),
    (Level, {"type": "integer", "enum": [1, 2]}),
    (Mixed, {"type": ["integer", "string"], "enum": [1, "two"]}),
    (Rights, {"type": "integer", "minimum": 0, "maximum": 3}),
    (Literal["a"], {"type": "string", "const": "a"}),
    (Literal["a", 1, None], {"type": ["string", "integer", "null"], "enum": ["a", 1, None]}),  # noqa: PYI061  (as people write it)
    (Literal[Color.RED, "blue"], {"type": "string", "enum": ["red", "blue"]}),
    (int | None, {"type": ["integer", "null"]}),
    (int | str | None, {"type": ["integer", "string", "null"]}),
    (Literal["a", "b"] | None, {"type": ["string", "null"], "enum": ["a", "b", None]}),
    (list[int] | None, {"type": ["array", "null"], "items": {"type": "integer"}}),
    (int | list[int], {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}),
    (int | Any, {}),
    (list, {"type": "array"}),
    (list[int], {"type": "array", "items": {"type": "integer"}}),
    (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
    (Iterable[int], {"type": "array", "items": {"type": "integer"}}),
    (tuple, {"type": "array"}),
    (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
    (tuple[int, int], {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}),
    (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}),
    (
        tuple[int, str],
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
    ),
    (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    (frozenset[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (AbstractSet[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    (dict, {"type": "object", "additionalProperties": {}}),
    (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
    (
        dict[Color, int],
        {
            "type": "object",
            "propertyNames": {"type": "string", "description": "A colour.", "enum": ["red", "green"]},
            "additionalProperties": {"type": "integer"},
        },
    ),
    (
        dict[Annotated[str, Meta(max_length=3)], int],
        {
            "type": "object",
            "propertyNames": {"type": "string", "maxLength": 3},
            "additionalProperties": {"type": "integer"},
        },
    ),
    (UserId, {"type": "integer"}),
    (Listed[int], {"type": "array", "items": {"type": "integer"}}),
]


@keeps("schema.of_simple")
@pytest.mark.parametrize(("hint", "expected"), SIMPLE, ids=lambda case: str(case)[:40])
def test_each_simple_type_has_its_own_schema(hint: Any, expected: dict[str, Any]) -> None:
    assert Schema.of(hint).to_dict() == expected


CLASSES: list[tuple[Any, dict[str, Any]]] = [
    (Point, POINT),
    (
        Box[int],
        closed(
            {"item": {"type": "integer"}, "more": {"type": "array", "items": {"type": "integer"}, "default": []}},
            "item",
        ),
    ),
    (
        Named,
        closed(
            {
                "item": {"type": "string"},
                "more": {"type": "array", "items": {"type": "string"}, "default": []},
                "name": {"type": "string", "default": "n"},
            },
            "item",
        ),
    ),
    (Pair[str], closed({"left": {"type": "string"}, "right": {"type": "string"}}, "left", "right")),
    (
        Item,
        closed(
            {
                "unitPrice": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}, "default": []},
                "note": {"type": "string"},
                "ofKind": {
                    "type": "string",
                    "description": "A colour.",
                    "enum": ["red", "green"],
                    "default": "red",
                },
            },
            "unitPrice",
        ),
    ),
    (Cat, closed({"type": {"const": "cat"}, "lives": {"type": "integer"}}, "type", "lives")),
    (
        Row,
        {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "integer", "default": 0}],
            "minItems": 1,
            "maxItems": 2,
        },
    ),
    (Frozen, closed({"year": {"type": "integer"}})),
    (Movie, closed({"title": {"type": "string"}, "year": {"type": "integer"}}, "title")),
    (
        Sequel,
        closed(
            {
                "title": {"type": "string"},
                "year": {"type": "integer"},
                "part": {"type": "integer"},
                "note": {"type": "string"},
            },
            "title",
            "part",
        ),
    ),
    (Open, closed({"name": {"type": "string"}}, "name") | {"additionalProperties": {"type": "integer"}}),
    (
        Place,
        {
            "type": "array",
            "prefixItems": [{"type": "number"}, {"type": "string", "default": "here"}],
            "minItems": 1,
            "maxItems": 2,
        },
    ),
    (
        Person,
        closed(
            {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}, "default": []}}, "name"
        ),
    ),
]


@keeps("schema.of_classes", "schema.of_defaults")
@pytest.mark.parametrize(("hint", "expected"), CLASSES, ids=lambda case: str(case)[:40])
def test_each_kind_of_class_has_its_own_schema(hint: Any, expected: dict[str, Any]) -> None:
    assert Schema.of(hint).to_dict() == expected


def test_a_union_of_tagged_classes_lists_them_with_their_tags() -> None:
    schema = Schema.of(Cat | Dog)
    assert schema.validate({"type": "dog", "breed": "pug"}).valid
    assert not schema.validate({"type": "cat", "breed": "pug"}).valid


@keeps("schema.of_recursive")
def test_a_type_that_contains_itself_is_a_definition_and_shown_at_the_top() -> None:
    schema = Schema.of(Node)
    assert set(schema.properties) == {"value", "children", "parent"}
    document = schema.to_dict()
    assert document["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert list(document["$defs"]) == ["Node"]
    assert schema.validate({"value": 1, "children": [{"value": 2, "parent": {"value": 3}}]}).valid
    assert not schema.validate({"value": 1, "children": [{"value": 2, "children": [{"value": "x"}]}]}).valid


@keeps("schema.of_recursive")
def test_types_that_contain_each_other_are_described() -> None:
    schema = Schema.of(Left)
    assert schema.validate({"right": {"left": {"right": {"left": {}}}}}).valid
    assert not schema.validate({"right": {"left": {"right": {}}}}).valid


@keeps("schema.of_recursive")
def test_an_alias_that_contains_itself_is_described() -> None:
    schema = Schema.of(dict[str, Json])
    assert schema.validate({"a": [{"b": None}, 1, "x"]}).valid
    assert not schema.validate({"a": [{"b": 1.5}]}).valid


@keeps("schema.of_recursive")
def test_a_type_used_once_stands_in_its_place_and_one_used_twice_is_a_definition() -> None:
    once = dataclasses.make_dataclass("once", [("a", Point)])
    twice = dataclasses.make_dataclass("twice", [("a", Point), ("b", list[Point])])
    assert describe(once) == closed({"a": POINT}, "a")
    reference = {"$ref": "#/$defs/Point"}
    expected = closed({"a": reference, "b": {"type": "array", "items": reference}}, "a", "b")
    assert describe(twice) == {**expected, "$defs": {"Point": POINT}}


def test_two_types_of_one_name_are_kept_apart() -> None:
    def make(hint: Any) -> type:
        return dataclasses.make_dataclass("Same", [("a", hint)])

    first, second = make(int), make(str)
    document = describe(tuple[first, second, list[first], list[second]])  # type: ignore[valid-type]
    assert document["$defs"] == {
        "Same": closed({"a": {"type": "integer"}}, "a"),
        "Same_2": closed({"a": {"type": "string"}}, "a"),
    }


def test_types_local_to_a_running_function_are_found() -> None:
    @dataclasses.dataclass
    class Outer:
        inner: Inner
        again: Outer | None = None

    @dataclasses.dataclass
    class Inner:
        number: int

    assert Schema.of(Outer).validate({"inner": {"number": 1}, "again": {"inner": {"number": 2}}}).valid


def test_type_parameters_mean_what_each_class_says() -> None:
    @dataclasses.dataclass
    class Lists(Box[list[T]], Generic[T]):
        first: T | None = None

    properties = describe(Lists[int])["properties"]
    assert properties["item"] == {"type": "array", "items": {"type": "integer"}}
    assert properties["first"] == {"type": ["integer", "null"], "default": None}


def test_a_type_parameter_with_a_bound_or_choices_is_described() -> None:
    bounded, chosen = dataclasses.make_dataclass("B", [("a", Text)]), dataclasses.make_dataclass("C", [("a", Number)])
    assert describe(bounded)["properties"] == {"a": {"type": "string"}}
    assert describe(chosen)["properties"] == {"a": {"type": ["integer", "number"]}}


def test_words_about_a_field_are_not_part_of_its_type() -> None:
    @dataclasses.dataclass
    class Settings:
        shared: ClassVar[int] = 1
        name: Final[str] = "x"
        size: int = dataclasses.field(init=False, default=7)

    assert describe(Settings) == closed({
        "name": {"type": "string", "default": "x"},
        "size": {"type": "integer", "default": 7, "readOnly": True},
    })  # fmt: skip


@keeps("schema.of_defaults")
def test_defaults_are_shown_where_json_can_say_them() -> None:
    @dataclasses.dataclass
    class Defaults:
        path: Path = Path("a/b")
        when: date = date(2030, 1, 31)
        point: Point = dataclasses.field(default_factory=lambda: Point(1))
        fixed: Place = HERE
        words: frozenset[str] = frozenset({"b", "a"})
        nothing: int = None  # type: ignore[assignment]
        unsaid: Any = UNSAID
        infinite: float = float("inf")

    schema = Schema.of(Defaults)
    assert schema.required == ()
    shown = {name: inner.to_dict().get("default", "none") for name, inner in schema.properties.items()}
    assert shown == {
        "path": "a/b", "when": "2030-01-31", "point": "none", "fixed": [1.5, "here"], "words": ["a", "b"],
        "nothing": "none", "unsaid": "none", "infinite": "none",
    }  # fmt: skip


@keeps("schema.path_parameter")
def test_a_path_in_a_type_is_the_path_of_the_builder() -> None:
    assert Schema.of(Path) == tw.SchemaBuilder().path("x").build().property("x")


@keeps("schema.of_meta")
def test_constraints_and_words_beside_a_type_are_taken() -> None:
    assert tw.Meta is msgspec.Meta
    assert describe(Annotated[int, Meta(ge=0, lt=10, multiple_of=2, description="D", title="T", examples=[2])]) == {
        "type": "integer", "minimum": 0, "exclusiveMaximum": 10, "multipleOf": 2, "description": "D", "title": "T",
        "examples": [2],
    }  # fmt: skip
    assert describe(Annotated[str, Meta(min_length=1, max_length=2, pattern="^a")]) == {
        "type": "string", "minLength": 1, "maxLength": 2, "pattern": "^a",
    }  # fmt: skip
    assert describe(Annotated[list[int], Meta(min_length=1, max_length=2)]) == {
        "type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2,
    }  # fmt: skip
    assert describe(Annotated[dict[str, int], Meta(min_length=1)])["minProperties"] == 1
    assert describe(Annotated[int | None, Meta(ge=0)]) == {"type": ["integer", "null"], "minimum": 0}
    assert describe(Annotated[bytes, Meta(max_length=4)])["maxLength"] == 8
    assert describe(Annotated[str, Meta(extra_json_schema={"x-unit": "m"})])["x-unit"] == "m"


@keeps("schema.of_annotated_types")
def test_annotated_types_are_taken_and_predicates_left_alone() -> None:
    assert describe(Annotated[int, at.Ge(1), at.Lt(5), at.MultipleOf(2), at.Predicate(bool)]) == {
        "type": "integer", "minimum": 1, "exclusiveMaximum": 5, "multipleOf": 2,
    }  # fmt: skip
    assert describe(Annotated[float, at.Interval(gt=0, le=1)]) == {
        "type": "number", "exclusiveMinimum": 0, "maximum": 1,
    }  # fmt: skip
    assert describe(Annotated[str, at.Len(1, 3)]) == {"type": "string", "minLength": 1, "maxLength": 3}
    assert describe(Annotated[list[int], at.MinLen(2)])["minItems"] == 2
    assert describe(Annotated[Decimal, at.Ge(Decimal("0.5"))]) == {
        "type": "number", "format": "decimal", "minimum": 0.5,
    }  # fmt: skip


@keeps("schema.of_pydantic_field")
def test_a_field_of_pydantic_is_taken_on_any_type() -> None:
    field = pydantic.Field(ge=0, description="D", examples=[1], deprecated=True, json_schema_extra={"x-unit": "m"})
    assert describe(Annotated[int, field]) == {
        "type": "integer", "minimum": 0, "description": "D", "examples": [1], "deprecated": True, "x-unit": "m",
    }  # fmt: skip
    assert describe(Annotated[str, pydantic.StringConstraints(pattern="^a", min_length=1)]) == {
        "type": "string", "pattern": "^a", "minLength": 1,
    }  # fmt: skip


def test_documentation_beside_a_type_describes_it_and_plain_text_does_not() -> None:
    assert describe(Annotated[int, te.Doc("D")]) == {"type": "integer", "description": "D"}
    assert describe(Annotated[int, "not a description", 7]) == {"type": "integer"}


def test_times_ask_for_an_offset_as_they_are_annotated() -> None:
    aware, naive = Annotated[datetime, Meta(tz=True)], Annotated[datetime, Meta(tz=False)]
    assert Schema.of(aware).validate("2030-01-31T14:30:00Z").valid
    assert not Schema.of(aware).validate("2030-01-31T14:30:00").valid
    assert Schema.of(naive).validate("2030-01-31T14:30:00.5").valid
    assert not Schema.of(naive).validate("2030-01-31T14:30:00Z").valid
    assert Schema.of(Annotated[datetime, at.Timezone(None)]) == Schema.of(naive)
    assert Schema.of(time).validate("14:30:00").valid
    assert not Schema.of(Annotated[time, Meta(tz=True)]).validate("14:30:00").valid
    assert not Schema.of(Annotated[time, Meta(tz=False)]).validate("14:30:00Z").valid


@keeps("schema.of_docstrings")
def test_docstrings_of_a_class_and_its_ancestors_describe_its_fields() -> None:
    @dataclasses.dataclass
    class Base:
        """The base.

        Attributes:
            a: From the base.
        """

        a: int

    @dataclasses.dataclass
    class Derived(Base):
        """The derived class.

        More of it.

        Parameters
        ----------
        b : int
            From the class.
        c : int
            Overruled.
        """

        b: int
        c: Annotated[int, Meta(description="Beside the type.")]

    document = describe(Derived)
    assert document["description"] == "The derived class."
    assert [inner["description"] for inner in document["properties"].values()] == [
        "From the base.", "From the class.", "Beside the type.",
    ]  # fmt: skip


def test_the_docstrings_of_libraries_describe_no_fields() -> None:
    class Knobs(msgspec.Struct):
        frozen: bool
        order: bool

    assert not any("description" in inner for inner in describe(Knobs)["properties"].values())


def test_what_python_writes_itself_is_no_description() -> None:
    @dataclasses.dataclass
    class Silent(Point):
        pass

    for kind in (Point, Place, Silent, Level):
        assert "description" not in describe(kind)


@keeps("schema.of_attribute_docstrings")
def test_the_text_below_a_field_describes_it() -> None:
    @dataclasses.dataclass
    class Base:
        a: int
        """From
        the base."""

    class Derived(Base):
        pass

    class Typed(te.TypedDict):
        b: int
        "In a dictionary."

    class Longer(Typed):
        c: int
        "In a longer one."

    assert describe(Base)["properties"]["a"]["description"] == "From the base."
    assert describe(dataclasses.dataclass(Derived))["properties"]["a"]["description"] == "From the base."
    texts = {name: inner["description"] for name, inner in describe(Longer)["properties"].items()}
    assert texts == {"b": "In a dictionary.", "c": "In a longer one."}


def test_a_class_without_source_has_no_texts_below_its_fields() -> None:
    made = dataclasses.make_dataclass("Made", [("a", int)])
    for module in ("nowhere_to_be_found", "sys", "_struct"):
        made.__module__ = module
        assert describe(made) == closed({"a": {"type": "integer"}}, "a")


@keeps("schema.of_pydantic")
def test_a_pydantic_model_is_described_in_our_manner() -> None:
    schema = Schema.of(Family)
    address = schema.to_dict()["$defs"]["Address"]
    assert address["description"] == "Where somebody lives."
    assert address["additionalProperties"] is False
    assert address["required"] == ["street", "zip"]
    assert {name: inner["description"] for name, inner in address["properties"].items()} == {
        "street": "With the number.", "townName": "The town.", "zip": "Four digits.",
    }  # fmt: skip
    assert b"title" not in schema.to_json()
    home = {"street": "S", "zip": 3000}
    assert schema.validate({"home": home, "parents": [{"home": home, "extra": {"a": [1]}}]}).valid
    assert not schema.validate({"home": home, "parents": [{"home": home | {"street": ""}}]}).valid
    assert convert({"home": home}, Family).home.city == "Bern"


@keeps("schema.of_pydantic")
def test_pydantic_classes_mix_with_others() -> None:
    Holder = dataclasses.make_dataclass("Holder", [("a", Address), ("b", list[Address]), ("c", Small)])  # noqa: N806
    document = describe(Holder)
    assert list(document["$defs"]) == ["Address"]
    assert document["properties"]["c"] == closed({"x": {"type": "integer", "default": 3, "minimum": 0}})


def test_a_model_that_pydantic_cannot_describe_is_refused() -> None:
    class Odd(pydantic.BaseModel):
        call: Callable[[], None]

    with pytest.raises(UnsupportedTypeError, match="Odd has a field that pydantic has no JSON Schema for"):
        describe(Odd)


class Plain:
    """A class that says nothing of its fields."""


@keeps("schema.of_unsupported")
@pytest.mark.parametrize(
    ("hint", "problem"),
    [
        (Plain, "Plain has no JSON Schema: use a dataclass, a msgspec.Struct, a TypedDict or a pydantic model"),
        (list[Plain], r"list\[Plain\]\[\]: Plain has no JSON Schema"),
        (dataclasses.make_dataclass("D", [("a", list[complex])]), r"D.a\[\]: complex has no JSON Schema: use two"),
        (Callable[[int], int], "has no JSON Schema: take a name, and choose the function by it"),
        (type, "take a name, and choose the class by it"),
        (Box, r"Box.item: the type parameter T stands for nothing here: give it a type, as in Box\[int\], or a bound"),
        ("Point", "Point is text: write the type itself"),
        (dict[float, int], "float cannot be a key: the keys of JSON objects are text"),
        (Annotated[str, Meta(ge=1)], "'ge' has no meaning in JSON Schema for string"),
        (Annotated[int, at.MinLen(1)], "'min_length' has no meaning in JSON Schema for integer"),
        (Annotated[date, at.Ge(date(2030, 1, 1))], "'ge' has no meaning in JSON Schema for string"),
        (Annotated[int, at.Ge(float("inf"))], "the bound 'ge' is not a number that JSON has"),
        (Literal[b"x"], "has a value that is neither text nor a number"),
        (enum.Enum("Pairs", {"A": (1, 2)}), "Pairs has a value that is neither text nor a number"),
        (dataclasses.make_dataclass("I", [("a", dataclasses.InitVar[int])]), "I.a: is an InitVar"),
        (dataclasses.make_dataclass("L", [("a", "Missing")]), "L: an annotation names 'Missing', which is not found"),
        (te.TypeAliasType("A", "Missing"),  # noqa: F821
         "the alias names 'Missing', which is not found"),
        (dataclasses.make_dataclass("S", [("a", "1 +")]), "S: has an annotation that cannot be evaluated"),
    ],
)  # fmt: skip
def test_what_has_no_schema_is_refused_with_what_to_use_instead(hint: Any, problem: str) -> None:
    with pytest.raises(UnsupportedTypeError, match=problem) as caught:
        Schema.of(hint)
    assert isinstance(caught.value, TypeError)


@dataclasses.dataclass
class Endless(Generic[T]):
    next: Endless[list[T]] | None = None


def test_a_type_without_end_is_refused() -> None:
    with pytest.raises(UnsupportedTypeError, match="nested too deeply, or without end"):
        describe(Endless[int])


# The law: what conversion makes of JSON, JSON makes of it again; and the schema lets through what conversion takes.

aware = st.datetimes(timezones=st.just(UTC))
leaves: st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]] = st.sampled_from([
    (int, st.integers(-(2**63), 2**63 - 1)),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (str, st.text()),
    (bool, st.booleans()),
    (None, st.none()),
    (bytes, st.binary()),
    (datetime, aware),
    (date, st.dates()),
    (time, st.times()),
    (timedelta, st.timedeltas(timedelta(days=-9999), timedelta(days=9999))),
    (UUID, st.uuids()),
    (Decimal, st.decimals(allow_nan=False, allow_infinity=False)),
    (Color, st.sampled_from(Color)),
    (Level, st.sampled_from(Level)),
    (Rights, st.integers(0, 3).map(Rights)),
    (Literal["a", 1] | None, st.sampled_from(["a", 1, None])),
    (Point, st.builds(Point, st.integers(), st.integers())),
    (Item, st.builds(Item, unit_price=st.floats(0, 9), tags=st.lists(st.text()), of_kind=st.sampled_from(Color))),
    (Cat | Dog, st.builds(Cat, st.integers()) | st.builds(Dog, st.text())),
    (Row, st.builds(Row, st.text(), st.integers())),
    (Place, st.builds(Place, st.floats(0, 9), st.text())),
    (Movie, st.fixed_dictionaries({"title": st.text()}, optional={"year": st.integers()})),
    (Person, st.builds(Person, st.text(), st.lists(st.text()))),
    (Pair[int], st.builds(Pair, st.integers(), st.integers())),
    (Node, st.recursive(st.builds(Node, st.integers()), lambda node: st.builds(Node, st.integers(), st.lists(node)))),
    (Annotated[int, Meta(ge=0, le=9)], st.integers(0, 9)),
])  # fmt: skip


def containers(
    inner: st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]],
) -> st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]]:
    def around(pair: tuple[Any, st.SearchStrategy[Any]]) -> st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]]:
        hint, values = pair
        return st.sampled_from([
            (list[hint], st.lists(values)),  # type: ignore[valid-type]
            (tuple[hint, int], st.tuples(values, st.integers())),  # type: ignore[valid-type]
            (dict[str, hint], st.dictionaries(st.text(), values)),  # type: ignore[valid-type]
            (dict[int, hint], st.dictionaries(st.integers(), values)),  # type: ignore[valid-type]
            (Box[hint], st.builds(Box, values, st.lists(values))),  # type: ignore[valid-type]
            (hint | None, values | st.none()) if hint is not None else pair,
        ])  # fmt: skip

    return inner.flatmap(around)


@keeps("schema.of_law")
@given(st.data())
def test_whatever_a_type_holds_validates_against_its_schema(data: st.DataObject) -> None:
    hint, values = data.draw(st.recursive(leaves, containers, max_leaves=4))
    value = data.draw(values)
    written = msgspec.to_builtins(value, str_keys=True)
    schema = Schema.of(hint)
    assert schema.validate(written).valid
    assert msgspec.to_builtins(convert(written, hint), str_keys=True) == written


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just("2030-01-31"),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["x", "y", "title", "type", "1"]), inner),
)


@keeps("schema.of_law")
@given(leaves, anything)
def test_whatever_a_schema_lets_through_can_be_converted(
    leaf: tuple[Any, st.SearchStrategy[Any]], value: object
) -> None:
    hint, _ = leaf
    if Schema.of(hint).validate(value).valid and not any_whole_float(value):
        convert(value, hint)


def any_whole_float(value: object) -> bool:
    """Tell whether a float is a whole number: JSON Schema takes 1.0 for an integer, conversion to int does not."""
    if isinstance(value, (list, dict)):
        return any(map(any_whole_float, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer()


@keeps("schema.of_law")
@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Point, {"x": "1"}),
        (Point, {"y": 1}),
        (Item, {"unit_price": 1}),
        (Cat | Dog, {"type": "bird"}),
        (Row, ["a", 1, 2]),
        (Place, {"lat": 1.0}),
        (Movie, {"year": 1}),
        (tuple[int, str], [1]),
        (set[int], [1, 1]),
        (dict[int, int], {"a": 1}),
        (Color, "RED"),
        (Rights, 4),
        (bytes, "no base64!"),
        (Decimal, "1.2.3"),
        (timedelta, "an hour"),
        (date, "31.1.2030"),
        (UUID, "7"),
        (Annotated[Decimal, at.Ge(0)], -1),
    ],
)
def test_what_does_not_belong_to_a_type_is_refused(hint: Any, value: object) -> None:
    assert not Schema.of(hint).validate(value).valid


@keeps("schema.of_law")
@given(leaves)
def test_every_schema_of_a_type_is_itself_valid(leaf: tuple[Any, st.SearchStrategy[Any]]) -> None:
    document = describe(leaf[0])
    assert Schema(document).to_dict() == document
