"""The page about logs, metrics and traces names everything that there is."""

from __future__ import annotations

import re
from pathlib import Path

from tests.promises import keeps

ROOT = Path(__file__).parents[2]
NAMED = set(re.findall(r"`([\w.]+)`", (ROOT / "docs" / "observability.md").read_text(encoding="utf-8")))
SOURCES = [path.read_text(encoding="utf-8") for path in (ROOT / "src" / "toolwright").rglob("*.py")]


@keeps("execution.page", "telemetry.logs")
def test_every_event_in_the_log_is_explained() -> None:
    told = {word for source in SOURCES for word in re.findall(r'"event": "([\w.]+)"', source)}
    ends = {f"execution.{end}" for end in ("completed", "failed", "timed_out", "cancelled", "denied")}
    changes = {f"tool.{change}" for change in ("registered", "unregistered", "replaced")}
    assert len(told) > 20
    assert (told | ends | changes) - NAMED == set()


@keeps("telemetry.metrics")
def test_every_metric_is_explained() -> None:
    source = (ROOT / "src" / "toolwright" / "telemetry.py").read_text(encoding="utf-8")
    made = set(re.findall(r'"((?:tools|gen_ai\.client)\.[\w.]+)"', source))
    assert len(made) > 7
    assert made - NAMED == set()
