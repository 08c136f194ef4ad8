"""The stages of a call: each step takes one and makes the next.

``Located`` -> ``Checked`` -> ``Placed`` -> ``Permitted`` -> ``Approved``. Only the last can be run, and it is made in
one place, ``steps/approve.py``: handing over an earlier stage is a type error. The tool travels inside, so that no
later step looks it up again and finds another one.

These are values. What is decided about them is not known here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from toolwright.messages import ToolCall
from toolwright.schema import ValidationIssue
from toolwright.tools.context import ProgressListener
from toolwright.tools.outcome import ToolOutcome
from toolwright.tools.services import NO_SERVICES, Services
from toolwright.values import JsonObject, freeze_object

if TYPE_CHECKING:
    from toolwright.execution.known import KnownTool
    from toolwright.execution.limits import Reservation
    from toolwright.execution.verdict import Verdict
    from toolwright.levels import RiskLevel
    from toolwright.registry import Availability

__all__ = ["NO_METADATA", "Approved", "Checked", "Located", "Permitted", "Placed", "Refused", "Scope"]

NO_METADATA: Final[JsonObject] = freeze_object({})
"""What a call has where nothing was said about it."""


class Scope(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Within what a call is made: what its caller may do, sees and lends.

    ``approved`` means that a person has approved this very call already.
    """

    session: str | None = None
    workspace: Path | None = None
    services: Services = NO_SERVICES
    grants: tuple[str, ...] = ()
    availability: Availability | None = None
    timeout: float | None = None
    progress: ProgressListener | None = None
    metadata: JsonObject = NO_METADATA
    approved: bool = False


class Located(msgspec.Struct, frozen=True, eq=False):
    """A call and the tool that it names."""

    call: ToolCall
    known: KnownTool
    scope: Scope


class Checked(msgspec.Struct, frozen=True, eq=False):
    """A call whose arguments are valid: repaired where that was allowed, defaults filled in."""

    located: Located
    arguments: JsonObject
    warnings: tuple[ValidationIssue, ...] = ()


_NO_PATHS: Final[frozenset[str]] = frozenset()


class Placed(msgspec.Struct, frozen=True, eq=False):
    """A call whose paths lie in the workspace.

    ``resolved`` are the arguments with every path absolute, for whoever decides by them; the tool gets them as they
    were given. ``paths`` names the arguments that are paths, or hold some.
    """

    checked: Checked
    resolved: JsonObject
    paths: frozenset[str] = _NO_PATHS


class Permitted(msgspec.Struct, frozen=True, eq=False):
    """A call that may be run, or may be run if somebody says so; the verdict tells which, and why.

    ``risk`` is the effective one. ``reservation`` is its place under the limits, to be given back if it does not run.
    """

    placed: Placed
    verdict: Verdict
    risk: RiskLevel
    reservation: Reservation


class Approved(msgspec.Struct, frozen=True, eq=False):
    """A call that may be run, and who said so: ``policy``, ``caller``, or the name of whoever decided."""

    permitted: Permitted
    by: str


class Refused(Exception):  # noqa: N818  a signal inside this room, raised by steps and caught once, in the executor
    """A step refuses the call; the outcome says why."""

    def __init__(self, outcome: ToolOutcome) -> None:
        super().__init__()
        self.outcome = outcome
