from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.promises import keeps
from tests.providers.text_calls.reading import cuts_of, letter_by_letter, read
from tests.providers.text_calls.samples import SAMPLES, TOOLS, Sample
from toolwright.providers import text_calls
from toolwright.providers.text_calls import FORMATS

BY_FAMILY = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.family)
FOR_AUTO = pytest.mark.parametrize("sample", [s for s in SAMPLES if not s.alone], ids=lambda sample: sample.family)


@keeps("text_calls.families")
def test_at_least_twenty_families_have_samples_of_what_they_write() -> None:
    assert len({sample.family.split(",")[0] for sample in SAMPLES}) >= 40
    assert len(FORMATS) >= 20


@keeps("text_calls.families", "text_calls.no_markup", "text_calls.text_stays")
@BY_FAMILY
def test_what_a_family_writes_is_read_by_its_format(sample: Sample) -> None:
    outcome = read(sample.answer, sample.format)
    assert outcome.named == sample.calls
    assert (outcome.text, outcome.reasoning, outcome.invalid) == (sample.text, sample.reasoning, ())


@keeps("text_calls.auto", "text_calls.no_markup")
@FOR_AUTO
def test_what_a_family_writes_is_read_without_saying_which_family_it_is(sample: Sample) -> None:
    outcome = read(sample.answer)
    assert outcome.named == sample.calls
    assert (outcome.text, outcome.reasoning, outcome.invalid) == (sample.text, sample.reasoning, ())


@keeps("text_calls.any_cut")
@pytest.mark.parametrize("format", ["", "auto"])
@BY_FAMILY
def test_an_answer_letter_by_letter_reads_as_in_one_piece(sample: Sample, format: str) -> None:
    whole = read(sample.answer, format or sample.format)
    assert read(sample.answer, format or sample.format, letter_by_letter(sample.answer)) == whole


@keeps("text_calls.any_cut")
@BY_FAMILY
@given(data=st.data())
@settings(max_examples=8)
def test_an_answer_cut_anywhere_with_text_around_it_reads_the_same(sample: Sample, data: st.DataObject) -> None:
    before = data.draw(st.sampled_from(["", "", "Yes: ", "One < two.\n"]))
    text = before + sample.answer + data.draw(st.sampled_from(["", "\n", " Done.", "<tool_call>", "`x`"]))
    format = data.draw(st.sampled_from([sample.format, "auto"]))
    assert read(text, format, data.draw(cuts_of(text))) == read(text, format)


@keeps("text_calls.any_cut", "text_calls.truncated")
@BY_FAMILY
@given(data=st.data())
@settings(max_examples=12)
def test_a_truncated_answer_never_has_another_call_than_the_whole_one(sample: Sample, data: st.DataObject) -> None:
    begun = sample.answer[: data.draw(st.integers(0, len(sample.answer)))]
    outcome = read(begun, sample.format)
    assert outcome.named == sample.calls[: len(outcome.named)]
    assert len(outcome.calls) + len(outcome.invalid) <= len(sample.calls) + 1
    assert read(begun, sample.format, data.draw(cuts_of(begun))) == outcome


@keeps("text_calls.only_offered")
@BY_FAMILY
def test_calls_of_tools_that_were_not_offered_stay_text(sample: Sample) -> None:
    for tools in ((), [TOOLS[0].from_dict({"name": "other", "description": "Another one."})]):
        outcome = read(sample.answer, sample.format, tools=tools)
        assert (outcome.calls, outcome.invalid) == ((), ())
        assert all(name in outcome.text for name, _ in sample.calls)


@keeps("text_calls.any_name")
@BY_FAMILY
def test_without_tools_all_names_are_accepted(sample: Sample) -> None:
    outcome = read(sample.answer, sample.format, tools=None)
    assert [call.name for call in outcome.calls] == [name for name, _ in sample.calls]


@keeps("text_calls.told")
@BY_FAMILY
def test_a_call_is_told_as_soon_as_it_has_ended_and_whole(sample: Sample) -> None:
    outcome = read(sample.answer, sample.format)
    told = [event for kind, event in outcome.told if kind == "ToolCallDelta"]
    assert [(index, id, name) for index, id, name, _ in told] == [
        (index, call.id, call.name) for index, call in enumerate(outcome.calls)
    ]
    assert "".join(text for kind, text in outcome.told if kind == "TextDelta") == outcome.text


@keeps("text_calls.formats")
@pytest.mark.parametrize(
    "name",
    "hermes qwen qwen3-coder llama3 mistral deepseek granite phi functionary kimi glm gpt-oss harmony auto "
    "Qwen3_Coder qwen3_coder llama3_json llama4_pythonic pythonic kimi_k2 glm45 deepseek_v31 "
    "deepseek_v3_1 hermes/qwen gpt_oss GLM-4.5 phi-4 granite-20b-fc".split(),
)
def test_formats_are_found_by_the_names_that_people_use(name: str) -> None:
    assert text_calls(name, TOOLS).close() == ("", (), ())


@keeps("text_calls.formats")
def test_an_unknown_format_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="hermes, qwen3-coder, llama3, mistral"):
        text_calls("hermse", TOOLS)


@keeps("text_calls.any_cut")
@given(data=st.data())
@settings(max_examples=80)
def test_any_mixture_of_markup_reads_the_same_in_any_pieces(data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.sampled_from(PIECES), max_size=25))
    text = "".join(pieces)
    format = data.draw(st.sampled_from([*FORMATS, "auto", "auto"]))
    assert read(text, format, data.draw(cuts_of(text))) == read(text, format)


PIECES = sorted(
    {
        piece
        for sample in SAMPLES
        for piece in sample.answer.replace(">", ">\0").replace("<", "\0<").replace('"', '\0"\0').split("\0")
    }
    | set("<>[]{}()\"'`\\|:,= \n")
)
