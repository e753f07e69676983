"""What webhooks are still to be told: taken out of the outbox, queued for each webhook, leased to a worker, recorded.

A partition's outbox is read without a consumer group: one script deletes an entry and queues its deliveries, so there
is nothing to acknowledge, to claim back, or to lose with a group. A delivery waits in its webhook's queue; the
partition's `due` set knows the webhooks, by when each can next be served, so that one with a long queue is in nobody's
way. Every moment is the store's clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import orjson
from redis import Redis

from service.store import keys
from service.store.scripts import plainly

AT_ONCE = 2
"""Deliveries of one webhook that may be on their way together, over all workers."""
LEASE_SECONDS = 25
"""How long a try may take before another worker makes the next one; longer than any send, with its record, takes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in the outbox, its JSON without a sequence, and the webhooks that its crawl has now."""

    id: str
    crawl: str
    event: bytes
    sequence: int
    public: bytes | None
    public_sequence: int | None
    webhooks: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Queued:
    """A delivery to be made: its id tells event and webhook apart from all others, and `body` is what is sent."""

    id: str
    webhook: str
    type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery leased for its try number `tries`; `document` is its webhook as stored, None when it is gone."""

    partition: int
    id: str
    crawl: str
    webhook: str
    tries: int
    type: str
    body: bytes
    document: bytes | None

    def read(self) -> Mapping[str, Any] | None:
        """The webhook's document."""
        return None if self.document is None else dict(orjson.loads(self.document))


@dataclass(frozen=True, slots=True)
class Claims:
    """What was leased, and the seconds until there may be more, None when nothing is waiting."""

    deliveries: tuple[Claimed, ...]
    following: float | None


