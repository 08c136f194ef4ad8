"""Bytes to a server and back: connections, attempts, time limits, and everything that can go wrong on the way.

==============  ============================================================================================
``addresses``   base URLs that may be asked, and redirects that may be followed (pure)
``retrying``    what is asked again, and after how long (pure)
``inflating``   compressed bodies, a bounded piece at a time (pure)
``failures``    what went wrong, in our words; no exception of the HTTP library leaves this room
``pools``       shared connections: of one origin, in one event loop
``exchange``    one request and its answer, whatever that takes
``transport``   what all requests of one provider have in common
``clock``       what time it is
==============  ============================================================================================

This room may not know what is asked: no message, no tool, no format. Keys pass through and are kept nowhere: they are
in no text, no ``repr`` and no log.
"""

from __future__ import annotations

from toolwright.providers.transport.addresses import Address
from toolwright.providers.transport.clock import Clock, SystemClock
from toolwright.providers.transport.exchange import Exchange, Request
from toolwright.providers.transport.pools import Pools
from toolwright.providers.transport.transport import Transport

__all__ = ["Address", "Clock", "Exchange", "Pools", "Request", "SystemClock", "Transport"]
