from __future__ import annotations

import asyncio
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.execution.deciding import NOW, asked
from tests.promises import keeps
from toolwright.execution.console import ConsoleReviewer
from toolwright.execution.display import as_json, render, visible
from toolwright.execution.remembered import Remember
from toolwright.execution.reviewers import Decision, ReviewRequest
from toolwright.levels import RiskLevel
from toolwright.values import decode

PLAIN = {"NO_COLOR": "1"}


class Person:
    """Somebody at a real terminal: reads what stands there, and types."""

    def __init__(self, stack: ExitStack) -> None:
        self.hand, terminal = os.openpty()
        stack.callback(os.close, self.hand)
        os.set_blocking(self.hand, False)
        self.reads = stack.enter_context(os.fdopen(terminal, "r"))
        self.writes = stack.enter_context(os.fdopen(os.dup(terminal), "w"))
        self.seen = ""

    def reviewer(self, environment: Mapping[str, str] = PLAIN) -> ConsoleReviewer:
        return ConsoleReviewer(reads=self.reads, writes=self.writes, environment=environment)

    async def sees(self, text: str) -> str:
        """Wait until a text stands there, and return all up to its end; what comes later is seen next."""
        async with asyncio.timeout(20):
            while text not in self.seen:
                await self._look()
        found, _, self.seen = self.seen.partition(text)
        return found + text

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self.hand, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self.hand)
        self.seen += os.read(self.hand, 65_536).decode().replace("\r\n", "\n")

    def types(self, text: str) -> None:
        os.write(self.hand, text.encode())

    async def answers(self, *dialogue: tuple[str, str]) -> None:
        for question, answer in dialogue:
            await self.sees(question)
            self.types(f"{answer}\n")


@pytest.fixture
def person() -> Iterator[Person]:
    with ExitStack() as stack:
        yield Person(stack)


async def decided(person: Person, request: ReviewRequest, *dialogue: tuple[str, str], **environment: str) -> Decision:
    review = asyncio.create_task(person.reviewer(PLAIN | environment).review(request))
    await person.answers(*dialogue)
    async with asyncio.timeout(20):
        return await review


@keeps("reviewers.console")
@pytest.mark.parametrize("answer", ["y", "yes", "YES", " y "])
async def test_yes_at_the_terminal_approves(person: Person, answer: str) -> None:
    assert await decided(person, asked(), ("Run it?", answer)) == Decision.approve(by="console")


@keeps("reviewers.console")
async def test_no_at_the_terminal_denies_with_the_reason_given(person: Person) -> None:
    dialogue = (("Run it?", "n"), ("Why not?", "it is Friday"))
    assert await decided(person, asked(), *dialogue) == Decision.deny("it is Friday", by="console")
    assert await decided(person, asked(), ("Run it?", "no"), ("Why not?", "")) == Decision.deny(by="console")


@keeps("reviewers.console")
@pytest.mark.parametrize(
    ("answer", "wish"),
    [("s", Remember()), ("session", Remember()), ("c", Remember(covers="call"))],
)
async def test_always_asks_for_how_long(person: Person, answer: str, wish: Remember) -> None:
    decision = await decided(person, asked(), ("Run it?", "always"), ("Remember for", answer))
    assert decision == Decision.approve(remember=wish, by="console")


@keeps("policy.remembered.file", "reviewers.console")
async def test_a_rule_is_shown_before_it_is_written(person: Person) -> None:
    review = asyncio.create_task(person.reviewer().review(asked(definition="abc")))
    await person.answers(("Run it?", "a"), ("Remember for", "p"))
    shown = await person.sees("Write it?")
    assert '[[policy.rules]]\neffect = "allow"\ntool = "run_command"\ndefinition = "abc"\nrisk = "high"' in shown
    person.types("n\n")
    await person.answers(("Run it?", "a"), ("Remember for", "a"), ("Write it?", "y"))
    assert await review == Decision.approve(remember=Remember(lasts="always"), by="console")


