"""Bytes as providers send them, written after their documents and what their servers were seen to do.

One folder for each codec: ``.sse``, ``.ndjson`` and ``.stream`` are streams, ``.json`` are whole answers,
``.request.json`` are requests.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["bodies", "requests", "streams", "wire"]

_HERE = Path(__file__).parent
_STREAMS = {".sse", ".ndjson", ".stream"}


def wire(codec: str, file: str) -> bytes:
    """Return the bytes of one file."""
    return (_HERE / codec / file).read_bytes()


def streams(codec: str) -> list[str]:
    """Return the files of a codec that are streams."""
    return sorted(path.name for path in (_HERE / codec).iterdir() if path.suffix in _STREAMS)


def bodies(codec: str) -> list[str]:
    """Return the files of a codec that are whole answers."""
    names = (path.name for path in (_HERE / codec).glob("*.json"))
    return sorted(name for name in names if not name.endswith(".request.json"))


def requests(codec: str) -> list[str]:
    """Return the files of a codec that are requests."""
    return sorted(path.name for path in (_HERE / codec).glob("*.request.json"))
