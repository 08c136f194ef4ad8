"""What is read from docstrings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.schema.docstrings import Docstring, parse

GOOGLE = """Copy a file.

    Links are followed.

    Args:
        source (str): Where from,
            relative to the workspace.
        target: Where to: a file or folder.

            It may exist.
        *rest: More of them.
        mode (dict[str, tuple[int, int]], optional): How.

    Note:
        Large files take a while.

    Returns:
        The number of bytes.

    Raises:
        OSError: The disk is full.
    """

NUMPY = """Copy a file.

    Links are followed.

    Parameters
    ----------
    source, target : str
        Where from and to.
        Relative to the workspace.
    mode : {'fast', 'safe'}, optional
        How.
    rest

    Returns
    -------
    int
        The number of bytes.

    Notes
    -----
    Large files take a while.
    """

SPHINX = """Copy a file.

    Links are followed.

    :param str source: Where from,
        relative to the workspace.
    :param target: Where to.
    :type target: str
    :keyword mode: How.
    :returns: The number of bytes.
    :rtype: int
    :raises OSError: The disk is full.
    """


@keeps("schema.of_docstrings")
def test_google_style_is_read_with_types_and_several_lines() -> None:
    docs = parse(GOOGLE)
    assert docs.summary == "Copy a file."
    assert docs.parameters == {
        "source": "Where from, relative to the workspace.",
        "target": "Where to: a file or folder.\n\nIt may exist.",
        "rest": "More of them.",
        "mode": "How.",
    }
    assert docs.returns == "The number of bytes."
    assert docs.description == "Copy a file.\n\nLinks are followed.\n\nNote:\n    Large files take a while."


@keeps("schema.of_docstrings")
def test_numpy_style_is_read_with_several_names_at_once() -> None:
    docs = parse(NUMPY)
    both = "Where from and to. Relative to the workspace."
    assert docs.parameters == {"source": both, "target": both, "mode": "How."}
    assert docs.returns == "The number of bytes."
    assert docs.description.startswith("Copy a file.\n\nLinks are followed.\n\nNotes\n-----\nLarge")


@keeps("schema.of_docstrings")
def test_sphinx_style_is_read_and_types_are_left_out() -> None:
    docs = parse(SPHINX)
    assert docs.parameters == {
        "source": "Where from, relative to the workspace.",
        "target": "Where to.",
        "mode": "How.",
    }
    assert docs.returns == "The number of bytes."
    assert docs.description == "Copy a file.\n\nLinks are followed."


@keeps("schema.of_docstrings")
def test_styles_may_be_mixed_and_careless() -> None:
    docs = parse(
        """
        Do it.

        Args:
            first: One
          carelessly indented
            not a parameter
        :param second: Two
        Attributes:
            third: Three
        """
    )
    assert docs.parameters == {
        "first": "One carelessly indented not a parameter",
        "second": "Two",
        "third": "Three",
    }
    assert docs.description == "Do it."


def test_a_word_that_only_looks_like_a_section_is_text() -> None:
    docs = parse("Parses things.\n\nArgs:\nnothing below is indented.\n\nReturns:")
    assert docs.parameters == {}
    assert "nothing below" in docs.description


def test_lists_within_a_text_keep_their_lines() -> None:
    assert parse("S.\n\nArgs:\n    a: One of\n        - x\n        - y\n").parameters == {"a": "One of\n- x\n- y"}


@pytest.mark.parametrize("nothing", ["", "   \n ", None, 7, object()])
def test_what_is_not_text_says_nothing_at_all(nothing: object) -> None:
    assert parse(nothing) == Docstring()


LINES = [*GOOGLE.splitlines(), *NUMPY.splitlines(), *SPHINX.splitlines()]


@given(st.text() | st.lists(st.sampled_from(LINES)).map("\n".join))
def test_no_text_whatever_makes_reading_fail(text: str) -> None:
    docs = parse(text)
    assert all(name.isidentifier() and said.strip() for name, said in docs.parameters.items())
    assert "\n" not in docs.summary


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1_000_000 + "x",
        "S.\n\n:param" + " " * 1_000_000,
        "S.\n\nArgs:\n  a (" + "(" * 1_000_000,
        "S.\n\nArgs:\n  " + "a, " * 500_000,
        "Args:\n" * 200_000,
        "x\n---\n" * 200_000,
    ],
)
def test_of_a_hostile_text_only_the_beginning_is_read(text: str) -> None:
    # What takes quadratic time over a million characters would never come back.
    docs = parse(text)
    assert sum(map(len, [docs.description, docs.returns, *docs.parameters.values()])) <= 100_000
