"""A store at an address, with the client settings that our commits need."""

from __future__ import annotations

from redis import BlockingConnectionPool, Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store.crawls import CrawlStore


def open_store(url: str, *, connections: int = 64, keep_events: int = 10_000) -> CrawlStore:
    """The store at redis://, rediss:// or unix://; ValueError for any other address. Does not connect yet.

    To be called in the process that uses it, after every fork.
    """
    return CrawlStore(open_redis(url, connections=connections), keep_events=keep_events)


def open_redis(url: str, *, connections: int = 64) -> Redis:
    """A client that gives up rather than send a command twice.

    redis-py by default sends a command again, up to ten times, when its reply is late: a commit could be made twice. So
    there are no retries, and time limits that make a store that is down known within a fraction of a second.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=1,
        socket_timeout=1.0,
        socket_connect_timeout=0.3,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        health_check_interval=0,
    )
    return Redis(connection_pool=pool)