async def test_always_is_not_offered_where_it_would_change_nothing(person: Person) -> None:
    review = asyncio.create_task(person.reviewer().review(asked(memorable=False)))
    assert "lways" not in await person.sees("[e]dit: ")
    person.types("always\n")
    await person.sees("Please answer")
    await person.answers(("Run it?", "y"))
    assert await review == Decision.approve(by="console")


@keeps("reviewers.console")
async def test_arguments_are_edited_as_json(person: Person) -> None:
    request = asked({"command": "git push", "times": 1})
    review = asyncio.create_task(person.reviewer().review(request))
    for text, reply in (
        ("no JSON", "That is not a JSON object"),
        ("[1]", "That is not a JSON object"),
        ('{"times": 1, "command": "git push"}', "Nothing was changed."),
    ):
        await person.answers(("Run it?", "edit"), ("New arguments", text))
        await person.sees(reply)
    await person.answers(("Run it?", "edit"), ("New arguments", '{"command": "git status", "times": 1.0}'))
    assert await review == Decision.change({"command": "git status", "times": 1.0}, by="console")


@keeps("reviewers.console")
async def test_arguments_are_edited_in_an_editor(person: Person, tmp_path: Path) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text(
        "import sys; from pathlib import Path; file = Path(sys.argv[1]); old = file.read_text();"
        "assert sys.stdin.isatty() and sys.stdout.isatty(); file.write_text(old.replace('pu\\\\u202esh', 'pull'))"
    )
    request = asked({"command": "git pu\u202esh"})
    dialogue = (("Run it?", "e"),)
    decision = await decided(person, request, *dialogue, EDITOR=f"'{sys.executable}' '{editor}'")
    assert decision == Decision.change({"command": "git pull"}, by="console")


@pytest.mark.parametrize("editor", ["/no/such/editor", "false", "'unclosed"])
async def test_an_editor_that_fails_changes_nothing(person: Person, editor: str) -> None:
    review = asyncio.create_task(person.reviewer(PLAIN | {"EDITOR": editor}).review(asked()))
    await person.answers(("Run it?", "e"))
    await person.sees("nothing was changed")
    await person.answers(("Run it?", "y"))
    assert await review == Decision.approve(by="console")


