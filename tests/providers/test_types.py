from __future__ import annotations

import pickle

import pytest

import toolwright as tw
from tests.promises import keeps
from toolwright.providers import ChatResponse, Completed, Failure, ReasoningDelta, TextDelta, Usage

CALL = tw.ToolCall("a", "look", {"x": 1})
BROKEN = tw.InvalidToolCall("b", "look", "{", "It is not JSON.")


@keeps("response.fields")
def test_all_fields_of_a_response_have_defaults_and_are_keywords() -> None:
    response = ChatResponse()
    assert (response.text, response.tool_calls, response.invalid_tool_calls) == (None, (), ())
    assert (response.finish_reason, response.usage, response.model) == ("stop", Usage(), None)
    assert (response.reasoning, response.refusal, response.provider_data) == (None, None, None)
    assert Usage().input_tokens is None
    with pytest.raises(TypeError):
        ChatResponse("text")  # type: ignore[call-arg]


@keeps("response.fields")
def test_a_response_is_a_value() -> None:
    data = {"x": {"y": [1]}}
    response = ChatResponse(text="Hi", tool_calls=[CALL], provider_data=data, usage=Usage(input_tokens=1))  # type: ignore[arg-type]
    data["x"]["y"].append(2)
    assert response.provider_data == {"x": {"y": [1]}}
    assert response.tool_calls == (CALL,)
    assert pickle.loads(pickle.dumps(response)) == response  # noqa: S301  what was written a moment ago
    assert hash(response) == hash(ChatResponse(text="Hi", tool_calls=(CALL,)))


@keeps("response.tool_invocation")
def test_the_tool_invocation_is_the_first_call_that_can_be_run() -> None:
    assert ChatResponse(tool_calls=(CALL,)).tool_invocation is CALL
    assert ChatResponse(invalid_tool_calls=(BROKEN,)).tool_invocation is None


@keeps("response.to_message")
def test_a_message_has_both_kinds_of_calls_and_the_provider_data() -> None:
    response = ChatResponse(tool_calls=(CALL,), invalid_tool_calls=(BROKEN,), provider_data={"x": {"y": 1}})
    assert response.to_message() == tw.assistant(None, [CALL], [BROKEN], provider_data={"x": {"y": 1}})


@keeps("response.to_message")
def test_a_message_without_anything_has_the_refusal_or_an_empty_text() -> None:
    assert ChatResponse(refusal="No.").to_message() == tw.assistant("No.")
    assert ChatResponse(text="Yes.", refusal="No.").to_message() == tw.assistant("Yes.")
    assert ChatResponse().to_message() == tw.assistant("")


def test_no_content_is_in_any_repr() -> None:
    secret = "hunter2"
    response = ChatResponse(
        text=secret, reasoning=secret, refusal=secret, tool_calls=(CALL,), invalid_tool_calls=(BROKEN,), model="m"
    )
    for value in (response, TextDelta(secret), ReasoningDelta(secret), Completed(response), Failure(message=secret)):
        assert secret not in repr(value)
    assert "look" in repr(response)
