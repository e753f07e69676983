"""What webhooks are still to be told: taken out of the outbox, queued for each webhook, leased to a worker, recorded.

A partition's outbox is read without a consumer group: one script deletes an entry and queues its deliveries, so there
is nothing to acknowledge, to claim back, or to lose with a group. A delivery waits in its webhook's queue; the
partition's `due` set knows the webhooks, by when each can next be served, so that one with a long queue is in nobody's
way. Queues name events; what is sent is read out of the crawl's own stream when it is sent. Every moment is the store's
clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import orjson
from redis import Redis

from service.store import keys
from service.store.records import Delivery
from service.store.scripts import Script, plainly

LEASE_SECONDS = 25
"""How long a try may take before another worker makes the next one; longer than any send, with its record, takes."""

_QUEUE, _CLAIM, _RECORD, _DISABLE = (
    Script("delivery_common", f"delivery_{name}", flags="allow-oom") for name in ("queue", "claim", "record", "disable")
)

_COUNT = Script("delivery_count", flags="no-writes")


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in the outbox, and the webhooks that its crawl has now. `public_sequence` is None if it is the GM's."""

    id: str
    crawl: str
    event: str
    type: str
    sequence: int
    public_sequence: int | None
    webhooks: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery leased for one try.

    `tries` counts all that began and is the fencing token, `attempt` those since it was queued, from 1. `event` is what
    is to be sent, None when it is no longer kept; `failures` in a row of its webhook last for `failing` seconds by now.
    """

    partition: int
    id: str
    crawl: str
    webhook: str
    tries: int
    attempt: int
    sequence: int
    event: bytes | None
    document: bytes
    failures: int
    failing: float

    def read_event(self) -> dict[str, Any] | None:
        return None if self.event is None else orjson.loads(self.event)

    def read_webhook(self) -> dict[str, Any]:
        return dict(orjson.loads(self.document))


@dataclass(frozen=True, slots=True)
class Claims:
    """What was leased, and the seconds until there may be more, None when nothing is waiting."""

    deliveries: tuple[Claimed, ...]
    following: float | None


@dataclass(frozen=True, slots=True)
class Record:
    """What came of a try: the delivery's status from now on, the seconds to its next try when it waits, and the result
    that its log shows.

    For its webhook: what the try `says` of it ("" nothing), seconds for which to leave it alone, and whether it is only
    probed from now on.
    """

    status: str
    result: Mapping[str, Any]
    says: Literal["arrived", "failed", ""] = ""
    wait: float = 0.0
    rest: float = 0.0
    probe: bool = False


@dataclass(frozen=True, slots=True)
class Depth:
    """What waits: events of which no deliveries were made yet, deliveries, and the active webhooks they are for."""

    events: int
    deliveries: int
    webhooks: int


class Outbox:
    """The outboxes and deliveries of all partitions. Every method may raise StoreUnavailable.

    `clock` gives milliseconds in place of the store's own clock: tests let days pass with it.
    """

    def __init__(self, redis: Redis, clock: Callable[[], int] | None = None) -> None:
        self._redis = redis
        self._clock = clock

    def read(self, partition: int, limit: int = 50) -> list[Entry]:
        """The oldest entries, each with its crawl's webhooks. They stay until `queue` takes them."""
        with plainly():
            found: Any = self._redis.xrange(keys.outbox(partition), count=limit)
            crawls = {fields[b"crawl"].decode() for _, fields in found}
            documents = {crawl: self._webhooks(crawl) for crawl in crawls}
        return [_entry(id_, fields, documents) for id_, fields in found]

    def queue(self, partition: int, work: Iterable[tuple[Entry, Iterable[Delivery]]]) -> int:
        """Takes the entries out of the outbox and queues these deliveries of each; says how many were still there."""
        told: list[str | int] = []
        for entry, deliveries in work:
            parts = [
                (each.id, each.webhook, each.event, each.type, each.audience, each.sequence) for each in deliveries
            ]
            told += [entry.id, entry.crawl, len(parts), *(value for part in parts for value in part)]
        names = [keys.outbox(partition), keys.due(partition)]
        return int(_QUEUE.call(self._redis, names, [keys.tag(partition), self._moment(), *told]))

    def claim(self, partition: int, limit: int) -> Claims:
        """Leases what is due, at most `limit` deliveries, and of each webhook as many as it is allowed, two at most.

        The store counts the try as begun.
        """
        told = [keys.tag(partition), self._moment(), LEASE_SECONDS * 1000, limit]
        now, following, *found = _CLAIM.call(self._redis, [keys.due(partition)], told)
        deliveries = tuple(_claimed(partition, now, *fields) for fields in found)
        return Claims(deliveries, None if following < 0 else following / 1000)

    def record(self, claimed: Claimed, record: Record) -> bool:
        """Keeps what came of a try. False, and nothing is changed, when a later try has begun meanwhile."""
        told: list[str | bytes | int] = [
            *(keys.tag(claimed.partition), self._moment(), claimed.crawl, claimed.webhook, claimed.id, claimed.tries),
            *(record.status, round(record.wait * 1000), orjson.dumps(record.result)),
            *(record.says, round(record.rest * 1000), "1" if record.probe else ""),
        ]
        return bool(_RECORD.call(self._redis, [keys.due(claimed.partition)], told))

    def disable(self, claimed: Claimed, reason: str) -> bool:
        """Disables the webhook; what waits for it is kept. False when its document has changed meanwhile."""
        document = {**claimed.read_webhook(), "status": "disabled", "status_reason": reason}
        names = [keys.due(claimed.partition), keys.keys_of(claimed.crawl).webhooks]
        told: list[str | bytes | int] = [
            *(keys.tag(claimed.partition), claimed.crawl, claimed.webhook, claimed.document, orjson.dumps(document))
        ]
        return bool(_DISABLE.call(self._redis, names, told))

    def waiting(self) -> list[int]:
        """The partitions that have anything in their outbox or queues, now or later."""
        return [partition for partition, counts in enumerate(self._counts()) if any(counts)]

    def depth(self) -> Depth:
        """What waits, in all partitions; those where deliveries do take a round trip each."""
        counts = self._counts()
        deliveries = sum(
            int(_COUNT.call(self._redis, [keys.due(partition)], [keys.tag(partition)]))
            for partition, (_, webhooks) in enumerate(counts)
            if webhooks
        )
        return Depth(sum(events for events, _ in counts), deliveries, sum(webhooks for _, webhooks in counts))

    def listen(self) -> Signals:
        """The partitions that commits write to from now on. A signal can be missed: look at `waiting` now and then."""
        return Signals(self._redis)

    def _counts(self) -> list[tuple[int, int]]:
        """Of each partition, the events in its outbox and the webhooks that are due. Two cheap commands each."""
        with plainly():
            pipe = self._redis.pipeline(transaction=False)
            for partition in range(keys.PARTITIONS):
                pipe.xlen(keys.outbox(partition))
                pipe.zcard(keys.due(partition))
            found = pipe.execute()
        return list(zip(found[::2], found[1::2], strict=True))

    def _webhooks(self, crawl: str) -> tuple[Mapping[str, Any], ...]:
        found: Any = self._redis.hvals(keys.keys_of(crawl).webhooks)
        return tuple(orjson.loads(document) for document in found)

    def _moment(self) -> int | str:
        return self._clock() if self._clock else ""


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


def _entry(id_: bytes, fields: Mapping[bytes, bytes], documents: Mapping[str, tuple[Mapping[str, Any], ...]]) -> Entry:
    crawl = fields[b"crawl"].decode()
    return Entry(
        id=id_.decode(),
        crawl=crawl,
        event=fields[b"event"].decode(),
        type=fields[b"type"].decode(),
        sequence=int(fields[b"seq"]),
        public_sequence=int(fields[b"pseq"]) if fields[b"pseq"] else None,
        webhooks=documents[crawl],
    )


def _claimed(partition: int, now: int, *fields: Any) -> Claimed:
    id_, crawl, webhook, tries, base, sequence, event, document, failures, since = fields
    return Claimed(
        partition=partition,
        id=id_.decode(),
        crawl=crawl.decode(),
        webhook=webhook.decode(),
        tries=tries,
        attempt=tries - int(base),
        sequence=int(sequence),
        event=event,
        document=document,
        failures=int(failures),
        failing=(now - int(since)) / 1000 if since else 0.0,
    )
