"""How an answer of Gemini's is read, whole or streamed chunk by chunk.

A chunk has the shape of a whole answer, and its parts follow those of the chunks before it. A stream is one of events,
or one JSON array.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

from toolwright.messages import ChatMessage
from toolwright.providers.codecs.answer import Answer, count
from toolwright.providers.codecs.bodies import read_body
from toolwright.providers.codecs.calls import arguments_text
from toolwright.providers.codecs.documents import as_object, as_text, is_keepable, read_documents
from toolwright.providers.codecs.faults import BROKEN, find_failure, read_failure
from toolwright.providers.codecs.framing import ArrayFrames, EventFrames, Frames
from toolwright.providers.codecs.gemini.arguments import StreamedArguments
from toolwright.providers.codecs.gemini.contents import CODEC
from toolwright.providers.types import ChatResponse, Failure, FinishReason, StreamEvent, Usage

__all__ = ["GeminiDecoder", "decode_answer", "read_answer"]

_FINISHES: Final[Mapping[str, FinishReason]] = {
    **dict.fromkeys(("MAX_TOKENS", "CONTINUATION"), "length"),
    **dict.fromkeys(
        "SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT "
        "IMAGE_RECITATION".split(),
        "content_filter",
    ),
    **dict.fromkeys(
        "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MISSING_THOUGHT_SIGNATURE "
        "MALFORMED_RESPONSE".split(),
        "error",
    ),
}  # whatever else is said is an ordinary end, if there is an answer at all
_NUMBERED: Final = (
    "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII "
    "MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS"
).split()
# The numbers that the words have in the API's own definition: some servers send these.
_ENDED: Final = ("stop", "tool_calls")
_OF_A_CALL: Final = frozenset({"id", "name", "args", "partialArgs", "willContinue"})


def decode_answer(body: bytes) -> ChatResponse:
    """Read a whole answer, or a stream that came in one piece.

    Raises:
        LLMError: The body is not JSON (``bad_response``).
    """
    decoder = GeminiDecoder()
    return read_body(body, decoder, decoder.read_whole)


def read_answer(parts: Any) -> ChatMessage:
    """Return the message that the parts of a model's turn make."""
    decoder = GeminiDecoder()
    decoder.read_whole({"candidates": [{"content": {"parts": parts}}]})
    return decoder.close().to_message()


class _Part:
    """A part that may still grow: ``entry`` is what is kept of it, without its text."""

    __slots__ = ("entry", "length", "pieces", "thought")

    def __init__(self, entry: dict[str, Any], *, thought: bool) -> None:
        self.entry = entry
        self.thought = thought
        self.pieces: list[str] = []  # of a thought
        self.length = 0  # of a text, which the message has


class _Call:
    """A call whose arguments are streamed."""

    __slots__ = ("arguments", "index", "name")

    def __init__(self, index: int, name: str) -> None:
        self.index = index
        self.name = name
        self.arguments = StreamedArguments()


