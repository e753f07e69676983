"""Whether the store keeps what it has acknowledged."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from redis import Redis
from redis.exceptions import ConnectionError, NoPermissionError, ResponseError, TimeoutError  # noqa: A004

from service.store.cluster import nodes
from service.store.records import Finding
from service.store.scripts import plainly

CLOCKS_APART = 30
"""Seconds that the store's clock may differ from ours before it is worth a word."""

_AWAY = (ConnectionError, TimeoutError)
_OLDEST = (7, 0)  # the first with `#!lua`, which the scripts begin with


def durability(redis: Redis) -> tuple[Finding, ...]:
    """What is wrong with the store's settings, the gravest first; nothing when all is well.

    Of a cluster every node is asked; what is found at some is said once, with their number.
    """
    with plainly():
        servers = nodes(redis)
        found = Counter(finding for server in servers for finding in _findings(server, alone=server is redis))
    told = (
        finding if len(servers) == 1 else replace(finding, detail=f"{count} of {len(servers)} nodes: {finding.detail}")
        for finding, count in found.items()
    )
    return tuple(sorted(told, key=lambda finding: not finding.grave))


def _findings(server: Redis, *, alone: bool) -> Iterator[Finding]:
    try:
        info: Any = server.info()
    except _AWAY:
        if alone:
            raise
        yield Finding(False, "The store does not answer.")
        return
    except NoPermissionError:
        yield Finding(True, "The store does not let us see INFO, which tells a failover; allow it with `+info`.")
        return
    checks = (
        _version(info),
        _role(info) if alone else _state(server),
        _append_only(info),
        _eviction(info),
        _fsync_finding(_fsync(server)),
        _last_write(info),
        _replicas(info),
        _clock(server),
    )
    yield from filter(None, checks)


def _version(info: Mapping[str, Any]) -> Finding | None:
    version = str(info.get("redis_version", "0"))
    if tuple(int(part) for part in version.split(".")[:2]) >= _OLDEST:
        return None
    return Finding(True, f"The store speaks Redis {version}; Redis 7.0 or Valkey 7.2 is needed.")


def _role(info: Mapping[str, Any]) -> Finding | None:
    if info.get("role") == "master":
        return None
    return Finding(True, "The store is a replica; give the address of the primary.")


def _state(node: Redis) -> Finding | None:
    if cast("Any", node).execute_command("CLUSTER INFO")["cluster_state"] == "ok":
        return None
    return Finding(True, "The cluster is not whole: some crawls cannot be reached.")


def _replicas(info: Mapping[str, Any]) -> Finding | None:
    if info.get("role") != "master" or not info.get("connected_slaves") or "min_slaves_good_slaves" in info:
        return None
    return Finding(False, "A failover can lose the last rounds; `min-replicas-to-write 1` would make them fewer.")


def _clock(server: Redis) -> Finding | None:
    began = time.time()
    seconds, micros = server.time()
    apart = seconds + micros / 1_000_000 - (began + time.time()) / 2
    if abs(apart) <= CLOCKS_APART:
        return None
    way = "ahead of" if apart > 0 else "behind"
    return Finding(False, f"The store's clock is {abs(apart):.0f} s {way} this machine's; set both by the same source.")


def _append_only(info: Mapping[str, Any]) -> Finding | None:
    if info.get("aof_enabled"):
        return None
    return Finding(True, "The store keeps no append-only file; set `appendonly yes`, or a restart loses crawls.")


def _eviction(info: Mapping[str, Any]) -> Finding | None:
    policy = info.get("maxmemory_policy", "noeviction")
    if policy == "noeviction":
        return None
    return Finding(True, f"The store evicts keys when full ({policy}); set `maxmemory-policy noeviction`.")


def _fsync_finding(fsync: str | None) -> Finding | None:
    if fsync == "always":
        return None
    if fsync == "everysec":
        return Finding(False, "A power cut can lose the last second; `appendfsync always` would keep it.")
    if fsync == "no":
        return Finding(True, "The store leaves writing to the system; set `appendfsync always`.")
    return Finding(False, "The store does not show its `appendfsync`; make sure that it is `always`.")


def _last_write(info: Mapping[str, Any]) -> Finding | None:
    if info.get("aof_last_write_status", "ok") == "ok":
        return None
    return Finding(True, "The store could not write its append-only file; look at its disk.")


def _fsync(redis: Redis) -> str | None:
    """None where CONFIG is forbidden, as with many hosted stores."""
    try:
        settings: Any = redis.config_get("appendfsync")
    except ResponseError:
        return None
    return str(settings["appendfsync"]) if "appendfsync" in settings else None
