"""From the settings to what works together: who gets what is decided here, and nowhere else.

A project's file may tighten the policy: what it denies, asks for or limits always counts, and goes before what the
user's file allows. What it allows counts where the user has trusted its folder.

This module may not know a command, nor what is printed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from toolwright.config import Configuration, Ignored
from toolwright.errors import DuplicateToolError, InvalidDefinitionError, LLMError, PolicyError, ToolLoadError
from toolwright.execution import Executor, Policy, Rule, load_policy
from toolwright.execution.rules import read_policy
from toolwright.levels import SandboxIsolationLevel
from toolwright.registry import Availability, Registry
from toolwright.registry.view import is_available, is_tool
from toolwright.tools.names import normalize_name

if TYPE_CHECKING:
    from toolwright.agent import Agent, RunStore
    from toolwright.execution import Reviewer
    from toolwright.execution.reviewers import Review
    from toolwright.providers import ChatProvider
    from toolwright.tools import Tool

__all__ = [
    "NO_MODEL",
    "SYSTEM",
    "Chosen",
    "agent_of",
    "availability_of",
    "built_ins",
    "definition_folders",
    "executor_of",
    "ignored_rules",
    "isolation_missing",
    "model_of",
    "policy_of",
    "registry_for",
    "registry_of",
    "runs_folder",
    "why_not_offered",
]

_MADE_BY_SETTINGS: Final = frozenset(["run_command"])

SYSTEM: Final = (
    "You are a careful assistant at a command line. You work in one folder, the workspace; paths are relative to it. "
    "Look with the tools instead of guessing, say what you found and where, and be brief."
)
"""What a model is told where the settings say nothing else."""

NO_MODEL: Final = (
    "no model was found: set a key such as OPENAI_API_KEY, start Ollama, or name one with --model ollama:qwen3;\n"
    "'toolwright model pull' fetches a small one that needs none of these"
)
"""What is said where there is nothing to ask, and what to do about it."""


def definition_folders(configuration: Configuration) -> tuple[Path, ...]:
    """Return the folders of definition files: the user's own, if there is one, and those that settings name."""
    own = configuration.places.definitions
    return (*((own,) if own.is_dir() else ()), *configuration.settings.tools.folders)


def registry_of(configuration: Configuration) -> Registry:
    """Return the tools: those that are built in, those that installed packages offer, and the user's own.

    Raises:
        InvalidDefinitionError: A definition file is wrong; no tool of that folder can be relied on.
        DuplicateToolError: Two tools have one name.
        ToolLoadError: A folder of definitions cannot be read.
    """
    settings = configuration.settings
    registry = built_ins(configuration.workspace, settings.builtin.command_isolation)
    registry.load_entry_points()
    if settings.features.tool_definitions:
        for folder in definition_folders(configuration):
            _take_in(registry, folder)
    return registry


def built_ins(workspace: Path, commands: SandboxIsolationLevel = SandboxIsolationLevel.STRICT) -> Registry:
    """Return the tools that are built in, those for editing and for git among them."""
    from toolwright.builtin import edit_tools, git_tools
    from toolwright.builtin import registry as made

    registry = made(workspace, command_isolation=commands)
    registry.add([*edit_tools, *git_tools], builtin=True)
    return registry


def registry_for(configuration: Configuration, name: str) -> Registry:
    """Return a registry with the tool of a name: that one alone where it is built in, which loads no other.

    Raises:
        InvalidDefinitionError, DuplicateToolError, ToolLoadError: As in :func:`registry_of`.
    """
    room, legal = import_module("toolwright.builtin"), normalize_name(name)
    found = getattr(room, legal) if legal in room.__all__ and legal not in _MADE_BY_SETTINGS else None
    if not is_tool(found):
        return registry_of(configuration)
    registry = Registry()
    registry.register(found, builtin=True)
    return registry


def _take_in(registry: Registry, folder: Path) -> None:
    hint = f"'toolwright tools check {folder}' shows all of it"
    try:
        registry.load_folder(folder)
    except InvalidDefinitionError as error:
        first = str(error).splitlines()[1:2] or [str(error)]
        raise InvalidDefinitionError(f"{folder}: {first[0].strip()}\n{hint}", report=error.report) from None
    except DuplicateToolError as error:
        raise DuplicateToolError(f"{folder}: {error}", name=error.name) from None
    except OSError as error:
        raise ToolLoadError(f"{folder}: cannot be read: {error.strerror}") from None


def availability_of(configuration: Configuration) -> Availability:
    """Return which tools are offered in a workspace: those that settings leave, and that have what they need here."""
    tools = configuration.settings.tools
    return Availability(
        workspace=configuration.workspace,
        has_terminal=True,
        has_editor=True,
        has_git=_is_repository(configuration.workspace) and shutil.which("git") is not None,
        disabled=tools.disabled,
        max_risk=tools.max_risk,
    )


def why_not_offered(configuration: Configuration, tool: Tool) -> str:
    """Return why a tool is not offered in a workspace, and what to do about it; nothing where it is."""
    definition, around = tool.definition, availability_of(configuration)
    if definition.name in around.disabled:
        return "the setting tools.disabled names it"
    if around.max_risk is not None and definition.risk > around.max_risk:
        return f"the setting tools.max_risk is {around.max_risk}"
    if not around.allows(definition):
        return "this folder is in no git repository, or git is not installed"
    if is_available(tool, definition.name):
        return ""
    return isolation_missing(tool) or "it says itself that it cannot be used here"


