"""What the tests of this folder are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.making import Home
from tests.cli.model_server import Model, serving


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """A user with a home of his own, in his workspace."""
    return Home(tmp_path, monkeypatch, capsys)


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on loopback that answers as it is told to."""
    with serving() as model:
        yield model
