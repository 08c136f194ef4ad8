"""Which tools share a word with a question: the first, coarse step of a search.

Two ways that answer alike: SQLite's full-text index, and going through all tools where SQLite was built without one.
:mod:`toolwright.registry.index` ranks what comes out of here.

This module may not know definitions, nor what a question means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Final, Protocol
from weakref import finalize

from toolwright.registry.documents import Document

__all__ = ["FullText", "Postings", "Scan", "has_full_text"]

_WEIGHTS: Final = "5, 2, 1"  # name, description, parameters: coarser than in documents.py, for the first step only


class Postings(Protocol):
    """The documents of an index, found by the stems in them. Not safe for several threads: the index locks."""

    def change(self, removed: Iterable[int], added: Iterable[tuple[int, Document]]) -> None:
        """Forget some documents and take in others."""
        ...

    def having(self, terms: Sequence[str], count: int) -> list[int]:
        """Return the numbers of up to ``count`` documents that have any of the stems, the likeliest ones at least."""
        ...


def has_full_text() -> bool:
    """Say whether Python has SQLite here, and SQLite its full-text search (FTS5)."""
    try:
        import sqlite3  # some builds of Python come without it
    except ImportError:
        return False
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        except sqlite3.OperationalError:
            return False
    return True


class FullText:
    """Documents in a full-text index in memory."""

    def __init__(self) -> None:
        import sqlite3  # see has_full_text

        # Used by whatever thread searches, one at a time.
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        finalize(self, self._connection.close)
        self._connection.execute(
            "CREATE VIRTUAL TABLE documents USING fts5(name, description, parameters, "
            "tokenize = 'unicode61 remove_diacritics 0')"
        )
        self._connection.execute(f"INSERT INTO documents(documents, rank) VALUES ('rank', 'bm25({_WEIGHTS})')")  # noqa: S608

    def change(self, removed: Iterable[int], added: Iterable[tuple[int, Document]]) -> None:
        """Forget some documents and take in others."""
        self._connection.execute("BEGIN")
        self._connection.executemany("DELETE FROM documents WHERE rowid = ?", ((number,) for number in removed))
        self._connection.executemany(
            "INSERT INTO documents(rowid, name, description, parameters) VALUES (?, ?, ?, ?)",
            ((number, *document.columns) for number, document in added),
        )
        self._connection.execute("COMMIT")

    def having(self, terms: Sequence[str], count: int) -> list[int]:
        """Return the numbers of up to ``count`` documents that have any of the stems, the likeliest ones first."""
        # A stem is letters and digits only; quoted, it is never an operator.
        wanted = " OR ".join(f'"{term}"' for term in terms)
        rows = self._connection.execute(
            "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?", (wanted, count)
        )
        return [number for (number,) in rows]


class Scan:
    """Documents in a dictionary, gone through one by one."""

    def __init__(self) -> None:
        self._documents: dict[int, Document] = {}

    def change(self, removed: Iterable[int], added: Iterable[tuple[int, Document]]) -> None:
        """Forget some documents and take in others."""
        for number in removed:
            del self._documents[number]
        self._documents.update(added)

    def having(self, terms: Sequence[str], count: int) -> list[int]:
        """Return the numbers of all documents that have any of the stems."""
        wanted = set(terms)
        return [
            number for number, document in self._documents.items() if not wanted.isdisjoint(document.weights.keys())
        ]
