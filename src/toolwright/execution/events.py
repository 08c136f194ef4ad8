"""What happens, told to whoever listens: typed, immutable, in order for one execution.

Every subscriber has a queue of its own, with a bound, and is served from it apart from what is told: sync callbacks in
a thread, async ones in a task, ``listen()`` in the loop of whoever iterates. So one that is slow, stuck or broken
neither slows nor fails an execution. When a queue is full, progress is dropped first, and drops are counted.

Where nobody has subscribed, telling costs a look. This module may not know how a call is run.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from datetime import datetime
from inspect import iscoroutinefunction
from typing import Any, Final, Self, TypeAlias

import msgspec

from toolwright.execution.execution import Execution
from toolwright.execution.reviewers import Decision, ReviewRequest
from toolwright.execution.running import is_no_failure
from toolwright.levels import ToolCategory
from toolwright.tools.progress import ToolProgress

__all__ = [
    "ApprovalDecided",
    "ApprovalRequested",
    "DefinitionCreated",
    "DefinitionDeleted",
    "DefinitionUpdated",
    "DefinitionValidated",
    "Event",
    "Events",
    "ExecutionCompleted",
    "ExecutionProgress",
    "ExecutionStarted",
    "Listening",
    "Subscriber",
]

_log: Final = logging.getLogger("toolwright.events")

_LIMIT: Final = 1_000  # events that a subscriber may be behind
_IDLE_SECONDS: Final = 5.0  # after which a subscriber's thread ends; the next event starts another


class Event(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Something that happened, and when; of which tool it is told."""

    at: datetime
    tool_name: str


class _OfExecution(Event, frozen=True, kw_only=True, eq=False):
    execution_id: str


class ExecutionStarted(_OfExecution, frozen=True, kw_only=True, eq=False):
    """A call has been let through, and its tool is run now."""


class ExecutionProgress(_OfExecution, frozen=True, kw_only=True, eq=False):
    """A running tool says how far it is."""

    progress: ToolProgress


class ApprovalRequested(_OfExecution, frozen=True, kw_only=True, eq=False):
    """Somebody is asked whether a call may run."""

    request: ReviewRequest


class ApprovalDecided(_OfExecution, frozen=True, kw_only=True, eq=False):
    """It was decided whether a call may run; what does not count as an answer is told as the denial that it is."""

    decision: Decision


class ExecutionCompleted(_OfExecution, frozen=True, kw_only=True, eq=False):
    """A call has been answered: the last event of each, and the only one of those that were refused unasked."""

    execution: Execution


class DefinitionValidated(Event, frozen=True, kw_only=True, eq=False):
    """A definition was checked; ``duration`` is in seconds."""

    category: ToolCategory
    parameter_count: int
    duration: float


class _OfDefinition(Event, frozen=True, kw_only=True, eq=False):
    definition_id: str
    by: str | None = None


class DefinitionCreated(_OfDefinition, frozen=True, kw_only=True, eq=False):
    """A definition was stored."""

    category: ToolCategory


class DefinitionUpdated(_OfDefinition, frozen=True, kw_only=True, eq=False):
    """A stored definition was changed."""

    changed_fields: tuple[str, ...]


class DefinitionDeleted(_OfDefinition, frozen=True, kw_only=True, eq=False):
    """A stored definition was removed."""


Subscriber: TypeAlias = Callable[[Any], object]


class Events:
    """The events of one source. Safe to share between threads and loops."""

    def __init__(self) -> None:
        self._mailboxes: tuple[_Mailbox, ...] = ()
        self._dropped = 0
        # Held while the subscribers change, and for nothing else.
        self._lock = threading.Lock()

    @property
    def heard(self) -> bool:
        """Whether anybody listens: an event that nobody would hear need not be made."""
        return bool(self._mailboxes)

    @property
    def dropped(self) -> int:
        """How many events were dropped because a subscriber was too far behind, those who have left included."""
        return self._dropped + sum(mailbox.dropped for mailbox in self._mailboxes)

    def emit(self, event: Event) -> None:
        """Tell of an event. Never waits, and never raises for what a subscriber does."""
        for mailbox in self._mailboxes:
            mailbox.put(event)

    def subscribe(self, callback: Subscriber, *, limit: int = _LIMIT) -> Callable[[], None]:
        """Call back for every event from now on; the function that is returned ends that.

        A sync callback is called in a thread, an async one in the running loop (without one, in that of the first
        event), one event after the other. What it raises is logged.
        """
        is_async = iscoroutinefunction(callback) or iscoroutinefunction(getattr(callback, "__call__", None))  # noqa: B004
        mailbox = _AsyncCallback(callback, limit) if is_async else _SyncCallback(callback, limit)
        return self._add(mailbox)

    def listen(self, *, limit: int = _LIMIT) -> Listening:
        """Return the events from now on, to iterate with ``async for`` in the running loop.

        Leaving the loop ends it; ``async with`` says when.

        Raises:
            RuntimeError: There is no running loop.
        """
        inbox = _Inbox(limit)
        return Listening(inbox, self._add(inbox))

    def _add(self, mailbox: _Mailbox) -> Callable[[], None]:
        with self._lock:
            self._mailboxes = (*self._mailboxes, mailbox)

        def remove() -> None:
            with self._lock:
                kept = tuple(other for other in self._mailboxes if other is not mailbox)
                if len(kept) < len(self._mailboxes):
                    self._mailboxes = kept
                    self._dropped += mailbox.dropped
            mailbox.close()

        return remove


