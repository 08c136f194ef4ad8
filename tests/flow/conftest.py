"""The real local model, for the tests that ask it: found, or fetched in a minute and a half, or said to be missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from time import monotonic
from typing import Final

import pytest

from toolwright.errors import LLMError, MissingExtraError, ModelFileError
from toolwright.providers.local import LocalProvider, Progress, local_provider, pull

LIMIT: Final = 90.0  # seconds that fetching it may take: a test that takes two minutes ends the run
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


@pytest.fixture(scope="session")
def real_model(request: pytest.FixtureRequest) -> Iterator[LocalProvider]:
    """The embedded model itself; one process of it for all tests."""
    stash = request.config.stash
    if os.environ.get(SWITCH) == "off":
        stash[TOLD] = f"NOT asked, because {SWITCH}=off"
        pytest.skip(stash[TOLD])
    try:
        fetch_within(LIMIT)
        provider = local_provider()
    except (LLMError, MissingExtraError, ModelFileError, TooLongError) as error:
        stash[TOLD] = f"NOT asked: {error}"
        if os.environ.get(SWITCH) == "required":
            pytest.fail(stash[TOLD])
        pytest.skip(stash[TOLD])
    stash[TOLD] = f"asked ({provider.model_name})"
    yield provider
    provider.sync.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say whether the real model was asked: what was not tested is not to be overlooked."""
    told = config.stash.get(TOLD, None)
    if told is not None:
        terminalreporter.write_line(f"the real local model was {told}", red="NOT" in told)
