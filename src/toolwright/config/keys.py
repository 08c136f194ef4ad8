"""The keys of a configuration: one table, from which files, environment and options are read alike.

Each key says whether a project's file may set it. ``stricter`` keys count from an untrusted project where what it says
is stricter than the default. ``trust`` keys could lead somewhere the user never chose (to a server that receives his
key and his files, to code of the project's, to a folder that is written to), so they count only where he trusts it.

This module may not know where a value stands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

import msgspec

from toolwright.config.settings import Settings
from toolwright.errors import UnknownWordError
from toolwright.levels import RiskLevel, SandboxIsolationLevel

__all__ = ["GROUPS", "KEYS", "VARIABLES", "FromProject", "Key", "Kind"]

FromProject: TypeAlias = Literal["stricter", "trust"]
"""When a key in a project's file counts: where it is stricter than the default, or where the folder is trusted."""


class Kind(msgspec.Struct, frozen=True):
    """What values of a key are.

    ``noun`` is said where one is not; ``read`` takes what TOML gave and the folder that paths are relative to, and
    raises a ``ValueError``; ``parse`` makes of a text what TOML would have given.
    """

    noun: str
    read: Callable[[Any, Path], Any]
    parse: Callable[[str], Any] = str
    is_stricter: Callable[[Any, Any], bool] | None = None


class Key(msgspec.Struct, frozen=True):
    """One key: its dotted name, what it holds, what it means, and when a project may set it."""

    path: str
    kind: Kind
    meaning: str
    from_project: FromProject

    @property
    def variable(self) -> str:
        """The environment variable that sets it: ``TOOLWRIGHT_AGENT_MAX_TURNS``."""
        return "TOOLWRIGHT_" + self.path.replace(".", "_").upper()

    @property
    def default(self) -> Any:
        """What holds where nobody says anything."""
        return _DEFAULTS.get(self.path)


_DEFAULTS: Final = Settings()


def _text(value: Any, folder: Path) -> str:
    del folder
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _count(value: Any, folder: Path) -> int:
    del folder
    if type(value) is not int or value < 1:
        raise ValueError
    return value


def _seconds(value: Any, folder: Path) -> float:
    del folder
    if type(value) not in (int, float) or not 0 < value < float("inf"):
        raise ValueError
    return float(value)


def _flag(value: Any, folder: Path) -> bool:
    del folder
    if not isinstance(value, bool):
        raise ValueError  # noqa: TRY004  a wrong type is told like any other wrong value, with the key's noun
    return value


def _words(value: Any, folder: Path) -> tuple[str, ...]:
    return tuple(_text(word, folder) for word in _several(value))


def _path(value: Any, folder: Path) -> Path:
    text = _text(value, folder)
    if "\0" in text:
        raise ValueError
    try:
        place = Path(text).expanduser()
    except RuntimeError:  # the home of somebody who is not there
        raise ValueError from None
    return Path(os.path.abspath(folder / place))  # noqa: PTH100  keeps its links


def _paths(value: Any, folder: Path) -> tuple[Path, ...]:
    return tuple(_path(each, folder) for each in _several(value))


def _several(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError  # noqa: TRY004  likewise
    return value  # pyright: ignore[reportUnknownVariableType]


def _word_of(words: type[RiskLevel | SandboxIsolationLevel]) -> Callable[[Any, Path], Any]:
    def read(value: Any, folder: Path) -> Any:
        try:
            return words.parse(_text(value, folder))
        except UnknownWordError:
            raise ValueError from None

    return read


def _flag_in(text: str) -> bool | None:
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(text.strip().lower())


def _separated_by(separator: str) -> Callable[[str], list[str]]:
    return lambda text: [part.strip() for part in text.split(separator) if part.strip()]


def _less(one: Any, other: Any) -> bool:
    return one is not None and (other is None or one <= other)


def _more(one: Any, other: Any) -> bool:
    return bool(one >= other)


_TEXT: Final = Kind("text that is not empty", _text)
_COUNT: Final = Kind("a whole number, 1 or more", _count, int, _less)
_SECONDS: Final = Kind("a number of seconds, more than 0", _seconds, float, _less)
_FLAG: Final = Kind("true or false", _flag, _flag_in, lambda one, other: one <= other)
_WORDS: Final = Kind("an array of names", _words, _separated_by(","), lambda one, other: set(one) >= set(other))
_PATH: Final = Kind("a path", _path)
_PATHS: Final = Kind("an array of paths", _paths, _separated_by(os.pathsep))
_RISK: Final = Kind(f"one of {', '.join(RiskLevel)}", _word_of(RiskLevel), str, _less)
_ISOLATION: Final = Kind(
    f"one of {', '.join(SandboxIsolationLevel)}", _word_of(SandboxIsolationLevel), str, is_stricter=_more
)

_TABLE: Final = (
    Key("model", _TEXT, "the model to ask, such as 'ollama:qwen3'", "trust"),
    Key("system", _TEXT, "what the model is told before anything else", "trust"),
    Key("agent.max_turns", _COUNT, "how often one run may ask the model", "stricter"),
    Key("agent.max_tool_calls", _COUNT, "how many calls one run may make", "stricter"),
    Key("agent.timeout", _SECONDS, "how long one run may take, in seconds", "stricter"),
    Key("execution.concurrency", _COUNT, "how many calls run at once", "stricter"),
    Key("execution.timeout", _SECONDS, "the longest that a call may take, in seconds", "stricter"),
    Key("execution.review_timeout", _SECONDS, "how long a question waits for its answer, in seconds", "stricter"),
    Key("tools.folders", _PATHS, "folders of definition files beside the user's own", "trust"),
    Key("tools.disabled", _WORDS, "tools that are not offered", "stricter"),
    Key("tools.max_risk", _RISK, "the highest risk of tools that are offered", "stricter"),
    Key("features.tool_definitions", _FLAG, "whether there are custom tools", "stricter"),
    Key("builtin.command_isolation", _ISOLATION, "the isolation that run_command asks for", "stricter"),
    Key("runs.folder", _PATH, "where runs are kept", "trust"),
)

KEYS: Final[Mapping[str, Key]] = MappingProxyType({key.path: key for key in _TABLE})
"""Every key by its dotted name, in the order in which they are shown."""

GROUPS: Final = frozenset(path.rpartition(".")[0] for path in KEYS) - {""}
"""The tables that keys stand in."""

VARIABLES: Final[Mapping[str, Key]] = MappingProxyType({key.variable: key for key in _TABLE})
"""Every key by its environment variable."""
