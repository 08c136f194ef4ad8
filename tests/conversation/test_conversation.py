from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolwright as tw
from tests.messages.strategies import conversations, messages
from tests.promises import keeps

_CALL = tw.ToolCall("call_1", "first")
_OTHER = tw.ToolCall("call_2", "second")
_INVALID = tw.InvalidToolCall("call_3", "third", "{", "not JSON")


def _begun(*more: tw.ChatMessage) -> tw.Conversation:
    return tw.Conversation([tw.system("Be kind."), tw.user("Hello"), *more])


@keeps("conversation.interface")
def test_a_conversation_is_a_sequence_of_its_messages() -> None:
    conversation = tw.Conversation()
    assert (len(conversation), conversation.last, conversation.messages) == (0, None, ())
    conversation.add(tw.system("Be kind."))
    conversation.extend([tw.user("Hello"), tw.assistant("Hello!")])
    assert len(conversation) == 3
    assert conversation.last is conversation[-1] is conversation.messages[2]
    assert [message.role for message in conversation] == ["system", "user", "assistant"]
    assert conversation[1:] == (tw.user("Hello"), tw.assistant("Hello!"))


@keeps("conversation.interface")
def test_a_snapshot_stays_what_it_was() -> None:
    conversation = _begun()
    snapshot = conversation.messages
    conversation.add(tw.assistant("Hello!"))
    assert len(snapshot) == 2
    assert conversation.messages is conversation.messages


_REFUSED: list[tuple[str, list[tw.ChatMessage], tw.ChatMessage, list[str], str]] = [
    ("conversation.system_first", [], tw.user("x"), ["system", "first"], "wrong_order"),
    ("conversation.system_first", [], tw.assistant("x"), ["system", "first"], "wrong_order"),
    ("conversation.system_first", [], tw.tool_result("c", "x"), ["system", "first"], "wrong_order"),
    ("conversation.system_once", [tw.system("a")], tw.system("b"), ["system", "already"], "wrong_order"),
    ("alternate", [tw.system("a"), tw.user("b")], tw.user("c"), ["user", "assistant", "alternate"], "wrong_order"),
    ("alternate", [tw.system("a")], tw.assistant("b"), ["user", "assistant", "alternate"], "wrong_order"),
    (
        "alternate",
        [tw.system("a"), tw.user("b"), tw.assistant("c")],
        tw.assistant("d"),
        ["user", "assistant", "alternate"],
        "wrong_order",
    ),
    ("tools", [tw.system("a"), tw.user("b")], tw.tool_result("c", "d"), ["tool", "tool_calls"], "wrong_order"),
    (
        "tools",
        [tw.system("a"), tw.user("b"), tw.assistant("c")],
        tw.tool_result("c", "d"),
        ["tool", "tool_calls"],
        "wrong_order",
    ),
    (
        "tools",
        [tw.system("a"), tw.user("b"), tw.assistant(None, [_CALL])],
        tw.tool_result("other", "d"),
        ["tool_call_id"],
        "wrong_order",
    ),
    (
        "once",
        [tw.system("a"), tw.user("b"), tw.assistant(None, [_CALL]), tw.tool_result("call_1", "d")],
        tw.tool_result("call_1", "d"),
        ["tool_call_id", "once"],
        "wrong_order",
    ),
    (
        "all",
        [tw.system("a"), tw.user("b"), tw.assistant(None, [_CALL, _OTHER]), tw.tool_result("call_1", "d")],
        tw.assistant("e"),
        ["tool_call_id"],
        "calls_unanswered",
    ),
    (
        "all",
        [tw.system("a"), tw.user("b"), tw.assistant(None, [], [_INVALID])],
        tw.user("e"),
        ["tool_call_id"],
        "calls_unanswered",
    ),
]


@keeps(
    "conversation.refused_changes_nothing",
    "conversation.system_first",
    "conversation.system_once",
    "conversation.alternate",
    "conversation.tool_after_calls",
    "conversation.answered_once",
    "conversation.all_answered",
)
@pytest.mark.parametrize(("rule", "before", "message", "words", "code"), _REFUSED)
def test_a_message_that_may_not_stand_here_is_refused_by_its_rule(
    rule: str, before: list[tw.ChatMessage], message: tw.ChatMessage, words: list[str], code: str
) -> None:
    conversation = tw.Conversation(before)
    pending = conversation.pending_calls
    attempts: list[Callable[[], None]] = [lambda: conversation.add(message), lambda: conversation.extend([message])]
    for attempt in attempts:
        with pytest.raises(tw.ConversationOrderError) as caught:
            attempt()
        assert all(word in str(caught.value) for word in words), rule
        assert caught.value.code == code
        assert isinstance(caught.value, tw.InvalidMessageError)
        assert conversation.messages == tuple(before)
        assert conversation.pending_calls == pending


