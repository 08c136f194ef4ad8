from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.builtin.patterns import BadPatternError, Expression, Glob

TEXTS = st.text("ab \n\r.é", max_size=12)
# What Python and the linear engine mean the same by.
ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\s", r"\w", r"\b", "^", "$", "(?:a|b)", "é", r"\."])
PATTERNS = st.lists(st.tuples(ATOMS, st.sampled_from(["", "", "*", "+", "?", "{2}"])), min_size=1, max_size=4).map(
    lambda parts: "".join(atom + (times if atom not in ("^", "$", r"\b") else "") for atom, times in parts)
)


@given(pattern=PATTERNS, line=st.text("ab .é", max_size=12))
def test_an_expression_means_what_it_usually_means(pattern: str, line: str) -> None:
    assert Expression(pattern).matches(line) == bool(re.search(pattern, line))


@given(pattern=PATTERNS, text=TEXTS)
def test_a_text_in_which_nothing_can_occur_has_no_line_that_matches(pattern: str, text: str) -> None:
    expression = Expression(pattern)
    if any(expression.matches(line) for line in text.split("\n")):
        assert expression.may_occur(text)


@given(text=st.text(min_size=1, max_size=8), around=st.text(max_size=4), ignore_case=st.booleans())
def test_a_plain_text_is_found_whatever_is_in_it(text: str, around: str, ignore_case: bool) -> None:
    expression = Expression(text, regex=False, ignore_case=ignore_case)
    assert expression.matches(around + text + around)
    if not ignore_case:
        assert expression.matches(around) == (text in around)


@keeps("builtin.search_linear")
@pytest.mark.parametrize("pattern", [r"(a)\1", "(?=a)", "(?<!a)b", "(", "a{1000000}", "[z-a]", r"\p{Nope}"])
def test_what_cannot_be_matched_in_linear_time_is_refused(pattern: str) -> None:
    with pytest.raises(BadPatternError):
        Expression(pattern)


@keeps("builtin.search_linear")
@pytest.mark.parametrize("pattern", ["(a*)*b", "^(a|aa)+c", "(a|a)*c", "(.*a){20}b", "a?" * 30 + "a" * 30 + "$b"])
def test_patterns_that_backtrack_elsewhere_take_no_time(pattern: str) -> None:
    assert not Expression(pattern).matches("a" * 100_000)


NAMES = st.text("ab.[]-!*", min_size=1, max_size=6)
GLOBS = (
    st.lists(st.sampled_from(["a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-b]", "[]]", "-"]), min_size=1, max_size=4)
    .map("".join)
    .filter(lambda glob: "**" not in glob and glob not in (".", ".."))
)


@given(pattern=GLOBS, name=NAMES)
def test_a_glob_for_one_name_means_what_it_means_in_a_shell(pattern: str, name: str) -> None:
    assert Glob.of(pattern).matches(name) == fnmatchcase(name, pattern)


@pytest.mark.parametrize(
    ("pattern", "fits", "fails"),
    [
        ("**/a", ["a", "x/a", "x/y/a"], ["ab", "x/ab", "a/x"]),
        ("a/**", ["a/x", "a/x/y"], ["a", "b/a/x"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("**", ["a", "a/b"], []),
        ("{a,b/{c,d}}.x", ["a.x", "b/c.x", "b/d.x"], ["c.x", "b.x"]),
        ("a{,b}", ["a", "ab"], ["a{,b}"]),
        ("{a", ["{a"], ["a"]),
        ("a}b", ["a}b"], []),
        (r"\{a,b\}", ["{a,b}"], ["a"]),
        (r"\*", ["*"], ["a"]),
        ("[b-a]", [], ["a", "b", "-"]),
        ("[!b-a]", ["a", "x"], ["/"]),
        ("[^a]", ["b"], ["a"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[", ["["], ["a"]),
        ("./a//b", ["a/b"], []),
        ("a.b", ["a.b"], ["axb"]),
        ("?", ["é", "😀"], ["ab", "/"]),
    ],
)
def test_a_glob_over_paths_means_what_it_says(pattern: str, fits: list[str], fails: list[str]) -> None:
    glob = Glob.of(pattern)
    assert [path for path in [*fits, *fails] if glob.matches(path)] == fits


def test_a_glob_knows_where_and_how_deep_to_look() -> None:
    assert Glob.of("src/lib/*.py")[:2] == (("src", "lib"), 1)
    assert Glob.of("src/{a,b}/*.py")[:2] == (("src",), 2)
    assert Glob.of("src/**/x")[:2] == (("src",), None)
    assert Glob.of("src/one")[:2] == (("src",), 1)
    assert Glob.of("{a/b/c,a/d}")[:2] == (("a",), 2)


def test_braces_within_braces_do_not_go_on_for_ever() -> None:
    with pytest.raises(BadPatternError, match="more than 500"):
        Glob.of("{a,b}" * 12)
    with pytest.raises(BadPatternError, match="more than 500"):
        Glob.of("{a," + "{b,c}" * 12 + "}")
    assert Glob.of("{a,{b,{c,{d,{e,{f,{g,{h,i}}}}}}}}").matches("i")
    with pytest.raises(BadPatternError, match="more than 8 deep"):
        Glob.of("{a,{b,{c,{d,{e,{f,{g,{h,{i,{j,k}}}}}}}}}}")


def test_a_pattern_with_half_of_a_character_is_refused() -> None:
    with pytest.raises(BadPatternError, match="no name can have"):
        Glob.of("half \ud800")


def test_the_larger_an_expression_is_the_less_text_it_is_given_at_once() -> None:
    expressions = [Expression(pattern) for pattern in ("a+b", "(?:a{0,500}){5}b", "(?:a{0,2500}){5}b")]
    reaches = [expression.reach for expression in expressions]
    assert reaches == sorted(set(reaches), reverse=True)
    assert reaches[-1] >= 4_000, "a line of usual length is always looked at as a whole"
