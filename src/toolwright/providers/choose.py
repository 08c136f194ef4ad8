"""Which model is asked: the one that is named, or the first that is found.

Looked for in this order: ``TOOLWRIGHT_MODEL``, the configuration file, keys in the environment, a running Ollama or
vLLM on this machine, the embedded model. What somebody chose is never passed over because it does not work.

No other machine is asked anything here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import msgspec

from toolwright.errors import LLMError, MissingExtraError, ModelFileError
from toolwright.providers.services import LOCAL, SERVICES, ModelName

if TYPE_CHECKING:
    from toolwright.providers.http_provider import HttpProvider
    from toolwright.providers.local import LocalProvider
    from toolwright.providers.transport import Transport
    from toolwright.providers.types import ToolMode

__all__ = ["Candidate", "Connection", "candidates", "provider"]

_VARIABLE: Final = "TOOLWRIGHT_MODEL"
_CONFIGURATION: Final = "configuration"
_GLANCE: Final = 1.0  # seconds that a server on this machine has to say which models it has
_KEYED: Final = ("openai", "anthropic", "gemini")
_RUNNING: Final = ("ollama", "vllm")
_NO_HTTP: Final = "models behind HTTP need an extra: pip install 'toolwright[http]'"
_ADVICE: Final = (
    f"no model is configured: set {_VARIABLE} (ollama:qwen3, say) or a key such as OPENAI_API_KEY, start Ollama, "
    "or fetch a small model with 'toolwright model pull'"
)


class Connection(TypedDict, total=False):
    """How a model behind HTTP is reached, where the usual way is not meant; see ``HttpProvider``."""

    base_url: str
    api_key: str | Callable[[], str]
    tool_mode: ToolMode
    text_calls: str
    headers: Mapping[str, str]
    timeout: float | None
    transport: Transport


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A place where a model was looked for.

    ``name`` is what :func:`provider` takes, ``source`` where it was looked, ``reason`` what was seen there.
    ``chosen`` is the one that :func:`provider` gives without an argument.
    """

    name: str
    source: str
    reason: str
    found: bool = False
    chosen: bool = False


class _Found(msgspec.Struct, frozen=True):
    """A candidate, and whether somebody meant this one and no other."""

    candidate: Candidate
    meant: bool = False


def provider(name: str | None = None, **connection: Unpack[Connection]) -> HttpProvider | LocalProvider:
    """Return a model to ask: ``provider("openai:gpt-5-mini")``, ``"vllm:model@http://127.0.0.1:8000/v1"``, ``"local"``.

    Nothing is connected or loaded before it is asked something. Without a name it is the first that is found, which
    takes a second at most where servers on this machine do not answer. A service's word alone (``"ollama"``) is for
    the newest model that the service has, and for a small one where answers are paid for.

    Raises:
        ValueError: The name, or a part of the connection, is not what it should be; the text says what to do.
        LLMError: There is no key (``authentication_failed``) or no model (``model_not_found``).
        MissingExtraError: The embedded model's runtime is not installed.
        ConfigError: The configuration cannot be relied on.
    """
    environment = os.environ
    if name is not None:
        return _make(ModelName.read(name), environment, connection)
    if connection.keys() & {"base_url", "api_key"}:
        raise ValueError("name the model that base_url and api_key are for")
    for found in _look(environment, lambda: _configured(environment)):
        if found.candidate.found or found.meant:
            return _make(ModelName.read(found.candidate.name), environment, connection)
    raise LLMError("model_not_found", _ADVICE)


def candidates(*, configured: str | None = None, environment: Mapping[str, str] | None = None) -> tuple[Candidate, ...]:
    """Return every place where a model is looked for, in that order, and what was seen there.

    ``configured`` is the model that the settings name. Where something was chosen that cannot be had, none is chosen.
    """
    around = os.environ if environment is None else environment
    seen = list(_look(around, lambda: configured))
    first = next((found for found in seen if found.candidate.found or found.meant), None)
    return tuple(
        msgspec.structs.replace(found.candidate, chosen=found is first and found.candidate.found) for found in seen
    )


def _make(name: ModelName, environment: Mapping[str, str], connection: Connection) -> HttpProvider | LocalProvider:
    if name.service == LOCAL:
        return _embedded(name, connection)
    from toolwright.providers.http_provider import HttpProvider  # the transport is loaded when it is wanted

    service = SERVICES[name.service]
    if name.base_url is not None and "base_url" in connection:
        raise ValueError("the address is given twice: in the name, and as base_url")
    own = connection.get("base_url", name.base_url)
    whole: Connection = {"base_url": own or service.address(environment), **connection}
    if "api_key" not in connection:
        key = service.key(environment, own)
        whole |= {"api_key": key} if key else {}
    return HttpProvider(service.codec, name.model, **whole)


