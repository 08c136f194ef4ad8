from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import PathOutsideWorkspaceError
from toolwright.testing import tool_context
from toolwright.tools import ToolContext


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a workspace in it, a sibling whose name starts the same, and links of all kinds."""
    for folder in ("app/src", "app-old", "outside", "app/deep/er"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("app/src/main.py", "app-old/secret", "outside/secret"):
        (tmp_path / file).write_text(file)
    links = {
        "app/inner": "src",
        "app/inner_file": "src/main.py",
        "app/absolute": str(tmp_path / "app" / "src"),
        "app/out": "../outside",
        "app/out_file": "../outside/secret",
        "app/out_absolute": str(tmp_path / "outside"),
        "app/through": "out/secret",
        "app/deep/er/up": "../../..",
        "app/loop": "loop",
        "app/ping": "pong",
        "app/pong": "ping",
        "app/dangling": "../outside/new",
        "app/dangling_inside": "src/new",
        "work": "app",
    }
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)
    return tmp_path


@pytest.fixture
def context(place: Path) -> ToolContext:
    return tool_context(workspace=place / "app")


@keeps("tools.resolve")
def test_a_path_inside_resolves_to_where_it_really_leads(place: Path, context: ToolContext) -> None:
    main = place / "app" / "src" / "main.py"
    for path in ("src/main.py", "./src/../src/main.py", "inner/main.py", "inner_file", "absolute/main.py", main):
        assert context.resolve(path) == main
        assert context.contains(path)
    assert context.resolve("src/new.txt") == place / "app" / "src" / "new.txt"
    assert context.resolve("") == context.resolve(".") == place / "app"
    assert context.resolve("dangling_inside") == place / "app" / "src" / "new"
    assert context.resolve("~/x") == place / "app" / "~" / "x"
    through_alias = tool_context(workspace=place / "work")
    assert through_alias.resolve("src/main.py") == main
    assert through_alias.contains(main)


OUTSIDE = (
    ".. ../app-old/secret src/../../outside/secret out out/secret out_file out_absolute/secret through "
    "deep/er/up/outside/secret dangling /etc/passwd / //etc/passwd src/../../../../../../etc/passwd inner/../.."
).split()


@keeps("tools.no_way_out")
@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leads_out_does_not_get_through(place: Path, context: ToolContext, path: str) -> None:
    assert not context.contains(path)
    with pytest.raises(PathOutsideWorkspaceError) as caught:
        context.resolve(path)
    assert str(place) not in str(caught.value)
    for mode in ("r", "w", "a", "x", "r+b"):
        with pytest.raises(PathOutsideWorkspaceError):
            context.open(path, mode)
    assert (place / "outside" / "secret").read_text() == "outside/secret"
    assert not (place / "outside" / "new").exists()


@keeps("tools.no_way_out")
def test_neither_a_sibling_nor_another_case_is_taken_for_the_workspace(place: Path, context: ToolContext) -> None:
    assert not context.contains(place / "app-old" / "secret")
    assert not context.contains(str(place / "app").upper())
    (place / "APP").mkdir()
    assert not context.contains(place / "APP")


@keeps("tools.no_way_out")
@pytest.mark.parametrize("path", ["a\0b", "\ud800", "x/\udfff", "a/" * 3 + "\0/../../etc/passwd", b"src", 3, None])
def test_what_is_no_path_is_refused_as_one_that_leads_out(context: ToolContext, path: object) -> None:
    assert not context.contains(path)  # type: ignore[arg-type]
    with pytest.raises(PathOutsideWorkspaceError):
        context.open(path)  # type: ignore[arg-type]


def test_very_long_paths_end_in_an_answer_and_never_in_a_crash(context: ToolContext) -> None:
    for path in ("a" * 10_000, "a/" * 10_000, "../" * 10_000, "src/../" * 10_000 + "src", "x/../" * 20_000 + ".."):
        inside = context.contains(path)
        try:
            context.open(path).close()
        except (PathOutsideWorkspaceError, OSError):
            continue
        assert inside
    assert not context.contains("../" * 10_000)


@keeps("tools.no_workspace")
def test_without_a_workspace_no_path_can_be_used() -> None:
    context = tool_context()
    assert not context.contains("a.txt")
    for path in ("a.txt", "/etc/hostname"):
        with pytest.raises(PathOutsideWorkspaceError, match="no workspace"):
            context.resolve(path)
        with pytest.raises(PathOutsideWorkspaceError, match="no workspace"):
            context.open(path)


@keeps("tools.open")
def test_files_are_read_written_and_made_as_with_open(place: Path, context: ToolContext) -> None:
    with context.open("src/new.txt", "w") as file:
        file.write("é\n")
        assert file.name == str(place / "app" / "src" / "new.txt")
    assert (place / "app" / "src" / "new.txt").read_bytes() == "é\n".encode()
    with context.open("inner/new.txt", "a", encoding="latin-1", newline="") as file:
        file.write("é\r\n")
    with context.open("src/new.txt", "rb") as file:
        assert file.read() == "é\n".encode() + b"\xe9\r\n"
    with context.open("dangling_inside", "x") as file:
        file.write("made where the link points")
    assert (place / "app" / "src" / "new").read_text() == "made where the link points"
    with context.open("src/new", "r+") as file:
        file.write("M")
        assert os.get_blocking(file.fileno())
        assert not os.get_inheritable(file.fileno())
    with context.open("src/new", "w"):
        pass
    assert (place / "app" / "src" / "new").read_text() == ""


def test_the_errors_of_open_are_those_that_open_has(context: ToolContext) -> None:
    with pytest.raises(FileNotFoundError):
        context.open("missing")
    with pytest.raises(FileNotFoundError):
        context.open("missing/new.txt", "w")
    with pytest.raises(FileExistsError):
        context.open("src/main.py", "x")
    with pytest.raises(IsADirectoryError):
        context.open("src")
    with pytest.raises(NotADirectoryError):
        context.open("src/main.py/x")
    with pytest.raises(ValueError, match="mode"):
        context.open("src/main.py", "q")


@pytest.mark.parametrize("path", ["loop", "loop/x", "ping"])
def test_links_that_go_in_circles_are_refused(context: ToolContext, path: str) -> None:
    with pytest.raises((PathOutsideWorkspaceError, OSError)):
        context.open(path)


@keeps("tools.open")
@pytest.mark.parametrize("mode", ["r", "w", "a", "r+"])
def test_pipes_sockets_and_devices_are_refused_and_nobody_waits(place: Path, context: ToolContext, mode: str) -> None:
    os.mkfifo(place / "app" / "pipe")
    (place / "app" / "null").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(place / "app", os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{here}/socket")  # a short name: addresses have a hundred bytes
        finally:
            os.close(here)
        for path in ("pipe", "socket", "null"):
            with pytest.raises(PathOutsideWorkspaceError):
                context.open(path, mode)


@keeps("tools.open")
def test_a_folder_swapped_for_a_link_in_any_moment_never_lets_a_file_outside_be_opened(place: Path) -> None:
    workspace, outside = place / "app", place / "outside"
    (workspace / "swap").mkdir()
    (workspace / "swap" / "secret").write_text("inside")
    (workspace / "evil").symlink_to(outside)
    context = tool_context(workspace=workspace)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (workspace / "swap").rename(workspace / "kept")
            (workspace / "evil").rename(workspace / "swap")
            (workspace / "swap").rename(workspace / "evil")
            (workspace / "kept").rename(workspace / "swap")

    swapper = threading.Thread(target=swap)
    swapper.start()
    opened = refused = 0
    try:
        for turn in range(3000):
            try:
                with context.open("swap/secret", "r" if turn % 2 else "r+") as file:
                    assert file.read() == "inside"
                opened += 1
            except (PathOutsideWorkspaceError, FileNotFoundError):
                refused += 1
    finally:
        stop.set()
        swapper.join()
    assert opened + refused == 3000
    assert (outside / "secret").read_text() == "outside/secret"


NAMES = st.sampled_from(["a", "b", "c", "..", ".", "link1", "link2", "link3"])
TARGETS = st.lists(NAMES | st.sampled_from(["ROOT", "OUT"]), min_size=1, max_size=4)


@keeps("tools.open", "tools.no_way_out")
@given(
    folders=st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), max_size=4),
    links=st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=2), st.integers(1, 3), TARGETS), max_size=5),
    path=st.lists(NAMES, min_size=1, max_size=6),
)
def test_no_tree_of_links_leads_out(
    folders: list[list[str]], links: list[tuple[list[str], int, list[str]]], path: list[str]
) -> None:
    with TemporaryDirectory() as base:
        top = Path(base).resolve()
        root, out = top / "root", top / "root-out"
        root.mkdir()
        out.mkdir()
        (out / "file").write_text("outside")
        for parts in folders:
            (root / "/".join(parts)).mkdir(parents=True, exist_ok=True)
        for parts, number, target in links:
            home = root / "/".join(parts)
            words = [str(root) if word == "ROOT" else str(out) if word == "OUT" else word for word in target]
            link = home / f"link{number}"
            if home.is_dir() and not link.is_symlink():
                link.symlink_to("/".join(words).replace(f"{words[0]}//", f"{words[0]}/"))
        context = tool_context(workspace=root)
        given_path = "/".join([*path, "file"])
        before = sorted(out.rglob("*"))
        really = _follow(root, given_path)
        try:
            with context.open(given_path, "w") as file:
                file.write("written")
        except (PathOutsideWorkspaceError, OSError):
            pass
        else:
            assert Path(os.path.realpath(root / given_path)).is_relative_to(root)
        assert sorted(out.rglob("*")) == before
        assert (out / "file").read_text() == "outside"
        assert sorted(child.name for child in top.iterdir()) == ["root", "root-out"]
        if really is not None:
            assert context.contains(given_path) == really.is_relative_to(root)


def _follow(root: Path, path: str) -> Path | None:
    """Return where the system itself says that a path leads, if all of it but the file is there."""
    try:
        return Path(os.path.realpath(root / path).rpartition("/")[0]).resolve(strict=True)
    except OSError:
        return None