async def test_an_editor_ends_with_the_deadline(person: Person, tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    editor = tmp_path / "editor.py"
    editor.write_text(f"open({str(started)!r}, 'w').close(); import threading; threading.Event().wait()")
    review = asyncio.create_task(
        person.reviewer(PLAIN | {"VISUAL": f"'{sys.executable}' '{editor}'"}).review(asked({"a": 1}))
    )
    await person.answers(("Run it?", "e"))
    await asyncio.to_thread(started.read_text)
    review.cancel()
    async with asyncio.timeout(20):
        with pytest.raises(asyncio.CancelledError):
            await review


async def test_no_clear_answer_is_no(person: Person) -> None:
    decision = await decided(person, asked(), *[("Run it?", answer) for answer in ("", "maybe", "yy", "1", "ok")])
    assert decision == Decision.deny("there was no clear answer", by="console")


async def test_a_closed_terminal_is_no(person: Person) -> None:
    review = asyncio.create_task(person.reviewer().review(asked()))
    await person.sees("Run it?")
    person.types("\x04")
    assert await review == Decision.deny("the terminal was closed before there was an answer", by="console")


@keeps("reviewers.nobody")
async def test_with_a_pipe_or_nothing_at_either_end_the_answer_is_no_and_says_how_to_allow(
    person: Person, tmp_path: Path
) -> None:
    (tmp_path / "answers").write_text("y\ny\ny\n")
    with (tmp_path / "answers").open() as file, (tmp_path / "out").open("w") as out:
        for reads, writes in ((file, person.writes), (person.reads, out), (file, out)):
            decision = await ConsoleReviewer(reads=reads, writes=writes, environment={}).review(asked())
            assert decision.answer == "deny"
            assert 'effect = "allow", tool = "run_command"' in (decision.reason or "")
    assert (await ConsoleReviewer(reads=file, writes=out).review(asked())).answer == "deny"
    assert not person.seen


async def test_what_was_typed_before_the_question_is_no_answer(person: Person) -> None:
    person.types("y\ny\n")
    review = asyncio.create_task(person.reviewer().review(asked()))
    await person.answers(("Run it?", "n"), ("Why not?", ""))
    assert await review == Decision.deny(by="console")


@keeps("reviewers.console.free")
async def test_waiting_holds_up_nothing_and_ends_with_the_deadline(person: Person) -> None:
    reviewer = person.reviewer()
    review = asyncio.create_task(reviewer.review(asked()))
    await person.sees("Run it?")
    for _ in range(100):
        await asyncio.sleep(0)
    assert not review.done()
    review.cancel()
    with pytest.raises(asyncio.CancelledError):
        await review
    await person.sees("(This is no longer asked.)")
    person.types("y\n")
    again = asyncio.create_task(reviewer.review(asked()))
    await person.answers(("Run it?", "n"), ("Why not?", "too late"))
    assert await again == Decision.deny("too late", by="console")


async def test_several_requests_are_asked_one_after_the_other(person: Person) -> None:
    reviewer = person.reviewer()
    reviews = [asyncio.create_task(reviewer.review(asked(summary=f"Number {number}"))) for number in range(3)]
    for number in range(3):
        shown = await person.sees("Run it?")
        assert re.findall(r"Number \d", shown) == [f"Number {number}"]
        person.types("y\n" if number != 1 else "n\n")
        if number == 1:
            await person.answers(("Why not?", ""))
    assert [each.answer for each in await asyncio.gather(*reviews)] == ["approve", "deny", "approve"]


async def test_requests_of_several_loops_are_asked_one_after_the_other(person: Person) -> None:
    reviewer = person.reviewer()

    def elsewhere() -> Decision:
        return asyncio.run(reviewer.review(asked()))

    reviews = [asyncio.create_task(asyncio.to_thread(elsewhere)) for _ in range(3)]
    await person.answers(*[("Run it?", "y")] * 3)
    assert [each.answer for each in await asyncio.gather(*reviews)] == ["approve"] * 3


@keeps("reviewers.console.free")
async def test_a_loop_that_cannot_watch_a_terminal_leads_to_no(person: Person) -> None:
    class Blind(asyncio.SelectorEventLoop):
        seeing = True

        def add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]  # any
            if not self.seeing:
                raise NotImplementedError
            super().add_reader(fd, callback, *args)

    def loop() -> asyncio.AbstractEventLoop:
        made = Blind()
        made.seeing = False
        return made

    def elsewhere() -> Decision:
        with asyncio.Runner(loop_factory=loop) as runner:
            return runner.run(person.reviewer().review(asked()))

    reviewing = asyncio.create_task(asyncio.to_thread(elsewhere))
    await person.sees("Run it?")
    assert "cannot read from a terminal" in ((await reviewing).reason or "")


@keeps("reviewers.console")
def test_everything_is_shown_with_the_risk_in_its_colour_and_in_words() -> None:
    request = asked(
        {"path": "a.txt", "content": "one\n\ttwo\n"},
        warnings=("content: is unusually large",),
        diff="@@ -1 +1 @@\n-old\n+new",
        expires_at=NOW,
    )
    shown = render(request, color=False)
    for line in (
        *("run_command  High Risk: Potentially destructive operation", "  Run 'git push'"),
        *("  why: its risk is high, and a person is asked", "  ! content: is unusually large"),
        *('    path: "a.txt"', "    content: text of 9 characters", "    │ one", "    │ →   two"),
        *("  changes:", "  │ -old", "  │ +new"),
    ):
        assert line in shown.split("\n")
    assert "to be decided before 2026-03-0" in shown
    assert "\x1b" not in shown
    colored = render(request, color=True)
    assert "\x1b[31mHigh Risk: " in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == shown
    styles = {render(asked(risk=risk), color=True).split("  ")[1][:7] for risk in RiskLevel}
    assert len(styles) == len(RiskLevel)


