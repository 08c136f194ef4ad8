from __future__ import annotations

import os
from datetime import UTC
from hashlib import sha256
from pathlib import Path

import pytest

from tests.promises import keeps
from toolwright.errors import MessageDecodeError
from toolwright.tools import Artifact


@keeps("tools.artifacts")
def test_a_file_is_described_by_its_size_its_kind_and_its_hash(tmp_path: Path) -> None:
    content = b"# Title\n" * 400_000  # more than one chunk
    (tmp_path / "notes.md").write_bytes(content)
    artifact = Artifact.file(tmp_path / "notes.md", is_new=True, description="notes")
    assert (artifact.type, artifact.size, artifact.mime_type) == ("file", len(content), "text/markdown")
    assert artifact.sha256 == sha256(content).hexdigest()
    assert artifact.is_new
    assert artifact.created_at is not None
    assert artifact.created_at.tzinfo is UTC
    assert Artifact.from_json(artifact.to_json()) == artifact
    assert Artifact.file(tmp_path / "notes.md", digest=False).sha256 is None


@keeps("tools.artifacts")
def test_what_is_no_regular_file_has_neither_size_nor_hash_and_nobody_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("pipe.txt", "missing.txt", ".", "nul\0.txt"):
        artifact = Artifact.file(tmp_path / name)
        assert (artifact.size, artifact.sha256) == (None, None)


@keeps("tools.artifacts")
def test_folders_addresses_and_captured_text_are_described_too() -> None:
    assert Artifact.directory("out", is_new=True).type == "directory"
    assert Artifact.url("https://example.com/x", description="page").path == "https://example.com/x"
    text = Artifact.text_output("é\ud800", name="stdout")
    assert (text.type, text.path, text.size, text.mime_type) == ("output", "stdout", 3, "text/plain")
    assert text.sha256 == sha256("é?".encode()).hexdigest()


def test_an_artifact_takes_a_path_and_refuses_what_is_none_of_its_fields() -> None:
    assert Artifact(type="file", path=Path("a/b")).path == "a/b"  # type: ignore[arg-type]
    for fields, says in (
        ({"type": "folder", "path": "a"}, "type: must be file, directory, url or output"),
        ({"type": "file", "path": 3}, "path: must be text"),
        ({"type": "file", "path": "a", "size": "3"}, "size: must be a whole number"),
        ({"type": "file", "path": "a", "created_at": "now"}, "created_at: must be a datetime"),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            Artifact(**fields)


def test_an_artifact_of_another_shape_is_refused_and_its_repr_tells_no_path() -> None:
    with pytest.raises(MessageDecodeError):
        Artifact.from_json(b'{"type":"folder","path":"x"}')
    assert "private" not in repr(Artifact.url("https://private.example.com"))
