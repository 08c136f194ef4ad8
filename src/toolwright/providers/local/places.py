"""Where the weights lie, and what is there: the cache folder, one's own file, the part that arrived so far.

Looks, and changes nothing but the mark that says which bytes were checked. Where the bytes come from is not known here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from toolwright.errors import ModelFileError
from toolwright.providers.local.models import QWEN, Model

__all__ = [
    "VARIABLE",
    "Place",
    "Progress",
    "Report",
    "Standing",
    "State",
    "default_folder",
    "digest",
    "own_file",
    "standing",
]

VARIABLE: Final = "TOOLWRIGHT_LOCAL_MODEL"
"""The environment variable that names one's own file of weights."""

_BEGINNING: Final = b"GGUF"
_CHUNK: Final = 1 << 20

State: TypeAlias = Literal["here", "partial", "absent", "unusable"]
"""Whether the weights can be used: they are there, a part of them is, nothing is, or what is there is not weights."""


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a pull is: ``done`` of ``total`` bytes, by ``step``; ``source`` says from where they come."""

    step: Literal["fetching", "checking", "waiting"]
    source: str
    done: int
    total: int


Report: TypeAlias = Callable[[Progress], None]
"""Takes each :class:`Progress` as it is made; what it raises ends the pull, which can go on later."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What there is of a model on this machine, and what to do about it.

    ``size`` counts the bytes that are there; ``own`` says that the file is the user's, from
    ``TOOLWRIGHT_LOCAL_MODEL``; ``advice`` is empty where nothing is to be done.
    """

    model: Model
    path: Path
    state: State
    size: int = 0
    own: bool = False
    advice: str = ""


class Place(msgspec.Struct, frozen=True):
    """The files of one model in a folder."""

    model: Model
    folder: Path

    @property
    def file(self) -> Path:
        """The weights, under the name that they only get once they were checked."""
        return self.folder / self.model.file

    @property
    def part(self) -> Path:
        """What arrived so far; a later pull goes on at its end."""
        return self.folder / f"{self.model.file}.part"

    @property
    def lock(self) -> Path:
        """Held by whoever pulls."""
        return self.folder / f"{self.model.file}.lock"

    @property
    def mark(self) -> Path:
        """Says which bytes were checked, so that starting does not read half a gigabyte each time."""
        return self.folder / f"{self.model.file}.checked"

    @property
    def scratch(self) -> Path:
        """The folder that archives are fetched into, one at a time."""
        return self.folder / f"{self.model.file}.wheels"

    def is_checked(self) -> bool:
        """Return whether the file is there, and is what was checked when it was put there."""
        try:
            return self.mark.read_text(encoding="ascii") == self._identity()
        except (OSError, UnicodeDecodeError):
            return False

    def set_checked(self, *, right: bool) -> None:
        """Remember whether the file, as it is now, has the digest; in a folder that is not ours, nothing is."""
        with contextlib.suppress(OSError):
            if right:
                self.mark.write_text(self._identity(), encoding="ascii")
            else:
                self.mark.unlink(missing_ok=True)

    def _identity(self) -> str:
        there = self.file.stat()
        return f"{self.model.sha256} {there.st_size} {there.st_mtime_ns} {there.st_ctime_ns}\n"


def default_folder() -> Path:
    """Return the folder for what can be fetched again, as this platform has it for the user."""
    try:
        from platformdirs import user_cache_path  # optional
    except ImportError:
        return _plain_folder() / "models"
    return user_cache_path("toolwright", appauthor=False) / "models"


def _plain_folder() -> Path:
    """Where platformdirs would lead; a model that it has pulled is found without it."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "toolwright" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "toolwright"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "toolwright"


def own_file() -> Path | None:
    """Return the file that ``TOOLWRIGHT_LOCAL_MODEL`` names, looked at and found to be weights.

    Raises:
        ModelFileError: It is not there, or it is something else (``unusable``).
    """
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return None
    path = Path(named).expanduser()
    beginning = b""
    try:
        if stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for whoever writes to it
            with path.open("rb") as file:
                beginning = file.read(len(_BEGINNING))
    except OSError as error:
        raise ModelFileError(
            f"{VARIABLE} names {path}, which cannot be read ({error.strerror}): set it to a GGUF file, or unset it",
            code="unusable",
        ) from None
    if beginning != _BEGINNING:
        raise ModelFileError(
            f"{VARIABLE} names {path}, which is not a GGUF file: set it to one, or unset it", code="unusable"
        )
    return path


def standing(model: Model = QWEN, *, folder: Path | None = None, own: bool = True) -> Standing:
    """Return what there is of the model, at the cost of looking at a file's name and size.

    Where ``TOOLWRIGHT_LOCAL_MODEL`` is set, it is that file which would be used; ``own=False`` leaves it out.
    """
    try:
        mine = own_file() if own else None
    except ModelFileError as error:
        return Standing(model=model, path=Path(os.environ[VARIABLE]), state="unusable", own=True, advice=str(error))
    if mine is not None:
        return Standing(model=model, path=mine, state="here", size=mine.stat().st_size, own=True)
    return _in(Place(model, folder or default_folder()))


def _in(place: Place) -> Standing:
    model = place.model
    size, arrived = _size(place.file), _size(place.part)
    if size == model.size:
        return Standing(model=model, path=place.file, state="here", size=model.size)
    if size is not None:
        advice = f"{place.file} has {size:,} bytes instead of {model.size:,}: toolwright model pull fetches it again"
        return Standing(model=model, path=place.file, state="unusable", size=size, advice=advice)
    if arrived:
        advice = f"toolwright model pull goes on at {arrived / model.size:.0%} of {model.size / 1e6:.0f} MB"
        return Standing(model=model, path=place.file, state="partial", size=arrived, advice=advice)
    advice = f"toolwright model pull fetches it once ({model.size / 1e6:.0f} MB)"
    return Standing(model=model, path=place.file, state="absent", advice=advice)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def digest(path: Path, report: Callable[[int], None]) -> str:
    """Return the SHA-256 of a file; ``report`` is told how many bytes were read."""
    whole, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            whole.update(chunk)
            done += len(chunk)
            report(done)
    return whole.hexdigest()
