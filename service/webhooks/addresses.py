"""Which addresses a webhook may reach: what anybody could reach, and what the operator opens.

A webhook's URL is written by anybody who holds a GM's token, so the service refuses to be sent to what only it can
reach: its own host, its network, and the metadata services of clouds. An operator opens networks by an allow-list;
the metadata addresses stay shut whatever that list says.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Networks = tuple[Network, ...]


def networks(text: str) -> Networks:
    """The networks of a comma-separated list such as "127.0.0.0/8, fd12::/16"; ValueError names what is none."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


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
