"""Changes of a registry, told to whoever wants to know: in order, to each, whatever the others do.

This module may not know what a registry is.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Final, Literal, TypeAlias

from toolwright.tools.base import Tool

__all__ = ["EventKind", "Feed", "RegistryEvent", "Subscriber"]

_log: Final = logging.getLogger("toolwright.registry")

EventKind: TypeAlias = Literal["added", "removed", "updated"]


@dataclass(frozen=True, slots=True)
class RegistryEvent:
    """One change of a registry. Of an ``updated`` one, ``tool`` is the new tool."""

    kind: EventKind
    tool: Tool
    at: datetime
    """When it happened, in UTC."""


Subscriber: TypeAlias = "Callable[[RegistryEvent], object]"


class _Subscription:
    __slots__ = ("active", "callback")

    def __init__(self, callback: Subscriber) -> None:
        self.callback = callback
        self.active = True


class Feed:
    """Takes events in and delivers them in the order in which they came.

    One thread delivers at a time. Who puts something in while another thread delivers, or from within a callback, does
    not wait: whoever delivers goes on with it. So a callback may change the registry, and never sees two changes in the
    wrong order.
    """

    def __init__(self) -> None:
        self._subscriptions: tuple[_Subscription, ...] = ()
        self._waiting: deque[tuple[RegistryEvent, tuple[_Subscription, ...]]] = deque()
        self._delivering = Lock()

    # The next two are called under the registry's lock: so the order of changes is the order of events, and a
    # subscriber hears of exactly the changes that come after it.

    def add(self, callback: Subscriber, lock: Lock) -> Callable[[], None]:
        """Take a subscriber in, and return what takes it out again, under the lock given."""
        subscription = _Subscription(callback)
        self._subscriptions = (*self._subscriptions, subscription)

        def unsubscribe() -> None:
            subscription.active = False
            with lock:
                self._subscriptions = tuple(other for other in self._subscriptions if other is not subscription)

        return unsubscribe

    def put(self, event: RegistryEvent) -> None:
        """Remember an event for those who are subscribed now."""
        if self._subscriptions:
            self._waiting.append((event, self._subscriptions))

    def deliver(self) -> None:
        """Deliver what is waiting, unless that is being done already. Called without any lock held."""
        # Looked at again after the lock is free: what came in between the last look and then would wait for ever.
        while self._waiting and self._delivering.acquire(blocking=False):
            try:
                while self._waiting:
                    event, subscriptions = self._waiting.popleft()
                    for subscription in subscriptions:
                        _tell(subscription, event)
            finally:
                self._delivering.release()


def _tell(subscription: _Subscription, event: RegistryEvent) -> None:
    if not subscription.active:
        return
    try:
        subscription.callback(event)
    except Exception as error:  # noqa: BLE001  (the subscriber's code: its fault must not reach the registry's caller)
        _log.warning(
            "a subscriber of the registry failed",
            extra={"event": "subscriber.failed", "kind": event.kind, "error": type(error).__name__},
        )