class Outbox:
    """The outboxes and deliveries of all partitions. Every method may raise StoreUnavailable.

    `clock` gives milliseconds in place of the store's own clock: tests let days pass with it.
    """

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis = redis
        self._clock = clock
        self._queue = redis.register_script(_script("queue"))
        self._claim = redis.register_script(_script("claim"))
        self._record = redis.register_script(_script("record"))
        self._discard = redis.register_script(_script("discard"))

    def read(self, partition: int, limit: int = 50) -> list[Entry]:
        """The oldest entries, each with its crawl's webhooks. They stay until `queue` takes them."""
        with plainly():
            found: Any = self._redis.xrange(keys.outbox(partition), count=limit)
            crawls = {fields[b"crawl"].decode() for _, fields in found}
            documents = {crawl: self._webhooks(crawl) for crawl in crawls}
        return [_entry(id_, fields, documents) for id_, fields in found]

    def queue(self, partition: int, work: Iterable[tuple[Entry, Iterable[Queued]]]) -> int:
        """Takes the entries out of the outbox and queues these deliveries of each; says how many were still there."""
        told: list[Any] = []
        for entry, deliveries in work:
            parts = [(each.id, entry.crawl, each.webhook, each.type, each.body) for each in deliveries]
            told += [entry.id, len(parts), *(value for part in parts for value in part)]
        with plainly():
            names = [keys.outbox(partition), keys.due(partition)]
            return int(self._queue(names, [keys.tag(partition), self._moment(), AT_ONCE, *told]))

    def claim(self, partition: int, limit: int) -> Claims:
        """Leases what is due, at most `limit` deliveries and two of each webhook. The store counts the try as begun."""
        with plainly():
            told = [keys.tag(partition), self._moment(), AT_ONCE, LEASE_SECONDS * 1000, limit]
            following, *found = self._claim([keys.due(partition)], told)
        deliveries = tuple(
            Claimed(partition, id_.decode(), crawl.decode(), hook.decode(), int(tries), kind.decode(), body, document)
            for id_, crawl, hook, tries, kind, body, document in found
        )
        return Claims(deliveries, None if following < 0 else following / 1000)

    def finish(self, claimed: Claimed) -> bool:
        """The delivery is over, well or not. False, and nothing is changed, when a later try has begun meanwhile."""
        return self._keep(claimed, "")

    def put_off(self, claimed: Claimed, seconds: float) -> bool:
        """The delivery is due again after so many seconds. False as in `finish`."""
        return self._keep(claimed, round(seconds * 1000))

    def discard(self, claimed: Claimed) -> int:
        """Forgets all that waits for this delivery's webhook; says how many deliveries that were."""
        return self._end(claimed, b"")

    def disable(self, claimed: Claimed, reason: str) -> bool:
        """Disables the webhook and forgets all that waits for it. False when its document has changed meanwhile."""
        document = {**(claimed.read() or {}), "status": "disabled", "status_reason": reason}
        return self._end(claimed, orjson.dumps(document)) >= 0

    def waiting(self) -> list[int]:
        """The partitions that have anything in their outbox or queues, now or later. Two cheap commands each."""
        with plainly():
            pipe = self._redis.pipeline(transaction=False)
            for partition in range(keys.PARTITIONS):
                pipe.xlen(keys.outbox(partition))
                pipe.zcard(keys.due(partition))
            counts = pipe.execute()
        return [partition for partition in range(keys.PARTITIONS) if any(counts[2 * partition : 2 * partition + 2])]

    def listen(self) -> Signals:
        """The partitions that commits write to from now on. A signal can be missed: look at `waiting` now and then."""
        return Signals(self._redis)

    def _webhooks(self, crawl: str) -> tuple[Mapping[str, Any], ...]:
        found: Any = self._redis.hvals(keys.keys_of(crawl).webhooks)
        return tuple(orjson.loads(document) for document in found)

    def _keep(self, claimed: Claimed, wait: int | str) -> bool:
        told: list[str | int] = [claimed.crawl, claimed.webhook, claimed.id, claimed.tries, wait]
        with plainly():
            tag = keys.tag(claimed.partition)
            return bool(self._record([keys.due(claimed.partition)], [tag, self._moment(), AT_ONCE, *told]))

    def _moment(self) -> int | str:
        return self._clock() if self._clock else ""

    def _end(self, claimed: Claimed, document: bytes) -> int:
        told: list[str | bytes] = [claimed.crawl, claimed.webhook, claimed.document or b"", document]
        with plainly():
            names = [keys.due(claimed.partition), keys.keys_of(claimed.crawl).webhooks]
            return int(self._discard(names, [keys.tag(claimed.partition), *told]))


class Signals:
    """A subscription to what commits signal; close it when done."""

    def __init__(self, redis: Redis) -> None:
        self._heard: Any = redis.pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
        with plainly():
            self._heard.subscribe(keys.WAKE)

    def close(self) -> None:
        self._heard.close()

    def wait(self, seconds: float) -> int | None:
        """The partition of the next signal, None when none came in time."""
        with plainly():
            message = self._heard.get_message(timeout=seconds)
        data = message["data"] if message else b""
        return int(data) if data.isdigit() and int(data) < keys.PARTITIONS else None


def _script(name: str) -> str:
    """Allowed when the store is full: all of them make room in the end."""
    here = files("service.store")
    texts = [here.joinpath(f"outbox_{part}.lua").read_text("utf-8") for part in ("common", name)]
    return "\n".join(["#!lua flags=allow-oom", *texts])


def _entry(id_: bytes, fields: Mapping[bytes, bytes], documents: Mapping[str, tuple[Mapping[str, Any], ...]]) -> Entry:
    crawl = fields[b"crawl"].decode()
    public = int(fields[b"pseq"]) if fields[b"pseq"] else None
    return Entry(
        id=id_.decode(),
        crawl=crawl,
        event=fields[b"e"],
        sequence=int(fields[b"seq"]),
        public=fields[b"p"] if public is not None else None,
        public_sequence=public,
        webhooks=documents[crawl],
    )