def isolation_missing(tool: Tool) -> str:
    """Return what is missing where the isolation that a tool asks for is not to be had, and nothing where it is."""
    from toolwright.builtin.isolation import is_to_be_had

    level = tool.definition.isolation
    return "" if is_to_be_had(level) else f"it needs {level} isolation; 'toolwright doctor' says why there is none"


def _is_repository(folder: Path) -> bool:
    real = Path(os.path.realpath(folder))
    return any((each / ".git").exists() for each in (real, *real.parents))


# The policy


def policy_of(configuration: Configuration, rules: Iterable[Rule] = ()) -> Policy:
    """Return the policy that holds: rules of the command line, of the project, of the user, in this order.

    Raises:
        PolicyError: A rule in a file cannot be relied on; none of them holds then.
    """
    policy = Policy(tuple(rules))
    for table in configuration.policies:
        try:
            found = read_policy(
                table.table, origin=table.file.name, lasts="always" if table.source == "user" else "project"
            )
        except PolicyError as error:
            raise PolicyError(error.problem, code=error.code, path=f"{table.file}, {error.path}") from None
        policy = policy.followed_by(found if table.trusted else _tightening(found))
    decisions = _decisions_file(configuration)
    if decisions != configuration.project_file:
        policy = policy.followed_by(load_policy(decisions, lasts="project", missing_ok=True))
    files = {"project": str(decisions), "always": str(configuration.places.user_file)}
    return msgspec.structs.replace(policy, files=files)


def ignored_rules(configuration: Configuration) -> tuple[Ignored, ...]:
    """Return the rules of an untrusted project that do not count, because they would let something pass."""
    found: list[Ignored] = []
    for table in configuration.policies:
        if table.trusted:
            continue
        policy = read_policy(table.table, origin=table.file.name)
        why = "it allows something, and the folder is not trusted"
        found += [Ignored(rule.origin, str(table.file), why) for rule in policy.rules if rule.effect == "allow"]
        allowed = [each for each in policy.remembered if each.effect == "allow"]
        found += [Ignored(f"decision {each.id}", str(table.file), why) for each in allowed]
    return tuple(found)


def _tightening(policy: Policy) -> Policy:
    """Return what of a policy makes it stricter, whatever stands behind it."""
    return Policy(
        rules=tuple(rule for rule in policy.rules if rule.effect != "allow"),
        limits=policy.limits,
        repair=policy.repair,
        remembered=tuple(each for each in policy.remembered if each.effect == "deny"),
    )


def _decisions_file(configuration: Configuration) -> Path:
    """Return where decisions about a project are kept: in its file if it counts, else in one of the user's."""
    if configuration.project_file is not None and configuration.trusted:
        return configuration.project_file
    folder = configuration.project_file.parent if configuration.project_file else configuration.workspace
    return configuration.places.decisions(Path(os.path.realpath(folder)))


# What runs


def executor_of(
    configuration: Configuration,
    registry: Registry,
    *,
    rules: Iterable[Rule] = (),
    reviewer: Reviewer | Review | None = None,
) -> Executor:
    """Return the executor: the policy that holds, and whoever is asked; without a reviewer nobody is."""
    execution = configuration.settings.execution
    return Executor(
        registry,
        policy=policy_of(configuration, rules),
        reviewer=reviewer,
        availability=availability_of(configuration),
        concurrency=execution.concurrency,
        timeout=execution.timeout,
        review_timeout=execution.review_timeout,
    )


def runs_folder(configuration: Configuration) -> Path:
    """Return where runs are kept."""
    return configuration.settings.runs.folder or configuration.places.runs


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The model that is asked: its provider, its name, and why it is this one where nobody named it."""

    provider: ChatProvider
    name: str
    why: str = ""

    @property
    def note(self) -> str | None:
        """What is to be said beside its answers; only models of little power have something."""
        return getattr(self.provider, "note", None)


def model_of(configuration: Configuration) -> Chosen:
    """Return the model that the settings name, or the first that is found.

    Raises:
        LLMError: There is none.
        ValueError: The name is none; the text says how one is written.
        MissingExtraError: It needs something that is not installed.
    """
    from toolwright.providers.choose import candidates, provider

    named = configuration.settings.model
    if named is not None:
        return Chosen(provider=_made(provider(named)), name=named)
    found = next((each for each in candidates() if each.chosen), None)
    if found is None:
        raise LLMError("model_not_found", NO_MODEL)
    return Chosen(provider=_made(provider(found.name)), name=found.name, why=f"{found.source} {found.reason}")


def _made(provider: ChatProvider) -> ChatProvider:
    if getattr(provider, "note", None) is None:
        return provider
    from toolwright.cli.looking import Looking

    return Looking(provider)


def agent_of(
    configuration: Configuration, model: Chosen, registry: Registry, executor: Executor, store: RunStore | None
) -> Agent:
    """Return the loop over a model and its tools, held to what the settings say a run may take.

    A model of little power is offered few tools, and none that changes anything: it chooses right among few.
    """
    from toolwright.agent import Agent
    from toolwright.providers.local.offering import small_offer

    settings = configuration.settings
    return Agent(
        model.provider,
        registry,
        system=settings.system or SYSTEM,
        executor=executor,
        max_turns=settings.agent.max_turns,
        max_tool_calls=settings.agent.max_tool_calls,
        timeout=settings.agent.timeout,
        store=store,
        offer=None if model.note is None else small_offer(registry, availability_of(configuration)),
    )
