"""Calls on their way: what stops them, and what happens to those that will not stop.

A tool runs in the task of its caller, so that whatever it uses of asyncio sees the task that it should see. It is
driven by :func:`drive`, which costs no timer and no task as long as the tool never waits. When it does, its deadline is
set; when that is over the task is cancelled, the tool gets the ``CancelledError`` at its await, and has a grace period
to come to an end. What then still goes on is closed, and no longer driven: its work has ended, and its caller gets an
answer.

This module knows coroutines and tasks, and nothing of tools.
"""

from __future__ import annotations

import asyncio
import logging
import types
from asyncio import CancelledError
from collections.abc import Coroutine, Generator
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeVar, cast
from weakref import proxy

from toolwright.execution.groups import forgetful_groups

__all__ = ["GRACE", "PATIENCE", "Overdue", "Running", "drive", "is_no_failure"]

T = TypeVar("T")

_log: Final = logging.getLogger("toolwright.execution")

GRACE: Final = 0.25
"""Seconds that a tool has to come to an end, once its deadline is over or its call was cancelled by us."""

PATIENCE: Final = 2.0
"""Seconds that a tool has after a cancellation from elsewhere.

More than the grace period: from outside nobody can tell the caller's ``cancel()`` from one that the tool's own
``asyncio.timeout`` or ``TaskGroup`` sent, which it may take a while to clean up after."""

_CLOSINGS: Final = 3  # how often a coroutine is told to end that ignores it


class Overdue(Exception):  # noqa: N818  a signal inside this room
    """The deadline is over, and what was driven has ended or is no longer driven."""


def is_no_failure(error: BaseException) -> bool:
    """Say whether an exception goes through whatever catches those of other people's code, and is not taken for theirs.

    So it is where the user or the loop wants to end. ``SystemExit``, and what libraries derive from ``BaseException``
    for purposes of their own, are failures of whoever raised them.
    """
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return group.subgroup(KeyboardInterrupt) is not None
    return isinstance(error, (KeyboardInterrupt, GeneratorExit, CancelledError))


class Running:
    """One call on its way.

    It belongs to the task in which it first waits, which it then knows (:meth:`attach`): until that happens nothing can
    interrupt it, and nothing need be known. ``stopped`` says that somebody ended it with :meth:`stop`; after
    :meth:`settle` nobody can any more.
    """

    # What is so until it waits, or somebody wants it ended: shared by all, as most calls never do.
    stopped = False
    settled = False
    _wanted = False
    words: tuple[Any, ...] = ()  # of whoever cancelled it, by which they know their own cancellation again
    _task: asyncio.Task[Any] | None = None

    def __init__(self, execution_id: str, session: str | None) -> None:
        self.execution_id = execution_id
        self.session = session

    def attach(self) -> asyncio.AbstractEventLoop:
        """Get to know the task that is about to wait, and return its loop.

        Raises:
            RuntimeError: There is no task.
        """
        if self._task is None:
            task = asyncio.current_task()
            if task is None:
                raise RuntimeError("a call is executed in a task: await it inside one, or use execute_sync")
            self._before = task.cancelling()
            self._ours = 0
            self._loop = task.get_loop()
            # In this order: whoever stops it from another thread does it the other way round, and one sees the other.
            # Whoever knows this call does not keep its task alive: one whose loop was closed in the middle is let go.
            self._task = proxy(task)
            if self._wanted:
                self._loop.call_soon(self._stop)
        return self._loop

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop in which it waits, or has waited."""
        return None if self._task is None else self._loop

    @property
    def cancelled_elsewhere(self) -> bool:
        """Whether somebody else has cancelled the task since."""
        return self._task is not None and self._task.cancelling() - self._ours > self._before

    @property
    def interrupted(self) -> bool:
        """Whether it was ended, or its task cancelled: else a ``CancelledError`` is somebody's own."""
        return self.stopped or self.cancelled_elsewhere

    @property
    def cancelled(self) -> bool:
        """Whether the task is being cancelled, by whomever: what takes its own cancellation back is not."""
        return self._task is not None and self._task.cancelling() > self._before

    def stop(self) -> bool:
        """End the call, from any thread, and say whether that may still come in time.

        Its task is cancelled when it next waits, never in the middle of what it does.
        """
        if self.settled:
            return False
        self._wanted = True
        if self._task is not None:
            try:
                self._loop.call_soon_threadsafe(self._stop)
            except RuntimeError:  # its loop is closed, and it with it
                return False
        return True

    def _stop(self) -> None:
        if not self.settled and not self.stopped:
            self.stopped = True
            self.interrupt()

    def interrupt(self) -> None:
        """Cancel the task on our own account. Only while it waits: called by the loop."""
        if self._task is not None:
            self._ours += 1
            self._task.cancel()

    def uncancel(self) -> None:
        """Take one cancellation back on behalf of whoever has forgotten it."""
        if self._task is not None:
            self._task.uncancel()

    def calm(self) -> None:
        """Take back the cancellations that were ours, once they have been noticed."""
        if self._task is not None:
            while self._ours:
                self._ours -= 1
                self._task.uncancel()

    def settle(self) -> None:
        """Decide that nothing ends this call any more."""
        self.settled = True
        if self._task is not None:
            with suppress(ReferenceError):  # its loop was closed in the middle
                self.calm()


