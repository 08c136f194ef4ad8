"""JSON Schema: describes parameters and outputs, validates values, and becomes what each provider accepts.

This room knows nothing of tools, messages or providers' protocols. The way through it::

    schema          the value that everybody holds
    document        where subschemas stand, what refers to what; refuses what cannot be trusted
    ordinary, cost  what the compiled engine may be asked
    engine          jsonschema-rs: the only file that knows it
    evaluate        what exactly is wrong: keywords, evaluated, unions; in words by wording, as a report
    repair, defaults, notes    what was meant, what is left out, what is worth knowing
    builder, from_python, dialects    where schemas come from, and where they go
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Meta

from toolwright.schema.report import ValidationIssue, ValidationReport
from toolwright.schema.schema import Schema

if TYPE_CHECKING:
    from toolwright.schema.builder import SchemaBuilder
    from toolwright.schema.dialects import Dialected

__all__ = ["Dialected", "Meta", "Schema", "SchemaBuilder", "ValidationIssue", "ValidationReport"]

if not TYPE_CHECKING:
    _LATER = {"SchemaBuilder": "builder", "Dialected": "dialects"}

    def __getattr__(name: str) -> object:
        # Those who bring their schemas along need neither.
        if name in _LATER:
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
