"""What each provider accepts of JSON Schema, and what is lost on the way there.

One file for each provider that has a language of its own; ``rewriter`` is what they share. A document is never changed:
each translation works on a copy. Whatever the schema, sizes and nesting of the result are bounded.

This room knows what providers accept, and nothing of their protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from toolwright.errors import InvalidSchemaError, NotJsonError
from toolwright.schema.dialects.changes import Change, Changes, Dialected, Translation
from toolwright.schema.dialects.gemini import gemini
from toolwright.schema.dialects.modern import modernize
from toolwright.schema.dialects.ollama import ollama
from toolwright.schema.dialects.openai_strict import openai_strict
from toolwright.schema.dialects.strict_limits import NotStrict
from toolwright.schema.dialects.top_level import anthropic, mcp, openai
from toolwright.values import freeze_object, thaw

__all__ = ["DIALECTS", "Change", "Dialected", "Translation", "translate"]

DIALECTS: Final = ("openai-strict", "openai", "anthropic", "gemini", "ollama", "mcp")
"""The dialects that there are."""

_TRANSLATIONS: Final[Mapping[str, Callable[[dict[str, Any], Changes], dict[str, Any]]]] = {
    "openai": openai, "anthropic": anthropic, "gemini": gemini, "ollama": ollama, "mcp": mcp,
}  # fmt: skip


def translate(document: Mapping[str, Any], dialect: str) -> Translation:
    """Return a JSON Schema as a provider accepts it, with a list of what was lost.

    Raises:
        ValueError: There is no such dialect; the text names those there are.
        InvalidSchemaError: The document is not JSON.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
    try:
        frozen = freeze_object(document)
    except NotJsonError as error:
        raise InvalidSchemaError(error.problem, code="invalid_schema", path=error.path) from None
    changes = Changes()
    if dialect != "openai-strict":
        form = _TRANSLATIONS[dialect](_copy(frozen, dialect), changes)
        return Translation(freeze_object(form), changes.listed())
    try:
        form = openai_strict(_copy(frozen, dialect), changes)
    except NotStrict as reason:
        changes = Changes()
        changes.add(reason.path, reason.keyword, f"{reason.why}; the function is sent as one that is not strict")
        form = openai(_copy(frozen, dialect), changes)
        return Translation(freeze_object(form), changes.listed())
    return Translation(freeze_object(form), changes.listed(), strict=True)


def _copy(frozen: Mapping[str, Any], dialect: str) -> dict[str, Any]:
    copy: dict[str, Any] = thaw(frozen)
    # A server says which edition its schemas are written in; all others take the newest for granted.
    return copy if dialect == "mcp" else modernize(copy)
