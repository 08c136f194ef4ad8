"""A model behind an HTTP API, whatever its format: a codec, an endpoint and a transport, put together.

Nothing of any format stands here, and nothing of connections; what is here is the order of things: a question is
written, sent, read, and its failure raised.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any, Final, Self, Unpack, cast, final

from toolwright.errors import LLMError
from toolwright.messages import ChatMessage
from toolwright.providers.asking import OFF, Question, question
from toolwright.providers.base import ProviderBase
from toolwright.providers.endpoints import ENDPOINTS, codec_for
from toolwright.providers.models import ListedModel, read_models, usual_model
from toolwright.providers.quoting import without_quotes
from toolwright.providers.transport import Exchange, Request, Transport
from toolwright.providers.types import ChatOptions, ChatResponse, Completed, Failure, StreamEvent, ToolMode
from toolwright.providers.watching import Watch, watched

if TYPE_CHECKING:
    from toolwright.tools.definition import ToolDefinition

__all__ = ["HttpProvider"]

_TIMEOUT: Final = 600.0  # seconds: models that think may be silent for minutes
_LISTING_TIMEOUT: Final = 20.0
_AGENT: Final = "toolwright"
_NO_OPTIONS: Final[Mapping[str, str]] = {}


@final
class HttpProvider(ProviderBase):
    """A model that is asked over HTTP.

    Connections are opened when they are needed, shared with other providers of the same server, and closed with the
    event loop at the latest; ``async with`` closes them earlier.

    Args:
        codec: The format that the server speaks: one of ``CODECS``.
        model: The model's name there; without one, the newest of the server's own list, where answers are paid for a
            small one.
        base_url: Where the API is.
        api_key: The key, or what returns it; it is asked before every attempt. ``None`` for a server without keys.
        tool_mode: ``prompted`` for a model without native tool calls.
        text_calls: How calls are written in texts; ``off`` to leave texts alone. By default ``auto`` for
            ``openai-chat``, whose servers often hand on what they should have read, and ``off`` for the others.
        headers: Sent with every request, to this server alone.
        timeout: The seconds that an answer may take, attempts and waits included; ``None`` for no limit.
        transport: How requests are sent.

    Raises:
        ValueError: Something of it is not what it should be; the text says what to do.
    """

    def __init__(
        self,
        codec: str,
        model: str | None,
        *,
        base_url: str,
        api_key: str | Callable[[], str] | None = None,
        tool_mode: ToolMode = "native",
        text_calls: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = _TIMEOUT,
        transport: Transport | None = None,
    ) -> None:
        if codec not in ENDPOINTS:
            raise ValueError(f"there is no codec {codec!r}; there are {', '.join(ENDPOINTS)}")
        if model is not None and not model.strip():
            raise ValueError("the model's name is empty")
        self._timeout = _checked_timeout(timeout)
        self._endpoint = ENDPOINTS[codec]
        self._address = self._endpoint.address(base_url)
        self._codec = codec_for(codec, self._address)
        self._model = model
        self._key = api_key
        self._tool_mode: ToolMode = _checked_mode(tool_mode)
        self._text_calls = text_calls or ("auto" if codec == "openai-chat" else OFF)
        self._headers = dict(headers or {})
        self._transport = transport or Transport()

    @property
    def model_name(self) -> str:
        """The model that is asked; empty before the server was asked which it has, where none was named."""
        return self._model or ""

    @property
    def codec(self) -> str:
        """The format that is spoken."""
        return self._codec.name

    @property
    def base_url(self) -> str:
        """Where the API is."""
        return str(self._address)

    async def chat_with_tools(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> ChatResponse:
        """Return the answer: a text, calls, or both. Without tools it behaves as :meth:`chat`.

        Raises:
            LLMError: There is no answer; ``code`` says why.
            ValueError: An option cannot be expressed in this format; the text says what to do.
        """
        history = tuple(messages)
        model, timeout = await self._chosen(options)
        asked = self._question(history, tools, options, model, stream=False)
        exchange = self._exchange(asked, options, model, timeout, stream=False)
        with self._asking(model, options, exchange, history, current=True) as watch:
            response = self._codec.decode(await exchange.fetch())
            _, watch.response = asked.reading.finish(response)
            _raise_failure(watch.response)
        return watch.response

    async def stream(
        self, messages: Iterable[ChatMessage], tools: Iterable[ToolDefinition] = (), **options: Unpack[ChatOptions]
    ) -> AsyncGenerator[StreamEvent]:
        """Yield the answer as it arrives; the last event is ``Completed``. Closing the iterator ends the request.

        Raises:
            LLMError: There is no answer, or it broke off; ``code`` says why.
            ValueError: An option cannot be expressed in this format; the text says what to do.
        """
        history = tuple(messages)
        model, timeout = await self._chosen(options)
        asked = self._question(history, tools, options, model, stream=True)
        exchange = self._exchange(asked, options, model, timeout, stream=True)
        decoder, reading = self._codec.stream_decoder(), asked.reading
        # Not current: this generator may be closed in another task than the one that began it.
        with self._asking(model, options, exchange, history, current=False) as watch:
            async with aclosing(exchange.stream()) as chunks:
                async for chunk in chunks:
                    for event in decoder.feed(chunk):
                        for told in reading.feed(event):
                            yield told
            last, response = reading.finish(decoder.close())
            watch.response = response
            _raise_failure(response)
            for told in last:
                yield told
        yield Completed(response)

    async def models(self) -> tuple[ListedModel, ...]:
        """Return the models that the server says it has.

        Raises:
            LLMError: It does not say; ``code`` says why.
        """
        return await self._listed(self._timeout)

    async def _listed(self, most: float | None) -> tuple[ListedModel, ...]:
        request = Request(
            address=self._address,
            path=self._endpoint.models,
            headers=self._open_headers("application/json"),
            private=lambda: self._private_headers(_NO_OPTIONS),
            timeout=_LISTING_TIMEOUT if most is None else min(most, _LISTING_TIMEOUT),
            facts=self._facts(""),
        )
        body = await self._transport.exchange(request).fetch()
        try:
            return read_models(body)
        except ValueError:
            problem = f"{self._address} does not say which models it has; name one"
        raise LLMError("bad_response", problem)

    async def aclose(self) -> None:
        """Close the running loop's connections, as far as no other provider uses them; asking again opens new ones."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"HttpProvider({self.codec!r}, {self.model_name!r}, base_url={self.base_url!r})"

    async def _chosen(self, options: ChatOptions) -> tuple[str, float | None]:
        """Return the model to ask, and the seconds that are left for it.

        Where none was named it is one that the server has, from then on always the same.
        """
        given = options.get("timeout")
        timeout = self._timeout if given is None else _checked_timeout(given)
        model = options.get("model") or self._model
        if model is not None:
            return model, timeout
        start = self._transport.clock.monotonic()
        model = usual_model(await self._listed(timeout), paid=self._key is not None)
        if model is None:
            raise LLMError("model_not_found", f"{self._address} has no model that chats; name one")
        self._model = model
        return model, timeout and max(0.0, timeout - (self._transport.clock.monotonic() - start))

    def _question(
        self,
        history: tuple[ChatMessage, ...],
        tools: Iterable[ToolDefinition],
        options: ChatOptions,
        model: str,
        *,
        stream: bool,
    ) -> Question:
        if "stream" in options:
            raise TypeError("there is no option 'stream'; call stream() for an answer as it arrives")
        tool_mode = _checked_mode(options.get("tool_mode") or self._tool_mode)
        text_calls = options.get("text_calls") or self._text_calls
        said = cast("ChatOptions", {**options, "model": model, "stream": stream})
        return question(self._codec, history, tuple(tools), said, tool_mode=tool_mode, text_calls=text_calls)

    def _exchange(
        self, asked: Question, options: ChatOptions, model: str, timeout: float | None, *, stream: bool
    ) -> Exchange:
        extra = options.get("extra_headers") or _NO_OPTIONS
        request = Request(
            address=self._address,
            path=self._endpoint.path_for(model, stream=stream),
            body=asked.body,
            headers=self._open_headers("text/event-stream, application/json" if stream else "application/json"),
            private=lambda: self._private_headers(extra),
            timeout=timeout,
            streaming=stream,
            facts=self._facts(model),
        )
        return self._transport.exchange(request)

    def _open_headers(self, accept: str) -> dict[str, str]:
        headers = {"accept": accept, "content-type": "application/json", "user-agent": _AGENT}
        return {**headers, **self._endpoint.headers}

    def _private_headers(self, extra: Mapping[str, str]) -> dict[str, str]:
        key = self._key() if callable(self._key) else self._key
        shown = self._endpoint.key_headers(key.strip() if key else None)
        given = {name.lower(): value for name, value in (*self._headers.items(), *extra.items())}
        return {**shown, **given}

    def _facts(self, model: str) -> dict[str, str]:
        return {"provider": self.codec, "model": model, "server": self._address.origin}

    @contextmanager
    def _asking(
        self,
        model: str,
        options: ChatOptions,
        exchange: Exchange,
        history: tuple[ChatMessage, ...],
        *,
        current: bool,
    ) -> Generator[Watch]:
        """Tell of a question while it is asked; whatever error it ends with says whose it was and quotes nothing."""
        watch = Watch(self._endpoint.system, model, self._address, options)
        with watched(watch, self._transport.clock, self._facts(model), current=current):
            try:
                yield watch
            except LLMError as error:
                # In its place: another one would have this one as its context.
                error.message = without_quotes(exchange.without_secrets(error.message), history)
                error.args = (error.code, error.message)
                error.request_id = error.request_id or exchange.request_id
                raise


def _raise_failure(response: ChatResponse) -> None:
    """Raise what the provider said instead of an answer, or where it said nothing at all."""
    failure = response.failure
    if failure is None and response.finish_reason == "error" and _is_empty(response):
        failure = Failure(code="bad_response", message="the server sent no answer")
    if failure is not None:
        raise failure.to_error()


def _is_empty(response: ChatResponse) -> bool:
    said: tuple[Any, ...] = (response.text, response.reasoning, response.refusal)
    return not any(said) and not response.tool_calls and not response.invalid_tool_calls


def _checked_mode(mode: ToolMode) -> ToolMode:
    if mode not in ("native", "prompted"):
        raise ValueError(f"tool_mode is 'native' or 'prompted', not {mode!r}")
    return mode


def _checked_timeout(timeout: float | None) -> float | None:
    if timeout is not None and not 0 < timeout < float("inf"):
        raise ValueError("a timeout is a number of seconds above 0; None is for no limit")
    return timeout