class _Mailbox(ABC):
    """What one subscriber has still to hear."""

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise ValueError("limit: must be 1 or more")
        self.dropped = 0
        self.closed = False
        self._limit = limit
        self._events: deque[Event] = deque()
        self._progress = 0  # how many of them are progress
        self._served = False
        # Held while the queue changes; the subscriber is never called under it.
        self._lock = threading.Lock()

    def put(self, event: Event) -> None:
        """Put an event in, and see to it that the subscriber is served."""
        is_progress = event.__class__ is ExecutionProgress
        with self._lock:
            if self.closed or (len(self._events) >= self._limit and not self._make_room(is_progress=is_progress)):
                return
            self._events.append(event)
            self._progress += is_progress
            idle, self._served = not self._served, True
        if idle:
            self.serve()

    def _make_room(self, *, is_progress: bool) -> bool:
        """Drop something, and say whether there is room now."""
        self.dropped += 1
        if is_progress:
            return False
        if self._progress:
            place = next(place for place, event in enumerate(self._events) if event.__class__ is ExecutionProgress)
            del self._events[place]
            self._progress -= 1
        else:
            self._events.popleft()
        return True

    def take(self) -> Event | None:
        """Take the oldest event out; where there is none, the subscriber is not served any more until one comes."""
        with self._lock:
            if self._events:
                event = self._events.popleft()
                self._progress -= event.__class__ is ExecutionProgress
                return event
            self._served = False
            return None

    def close(self) -> None:
        """Forget what was not heard; nothing comes any more."""
        with self._lock:
            self.closed = True
            self._events.clear()
            self._progress = 0

    @abstractmethod
    def serve(self) -> None:
        """Begin to hand events over, until there are none."""


class _SyncCallback(_Mailbox):
    """Serves in a thread of its own, which ends when there is nothing to do for a while."""

    def __init__(self, callback: Callable[[Event], object], limit: int) -> None:
        super().__init__(limit)
        self._callback = callback
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def serve(self) -> None:
        with self._lock:
            self._wake.set()
            if self._thread is None or not self._thread.is_alive():  # after a fork, it is not there
                self._thread = threading.Thread(target=self._run, name="toolwright-events", daemon=True)
                self._thread.start()

    def close(self) -> None:
        super().close()
        self._wake.set()

    def _run(self) -> None:
        while not self.closed:
            while (event := self.take()) is not None:
                _tell(self._callback, event)
                del event
            if not self._wake.wait(_IDLE_SECONDS):
                with self._lock:
                    if not self._wake.is_set():  # nothing came in between
                        self._thread = None
                        return
            self._wake.clear()


class _AsyncCallback(_Mailbox):
    """Serves in a task of the loop in which it subscribed."""

    def __init__(self, callback: Callable[[Event], Any], limit: int) -> None:
        super().__init__(limit)
        self._callback = callback
        self._loop = _running_loop()
        self._task: asyncio.Task[None] | None = None

    def serve(self) -> None:
        if self._loop is None or self._loop.is_closed():
            self._loop = _running_loop()
        if self._loop is None or not _call(self._loop, self._start):
            with self._lock:
                self._served = False  # there is no loop to serve in; the next event tries again

    def close(self) -> None:
        super().close()
        if self._loop is not None and not self._is_current():
            _call(self._loop, self._stop)

    def _start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._drain())

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _is_current(self) -> bool:
        """Whether the callback itself is what runs here: it may go on to its end."""
        return self._loop is _running_loop() and asyncio.current_task() is self._task

    async def _drain(self) -> None:
        while (event := self.take()) is not None:
            try:
                await self._callback(event)
            except asyncio.CancelledError:
                with self._lock:
                    self._served = False  # its loop is ending; another one may serve
                raise
            except BaseException as error:
                if is_no_failure(error):
                    raise
                _note_failure(event, error)


class _Inbox(_Mailbox):
    """Serves whoever iterates."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._loop = asyncio.get_running_loop()
        self._arrived = asyncio.Event()

    def serve(self) -> None:
        _call(self._loop, self._arrived.set)

    def close(self) -> None:
        super().close()
        _call(self._loop, self._arrived.set)

    async def next(self) -> Event:
        while True:
            self._arrived.clear()
            event = self.take()
            if event is not None:
                return event
            if self.closed:
                raise StopAsyncIteration
            await self._arrived.wait()


class Listening:
    """Events as they come, for ``async for``; made by :meth:`Events.listen`."""

    def __init__(self, inbox: _Inbox, remove: Callable[[], None]) -> None:
        self._inbox = inbox
        self._remove = remove

    @property
    def dropped(self) -> int:
        """How many events were dropped because this was too far behind."""
        return self._inbox.dropped

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await self._inbox.next()

    def heard(self) -> list[Any]:
        """Return the events that have come and were not iterated over yet, without waiting for more."""
        return list(iter(self._inbox.take, None))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Hear no more: whoever iterates comes to the end."""
        self._remove()

    def __del__(self) -> None:
        self._remove()  # left behind by a `break`


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> bool:
    """Call back in a loop, and say whether it is still there."""
    try:
        if loop is _running_loop():
            loop.call_soon(callback)  # without the system call that wakes a loop in another thread
        else:
            loop.call_soon_threadsafe(callback)
    except RuntimeError:
        return False
    return True


def _tell(callback: Callable[[Event], object], event: Event) -> None:
    try:
        callback(event)
    except BaseException as error:  # noqa: BLE001  the subscriber's own code, in a thread that nobody interrupts
        _note_failure(event, error)


def _note_failure(event: Event, error: BaseException) -> None:
    facts = {"event": "subscriber.failed", "kind": type(event).__name__, "error": type(error).__name__}
    _log.warning("a subscriber of events failed", extra=facts)
