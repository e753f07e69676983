"""Addresses of stores: which there may be, and what may stand in one.

What is asked of a client in its address ends at who asks and how the line is secured: time limits, retries and encoding
are ours, since commits rest on them. No refusal repeats the address, which may hold a password.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

SCHEMES = ("redis", "rediss", "redis+cluster", "rediss+cluster", "unix")

_ANY = {"client_name", "db", "password", "username"}
_TLS = {
    *("ssl_ca_certs", "ssl_ca_data", "ssl_ca_path", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname"),
    *("ssl_keyfile", "ssl_password"),
}
_CHECKS = ("none", "optional", "required")


class Place(NamedTuple):
    """Where one node of a cluster listens."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """Some nodes of a Redis Cluster, and what each of its nodes is told."""

    places: tuple[Place, ...]
    _scheme: str
    _user: str
    _query: str

    def url(self, place: Place) -> str:
        """The address of one node, whether it was named or heard of."""
        host = f"[{place.host}]" if ":" in place.host else place.host
        return f"{self._scheme}://{self._user}{host}:{place.port}{self._query}"


def verify(url: str) -> None:
    """ValueError when no store can lie there; its sentence says what to change."""
    parts = _split(url)
    _verify_query(parts)
    if parts.scheme == "unix":
        if not parts.path:
            raise ValueError("give the path of the socket, such as unix:///run/valkey/valkey.sock")
        return
    places = _places(parts)
    if "cluster" in parts.scheme:
        if parts.path.strip("/") not in ("", "0"):
            raise ValueError("a cluster has database 0 alone: leave the path out")
        return
    if len(places) > 1:
        raise ValueError(f"several servers are a cluster: begin with {parts.scheme}+cluster://")
    if not parts.path.strip("/").isdecimal() and parts.path.strip("/"):
        raise ValueError("the path behind the port is the number of a database, such as /0")


def cluster_at(url: str) -> ClusterAddress | None:
    """The cluster that the address names; None when it names one server."""
    parts = _split(url)
    scheme, _, cluster = parts.scheme.partition("+")
    if not cluster:
        return None
    user, at, _ = parts.netloc.rpartition("@")
    return ClusterAddress(_places(parts), scheme, user + at, f"?{parts.query}" if parts.query else "")


def shown(url: str) -> str:
    """The address for people to read: without name, password and whatever else is told in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("it cannot be read; an IPv6 address stands in brackets") from None
    if parts.scheme not in SCHEMES:
        raise ValueError(f"give a URL that begins with one of {', '.join(f'{scheme}://' for scheme in SCHEMES)}")
    if parts.fragment or "#" in url:
        raise ValueError("write a # in a password as %23")
    return parts


def _verify_query(parts: SplitResult) -> None:
    known = _ANY | _TLS if parts.scheme.startswith("rediss") else _ANY
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name in _TLS - known:
            raise ValueError(f"the parameter {name} belongs to rediss://")
        if name not in known:
            raise ValueError(f"only these parameters may follow the ?: {', '.join(sorted(known))}")
        if name == "db" and not value.isdecimal():
            raise ValueError("the parameter db is the number of a database")
        if name == "ssl_cert_reqs" and value not in _CHECKS:
            raise ValueError(f"the parameter ssl_cert_reqs is one of {', '.join(_CHECKS)}")


def _places(parts: SplitResult) -> tuple[Place, ...]:
    """`host:port,host:port`; the port may be left out, as may a single host."""
    return tuple(_place(part) for part in parts.netloc.rpartition("@")[2].split(","))


def _place(part: str) -> Place:
    host, colon, port = part.rpartition(":")
    if not colon or part.endswith("]"):
        host, port = part, "6379"
    if not port.isdecimal() or int(port) > 65_535:
        raise ValueError("a port is a number up to 65535; write / : @ in a password as %2F %3A %40")
    return Place(host.strip("[]") or "localhost", int(port))
