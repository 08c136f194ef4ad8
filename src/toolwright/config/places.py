"""Where configuration lies: the user's folders, and the file of a project.

Nothing is made or read here. Files of other programs, and what a user keeps beside them, are not known.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, Self

import msgspec

from toolwright.errors import ConfigError, MissingExtraError

__all__ = ["PROJECT_FILE", "Places", "find_project_file"]

PROJECT_FILE: Final = "toolwright.toml"
"""What a project's file is called; it is looked for from the workspace upwards."""


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """The user's folders: for what he writes, for what is kept for him, for what can be fetched again."""

    config: Path
    data: Path
    cache: Path

    @classmethod
    def of_user(cls) -> Self:
        """Return the folders that this platform has for the user who runs the program.

        Raises:
            MissingExtraError: ``platformdirs`` is not installed.
        """
        try:
            from platformdirs import PlatformDirs  # optional
        except ImportError:
            raise MissingExtraError("Finding the user's folders", extra="cli") from None
        folders = PlatformDirs("toolwright", appauthor=False)
        return cls(config=folders.user_config_path, data=folders.user_data_path, cache=folders.user_cache_path)

    @property
    def user_file(self) -> Path:
        """The user's file."""
        return self.config / "config.toml"

    @property
    def trust_file(self) -> Path:
        """The list of trusted folders."""
        return self.config / "trusted.json"

    @property
    def definitions(self) -> Path:
        """The user's own folder of definition files."""
        return self.config / "tools"

    @property
    def runs(self) -> Path:
        """Where runs are kept unless a setting says otherwise."""
        return self.data / "runs"

    def decisions(self, folder: Path) -> Path:
        """Return the file for what the user decided about a project whose own file he does not trust."""
        return self.config / "projects" / f"{sha256(os.fsencode(folder)).hexdigest()[:32]}.toml"

    def to_dict(self) -> Mapping[str, str]:
        """Return all places by their names."""
        names = ("user_file", "trust_file", "definitions", "runs", "config", "data", "cache")
        return {name: str(getattr(self, name)) for name in names}


def find_project_file(workspace: Path) -> Path | None:
    """Return the file of the project that a folder belongs to: the first one found from there upwards.

    Raises:
        ConfigError: Something of that name is there which is not a file: what it forbids could not be known.
    """
    start = Path(os.path.realpath(workspace))
    for folder in (start, *start.parents):
        file = folder / PROJECT_FILE
        if os.path.lexists(file):
            if not file.is_file():
                raise ConfigError("is not a file", code="unreadable", path=str(file))
            return file
    return None
