"""The program that holds the model: llama.cpp's own server, on loopback, for whoever started it and nobody else.

Run as a process of its own, for three reasons: loading holds the interpreter for a second or more, in which no task of
the application would move; a fault in native code ends this process and not the application; and what it writes to
stderr stays out of the user's terminal. It ends when its standard input does, so it never outlives who started it.

Knows nothing of Toolwright: it imports the runtime alone. One line of JSON comes in, one goes out.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["main", "serve", "wait_until_ready"]

_AGAIN: Final = 0.05


def serve(order: Mapping[str, Any]) -> Any:
    """Load the model and listen on a port that the system chooses; return the server, which serves while it is held.

    ``order`` has ``path``, ``name``, ``key``, ``context``, ``threads`` and ``most_tokens``.

    Raises:
        RuntimeError: The file cannot be loaded; the runtime wrote to stderr why.
    """
    runtime: Any = import_module("xllamacpp")  # native code, which has no types
    params = runtime.CommonParams()
    params.model.path = order["path"]
    params.model_alias = {order["name"]}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [order["key"]]  # other users of this machine, and pages in a browser, reach loopback as well
    params.ui = False
    params.verbosity = 1  # errors only
    params.n_ctx, params.n_parallel = order["context"], 1
    params.n_predict = order["most_tokens"]
    params.cache_ram_mib = 0  # what one conversation needs again is in its slot
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order["threads"]
    params.n_gpu_layers = 0
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    return runtime.Server(params)


def wait_until_ready(address: str, key: str, attempts: int) -> None:
    """Return when the server has answered a chat: it says that it is well before it can do that.

    Raises:
        RuntimeError: It does not come to that.
    """
    said, pause = 0, threading.Event()
    body = json.dumps({"messages": [{"role": "user", "content": "1"}], "max_tokens": 1})
    for _ in range(attempts):
        # Not urllib: a proxy of the environment has no business on loopback.
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
        try:
            headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
            connection.request("POST", "/v1/chat/completions", body, headers)
            said = connection.getresponse().status
        except OSError:
            pass
        finally:
            connection.close()
        if said == 200:
            return
        pause.wait(_AGAIN)
    raise RuntimeError(f"the server answers no chat (status {said})")


def main(orders: TextIO, answers: TextIO) -> int:
    """Serve what the first line orders, say where, and go on until ``orders`` ends."""
    order = json.loads(orders.readline())
    try:
        server = serve(order)
        wait_until_ready(server.listening_address, order["key"], attempts=600)
    except RuntimeError as error:
        answers.write(json.dumps({"error": str(error)}) + "\n")
        answers.flush()
        return 1
    answers.write(json.dumps({"address": server.listening_address}) + "\n")
    answers.flush()
    orders.read()
    return 0


def _run() -> NoReturn:
    # What native code writes to stdout goes to stderr: the answer is alone on its line.
    own = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    os._exit(main(sys.stdin, own))  # an answer in the making is not waited for


if __name__ == "__main__":
    _run()
