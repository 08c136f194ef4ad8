"""The page about deciding names everything that there is: codes, events, logs, metrics."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from tests.promises import keeps
from toolwright.execution import Event, Status
from toolwright.tools.codes import CODES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "execution.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([\w.]+)`", PAGE))


def concrete(kind: type) -> set[str]:
    below: list[type] = kind.__subclasses__()
    found = {each.__name__ for each in below if not each.__name__.startswith("_")}
    return found.union(*map(concrete, below))


@keeps("execution.page")
def test_every_code_and_every_status_is_explained() -> None:
    assert set(CODES) - NAMED == set()
    assert set(get_args(Status)) - NAMED == set()


@keeps("execution.page")
def test_every_event_is_explained() -> None:
    assert concrete(Event) - NAMED == set()


@keeps("execution.page")
def test_every_event_in_the_log_is_explained() -> None:
    sources = [*(ROOT / "src/toolwright/execution").rglob("*.py")]
    told = {word for path in sources for word in re.findall(r'"event": "([\w.]+)"', path.read_text(encoding="utf-8"))}
    ends = {"completed", "failed", "timed_out", "cancelled", "denied"}
    assert (told | {f"execution.{end}" for end in ends}) - NAMED == set()
