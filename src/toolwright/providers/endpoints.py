"""Where each API takes its questions, and how it wants to be shown the key: one row for each codec.

Pure. A new format is a folder in ``codecs``; a row here has it asked over HTTP.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

import msgspec

from toolwright.providers.codecs import codec
from toolwright.providers.transport.addresses import Address
from toolwright.providers.types import Codec

__all__ = ["ENDPOINTS", "Endpoint", "codec_for"]

_VERSION: Final = re.compile(r"/v\d+[a-z0-9]*$")
_STRICT_HOSTS: Final = ("api.openai.com", ".openai.azure.com")


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The paths and headers of one API.

    ``version`` is put after a base URL that has none of its own: after its host alone, or after any path (``always``).
    ``{model}`` in a path is where the model's name goes. ``system`` is what telemetry calls it.
    """

    path: str
    stream_path: str = ""
    models: str = "/models"
    version: str = ""
    always: bool = False
    key_header: str = "authorization"
    key_prefix: str = "Bearer "
    headers: Mapping[str, str] = {}
    system: str = "openai"

    def address(self, base_url: str) -> Address:
        """Return the address that the paths are below.

        Raises:
            ValueError: The base URL is none that may be asked.
        """
        address = Address.of(base_url)
        if _VERSION.search(address.path) or (address.path and not self.always):
            return address
        return msgspec.structs.replace(address, path=address.path + self.version)

    def path_for(self, model: str, *, stream: bool) -> str:
        """Return the path of a question to a model."""
        path = self.stream_path if stream and self.stream_path else self.path
        return path.replace("{model}", quote(model.removeprefix("models/"), safe="/"))

    def key_headers(self, key: str | None) -> dict[str, str]:
        """Return what shows the key; nothing where there is none."""
        return {self.key_header: f"{self.key_prefix}{key}"} if key else {}


ENDPOINTS: Final[Mapping[str, Endpoint]] = MappingProxyType(
    {
        "openai-chat": Endpoint(path="/chat/completions", version="/v1"),
        "openai-responses": Endpoint(path="/responses", version="/v1"),
        "anthropic": Endpoint(
            path="/messages",
            version="/v1",
            always=True,
            key_header="x-api-key",
            key_prefix="",
            headers={"anthropic-version": "2023-06-01"},
            system="anthropic",
        ),
        "gemini": Endpoint(
            path="/models/{model}:generateContent",
            stream_path="/models/{model}:streamGenerateContent?alt=sse",
            version="/v1beta",
            always=True,
            key_header="x-goog-api-key",
            key_prefix="",
            system="gcp.gemini",
        ),
        "ollama": Endpoint(path="/api/chat", models="/api/tags", system="ollama"),
        "cohere": Endpoint(path="/v2/chat", models="/v1/models", system="cohere"),
    }
)
"""The APIs, by the names of their codecs."""


def codec_for(name: str, address: Address) -> Codec:
    """Return the codec that a server of that address is spoken to with.

    Only OpenAI itself knows the strict dialect of its chat format; its imitators get the plain one.

    Raises:
        ValueError: There is no such codec; the text names those there are.
    """
    if name == "openai-chat" and not _is_openai(address.host):
        return _plain_chat()
    return codec(name)


@lru_cache(maxsize=1)
def _plain_chat() -> Codec:
    from toolwright.providers.codecs.openai_chat import OpenAIChatCodec  # this one alone has variants

    return OpenAIChatCodec(strict=False)


def _is_openai(host: str) -> bool:
    return host == _STRICT_HOSTS[0] or host.endswith(_STRICT_HOSTS[1])
