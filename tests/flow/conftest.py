"""The real local model, for the tests that ask it: found, or fetched within three minutes, or said to be missing.

Tests that ask it are left out where it cannot be had, and the summary says so: what was not tested is not overlooked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import monotonic
from typing import Final

import pytest

from toolwright.errors import LLMError, MissingExtraError, ModelFileError
from toolwright.providers.local import LocalProvider, Progress, local_provider, pull

LIMIT: Final = 180.0  # seconds that fetching it may take
SWITCH: Final = "REAL_MODEL"
TOLD: Final = pytest.StashKey[str]()


class TooLongError(Exception):
    """The weights do not arrive in time; what did is kept for the next run."""


def fetch_within(seconds: float) -> None:
    """Fetch the weights, unless they are there."""
    end = monotonic() + seconds

    def check(progress: Progress) -> None:
        if monotonic() > end:
            raise TooLongError(f"{progress.done:,} of {progress.total:,} bytes arrived in {seconds:.0f} seconds")

    pull(progress=check, patience=seconds)


def why_not() -> str | None:
    """Return why the model cannot be asked; None where it can."""
    if os.environ.get(SWITCH) == "off":
        return f"{SWITCH}=off"
    try:
        fetch_within(LIMIT)
        local_provider()
    except (LLMError, MissingExtraError, ModelFileError, TooLongError) as error:
        return str(error)
    return None


@pytest.hookimpl(trylast=True)  # after -k and -m have had their say
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that ask the model where it cannot be asked."""
    asking = [item for item in items if item.get_closest_marker("real_model")]
    if not asking or config.getoption("collectonly"):
        return
    problem = why_not()
    config.stash[TOLD] = "asked" if problem is None else f"NOT asked ({len(asking)} tests left out): {problem}"
    if problem is None:
        return
    if os.environ.get(SWITCH) == "required":
        raise pytest.UsageError(f"the real local model is required: {problem}")
    config.hook.pytest_deselected(items=asking)
    items[:] = [item for item in items if item not in asking]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say whether the real model was asked."""
    told = config.stash.get(TOLD, None)
    if told is not None:
        terminalreporter.write_line(f"the real local model was {told}", red="NOT" in told)


@pytest.fixture(scope="session")
def real_model() -> Iterator[LocalProvider]:
    """The embedded model itself; one process of it for all tests."""
    provider = local_provider()
    yield provider
    provider.sync.close()
