"""Reasoning in details: thoughts, summaries and what nobody can read, each an object that a stream brings in pieces."""

from __future__ import annotations

from typing import Any, final

from toolwright.providers.codecs.documents import is_keepable

__all__ = ["Details", "text_field"]


def text_field(detail: dict[str, Any]) -> str:
    """Return the field of a detail that has its text."""
    return "summary" if detail.get("type") == "reasoning.summary" else "text"


@final
class Details:
    """Puts details together, as they have to be sent back."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: list[tuple[dict[str, Any], list[str]]] = []

    def add(self, detail: dict[str, Any], text: str, *, goes_on: bool) -> None:
        """Take a detail: as the next piece of the last one, where a stream ``goes_on`` with it."""
        if not is_keepable(detail):
            return
        if self._found and goes_on and "index" in detail:
            last, pieces = self._found[-1]
            if last.get("index") == detail["index"] and last.get("type") == detail.get("type"):
                last.update({key: value for key, value in detail.items() if value is not None})
                pieces.append(text)
                return
        self._found.append((dict(detail), [text]))

    def whole(self) -> list[dict[str, Any]]:
        """Return the details with all of their texts."""
        return [_joined(detail, "".join(pieces)) for detail, pieces in self._found]


def _joined(detail: dict[str, Any], text: str) -> dict[str, Any]:
    return {**detail, text_field(detail): text} if text else detail