@keeps("conversation.system_once")
def test_a_system_message_cannot_come_after_others() -> None:
    conversation = tw.Conversation([tw.user("x")], require_system=False)
    with pytest.raises(tw.ConversationOrderError, match=r"already.*system"):
        conversation.add(tw.system("y"))


@keeps("conversation.system_first")
def test_the_first_message_need_not_be_the_system_message_where_that_is_lifted() -> None:
    assert len(tw.Conversation([tw.user("x")], require_system=False)) == 1
    assert len(tw.Conversation([tw.system("x"), tw.user("y")], require_system=False)) == 2
    with pytest.raises(tw.ConversationOrderError, match="alternate"):
        tw.Conversation([tw.assistant("x")], require_system=False)
    with pytest.raises(tw.ConversationOrderError, match="tool_calls"):
        tw.Conversation([tw.tool_result("c", "x")], require_system=False)


@keeps("conversation.answered_once", "conversation.pending_calls")
def test_calls_valid_or_not_are_answered_in_any_order() -> None:
    conversation = _begun(tw.assistant(None, [_CALL, _OTHER], [_INVALID]))
    assert conversation.pending_calls == (_CALL, _OTHER, _INVALID)
    conversation.add(tw.tool_result("call_3", "not JSON", is_error=True))
    conversation.add(tw.tool_result("call_1", "a"))
    assert conversation.pending_calls == (_OTHER,)
    conversation.add(tw.tool_result("call_2", "b"))
    assert conversation.pending_calls == ()


@keeps("conversation.alternate")
@pytest.mark.parametrize("next_message", [tw.user("x"), tw.assistant("x"), tw.assistant(None, [_CALL])])
def test_after_tool_messages_either_may_speak(next_message: tw.ChatMessage) -> None:
    conversation = _begun(tw.assistant(None, [_CALL]), tw.tool_result("call_1", "a"))
    conversation.add(next_message)
    assert conversation.last is next_message


@keeps("conversation.answered_once")
def test_ids_may_come_again_in_a_later_message() -> None:
    answer = [tw.assistant(None, [_CALL]), tw.tool_result("call_1", "a")]
    assert len(_begun(*answer, *answer)) == 6


