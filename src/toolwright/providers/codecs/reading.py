"""Requests that are not of their format: whatever is wrong in one becomes an error that says where.

Logs are written by other programs. What stands in them is read as if it had the right shape; where that fails, it
had not.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from toolwright.errors import DefinitionDecodeError, InvalidMessageError, ToolwrightError

__all__ = ["MISREAD", "listed", "misread", "reading_tools"]

MISREAD: Final = (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError)
"""What reading a value of the wrong shape raises."""


def misread(error: Exception, path: str, what: str = "a message") -> InvalidMessageError:
    """Return the error that says what is wrong at a place of a request."""
    if isinstance(error, InvalidMessageError):
        whole = ".".join(filter(None, (path, error.path)))
        return InvalidMessageError(error.problem, code=error.code, path=whole)
    return InvalidMessageError(f"is not {what}", code="wrong_shape", path=path)


def listed(request: Any, key: str) -> Sequence[Any]:
    """Return the array that a request has under a key; an empty one where it has none.

    Raises:
        InvalidMessageError: It is no array, or the request is no object.
    """
    if not isinstance(request, Mapping):  # whatever its type says
        raise InvalidMessageError("is not a request", code="wrong_shape", path="")
    value = cast("Mapping[str, Any]", request).get(key)
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return cast("Sequence[Any]", value)
    raise InvalidMessageError("is not an array", code="wrong_shape", path=key)


@contextmanager
def reading_tools() -> Generator[None]:
    """Turn whatever goes wrong while tools are read into an error that says so.

    Raises:
        DefinitionDecodeError: Something in them has not the shape of a tool.
    """
    try:
        yield
    except ToolwrightError:
        raise
    except MISREAD:
        raise DefinitionDecodeError("is not a tool of this format", code="wrong_shape", path="tools") from None
