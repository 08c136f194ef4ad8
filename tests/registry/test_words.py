from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolwright.registry.literals import hints
from toolwright.registry.thesaurus import related
from toolwright.registry.words import stem, stems, words


@pytest.mark.parametrize(
    "forms",
    [
        "resize resizes resized resizing",
        "calculate calculates calculated calculating calculation calculations",
        "convert converts converted converting conversion",
        "deploy deploys deployed deploying deployment",
        "deliver delivers delivered delivery",
        "organize organizes organized organise organised organization organisation",
        "color colors colour colours",
        "image images imaging",
        "file files filed filing",
        "bus buses",
        "status statuses",
        "movie movies",
        "house houses",
        "child children",
        "person people",
        "send sends sent sending",
        "write wrote written writing",
        "stop stops stopped stopping",
        "index indices indexes",
        "play plays played playing",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["news new", "gas go", "sing sin", "dns dn", "relate relay", "university unite"])
def test_different_words_keep_different_stems(pair: str) -> None:
    first, second = pair.split()
    assert stem(first) != stem(second)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("snake_case", ["snake", "case"]),
        ("kebab-case", ["kebab", "case"]),
        ("mp3 v2", ["mp3", "v2"]),
        ("Café Ürümqi", ["cafe", "urumqi"]),
        ("天気予報", ["天気", "気予", "予報"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("\x00🙂", []),
    ],
)
def test_identifiers_and_scripts_are_split_into_words(text: str, parts: list[str]) -> None:
    assert words(text) == parts


@given(st.text())
def test_any_text_has_words_of_letters_and_digits(text: str) -> None:
    for word in words(text):
        assert word
        assert word.isalnum()
    assert all(term.isalnum() for term in stems(text))


@given(st.from_regex(r"[a-z]{1,15}", fullmatch=True))
def test_a_stem_is_never_empty_nor_longer_by_more_than_a_letter(word: str) -> None:
    assert 0 < len(stem(word)) <= len(word) + 1


def test_related_words_stand_for_each_other_but_hints_one_way() -> None:
    assert stem("remove") in related(stem("deleting"))
    assert stem("delete") in related(stem("removed"))
    assert stem("forecast") in related(stem("umbrella"))
    assert stem("umbrella") not in related(stem("forecast"))
    assert related("qwertyuiop") == frozenset()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("see https://example.com/a.html", "url"),
        ("write to bob@example.com", "email"),
        ("is 10.0.0.5 up", "ip"),
        ("open src/main.py", "file"),
        ("shrink cat.png", "image"),
        ("costs $20", "amount"),
        ("at 3 pm", "time"),
        ("on Friday", "date"),
        ("in Berlin", "city"),
        ("2x^2 = 8", "equation"),
        ("at 52.5, 13.4", "latitude"),
    ],
)
def test_values_hint_at_what_they_are(text: str, hint: str) -> None:
    assert hint in hints(text)


def test_an_address_is_not_read_as_a_file() -> None:
    assert "file" not in hints("visit https://example.com/index.html")
    assert "file" not in hints("ask bob@example.com")
    assert hints("nothing to see") == []