@types.coroutine
def drive(running: Running, coroutine: Coroutine[Any, Any, T], seconds: float | None) -> Generator[Any, Any, T]:
    """Await a coroutine in the current task, for at most so many seconds of its waiting, and return what it returns.

    Raises:
        Overdue: The time is over. The coroutine has ended, or has been closed and is not driven any more.
        CancelledError: The task was cancelled, by somebody else or by ``running.stop()``. Likewise.
        BaseException: Whatever the coroutine raises; a ``RuntimeError`` for a ``GeneratorExit`` of its own, which would
            look as if the loop had gone.
    """
    started = monotonic()
    try:
        awaited = coroutine.send(None)
    except StopIteration as stop:
        value: T = stop.value
        return value
    except GeneratorExit as error:
        raise _own_exit() from error
    left = None if seconds is None else max(0.0, seconds - (monotonic() - started))
    return (yield from _Watch(running, left).follow(coroutine, awaited))


class _Watch:
    """A coroutine that waits for something, and what is to happen if it does so for too long."""

    __slots__ = ("_abandoned", "_expired", "_forgetful", "_grace", "_interrupted", "_loop", "_running", "_timer")

    def __init__(self, running: Running, seconds: float | None) -> None:
        self._running = running
        self._loop = running.attach()
        self._timer = None if seconds is None else self._loop.call_later(seconds, self._expire)
        self._grace: asyncio.TimerHandle | None = None
        self._interrupted = False
        self._expired = False
        self._abandoned = False
        self._forgetful: list[asyncio.TaskGroup] = []

    def follow(self, coroutine: Coroutine[Any, Any, T], awaited: Any) -> Generator[Any, Any, T]:
        try:
            value = yield from self._relay(coroutine, awaited)
        except (GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException:
            self._judge()
            raise
        finally:
            for timer in (self._timer, self._grace):
                if timer is not None:
                    timer.cancel()
        self._judge()  # one that takes no notice of being interrupted, and returns something, was interrupted too
        return value

    def _judge(self) -> None:
        running = self._running
        if not self._interrupted:
            return
        if running.interrupted:
            raise CancelledError(*running.words) from None
        if self._expired:
            running.calm()
            raise Overdue from None

    def _relay(self, coroutine: Coroutine[Any, Any, T], awaited: Any) -> Generator[Any, Any, T]:
        """Hand on what the coroutine awaits, and to the coroutine what comes of it, until it ends or is given up."""
        sent: Any = None
        gone = False
        try:
            while True:
                thrown: BaseException | None = None
                try:
                    sent = yield awaited
                except GeneratorExit:  # the loop has gone
                    gone = True
                    coroutine.close()
                    raise
                except BaseException as error:  # noqa: BLE001  the coroutine gets it
                    thrown = error
                if thrown is None:
                    awaited = coroutine.send(sent)
                    continue
                if self._abandoned:
                    _close(coroutine)
                    raise thrown
                if isinstance(thrown, CancelledError):
                    self._remind_groups(coroutine)
                    self._notice(thrown)
                awaited = coroutine.throw(thrown)
        except StopIteration as stop:
            value: T = stop.value
            return value
        except GeneratorExit as error:
            if gone:
                raise
            raise _own_exit() from error
        finally:
            thrown = sent = None  # which would otherwise hold their own traceback

    def _remind_groups(self, coroutine: Coroutine[Any, Any, object]) -> None:
        """Take back what a task group of the tool has cancelled and will forget to take back."""
        for group in forgetful_groups(coroutine):
            if group not in self._forgetful:  # each does so once
                self._forgetful.append(group)
                self._running.uncancel()

    def _expire(self) -> None:
        self._expired = True
        self._running.interrupt()

    def _notice(self, cancellation: CancelledError) -> None:
        """See who has interrupted the coroutine, and how long it may take to come to an end."""
        self._interrupted = True
        self._running.words = cancellation.args or self._running.words
        if self._grace is not None:
            self._grace.cancel()
        if self._expired or self._running.stopped:
            self._grace = self._loop.call_later(GRACE, self._abandon)
        elif self._running.cancelled:
            self._grace = self._loop.call_later(PATIENCE, self._lose_patience)

    def _lose_patience(self) -> None:
        if self._running.cancelled:
            self._abandon()

    def _abandon(self) -> None:
        self._abandoned = True
        self._running.interrupt()


def _own_exit() -> RuntimeError:
    return RuntimeError("it raised GeneratorExit, which is for whoever ends a coroutine from outside")


def _close(coroutine: Coroutine[Any, Any, object]) -> None:
    """End a coroutine that does not want to. What it does on its way out cannot wait for anything."""
    for _ in range(_CLOSINGS):
        try:
            coroutine.close()
        except RuntimeError:  # it waits for something again
            continue
        except (Exception, CancelledError) as error:  # noqa: BLE001  the tool's own code, on its way out
            _log.warning(
                "a tool failed while it was ended", extra={"event": "tool.abandoned", "error": type(error).__name__}
            )
        return
    _log.warning("a tool cannot be ended: it is left alone", extra={"event": "tool.abandoned"})
