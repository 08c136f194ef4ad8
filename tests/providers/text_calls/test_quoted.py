from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.text_calls.reading import cuts_of, letter_by_letter, read
from tests.providers.text_calls.samples import SAMPLES, Sample

CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'

QUOTED = {
    "a block of code": f"Write:\n```\n{CALL}\n```\n",
    "a block with a language": f"```xml\n{CALL}\n```",
    "a block that begins in a line": f"Write this: ```xml\n{CALL}\n```",
    "a block of tildes": f"~~~~\n~~~\n{CALL}\n~~~~",
    "a block with longer fences": f"````\n```\n{CALL}\n```\n````",
    "a block in a list": f"1. So:\n   ```json\n   {CALL}\n   ```\n",
    "a block without an end": f"```\n{CALL}",
    "a fence with words behind it": f"```\n``` not the end {CALL}\n",
    "inline code": f"Write `{CALL}` for that.",
    "inline code with two ticks": f"Write `` a`b {CALL} `` for that.",
    "a quotation": f"> {CALL}\n",
    "a quotation in a list": f"- one\n> > {CALL}\n",
    "quotation marks": f'You may write "{CALL}" there.',
    "curly quotation marks": f"You may write “{CALL}” there.",
    "guillemets": f"On écrit « {CALL} » ici.",
    "German quotation marks": f"Man schreibt „{CALL}“ dafür.",
    "German guillemets": f"Man schreibt »{CALL}« dafür.",
    "apostrophes": f"You may write '{CALL}' there.",
    "bold quotation marks": f'**"{CALL}"**',
}
FREE = {
    "after inline code": ("Run `ls`. ", ""),
    "after a block": ("```\nls\n```\n", ""),
    "after a block of tildes": ("~~~ sh\nls\n~~~~\n", "\nDone."),
    "after a quotation": ("> quoted\n", ""),
    "after quotation marks": ('I look for "Paris" now: ', ""),
    "after German quotation marks": ("Ich suche „Paris“ und »Rom« jetzt: ", ""),
    "after a word in apostrophes": ("It is 'Paris' then: ", ""),
    "after an apostrophe at the beginning of a word": ("'Tis so: ", ""),
    "after a plural's apostrophe": ("The users' ", ""),
    "after inches": ('A 5" disc. ', ""),
    "after a tick that is left open": ("It`s.\n", ""),
    "after a mark that is left open": ('So "he said.\n', ""),
    "after an apostrophe": ("Don't worry, it's fine: ", ""),
    "after a comparison": ("1 > 2 is false. ", ""),
    "after a code span in three ticks": ("```ls``` it is. ", ""),
    "in a line of its own": ("First:\n\n", "\n\nThen more."),
    "with blanks before it": ("    \t", ""),
}


@keeps("text_calls.quoted")
@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_what_is_quoted_is_never_a_call_and_stays_as_it_is(text: str) -> None:
    for cuts in ((), letter_by_letter(text)):
        outcome = read(text, "auto", cuts)
        assert (outcome.text, outcome.calls, outcome.invalid) == (text, (), ())


@keeps("text_calls.quoted", "text_calls.text_stays")
@pytest.mark.parametrize(("before", "after"), FREE.values(), ids=FREE)
def test_what_stands_behind_something_quoted_is_a_call(before: str, after: str) -> None:
    outcome = read(before + CALL + after)
    assert outcome.named == (("get_weather", {"city": "Paris"}),)
    assert outcome.text == (before if before.strip() else "") + (after if after.strip() else "")


@keeps("text_calls.quoted")
@pytest.mark.parametrize("sample", [s for s in SAMPLES if not s.alone], ids=lambda sample: sample.family)
def test_no_family_is_read_from_a_block_of_code_or_a_quotation(sample: Sample) -> None:
    """But for an answer that is nothing else than one block with one call, which is a family's way to call."""
    quotation = "".join(f"> {line}\n" for line in f"\n{sample.answer}".splitlines())
    for text in (f"They write:\n\n~~~\n{sample.answer}\n~~~\n", f"So:\n{quotation}"):
        outcome = read(text, "auto")
        assert (outcome.text, outcome.calls, outcome.invalid) == (text, (), ())


@keeps("text_calls.reasoning")
@pytest.mark.parametrize(
    ("start", "end"), [("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("<thought>", "</thought>")]
)
def test_nothing_is_taken_from_reasoning_and_what_follows_it_is_a_call(start: str, end: str) -> None:
    thought = f"{start}\nI could `write {CALL}\n{end}\n\n"
    for cuts in ((), letter_by_letter(thought)):
        outcome = read(thought + CALL, "auto", cuts)
        assert (outcome.text, len(outcome.calls)) == (thought, 1)
    cut = thought.replace(end, "")
    assert read(cut).text == cut


@keeps("text_calls.reasoning")
def test_a_lone_call_may_follow_reasoning() -> None:
    thought = "<think>So be it.</think>\n"
    outcome = read(f'{thought}{{"name": "get_time", "arguments": {{}}}}')
    assert (outcome.text, outcome.named) == (thought, (("get_time", {}),))


@keeps("text_calls.reasoning", "text_calls.no_markup")
def test_a_channel_for_reasoning_is_told_apart_and_the_final_one_is_the_text() -> None:
    text = (
        f"<|channel|>analysis<|message|>Shall I {CALL}?<|end|><|start|>assistant<|channel|>final<|message|>"
        f"No: <b>bold</b> and {CALL}.<|return|>"
    )
    for cuts in ((), letter_by_letter(text)):
        outcome = read(text, "harmony", cuts)
        assert outcome.reasoning == f"Shall I {CALL}?"
        assert (outcome.text, outcome.calls) == (f"No: <b>bold</b> and {CALL}.", ())


WORDS = st.sampled_from(
    ["a", "word ", "\n", "`", "``", "```", "~~~", '"', "“", "”", "> ", " ", "<", "<tool", "|", "[", "é", "🙂"]
)


@keeps("text_calls.text_stays", "text_calls.any_cut")
@given(st.lists(WORDS, max_size=40).map("".join), st.data())
@settings(max_examples=150)
def test_a_text_without_calls_comes_through_to_the_last_blank(text: str, data: st.DataObject) -> None:
    outcome = read(text, "auto", data.draw(cuts_of(text)))
    assert (outcome.text, outcome.calls, outcome.invalid) == (text, (), ())
    assert outcome.told == ((("TextDelta", text),) if text else ())
