"""Policies in TOML: read strictly, and decisions that last written behind what a person wrote.

A file has a table ``policy`` with ``rules``, ``limits`` and ``repair``. Whatever cannot be relied on, an unknown key, a
broken glob, an example that does not do what it says, stops loading: no part of such a file holds.

A rule with a ``definition`` is a remembered decision. :class:`RuleFile` appends such rules and strikes them out again,
and never touches another line.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias

import msgspec

from toolwright.errors import PolicyError, UnknownWordError
from toolwright.execution.limits import Limits
from toolwright.execution.policy import Policy, Rule
from toolwright.execution.remembered import Lasts, Memory, Remembered
from toolwright.values import join_path

__all__ = ["RuleFile", "load_policy", "memory_of", "parse_policy", "read_policy", "to_toml"]

_POLICY_KEYS: Final = ("rules", "limits", "repair")
_LIMIT_KEYS: Final = Limits.__struct_fields__
_RULE_KEYS: Final = ("effect", "tool", "category", "tag", "risk", "when", "match", "not_match", "reason")
_REMEMBERED_KEYS: Final = (
    *("effect", "tool", "definition", "arguments", "risk", "origin", "reason", "id", "at", "expires_at"),
)
_REQUIRED: Final = ("effect", "tool", "id", "at")  # of a remembered decision
_LARGEST: Final = 1024 * 1024  # bytes of a file; thousands of rules

_Table: TypeAlias = Mapping[str, Any]


def load_policy(
    path: str | os.PathLike[str], *, lasts: Lasts | None = None, also: Collection[str] = (), missing_ok: bool = False
) -> Policy:
    """Return the policy that a TOML file describes.

    With ``lasts``, decisions that last as long (``project`` or ``always``) are read from the file and written to it.
    ``also`` names the tables of the file that are other people's business. Without any rules of a missing file, a
    policy asks from medium risk on, which is what ``missing_ok`` accepts.

    Raises:
        PolicyError: Something in it cannot be relied on; the text names the file and the place.
        OSError: It cannot be read.
    """
    file = Path(path)
    files: dict[Lasts, str] = {} if lasts is None else {lasts: str(file)}
    if missing_ok and not file.exists():
        return Policy(files=files)
    try:
        policy = parse_policy(_text_of(file), origin=file.name, lasts=lasts or "project", also=also)
    except PolicyError as error:
        raise PolicyError(error.problem, code=error.code, path=_within(file.name, error.path)) from None
    return msgspec.structs.replace(policy, files=files)


def parse_policy(text: str, *, origin: str = "policy", lasts: Lasts = "project", also: Collection[str] = ()) -> Policy:
    """Return the policy that the text of a TOML file describes; see :func:`load_policy`.

    Raises:
        PolicyError: Something in it cannot be relied on.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = (
            str(error).partition("(")[2].rstrip(")") or "in it"
        )  # "at line 3, column 7"; the rest may quote the text
        fault = PolicyError(f"is not TOML: there is a fault {place}", code="unreadable")
    except RecursionError:
        fault = PolicyError("is nested too deeply to be read", code="unreadable")
    else:
        _check_keys(document, ("policy", *also), "")
        return read_policy(document.get("policy", {}), origin=origin, lasts=lasts)
    raise fault  # outside the handlers, so that no context leads to what they quote


def read_policy(table: object, *, origin: str = "policy", lasts: Lasts = "project") -> Policy:
    """Return the policy that the table ``policy`` of a file describes.

    Raises:
        PolicyError: Something in it cannot be relied on.
    """
    policy = _table(table, "policy")
    _check_keys(policy, _POLICY_KEYS, "policy")
    rules: list[Rule] = []
    remembered: list[Remembered] = []
    for index, row in enumerate(_tables(policy.get("rules", []), "policy.rules")):
        place = join_path("policy.rules", index)
        if "definition" in row:
            remembered.append(_remembered(row, place, lasts))
        else:
            rules.append(_rule(row, place, f"{origin}, rule {index + 1}"))
    limits = _table(policy.get("limits", {}), "policy.limits")
    _check_keys(limits, _LIMIT_KEYS, "policy.limits")
    try:
        return Policy(tuple(rules), Limits(**limits), policy.get("repair", True), tuple(remembered))
    except PolicyError as error:
        inside = "policy" if error.path == "repair" else "policy.limits"
        raise PolicyError(error.problem, code=error.code, path=join_path(inside, error.path)) from None


def memory_of(policy: Policy) -> Memory:
    """Return a memory of what the files of a policy remember, which writes there what shall last."""
    return Memory(policy.remembered, keepers={lasts: RuleFile(path) for lasts, path in policy.files.items()})


def _rule(row: _Table, place: str, origin: str) -> Rule:
    _check_keys(row, _RULE_KEYS, place)
    if "effect" not in row:
        raise PolicyError("is missing: allow, ask or deny", code="invalid_rule", path=f"{place}.effect")
    try:
        return Rule(**row, origin=origin)
    except PolicyError as error:
        raise PolicyError(error.problem, code=error.code, path=_within(place, error.path)) from None


