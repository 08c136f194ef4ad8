"""How the scripted server behaves beside its answers: what it refuses, breaks off, never says, and tells at its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
from collections.abc import Mapping
from http.client import HTTPConnection, IncompleteRead, RemoteDisconnected
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.errors import LLMError
from toolwright.messages import InvalidToolCall, ToolCall
from toolwright.providers import ChatResponse, Failure
from toolwright.testing import ScriptedServer, ServerRequest

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USED = {"type": "tool_use", "id": "c1", "name": "f", "input": {}}
DONE = {"type": "tool_result", "tool_use_id": "c1", "content": "x"}
HI = {"role": "user", "content": "Hi"}
CHAT = {"model": "m", "messages": [HI]}
MESSAGE = {"model": "m", "max_tokens": 1, "messages": [HI]}
VERSION = {"anthropic-version": "2023-06-01"}
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:generateContent",
    "ollama": "/api/chat",
    "cohere": "/v2/chat",
}
BODIES: dict[str, dict[str, Any]] = {
    "openai-chat": CHAT,
    "openai-responses": {"model": "m", "input": "Hi"},
    "anthropic": MESSAGE,
    "gemini": {"contents": [{"parts": [{"text": "Hi"}]}]},
    "ollama": {**CHAT, "stream": False},
    "cohere": CHAT,
}
every_interface = pytest.mark.parametrize("name", PATHS)


def ask(
    server: ScriptedServer,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    *,
    method: str | None = None,
) -> tuple[int, Any]:
    """Ask without any of our own code."""
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method or ("POST" if data else "GET"), path, data, dict(headers or VERSION))
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if answer.headers["content-type"] == "application/json" else text
    finally:
        connection.close()


@keeps("testing.server.refuses")
@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("openai-chat", {"model": ""}, "model parameter"),
        ("openai-chat", {"messages": []}, "one message or more"),
        ("openai-chat", {"messages": 5}, "one message or more"),
        ("openai-chat", {"messages": [{"role": "robot", "content": "x"}]}, "'robot' is not one of"),
        ("openai-chat", {"messages": [{"role": "assistant", "content": None}]}, "expected a string, got null"),
        ("openai-chat", {"messages": [{"role": "assistant", "tool_calls": []}]}, "too short"),
        ("openai-chat", {"messages": [HI, {"role": "assistant", "tool_calls": [CALL]}]}, "must be followed by"),
        ("openai-chat", {"messages": [{"role": "assistant", "tool_calls": [CALL]}, HI]}, "must be followed by"),
        ("openai-chat", {"messages": [{"role": "tool", "tool_call_id": "x", "content": ""}]}, "must be a response to"),
        (
            "openai-chat",
            {"messages": [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"arguments": {}}}]}]},
            "expected a string",
        ),
        ("openai-chat", {"tools": []}, "too short - 'tools'"),
        ("openai-chat", {"tools": [{"type": "function", "function": {"name": "a.b"}}]}, "does not match"),
        ("openai-chat", {"tool_choice": "auto"}, "only allowed when 'tools'"),
        ("openai-chat", {"messages": ["Hi"]}, "has not the form"),
        ("openai-responses", {"model": ""}, "model parameter"),
        ("openai-responses", {"input": []}, "one item or more"),
        ("openai-responses", {"input": [{"role": "user", "content": ""}]}, "content: missing"),
        (
            "openai-responses",
            {"input": [{"type": "function_call", "call_id": "c", "arguments": "{}"}]},
            "no tool output",
        ),
        (
            "openai-responses",
            {"input": [{"type": "function_call", "call_id": "c", "arguments": {}}]},
            "expected a string",
        ),
        ("openai-responses", {"input": [{"type": "function_call_output", "call_id": "c"}]}, "no tool call found"),
        ("openai-responses", {"tools": [{"type": "function", "name": "a.b"}]}, "does not match"),
        ("anthropic", {"max_tokens": 0}, "max_tokens: Field required"),
        ("anthropic", {"messages": []}, "messages: Field required"),
        ("anthropic", {"messages": [{"role": "assistant", "content": "x"}]}, "the first one 'user'"),
        ("anthropic", {"messages": [{"role": "user", "content": []}]}, "non-empty content"),
        (
            "anthropic",
            {"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]},
            "must be non-empty",
        ),
        ("anthropic", {"messages": [HI, {"role": "assistant", "content": [USED]}]}, "without `tool_result`"),
        ("anthropic", {"messages": [HI, {"role": "assistant", "content": [USED]}, HI]}, "immediately after: c1"),
        ("anthropic", {"messages": [{"role": "user", "content": [DONE]}]}, "unexpected `tool_use_id`"),
        (
            "anthropic",
            {"messages": [HI, {"role": "assistant", "content": [{**USED, "id": "a.b"}]}, {**HI, "content": [DONE]}]},
            "tool_use.id",
        ),
        ("anthropic", {"tools": [{"name": "a.b"}]}, "should match pattern"),
        ("gemini", {"contents": []}, "contents is not specified"),
        ("gemini", {"contents": [{"role": "assistant", "parts": [{}]}]}, "valid role"),
        ("gemini", {"contents": [{"parts": []}]}, "must not be empty"),
        (
            "gemini",
            {"contents": [{"role": "model", "parts": [{"functionCall": {}}]}]},
            "followed by a function response",
        ),
        ("gemini", {"contents": [{"parts": [{"functionResponse": {}}]}]}, "number of function response parts"),
        ("gemini", {"tools": [{"functionDeclarations": [{"name": "1a"}]}]}, "Invalid function name"),
        ("cohere", {"model": ""}, "model is required"),
        ("cohere", {"messages": []}, "at least one message"),
        ("cohere", {"messages": [{"role": "user", "content": ""}]}, "at least 1 token long"),
        ("cohere", {"messages": [{"role": "robot", "content": "x"}]}, "role must be one of"),
        ("cohere", {"messages": [{"role": "assistant", "tool_calls": [CALL]}, HI]}, "unanswered tool calls"),
        ("cohere", {"messages": [{"role": "assistant", "tool_calls": [CALL]}]}, "unanswered tool calls"),
        ("cohere", {"messages": [{"role": "tool", "tool_call_id": "x", "content": ""}]}, "id not found"),
        ("cohere", {"tools": [{"function": {"name": "1a"}}]}, "must have a name"),
        ("ollama", {"model": ""}, "model is required"),
        ("ollama", {"messages": [{"role": "model"}]}, "invalid role: model"),
        ("ollama", {"messages": [{"role": "user", "content": []}]}, "unmarshal content"),
        (
            "ollama",
            {"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}]},
            "unmarshal arguments",
        ),
    ],
)
def test_what_the_real_interface_would_refuse_is_refused(name: str, change: dict[str, Any], problem: str) -> None:
    server = ScriptedServer(["never said"]).start()
    try:
        status, told = ask(server, PATHS[name], BODIES[name] | change)
        assert status == 400
        assert problem in str(told)
        with pytest.raises(AssertionError, match="the interface refuses what it was sent"):
            server.assert_done()
        assert server.requests == [], "and takes no answer from the script"
    finally:
        server.close()


@keeps("testing.server.refuses")
def test_a_version_a_key_and_a_model_are_wanted_where_they_are_wanted() -> None:
    server = ScriptedServer(["said"], models=["m"], key="k").start()
    try:
        for name, header in (
            ("openai-chat", "authorization"),
            ("openai-responses", "authorization"),
            ("anthropic", "x-api-key"),
            ("gemini", "x-goog-api-key"),
            ("ollama", "authorization"),
            ("cohere", "authorization"),
        ):
            assert ask(server, PATHS[name], BODIES[name], {**VERSION, header: "wrong"})[0] == 401
            unknown = {**BODIES[name], "model": "other"}
            path = PATHS[name].replace("/m:", "/other:")
            assert ask(server, path, unknown, {**VERSION, header: "k"})[0] == 404
        assert ask(server, "/v1beta/models/m:generateContent?key=k", BODIES["gemini"])[0] == 200
        assert ask(server, PATHS["anthropic"], MESSAGE, {"x-api-key": "k"})[0] == 400
        assert ask(server, "/v1/models", headers={"authorization": "Bearer wrong"})[0] == 401
    finally:
        server.close()


@keeps("testing.server")
def test_each_interface_lists_the_models_in_its_own_form() -> None:
    with ScriptedServer(models=["one", "two"]) as server:
        assert [row["id"] for row in ask(server, "/v1/models", headers={"x": "y"})[1]["data"]] == ["one", "two"]
        theirs = ask(server, "/v1/models")[1]
        assert (theirs["first_id"], theirs["last_id"], theirs["has_more"]) == ("one", "two", False)
        assert [row["name"] for row in ask(server, "/v1beta/models")[1]["models"]] == ["models/one", "models/two"]
        assert [row["name"] for row in ask(server, "/api/tags")[1]["models"]] == ["one", "two"]


def test_a_path_of_no_interface_is_not_found_and_told_at_the_end() -> None:
    server = ScriptedServer().start()
    assert ask(server, "/v1/completions", {})[0] == 404
    server.close()
    with pytest.raises(AssertionError, match="POST /v1/completions: no interface has this path"):
        server.assert_done()


@pytest.mark.parametrize(
    "request_text",
    [
        b"nonsense\r\n\r\n",
        b"POST /api/chat HTTP/1.1\r\ncontent-length: 2\r\n\r\n[]",
        b"POST /api/chat HTTP/1.1\r\ncontent-length: 3\r\n\r\n{,}",
        b"POST /api/chat HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST /api/chat HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffff\r\n",
        b"GET / HTTP/1.1\r\nx: " + b"y" * 300_000,
    ],
)
def test_what_is_no_request_is_refused(request_text: bytes) -> None:
    server = ScriptedServer().start()
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=20) as raw:
        raw.sendall(request_text)
        assert raw.recv(65536).startswith(b"HTTP/1.1 400")
    server.close()
    assert "cannot be read" in server.refused[0]


def test_a_body_in_chunks_is_read_and_a_reset_connection_does_no_harm() -> None:
    with ScriptedServer(["said"]) as server:
        address = urlsplit(server.url)
        raw = socket.create_connection((address.hostname or "", address.port or 0), timeout=20)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.sendall(b"POST /api/chat HTTP/1.1\r\ncontent-length: 9\r\n\r\n{")
        raw.close()
        data = json.dumps(BODIES["ollama"]).encode()
        connection = HTTPConnection(address.netloc, timeout=20)
        connection.request(
            "POST",
            "/api/chat",
            iter([data[:5], data[5:]]),
            encode_chunked=True,
            headers={"Transfer-Encoding": "chunked"},
        )
        assert json.loads(connection.getresponse().read())["message"]["content"] == "said"
        connection.close()


@keeps("testing.server")
@every_interface
def test_a_function_is_asked_for_its_answer_and_a_script_that_has_run_out_says_so(name: str) -> None:
    async def later(request: ServerRequest) -> object:
        await asyncio.sleep(0)
        return f"You sent {sorted(request.body)}"

    def wrong(_request: ServerRequest) -> object:
        raise LookupError("the fault of a test")

    server = ScriptedServer([later, wrong, lambda _request: lambda _again: "twice"]).start()
    try:
        assert "You sent" in str(ask(server, PATHS[name], BODIES[name]))
        status, told = ask(server, PATHS[name], BODIES[name])
        assert status == 500
        assert "the fault of a test" in str(told)
        assert "twice" in str(ask(server, PATHS[name], BODIES[name]))
        assert "nobody expected request 4" in str(ask(server, PATHS[name], BODIES[name]))
        with pytest.raises(AssertionError, match="the script has run out"):
            server.assert_done()
    finally:
        server.close()
    assert repr(server).endswith("4 requests, 0 left>")


@keeps("testing.server")
@every_interface
def test_a_connection_is_ended_and_a_stream_broken_off_where_the_script_says_so(name: str) -> None:
    gone = LLMError("connection_failed")
    with ScriptedServer([gone, ["Once upon a time", gone], LLMError("bad_response")]) as server:
        with pytest.raises((RemoteDisconnected, ConnectionError)):
            ask(server, PATHS[name], BODIES[name])
        streaming = BODIES[name] | {"stream": True}
        path = PATHS[name].replace(":generate", ":streamGenerate")
        with pytest.raises(IncompleteRead):
            ask(server, path, streaming)
        assert b"<html>" in ask(server, PATHS[name], BODIES[name])[1]


@keeps("testing.server")
@every_interface
def test_reasons_refusals_and_broken_calls_are_said_in_each_interfaces_words(name: str) -> None:
    broken = InvalidToolCall("c9", "f", '{"a": ', "cut off")
    script: list[object] = [
        ChatResponse(text="cut", finish_reason="length", reasoning="Hm."),
        ChatResponse(refusal="I will not.", finish_reason="content_filter"),
        [ToolCall("c1", "f"), broken],
        ChatResponse(failure=Failure(code="rate_limited", message="Later."), finish_reason="error"),
    ]
    with ScriptedServer(script) as server:
        said = [str(ask(server, PATHS[name], BODIES[name])) for _ in range(4)]
    assert "Hm." in said[0]
    ends = {
        "openai-responses": "max_output_tokens",
        "anthropic": "max_tokens",
        "gemini": "MAX_TOKENS",
        "cohere": "MAX_TOKENS",
    }
    assert ends.get(name, "length") in said[0]
    assert "I will not." in said[1]
    assert '{"a": ' in said[2]
    assert said[3].startswith("(200")
    assert "Later." in said[3]


def test_a_server_that_never_answers_is_ended_with_its_connections() -> None:
    for _ in range(50):  # how far a connection has come by then is different each time
        server = ScriptedServer([None]).start()
        address = urlsplit(server.url)
        connection = HTTPConnection(address.netloc, timeout=20)
        connection.request("POST", "/api/chat", json.dumps(CHAT))
        server.close()
        with pytest.raises((RemoteDisconnected, ConnectionError)):
            connection.getresponse()
        connection.close()


def test_a_script_that_makes_no_sense_is_refused_and_what_fails_inside_is_told_alone() -> None:
    with pytest.raises(TypeError, match="is no answer of a model"):
        ScriptedServer([42])
    with pytest.raises(ValueError, match="chunk_size"):
        ScriptedServer(chunk_size=0)
    with pytest.raises(LookupError), ScriptedServer(["left"]):
        raise LookupError("what says more than the script")
    with pytest.raises(AssertionError, match="1 answers of the script were not asked for"), ScriptedServer(["left"]):
        pass
    ScriptedServer().close()


def test_the_key_of_a_request_is_not_shown() -> None:
    with ScriptedServer(["a"]) as server:
        ask(server, "/api/chat", CHAT | {"stream": False}, {"authorization": "Bearer hush", "x-secret": "hush"})
        assert "hush" not in repr(server.requests)
        assert server.requests[0].headers["authorization"] == "Bearer hush"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "type", "tool_calls", "parts", "function", "name", "id", "text", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@keeps("testing.server.refuses")
@every_interface
@settings(max_examples=15)
@given(
    change=st.dictionaries(
        st.sampled_from(["model", "messages", "input", "contents", "tools", "stream", "stream_options"]),
        json_values,
        max_size=5,
    )
)
def test_no_request_breaks_the_server(name: str, change: dict[str, Any]) -> None:
    server = ScriptedServer(["said"] * 2).start()
    try:
        with contextlib.suppress(RemoteDisconnected, ConnectionError, IncompleteRead):
            status, _ = ask(server, PATHS[name], BODIES[name] | change)
            assert status in (200, 400)
        assert ask(server, PATHS[name], BODIES[name])[0] == 200
    finally:
        server.close()
