"""Progress of a running tool, from whatever thread it comes, to whoever wants to see it.

What comes after the call has ended is not told: it would stand behind the last event.
"""

from __future__ import annotations

import logging
import threading
from typing import Final

from toolwright.execution.clock import Clock
from toolwright.execution.events import Events, ExecutionProgress
from toolwright.execution.running import Running, is_no_failure
from toolwright.tools.context import ProgressListener
from toolwright.tools.progress import ToolProgress

__all__ = ["Reports"]

_log: Final = logging.getLogger("toolwright.execution")


class Reports:
    """Takes the progress of one call; is called by its tool."""

    __slots__ = ("_clock", "_events", "_listener", "_running", "_thread", "_tool_name")

    def __init__(
        self, running: Running, tool_name: str, listener: ProgressListener | None, events: Events, clock: Clock
    ) -> None:
        self._running = running
        self._thread = threading.get_ident()
        self._tool_name = tool_name
        self._listener = listener
        self._events = events
        self._clock = clock

    def __call__(self, progress: ToolProgress) -> None:
        """Tell of progress, from whatever thread."""
        loop = self._running.loop
        if loop is None or threading.get_ident() == self._thread:
            self._tell(progress)
            return
        try:
            # In the loop all is in order: what a thread reports before it returns comes before its result.
            loop.call_soon_threadsafe(self._tell, progress)
        except RuntimeError:  # the loop is closed, and nobody hears anything any more
            return

    def _tell(self, progress: ToolProgress) -> None:
        if self._running.settled:
            return
        if self._events.heard:
            self._events.emit(
                ExecutionProgress(
                    at=self._clock.now(),
                    tool_name=self._tool_name,
                    execution_id=self._running.execution_id,
                    progress=progress,
                )
            )
        if self._listener is not None:
            try:
                self._listener(progress)
            except BaseException as error:
                if is_no_failure(error):
                    raise
                facts = {"event": "subscriber.failed", "kind": "progress", "error": type(error).__name__}
                _log.warning("the listener to progress failed", extra=facts)
