"""Names of tools as they stand on the wire, and the names that a call may have here.

Several APIs take names that are not legal here, and models invent others. What can be read as a legal name is, and the
original stays with the call; what cannot makes the call an invalid one.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["legal_call_name", "sendable_name"]

_LENGTH: Final = 64
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_]")
# What some provider or tool server allows in a name beyond letters, digits and the underscore.
_LEGAL_SOMEWHERE: Final = re.compile(r"[A-Za-z0-9_.:/ -]{1,64}")
_NAMELESS: Final = "unknown"


def legal_call_name(name: str) -> str:
    """Return the name under which a call is read: ``get_weather`` for ``get-weather``, ``Chat_send`` for ``Chat.send``.

    A name that is legal nowhere is returned as it is.
    """
    if name.isidentifier() and name.isascii():
        return name
    return _FOREIGN.sub("_", name) if _LEGAL_SOMEWHERE.fullmatch(name) else name


def sendable_name(name: str) -> str:
    """Return a name that every provider takes, for a call whose own name may be anything."""
    return _FOREIGN.sub("_", name)[:_LENGTH] or _NAMELESS
