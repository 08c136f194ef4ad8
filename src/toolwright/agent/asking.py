"""Asking a model, whole or in pieces, and what its answer comes to.

This module may not know why it is asked, nor what is done with the answer.
"""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import Any, Final, TypeAlias, get_args

from msgspec.structs import replace

from toolwright.agent.turn import Call, Ending
from toolwright.errors import LLMError
from toolwright.messages import ChatMessage, InvalidToolCall, ToolCall
from toolwright.providers import ChatProvider, ChatResponse, Completed, Usage
from toolwright.tools import ToolDefinition

__all__ = ["Tell", "ask", "distinct"]

Tell: TypeAlias = Callable[[Any], object]
"""Whoever hears of each event as it happens."""

_ENDINGS: Final = frozenset(get_args(Ending))


async def ask(
    provider: ChatProvider,
    messages: Iterable[ChatMessage],
    tools: Sequence[ToolDefinition],
    options: Mapping[str, Any],
    tell: Tell | None,
) -> ChatResponse:
    """Return the model's answer; where somebody wants to hear of it, told as it comes, but for its end.

    Raises:
        LLMError: There is no answer.
        TypeError: The provider gives something else.
    """
    if tell is None:
        return distinct(_checked(await provider.chat_with_tools(messages, tools, **options)))
    stream = provider.stream(messages, tools, **options)
    async with AsyncExitStack() as stack:
        if hasattr(stream, "aclose"):
            await stack.enter_async_context(aclosing(stream))  # type: ignore[type-var]  # it has, as was just seen
        async for event in stream:
            if isinstance(event, Completed):
                return distinct(_checked(event.response))
            tell(event)
            await sleep(0)  # so that whoever hears of it can do so before the next one
    raise LLMError("bad_response", "the stream of the answer ended without the answer")


def _checked(response: Any) -> ChatResponse:
    """Return what a provider gave, if it is what it should be, so that it can be put into the journal."""
    if not isinstance(response, ChatResponse):
        raise TypeError(f"a provider answers with a ChatResponse, not with a {type(response).__name__}")
    ending: Any = response.finish_reason
    model: Any = response.model
    usage: Any = response.usage
    if ending not in _ENDINGS or not isinstance(model, str | None) or not isinstance(usage, Usage):
        raise TypeError("the provider's answer is not what one should be: look at how it ends, its model and its usage")
    return response


def distinct(response: ChatResponse) -> ChatResponse:
    """Return an answer whose calls have ids of their own: servers repeat them, and each call gets one answer."""
    calls: tuple[Call, ...] = (*response.tool_calls, *response.invalid_tool_calls)
    if len(calls) < 2 or len({call.id for call in calls}) == len(calls):
        return response
    taken = {call.id for call in calls}
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    renamed: list[Call] = []
    for call in calls:
        id, number = call.id, numbers.get(call.id, 1)
        while id in seen or (number > 1 and id in taken):
            number += 1
            id = f"{call.id}_{number}"
        numbers[call.id] = number
        seen.add(id)
        renamed.append(call if id == call.id else replace(call, id=id))
    return replace(
        response,
        tool_calls=tuple(call for call in renamed if isinstance(call, ToolCall)),
        invalid_tool_calls=tuple(call for call in renamed if isinstance(call, InvalidToolCall)),
    )