@keeps("conversation.all_or_nothing")
def test_extend_adds_all_or_nothing() -> None:
    conversation = _begun()
    with pytest.raises(tw.ConversationOrderError, match="alternate") as caught:
        conversation.extend([tw.assistant("a"), tw.user("b"), tw.user("c")])
    assert caught.value.path == "[2]"
    assert len(conversation) == 2
    with pytest.raises(TypeError, match="tw.user"):
        conversation.extend([tw.assistant("a"), "b"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="tw.user"):
        conversation.add("b")  # type: ignore[arg-type]
    assert len(conversation) == 2
    conversation.extend(iter([tw.assistant("a"), tw.user("b")]))
    assert len(conversation) == 4


@keeps("conversation.clear")
def test_after_clear_the_next_message_is_a_first_one() -> None:
    conversation = _begun(tw.assistant(None, [_CALL]))
    conversation.clear()
    assert (len(conversation), conversation.last, conversation.pending_calls) == (0, None, ())
    with pytest.raises(tw.ConversationOrderError, match="first"):
        conversation.add(tw.user("x"))
    conversation.add(tw.system("again"))
    assert len(conversation) == 1


@keeps("conversation.fork")
def test_a_fork_goes_its_own_way() -> None:
    conversation = _begun(tw.assistant(None, [_CALL]))
    fork = conversation.fork()
    fork.add(tw.tool_result("call_1", "a"))
    assert conversation.pending_calls == (_CALL,)
    conversation.add(tw.tool_result("call_1", "b"))
    assert [conversation[-1].content, fork[-1].content] == ["b", "a"]
    assert copy.copy(fork) == copy.deepcopy(fork) == pickle.loads(pickle.dumps(fork)) == fork  # noqa: S301
    assert fork != conversation
    assert fork != 5


@keeps("conversation.validate")
def test_validate_wants_every_call_answered() -> None:
    conversation = _begun(tw.assistant(None, [_CALL, _OTHER]))
    with pytest.raises(tw.ConversationOrderError, match="call_1.*call_2") as caught:
        conversation.validate()
    assert caught.value.code == "calls_unanswered"
    conversation.extend([tw.tool_result("call_1", ""), tw.tool_result("call_2", "")])
    conversation.validate()


@keeps("conversation.json")
@given(conversations())
def test_a_conversation_goes_to_json_and_back(conversation: tw.Conversation) -> None:
    text = conversation.to_json()
    again = tw.Conversation.from_json(text, require_system=conversation.require_system)
    assert again == conversation
    assert json.loads(text) == [json.loads(message.to_json()) for message in conversation]


@keeps("conversation.json")
@pytest.mark.parametrize(
    ("text", "error", "path"),
    [
        ('[{"role":"user","content":"x"}]', tw.ConversationOrderError, "[0]"),
        (
            '[{"role":"system","content":"x"},{"role":"user","content":"x"},{"role":"user","content":"x"}]',
            tw.ConversationOrderError,
            "[2]",
        ),
        ('[{"role":"system"}]', tw.InvalidMessageError, "[0].content"),
        ('{"role":"system"}', tw.MessageDecodeError, ""),
        ("[", tw.MessageDecodeError, ""),
    ],
)
def test_decoding_applies_the_same_rules(text: str, error: type[Exception], path: str) -> None:
    with pytest.raises(error) as caught:
        tw.Conversation.from_json(text)
    found: Any = caught.value
    assert found.path == path


def _is_legal(history: tuple[tw.ChatMessage, ...], require_system: bool) -> bool:
    """The rules once more, told another way: over the whole history, without a state."""
    if require_system and history and history[0].role != "system":
        return False
    spoken = list(history[1:] if history and history[0].role == "system" else history)
    waiting: list[str] = []
    allowed = {"user"}
    while spoken:
        message = spoken.pop(0)
        if waiting and message.tool_call_id not in waiting:
            return False
        if not waiting and (message.role == "tool" or message.role not in allowed):
            return False
        if message.role == "tool":
            waiting.remove(message.tool_call_id or "")
            allowed = {"user", "assistant"}
        else:
            waiting = [call.id for call in message.tool_calls] + [call.id for call in message.invalid_tool_calls]
            allowed = {"assistant"} if message.role == "user" else {"user"}
    return True


_small = st.one_of(
    messages,
    st.builds(tw.tool_result, st.sampled_from(["a", "b"]), st.just("x")),
    st.builds(
        lambda ids: tw.assistant(None, [tw.ToolCall(id, "n") for id in ids]),
        st.lists(st.sampled_from(["a", "b"]), min_size=1, unique=True),
    ),
)


@keeps("conversation.refused_changes_nothing", "conversation.all_or_nothing")
@given(st.booleans(), st.lists(st.lists(_small, min_size=1, max_size=3), max_size=25))
def test_random_appends_never_leave_a_conversation_that_breaks_a_rule(
    require_system: bool, batches: list[list[tw.ChatMessage]]
) -> None:
    conversation = tw.Conversation(require_system=require_system)
    for batch in batches:
        before = conversation.messages
        expected = _is_legal((*before, *batch), require_system)
        try:
            conversation.extend(batch)
        except tw.ConversationOrderError:
            assert not expected
            assert conversation.messages == before
        else:
            assert expected
            assert conversation.messages == (*before, *batch)


@keeps("conversation.threads")
def test_extends_of_several_threads_never_interleave() -> None:
    conversation = tw.Conversation([tw.system("x")])
    barrier = Barrier(8)

    def write(writer: int) -> None:
        barrier.wait(timeout=10)
        for _ in range(200):
            call = tw.ToolCall(f"call_{writer}", "n")
            turn = [tw.user(f"{writer}"), tw.assistant(None, [call]), tw.tool_result(call.id, f"{writer}")]
            conversation.extend([*turn, tw.assistant(f"{writer}")])

    def read() -> None:
        barrier.wait(timeout=10)
        for _ in range(400):
            history = conversation.messages
            assert len(history) % 4 == 1
            last, pending = conversation.last, conversation.pending_calls
            assert last is not None
            assert last.role in ("system", "assistant")
            assert pending == ()

    with ThreadPoolExecutor(8) as pool:
        tasks = [*(pool.submit(write, writer) for writer in range(4)), *(pool.submit(read) for _ in range(4))]
        for task in tasks:
            task.result(timeout=60)
    spoken = [message.content for message in conversation[1:] if message.content is not None]
    assert all(len(set(spoken[start : start + 3])) == 1 for start in range(0, len(spoken), 3))
    assert len(conversation) == 1 + 4 * 200 * 4
