"""What the docstrings of a class say: of the class itself, and of its fields.

This module puts texts into schemas that others made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_origin

from toolwright.schema import docstrings
from toolwright.schema.source import attribute_docs

__all__ = ["add_field_texts", "class_summary"]


_LIBRARIES: Final = {"builtins", "typing", "typing_extensions", "enum", "abc", "msgspec", "pydantic"}
# Ancestors that have docstrings, and no fields of the class's own.


def class_summary(cls: type) -> str:
    """Return the first paragraph of a class's own docstring; what Python makes up itself is none."""
    return docstrings.parse(_own_doc(cls)).summary


def add_field_texts(cls: type, schemas: Mapping[str, dict[str, Any]]) -> None:
    """Describe the fields that have no description yet, from docstrings of the class and its ancestors."""
    missing = {name: schema for name, schema in schemas.items() if "description" not in schema}
    ancestors = list(_lineage(cls))
    if missing:
        _fill(missing, (docstrings.parse(doc).parameters for base in ancestors if (doc := _own_doc(base))))
    if missing:
        _fill(missing, map(attribute_docs, ancestors))


def _fill(missing: dict[str, dict[str, Any]], texts: Iterator[Mapping[str, str]]) -> None:
    for found in texts:
        for name in missing.keys() & found.keys():
            missing.pop(name)["description"] = found[name]


def _lineage(cls: type) -> Iterator[type]:
    """Yield a class and its ancestors, nearest first; those of a TypedDict are not among its bases."""
    if hasattr(cls, "__required_keys__"):
        yield cls
        for base in getattr(cls, "__orig_bases__", ()):
            base = get_origin(base) or base  # noqa: PLW2901  (the class of a parametrised one)
            if isinstance(base, type) and hasattr(base, "__required_keys__"):
                yield from _lineage(base)
    else:
        yield from (base for base in cls.__mro__ if base.__module__.partition(".")[0] not in _LIBRARIES)


def _own_doc(cls: type) -> str:
    doc = cls.__dict__.get("__doc__")
    # "Point(x: int, y: int)" is what dataclasses and named tuples write.
    made_up = not isinstance(doc, str) or (doc.startswith(f"{cls.__name__}(") and doc.endswith(")"))
    return "" if made_up else str(doc)
