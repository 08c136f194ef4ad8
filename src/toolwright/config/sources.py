"""One source of settings, read strictly: a file, the environment, the options of a command.

An unknown key, a wrong type, a file that is no TOML: nothing of such a source is taken, and the error says where the
fault stands and what was probably meant. No value is quoted.

This module may not know which source goes before which.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import msgspec

from toolwright.config.keys import GROUPS, KEYS, VARIABLES, Key
from toolwright.errors import ConfigError

__all__ = ["Said", "read_environment", "read_file", "read_options"]

_LARGEST: Final = 1024 * 1024  # bytes of a file
_PREFIX: Final = "TOOLWRIGHT_"
_POLICY: Final = "policy"
_ELSEWHERE: Final = frozenset(["TOOLWRIGHT_LOCAL_MODEL"])
"""Variables with our prefix that are not settings: who reads them is the room of the local model."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What one source says: values by their dotted names, and the place of each."""

    values: Mapping[str, Any] = {}
    places: Mapping[str, str] = {}
    policy: Mapping[str, Any] | None = None


def read_file(file: Path) -> Said:
    """Return what a file says; paths in it are relative to its folder.

    Raises:
        ConfigError: Something in it cannot be relied on.
    """
    values: dict[str, Any] = {}
    document = _document(file)
    policy: Any = document.pop(_POLICY, None)
    _read_table(document, "", file, values)
    if isinstance(policy, dict | None):
        return Said(values=values, places=dict.fromkeys(values, str(file)), policy=policy)  # pyright: ignore[reportUnknownArgumentType]
    raise ConfigError("must be a table: [policy]", code="wrong_value", path=f"{file}, {_POLICY}")


def read_environment(environment: Mapping[str, str], folder: Path) -> Said:
    """Return what the variables with our prefix say; paths are relative to a folder.

    Raises:
        ConfigError: A variable names no setting, or does not hold what it should.
    """
    values: dict[str, Any] = {}
    places: dict[str, str] = {}
    for variable, text in environment.items():
        if not variable.startswith(_PREFIX) or variable in _ELSEWHERE:
            continue
        key = VARIABLES.get(variable)
        if key is None:
            raise _unknown(variable, VARIABLES, variable, f"known are {_PREFIX}... of the keys in 'config show'")
        if text.strip():  # an empty variable says nothing, as is usual
            values[key.path] = _read_text(key, text, folder, variable)
            places[key.path] = variable
    return Said(values=values, places=places)


def read_options(options: Mapping[str, Any], folder: Path) -> Said:
    """Return what the options of a command say: values as TOML has them, by dotted names; None says nothing.

    Raises:
        ConfigError: A value is not what it should be.
    """
    given = {path: value for path, value in options.items() if value is not None}
    places = {path: f"--{path.rpartition('.')[2].replace('_', '-')}" for path in given}
    return Said(
        values={path: _read(KEYS[path], value, folder, places[path]) for path, value in given.items()}, places=places
    )


def _document(file: Path) -> dict[str, Any]:
    try:
        if file.exists() and not file.is_file():
            raise ConfigError("is not a file", code="unreadable", path=str(file))
        if file.stat().st_size > _LARGEST:
            raise ConfigError(f"is larger than {_LARGEST:,} bytes", code="unreadable", path=str(file))
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", code="unreadable", path=str(file)) from None
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        # "at line 3, column 7"; what stands before may quote the text
        problem = f"is not TOML: there is a fault {str(error).partition('(')[2].rstrip(')') or 'in it'}"
    except RecursionError:
        problem = "is nested too deeply to be read"
    raise ConfigError(problem, code="unreadable", path=str(file))  # outside the handlers: they hold the text


def _read_table(table: Mapping[str, Any], above: str, file: Path, values: dict[str, Any]) -> None:
    for name, value in table.items():
        path = f"{above}.{name}" if above else name
        place = f"{file}, {path}"
        if path in KEYS:
            values[path] = _read(KEYS[path], value, file.parent, place)
        elif path in GROUPS:
            if not isinstance(value, dict):
                raise ConfigError(f"must be a table: [{path}]", code="wrong_value", path=place)
            _read_table(value, path, file, values)  # pyright: ignore[reportUnknownArgumentType]
        else:
            raise _unknown_key(name, above, f"{file}, {_shown(path)}")


def _read(key: Key, value: Any, folder: Path, place: str) -> Any:
    try:
        return key.kind.read(value, folder)
    except ValueError:
        raise ConfigError(f"must be {key.kind.noun}", code="wrong_value", path=place) from None


def _read_text(key: Key, text: str, folder: Path, place: str) -> Any:
    try:
        value = key.kind.parse(text)
    except ValueError:
        raise ConfigError(f"must be {key.kind.noun}", code="wrong_value", path=place) from None
    return _read(key, value, folder, place)


def _unknown_key(name: str, above: str, place: str) -> ConfigError:
    """Name the nearest key: of the same table, or else the one that is called so in another."""
    start = f"{above}." if above else ""
    here = [path.removeprefix(start).partition(".")[0] for path in (*KEYS, _POLICY) if path.startswith(start)]
    siblings = list(dict.fromkeys(here))
    elsewhere = {path.rpartition(".")[2]: path for path in KEYS}
    if name in elsewhere:  # the right word in the wrong table
        return _unknown(elsewhere[name], KEYS, place, "")
    if get_close_matches(name, siblings, n=1, cutoff=0.5):
        return _unknown(name, siblings, place, "")
    near = get_close_matches(name, elsewhere, n=1, cutoff=0.6)
    return _unknown(elsewhere[near[0]] if near else name, KEYS, place, f"known are {', '.join(siblings)}")


def _unknown(name: str, known: Iterable[str], place: str, otherwise: str) -> ConfigError:
    near = get_close_matches(_shown(name), known, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else otherwise
    return ConfigError(f"is not a key that is known here; {hint}", code="unknown_key", path=place)


def _shown(name: str) -> str:
    return "".join(character if " " <= character <= "~" else "?" for character in name[:100])