def _remembered(row: _Table, place: str, lasts: Lasts) -> Remembered:
    _check_keys(row, _REMEMBERED_KEYS, place)
    missing = next((key for key in _REQUIRED if key not in row), None)
    if missing is not None:
        raise PolicyError("is missing", code="invalid_rule", path=f"{place}.{missing}")
    for key, value in row.items():
        wanted = datetime if key in ("at", "expires_at") else str
        if not isinstance(value, wanted):
            kind = "a date with a time" if wanted is datetime else "text"
            raise PolicyError(f"must be {kind}", code="invalid_rule", path=f"{place}.{key}")
    try:
        return Remembered(**row, lasts=lasts)
    except (PolicyError, UnknownWordError) as error:
        path = error.path or ("risk" if isinstance(error, UnknownWordError) else "")
        raise PolicyError(error.problem, code="invalid_rule", path=_within(place, path)) from None


def _within(place: str, path: str) -> str:
    return f"{place}.{path}" if path else place


def _table(value: object, path: str) -> _Table:
    if not isinstance(value, Mapping):
        raise PolicyError("must be a table", code="invalid_rule", path=path)
    return value  # pyright: ignore[reportUnknownVariableType]


def _tables(value: object, path: str) -> Iterable[_Table]:
    if not isinstance(value, (list, tuple)):
        raise PolicyError("must be an array of tables: [[policy.rules]]", code="invalid_rule", path=path)
    return [_table(row, join_path(path, index)) for index, row in enumerate(value)]  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]


def _check_keys(table: _Table, known: Collection[str], path: str) -> None:
    for key in table:
        if key not in known:
            shown = "".join(character if " " <= character <= "~" else "?" for character in key[:64])
            near = get_close_matches(shown, known, n=1, cutoff=0.5)
            hint = f"; did you mean '{near[0]}'?" if near else f"; known are {', '.join(known)}"
            raise PolicyError(f"is not a key that is known here{hint}", code="unknown_key", path=join_path(path, shown))


def _text_of(file: Path) -> str:
    if file.stat().st_size > _LARGEST:
        raise PolicyError(f"is larger than {_LARGEST:,} bytes", code="unreadable")
    content = file.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    raise PolicyError("is not UTF-8", code="unreadable")


def to_toml(remembered: Remembered) -> str:
    """Return a decision as the rule that stands for it in a file: what a person should see before it is written."""
    fields: dict[str, object] = {key: getattr(remembered, key) for key in _REMEMBERED_KEYS}
    lines = (f"{key} = {_toml(value)}" for key, value in fields.items() if value not in (None, ""))
    return "\n".join(["[[policy.rules]]", *lines, ""])


def _toml(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    # A basic string of TOML is one of JSON, but for DEL, and halves of surrogate pairs, which it cannot express.
    text = str(value).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


class RuleFile:
    """A policy's file, as the keeper of decisions that last. Safe to share between threads.

    A decision is appended in one write, so that two programs can do so at once; before that, the whole is read as it
    will be, and nothing is written that would stop loading.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = Lock()

    def add(self, remembered: Remembered, /) -> None:
        """Write a decision behind what is there; the file and its folder are made where they are missing.

        Raises:
            PolicyError: The file is not one that could be read back.
            OSError: It cannot be written.
        """
        with self._lock:
            before = _text_of(self.path) if self.path.exists() else ""
            gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
            addition = gap + to_toml(remembered)
            ids = [each.id for each in _policy_in(before + addition).remembered]
            if remembered.id not in ids:
                raise PolicyError("cannot be added to", code="not_written", path=self.path.name)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
            try:
                content = addition.encode()
                if os.write(handle, content) != len(content):
                    raise PolicyError("was not written to the end", code="not_written", path=self.path.name)
                os.fsync(handle)
            finally:
                os.close(handle)

    def remove(self, id: str, /) -> bool:
        """Strike a decision out, and say whether it was there; all other lines stay as they are.

        Raises:
            PolicyError: It is not written as :meth:`add` writes it: strike it out by hand.
            OSError: The file cannot be written.
        """
        with self._lock:
            if not self.path.exists():
                return False
            before = _text_of(self.path)
            policy = _policy_in(before)
            if id not in [each.id for each in policy.remembered]:
                return False
            after = _without(before, id)
            left = _policy_in(after)
            if (left.limits, left.repair, len(left.rules)) != (policy.limits, policy.repair, len(policy.rules)) or [
                each for each in policy.remembered if each.id != id
            ] != list(left.remembered):
                raise PolicyError("must be edited by hand to strike this out", code="not_written", path=self.path.name)
            self._replace(after)
            return True

    def _replace(self, text: str) -> None:
        mode = self.path.stat().st_mode & 0o777
        handle, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).chmod(mode)
            Path(temporary).replace(self.path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise


def _policy_in(text: str) -> Policy:
    """Return the policy of a text in which other tables may stand as well."""
    try:
        others = [key for key in tomllib.loads(text) if key != "policy"]
    except (tomllib.TOMLDecodeError, RecursionError):
        others = []  # refused with its place, below
    return parse_policy(text, also=others)


def _without(text: str, id: str) -> str:
    """Return a text without the rule that has an id: from its header to the next one, or to an empty line."""
    lines = re.split(r"(?<=\n)", text)  # as TOML has lines: what else breaks one may stand in a text
    at = next((place for place, line in enumerate(lines) if line.strip() == f"id = {_toml(id)}"), None)
    if at is None:
        return text
    start = next((place for place in range(at, -1, -1) if lines[place].startswith("[")), at)
    end = next((place for place in range(at, len(lines)) if not lines[place].strip()), len(lines))
    end = next((place for place in range(at, end) if lines[place].startswith("[")), end)
    if start and not lines[start - 1].strip():
        start -= 1
    return "".join(lines[:start] + lines[end:])
