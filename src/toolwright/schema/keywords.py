"""What each keyword of JSON Schema means for a value: one small function a keyword, in the order of the standard.

Each is registered for the types it speaks about and for the dialects that have it. A function adds a fault for what
does not fit and does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolwright.schema import engine
from toolwright.schema.editions import Place
from toolwright.schema.evaluated import evaluated_items, evaluated_names
from toolwright.schema.faults import MOST_FAULTS, Fault, NotPlainError
from toolwright.schema.plain import PLAIN, same_key, type_of, type_of_kind
from toolwright.schema.unions import nearest_faults

if TYPE_CHECKING:
    from toolwright.schema.evaluate import Evaluation

__all__ = ["Check", "Faults", "Schema", "checks_for", "fits_by_kind", "register"]

Faults: TypeAlias = list[Fault]
Schema: TypeAlias = dict[str, Any]
Check: TypeAlias = "Callable[[Evaluation, Any, Any, Place, Schema, Faults], None]"
"""Holds a value against one keyword: (evaluation, argument, value, place, schema, faults found so far)."""

_CHECKS: Final[list[tuple[str, Check, tuple[type, ...], range]]] = []

_COUNTED: Final = {"string": "characters", "array": "items", "object": "properties"}


def register(keyword: str, *types: type, since: int = 4, until: int = 20) -> Callable[[Check], Check]:
    """Register what a keyword means for values of some types, in the dialects from one to another."""

    def add(check: Check) -> Check:
        _CHECKS.append((keyword, check, types or tuple(PLAIN), range(since, until + 1)))
        return check

    return add


@cache
def checks_for(dialect: int) -> dict[type, dict[str, Check]]:
    """Return the checks of a dialect, by the type of the value and the keyword."""
    return {
        kind: {keyword: check for keyword, check, types, dialects in _CHECKS if kind in types and dialect in dialects}
        for kind in PLAIN
    }


# Any value


def fits_by_kind(kind: type, wanted: str | list[str]) -> bool:
    """Tell whether every plain value of a Python type has one of the JSON types that a schema wants."""
    types = [wanted] if isinstance(wanted, str) else wanted
    return type_of_kind(kind) in types or (kind is int and "number" in types)


@register("type")
# Asked only where the Python type does not settle it.
def _type(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    wanted: list[str] = [argument] if argument.__class__ is str else argument
    # Since draft 6 a number without a fraction is an integer, however it is written.
    if "integer" in wanted and value.__class__ is float and value.is_integer() and run.document.dialect.number > 4:
        return
    found.append(Fault(place, "type", wanted, value, node))


@register("false")
def _false(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    found.append(Fault(place, "false", None, value, node))


@register("finite", float)
def _finite(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if not isfinite(value):
        raise NotPlainError


@register("enum")
def _enum(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if same_key(value) not in run.options(argument):
        found.append(Fault(place, "enum", argument, value, node))


@register("const", since=6)
def _const(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if same_key(value) != same_key(argument):
        found.append(Fault(place, "enum", [argument], value, node))


# Numbers


@register("minimum", int, float)
def _minimum(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if node.get("exclusiveMinimum") is True and run.document.dialect.number == 4:
        _exclusive_minimum(run, argument, value, place, node, found)
    elif value < argument:
        found.append(Fault(place, "minimum", argument, value, node))


@register("maximum", int, float)
def _maximum(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if node.get("exclusiveMaximum") is True and run.document.dialect.number == 4:
        _exclusive_maximum(run, argument, value, place, node, found)
    elif value > argument:
        found.append(Fault(place, "maximum", argument, value, node))


@register("exclusiveMinimum", int, float, since=6)
def _exclusive_minimum(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if value <= argument:
        found.append(Fault(place, "exclusiveMinimum", argument, value, node))


@register("exclusiveMaximum", int, float, since=6)
def _exclusive_maximum(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if value >= argument:
        found.append(Fault(place, "exclusiveMaximum", argument, value, node))


@register("multipleOf", int, float)
def _multiple_of(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    # The engine computes with decimals, so that 0.3 is a multiple of 0.1; there should not be a second opinion.
    if not engine.fits_keyword("multipleOf", argument, value):
        found.append(Fault(place, "multipleOf", argument, value, node))


# Texts


@register("pattern", str)
def _pattern(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if not run.matches(argument, value, place):
        found.append(Fault(place, "pattern", argument, value, node))


@register("format", str)
def _format(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if run.formats and not engine.fits_keyword("format", argument, value):
        found.append(Fault(place, "format", argument, value, node))


# Lengths of texts, arrays and objects


@register("minLength", str)
@register("minItems", list)
@register("minProperties", dict)
def _at_least(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if len(value) < argument:
        found.append(Fault(place, "least", (argument, _COUNTED[type_of(value)]), value, node))


@register("maxLength", str)
@register("maxItems", list)
@register("maxProperties", dict)
def _at_most(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if len(value) > argument:
        found.append(Fault(place, "most", (argument, _COUNTED[type_of(value)]), value, node))


# Arrays


@register("uniqueItems", list)
def _unique_items(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if argument is not True:
        return
    seen: dict[object, int] = {}
    for index, item in enumerate(value):
        first = seen.setdefault(same_key(item), index)
        if first != index:
            found.append(Fault((*place, index), "uniqueItems", first, item, node))
            if len(found) >= MOST_FAULTS:
                return


def _each(run: Evaluation, schemas: Any, value: Any, place: Place, start: int, found: Faults) -> None:
    """Hold the items from ``start`` against one schema, or one after another against several."""
    several = schemas.__class__ is list
    stop = start + len(schemas) if several else len(value)
    for index in range(start, min(stop, len(value))):
        schema = schemas[index - start] if several else schemas
        plan = run.plan(schema, value[index])
        if plan:
            found += run.carry_out(plan, schema, value[index], (*place, index))
            if len(found) >= MOST_FAULTS:
                return


@register("prefixItems", list, since=20)
def _prefix_items(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    _each(run, argument, value, place, 0, found)


@register("items", list)
def _items(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    start = len(node.get("prefixItems", ())) if run.document.dialect.number >= 20 else 0
    _rest(run, argument, value, place, start, node, found)


@register("additionalItems", list, until=19)
def _additional_items(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    first: Any = node.get("items")
    if first.__class__ is list:
        _rest(run, argument, value, place, len(first), node, found)


def _rest(run: Evaluation, schema: Any, value: Any, place: Place, start: int, node: Schema, found: Faults) -> None:
    if schema is False:
        if len(value) > start:
            found.append(Fault(place, "most", (start, "items"), value, node))
    else:
        _each(run, schema, value, place, start, found)


@register("contains", list, since=6)
def _contains(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    counts = run.document.dialect.number >= 19
    least = node.get("minContains", 1) if counts else 1
    most = node.get("maxContains", len(value)) if counts else len(value)
    fitting = sum(run.fits(argument, item, (*place, index)) for index, item in enumerate(value))
    if fitting < least:
        found.append(Fault(place, "contains", ("at least", least, argument), value, node))
    elif fitting > most:
        found.append(Fault(place, "contains", ("at most", most, argument), value, node))


@register("unevaluatedItems", list, since=19)
def _unevaluated_items(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if argument is True:
        return
    evaluated = evaluated_items(run, node, value, place)
    for index, item in enumerate(value):
        if index in evaluated:
            continue
        if argument is False:
            found.append(Fault((*place, index), "undefined", None, item, node))
        else:
            found += run.faults(argument, item, (*place, index))
        if len(found) >= MOST_FAULTS:
            return


# Objects


@register("required", dict)
def _required(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    found += [Fault((*place, name), "required", None, None, node) for name in argument if name not in value]


@register("properties", dict)
def _properties(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for name, schema in argument.items():
        if name not in value:
            continue
        plan = run.plan(schema, value[name])
        if schema is False:
            found.append(Fault((*place, name), "undefined", None, value[name], node))
        elif plan:
            found += run.carry_out(plan, schema, value[name], (*place, name))
        if len(found) >= MOST_FAULTS:
            return


@register("patternProperties", dict)
def _pattern_properties(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for pattern, schema in argument.items():
        for name, item in value.items():
            if run.matches(pattern, name, (*place, name)):
                found += run.faults(schema, item, (*place, name))
                if len(found) >= MOST_FAULTS:
                    return


@register("additionalProperties", dict)
def _additional(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if argument is True:
        return
    defined = node.get("properties", {})
    patterns = node.get("patternProperties", ())
    if value.keys() <= defined.keys():
        return
    for name, item in value.items():
        if name in defined:
            continue
        if name.__class__ is not str:
            raise NotPlainError
        if patterns and any(run.matches(pattern, name, (*place, name)) for pattern in patterns):
            continue
        if argument is False:
            found.append(Fault((*place, name), "undefined", _nearest(run, name, defined, value), item, node))
        else:
            found += run.faults(argument, item, (*place, name))
        if len(found) >= MOST_FAULTS:
            return


def _nearest(run: Evaluation, name: str, defined: Schema, value: Schema) -> str | None:
    """Return the property that was probably meant by a name that is not defined: similar, and not given already."""
    if len(name) > 64 or len(defined) > 500 or not run.may_guess():
        return None
    similar = [other for other in defined if other not in value and _shares_letters(name, other)]
    squeezed = _squeezed(name)
    spelt = [other for other in similar if _squeezed(other) == squeezed]
    return next(iter(spelt or (similar and get_close_matches(name, similar, 1))), None)


def _squeezed(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _shares_letters(name: str, other: str) -> bool:
    """Tell quickly whether two names can be similar at all: comparing them properly takes ten times as long."""
    if not 0.4 < len(name) / (len(other) or 1) < 2.5:
        return False
    letters, others = set(_squeezed(name)), set(_squeezed(other))
    return len(letters & others) * 2 > max(len(letters), len(others))


@register("propertyNames", dict, since=6)
def _property_names(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for name in value:
        # A name is no place of its own: what is found out about it must not be mistaken for its property's.
        wrong = run.faults(argument, name, (*place, name, "\0name"))
        if wrong:
            found.append(Fault((*place, name), "propertyNames", wrong[0], value[name], node))
            if len(found) >= MOST_FAULTS:
                return


@register("dependentRequired", dict, since=19)
def _dependent_required(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for name, needed in argument.items():
        if name in value:
            found += [Fault((*place, other), "required", name, None, node) for other in needed if other not in value]


@register("dependentSchemas", dict, since=19)
def _dependent_schemas(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for name, schema in argument.items():
        if name in value:
            found += run.faults(schema, value, place)


@register("dependencies", dict)
def _dependencies(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for name, needed in argument.items():
        each = _dependent_required if needed.__class__ is list else _dependent_schemas
        each(run, {name: needed}, value, place, node, found)


@register("unevaluatedProperties", dict, since=19)
def _unevaluated(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if argument is True:
        return
    evaluated = evaluated_names(run, node, value, place)
    for name, item in value.items():
        if name in evaluated:
            continue
        if argument is False:
            found.append(Fault((*place, name), "undefined", None, item, node))
        else:
            found += run.faults(argument, item, (*place, name))
        if len(found) >= MOST_FAULTS:
            return


# Schemas for the same value


@register("$ref")
# A plan holds what the reference leads to in place of its text.
def _ref(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if argument.__class__ is not str:
        found += run.faults(argument, value, place)
    elif not engine.is_meta_schema(argument, value):
        found.append(Fault(place, "schema", None, value, node))


@register("$dynamicRef", since=20)
def _dynamic_ref(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    _ref(run, run.target(node, "$dynamicRef"), value, place, node, found)


@register("$recursiveRef", since=19, until=19)
def _recursive_ref(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    _ref(run, run.target(node, "$recursiveRef"), value, place, node, found)


@register("allOf")
def _all_of(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    for schema in argument:
        found += run.faults(schema, value, place)
        if len(found) >= MOST_FAULTS:
            return


@register("anyOf")
def _any_of(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    branches = [run.faults(schema, value, place) for schema in argument]
    if all(branches):
        found += nearest_faults(branches, place)


@register("oneOf")
def _one_of(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    branches = [run.faults(schema, value, place) for schema in argument]
    fitting = sum(not faults for faults in branches)
    if fitting == 0:
        found += nearest_faults(branches, place)
    elif fitting > 1:
        found.append(Fault(place, "oneOf", fitting, value, node))


@register("not")
def _not(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    if run.fits(argument, value, place):
        found.append(Fault(place, "not", argument, value, node))


@register("if", since=7)
def _if(run: Evaluation, argument: Any, value: Any, place: Place, node: Schema, found: Faults) -> None:
    branch = node.get("then" if run.fits(argument, value, place) else "else", True)
    found += run.faults(branch, value, place)
