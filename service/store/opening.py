"""A store at an address, with the client settings that our commits need."""

from __future__ import annotations

import time
from typing import Any

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.retry import Retry

from service.store.address import cluster_at, verify
from service.store.cluster import Cluster
from service.store.crawls import CrawlStore

FRESH_SECONDS = 0.02
"""No server dies and comes back within this time, so a connection on which it answered so lately still stands."""


def open_store(url: str, *, connections: int = 64, keep_events: int = 10_000) -> CrawlStore:
    """The store at redis://, rediss://, redis+cluster://, rediss+cluster:// or unix://. Does not connect yet.

    ValueError for any other address, or one that holds what we do not take from there.

    To be called in the process that uses it, after every fork.
    """
    return CrawlStore(open_redis(url, connections=connections), keep_events=keep_events)


def open_redis(url: str, *, connections: int = 64) -> Redis:
    """A client that gives up rather than send a command twice.

    redis-py by default sends a command again, up to ten times, when its reply is late: a commit could be made twice. So
    there are no retries, and time limits that make a store that is down known within a fraction of a second.
    """
    verify(url)
    if cluster := cluster_at(url):
        return Cluster(cluster.places, lambda place: open_redis(cluster.url(place), connections=connections))
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=3,  # for one of the connections, when all are in use
        socket_timeout=1.0,
        socket_connect_timeout=0.3,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        health_check_interval=0,
    )
    pool.connection_class = type("FreshConnection", (_Fresh, pool.connection_class), {})
    return Redis(connection_pool=pool)


class _Fresh(AbstractConnection):
    """A connection that is not asked before each command whether the server has hung up, if it has just answered.

    The pool asks by polling the socket, which under gevent takes as long as the rest of a command. What is not known to
    have been read to its end is asked about always.
    """

    _answered = 0.0

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        self._answered = 0.0
        super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        response = super().read_response(*arguments, **options)
        self._answered = time.monotonic()
        return response

    def can_read(self, timeout: float = 0) -> bool:
        fresh = timeout == 0 and time.monotonic() - self._answered <= FRESH_SECONDS
        return not fresh and super().can_read(timeout)
