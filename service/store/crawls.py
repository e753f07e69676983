"""The way in: one read and one commit for a crawl, each one round trip, and the lists around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson
from redis import Redis

from service.rules.model import Crawl, Encounter
from service.store import codec
from service.store.answers import as_kept, given_again, kept_under
from service.store.deliveries import Deliveries
from service.store.errors import EventsTrimmed
from service.store.failures import Failures
from service.store.feed import Feed
from service.store.keyring import Keyring
from service.store.keys import STATE_FIELDS, ended, keys_of, partition_of_scope, tag
from service.store.owned import Owned
from service.store.pairings import Pairings
from service.store.quotas import Quotas
from service.store.reading import crawl_of, loaded
from service.store.records import Answer, Change, CrawlPage, EventPage, Idempotency, Loaded, Token
from service.store.scripts import Script, plainly
from service.store.tickets import Tickets
from service.store.webhooks import Webhooks
from service.store.whole import Wholes
from service.store.writing import as_written, keys_to_write

NEWEST_PENDING = 20

_LOAD = Script("idempotency", "load", flags="no-writes")
_REPLAY = Script("idempotency", "replay", flags="no-writes")
_COMMIT = Script("idempotency", "line", "commit")
_DELETE = Script("idempotency", "delivery_common", "delete")


class CrawlStore:
    """Crawls in Redis. Every method may raise StoreUnavailable; every one that writes, StoreFull.

    `keep_events` is how many of a crawl's events, the newest, can be read again.
    """

    def __init__(self, redis: Redis, *, keep_events: int = 10_000) -> None:
        self.redis = redis
        self.keyring = Keyring(redis)
        self.webhooks = Webhooks(redis)
        self.deliveries = Deliveries(redis)
        self.failures = Failures(redis)
        self.quotas = Quotas(redis, self.keyring)
        self.tickets = Tickets(redis)
        self.pairings = Pairings(redis)
        self._owned = Owned(redis, self.quotas)
        self.wholes = Wholes(redis, self._owned)
        self._keep_events = keep_events

    def load(
        self,
        crawl_id: str,
        token_hash: str | None,
        *,
        idempotency: Idempotency | None = None,
        pending: bool = False,
        last_step: bool = False,
        last_undone: bool = False,
    ) -> Loaded | Answer:
        """The crawl as it stands, or what this idempotency key brought before (`replayed`).

        A replay is given only to a token that the crawl still knows, or when the crawl itself is gone (its deletion,
        replayed). `pending` asks for the newest 20 pending encounters, newest first, and their number.
        Raises CrawlNotFound, IdempotencyKeyReused, AnswerSealed.
        """
        keys = keys_of(crawl_id)
        reply = _LOAD.run(
            self.redis,
            [
                *kept_under(keys.partition, idempotency),
                keys.crawl,
                keys.tokens,
                keys.declarations,
                keys.history,
                keys.redo,
                keys.encounters_pending,
                keys.encounters,
            ],
            [
                idempotency.fingerprint if idempotency else "",
                token_hash or "",
                NEWEST_PENDING if pending else 0,
                "1" if last_step else "",
                "1" if last_undone else "",
                *STATE_FIELDS,
            ],
        )
        if idempotency is not None and reply[0] == b"REPLAY":
            return given_again(reply, idempotency)
        return loaded(crawl_id, reply)

    def replay(self, idempotency: Idempotency) -> Answer | None:
        """What a request that names no crawl (starting one) was answered before. Errors as in `load`."""
        keys = kept_under(partition_of_scope(idempotency.scope), idempotency)
        reply = _REPLAY.run(self.redis, keys, [idempotency.fingerprint])
        return given_again(reply, idempotency) if reply[0] == b"REPLAY" else None

    def commit(self, change: Change) -> Answer | None:
        """Keeps all of the change and gives its answer; or, when a twin with the same key won, that one's (`replayed`).

        Raises StaleCrawl (version or declarations revision moved), CrawlNotFound, CrawlExists, IdempotencyKeyReused,
        AnswerSealed, TooManyCrawls, StoreFull, StoreUnavailable.
        """
        if not change.starts or change.crawl is None:
            return self._commit(change)
        return self._owned.begun(change.owner, change.crawl, lambda: self._commit(change))

    def _commit(self, change: Change) -> Answer | None:
        reply = _COMMIT.run(self.redis, keys_to_write(change), as_written(change, self._keep_events))
        if change.idempotency is not None and reply[0] == b"REPLAY":
            return given_again(reply, change.idempotency)
        return change.answer

    def delete(
        self,
        crawl_id: str,
        *,
        expected_version: int | None = None,
        idempotency: Idempotency | None = None,
        answer: Answer | None = None,
        ended_by: int | None = None,
    ) -> Answer | None:
        """Forgets the crawl with its tokens, webhooks, events and records. Errors as in `commit`.

        With `ended_by`, in ms since 1970, only a crawl that had ended by then; StaleCrawl for any other.
        """
        keys = keys_of(crawl_id)
        reply = _DELETE.run(
            self.redis,
            [*kept_under(keys.partition, idempotency), keys.crawl, keys.due, keys.webhooks, keys.ended, *keys.own()],
            [
                *as_kept(idempotency, answer),
                "" if expected_version is None else expected_version,
                tag(keys.partition),
                crawl_id,
                "" if ended_by is None else ended_by,
            ],
        )
        if idempotency is not None and reply[0] == b"REPLAY":
            return given_again(reply, idempotency)
        _, owner, created_at = reply
        if owner:
            self._owned.drop(owner.decode(), crawl_id, created_at.decode())
        return answer

    def crawl(self, crawl_id: str) -> Crawl | None:
        """The crawl as it stands, for whoever needs no more of it."""
        with plainly():
            fields: Any = self.redis.hmget(keys_of(crawl_id).crawl, STATE_FIELDS)
        return crawl_of(crawl_id, fields) if fields[0] else None

    def ended(self, partition: int, days: int, limit: int = 100) -> tuple[int, list[str]]:
        """The moment so many days ago by the store's clock, in ms since 1970, and crawls that had ended by then."""
        with plainly():
            seconds, micros = self.redis.time()
            by = (seconds - days * 24 * 3600) * 1000 + micros // 1000
            found: Any = self.redis.zrangebyscore(ended(partition), "-inf", by, start=0, num=limit)
        return by, [crawl_id.decode() for crawl_id in found]

    def record(self, crawl_id: str, number: int) -> Mapping[str, Any] | None:
        """What that round answered, None when no such round is in force."""
        with plainly():
            stored: Any = self.redis.hget(keys_of(crawl_id).records, str(number))
        return orjson.loads(stored) if stored else None

    def records(self, crawl_id: str, after: int, limit: int) -> list[Mapping[str, Any]]:
        """The rounds in force behind number `after`, ascending, `limit` of them at most."""
        numbers = [str(number) for number in range(after + 1, after + 1 + limit)]
        with plainly():
            stored: Any = self.redis.hmget(keys_of(crawl_id).records, numbers)
        return [orjson.loads(record) for record in stored if record]

    def encounter(self, crawl_id: str, encounter_id: str) -> Encounter | None:
        return self.encounters_by_id(crawl_id, [encounter_id]).get(encounter_id)

    def encounters(self, crawl_id: str, after: int, limit: int) -> list[Encounter]:
        """The encounters behind ordinal `after`, in the order they came, `limit` of them at most."""
        with plainly():
            found: Any = self.redis.zrangebyscore(
                keys_of(crawl_id).encounter_order, f"({after}", "+inf", start=0, num=limit
            )
        return list(self.encounters_by_id(crawl_id, [encounter_id.decode() for encounter_id in found]).values())

    def encounters_by_id(self, crawl_id: str, ids: Sequence[str]) -> dict[str, Encounter]:
        """Those of the ids that there are, in the order asked."""
        if not ids:
            return {}
        with plainly():
            stored: Any = self.redis.hmget(keys_of(crawl_id).encounters, list(ids))
        return {
            encounter_id: codec.ENCOUNTER.read(value, id=encounter_id)
            for encounter_id, value in zip(ids, stored, strict=True)
            if value
        }

    def events(self, crawl_id: str, after: int, limit: int, *, public: bool) -> EventPage:
        """The events behind sequence `after`; `public` takes those that players see, with their own sequence.

        They end before a gap, such as a failover leaves. Raises EventsTrimmed when the first is no longer kept.
        """
        keys = keys_of(crawl_id)
        with plainly():
            entries: Any = self.redis.xrange(
                keys.public_events if public else keys.events, f"{after + 1}-0", "+", count=limit + 1
            )
        events = tuple(_event(entry_id, fields) for entry_id, fields in entries)
        if events and events[0]["sequence"] != after + 1:
            raise EventsTrimmed(events[0]["sequence"])
        gap = next((n for n, event in enumerate(events, 1) if event["sequence"] != after + n), len(events) + 1)
        page = events[: min(limit, gap - 1)]
        return EventPage(events=page, more=len(events) > len(page))

    def events_between(
        self, crawl_id: str, since: datetime, until: datetime | None, *, public: bool
    ) -> list[dict[str, Any]]:
        """The events kept that came from `since` on, and before `until`, in their order."""
        keys = keys_of(crawl_id)
        found: list[dict[str, Any]] = []
        last = "+"
        while True:
            with plainly():
                entries: Any = self.redis.xrevrange(keys.public_events if public else keys.events, last, "-", count=500)
            for entry_id, fields in entries:
                event = _event(entry_id, fields)
                came = datetime.fromisoformat(event["timestamp"])
                if came < since:
                    return found[::-1]
                if until is None or came < until:
                    found.append({**event, "data": None})
            if len(entries) < 500:
                return found[::-1]
            last = f"({entries[-1][0].decode()}"

    def tokens(self, crawl_id: str) -> dict[str, Token]:
        """Who holds the crawl's tokens, by the tokens' SHA-256."""
        with plainly():
            stored: Any = self.redis.hgetall(keys_of(crawl_id).tokens)
        return {hashed.decode(): codec.TOKEN.read(token) for hashed, token in stored.items()}

    def knows(self, crawl_id: str, token_hash: str) -> bool:
        """Whether the crawl is there, and its token in force."""
        with plainly():
            return bool(self.redis.hexists(keys_of(crawl_id).tokens, token_hash))

    def feed(self) -> Feed:
        """Which crawls have something new to tell, from now on."""
        return Feed(self.redis)

    def list_crawls(self, owner: str, after: str | None, limit: int) -> CrawlPage:
        """The crawls that `owner` started, newest first. `after` is the `next` of the page before; else BadCursor."""
        return self._owned.page(owner, after, limit)


def _event(entry_id: bytes, fields: Mapping[bytes, bytes]) -> dict[str, Any]:
    event: dict[str, Any] = orjson.loads(fields[b"e"])
    data = event.pop("data")
    return {**event, "sequence": int(entry_id.partition(b"-")[0]), "data": data}
