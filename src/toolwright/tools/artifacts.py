"""What a tool made besides its answer: files, folders, addresses, captured output.

An :class:`Artifact` describes, it does not hold: the content stays where it is, and its hash says whether it still is
what the tool left there.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, Self, TypeAlias, get_args

from msgspec.structs import force_setattr

from toolwright.messages.decoding import read
from toolwright.values import Value

__all__ = ["Artifact", "ArtifactType", "refuse_other_types"]

ArtifactType: TypeAlias = Literal["file", "directory", "url", "output"]

_CHUNK: Final = 1 << 20

_Kind: TypeAlias = type | tuple[type, ...]
_WORDS: Final[Mapping[_Kind, str]] = {str: "text", int: "a whole number", bool: "true or false"}

# What the system's table does not know, or knows under names that depend on the machine.
_MIME_TYPES: Final = {
    ".csv": "text/csv",
    ".js": "text/javascript",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".log": "text/plain",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
    ".rs": "text/rust",
    ".sh": "application/x-sh",
    ".sql": "application/sql",
    ".toml": "application/toml",
    ".ts": "text/typescript",
    ".tsx": "text/tsx",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


class Artifact(Value, frozen=True, kw_only=True):
    """Something that a call created or changed.

    ``path`` is a path, an address, or a name for captured output. ``size`` (bytes), ``mime_type`` and ``sha256`` are
    those of the content when the artifact was made, and None where there is none. ``is_new`` tells what was created
    from what was changed.

    Raises:
        TypeError: A field holds what it may not.
        ValueError: ``type`` is none of the four words.
    """

    type: ArtifactType
    path: str
    description: str | None = None
    size: int | None = None
    mime_type: str | None = None
    sha256: str | None = None
    is_new: bool = False
    created_at: datetime | None = None

    def __post_init__(self) -> None:
        if isinstance(self.path, os.PathLike):
            force_setattr(self, "path", os.fspath(self.path))
        refuse_other_types(self, _FIELDS)
        if self.type not in get_args(ArtifactType):
            raise ValueError("type: must be file, directory, url or output")

    @classmethod
    def file(
        cls, path: str | os.PathLike[str], *, is_new: bool = False, description: str | None = None, digest: bool = True
    ) -> Self:
        """Describe a file; a large one is read in chunks, or not at all with ``digest=False``.

        Size and hash are None where there is no such file, where it cannot be read, or where it is not a regular file.
        """
        size, sha256 = _measure(os.fspath(path), digest=digest)
        return cls(
            type="file",
            path=os.fspath(path),
            description=description,
            size=size,
            mime_type=_mime_type(os.fspath(path)),
            sha256=sha256,
            is_new=is_new,
            created_at=datetime.now(UTC),
        )

    @classmethod
    def directory(cls, path: str | os.PathLike[str], *, is_new: bool = False, description: str | None = None) -> Self:
        """Describe a folder."""
        return cls(
            type="directory", path=os.fspath(path), description=description, is_new=is_new, created_at=datetime.now(UTC)
        )

    @classmethod
    def url(cls, url: str, *, is_new: bool = False, description: str | None = None) -> Self:
        """Describe something that has an address."""
        return cls(type="url", path=url, description=description, is_new=is_new, created_at=datetime.now(UTC))

    @classmethod
    def text_output(cls, text: str, *, name: str = "output", description: str | None = None) -> Self:
        """Describe text that was written to a terminal or the like, which is not kept here."""
        content = text.encode("utf-8", "replace")
        return cls(
            type="output",
            path=name,
            description=description,
            size=len(content),
            mime_type="text/plain",
            sha256=hashlib.sha256(content).hexdigest(),
            is_new=True,
            created_at=datetime.now(UTC),
        )

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read the JSON form.

        Raises:
            MessageDecodeError: The JSON is malformed, or of another shape.
        """
        return read(cls, text)

    def __repr__(self) -> str:
        return f"Artifact(type={self.type!r}, size={self.size}, mime_type={self.mime_type!r}, is_new={self.is_new})"


_FIELDS: Final[Mapping[str, _Kind]] = {
    "path": str,
    "description": str,
    "size": int,
    "mime_type": str,
    "sha256": str,
    "is_new": bool,
    "created_at": datetime,
}


def refuse_other_types(value: Value, fields: Mapping[str, _Kind]) -> None:
    """Refuse a value with a field of another type, where it is made: later nobody could tell who made it.

    Raises:
        TypeError: It has one; the text names the first.
    """
    for name, kind in fields.items():
        held = getattr(value, name)
        if held is not None and not isinstance(held, kind):
            wanted = _WORDS.get(kind) or f"a {getattr(kind, '__name__', 'number')}"
            raise TypeError(f"{name}: must be {wanted}, not a {type(held).__name__}")


def _mime_type(path: str) -> str | None:
    suffix = Path(path).suffix.lower()
    if suffix in _MIME_TYPES:
        return _MIME_TYPES[suffix]
    import mimetypes  # reads tables of the system, and most calls give no file

    return mimetypes.guess_type(path)[0]


def _measure(path: str, *, digest: bool) -> tuple[int | None, str | None]:
    """Return size and hash of a regular file. It is opened without waiting: a pipe would keep its reader for ever."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None, None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None, None
    with os.fdopen(handle, "rb", buffering=0) as file:
        if not digest:
            return os.fstat(handle).st_size, None
        state, size = hashlib.sha256(), 0
        while chunk := file.read(_CHUNK):
            state.update(chunk)
            size += len(chunk)
        return size, state.hexdigest()
