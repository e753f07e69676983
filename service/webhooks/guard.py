"""Where a webhook may go: its URL's form, then every address that DNS has for it, before anything connects."""

from __future__ import annotations

import re
import socket
import threading
from ipaddress import ip_address
from typing import Any

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from service.webhooks.addresses import Address, Networks, may_reach

MAX_URL = 2048
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?")
CLOSED_PORTS = frozenset({2375, 2376, 2379, 5432, 6379, 9200, 11211, 27017})
"""Ports of services that take commands from whoever connects; shut on every address."""


class AddressRefused(Exception):
    """The host has an address that webhooks may not go to. Its text is for the operator, never for the GM."""


class BadUrl(ValueError):
    """The URL cannot be a webhook's, whatever it resolves to; the text says why, and names no address."""


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
    if "@" in url.partition("://")[2].partition("/")[0]:
        raise BadUrl("a webhook's URL holds no user name or password")
    if not parts.host or not _is_host(parts.host):
        raise BadUrl("a webhook's URL names a host")
    port = parts.port if parts.port is not None else _port_of(parts.scheme)
    if port in CLOSED_PORTS or (port < 1024 and port not in (80, 443)):
        raise BadUrl(f"webhooks do not go to port {port}")
    return parts._replace(port=port, fragment=None)


def verify_destination(url: str, allow: Networks) -> None:
    """BadUrl for a URL that is no webhook's, or of which no DNS is needed to know that nothing would be sent there."""
    parts = verify_url(url)
    plain = parts.scheme == "http"
    if plain and not allow:
        raise BadUrl(
            "a webhook's URL starts with https://: plain http goes into networks that the operator allows, only"
        )
    address = _literal((parts.host or "").strip("[]"))
    if address and not may_reach(address, allow, plain=plain):
        raise BadUrl("webhooks do not go to this address; an operator can allow its network (ALARUM_WEBHOOK_ALLOW)")


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


def _look_up(host: str, port: int, seconds: float) -> list[tuple[int, Any]]:
    """getaddrinfo, which takes no timeout of its own: it runs in a thread that is left behind when it is too slow."""
    answer: list[Any] = []

    def ask() -> None:
        try:
            answer.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.append(error)

    if _literal(host):
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


def _is_host(host: str) -> bool:
    """An address in its form, or a name of labels as DNS takes them."""
    if ":" in host or "[" in host:
        return "%" not in host and _literal(host.strip("[]")) is not None
    return len(host) <= 253 and _NAME.fullmatch(host) is not None


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _port_of(scheme: str) -> int:
    return 443 if scheme == "https" else 80