@final
class GeminiDecoder:
    """Reads one answer from its bytes, in whatever pieces they come."""

    def __init__(self) -> None:
        self._frames: Frames | None = None
        self._answer = Answer(CODEC)
        self._entries: list[dict[str, Any] | _Part] = []
        self._open: dict[int, _Call] = {}
        self._by_id: dict[str, _Call] = {}
        self._usage: dict[str, Any] = {}
        self._saw_candidate = False
        self._response: ChatResponse | None = None

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes and return what they brought."""
        if self._frames is None:
            chunk = chunk.lstrip(b"\r\n\t \xef\xbb\xbf")  # keep-alives, or a byte order mark
            if not chunk:
                return []
            self._frames = ArrayFrames() if chunk[:1] in (b"[", b"{") else EventFrames()
        events: list[StreamEvent] = []
        for frame in self._frames.feed(chunk):
            if not self._read_frame(frame, events):
                self._answer.failure = self._answer.failure or BROKEN
        return events

    def close(self) -> ChatResponse:
        """Say that no bytes follow, and return the answer."""
        if self._response is None:
            for frame in self._frames.close() if self._frames else ():
                self._read_frame(frame, [])  # or the beginning of a chunk, if the stream broke off there
            for call in self._open.values():
                self._answer.calls.add(call.index, None, None, call.arguments.text(cut=True))
            entries = [entry for entry in map(_settled, self._entries) if is_keepable(entry)]
            if len(entries) > 1 or any(entry.keys() != {"length"} for entry in entries):
                self._answer.kept["parts"] = entries
            self._answer.usage = _usage(self._usage)
            self._response = self._answer.respond()
        return self._response

    def _read_frame(self, frame: bytes, events: list[StreamEvent]) -> bool:
        """Read a piece of the stream; say whether it is JSON."""
        try:
            values = read_documents(frame)
        except ValueError:
            return False
        for value in values:
            self._read_chunk(value, events)
        return True

    def read_whole(self, body: Any) -> None:
        """Read a whole answer, an array of chunks, or the error that stands in their place."""
        if body.__class__ is list:
            for chunk in body:
                self._read_chunk(chunk, [])
        else:
            self._read_chunk(body, [])
            if self._saw_candidate and self._answer.finish is None:
                self._end("STOP", "", [])

    def _read_chunk(self, chunk: Any, events: list[StreamEvent]) -> None:
        failure = find_failure(chunk)
        if chunk.__class__ is not dict or failure is not None:
            self._answer.failure = failure or BROKEN
            return
        self._answer.set_model(chunk.get("modelVersion"))
        # Totals again and again, some of them missing at times.
        usage = as_object(chunk.get("usageMetadata"))
        self._usage.update({key: value for key, value in usage.items() if value is not None})
        candidates = chunk.get("candidates")
        if candidates.__class__ is list and candidates:
            self._saw_candidate = True
            self._read_candidate(as_object(candidates[0]), events)
        blocked = as_object(chunk.get("promptFeedback"))
        if blocked.get("blockReason"):
            self._answer.finish = "content_filter"
            self._answer.refusals = [str(blocked.get("blockReasonMessage") or blocked["blockReason"])]
        elif not self._saw_candidate and chunk.get("message"):
            self._answer.failure = read_failure(chunk)

    def _read_candidate(self, candidate: dict[str, Any], events: list[StreamEvent]) -> None:
        parts: Any = as_object(candidate.get("content")).get("parts")
        for part in parts if parts.__class__ is list else ():
            if part.__class__ is dict:
                self._read_part(part, events)
        reason = _reason(candidate.get("finishReason"))
        if reason not in ("", _NUMBERED[0]):
            self._end(reason, as_text(candidate.get("finishMessage")), events)

    def _end(self, reason: str, message: str, events: list[StreamEvent]) -> None:
        """Note why the answer ended. An end that is not explained is one only if there is an answer."""
        answer = self._answer
        finish = _FINISHES.get(reason, "stop")
        if reason not in _FINISHES and reason != "STOP" and not (answer.texts or len(answer.calls)):
            finish = "error"
        answer.finish = finish
        if finish == "error":
            # The message would quote what the model wrote.
            message = f"the answer ended with {reason[:64]}"
            answer.failure = Failure(code="bad_response", message=message, retryable=True)
        elif finish == "content_filter" and message:
            answer.refusals = [message]
        elif finish in _ENDED:
            for call in self._open.values():  # not all are ended one by one
                self._end_call(call, events)
            self._open.clear()

    def _read_part(self, part: dict[str, Any], events: list[StreamEvent]) -> None:
        function: Any = part.get("functionCall")
        if function.__class__ is dict:
            extras = {key: value for key, value in part.items() if key != "functionCall"}
            self._read_call(function, extras, events)
        elif part.get("text").__class__ is str:
            self._read_text(part, events)
        else:
            self._entries.append({"part": part})

    def _read_text(self, part: dict[str, Any], events: list[StreamEvent]) -> None:
        text: str = part["text"]
        thought = part.get("thought") is True
        entry = {key: value for key, value in part.items() if key != "text" and (key != "thought" or thought)}
        if not text and entry.keys() <= {"thought"}:
            return
        last = self._entries[-1] if self._entries else None
        # A part with a signature stays by itself: the signature is for that very part.
        joins = isinstance(last, _Part) and last.thought is thought and entry.keys() | last.entry.keys() <= {"thought"}
        if not isinstance(last, _Part) or not joins:
            last = _Part(entry, thought=thought)
            self._entries.append(last)
        if thought:
            last.pieces.append(text)
        last.length += len(text)
        if text:
            events.append(self._answer.add_reasoning(text) if thought else self._answer.add_text(text))

    def _read_call(self, function: dict[str, Any], extras: dict[str, Any], events: list[StreamEvent]) -> None:
        call = self._find_open(function)
        if call is None:
            if not function and not extras:
                return  # the end of a call that was complete already
            call = self._begin_call(function, events)
        fields = {key: value for key, value in function.items() if key not in _OF_A_CALL}
        kept = {"fields": fields} if fields else {}
        if extras:
            kept["part"] = extras
        if kept:
            self._answer.calls.keep(call.index, kept)
        if call.index not in self._open:
            return
        arguments: Any = function.get("args")
        partials: Any = function.get("partialArgs")
        if arguments.__class__ is dict:
            call.arguments.start_with(arguments)
        if partials.__class__ is list:
            call.arguments.add(partials)
        if function.get("willContinue") is not True:
            del self._open[call.index]
            self._end_call(call, events)

    def _find_open(self, function: dict[str, Any]) -> _Call | None:
        """Return the call that a fragment goes on with: that of its id, or the last, if it does not begin another."""
        id, name = as_text(function.get("id")), as_text(function.get("name"))
        if id:
            known = self._by_id.get(id)
            return known if known is not None and known.index in self._open else None
        last = next(reversed(self._open.values()), None)
        if last is None or (name and (name != last.name or "args" in function)):
            return None
        return last

    def _begin_call(self, function: dict[str, Any], events: list[StreamEvent]) -> _Call:
        calls = self._answer.calls
        given, name = as_text(function.get("id")), as_text(function.get("name"))
        index = len(calls)
        if index and index - 1 not in self._open:
            calls.end(index - 1)  # another has begun, so what it lacks was not on its way
        call = _Call(index, name)
        if given:
            calls.keep(index, {"id": given})
        if function.get("willContinue") is True or "partialArgs" in function:
            self._open[index] = call
            self._by_id[given] = call
            arguments = None
        else:
            arguments = arguments_text(function.get("args"))
        delta = calls.add(index, given or f"call_{index}", name, arguments)
        self._entries.append({"call": delta.id})
        events.append(delta)
        return call

    def _end_call(self, call: _Call, events: list[StreamEvent]) -> None:
        events.append(self._answer.calls.add(call.index, None, None, call.arguments.text(cut=False)))


def _reason(value: Any) -> str:
    if isinstance(value, int):
        return _NUMBERED[value] if 0 <= value < len(_NUMBERED) else "OTHER"
    return as_text(value)


def _settled(entry: dict[str, Any] | _Part) -> dict[str, Any]:
    """Return what is kept of a part: of a text only its length, since the message has the text."""
    if not isinstance(entry, _Part):
        return entry
    if entry.thought:
        return {"part": {**entry.entry, "text": "".join(entry.pieces)}}
    return {"length": entry.length, "part": entry.entry} if entry.entry else {"length": entry.length}


def _usage(usage: dict[str, Any]) -> Usage:
    asked, tools = count(usage.get("promptTokenCount")), count(usage.get("toolUsePromptTokenCount"))
    said, thought = count(usage.get("candidatesTokenCount")), count(usage.get("thoughtsTokenCount"))
    return Usage(
        input_tokens=None if asked is None else asked + (tools or 0),
        # Unlike elsewhere, thoughts are not among the tokens of the answer.
        output_tokens=None if said is None and thought is None else (said or 0) + (thought or 0),
        cached_tokens=count(usage.get("cachedContentTokenCount")),
        reasoning_tokens=thought,
    )
