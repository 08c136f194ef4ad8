"""A folder that somebody swaps for a link all the while never leads anybody out of the workspace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

import toolwright as tw
from tests.builtin.calls import call, names_in
from tests.promises import keeps

CALLS: list[tuple[tw.Tool, dict[str, Any]]] = [
    (tw.builtin.read_file, {"path": "sub/a.txt"}),
    (tw.builtin.write_file, {"path": "sub/a.txt", "content": "inside"}),
    (tw.builtin.write_file, {"path": "sub/new/b.txt", "content": "inside"}),
    (tw.builtin.edit_file, {"path": "sub/a.txt", "old": "s", "new": "S"}),
    (tw.builtin.list_directory, {"depth": 3}),
    (tw.builtin.list_directory, {"path": "sub", "ignore": True}),
    (tw.builtin.glob, {"pattern": "sub/**"}),
    (tw.builtin.search_text, {"pattern": "[a-z]"}),
    (tw.builtin.search_text, {"pattern": "[a-z]", "path": "sub"}),
]


@contextmanager
def swapping(folder: Path, outside: Path) -> Iterator[None]:
    """Make of a folder a link that leads out, and back, again and again."""
    ended, link, aside = threading.Event(), folder.with_name("link"), folder.with_name("aside")
    link.symlink_to(outside)

    def swap() -> None:
        while not ended.is_set():
            for one, two, three in ((folder, aside, link), (folder, link, aside)):
                with suppress(OSError):  # a tool has made the folder anew in the moment between
                    one.rename(two)
                    three.rename(one)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(30)


@keeps("builtin.glob_links")
@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=lambda each: getattr(each, "__name__", ""))
async def test_a_folder_that_is_swapped_for_a_link_leads_nobody_out(
    tmp_path: Path, tool: tw.Tool, arguments: dict[str, Any]
) -> None:
    workspace, outside = tmp_path / "work", tmp_path / "outside"
    (workspace / "sub").mkdir(parents=True)
    outside.mkdir()
    (workspace / "sub" / "a.txt").write_text("inside")
    for name in ("a.txt", "secret.txt"):
        (outside / name).write_text("secret")
    with swapping(workspace / "sub", outside):
        for _ in range(150):
            with suppress(FileNotFoundError):  # the moment in which there is neither
                outcome = await call(tool, workspace, **arguments)
                assert "secret" not in outcome.for_model()
    assert names_in(outside) == ["a.txt", "secret.txt"]
    assert (outside / "a.txt").read_text() == "secret"
