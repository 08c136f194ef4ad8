"""The schemas that pydantic's classes write of themselves, in the manner of ours.

Pydantic itself is imported only where a class is pydantic's already. Its machine-made titles go, objects are closed
where it says nothing, and docstrings fill in the descriptions that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_args

from toolwright.errors import UnsupportedTypeError
from toolwright.schema import docstrings
from toolwright.schema.fields import reader_of
from toolwright.schema.parts import children, is_schema, lookup, references

__all__ = ["is_pydantic", "model_document"]


def is_pydantic(kind: Any) -> bool:
    """Tell whether a class is a pydantic model or dataclass."""
    return isinstance(kind, type) and hasattr(kind, "__pydantic_validator__")


def model_document(kind: Any, describe_fields: Callable[[type, dict[str, Any]], None], *, where: str) -> dict[str, Any]:
    """Return the schema of a pydantic class; ``describe_fields`` gets each model in it, with its properties.

    Raises:
        UnsupportedTypeError: Pydantic knows no JSON Schema for something in it.
    """
    try:
        document = _generate(kind)
    except (TypeError, ValueError, NameError, RuntimeError):
        raise UnsupportedTypeError(
            f"{kind.__name__} has a field that pydantic has no JSON Schema for: give that field another type",
            path=where,
        ) from None
    bodies: dict[str, Any] = {kind.__name__: document} | document.get("$defs", {})
    for model in _models(kind, set()):
        properties: object = bodies.get(model.__name__, {}).get("properties")
        if is_schema(properties):
            names = _attributes(model)
            describe_fields(model, {names.get(key, key): schema for key, schema in properties.items()})
    for name, body in bodies.items():
        _clean(body, name)
    return _unwrap(document)


def _attributes(model: type) -> dict[str, str]:
    """Return the attribute behind each name that is written in JSON."""
    fields: dict[str, Any] = getattr(model, "__pydantic_fields__", {})
    return {str(field.validation_alias or field.alias or name): name for name, field in fields.items()}


def _unwrap(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with the model itself at the top, where pydantic has it among the definitions."""
    place = document.get("$ref")
    body: Any = lookup(document, place)
    if not is_schema(body):
        return document
    for reference in references(document):
        if reference["$ref"] == place:
            reference["$ref"] = "#"
    return {**body, "$defs": {name: other for name, other in document["$defs"].items() if other is not body}}


def _generate(kind: Any) -> dict[str, Any]:
    if hasattr(kind, "model_json_schema"):
        return dict(kind.model_json_schema())
    from pydantic import TypeAdapter  # its own dataclasses cannot write their schema themselves

    return dict(TypeAdapter(kind).json_schema())


def _models(hint: Any, seen: set[Any]) -> Iterator[type]:
    """Yield the classes with fields that a type mentions, itself first; it looks into those of pydantic only."""
    if reader_of(hint) is not None or is_pydantic(hint):
        if hint in seen:
            return
        seen.add(hint)
        yield hint
        for field in getattr(hint, "__pydantic_fields__", {}).values():
            yield from _models(field.annotation, seen)
    for argument in get_args(hint):
        yield from _models(argument, seen)


def _clean(body: dict[str, Any], name: str) -> None:
    waiting = [(name, body)]
    while waiting:
        name, schema = waiting.pop()
        properties: Any = schema.get("properties")
        named = properties if is_schema(properties) else {}
        if schema.get("title") in (name, name.replace("_", " ").title()):
            del schema["title"]
        if isinstance(schema.get("description"), str) and "properties" in schema:
            schema["description"] = docstrings.parse(schema["description"]).description
        schema.pop("discriminator", None)  # OpenAPI's; its constants say the same
        if schema.get("type") == "object" and is_schema(properties):
            schema.setdefault("additionalProperties", False)
        if schema.get("additionalProperties") is True:
            schema["additionalProperties"] = {}  # as for our own mappings: open on purpose, not by default
        ids = {id(inner): key for key, inner in named.items()}
        waiting += [(ids.get(id(inner), ""), inner) for inner in children(schema)]
