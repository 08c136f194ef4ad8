"""What models of forty families write when they call ``get_weather`` and ``get_time``, as their templates have it."""

from __future__ import annotations

from typing import Final, NamedTuple

from toolwright.tools.definition import ToolDefinition

WEATHER: Final = ToolDefinition(
    "get_weather",
    "Tell the weather.",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer"},
            "unit": {"type": ["string", "null"]},
            "hourly": {"type": "boolean"},
            "places": {"type": "array", "items": {"type": "string"}},
            "box": {"type": "object"},
        },
        "required": ["city"],
    },
)
TIME: Final = ToolDefinition("get_time", "Tell the time.")
TOOLS: Final = (WEATHER, TIME)

ONE: Final[tuple[tuple[str, dict[str, object]], ...]] = (("get_weather", {"city": "Paris", "days": 3}),)
TWO: Final[tuple[tuple[str, dict[str, object]], ...]] = (*ONE, ("get_time", {}))

_BAR: Final = "\uff5c"
_GAP: Final = "\u2581"


def deepseek(word: str) -> str:
    return f"<{_BAR}{word.replace(' ', _GAP)}{_BAR}>"


def dsml(text: str) -> str:
    return text.replace("DSML", f"{_BAR}DSML{_BAR}")


class Sample(NamedTuple):
    """An answer: the family that writes it, the format that reads it, and what it says."""

    family: str
    format: str
    answer: str
    calls: tuple[tuple[str, dict[str, object]], ...] = ONE
    text: str = ""
    reasoning: str = ""
    alone: bool = False
    """Whether only its own format knows it: without words around it, or in a block of code."""


_CALL: Final = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}'
_TIME: Final = '{"name": "get_time", "arguments": {}}'
_LLAMA: Final = '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}'
_GIVEN: Final = '{"city": "Paris", "days": 3}'
_CODE: Final = 'get_weather(city="Paris", days=3)'
_TAGS: Final = (
    "<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>"
)

