"""The options of a request, read once for all formats.

What a format cannot say is refused with a word on what to do instead; nothing that was asked for is dropped silently.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from toolwright.providers.types import ChatOptions

if TYPE_CHECKING:
    from toolwright.schema import Schema

__all__ = ["Settings", "answer_name", "read_options"]

_CHOICES: Final = ("auto", "required", "none")
_NOT_WRITTEN: Final = ("timeout", "extra_headers", "tool_mode", "text_calls")  # who sends and reads has use for them


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Options as codecs read them: ``tool_choice`` is a word or a tool that is there, and is unset without tools."""

    model: str | None = None
    stream: bool = False
    tool_choice: str | None = None
    parallel_tool_calls: bool | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    response_schema: Schema | None = None
    extra_body: Mapping[str, Any] = {}

    @property
    def chosen_tool(self) -> str | None:
        """The tool that the model has to call, if one was named."""
        return None if self.tool_choice in _CHOICES else self.tool_choice


def read_options(options: ChatOptions, tools: Collection[str]) -> Settings:
    """Return the options of a request in which these ``tools`` are offered.

    Raises:
        TypeError: There is no such option.
        ValueError: The tool that is to be called is not offered.
    """
    if not options:
        return _NOTHING
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    unknown = given.keys() - ChatOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"there is no option {min(unknown)!r}; extra_body takes what only one provider knows")
    for name in _NOT_WRITTEN:
        given.pop(name, None)
    if "stop" in given:
        given["stop"] = _texts(given["stop"])
    if "response_schema" in given:
        given["response_schema"] = _schema(given["response_schema"])
    choice = given.get("tool_choice")
    if choice is not None:
        _check_choice(choice, tools)
    if not tools:
        given.pop("tool_choice", None)
        given.pop("parallel_tool_calls", None)
    return Settings(**given)


_NOTHING: Final = Settings()


def _check_choice(choice: str, tools: Collection[str]) -> None:
    if choice == "required" and not tools:
        raise ValueError("tool_choice='required' needs tools to choose from")
    if choice not in _CHOICES and choice not in tools:
        raise ValueError(f"tool_choice names {choice!r}, which is not among the tools; or say auto, required or none")


def _texts(stop: str | Sequence[str]) -> tuple[str, ...]:
    return (stop,) if isinstance(stop, str) else tuple(stop)


def _schema(schema: Schema | Mapping[str, Any]) -> Schema:
    # Schemas are a large room; most requests have no need of it.
    from toolwright.schema import Schema

    return schema if isinstance(schema, Schema) else Schema(schema)


def answer_name(schema: Schema) -> str:
    """Return a name for a structured answer, which some formats want: its title, as far as that is legal."""
    title = schema.title or ""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in title)[:64] or "answer"