def _embedded(name: ModelName, connection: Connection) -> LocalProvider:
    from toolwright.providers.local import MODELS, QWEN, local_provider

    if connection or name.base_url:
        raise ValueError("the embedded model is on this machine: it takes no address, key or connection")
    if name.model is not None and name.model not in MODELS:
        raise ValueError(f"there is no embedded model {name.model!r}; there are {', '.join(MODELS)}")
    return local_provider(MODELS[name.model] if name.model else QWEN)


def _configured(environment: Mapping[str, str]) -> str | None:
    """Return the model that the settings of the current folder name; None without those, or where no file counts."""
    from toolwright.config import Places, load_configuration

    try:
        places = Places.of_user()
    except MissingExtraError:  # without the user's folders nobody knows which project he trusts
        return None
    return load_configuration(Path.cwd(), places=places, environment=environment).settings.model


# Where models are looked for, in order


def _look(environment: Mapping[str, str], configured: Callable[[], str | None]) -> Iterator[_Found]:
    said = environment.get(_VARIABLE, "").strip()
    yield _named(_VARIABLE, "environment", said, environment)
    named = configured() or ""
    yield _named(_CONFIGURATION, "settings", "" if named == said else named, environment)
    for service in _KEYED:
        yield _Found(_keyed(service, environment))
    for candidate in _running(environment):
        yield _Found(candidate)
    yield _Found(_on_disk())


def _named(where: str, source: str, name: str, environment: Mapping[str, str]) -> _Found:
    if not name:
        return _Found(Candidate(name=where, source=source, reason="names no model"))
    try:
        read = ModelName.read(name)
        _make(read, environment, {})
        problem = _NO_HTTP if read.service != LOCAL and not _has_http() else ""
    except (ValueError, LLMError, MissingExtraError) as error:
        problem = _told(error)
    return _Found(Candidate(name=name, source=where, reason=problem or "names it", found=not problem), meant=True)


def _told(error: Exception) -> str:
    return error.message if isinstance(error, LLMError) else str(error)


def _keyed(service: str, environment: Mapping[str, str]) -> Candidate:
    variable = SERVICES[service].key_variable(environment)
    if variable is None:
        return Candidate(name=service, source=SERVICES[service].key_variables[0], reason="is not set")
    if not _has_http():
        return Candidate(name=service, source=variable, reason=_NO_HTTP)
    return Candidate(name=service, source=variable, reason="is set", found=True)


def _has_http() -> bool:
    return find_spec("httpx2") is not None


def _running(environment: Mapping[str, str]) -> tuple[Candidate, ...]:
    """Return which servers run on this machine; both are asked at once."""
    from asyncio import gather

    from toolwright.bridge import run_from_outside

    async def ask() -> tuple[Candidate, ...]:
        return tuple(await gather(*(_glance(service, environment) for service in _RUNNING)))

    return run_from_outside(ask)


async def _glance(service: str, environment: Mapping[str, str]) -> Candidate:
    from toolwright.providers.http_provider import HttpProvider
    from toolwright.providers.models import usual_model
    from toolwright.providers.transport import Address, Transport

    row = SERVICES[service]
    url = row.address(environment)
    missing = Candidate(name=service, source=url, reason="")
    try:
        if not Address.of(url).is_loopback:
            reason = f"is not this machine: it is asked where {service}:MODEL says so"
            return msgspec.structs.replace(missing, reason=reason)
        asked = HttpProvider(
            row.codec,
            None,
            base_url=url,
            api_key=row.key(environment, None),
            timeout=_GLANCE,
            transport=Transport(retries=0),
        )
        async with asked:
            model = usual_model(await asked.models(), paid=False)
    except (ValueError, LLMError, MissingExtraError) as error:
        return msgspec.structs.replace(missing, reason=_told(error))
    if model is None:
        return msgspec.structs.replace(missing, reason="runs, and has no model that chats")
    name = f"ollama:{model}" if service == "ollama" else f"{service}:{model}@{asked.base_url}"
    return Candidate(name=name, source=url, reason="runs, and has this model", found=True)


def _on_disk() -> Candidate:
    from toolwright.providers.local import standing
    from toolwright.providers.local.server import check_runtime

    source = "embedded model"
    try:
        check_runtime()
        there = standing()
    except (MissingExtraError, ModelFileError) as error:
        return Candidate(name=LOCAL, source=source, reason=str(error))
    return Candidate(
        name=LOCAL, source=source, reason=there.advice or f"is at {there.path}", found=there.state == "here"
    )
