"""What a conversation takes, put together: the settings, the model, its tools, who is asked, where it is kept.

This module may not know what is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import msgspec

from toolwright.cli.exits import ExitCode, Stop

if TYPE_CHECKING:
    from toolwright.agent import Decided, Run, RunStore
    from toolwright.cli.answering import Chat
    from toolwright.cli.compose import Chosen
    from toolwright.cli.invocation import Invocation
    from toolwright.config import Configuration
    from toolwright.conversation import Conversation
    from toolwright.execution import Rule

__all__ = ["Talk", "Wishes", "opened"]


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a command line wishes: settings by their names, rules, a folder, lines of JSON, the last conversation."""

    options: Mapping[str, Any]
    rules: tuple[Rule, ...] = ()
    workspace: str | None = None
    as_json: bool = False
    goes_on: bool = False


class Talk:
    """A conversation, from code that has no event loop."""

    def __init__(self, runner: asyncio.Runner, chat: Chat, title: str) -> None:
        self._runner = runner
        self._chat = chat
        self.title = title

    def ask(self, prompt: str) -> Run:
        """Ask, show the answer as it comes, and return the run."""
        return self._runner.run(self._chat.ask(prompt))

    def resume(self, run_id: str, decided: Mapping[str, Decided]) -> Run:
        """Go on with a run that has not ended, and return it."""
        return self._runner.run(self._chat.resume(run_id, decided))

    def forget(self) -> None:
        """Begin anew."""
        self._chat.forget()


@contextmanager
def opened(invocation: Invocation, wishes: Wishes) -> Generator[Talk]:
    """Give a conversation; the model's connections and processes are ended with the block.

    Raises:
        Stop: There is no model, or no conversation to go on with.
    """
    configuration = invocation.configuration(wishes.workspace, wishes.options)
    invocation.tell_ignored(configuration)
    model = _model(invocation, configuration)
    with asyncio.Runner() as runner:
        try:
            chat = _compose(runner, invocation, configuration, model, wishes)
            yield Talk(runner, chat, f"{model.name} in {configuration.workspace}")
        finally:
            close = getattr(model.provider, "aclose", None)
            if close is not None:
                runner.run(close())


def _model(invocation: Invocation, configuration: Configuration) -> Chosen:
    from toolwright.cli.compose import model_of
    from toolwright.errors import LLMError

    try:
        found = model_of(configuration)
    except LLMError as error:
        raise Stop(error.message, ExitCode.NOT_CONFIGURED) from error
    except ValueError as error:
        raise Stop(f"The model cannot be asked: {error}", ExitCode.WRONG_USE) from error
    if found.why:
        invocation.console.say(f"asking {found.name} ({found.why})", "dim")
    return found


def _compose(
    runner: asyncio.Runner, invocation: Invocation, configuration: Configuration, model: Chosen, wishes: Wishes
) -> Chat:
    from toolwright.agent import JsonLinesRuns
    from toolwright.cli.answering import Chat
    from toolwright.cli.compose import agent_of, executor_of, registry_of, runs_folder
    from toolwright.cli.reporting import Lines
    from toolwright.cli.reviewing import reviewer_of
    from toolwright.cli.showing import Screen

    screen = Screen(invocation.console, model.provider.model_name, note=model.note)
    reviewer = reviewer_of(invocation, as_json=wishes.as_json, screen=screen)
    registry = registry_of(configuration)
    executor = executor_of(configuration, registry, rules=wishes.rules, reviewer=reviewer)
    store = JsonLinesRuns(runs_folder(configuration))
    return Chat(
        agent_of(configuration, model, registry, executor, store),
        shows=Lines(invocation.console) if wishes.as_json else screen,
        console=invocation.console,
        workspace=configuration.workspace,
        session=f"chat_{token_hex(6)}",
        conversation=runner.run(_earlier(store, configuration)) if wishes.goes_on else None,
    )


async def _earlier(store: RunStore, configuration: Configuration) -> Conversation:
    from toolwright.cli.answering import conversation_of, last_run

    head = await last_run(store, configuration.workspace)
    if head is None:
        raise Stop("There is no conversation in this folder yet; leave --continue out.", ExitCode.WRONG_USE)
    if head.state != "ended":
        raise Stop(f"The last run here has not ended: 'toolwright runs resume {head.id}' goes on with it.")
    return conversation_of(await store.read(head.id))
