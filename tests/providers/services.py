"""Every service that a model may be had from, each over its own format from one server on loopback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.providers.asked import HastyClock
from toolwright.providers import provider
from toolwright.providers.http_provider import HttpProvider
from toolwright.providers.transport import Pools, Transport
from toolwright.testing import ScriptedServer

SERVICES = ("openai", "openai-chat", "anthropic", "gemini", "cohere", "ollama", "vllm")
KEY = "key-that-nobody-may-see"


def reach(server: ScriptedServer, service: str, **connection: Any) -> HttpProvider:
    """Return a provider of a service that leads to the server, by a clock that runs ahead."""
    transport = Transport(clock=HastyClock(), chance=lambda: 0.0, pools=Pools())
    made = provider(
        f"{service}:a-model", **{"base_url": server.url, "api_key": KEY, "transport": transport, **connection}
    )
    assert isinstance(made, HttpProvider)
    return made


@contextmanager
def serving(service: str, script: Iterable[object], **connection: Any) -> Iterator[tuple[HttpProvider, ScriptedServer]]:
    """Serve a script to a provider, and check at the end that all of it was asked for and nothing was refused."""
    with ScriptedServer(script, chunk_size=5) as server:
        yield reach(server, service, **connection), server
