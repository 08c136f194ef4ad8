"""Where a fetch may go: addresses that everybody on the internet can reach, and none that only this machine can.

A name says nothing: anybody may let one of his names lead to an address of ours. So a host is looked up, what it leads
to is checked, and whoever connects does so to the address that was checked, not to the name once more.

This module may not know what is fetched.
"""

from __future__ import annotations

import socket
from collections.abc import Collection, Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

__all__ = ["Address", "Network", "addresses_of", "is_public", "networks_of"]

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# The registries of addresses with a special purpose (IANA), as far as they are not for the whole internet. Written out:
# what Python's own `is_global` says of them has changed from release to release.
_RESERVED_V4: Final = tuple(
    map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
            *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
            # A public address by its number, at which a large cloud tells its machines what is theirs alone.
            "168.63.129.16/32",
        ),
    )
)
# Of IPv6 only this part is given to networks. What carries an address of IPv4 in it (mapped, NAT64) lies outside it;
# Teredo and 6to4, which do too, lie inside and are taken out, as are the addresses for documentation.
_UNICAST_V6: Final = IPv6Network("2000::/3")
_RESERVED_V6: Final = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))


def is_public(address: Address) -> bool:
    """Say whether an address is one of the internet at large."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _RESERVED_V4)
    return address in _UNICAST_V6 and not any(address in network for network in _RESERVED_V6)


def networks_of(texts: Collection[str]) -> tuple[Network, ...]:
    """Read addresses and networks, such as ``127.0.0.1`` and ``10.1.0.0/16``.

    Raises:
        ValueError: One of them is none.
        TypeError: This is one text, not several.
    """
    if isinstance(texts, str):
        raise TypeError("networks are given as a collection, such as ['10.1.0.0/16']")
    return tuple(ip_network(text, strict=False) for text in texts)


def addresses_of(host: str, port: int, networks: Iterable[Network] = ()) -> list[Address]:
    """Look a host up, and return those of its addresses that may be reached.

    ``networks`` may be reached although they are not public. Asks the system, which may take its time.

    Raises:
        OSError: There is no such host.
    """
    allowed = tuple(networks)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:  # a name that no host can have
        raise OSError(socket.EAI_NONAME, "no host has such a name") from None
    # An address with a zone (fe80::1%eth0) is one of this machine's own links.
    texts = dict.fromkeys(str(entry[4][0]) for entry in found)
    every = [ip_address(text) for text in texts if "%" not in text]
    return [each for each in every if any(each in network for network in allowed) or _is_elsewhere(each)]


def _is_elsewhere(address: Address) -> bool:
    return is_public(address) and not _is_own(address)


def _is_own(address: Address) -> bool:
    """Say whether a public address is that of this very machine, where more may listen than the world is meant to see.

    Nothing is sent: a datagram socket that is connected only has its own address chosen.
    """
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((str(address), 9))
        return ip_address(str(probe.getsockname()[0]).partition("%")[0]) == address
    return False
