"""Values of this room for Hypothesis."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

import toolwright as tw

__all__ = ["calls", "conversations", "invalid_calls", "json_objects", "messages", "texts"]

# What JSON can carry: lone surrogates do not survive the wire, by promise, and have tests of their own.
texts = st.text(st.characters(codec="utf-8"), max_size=40)
ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
names = st.from_regex(r"[A-Za-z0-9_]{1,64}", fullmatch=True)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts)
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
json_objects = st.dictionaries(texts, json_values, max_size=4)
provider_data = st.none() | st.dictionaries(texts, json_values, max_size=2)

calls = st.builds(tw.ToolCall, id=ids, name=names, arguments=json_objects, provider_data=provider_data)
invalid_calls = st.builds(
    tw.InvalidToolCall, id=ids, name=texts, arguments_text=texts, reason=texts, provider_data=provider_data
)


@st.composite
def answers(draw: st.DrawFn) -> tw.ChatMessage:
    """An assistant message of any shape."""
    drawn = draw(st.lists(calls | invalid_calls, max_size=4, unique_by=lambda call: call.id))
    content = draw(texts) if not drawn else draw(st.none() | texts)
    return tw.ChatMessage.assistant(
        content,
        [call for call in drawn if isinstance(call, tw.ToolCall)],
        [call for call in drawn if isinstance(call, tw.InvalidToolCall)],
        provider_data=draw(provider_data),
    )


messages = st.one_of(
    st.builds(tw.ChatMessage, st.sampled_from(["system", "user"]), texts, provider_data=provider_data),
    answers(),
    st.builds(
        tw.ChatMessage,
        st.just("tool"),
        texts,
        tool_call_id=ids,
        is_error=st.booleans(),
        provider_data=provider_data,
    ),
)


@st.composite
def conversations(draw: st.DrawFn) -> tw.Conversation:
    """A conversation that keeps every rule."""
    conversation = tw.Conversation(require_system=draw(st.booleans()))
    if conversation.require_system or draw(st.booleans()):
        conversation.add(tw.system(draw(texts)))
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()) or conversation.last is None or conversation.last.role is not tw.MessageRole.TOOL:
            conversation.add(tw.ChatMessage(tw.MessageRole.USER, draw(texts), provider_data=draw(provider_data)))
        conversation.add(draw(answers()))
        for call in draw(st.permutations(conversation.pending_calls)):
            result = tw.tool_result(call.id, draw(texts), draw(st.booleans()))
            conversation.add(msgspec.structs.replace(result, provider_data=draw(provider_data)))
    return conversation
