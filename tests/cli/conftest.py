"""What the tests of this folder are given."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.making import Home
from tests.cli.model_server import Model, serving


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs that tests start keep what was compiled: they start in half the time."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], compiled: Path) -> Home:
    """A user with a home of his own, in his workspace."""
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(compiled))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    return Home(tmp_path, monkeypatch, capsys)


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on loopback that answers as it is told to."""
    with serving() as model:
        yield model
