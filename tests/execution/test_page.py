"""The page about deciding names everything that there is: codes, statuses, events."""

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
