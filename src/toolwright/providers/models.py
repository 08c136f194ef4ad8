"""Which models a server has, and which of them is meant where nobody named one.

No name of a model stands here: they change every month. Lists are read in the forms of all servers, and a model is
chosen by what its name says of its kind and size.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from toolwright.providers.codecs.documents import as_list, as_object, as_text, read_document

__all__ = ["ListedModel", "read_models", "usual_model"]

_OTHER_KINDS: Final = re.compile(
    r"embed|bert\b|audio|realtime|image|imagen|tts|speech|transcri|whisper|moderation|dall|sora|veo|video|search|ocr|"
    r"guard|rerank|robotics|live\b|aqa|learnlm|computer|research|davinci|babbage",
    re.IGNORECASE,
)
_SMALL: Final = re.compile(r"mini|haiku|flash|small|turbo|instant|fast", re.IGNORECASE)
_PASSING: Final = re.compile(r"preview|exp\b|beta|alpha|test", re.IGNORECASE)


class ListedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that a server says it has; ``made`` is when, as seconds since 1970, 0 where it does not say."""

    name: str
    made: float = 0.0
    chats: bool = True


def read_models(body: bytes) -> tuple[ListedModel, ...]:
    """Return the models of a list, in its order.

    Raises:
        ValueError: It is no list of models.
    """
    document = read_document(body)
    whole = as_object(document)
    rows = document if document.__class__ is list else whole.get("data", whole.get("models"))
    if not isinstance(rows, list):
        raise ValueError("this is no list of models")  # noqa: TRY004  wrong as any other text would be
    listed = (_read_row(as_object(row)) for row in as_list(rows))
    return tuple(model for model in listed if model.name)


def _read_row(row: Mapping[str, Any]) -> ListedModel:
    name = as_text(row.get("id")) or as_text(row.get("name")) or as_text(row.get("model"))
    methods = as_list(row.get("supportedGenerationMethods"))
    family = as_text(as_object(row.get("details")).get("family"))
    kinds = f"{name} {family} {as_text(row.get('type'))}"
    chats = "generateContent" in methods if methods else not _OTHER_KINDS.search(kinds)
    moment = next((row[key] for key in ("created", "created_at", "modified_at") if key in row), 0)
    return ListedModel(name=name.removeprefix("models/"), made=_seconds(moment), chats=chats)


def _seconds(moment: Any) -> float:
    if moment.__class__ in (int, float):
        return float(moment)
    try:
        read = datetime.fromisoformat(as_text(moment))
    except ValueError:
        return 0.0
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def usual_model(models: Iterable[ListedModel], *, paid: bool) -> str | None:
    """Return the model to ask where nobody named one: the newest that chats; None where none does.

    Where answers are ``paid`` for, a small one is preferred: nobody should meet the price of the largest by accident.
    """
    chatting = [model for model in models if model.chats and not _OTHER_KINDS.search(model.name)]
    if not chatting:
        return None
    return max(enumerate(chatting), key=lambda each: _rank(each[1], each[0], paid=paid))[1].name


def _rank(model: ListedModel, place: int, *, paid: bool) -> tuple[object, ...]:
    small = paid and _SMALL.search(model.name) is not None
    version = tuple(float(number) for number in re.findall(r"(?<![\w.])\d{1,2}(?:\.\d{1,2})?(?![\w.])", model.name))
    return small, _PASSING.search(model.name) is None, model.made, version, -place
