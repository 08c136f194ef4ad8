"""How an answer of the chat format is read, streamed or whole.

A whole answer is read as a stream of one piece: its ``message`` has the fields of a ``delta``. Servers of this format
are many and differ from its documents; the comments say how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, final

from toolwright.providers.codecs.answer import Answer
from toolwright.providers.codecs.bodies import read_body
from toolwright.providers.codecs.calls import arguments_text
from toolwright.providers.codecs.documents import as_list, as_object, as_text, is_keepable, read_documents
from toolwright.providers.codecs.faults import BROKEN, find_failure, read_failure
from toolwright.providers.codecs.framing import EventFrames
from toolwright.providers.codecs.openai_chat.calls import Slots
from toolwright.providers.codecs.openai_chat.details import Details, text_field
from toolwright.providers.codecs.openai_chat.usage import is_failure, read_usage
from toolwright.providers.codecs.thoughts import ThoughtSplitter
from toolwright.providers.types import ChatResponse, FinishReason, StreamEvent

__all__ = ["ChatDecoder", "decode_chat"]

_FINISHES: Final[Mapping[str, FinishReason]] = {
    **dict.fromkeys(("tool_calls", "tool_call", "tool_use", "function_call"), "tool_calls"),
    **dict.fromkeys(("length", "max_tokens", "model_length", "max_output_tokens"), "length"),
    **dict.fromkeys(("content_filter", "content_filtered", "safety", "sensitive"), "content_filter"),
    **dict.fromkeys(
        ("error", "network_error", "insufficient_system_resource", "abort", "aborted", "malformed_function_call"),
        "error",
    ),
}  # whatever else is said ("eos", "end_turn", ...) is an ordinary end
_PLAIN_REASONING: Final = ("reasoning_content", "reasoning", "reasoning_text")
_OPAQUE_REASONING: Final = ("reasoning_opaque",)  # for nobody to read, and wanted back
_OF_A_CALL: Final = frozenset(("index", "id", "type", "function", "custom", "name", "arguments"))


def decode_chat(body: bytes, codec: str) -> ChatResponse:
    """Read a whole answer.

    Raises:
        LLMError: The body is not JSON (``bad_response``).
    """
    decoder = ChatDecoder(codec)
    return read_body(body, decoder, lambda value: decoder.read(value, [], whole=True))


@final
class ChatDecoder:
    """Reads one answer from its bytes, in whatever pieces they come."""

    def __init__(self, codec: str) -> None:
        self._frames = EventFrames()
        self._answer = Answer(codec)
        self._slots = Slots()
        self._splitter: ThoughtSplitter | None = ThoughtSplitter()
        self._raw_thoughts = ""
        self._reasoning_key = ""  # the first spelling that is used: servers send the same under two names
        self._fields: dict[str, list[str]] = {}
        self._details = Details()
        self._marked_end = False
        self._streamed: set[str] = set()  # the fields that came in pieces
        self._choice = -1  # which of several answers to one request is read: the first
        self._response: ChatResponse | None = None
        self._readers: Mapping[str, Callable[[Any, list[StreamEvent]], None]] = {
            "content": self._read_content,
            "tool_calls": self._read_calls,
            "function_call": self._read_old_call,
            **{key: partial(self._read_reasoning, key) for key in _PLAIN_REASONING},
            **{key: partial(self._read_opaque, key) for key in _OPAQUE_REASONING},
            "reasoning_details": self._read_details,
            "refusal": self._read_refusal,
            "audio": self._read_audio,
            "extra_content": self._read_extra,
        }

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes and return what they brought."""
        events: list[StreamEvent] = []
        for frame in self._frames.feed(chunk):
            self._read_frame(frame, events)
        return events

    def close(self) -> ChatResponse:
        """Say that no bytes follow, and return the answer."""
        if self._response is None:
            for frame in self._frames.close():
                self._read_frame(frame, [])
            if self._splitter is not None:
                self._take_split(self._splitter.close(), [])
                self._raw_thoughts = self._splitter.raw
            if self._marked_end and self._answer.finish is None:
                self._answer.finish = "stop"
            self._keep()
            self._response = self._answer.respond()
        return self._response

    def _read_frame(self, frame: bytes, events: list[StreamEvent]) -> None:
        if frame[:1] != b"{" and frame.strip() in (b"", b"[DONE]"):
            self._marked_end = self._marked_end or bool(frame.strip())
            return
        try:
            values = read_documents(frame)
        except ValueError:
            self._answer.failure = self._answer.failure or BROKEN
            return
        for value in values:
            self.read(value, events)

    def read(self, value: Any, events: list[StreamEvent], *, whole: bool = False) -> None:
        """Read one piece of a stream, or a whole answer."""
        answer = self._answer
        if value.__class__ is not dict:
            answer.failure = answer.failure or find_failure(value)
            return
        choices = value.get("choices")
        if choices.__class__ is list:
            for choice in choices:  # without any index, all are parts of one answer
                if choice.__class__ is dict and (choice.get("index") == self._choice or self._is_ours(choice)):
                    self._read_choice(choice, events, whole=whole)
        elif "usage" not in value and is_failure(value):
            answer.failure = answer.failure or read_failure(value)
        if "error" in value:
            answer.failure = answer.failure or find_failure(value)
        if answer.model is None:
            answer.set_model(value.get("model"))
        if "usage" in value:
            self._read_usage(value["usage"])
        if "x_groq" in value:
            self._read_usage(as_object(value["x_groq"]).get("usage"))

    def _is_ours(self, choice: dict[str, Any]) -> bool:
        index: Any = choice.get("index")
        index = index if index.__class__ is int else 0
        if self._choice < 0:
            self._choice = index
        return bool(self._choice == index)

    def _read_choice(self, choice: dict[str, Any], events: list[StreamEvent], *, whole: bool) -> None:
        delta: Any = choice.get("delta")
        message: Any = choice.get("message")
        seen = self._streamed
        finish = choice.get("finish_reason")
        if message.__class__ is dict and (whole or delta.__class__ is not dict):
            self._marked_end = True  # what is whole has its end, whether it says so or not
            # Perplexity has both everywhere, and an empty delta in a body; MiniMax ends a stream with all that it said.
            delta = {key: value for key, value in message.items() if key not in self._streamed}
            seen = set[str]()
        if "usage" in choice:
            self._read_usage(choice["usage"])
        if "error" in choice:
            self._answer.failure = self._answer.failure or find_failure(choice)
        for key, value in as_object(delta).items():
            if value and key in self._readers:
                self._readers[key](value, events)
                seen.add(key)
        if finish and finish.__class__ is str:
            self._end(finish, events)

    def _end(self, word: str, events: list[StreamEvent]) -> None:
        finish = _FINISHES.get(word.lower(), "stop")
        if finish in ("stop", "tool_calls"):
            events += self._answer.calls.end_custom()
        # Some servers say it twice; that an answer was cut is not taken back.
        if self._answer.finish in (None, "stop", "tool_calls"):
            self._answer.finish = finish

    def _read_usage(self, usage: Any) -> None:
        if usage.__class__ is dict and usage:
            self._answer.usage = read_usage(usage)  # the last counts: some servers count as they go

    def _read_content(self, content: Any, events: list[StreamEvent]) -> None:
        if content.__class__ is str:
            self._read_text(content, events)
            return
        for part in content if content.__class__ is list else [content]:
            self._read_part(part, events)

    def _read_part(self, part: Any, events: list[StreamEvent]) -> None:
        if part.__class__ is str:
            self._read_text(part, events)
            return
        part = as_object(part)
        match part.get("type"):
            case "thinking":
                inner = part.get("thinking")
                for piece in as_list(inner) or [inner]:
                    self._read_reasoning("thinking", as_object(piece).get("text", piece), events)
            case "refusal":
                self._read_refusal(part.get("refusal"), events)
            case _:
                self._read_text(as_text(part.get("text")), events)

    def _read_text(self, text: str, events: list[StreamEvent]) -> None:
        if self._splitter is None:
            if text:
                events.append(self._answer.add_text(text))
            return
        self._take_split(self._splitter.feed(text), events)
        if self._splitter.settled:
            self._raw_thoughts = self._splitter.raw
            self._splitter = None

    def _take_split(self, pieces: list[Any], events: list[StreamEvent]) -> None:
        for kind, text in pieces:
            events.append(self._answer.add_text(text) if kind == "text" else self._answer.add_reasoning(text))

    def _read_reasoning(self, key: str, text: Any, events: list[StreamEvent]) -> None:
        if text.__class__ is not str or not text:
            return
        self._fields.setdefault(key, []).append(text)
        self._show_reasoning(key, text, events)

    def _read_opaque(self, key: str, text: Any, events: list[StreamEvent]) -> None:
        if text.__class__ is str:
            self._fields.setdefault(key, []).append(text)

    def _show_reasoning(self, key: str, text: str, events: list[StreamEvent]) -> None:
        self._reasoning_key = self._reasoning_key or key
        if key == self._reasoning_key:
            events.append(self._answer.add_reasoning(text))

    def _read_details(self, details: Any, events: list[StreamEvent]) -> None:
        for detail in filter(None, map(as_object, as_list(details))):
            text = as_text(detail.get(text_field(detail)))
            if text:
                self._show_reasoning("reasoning_details", text, events)
            self._details.add(detail, text, goes_on=not self._marked_end)

    def _read_refusal(self, refusal: Any, events: list[StreamEvent]) -> None:
        if refusal.__class__ is str:
            self._answer.refusals.append(refusal)

    def _read_audio(self, audio: Any, events: list[StreamEvent]) -> None:
        id = as_text(as_object(audio).get("id"))
        if id:
            self._answer.kept.setdefault("fields", {})["audio"] = {"id": id}  # all that is wanted back

    def _read_extra(self, extra: Any, events: list[StreamEvent]) -> None:
        if is_keepable(extra):
            self._answer.kept.setdefault("fields", {})["extra_content"] = extra

    def _read_old_call(self, function: Any, events: list[StreamEvent]) -> None:
        if function.__class__ is dict:
            self._read_call({"function": function}, 0, events)

    def _read_calls(self, calls: Any, events: list[StreamEvent]) -> None:
        calls = calls if calls.__class__ is list else [calls]
        several = len(calls) > 1
        for position, call in enumerate(calls):
            if call.__class__ is dict:
                if several and self._marked_end:
                    events += self._answer.calls.end_custom()  # of whole calls, only the last can have been cut off
                index = call.get("index")
                # Without an index, the place in a list of several is one.
                self._read_call(call, position if several and index is None else index, events)

    def _read_call(self, call: dict[str, Any], index: Any, events: list[StreamEvent]) -> None:
        # Written out rather than in steps: a stream has thousands of these.
        calls, custom = self._answer.calls, False
        function: Any = call.get("function")
        if function.__class__ is not dict or not function:
            function = as_object(call.get("custom"))
            custom = bool(function)
            function = function or call  # some servers leave that level out
        id: Any = call.get("id")
        name: Any = function.get("name")
        id = id if id.__class__ is str else _id(id)
        name = name if name.__class__ is str else ""
        text: Any = function.get("input" if custom else "arguments")
        if text.__class__ is not str:
            text = "" if custom else arguments_text(text)
        slot = self._slots.find(index, id, name, text)
        if slot is None:
            return
        # Servers repeat ids and names on every delta; the first of a call tells them.
        new_id, new_name = (id if not slot.id else ""), (name if not slot.name else "")
        slot.take(id, name, "" if custom else text)
        events.append((calls.add_custom if custom else calls.add)(slot.index, new_id, new_name, text))
        if not _OF_A_CALL.issuperset(call):
            extra = {key: value for key, value in call.items() if key not in _OF_A_CALL and value is not None}
            calls.keep(slot.index, {"fields": extra})

    def _keep(self) -> None:
        """Collect what the provider wants to see again."""
        kept = self._answer.kept
        fields = {key: "".join(pieces) for key, pieces in self._fields.items()}
        thinking = fields.pop("thinking", "")
        if thinking:
            kept["thinking"] = thinking
        if self._raw_thoughts:
            kept["think"] = self._raw_thoughts
        if self._answer.refusals:
            fields["refusal"] = "".join(self._answer.refusals)
        details = self._details.whole()
        if details:
            kept.setdefault("fields", {})["reasoning_details"] = details
        if fields:
            kept.setdefault("fields", {}).update(fields)


def _id(value: Any) -> str:
    """Return an id as text: some servers use numbers, and null stands for none."""
    return str(value) if value.__class__ is int and abs(value) < 10**20 else as_text(value)
