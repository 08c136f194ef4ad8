"""What is told of each question to a model: a log, a span, and the metrics that the GenAI conventions name.

Names and numbers, never content. This module may not know a message or a format.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, final

from toolwright.errors import LLMError
from toolwright.telemetry import telemetry

if TYPE_CHECKING:
    from toolwright.providers.transport import Address, Clock
    from toolwright.providers.types import ChatOptions, ChatResponse

__all__ = ["Watch", "watched"]

_log: Final = logging.getLogger("toolwright.providers")

_ASKED: Final[Mapping[str, str]] = {
    "temperature": "gen_ai.request.temperature",
    "max_tokens": "gen_ai.request.max_tokens",
}


@final
class Watch:
    """One question, from its sending to its answer."""

    def __init__(self, system: str, model: str, address: Address, options: ChatOptions) -> None:
        self.response: ChatResponse | None = None
        self.name = f"chat {model}"
        self.asked: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": system,
            "gen_ai.request.model": model,
            "server.address": address.host,
            "server.port": address.port,
        }
        said: Mapping[str, Any] = options
        self._details: dict[str, Any] = {word: said[key] for key, word in _ASKED.items() if said.get(key) is not None}

    @property
    def span_attributes(self) -> dict[str, Any]:
        """What is known before there is an answer."""
        return {**self.asked, **self._details}

    def measured(self, error: str | None) -> dict[str, Any]:
        """Return what the metrics are counted by."""
        found = dict(self.asked)
        if self.response is not None and self.response.model is not None:
            found["gen_ai.response.model"] = self.response.model
        if error is not None:
            found["error.type"] = error
        return found

    def found(self, error: str | None) -> dict[str, Any]:
        """Return what is known of the answer in the end."""
        found = self.measured(error)
        if self.response is not None:
            usage = self.response.usage
            counts = {
                "gen_ai.usage.input_tokens": usage.input_tokens,
                "gen_ai.usage.output_tokens": usage.output_tokens,
                "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
            }
            found |= {word: number for word, number in counts.items() if number is not None}
            found["gen_ai.response.finish_reasons"] = [self.response.finish_reason]
        return found


@contextmanager
def watched(watch: Watch, clock: Clock, facts: Mapping[str, Any], *, current: bool) -> Generator[None]:
    """Tell of a question while it is asked; ``current`` says that what happens meanwhile belongs to it.

    A reader that stops early is no error.
    """
    door = telemetry()
    span = door.span(watch.name, watch.span_attributes, client=True, current=current) if door else None
    _log.info("a model is asked", extra={"event": "provider.request", **facts})
    start = clock.monotonic()
    error: str | None = None
    try:
        yield
    except LLMError as failed:
        error = failed.code
        told = {"code": failed.code, "status": failed.status, "request_id": failed.request_id}
        _log.warning("a model gave no answer", extra={"event": "provider.error", **facts, **told})
        raise
    except GeneratorExit:
        raise
    except BaseException as failed:
        error = type(failed).__qualname__
        raise
    finally:
        seconds = clock.monotonic() - start
        if door is not None:
            usage = watch.response.usage if watch.response is not None else None
            tokens = {"input": usage.input_tokens, "output": usage.output_tokens} if usage else {}
            door.model_asked(seconds, tokens, watch.measured(error))
        if span is not None:
            span.close(watch.found(error))
        if watch.response is not None:
            _log.info("a model answered", extra={"event": "provider.answer", "duration": round(seconds, 3), **facts})
