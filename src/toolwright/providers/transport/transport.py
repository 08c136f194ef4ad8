"""What all requests of one provider have in common: how often, how long, how much, by whose clock."""

from __future__ import annotations

import random
import ssl
from collections.abc import Callable
from typing import Final, final

from toolwright.providers.transport.clock import Clock, SystemClock
from toolwright.providers.transport.exchange import Exchange, Means, Request
from toolwright.providers.transport.pools import Pools, shared_pools

__all__ = ["Transport"]

_RETRIES: Final = 3
_MOST_BYTES: Final = 64 * 1024 * 1024


@final
class Transport:
    """Sends requests over shared connections.

    ``retries`` is how often a request is made again that may then be answered; ``max_bytes`` is what an answer may
    have, as it was before it was compressed. ``tls`` is for authorities of one's own: without it, those of the system
    hold. Certificates are always verified.

    Raises:
        ValueError: A number is out of range, or ``tls`` verifies nothing.
    """

    def __init__(
        self,
        *,
        retries: int = _RETRIES,
        max_bytes: int = _MOST_BYTES,
        tls: ssl.SSLContext | None = None,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        pools: Pools | None = None,
    ) -> None:
        if retries < 0 or max_bytes < 1:
            raise ValueError("retries may be 0 or more, max_bytes 1 or more")
        if tls is not None and tls.verify_mode is not ssl.CERT_REQUIRED:
            raise ValueError("tls must verify certificates: ssl.create_default_context(cafile=...) does")
        self._pools = pools or shared_pools()
        self.clock: Clock = clock or SystemClock()
        self._means = Means(
            pools=self._pools,
            user=self,
            clock=self.clock,
            chance=chance,
            retries=retries,
            max_bytes=max_bytes,
            tls=tls,
        )

    def exchange(self, request: Request) -> Exchange:
        """Return a request on its way; nothing is sent before it is read."""
        return Exchange(request, self._means)

    async def aclose(self) -> None:
        """Close the running loop's connections, as far as nobody else uses them; another request opens new ones."""
        await self._pools.leave(self)
