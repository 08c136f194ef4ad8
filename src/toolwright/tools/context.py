"""What a tool gets: its arguments, its workspace, its services, and a way to say how far it is.

A context is made anew for each call and is all that a tool knows of its surroundings. Who makes it, and whether the
call may run at all, is not known here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, overload

import msgspec

from toolwright.errors import PathOutsideWorkspaceError
from toolwright.messages.decoding import argument_as, fitted
from toolwright.tools.paths import StrPath, open_inside, resolve_inside
from toolwright.tools.progress import ToolProgress
from toolwright.tools.services import NO_SERVICES, Services
from toolwright.tools.threads import Threads, default_threads
from toolwright.values import JsonObject, freeze_object

if TYPE_CHECKING:
    from toolwright.messages import ToolCall

__all__ = ["Cancellation", "ProgressListener", "ToolContext"]

T = TypeVar("T")
D = TypeVar("D")

ProgressListener: TypeAlias = Callable[[ToolProgress], object]

_NOTHING: Final[JsonObject] = freeze_object({})


class Cancellation:
    """Whether a call was cancelled: set once, by whoever runs it, and looked at by tools that cannot be interrupted."""

    __slots__ = ("cancelled",)

    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        """Say that the call is no longer wanted."""
        self.cancelled = True


def _now() -> datetime:
    return datetime.now(UTC)


class ToolContext(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """What one call of a tool may use.

    ``call`` is what the model sent; ``arguments`` are those that hold: validated, with defaults, and as a reviewer
    changed them. ``checked`` says that whoever made this context has validated them, so that nobody does it again.
    ``attempt`` counts from 1. ``progress`` is called with each report.
    """

    execution_id: str
    call: ToolCall
    arguments: JsonObject
    session_id: str | None = None
    workspace: Path | None = None
    services: Services = NO_SERVICES
    approved: bool = False
    attempt: int = 1
    metadata: JsonObject = _NOTHING
    started_at: datetime = msgspec.field(default_factory=_now)
    checked: bool = False
    progress: ProgressListener | None = None
    cancellation: Cancellation = msgspec.field(default_factory=Cancellation)
    threads: Threads = msgspec.field(default_factory=default_threads)

    @property
    def tool_name(self) -> str:
        """The tool's name, as the model called it."""
        return self.call.name

    @property
    def cancelled(self) -> bool:
        """Whether the call is no longer wanted: for sync tools, which nothing interrupts, to look at now and then."""
        return self.cancellation.cancelled

    @property
    def log(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger whose records carry the ids of this call."""
        return _CallLog(
            logging.getLogger(f"toolwright.tool.{self.tool_name}"),
            {"execution_id": self.execution_id, "session_id": self.session_id, "tool_name": self.tool_name},
        )

    def has_argument(self, key: str) -> bool:
        """Say whether the argument is there: given, or filled in from its default."""
        return key in self.arguments

    @overload
    def get_argument(self, key: str, type: type[T], default: None = None) -> T | None: ...

    @overload
    def get_argument(self, key: str, type: type[T], default: D) -> T | D: ...

    def get_argument(self, key: str, type: type[T], default: D | None = None) -> T | D | None:
        """Return one argument as ``type``, or ``default`` where there is none.

        Raises:
            InvalidMessageError: It is there and does not fit (``argument_mismatch``).
        """
        return argument_as(self.arguments, key, type, default)

    def arguments_as(self, type: type[T]) -> T:
        """Return all arguments as a dataclass, msgspec Struct, TypedDict, attrs or pydantic class.

        Raises:
            InvalidMessageError: They do not fit (``argument_mismatch``).
        """
        return fitted(self.arguments, type, "arguments")

    def resolve(self, path: StrPath) -> Path:
        """Return where a path leads: absolute, symlinks followed, inside the workspace. It need not exist.

        Raises:
            PathOutsideWorkspaceError: It leads out, or there is no workspace.
        """
        return resolve_inside(self.workspace, path)

    def contains(self, path: StrPath) -> bool:
        """Say whether a path leads into the workspace."""
        try:
            resolve_inside(self.workspace, path)
        except PathOutsideWorkspaceError:
            return False
        return True

    def open(
        self,
        path: StrPath,
        mode: str = "r",
        *,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        buffering: int = -1,
    ) -> IO[Any]:
        """Open a file beneath the workspace; a path that is swapped for a link in this moment is refused as well.

        Text is UTF-8 unless ``encoding`` says otherwise. Folders are not made.

        Raises:
            PathOutsideWorkspaceError: It leads out, there is no workspace, or it names a pipe, a device or a socket.
            OSError: As the built-in ``open``.
        """
        return open_inside(
            self.workspace, path, mode, encoding=encoding, errors=errors, newline=newline, buffering=buffering
        )

    def report(
        self,
        message: str,
        percent: float | None = None,
        operation: str | None = None,
        items: int | None = None,
        total: int | None = None,
        remaining: float | None = None,
    ) -> None:
        """Say how far the call has come. Costs nothing when nobody listens."""
        if self.progress is not None:
            self.progress(ToolProgress(message, percent, operation, items, total, remaining))

    def __repr__(self) -> str:
        return f"ToolContext(tool_name={self.tool_name!r}, execution_id={self.execution_id!r}, attempt={self.attempt})"


class _CallLog(logging.LoggerAdapter[logging.Logger]):
    """Adds the ids of the call to what the tool says itself."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        own: Mapping[str, Any] = kwargs.get("extra") or {}
        kwargs["extra"] = {**own, **(self.extra or {})}
        return msg, kwargs
