"""An environment with the core of the library and nothing else: no extra, not even pip."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import jsonschema_rs
import msgspec

import toolwright


def run_bare(
    tmp_path: Path,
    program: str,
    *arguments: object,
    path: str = os.defpath,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program there; ``path`` is where other programs are looked for."""
    bare, links = tmp_path / "bare", tmp_path / "links"
    links.mkdir()
    for package in (toolwright, msgspec, jsonschema_rs):
        (links / package.__name__).symlink_to(Path(package.__file__ or "").parent)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True, timeout=60)
    command = [str(bare / "bin" / "python"), "-c", program, *map(str, arguments)]
    environment = {"PYTHONPATH": str(links), "PATH": path, **(variables or {})}
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=60)
