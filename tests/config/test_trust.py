"""The folders that a user trusts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.promises import keeps
from toolwright.config import TrustedFolders
from toolwright.errors import ConfigError


@keeps("config.trust")
def test_a_folder_is_trusted_until_it_is_not(tmp_path: Path) -> None:
    trusted = TrustedFolders(tmp_path / "config" / "trusted.json")
    assert trusted.all() == ()
    assert trusted.add(tmp_path) is True
    assert trusted.add(tmp_path) is False
    assert trusted.holds(tmp_path)
    assert [each.folder for each in trusted.all()] == [os.path.realpath(tmp_path)]
    assert trusted.remove(tmp_path) is True
    assert trusted.remove(tmp_path) is False
    assert not trusted.holds(tmp_path)


@keeps("config.trust")
def test_trust_follows_links_to_the_folder_and_covers_nothing_else(tmp_path: Path) -> None:
    folder, inside, link = tmp_path / "project", tmp_path / "project" / "vendored", tmp_path / "link"
    inside.mkdir(parents=True)
    link.symlink_to(folder)
    trusted = TrustedFolders(tmp_path / "trusted.json")
    trusted.add(link)
    assert trusted.holds(folder)
    assert trusted.holds(link)
    assert not trusted.holds(inside)
    assert not trusted.holds(tmp_path)


def test_only_the_user_can_read_and_write_the_list(tmp_path: Path) -> None:
    trusted = TrustedFolders(tmp_path / "trusted.json")
    trusted.add(tmp_path)
    assert trusted.file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["trusted.json"]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"folders": [{"folder": 3}]}'])
def test_a_broken_list_trusts_nothing_and_says_so(tmp_path: Path, content: str) -> None:
    file = tmp_path / "trusted.json"
    file.write_text(content)
    with pytest.raises(ConfigError, match="is not a list of trusted folders") as caught:
        TrustedFolders(file).holds(tmp_path)
    assert caught.value.code == "unreadable"


def test_a_list_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        TrustedFolders(tmp_path).all()


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    with pytest.raises(ConfigError, match="is not text"):
        TrustedFolders(tmp_path / "trusted.json").add(folder)


def test_a_list_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    trusted = TrustedFolders(tmp_path / "list" / "trusted.json")
    trusted.add(tmp_path)
    before = trusted.file.read_bytes()
    trusted.file.unlink()
    trusted.file.mkdir()  # nothing can take its place now
    with pytest.raises(ConfigError):
        trusted.add(tmp_path / "other")
    trusted.file.rmdir()
    trusted.file.write_bytes(before)
    assert trusted.holds(tmp_path)
