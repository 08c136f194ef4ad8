from __future__ import annotations

import socket
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.promises import keeps
from toolwright.builtin.hosts import addresses_of, is_public, networks_of


@keeps("builtin.fetch_private")
@pytest.mark.parametrize(
    "text",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.8.8"),  # noqa: S104
        *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1"),
        *(
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "168.63.129.16",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "255.255.255.255",
        ),
        *("::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::808:808"),
        *("64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "5f00::1"),
        *("fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1"),
    ],
)
def test_what_only_some_can_reach_is_not_public(text: str) -> None:
    assert not is_public(ip_address(text))


@pytest.mark.parametrize(
    "text", ["1.1.1.1", "8.8.8.8", "100.63.0.1", "172.32.0.1", "192.0.1.1", "223.255.255.255", "2606:4700::1111"]
)
def test_what_everybody_can_reach_is_public(text: str) -> None:
    assert is_public(ip_address(text))


@given(st.ip_addresses())
def test_nothing_is_public_that_python_takes_for_private_or_multicast(address: object) -> None:
    found = ip_address(str(address))
    if is_public(found):
        words = ["private", "loopback", "link_local", "multicast", "reserved", "unspecified"]
        assert [word for word in words if getattr(found, f"is_{word}")] == []


@keeps("builtin.fetch_private")
@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "127.0.0.1", "127.1", "2130706433", "0x7f000001", "017700000001", "0", "::1"),
        *("::ffff:127.0.0.1", "::ffff:7f00:1", socket.gethostname()),
    ],
)
def test_whatever_this_machine_is_called_it_is_not_reached(host: str) -> None:
    assert addresses_of(host, 80) == []


def test_an_operator_can_let_it_be_reached() -> None:
    networks = networks_of(["127.0.0.1", "10.0.0.0/8", "::1/128"])
    assert networks == (ip_network("127.0.0.1/32"), ip_network("10.0.0.0/8"), ip_network("::1/128"))
    assert addresses_of("127.0.0.1", 80, networks) == [ip_address("127.0.0.1")]
    assert addresses_of("127.0.0.2", 80, networks) == []


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 70 + ".com", "-", "\udc80"])
def test_what_is_no_host_is_said(host: str) -> None:
    with pytest.raises(OSError, match=r".+"):
        addresses_of(host, 80)


def test_the_machine_s_own_public_address_is_not_elsewhere() -> None:
    """A datagram socket that is connected has its own address chosen: where both are the same, it is ours."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("127.0.0.1", 9))
        assert probe.getsockname()[0] == "127.0.0.1"
    assert addresses_of("1.1.1.1", 80) == [ip_address("1.1.1.1")]
