"""Words stay where they belong: provider formats in codecs, and how this was made nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGE, ROOT, inside, modules, written

CODECS = ("providers/codecs/", "providers/text_calls/", "testing/servers/")
PROVIDER_WORDS = re.compile(
    r"\b(tool_use|toolUse|tool_choice|toolConfig|function_call|functionCall|function_response|functionResponse|"
    r"function_declarations|functionDeclarations|input_schema|inputSchema|responseSchema|finish_reason|finishReason|"
    r"stop_reason|cache_control|thought_signature|thoughtSignature|reasoning_content|response_format)\b"
)
# Where a word of a provider is needed outside its codec, and why.
NEEDED: dict[tuple[str, str], str] = {
    ("tools/conversion.py", "input_schema"): "definitions are read from this format and written to it",
    ("tools/conversion.py", "inputSchema"): "definitions are read from this format and written to it",
    ("providers/types.py", "finish_reason"): "the common word for why an answer ended, as users know it",
    ("providers/types.py", "tool_choice"): "the common word for which call is wanted, as users know it",
    ("cli/looking.py", "tool_choice"): "the common option, by which a small model is made to look first",
    ("agent/position.py", "finish_reason"): "an answer's field, read once to say what comes next",
    ("agent/asking.py", "finish_reason"): "an answer's field, checked once before it goes into the journal",
    ("providers/asking.py", "tool_choice"): "an option that is said in words where no API takes it",
    ("providers/prompted/__init__.py", "tool_choice"): "which call is wanted is said in words where no API takes it",
    ("providers/watching.py", "finish_reason"): "the common word for why an answer ended, as users know it",
    ("providers/http_provider.py", "finish_reason"): "the common word for why an answer ended, as users know it",
    ("testing/script.py", "finish_reason"): "a scripted answer says like any other why it ended",
}

# Written so that the patterns do not find themselves.
NOT_OURS_TO_TELL = re.compile(
    r"/wor[k]/(main|shared|\.library)|/roo[t]/\.|/tm[p]/(brief|frame|bash_jobs)|/home/[a]gent|hous[e]\.md|"
    r"shared/spe[c]|before-sto[p]|co-authored-b[y]|generated b[y] (an? )?(ai|llm|claude|gpt|model)|"
    r"(written|made) b[y] (an? )?(ai|llm|claude|gpt|model)\b|as an a[i]\b|issues sho[w]|issu[e] #?\d",
    re.IGNORECASE,
)
PLANS = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X])\b|NotImplementedErro[r]\(")


@pytest.mark.parametrize("path", modules(), ids=inside)
def test_provider_words_stay_in_their_codecs(path: Path) -> None:
    if not inside(path).startswith(CODECS):
        found = set(PROVIDER_WORDS.findall(path.read_text(encoding="utf-8")))
        assert found <= {word for where, word in NEEDED if where == inside(path)}


def test_no_exception_for_a_provider_word_outlives_its_reason() -> None:
    for (where, word), reason in NEEDED.items():
        assert re.search(rf"\b{word}\b", (PACKAGE / where).read_text(encoding="utf-8")), (where, word)
        assert len(reason.split()) >= 4


def test_nothing_tells_how_or_where_the_project_was_made() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in written()
        for match in NOT_OURS_TO_TELL.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_nothing_in_the_package_is_left_for_later() -> None:
    assert [inside(path) for path in modules() if PLANS.search(path.read_text(encoding="utf-8"))] == []
