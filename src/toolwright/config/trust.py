"""The folders that a user trusts: whose project files may loosen what he has.

Trust is about one folder, wherever links lead to it, and about nothing inside it that has a file of its own. The list
is the user's; nothing in a project can add to it.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from toolwright.errors import ConfigError

__all__ = ["TrustedFolder", "TrustedFolders"]


class TrustedFolder(msgspec.Struct, frozen=True):
    """A folder, and since when it is trusted."""

    folder: str
    at: datetime


class _List(msgspec.Struct, frozen=True):
    folders: tuple[TrustedFolder, ...] = ()


class TrustedFolders:
    """The list of trusted folders, in a file of the user's. A missing file is an empty list."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def all(self) -> tuple[TrustedFolder, ...]:
        """Return all trusted folders, in the order in which they came.

        Raises:
            ConfigError: The file cannot be read.
        """
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as error:
            fault = ConfigError(f"cannot be read: {error.strerror}", code="unreadable", path=str(self.file))
            raise fault from None
        try:
            return msgspec.json.decode(content, type=_List).folders
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
        raise ConfigError("is not a list of trusted folders; remove it", code="unreadable", path=str(self.file))

    def holds(self, folder: Path) -> bool:
        """Say whether exactly this folder is trusted."""
        real = os.path.realpath(folder)
        return any(each.folder == real for each in self.all())

    def add(self, folder: Path) -> bool:
        """Trust a folder; say whether it was not trusted before.

        Raises:
            ConfigError: The file cannot be read, or the folder's name cannot be written.
            OSError: It cannot be written.
        """
        real = os.path.realpath(folder)
        known = self.all()
        if any(each.folder == real for each in known):
            return False
        if not os.fsencode(real).isascii() and real.encode("utf-8", "replace").decode() != real:
            raise ConfigError("has a name that is not text; it cannot be trusted", code="wrong_value", path=str(folder))
        self._write(_List((*known, TrustedFolder(real, datetime.now(UTC)))))
        return True

    def remove(self, folder: Path) -> bool:
        """Trust a folder no longer; say whether it was trusted.

        Raises:
            ConfigError: The file cannot be read.
            OSError: It cannot be written.
        """
        real = os.path.realpath(folder)
        known = self.all()
        left = tuple(each for each in known if each.folder != real)
        if len(left) < len(known):
            self._write(_List(left))
        return len(left) < len(known)

    def _write(self, folders: _List) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=self.file.parent, prefix=f".{self.file.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(folders)) + b"\n")
            Path(temporary).replace(self.file)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
