"""Where models are, by the word before the colon: ``openai:gpt-5-mini``, ``vllm:model@http://127.0.0.1:8000/v1``.

A key of the environment is the service's own: it is shown to the service's own address, and to the one that the
environment itself puts in its place, and never to an address that stands behind a model's name.

Pure: the environment is given as a mapping. A new service is a row here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final, Self

import msgspec

from toolwright.errors import LLMError

__all__ = ["LOCAL", "SERVICES", "ModelName", "Service"]

LOCAL: Final = "local"
"""The word for the model that is embedded here."""

_ANY_ADDRESS: Final = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "": "127.0.0.1"}  # noqa: S104  where it listens
_OLLAMA_PORT: Final = 11434
_PORT: Final = re.compile(r":\d+$")


class ModelName(msgspec.Struct, frozen=True, kw_only=True):
    """A name in its parts: the service, the model there (None for its newest), an address of one's own."""

    service: str
    model: str | None = None
    base_url: str | None = None

    @classmethod
    def read(cls, name: str) -> Self:
        """Take a name apart; a model's own name may hold colons and at-signs.

        Raises:
            ValueError: It is none; the text says how one is written.
        """
        service, colon, rest = name.strip().partition(":")
        if service != LOCAL and service not in SERVICES:
            near = get_close_matches(service, [*SERVICES, LOCAL], n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(SERVICES)} and {LOCAL}"
            raise ValueError(f"there is no service {service!r} to have models from; {hint}")
        model, at, address = rest.partition("@")
        while at and not address.startswith(("http://", "https://")):
            more, at, address = address.partition("@")
            model = f"{model}@{more}"
        if colon and not model.strip():
            raise ValueError(f"no model is named behind {service!r}: write {service}:MODEL")
        return cls(service=service, model=model.strip() or None, base_url=address or None)


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who has models: the format that is spoken, the usual address, and the variables that say more."""

    codec: str
    base_url: str
    base_variable: str = ""
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    # Of a program that anybody runs: its key is for wherever the user says that it runs.
    has_own_servers: bool = False
    read_base: Callable[[str], str] = str

    def address(self, environment: Mapping[str, str]) -> str:
        """Return the usual address, or the one that the environment puts in its place."""
        said = environment.get(self.base_variable, "").strip()
        return self.read_base(said) if said else self.base_url

    def key_variable(self, environment: Mapping[str, str]) -> str | None:
        """Return the variable that holds the key; None where none does."""
        return next((name for name in self.key_variables if environment.get(name, "").strip()), None)

    def key(self, environment: Mapping[str, str], base_url: str | None) -> Callable[[], str] | None:
        """Return what reads the key whenever it is wanted; None where none is for that address.

        Raises:
            LLMError: The service answers nobody without a key, and there is none (``authentication_failed``).
        """
        from toolwright.providers.transport import Address  # no connection is loaded before one is wanted

        usual = self.address(environment)
        at_home = base_url is None or Address.of(base_url).origin == Address.of(usual).origin
        variable = self.key_variable(environment)
        if variable is not None and (at_home or self.has_own_servers):
            return lambda: environment.get(variable, "")
        if at_home and self.needs_key and usual == self.base_url:
            raise LLMError("authentication_failed", f"there is no key: set {self.key_variables[0]}, or pass api_key")
        return None


def _ollama_address(said: str) -> str:
    """Return the address that ``OLLAMA_HOST`` means: scheme and port may be missing, and it may be any of a machine."""
    scheme, mark, rest = said.rpartition("://")
    place, _, path = rest.partition("/")
    found = _PORT.search(place)
    host = place[: found.start()] if found else place
    port = found[0] if found else "" if mark else f":{_OLLAMA_PORT}"
    return f"{scheme or 'http'}://{_ANY_ADDRESS.get(host, host)}{port}/{path}".rstrip("/")


SERVICES: Final[Mapping[str, Service]] = MappingProxyType(
    {
        "openai": Service(
            codec="openai-responses",
            base_url="https://api.openai.com/v1",
            base_variable="OPENAI_BASE_URL",
            key_variables=("OPENAI_API_KEY",),
        ),
        "openai-chat": Service(
            codec="openai-chat",
            base_url="https://api.openai.com/v1",
            base_variable="OPENAI_BASE_URL",
            key_variables=("OPENAI_API_KEY",),
        ),
        "anthropic": Service(
            codec="anthropic",
            base_url="https://api.anthropic.com",
            base_variable="ANTHROPIC_BASE_URL",
            key_variables=("ANTHROPIC_API_KEY",),
        ),
        "gemini": Service(
            codec="gemini",
            base_url="https://generativelanguage.googleapis.com",
            base_variable="GOOGLE_GEMINI_BASE_URL",
            key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ),
        "cohere": Service(
            codec="cohere",
            base_url="https://api.cohere.com",
            base_variable="CO_API_URL",
            key_variables=("CO_API_KEY", "COHERE_API_KEY"),
        ),
        "ollama": Service(
            codec="ollama",
            base_url=f"http://127.0.0.1:{_OLLAMA_PORT}",
            base_variable="OLLAMA_HOST",
            key_variables=("OLLAMA_API_KEY",),
            needs_key=False,
            read_base=_ollama_address,
        ),
        "vllm": Service(
            codec="openai-chat",
            base_url="http://127.0.0.1:8000/v1",
            base_variable="VLLM_BASE_URL",
            key_variables=("VLLM_API_KEY",),
            needs_key=False,
            has_own_servers=True,
        ),
    }
)
"""Every service by its word, in the order in which keys are looked for."""
