"""How often the local model chooses the right tool with the right arguments, and how long that takes.

    python -m benchmarks.choosing

Not one of the workloads: it needs the weights (``toolwright model pull``), and it measures a model, not this library.
The questions are as users put them; a call is right if it could be run and would find out what was asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

import toolwright as tw
from toolwright import builtin

SYSTEM: Final = "You are a careful assistant for the files of a folder."

SIX: Final = tuple(
    tool.definition
    for tool in (
        *(builtin.read_file, builtin.list_directory, builtin.search_text),
        *(builtin.glob, builtin.git_status, builtin.git_log),
    )
)
THREE: Final = SIX[:3]


class Question(NamedTuple):
    """What is asked, the tool that finds it out, and whether arguments do."""

    text: str
    tool: str
    fits: Callable[[Mapping[str, Any]], bool]


class Score(NamedTuple):
    """How many questions had the right call, which did not, and how many seconds each answer took."""

    asked: int
    wrong: tuple[str, ...]
    seconds: tuple[float, ...]

    @property
    def right(self) -> int:
        """How many had the right call."""
        return self.asked - len(self.wrong)

    def __str__(self) -> str:
        first, *others = self.seconds
        return f"{self.right} of {self.asked} right; the first took {first:.1f} s, the others {median(others):.1f} s"


def _in(folder: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda given: given.get("path", ".").removeprefix("./").rstrip("/") in {folder, f"{folder}/."}


def _file(path: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda given: given["path"].removeprefix("./") == path


def _for(text: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda given: text in given["pattern"]


def _anyhow(given: Mapping[str, Any]) -> bool:
    del given
    return True


QUESTIONS: Final = (
    Question("What is in README.md?", "read_file", _file("README.md")),
    Question("Show me the file src/app.py.", "read_file", _file("src/app.py")),
    Question("Read notes/today.txt and tell me what it says.", "read_file", _file("notes/today.txt")),
    Question("How many lines does main.c have?", "read_file", _file("main.c")),
    Question("What does config.toml set as the port?", "read_file", _file("config.toml")),
    Question("Which files are in the folder docs?", "list_directory", _in("docs")),
    Question("List the contents of src/toolwright.", "list_directory", _in("src/toolwright")),
    Question("What is in this folder?", "list_directory", _in(".")),
    Question("Show what the directory tests contains.", "list_directory", _in("tests")),
    Question("Where is the word asyncio used?", "search_text", _for("asyncio")),
    Question("Search all files for TODO.", "search_text", _for("TODO")),
    Question("Which files mention the function load_config?", "search_text", _for("load_config")),
    Question("Find the text 'connection refused' in the files.", "search_text", _for("connection refused")),
    Question("Which Python files are there?", "glob", _for("*.py")),
    Question("Find all files whose name ends in .md.", "glob", _for("*.md")),
    Question("Which files were changed and not committed yet?", "git_status", _anyhow),
    Question("What is the state of the git repository?", "git_status", _anyhow),
    Question("What were the last commits?", "git_log", _anyhow),
    Question("Show the last three commits.", "git_log", _anyhow),
    Question("Who changed README.md last?", "git_log", _anyhow),
)


async def measure(
    llm: tw.ChatProvider, tools: Sequence[tw.ToolDefinition], questions: Sequence[Question] = QUESTIONS
) -> Score:
    """Ask each question that one of these tools answers, in a conversation of its own."""
    names = {tool.name for tool in tools}
    asked = [question for question in questions if question.tool in names]
    wrong: list[str] = []
    seconds: list[float] = []
    for question in asked:
        start = perf_counter()
        answer = await llm.chat_with_tools([tw.system(SYSTEM), tw.user(question.text)], tools)
        seconds.append(perf_counter() - start)
        call = answer.tool_invocation
        if call is None or call.name != question.tool or not question.fits(call.arguments):
            wrong.append(f"{question.text} -> {call or answer.text}")
    return Score(len(asked), tuple(wrong), tuple(seconds))


async def _main() -> None:
    from toolwright.providers.local import local_provider

    async with local_provider() as llm:
        for tools in (SIX, THREE):
            score = await measure(llm, tools)
            print(f"{len(tools)} tools: {score}", *score.wrong, sep="\n  ")


if __name__ == "__main__":
    asyncio.run(_main())
