"""What a call may bring along of its own, and the scope that comes of it.

This module may not know how a call is decided or run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypedDict

from toolwright.execution.stages import NO_METADATA, Scope
from toolwright.execution.steps.permit import checked_grants
from toolwright.registry import Availability
from toolwright.tools.context import ProgressListener
from toolwright.tools.services import NO_SERVICES, Services, ServiceSource
from toolwright.values import freeze_object

__all__ = ["CallOptions", "ScopeOptions", "scope_of", "seconds_of", "services_of"]


class ScopeOptions(TypedDict, total=False):
    """What a call may be given of its own, instead of what the executor has."""

    session: str | None
    workspace: str | os.PathLike[str] | None
    services: ServiceSource | Mapping[Any, Any] | None
    grants: Iterable[str] | None
    availability: Availability | None
    timeout: float | None
    progress: ProgressListener | None
    metadata: Mapping[str, Any] | None
    approved: bool


class CallOptions(ScopeOptions, total=False):
    """What one call may be given besides: its id and number, where it is an attempt at something begun before."""

    execution_id: str
    attempt: int


_KINDS: Final[Mapping[str, Any]] = {
    "session": str,
    "execution_id": str,
    "attempt": int,
    "availability": Availability,
    "progress": Callable,
}


def scope_of(own: Scope, options: Mapping[str, Any]) -> Scope:
    """Return a scope with what a caller has given instead.

    Raises:
        TypeError, ValueError, PolicyError: There is no such option, or it is not what it should be.
    """
    unknown = options.keys() - CallOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"there is no such option: {', '.join(sorted(unknown))}")
    for name, kind in _KINDS.items():
        given: object = options.get(name)
        if given is not None and not isinstance(given, kind):
            raise TypeError(f"{name}: must be {kind.__name__}, not {type(given).__name__}")
    grants, services, timeout = options.get("grants"), options.get("services"), options.get("timeout")
    workspace = options.get("workspace")
    folder = None if workspace is None else Path(os.path.abspath(workspace))  # noqa: PTH100  keeps its links
    availability = options.get("availability") or own.availability
    if availability is not None and folder is not None:
        availability = replace(availability, workspace=folder)
    metadata = options.get("metadata")
    return Scope(
        session=options.get("session"),
        workspace=folder,
        services=own.services if services is None else services_of(services),
        grants=own.grants if grants is None else checked_grants(grants),
        availability=availability,
        timeout=None if timeout is None else seconds_of(timeout, "timeout"),
        progress=options.get("progress"),
        metadata=NO_METADATA if metadata is None else freeze_object(metadata),
        approved=options.get("approved", False) is True,
    )


def services_of(given: ServiceSource | Mapping[Any, Any] | None) -> Services:
    """Return services, in whichever form they were given."""
    return given if isinstance(given, Services) else NO_SERVICES if given is None else Services(given)


def seconds_of(value: float, name: str) -> float:
    """Return a number of seconds.

    Raises:
        ValueError: It is not one, more than 0.
    """
    if not 0 < value < float("inf"):
        raise ValueError(f"{name}: a number of seconds, more than 0")
    return float(value)