@keeps("reviewers.console")
async def test_colours_are_left_out_where_they_are_not_wanted(person: Person) -> None:
    for environment, colored in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        review = asyncio.create_task(person.reviewer(environment).review(asked()))
        assert ("\x1b[" in await person.sees("Run it?")) == colored
        person.types("y\n")
        await review


@keeps("reviewers.console.honest")
@given(
    st.dictionaries(st.text(max_size=8), st.text(max_size=30) | st.lists(st.text(max_size=5)), max_size=3), st.text()
)
def test_nothing_in_a_request_moves_the_cursor_or_hides(arguments: dict[str, Any], text: str) -> None:
    request = asked(arguments, summary=text, reason=text, warnings=(text,), diff=text)
    shown = render(request, color=False)
    assert shown.replace("\n", "").isprintable()
    ours = ("run_command", "  ", "")
    assert all(line.startswith(ours) for line in shown.split("\n"))


@keeps("reviewers.console.honest")
def test_a_line_of_an_argument_never_looks_like_a_line_of_ours() -> None:
    request = asked({"content": "x\nsafe_tool  Safe: nothing to see\nRun it? [y]es: y"})
    lines = render(request, color=False).split("\n")
    assert [line for line in lines if "safe_tool" in line or "Run it?" in line] == [
        *("    │ safe_tool  Safe: nothing to see", "    │ Run it? [y]es: y"),
    ]


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in line)


@keeps("reviewers.console.honest")
@given(st.text("ab 漢\n", max_size=200) | st.text(max_size=200), st.integers(20, 60))
def test_no_line_is_broken_by_the_terminal_and_goes_on_where_ours_begin(text: str, width: int) -> None:
    request = asked({"content": text, "one": text.replace("\n", " ")}, summary=text, diff=text)
    _, _, *lines = render(request, color=False, width=width).split("\n")
    assert all(columns(line) <= width for line in lines[:-2])
    shown = "".join(line.removeprefix("    │ ") for line in lines)
    assert as_json(text.replace("\n", " ")) in shown


def test_what_is_asked_about_is_said_again_below_a_long_text() -> None:
    request = asked({"content": "line\n" * 100})
    assert render(request, color=False).count("run_command  High Risk") == 2
    assert render(asked(), color=False).count("run_command  High Risk") == 1


@keeps("reviewers.console.honest")
@pytest.mark.parametrize(
    ("value", "warning"),
    [
        ("evil\u202egnp.exe", "there are control characters or invisible ones"),
        ({"deep": ["a\x1b[2Jb"]}, "there are control characters or invisible ones"),
        ("line\rover", "there are control characters or invisible ones"),
        ("g\u0456thub.com", "a word mixes letters that look alike: g\u0456thub (Cyrillic and Latin)"),
        ("two\n\tlines", None),
        ("Ωμέγα και γράμματα", None),
        ("привет мир", None),
    ],
)
def test_what_a_reader_could_miss_is_pointed_out(value: object, warning: str | None) -> None:
    shown = render(asked({"value": value}), color=False)
    assert (f"  ! {warning}" in shown) == (warning is not None)
    assert ("  ! " in shown) == (warning is not None)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none(), max_size=3))
def test_arguments_shown_as_json_are_the_arguments(arguments: dict[str, Any]) -> None:
    for indent in (None, 2):
        text = as_json(arguments, indent=indent)
        assert text.replace("\n", "").isprintable()
        if not re.search("[\ud800-\udfff]", str([*arguments, *arguments.values()])):
            assert decode(text) == arguments


def test_a_character_that_cannot_be_seen_is_shown_as_its_number() -> None:
    assert visible("a\u202eb\x00\tc") == "a<U+202E>b<U+0000>→   c"
    assert visible("plain é 漢字") == "plain é 漢字"
