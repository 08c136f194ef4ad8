"""The beginning of a run: the conversation that it goes on from, and the prompt.

Pure: this module puts messages in order and asks nobody.
"""

from __future__ import annotations

from msgspec.structs import replace

from toolwright.agent.final import FinalAnswer
from toolwright.agent.journal import Journal
from toolwright.agent.position import Position
from toolwright.conversation import Conversation
from toolwright.messages import ChatMessage, MessageRole

__all__ = ["first_position"]


def first_position(
    prompt: str, conversation: Conversation | None, system: str | None, run_id: str, final: FinalAnswer | None
) -> Position:
    """Return where a run begins. The conversation that is handed in stays as it is.

    One that ends with a user message gets the prompt joined to that, a blank line between.

    Raises:
        ConversationOrderError: The conversation has calls without an answer, or needs a system message and has none.
        InvalidMessageError: The prompt is no text.
    """
    asked = ChatMessage.user(prompt)
    before = _before(conversation, system)
    journal = Journal()
    last = before.last
    if last is not None:
        for message in before:
            journal.add(message)
    journal.add(asked, run=run_id)
    if last is None or last.role is not MessageRole.USER:
        before.add(asked)
        return Position(before, journal, final)
    joined = replace(last, content=f"{last.content}\n\n{prompt}")
    return Position(Conversation([*before[:-1], joined], require_system=before.require_system), journal, final)


def _before(conversation: Conversation | None, system: str | None) -> Conversation:
    if conversation is not None and len(conversation):
        conversation.validate()
        return conversation.fork()
    required = system is not None if conversation is None else conversation.require_system
    return Conversation([] if system is None else [ChatMessage.system(system)], require_system=required)
