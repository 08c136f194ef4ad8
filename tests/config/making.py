"""A user's folders and a project, made for a test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolwright.config import Configuration, Places, load_configuration


class House:
    """A user with a home, and a project with a folder inside it."""

    def __init__(self, root: Path) -> None:
        self.places = Places(config=root / "config", data=root / "data", cache=root / "cache")
        self.project = root / "work" / "project"
        self.inside = self.project / "src" / "deep"
        self.inside.mkdir(parents=True)
        self.places.config.mkdir()

    def writes(self, text: str) -> Path:
        """Write the project's file."""
        file = self.project / "toolwright.toml"
        file.write_text(text, encoding="utf-8")
        return file

    def user_writes(self, text: str) -> Path:
        """Write the user's file."""
        self.places.user_file.write_text(text, encoding="utf-8")
        return self.places.user_file

    def load(
        self, environment: Mapping[str, str] | None = None, options: Mapping[str, Any] | None = None
    ) -> Configuration:
        """Load what holds deep inside the project."""
        return load_configuration(self.inside, places=self.places, environment=environment or {}, options=options)
