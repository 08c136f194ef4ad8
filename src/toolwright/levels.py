"""The words that several rooms share: what kind of tool, how risky, how isolated.

Each word is text, the one that stands in JSON, and carries what is known about it as attributes: the rows below are the
table. Risks and levels of isolation are ordered by their number, also against the plain words.

This module may not know what a tool, a tier or a policy is, nor decide anything.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import StrEnum
from inspect import get_annotations
from typing import Final, Self

from toolwright.errors import UnknownWordError

__all__ = ["OrderedWord", "RiskLevel", "SandboxIsolationLevel", "ToolCategory", "Word"]

_SEPARATORS: Final = re.compile(r"[\W_]+")


def _letters(text: object) -> str:
    return _SEPARATORS.sub("", str(text)).casefold()


class Word(StrEnum):
    """One word of a closed list, with the integer under which it is stored.

    A member is written as a row: its word, then a value for each attribute that the list declares, in that order. The
    numbers of a list go up from 0.
    """

    number: int
    display_name: str
    description: str

    def __new__(cls, word: str, *row: object) -> Self:
        """Make the member that a row describes."""
        self = str.__new__(cls, word)
        self._value_ = word
        columns = [name for kind in reversed(cls.__mro__) if issubclass(kind, Word) for name in get_annotations(kind)]
        for name, value in zip(columns, row, strict=True):
            setattr(self, name, value)
        return self

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a word in any case and with any separator: ``FileSystem``, ``file-system`` and ``FILE_SYSTEM`` are one.

        Raises:
            UnknownWordError: The list has no such word; the text names the nearest.
        """
        word = cls._find(text)
        if word is not None:
            return word
        near = get_close_matches(_letters(text)[:64], list(cls), n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UnknownWordError(f"is not one of {', '.join(cls)}{hint}", code="unknown_word")

    @classmethod
    def from_number(cls, number: int) -> Self:
        """Return the word that is stored as ``number``.

        Raises:
            UnknownWordError: No word of this list has the number.
        """
        for word in cls:
            if word.number == number:
                return word
        raise UnknownWordError(f"is not a number from 0 to {len(cls) - 1}", code="unknown_word")

    @classmethod
    def _find(cls, text: object) -> Self | None:
        if not isinstance(text, str):
            return None
        known = cls._value2member_map_.get(text)
        if isinstance(known, cls):
            return known
        wanted = _letters(text)
        return next((word for word in cls if _letters(word) == wanted), None)

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls._find(value)


class OrderedWord(Word):
    """A word whose list has an order: compared by number, never by the alphabet.

    A plain word is compared as the member that it names; comparing with anything else is a ``TypeError``.
    """

    def __lt__(self, other: str) -> bool:
        return self.number < self._rank(other)

    def __le__(self, other: str) -> bool:
        return self.number <= self._rank(other)

    def __gt__(self, other: str) -> bool:
        return self.number > self._rank(other)

    def __ge__(self, other: str) -> bool:
        return self.number >= self._rank(other)

    def _rank(self, other: object) -> int:
        # Another list's word is text as well, and may be spelt like one of ours.
        word = other if isinstance(other, type(self)) else None if isinstance(other, Word) else self._find(other)
        if word is None:
            # Raised, not NotImplemented: text would then compare itself with us, by the alphabet.
            raise TypeError(f"a {type(self).__name__} is compared with its own words only")
        return word.number


class RiskLevel(OrderedWord):
    """How much harm a call can do; from medium on, a person is asked unless a rule says otherwise."""

    color: str
    requires_approval: bool
    show_in_log: bool

    SAFE = "safe", 0, "Safe", "Read-only operation with no side effects", "#22C55E", False, False
    LOW = "low", 1, "Low Risk", "Reversible changes to files", "#3B82F6", False, True
    MEDIUM = "medium", 2, "Medium Risk", "Significant changes requiring attention", "#F59E0B", True, True
    HIGH = "high", 3, "High Risk", "Potentially destructive operation", "#EF4444", True, True
    CRITICAL = "critical", 4, "Critical", "System-level operation with broad impact", "#DC2626", True, True


class ToolCategory(Word):
    """What a tool works on; decides its risk where the definition does not."""

    icon: str
    default_risk: RiskLevel

    FILE_SYSTEM = "file_system", 0, "File System", "Operations on files and directories", "file", RiskLevel.MEDIUM
    NETWORK = "network", 1, "Network", "HTTP and network operations", "globe", RiskLevel.MEDIUM
    DATABASE = "database", 2, "Database", "Queries and changes of databases", "database", RiskLevel.MEDIUM
    CODE_EXECUTION = "code_execution", 3, "Code Execution", "Running and compiling of code", "code", RiskLevel.HIGH
    EXTERNAL_API = "external_api", 4, "External API", "Services of third parties", "plug", RiskLevel.MEDIUM
    KNOWLEDGE = "knowledge", 5, "Knowledge", "Knowledge graphs and semantic search", "book", RiskLevel.LOW
    COMMUNICATION = "communication", 6, "Communication", "Messages and notifications", "message", RiskLevel.MEDIUM
    SYSTEM = "system", 7, "System", "System-level operations", "settings", RiskLevel.LOW
    TERMINAL = "terminal", 8, "Terminal", "Shell commands and scripts", "terminal", RiskLevel.HIGH
    SEARCH = "search", 9, "Search", "Find files and content", "search", RiskLevel.SAFE
    WORKSPACE = "workspace", 10, "Workspace", "Project and workspace operations", "folder", RiskLevel.LOW
    EDITOR = "editor", 11, "Editor", "Code editing and navigation", "edit", RiskLevel.LOW
    GIT = "git", 12, "Git", "Version control operations", "git-branch", RiskLevel.MEDIUM
    CUSTOM = "custom", 13, "Custom", "User-defined tools", "puzzle", RiskLevel.LOW


class SandboxIsolationLevel(OrderedWord):
    """The least isolation in which a tool may run: more is fine, less is refused."""

    NONE = "none", 0, "None", "Runs in the program itself: for trusted code only"
    STANDARD = "standard", 1, "Standard", "A process of its own with limits; files and network allowed"
    STRICT = "strict", 2, "Strict", "Only the files and hosts that are named"
    RESTRICTED = "restricted", 3, "Restricted", "No files, no network, little memory"
