"""Whether the store keeps what it has acknowledged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redis import Redis
from redis.exceptions import ResponseError

from service.store.records import Finding
from service.store.scripts import plainly

_OLDEST = (7, 0)


def durability(redis: Redis) -> tuple[Finding, ...]:
    """What is wrong with the store's settings, the gravest first; nothing when all is well."""
    with plainly():
        info: Any = redis.info()
        fsync = _fsync(redis)
    findings = (
        _version(info),
        _role(info),
        _append_only(info),
        _eviction(info),
        _fsync_finding(fsync),
        _last_write(info),
    )
    return tuple(sorted((finding for finding in findings if finding), key=lambda finding: not finding.grave))


def _version(info: Mapping[str, Any]) -> Finding | None:
    version = str(info.get("redis_version", "0"))
    if tuple(int(part) for part in version.split(".")[:2]) >= _OLDEST:
        return None
    return Finding(True, f"The store speaks Redis {version}; Redis 7.0 or Valkey 7.2 is needed.")


def _role(info: Mapping[str, Any]) -> Finding | None:
    if info.get("role") == "master":
        return None
    return Finding(True, "The store is a replica; give the address of the primary.")


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
