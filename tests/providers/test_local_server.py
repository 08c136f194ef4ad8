from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.promises import keeps
from tests.providers.tiny_model import write_tiny_model
from toolwright.errors import LLMError
from toolwright.providers.local import serving
from toolwright.providers.local.server import Address, LocalServer, Wanted


def wanted(path: Path) -> Wanted:
    return Wanted(path=path, name="tiny", context=1024, threads=1, most_tokens=64)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LocalServer]:
    running = LocalServer(wanted(write_tiny_model(tmp_path / "tiny.gguf")))
    yield running
    running.stop()


def ask(address: Address, *, key: str | None = None, **body: Any) -> tuple[int, Any]:
    """Ask for an answer without any of our own code."""
    connection = HTTPConnection(address.url.removeprefix("http://"), timeout=30)
    try:
        body = {"messages": [{"role": "user", "content": "Hello"}]} | body
        headers = {"Authorization": f"Bearer {key or address.key}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def run(program: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that serves the model, in a process of its own."""
    command = [sys.executable, "-c", program, str(path)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


@keeps("local.lazy")
def test_nothing_is_started_before_it_is_asked_for(server: LocalServer) -> None:
    assert server.pid is None
    address = server.address()
    assert address.url.startswith("http://127.0.0.1:")
    assert server.address() is address


@keeps("local.server")
def test_when_the_address_is_known_a_chat_is_answered(server: LocalServer) -> None:
    status, answer = ask(server.address(), max_tokens=5)
    assert status == 200
    assert answer["usage"]["completion_tokens"] == 5


@keeps("local.bounded")
def test_an_answer_ends_where_nobody_says_how_long_it_may_be(server: LocalServer) -> None:
    _, answer = ask(server.address())
    assert answer["usage"]["completion_tokens"] == 64
    assert answer["choices"][0]["finish_reason"] == "length"


@keeps("local.deterministic")
def test_the_same_question_has_the_same_answer(server: LocalServer) -> None:
    said = [ask(server.address(), max_tokens=20)[1]["choices"][0]["message"]["content"] for _ in range(3)]
    assert said[0] == said[1] == said[2]


@keeps("local.private")
def test_without_its_key_the_server_answers_nobody(server: LocalServer) -> None:
    address = server.address()
    assert ask(address, key="guessed")[0] == 401
    assert address.key not in repr(address)


@keeps("local.private")
def test_the_key_is_on_no_command_line(server: LocalServer) -> None:
    key = server.address().key
    listed = subprocess.run(["ps", "-ww", "-o", "args=", str(server.pid)], capture_output=True, text=True, check=True)  # noqa: S607
    assert "serving.py" in listed.stdout
    assert key not in listed.stdout


@keeps("local.ends")
def test_stopping_ends_the_process_and_asking_starts_another(server: LocalServer) -> None:
    server.address()
    first = server.pid
    assert first is not None
    server.stop()
    server.stop()
    assert server.pid is None
    assert not is_running(first)
    assert ask(server.address(), max_tokens=1)[0] == 200
    assert server.pid != first


@keeps("local.crash")
def test_a_model_that_died_is_started_again(server: LocalServer) -> None:
    server.address()
    running = server.pid
    assert running is not None
    os.kill(running, signal.SIGKILL)
    os.waitid(os.P_PID, running, os.WEXITED | os.WNOWAIT)
    assert ask(server.address(), max_tokens=1)[0] == 200


@keeps("local.ends")
def test_the_process_does_not_outlive_a_program_that_was_killed(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "tiny.gguf")
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from toolwright.providers.local.server import LocalServer, Wanted\n"
        "wanted = Wanted(path=Path(sys.argv[1]), name='tiny', context=1024, threads=1, most_tokens=64)\n"
        "server = LocalServer(wanted); server.address(); print(server.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = run(program, path)
    assert killed.returncode == -signal.SIGKILL
    pid = int(killed.stdout)
    with subprocess.Popen(["tail", f"--pid={pid}", "-f", os.devnull]) as waiting:  # noqa: S607
        assert waiting.wait(30) == 0


@keeps("local.told")
def test_what_the_runtime_said_is_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF and nothing more")
    server = LocalServer(wanted(path))
    with pytest.raises(LLMError, match="the local model does not start") as caught:
        server.address()
    assert caught.value.code == "connection_failed"
    assert "failed to load model" in caught.value.message
    assert server.pid is None


@keeps("local.quiet")
def test_the_runtime_writes_nothing_to_the_terminal(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "tiny.gguf")
    program = (
        "import sys; from pathlib import Path; from toolwright.providers.local.server import LocalServer, Wanted\n"
        "wanted = Wanted(path=Path(sys.argv[1]), name='tiny', context=1024, threads=1, most_tokens=64)\n"
        "server = LocalServer(wanted); server.address()"
    )
    child = run(program, path)
    assert (child.returncode, child.stdout, child.stderr) == (0, "", "")


def test_the_program_answers_one_line_for_one_line(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "tiny.gguf")
    order = {"path": str(path), "name": "tiny", "key": "k", "context": 512, "threads": 1, "most_tokens": 8}
    answers = io.StringIO()
    assert serving.main(io.StringIO(json.dumps(order) + "\n"), answers) == 0
    assert json.loads(answers.getvalue()).keys() == {"address"}


def test_the_program_says_when_it_cannot_serve(tmp_path: Path) -> None:
    order = {"path": str(tmp_path / "none"), "name": "tiny", "key": "k", "context": 512, "threads": 1, "most_tokens": 8}
    answers = io.StringIO()
    assert serving.main(io.StringIO(json.dumps(order) + "\n"), answers) == 1
    assert json.loads(answers.getvalue()).keys() == {"error"}


def test_a_server_that_never_gets_ready_is_given_up() -> None:
    with pytest.raises(RuntimeError, match=r"the server answers no chat \(status 0\)"):
        serving.wait_until_ready("http://127.0.0.1:1", "k", attempts=2)
