"""An assistant for the files of a folder: it reads freely; before it changes a file, you see the change and are asked.

    python examples/file_assistant.py "Which Python files mention asyncio?" [FOLDER]

The model is whichever ``tw.provider()`` finds: TOOLWRIGHT_MODEL=ollama:qwen3 names one, and ``toolwright model pull``
fetches a small one that needs no key and no server.
"""

from __future__ import annotations

import asyncio
import sys

import toolwright as tw

SYSTEM = (
    "You answer questions about the files of a folder. Look before you answer, name the files that you looked at, "
    "and change nothing that you were not asked to change."
)


def file_assistant(llm: tw.ChatProvider, reviewer: tw.Reviewer | None = None) -> tw.Agent:
    """Return an assistant whose tools are for files alone; without a reviewer, the terminal is asked."""
    tools = tw.builtin.registry(".").toolset("files", categories=["file_system", "search"])
    executor = tw.Executor(tools, reviewer=reviewer or tw.ConsoleReviewer())
    return tw.Agent(llm, tools, system=SYSTEM, executor=executor, max_turns=12)


async def main(question: str, folder: str = ".") -> None:
    """Answer one question, and tell meanwhile what is done. No tool leaves the workspace, which is the folder."""
    async for event in file_assistant(tw.provider()).stream(question, workspace=folder):
        match event:
            case tw.TextDelta(text=text):
                print(text, end="", flush=True)
            case tw.ExecutionCompleted(execution=execution):
                print(f"\n[{execution.tool_name}: {execution.status}]")
            case tw.RunCompleted(run=run) if run.status != "completed":
                raise SystemExit(f"\n{run.status}: {run.error or 'see the transcript'}")
    print()


if __name__ == "__main__":
    if len(sys.argv) not in {2, 3}:
        raise SystemExit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