SAMPLES: Final = (
    Sample(
        "Hermes 2 Pro",
        "hermes",
        f"I look it up.\n<tool_call>\n{_CALL}\n</tool_call>\n<tool_call>\n{_TIME}\n</tool_call>",
        TWO,
        "I look it up.\n",
    ),
    Sample(
        "Hermes 3, arguments first",
        "hermes",
        f'<tool_call>\n{{"arguments": {_GIVEN}, "name": "get_weather"}}\n</tool_call><|im_end|>',
    ),
    Sample("Qwen 2.5", "qwen", f"<tool_call>\n{_CALL}\n</tool_call>"),
    Sample(
        "Qwen 3, thinking",
        "qwen3",
        f"<think>\nA tool helps: <tool_call>{_TIME}</tool_call>\n</think>\n\n<tool_call>\n{_CALL}\n</tool_call>",
        ONE,
        f"<think>\nA tool helps: <tool_call>{_TIME}</tool_call>\n</think>\n\n",
    ),
    Sample("Qwen 2.5, without an end", "qwen", f"<tool_call>\n{_CALL}\n<tool_call>\n{_TIME}", TWO),
    Sample("Qwen 2.5, in a block", "qwen", f"<tool_call>\n```json\n{_CALL}\n```\n</tool_call>"),
    Sample("Qwen3-Coder", "qwen3-coder", f"Sure.\n\n<tool_call>\n{_TAGS}\n</tool_call>", ONE, "Sure.\n\n"),
    Sample("Qwen3-Coder, without the outer tag", "qwen3-coder", f"{_TAGS}\n</tool_call>"),
    Sample(
        "Nemotron 3",
        "nemotron-v3",
        f"<tool_call>\n{_TAGS}\n</tool_call>\n<tool_call>\n<function=get_time>\n</function>\n</tool_call>",
        TWO,
    ),
    Sample("SmolLM 2", "smollm", f"<tool_call>[{_CALL}, {_TIME}]</tool_call>", TWO),
    Sample("EXAONE 4", "exaone", f"<tool_call>{_CALL}</tool_call>"),
    Sample("Ernie 4.5", "ernie", f"<tool_call>\n{_CALL}\n</tool_call>\n\n<tool_call>\n{_TIME}\n</tool_call>\n", TWO),
    Sample("MiMo", "mimo", f"<tool_call>\n{_CALL}\n</tool_call>"),
    Sample("Llama 3.1", "llama3", f"<|python_tag|>{_LLAMA}<|eom_id|>"),
    Sample(
        "Llama 3.1, several",
        "llama3",
        f'<|python_tag|>{_LLAMA}; {{"name": "get_time", "parameters": {{}}}}<|eot_id|>',
        TWO,
    ),
    Sample("Llama 3.1, bare", "llama3-json", _LLAMA),
    Sample("Llama 3.1, its own tools", "llama3", f"<|python_tag|>{_CODE.replace('(', '.call(', 1)}"),
    Sample("Llama 3.1, with a tag", "llama3", f"<function=get_weather>{_GIVEN}</function><|eom_id|>"),
    Sample("Llama 3.2", "llama3-pythonic", f"[{_CODE}, get_time()]", TWO),
    Sample("Llama 4", "llama4-pythonic", f"<|python_start|>[{_CODE}, get_time()]<|python_end|><|eom_id|>", TWO),
    Sample("Watt", "watt", f"[{_CODE.replace(chr(34), chr(39))}]"),
    Sample("ToolACE", "toolace", f"[{_CODE}, get_time()]", TWO),
    Sample("Mistral 7B", "mistral", f"[TOOL_CALLS] [{_CALL}, {_TIME}]</s>", TWO),
    Sample("Mistral Small 3", "mistral", f"Well.[TOOL_CALLS]get_weather{_GIVEN}", ONE, "Well."),
    Sample("Magistral", "magistral", f"[TOOL_CALLS]get_weather[ARGS]{_GIVEN}[TOOL_CALLS]get_time[ARGS]{{}}", TWO),
    Sample("Mistral, with ids", "mistral", f"[TOOL_CALLS]get_weather[CALL_ID]aB3dE5gH9[ARGS]{_GIVEN}</s>"),
    Sample(
        "DeepSeek R1",
        "deepseek-r1",
        f"{deepseek('tool calls begin')}{deepseek('tool call begin')}function{deepseek('tool sep')}get_weather\n"
        f"```json\n{_GIVEN}\n```{deepseek('tool call end')}\n"
        f"{deepseek('tool call begin')}function{deepseek('tool sep')}"
        f"get_time\n```json\n{{}}\n```{deepseek('tool call end')}"
        f"{deepseek('tool calls end')}{deepseek('end of sentence')}",
        TWO,
    ),
    Sample(
        "DeepSeek V3.1",
        "deepseek-v3.1",
        f"Hm. {deepseek('tool calls begin')}{deepseek('tool call begin')}get_weather{deepseek('tool sep')}{_GIVEN}"
        f"{deepseek('tool call end')}{deepseek('tool calls end')}",
        ONE,
        "Hm. ",
    ),
    Sample(
        "DeepSeek V3, in other letters",
        "deepseek",
        f"<|tool_calls_begin|><|tool_call_begin|>get_weather<|tool_sep|>{_GIVEN}<|tool_call_end|><|tool_calls_end|>",
    ),
    Sample(
        "DeepSeek V3.2",
        "deepseek-v3.2",
        dsml(
            '<DSMLfunction_calls>\n<DSMLinvoke name="get_weather">\n<DSMLparameter name="city" string="true">Paris'
            '</DSMLparameter>\n<DSMLparameter name="days" string="false">3</DSMLparameter>\n</DSMLinvoke>\n'
            '<DSMLinvoke name="get_time">\n</DSMLinvoke>\n</DSMLfunction_calls>'
        ),
        TWO,
    ),
    Sample("Granite 3.0", "granite", f"<|tool_call|>[{_CALL}]"),
    Sample("Granite 3.1", "granite", f"<tool_call>[{_CALL}, {_TIME}]", TWO),
    Sample("Granite 4", "granite4", f"<tool_call>\n{_CALL}\n</tool_call>"),
    Sample("Granite 20B", "granite-20b-fc", f"<function_call> {_CALL} <function_call> {_TIME}", TWO),
    Sample("Phi-4-mini", "phi4-mini", f"<|tool_call|>[{_CALL}]<|/tool_call|>"),
    Sample("Phi-4-mini, functools", "phi", f"functools[{_CALL}, {_TIME}]", TWO),
    Sample("FireFunction 2", "firefunction", f" functools[{_CALL}]"),
    Sample(
        "Functionary 2",
        "functionary-v2",
        f"all\n<|content|>Let me see.\n<|from|>assistant\n<|recipient|>get_weather\n<|content|>{_GIVEN}<|stop|>",
        ONE,
        "Let me see.\n",
        alone=True,
    ),
    Sample(
        "Functionary 2, calls alone",
        "functionary",
        f"get_weather\n<|content|>{_GIVEN}\n<|from|>assistant\n<|recipient|>get_time\n<|content|>{{}}<|stop|>",
        TWO,
        alone=True,
    ),
    Sample("Functionary 3.1", "functionary-v3.1", f"<function=get_weather>{_GIVEN}</function>"),
    Sample(
        "Functionary 3.2",
        "functionary-v3.2",
        f"all\nLet me see.>>>get_weather\n{_GIVEN}",
        ONE,
        "Let me see.",
        alone=True,
    ),
    Sample(
        "Functionary 3.2, calls alone",
        "functionary",
        f"get_weather\n{_GIVEN}>>>get_time\n{{}}<|eot_id|>",
        TWO,
        alone=True,
    ),
    Sample(
        "Kimi K2",
        "kimi-k2",
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{_GIVEN}"
        "<|tool_call_end|><|tool_call_begin|>functions.get_time:1 <|tool_call_argument_begin|>{}<|tool_call_end|>"
        "<|tool_calls_section_end|><|im_end|>",
        TWO,
    ),
    Sample(
        "GLM-4.5",
        "glm-4.5",
        "I look.\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n"
        "<arg_key>days</arg_key>\n"
        "<arg_value>3</arg_value>\n</tool_call>\n<tool_call>get_time\n</tool_call>",
        TWO,
        "I look.\n",
    ),
    Sample(
        "GLM-4.7",
        "glm47",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key>"
        "<arg_value>3</arg_value></tool_call><tool_call>get_time</tool_call><|observation|>",
        TWO,
    ),
    Sample("GLM-4", "glm4", f"get_weather\n{_GIVEN}", alone=True),
    Sample(
        "gpt-oss",
        "gpt-oss",
        "<|channel|>analysis<|message|>They want the weather.<|end|><|start|>assistant<|channel|>commentary "
        f"to=functions.get_weather <|constrain|>json<|message|>{_GIVEN}<|call|>",
        ONE,
        reasoning="They want the weather.",
    ),
    Sample(
        "gpt-oss, with a preamble",
        "harmony",
        "<|channel|>commentary<|message|>One moment.<|end|><|start|>assistant to=functions.get_weather<|channel|>"
        f"commentary json<|message|>{_GIVEN}",
        ONE,
        "One moment.",
    ),
    Sample(
        "Command R",
        "command-r",
        'Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n'
        '        "parameters": {"city": "Paris", "days": 3}\n    }\n]```',
    ),
    Sample(
        "Command R7B and A",
        "command-r7b",
        "<|START_THINKING|>I need the weather.<|END_THINKING|><|START_ACTION|>[\n    "
        f'{{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {_GIVEN}}},\n    '
        '{"tool_call_id": "1", "tool_name": "get_time", "parameters": {}}\n]<|END_ACTION|>',
        TWO,
        reasoning="I need the weather.",
    ),
    Sample(
        "FunctionGemma",
        "functiongemma",
        "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3}<end_function_call><start_function_response>",
    ),
    Sample(
        "Gemma 4",
        "gemma4",
        '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3}<tool_call|><|tool_call>call:get_time{}<tool_call|>',
        TWO,
    ),
    Sample("Gemma 3", "gemma3", f"```tool_code\n{_CODE}\n```", alone=True),
    Sample("InternLM 2.5", "internlm", f"I try.<|action_start|><|plugin|>\n{_LLAMA}<|action_end|>\n", ONE, "I try."),
    Sample("Jamba", "jamba", f"<tool_calls>[\n  {_CALL},\n  {_TIME}\n]</tool_calls>", TWO),
    Sample("Hunyuan A13B", "hunyuan", f"<tool_calls>[{_CALL}]</tool_calls>"),
    Sample("MiniMax M1", "minimax-m1", f"<tool_calls>\n{_CALL}\n{_TIME}\n</tool_calls>", TWO),
    Sample(
        "MiniMax M2",
        "minimax-m2",
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        '<parameter name="days">'
        '3</parameter>\n</invoke>\n<invoke name="get_time">\n</invoke>\n</minimax:tool_call>',
        TWO,
    ),
    Sample(
        "Seed-OSS",
        "seed-oss",
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n<parameter=days>3</parameter>\n"
        "</function>\n</seed:tool_call>",
    ),
    Sample(
        "Step 3",
        "step3",
        f"{deepseek('tool_calls_begin')}\n{deepseek('tool_call_begin')}function{deepseek('tool_sep')}"
        '<steptml:invoke name="get_weather">\n'
        '<steptml:parameter name="city">Paris</steptml:parameter>\n'
        '<steptml:parameter name="days">3</steptml:parameter>\n'
        f"</steptml:invoke>{deepseek('tool_call_end')}\n{deepseek('tool_calls_end')}",
    ),
    Sample("Olmo 3", "olmo3", f"<function_calls>\n{_CODE}\nget_time()\n</function_calls>", TWO),
    Sample("LFM 2", "lfm2", f"<|tool_call_start|>[{_CODE}]<|tool_call_end|>Checking.", ONE, "Checking."),
    Sample("Llama Nemotron", "nemotron", f"<TOOLCALL>[{_CALL}, {_TIME}]</TOOLCALL>", TWO),
    Sample(
        "Apertus",
        "apertus",
        f'<|tools_prefix|>[{{"get_weather": {_GIVEN}}}, {{"get_time": {{}}}}]<|tools_suffix|>',
        TWO,
    ),
    Sample("LongCat", "longcat", f"<longcat_tool_call>\n{_CALL}\n</longcat_tool_call>"),
    Sample("GigaChat 3", "gigachat", f"<|message_sep|>\n\nfunction call<|role_sep|>\n{_CALL}"),
    Sample("xLAM", "xlam", f"[{_CALL}, {_TIME}]", TWO),
)
