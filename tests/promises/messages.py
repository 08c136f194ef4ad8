"""What the page on messages, the conversation and the transcript promises."""

from tests.promises import Promise

_PAGE = "messages.md"

PROMISES = {
    "messages.pure": Promise(_PAGE, "Pure data: no I/O, no clock, no randomness in constructors."),
    "messages.value_equality": Promise(_PAGE, "Value equality and a hash."),
    "messages.deeply_immutable": Promise(
        _PAGE, "Nested mappings and lists given in cannot be changed, through the object or the caller's reference."
    ),
    "messages.replace": Promise(_PAGE, "A changed copy comes from replace, and is checked by the same rules."),
    "messages.one_set_of_rules": Promise(_PAGE, "Validated on construction, on decoding and on replace."),
    "messages.json": Promise(_PAGE, "JSON without configuration; from_json reads what to_json wrote."),
    "messages.defaults_omitted": Promise(_PAGE, "Fields at their default are omitted; no nulls."),
    "messages.unknown_fields": Promise(_PAGE, "Unknown fields are ignored; missing optional fields are fine."),
    "messages.error_types": Promise(
        _PAGE, "Invalid values raise InvalidMessageError, malformed or mistyped JSON MessageDecodeError."
    ),
    "messages.error_code_and_path": Promise(_PAGE, "Errors carry a code and a path."),
    "messages.errors_leak_nothing": Promise(
        _PAGE, "No error repeats content or arguments in its text, args or traceback."
    ),
    "messages.repr": Promise(_PAGE, "repr and str are meaningful and hold no content."),
    "messages.empty_content": Promise(_PAGE, "Empty content is valid."),
    "messages.long_content": Promise(_PAGE, "Very long content is valid: 100 MB round-trips."),
    "messages.never_normalised": Promise(_PAGE, "Text comes out byte for byte as it went in."),
    "messages.lone_surrogates": Promise(_PAGE, "A lone surrogate never crashes; on the wire it becomes U+FFFD."),
    "messages.call_names": Promise(_PAGE, "A tool name in a call is 1 to 64 characters of [A-Za-z0-9_]."),
    "role.words": Promise(_PAGE, "MessageRole has four members; JSON is the lower-case word."),
    "role.numbers": Promise(_PAGE, "Each role has an explicit integer."),
    "role.parse": Promise(_PAGE, "parse ignores case and takes the words that other formats use."),
    "role.unknown": Promise(_PAGE, "An unknown role is an InvalidMessageError."),
    "call.fields": Promise(_PAGE, "id is non-empty; arguments is a JSON object with finite numbers."),
    "call.new": Promise(_PAGE, "ToolCall.new makes a fresh unique id: call_ and 24 url-safe characters."),
    "call.get_argument": Promise(_PAGE, "get_argument converts, defaults where missing, refuses what does not fit."),
    "call.has_argument": Promise(_PAGE, "has_argument says whether an argument was given."),
    "call.arguments_as": Promise(
        _PAGE, "arguments_as gives a dataclass, Struct, TypedDict, attrs or pydantic object, or refuses."
    ),
    "call.parsed_once": Promise(_PAGE, "Arguments are parsed once, however often they are read."),
    "call.parse": Promise(_PAGE, "ToolCall.parse takes the text that a model sent."),
    "call.parse_invalid": Promise(_PAGE, "What is no JSON object, or has no legal name, is an InvalidToolCall."),
    "call.no_arguments": Promise(_PAGE, "No arguments (missing, null, empty, blank, 'null') means {}."),
    "call.invalid_is_another_type": Promise(_PAGE, "An invalid call is a type that no runner takes."),
    "result.fields": Promise(_PAGE, "tool_call_id is non-empty, result may be empty, is_error is false."),
    "result.factories": Promise(_PAGE, "ToolResult.success and ToolResult.error."),
    "delta.fields": Promise(_PAGE, "A delta has an index from 0 and optional id, name and piece of JSON."),
    "assembler.any_interleaving": Promise(_PAGE, "Deltas in any interleaving give the calls in index order."),
    "assembler.linear": Promise(_PAGE, "The cost is linear in the bytes received."),
    "assembler.partial": Promise(_PAGE, "partial gives the arguments readable so far."),
    "message.content": Promise(_PAGE, "Content is required but for an assistant with calls."),
    "message.calls": Promise(_PAGE, "Only an assistant makes calls; ids are unique within the message."),
    "message.tool_call_id": Promise(_PAGE, "Only a tool message has a tool_call_id, and must; empty is missing."),
    "message.is_error": Promise(_PAGE, "is_error is only legal on tool messages."),
    "message.factories": Promise(_PAGE, "Factories, and short forms on the front door."),
    "message.provider_data": Promise(_PAGE, "provider_data is keyed by codec and survives JSON."),
    "message.canonical_json": Promise(_PAGE, "The canonical JSON is as documented."),
    "conversation.interface": Promise(_PAGE, "add, extend, messages, len, iteration, indexing, last."),
    "conversation.all_or_nothing": Promise(_PAGE, "extend adds all or nothing."),
    "conversation.clear": Promise(_PAGE, "After clear the next message is a first one again."),
    "conversation.fork": Promise(_PAGE, "fork is an independent copy."),
    "conversation.pending_calls": Promise(_PAGE, "pending_calls are the calls not answered yet."),
    "conversation.json": Promise(_PAGE, "to_json and from_json; decoding applies the same rules."),
    "conversation.validate": Promise(_PAGE, "validate raises where calls are unanswered."),
    "conversation.refused_changes_nothing": Promise(_PAGE, "A refused message leaves the conversation as it was."),
    "conversation.system_first": Promise(_PAGE, "The first message is the system message, unless lifted."),
    "conversation.system_once": Promise(_PAGE, "There is at most one system message, and nothing before it."),
    "conversation.alternate": Promise(_PAGE, "User and assistant alternate, beginning with a user message."),
    "conversation.tool_after_calls": Promise(_PAGE, "A tool message follows an assistant message that made calls."),
    "conversation.answered_once": Promise(_PAGE, "Each call, valid or not, is answered once, in any order."),
    "conversation.all_answered": Promise(_PAGE, "All calls are answered before anything else follows."),
    "conversation.threads": Promise(_PAGE, "Readers never see a half-made state; extends never interleave."),
    "transcript.kinds": Promise(_PAGE, "Records have the five kinds, a content and data; no provider's format."),
    "transcript.call_line": Promise(_PAGE, "A call's content is its readable form, cut at 200 characters."),
    "transcript.result_line": Promise(_PAGE, "A result's content is a one-line summary."),
    "transcript.facts": Promise(_PAGE, "A result's data holds the execution's facts."),
    "transcript.inverse": Promise(_PAGE, "to_records and to_messages are inverse and lossless."),
    "transcript.joined_users": Promise(_PAGE, "Two user records in a row become one message, a blank line between."),
    "transcript.crash": Promise(_PAGE, "A crash leaves a readable truth: which calls were asked for and answered."),
}
