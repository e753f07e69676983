"""Our Lua scripts, and what Redis's own errors mean to us."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha1
from importlib.resources import files
from typing import Any

from redis import Redis
from redis import exceptions as redis_errors

from service.store.cluster import Cluster
from service.store.errors import (
    CrawlExists,
    CrawlNotFound,
    CrawlTooLarge,
    IdempotencyKeyReused,
    StaleCrawl,
    StoreFull,
    StoreUnavailable,
    TooManyWebhooks,
    WebhookInactive,
    WebhookNotFound,
)
from service.store.keys import MAX_WEBHOOKS

_NOT_THERE = (
    redis_errors.ConnectionError,
    redis_errors.TimeoutError,
    redis_errors.ClusterError,
    redis_errors.TryAgainError,  # its keys are being moved to another node: nothing has run
    redis_errors.ReadOnlyError,
    redis_errors.InvalidResponse,  # something else listens there
)

# Answers of a server that is there but cannot serve now (those for which redis-py has no class of their own).
_NOT_NOW = ("BUSY", "NOREPLICAS", "MISCONF", "UNKILLABLE", "DB index", "Protocol error: unauthenticated")


class Script:
    """One Lua script, sent by its digest; in full once when the server does not know it (any more)."""

    def __init__(self, *parts: str, flags: str = "") -> None:
        """The files named, behind one another. Without flags a full server refuses the script whole: a writing script
        has none, one that only reads "no-writes", one that makes room in the end "allow-oom"."""
        shebang = f"#!lua flags={flags}" if flags else "#!lua"
        self._text = "\n".join((shebang, *map(_text, parts)))
        self._digest = sha1(self._text.encode(), usedforsecurity=False).hexdigest()

    def call(self, redis: Redis, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        """What the script answers. Never sent twice: a lost reply is StoreUnavailable, whether it ran or not."""
        with plainly():
            try:
                return _answer(redis, "EVALSHA", self._digest, len(keys), *keys, *arguments)
            except redis_errors.NoScriptError:
                return _answer(redis, "EVAL", self._text, len(keys), *keys, *arguments)

    def run(self, redis: Redis, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> list[Any]:
        """What it answers when it went well, its first word `OK` or `REPLAY`; else the error that word stands for."""
        reply = self.call(redis, keys, arguments)
        match reply[0]:
            case b"OK" | b"REPLAY":
                return list(reply)
            case b"MISMATCH":
                raise IdempotencyKeyReused
            case b"MISSING":
                raise CrawlNotFound
            case b"LARGE":
                raise CrawlTooLarge
            case b"EXISTS":
                raise CrawlExists
            case b"NONE":
                raise WebhookNotFound
            case b"INACTIVE":
                raise WebhookInactive
            case b"MANY":
                raise TooManyWebhooks(MAX_WEBHOOKS)
            case _:
                raise StaleCrawl


def _answer(redis: Redis, *command: str | bytes | int) -> Any:
    """What the client's own `execute_command` answers, without its retries and measurements, which take as long again.

    A connection on which anything goes wrong has hung up by itself before it is given back.
    """
    if isinstance(redis, Cluster):
        return redis.execute_command(*command)
    pool = redis.connection_pool
    connection = pool.get_connection()
    try:
        connection.send_command(*command)  # type: ignore[no-untyped-call]
        return connection.read_response()
    finally:
        pool.release(connection)


@contextmanager
def plainly() -> Iterator[None]:
    """Turns Redis's errors into ours. Their texts stay behind: they may name hosts."""
    try:
        yield
    except redis_errors.OutOfMemoryError:
        raise StoreFull from None
    except _NOT_THERE as error:
        raise StoreUnavailable from error
    except redis_errors.ResponseError as error:
        if str(error).startswith("MISCONF") and "No space" in str(error):
            raise StoreFull from None
        if str(error).startswith(_NOT_NOW):
            raise StoreUnavailable from error
        raise


def _text(name: str) -> str:
    return files(__package__).joinpath(f"{name}.lua").read_text(encoding="utf-8")
