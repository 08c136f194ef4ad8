"""Fixtures for pytest, there wherever Toolwright is installed: a registry, an executor, a workspace, a scripted model.

A test may have its own of any of these names. Nothing else is loaded before a test asks for one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from toolwright.execution import Executor
    from toolwright.registry import Registry
    from toolwright.testing.scripted import ScriptedProvider

__all__ = ["executor", "pytest_runtest_makereport", "registry", "scripted", "workspace"]

_FAILED: Final = pytest.StashKey[bool]()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return an empty folder for tools to work in."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def registry() -> Registry:
    """Return an empty registry; the executor of the same test has its tools."""
    from toolwright.registry import Registry

    return Registry()


@pytest.fixture
def executor(registry: Registry) -> Executor:
    """Return an executor of the registry's tools; with nobody to ask, it runs what needs no approval."""
    from toolwright.execution import Executor

    return Executor(registry)


@pytest.fixture
def scripted(request: pytest.FixtureRequest) -> Iterator[ScriptedProvider]:
    """Give a scripted model: ``scripted.extend([...])`` tells it what to say.

    A test that does not ask for all of it fails, unless it has failed already.
    """
    from toolwright.testing.scripted import ScriptedProvider

    provider = ScriptedProvider()
    yield provider
    if not request.node.stash.get(_FAILED, False):
        provider.assert_done()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember which tests have failed, so that no fault hides behind a second one."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report
