"""What is promised of the formats of Anthropic, Gemini and Ollama, and of what their servers were seen to send."""

from tests.promises import Promise

_QUIRKS = "provider-quirks.md"
_PAGE = "providers.md"

PROMISES = {
    "quirk.27": Promise(_QUIRKS, "Anthropic: `ping` anywhere."),
    "quirk.28": Promise(
        _QUIRKS, "Anthropic: an empty `partial_json` that is the only one, for a call without arguments."
    ),
    "quirk.29": Promise(
        _QUIRKS, "Anthropic: `server_tool_use` and `mcp_tool_use` use the same input deltas as `tool_use`."
    ),
    "quirk.30": Promise(_QUIRKS, "Anthropic: thinking, signature, citation and compaction deltas."),
    "quirk.31": Promise(_QUIRKS, "Anthropic: `content: []`."),
    "quirk.32": Promise(
        _QUIRKS, "Anthropic: `message_delta` overrides usage; cached tokens are not inside `input_tokens`."
    ),
    "quirk.33": Promise(
        _QUIRKS,
        "Anthropic: `pause_turn`, `refusal`, `model_context_window_exceeded`; a second `message_start` in mid-stream.",
    ),
    "quirk.34": Promise(_QUIRKS, "Gemini: calls mostly without ids; keep one where it is there."),
    "quirk.35": Promise(_QUIRKS, "Gemini: calls without `args`."),
    "quirk.36": Promise(
        _QUIRKS, "Gemini: streamed `partialArgs` with `willContinue`, ended by `functionCall: {}` or never."
    ),
    "quirk.37": Promise(
        _QUIRKS, "Gemini: a `thoughtSignature` on calls, texts and empty texts, which must be sent back."
    ),
    "quirk.38": Promise(
        _QUIRKS, "Gemini: missing parts, content, candidates; blocked prompts; unknown finish reasons."
    ),
    "quirk.39": Promise(_QUIRKS, "Gemini: usage is cumulative, `candidatesTokenCount` sometimes absent."),
    "quirk.40": Promise(_QUIRKS, "Gemini: streams as one JSON array, and enums as integers."),
    "quirk.41": Promise(
        _QUIRKS,
        "Ollama: complete calls in rows before `done`, over several rows, arguments as an object, ids only from "
        "newer servers.",
    ),
    "quirk.42": Promise(
        _QUIRKS,
        'Ollama: `stop` although there are calls, a `thinking` field, missing counts, errors as `{"error": "text"}`.',
    ),
    "cohere.answers": Promise(
        _PAGE, "A sixth format is read like the others: texts, calls, thoughts, ends and errors."
    ),
    "cohere.requests": Promise(_PAGE, "A sixth format is written like the others, and read back."),
    "formats.exact": Promise(_PAGE, "Bytes of reasoning and signatures are returned exactly."),
    "formats.kept": Promise(
        _PAGE, "Unknown content parts are kept in `provider_data` where the provider wants them back."
    ),
    "formats.cut": Promise(
        _PAGE, "Truncated or broken arguments become `invalid_tool_calls`, never an exception and never a guess."
    ),
    "formats.results": Promise(_PAGE, "The results of one turn are sent as each API wants them."),
}
