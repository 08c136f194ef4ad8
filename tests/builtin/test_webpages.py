from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.builtin.webpages import readable

URL = "https://example.org/dir/page?x=1"


def text_of(source: str) -> str:
    return readable(source, URL).text


@keeps("builtin.fetch_readable")
def test_a_page_becomes_a_text_to_read() -> None:
    source = """<!DOCTYPE html><html><head><title>A &amp; B</title><style>p { color: red }</style>
    <script>if (1 < 2) document.write("<p>no</p>")</script></head><body>
    <h1>Head  line</h1><p>Some <b>bold</b>,
    <i>slanted</i>&nbsp;text.<br>Next line.</p>
    <ul><li>one<li>two<ol><li>first</li><li>second</li></ol></li></ul><p>After
    <a href="/other">a link</a>, <a href="#here">a mark</a>, <a href="javascript:x()">a trick</a>.</p>
    <pre>
def f():
    return 1 &lt; 2
</pre>
    <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
    <img src=x alt="A picture"><hr>End</body></html>"""
    page = readable(source, URL)
    assert page.title == "A & B"
    assert page.text == textwrap.dedent("""\
        # Head line

        Some bold, slanted text.
        Next line.

        - one
        - two
          1. first
          2. second

        After [a link](https://example.org/other), a mark, a trick.

        def f():
            return 1 < 2

        a | b
        1 | 2

        [A picture]

        ---

        End""")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("a < b > c", "a < b > c"),
        ("1<2 and 3>2", "1<2 and 3>2"),
        ("a<!-- <p>no --> b", "a b"),
        ("a<!--> b", "a b"),
        ("a<!-- never ends", "a"),
        ("a<?php echo ?>b", "ab"),
        ("a<!doctype html>b", "ab"),
        ("a</>b</ x>c", "abc"),
        ("a<p", "a"),
        ("a<p class='never ends", "a"),
        ("a<p title='>'>b", "a\n\nb"),
        ('a<p title=">" x=>b', "a\n\nb"),
        ("<P>One</P><DIV>Two</DIV>", "One\n\nTwo"),
        ("<script>a</script >b", "b"),
        ("<script>a</scriptx>b", ""),
        ("<svg>a</svg>b", "b"),
        ("<svg>a<p>b", "a\n\nb"),
        ("<svg><svg>a", "a"),
        ("<title>", ""),
        ("&lt;p&gt; &#65;&#x42; &nope; &", "<p> AB &nope; &"),
        ("&#99999999999999999999; &#0;", "\ufffd \ufffd"),
        ("<a href='x'><img alt='y'></a>", "[[y]](https://example.org/dir/x)"),
        ("<a href='x'></a>y", "y"),
        ("<a href='x'>one<p>two</a>", "one\n\ntwo"),
        ("<a href='http://[broken'>x</a>", "x"),
        ("<a href='mailto:a@b'>x</a> </a>", "x"),
        ("<a href=' /a b '>x</a>", "x"),
        ("</ul></pre></p><li>x", "- x"),
        ("<pre>a\r\n b\n\n\nc</pre>d", "a\n b\n\n\nc\n\nd"),
        ("<main><p>in</p></main><p>out</p>", "in"),
        ("<main></main><p>out</p>", "out"),
        ("a</main>b", "a\n\nb"),
        ("<ul>" * 30 + "<li>x", "  " * 19 + "- x"),
        ("<ol><li>a<li>b</ol><ol><li>c</ol>", "1. a\n2. b\n\n1. c"),
    ],
)
def test_what_is_written_in_other_ways_is_read_as_a_browser_does(source: str, text: str) -> None:
    assert text_of(source) == text


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<",
            "x</a>",
            "<a",
            "<a ",
            "<a b='",
            '<a b="',
            "<p b=",
            "</",
            "<!",
            "<!-",
            "<!--",
            "-->",
            "<!-- -",
            "<?",
            "&",
        ),
        *("&#", "&#x", "<svg>", "<title", "<title>", "</title", "<script>", "</script", "<template><svg>", "<ul><li>"),
        *(
            "<pre>",
            "<a href=x>",
            "<main>",
            "</main>",
            "<table><tr><td>",
            "<a\n",
            "<a b",
            "<a b c=d ",
            "<h1>",
            "\r",
            " ",
        ),
    ],
)
def test_a_long_text_of_nonsense_takes_no_longer_than_a_page(piece: str) -> None:
    assert len(text_of(piece * (100_000 // len(piece)))) <= 3_000_000


PIECES = [
    *("<", ">", "/", "!", "--", "a", "p", "pre", "li", "ul", "'", '"', "=", " ", "&", "#", "\n", "script", "title"),
    *("main", "href", "1", ";"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text())
def test_whatever_it_is_given_is_a_page(source: str) -> None:
    assert not readable(source, URL).text.endswith("\n")
