"""Which texts in a value are paths: those of whose place the schema says ``format: path``.

What a path leads to is not known here, nor whether it may.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from toolwright.schema.document import Document
from toolwright.schema.editions import Node, Place
from toolwright.schema.evaluate import Evaluation
from toolwright.schema.notes import inner_schemas, members_of, spread
from toolwright.schema.plain import make_plain
from toolwright.schema.wording import to_path

__all__ = ["PathInValue", "find_paths", "names_paths"]

_MUST_EXIST = "x-must-exist"


class PathInValue(NamedTuple):
    """A text that is a path: the keys that lead to it, the text, and whether it has to lead to something."""

    place: Place
    text: str
    must_exist: bool

    @property
    def path(self) -> str:
        """Where it stands, as people write it: ``options.files[2]``."""
        return to_path(self.place)


def names_paths(document: Document) -> bool:
    """Say whether a schema speaks of paths at all."""
    return "format" in document.keywords and any(node.get("format") == "path" for node in document.schemas)


def find_paths(document: Document, root: Node, value: Any) -> Iterator[PathInValue]:
    """Go through the paths in a valid value, in order.

    Raises:
        NotJsonError: The value is not JSON.
        Unanswerable: It cannot be told within limits.
    """
    run = Evaluation(document)
    waiting: list[tuple[Place, Any, list[Node]]] = [((), make_plain(value), [root])]
    while waiting:
        place, item, schemas = waiting.pop()
        here = spread(run, schemas, item, place)
        if isinstance(item, str) and any(node.get("format") == "path" for node in here):
            must_exist = any(node.get(_MUST_EXIST) is True for node in here)
            yield PathInValue(place, item, must_exist)
        for key, member in reversed(members_of(item) or []):
            waiting.append(((*place, key), member, inner_schemas(run, here, key, (*place, key))))
