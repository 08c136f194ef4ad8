"""The formats by name, and the families of models that write them.

==================  =============================================================================================
``hermes``          Hermes 2 and 3, Qwen 2.5 and 3, SmolLM, EXAONE, Ernie 4.5, MiMo, Granite 4: ``<tool_call>{...}``
``qwen3-coder``     Qwen3-Coder, Nemotron 3, Step 3.5: ``<tool_call><function=f><parameter=p>``
``llama3``          Llama 3 and 4, xLAM, Watt, ToolACE: JSON or Python's calls, after ``<|python_tag|>`` or bare
``mistral``         Mistral, Magistral, Devstral: ``[TOOL_CALLS]`` and a list, or names with ``[ARGS]``
``deepseek``        DeepSeek V3, R1, V3.1, V3.2 (tags)
``granite``         Granite 3 and 4, Granite 20B: ``<|tool_call|>[...]``, ``<function_call>``
``phi``             Phi-4-mini: ``<|tool_call|>[...]``, ``functools[...]``; FireFunction
``functionary``     Functionary 2 and 3: ``>>>f``, ``<|recipient|>f``, ``<function=f>{...}``
``kimi``            Kimi K2: ``<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>``
``glm``             GLM-4.5 to 4.7: ``<tool_call>f<arg_key>``; GLM-4: a line with the name
``harmony``         gpt-oss: channels
``cohere``          Command R, R7B and A: ``<|START_ACTION|>``, ``Action:``
``gemma``           FunctionGemma, Gemma 3 and 4: ``<start_function_call>call:f{...}``, ``tool_code``
``internlm``        InternLM 2 and 3: ``<|action_start|><|plugin|>``
``jamba``           Jamba, Hunyuan A13B, MiniMax M1, Apriel: ``<tool_calls>[...]``
``minimax``         MiniMax M2: ``<minimax:tool_call><invoke name="f">``
``seed``            Seed-OSS: ``<seed:tool_call><function=f>``
``step``            Step 3: ``<steptml:invoke name="f">``
``olmo``            Olmo 3: ``<function_calls>`` and Python's calls
``lfm``             LFM2: ``<|tool_call_start|>[f()]``
``nemotron``        Llama Nemotron: ``<TOOLCALL>[...]``
``apertus``         Apertus: ``<|tools_prefix|>[{"f": {...}}]``
``longcat``         LongCat: ``<longcat_tool_call>``
``gigachat``        GigaChat: ``function call<|role_sep|>``
``xlam``            xLAM: a list of calls, with words around it or none
``auto``            all of these at once, and an answer that is nothing but one call that fits a tool
==================  =============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from toolwright.providers.text_calls import code_families as code
from toolwright.providers.text_calls import json_families as json
from toolwright.providers.text_calls import passages as other
from toolwright.providers.text_calls import tag_families as tags
from toolwright.providers.text_calls.json_families import Openings
from toolwright.providers.text_calls.openings import Format

__all__ = ["FORMATS", "format_named"]

# Where two of a format begin alike, the more special one stands first.
_QWEN: Final[Openings] = (*json.FUNCTION_TAG, *tags.QWEN_CODER, *json.HERMES)

_OPENINGS: Final[Mapping[str, Openings]] = MappingProxyType(
    {
        "hermes": (*_QWEN, *json.TOOL_CALLS, *other.RESPONSE),
        "qwen3-coder": _QWEN,
        "llama3": (
            *json.LLAMA_TAG,
            *code.LLAMA_CODE,
            *json.FUNCTION_TAG,
            *json.PLAIN_JSON,
            *code.PLAIN_CODE,
        ),
        "mistral": json.MISTRAL,
        "deepseek": (*json.DEEPSEEK_JSON, *tags.DEEPSEEK_TAGS),
        "granite": (*json.PHI, *json.HERMES, *json.FUNCTION_CALL),
        "phi": (*json.PHI, *json.FUNCTOOLS),
        "functionary": (
            *other.FUNCTIONARY_ALL,
            *other.FUNCTIONARY_START,
            *json.FUNCTIONARY_NAMES,
            *json.FUNCTION_TAG,
            *json.GLM_PLAIN,
        ),
        "kimi": json.KIMI,
        "glm": (*tags.GLM, *json.HERMES, *json.GLM_PLAIN),
        "harmony": other.HARMONY,
        "cohere": (*json.COHERE_ACTION, *other.COHERE_CHANNELS),
        "gemma": (*code.GEMMA, *code.TOOL_CODE),
        "internlm": json.INTERNLM,
        "jamba": (*json.TOOL_CALLS, *json.HERMES),
        "minimax": (*tags.MINIMAX, *json.TOOL_CALLS),
        "seed": tags.SEED,
        "step": (*tags.STEP, *_QWEN),
        "olmo": code.OLMO,
        "lfm": code.LFM,
        "nemotron": (*json.NEMOTRON, *_QWEN),
        "apertus": json.APERTUS,
        "longcat": json.LONGCAT,
        "gigachat": json.GIGACHAT,
        "xlam": (*json.PLAIN_JSON, *json.HERMES, *json.MISTRAL),
        "auto": (
            *json.LONE_JSON,
            *code.LONE_CODE,
            *json.FUNCTION_TAG,
            *tags.QWEN_CODER,
            *tags.GLM,
            *json.HERMES,
            *json.TOOL_CALLS,
            *json.LLAMA_TAG,
            *code.LLAMA_CODE,
            *json.MISTRAL,
            *tags.STEP,  # before the next, which has tokens in common with it
            *json.DEEPSEEK_JSON,
            *tags.DEEPSEEK_TAGS,
            *json.PHI,
            *json.FUNCTOOLS,
            *json.FUNCTION_CALL,
            *other.FUNCTIONARY_ALL,
            *json.FUNCTIONARY_NAMES,
            *json.KIMI,
            *other.HARMONY,
            *json.COHERE_ACTION,
            *other.COHERE_CHANNELS,
            *code.GEMMA,
            *json.INTERNLM,
            *tags.MINIMAX,
            *tags.INVOKE,
            *tags.SEED,
            *code.OLMO,
            *code.LFM,
            *json.NEMOTRON,
            *json.APERTUS,
            *json.LONGCAT,
            *json.GIGACHAT,
        ),
    }
)

_ALIASES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "hermes": (
            "qwen",
            "qwen2",
            "qwen2.5",
            "qwen3",
            "hermes-qwen",
            "nous",
            "hermes-2-pro",
            "hermes-json",
            "smollm",
            "exaone",
            "ernie",
            "ernie45",
            "mimo",
        ),
        "qwen3-coder": ("qwen-coder", "qwen3-xml", "qwen3-coder-xml", "qwen3.5", "nemotron-v3", "step3.5", "step3p5"),
        "llama3": (
            "llama",
            "llama3.1",
            "llama3.2",
            "llama3.3",
            "llama3-json",
            "llama3-pythonic",
            "llama4",
            "llama4-json",
            "llama4-pythonic",
            "pythonic",
            "watt",
            "toolace",
        ),
        "mistral": ("mistral-nemo", "magistral", "devstral", "ministral"),
        "deepseek": ("deepseek-v3", "deepseek-r1", "deepseek-v3.1", "deepseek-v31", "deepseek-v3.2", "deepseek-v32"),
        "granite": ("granite3", "granite4", "granite-20b-fc"),
        "phi": ("phi4", "phi-4", "phi4-mini", "phi4-mini-json", "phi-4-mini", "firefunction"),
        "functionary": ("functionary-v2", "functionary-v3", "functionary-v3.1", "functionary-v3.2"),
        "kimi": ("kimi-k2",),
        "glm": ("glm4", "glm-4", "glm45", "glm-4.5", "glm4.5", "glm47", "glm-4.7", "glm4-moe"),
        "harmony": ("gpt-oss", "gptoss", "gpt-oss-harmony", "openai"),
        "cohere": ("command-r", "command-r7b", "command-a"),
        "gemma": ("functiongemma", "gemma3", "gemma4"),
        "internlm": ("internlm2", "internlm3"),
        "jamba": ("hunyuan", "hunyuan-a13b", "apriel", "minimax-m1"),
        "minimax": ("minimax-m2",),
        "seed": ("seed-oss",),
        "step": ("step3",),
        "olmo": ("olmo3",),
        "lfm": ("lfm2",),
        "gigachat": ("gigachat3",),
    }
)

FORMATS: Final = tuple(_OPENINGS)
"""The names of the formats."""


def _spelled(name: str) -> str:
    """Return a name as it is looked up: letters in lower case, and a hyphen for whatever else stands between them."""
    return "-".join(_BETWEEN.split(name.lower().strip()))


_BETWEEN: Final = re.compile(r"[\s._/-]+")
_NAMES: Final = {_spelled(alias): name for name in FORMATS for alias in (name, *_ALIASES.get(name, ()))}


def format_named(name: str) -> Format:
    """Return the format of that name, in whatever spelling: ``Qwen3_Coder`` is ``qwen3-coder``.

    Raises:
        ValueError: There is none; the text names those there are.
    """
    known = _NAMES.get(_spelled(name))
    if known is None:
        raise ValueError(f"there is no format {name!r} of calls in texts; there are {', '.join(FORMATS)}")
    return _made(known)


@cache
def _made(name: str) -> Format:
    return Format((*_OPENINGS[name], *other.THOUGHTS, *other.ENDS))
