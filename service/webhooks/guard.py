"""Where a webhook may go: decided on the concrete address, after DNS and before connecting.

A webhook's URL is written by anybody who holds a GM's token, so the service refuses to be sent to what only it can
reach: its own host, its network, and the metadata services of clouds. An operator opens networks by an allow-list;
the metadata addresses stay shut whatever that list says.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Networks = tuple[Network, ...]

MAX_URL = 2048
CLOSED_PORTS = frozenset({2375, 2376, 2379, 5432, 6379, 9200, 11211, 27017})
"""Ports of services that take commands from whoever connects; shut on every address."""


class AddressRefused(Exception):
    """The host has an address that webhooks may not go to. Its text is for the operator, never for the GM."""


class BadUrl(ValueError):
    """The URL cannot be a webhook's, whatever it resolves to; the text says why, and names no address."""


def networks(text: str) -> Networks:
    """The networks of a comma-separated list such as "127.0.0.0/8, fd12::/16"; ValueError names what is none."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def verify_url(url: str) -> Url:
    """The URL's parts, when it has a webhook's form: http or https, a host in ASCII, no user name, an open port."""
    if len(url) > MAX_URL or any(not "!" <= letter <= "~" or letter == "\\" for letter in url):
        raise BadUrl(f"a webhook's URL has at most {MAX_URL} visible ASCII characters and no backslash")
    try:
        parts = parse_url(url)
    except LocationParseError:
        raise BadUrl("this is not a URL") from None
    if parts.scheme not in ("http", "https"):
        raise BadUrl("a webhook's URL starts with https:// (or http:// into a network that the operator allows)")
    if not parts.host or "%" in parts.host:
        raise BadUrl("a webhook's URL names a host")
    if parts.auth is not None:
        raise BadUrl("a webhook's URL holds no user name or password")
    port = parts.port if parts.port is not None else _port_of(parts.scheme)
    if port in CLOSED_PORTS or (port < 1024 and port not in (80, 443)):
        raise BadUrl(f"webhooks do not go to port {port}")
    return parts._replace(port=port, fragment=None)


def resolve(host: str, port: int, allow: Networks, *, plain: bool, seconds: float) -> list[tuple[int, Any]]:
    """(family, socket address) of every answer of DNS for `host`, in its order, when all of them may be reached.

    `plain` is a connection without TLS: it goes to allow-listed networks only. Raises AddressRefused when any answer is
    refused, OSError when there is none, TimeoutError when DNS takes longer than `seconds`.
    """
    found = _look_up(host, port, seconds)
    for _, address in found:
        if not may_reach(ip_address(address[0].partition("%")[0]), allow, plain=plain):
            raise AddressRefused(f"{host} is {address[0]}, which webhooks may not reach")
    return found


def may_reach(address: Address, allow: Networks, *, plain: bool = False) -> bool:
    """Whether a webhook may connect to this very address."""
    forms = (address, *_embedded(address))
    if any(_within(form, _METADATA) for form in forms):
        return False
    plainest = _unmapped(address)
    return _within(plainest, allow) or (not plain and _is_public(plainest) and all(map(_is_public, forms[1:])))


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not _within(address, _CLOSED)
    if address in _NAT64:
        return _is_public(_low_bits(address))
    return address in _GLOBAL_UNICAST and not _within(address, _CLOSED)


def _unmapped(address: Address) -> Address:
    return (isinstance(address, IPv6Address) and address.ipv4_mapped) or address


def _embedded(address: Address) -> Iterator[IPv4Address]:
    """Every IPv4 address that some gateway could read out of this IPv6 address."""
    if isinstance(address, IPv4Address):
        return
    value = int(address)
    if address in _MAPPED or address in _COMPATIBLE or address in _NAT64 or address in _NAT64_LOCAL:
        yield _low_bits(address)
    if address in _NAT64_LOCAL:  # RFC 6052, 2.2: a /48 prefix has the address around the "u" octet
        yield IPv4Address((value >> 64 & 0xFFFF) << 16 | value >> 40 & 0xFFFF)
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if value >> 32 & 0xFDFFFFFF == 0x5EFE:  # ISATAP, RFC 5214
        yield _low_bits(address)


def _low_bits(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)


def _within(address: Address, listed: Networks) -> bool:
    return any(address.version == network.version and address in network for network in listed)


def _look_up(host: str, port: int, seconds: float) -> list[tuple[int, Any]]:
    """getaddrinfo, which takes no timeout of its own: it runs in a thread that is left behind when it is too slow."""
    answer: list[Any] = []

    def ask() -> None:
        try:
            answer.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.append(error)

    if _is_literal(host):
        ask()
    else:
        asking = threading.Thread(target=ask, daemon=True, name="alarum-dns")
        asking.start()
        asking.join(seconds)
    if not answer:
        raise TimeoutError(f"DNS gave no answer for {host} in time")
    if isinstance(answer[0], Exception):
        raise OSError(f"DNS knows no {host}: {answer[0]}")
    return [(family, address) for family, _, _, _, address in answer[0]]


def _is_literal(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        return False


def _port_of(scheme: str) -> int:
    return 443 if scheme == "https" else 80


_METADATA = networks(
    "169.254.0.0/16, fe80::/10, 168.63.129.16, 100.100.100.200, 192.0.0.192, fd00:ec2::254, fd20:ce::254"
)
"""Link-local, and where clouds hand out credentials: AWS and its kin, Azure, Alibaba, Oracle; on IPv6 AWS, Google."""
_CLOSED = networks(
    "0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24, 192.88.99.0/24,"
    "192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4,"
    "2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20"
)
"""Special-purpose networks (IANA's registries). Of IPv6 only 2000::/3 is public at all: ULA, site-local need no row."""
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_MAPPED = IPv6Network("::ffff:0:0/96")
_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_NAT64_LOCAL = IPv6Network("64:ff9b:1::/48")
