"""What became of deliveries, read and asked for again by the web process; `outbox.py` is the sender's side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import orjson
from redis import Redis

from service.store import keys
from service.store.answers import as_kept, given_again, kept_under
from service.store.errors import BadCursor
from service.store.records import Answer, Delivery, Health, Idempotency
from service.store.scripts import Script, plainly

_LIST = Script("delivery_common", "delivery_list", flags="no-writes")
_AGAIN = Script("idempotency", "delivery_common", "delivery_again")
_REOPEN = Script("delivery_common", "delivery_reopen", flags="allow-oom")

TakeUp = Literal["failed", "any"]


class Deliveries:
    """The deliveries of webhooks: those that wait, and what is still known of those that are over."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def log(self, crawl_id: str, webhook_id: str, after: str | None, limit: int) -> list[Delivery]:
        """The newest 200 of the last 7 days, what was queued last first, `limit` behind the one of id `after`.

        Raises BadCursor where the log has no such id (any more).
        """
        told: list[str | int] = [
            keys.tag(keys.partition_of(crawl_id)),
            webhook_id,
            after or "",
            limit,
            *keys.DELIVERY_FIELDS,
        ]
        found = _LIST.call(self._redis, [keys.keys_of(crawl_id).due], told)
        if found is None:
            raise BadCursor
        return [_delivery(id_.decode(), fields, due, leased) for id_, fields, due, leased in found]

    def get(self, crawl_id: str, delivery_id: str) -> Delivery | None:
        """A delivery of the crawl's webhooks, without when it is tried next."""
        with plainly():
            name = keys.delivery(keys.partition_of(crawl_id), delivery_id)
            fields: Any = self._redis.hmget(name, keys.DELIVERY_FIELDS)
        return _delivery(delivery_id, fields) if fields[0] == crawl_id.encode() else None

    def again(
        self,
        crawl_id: str,
        webhook_id: str,
        deliveries: Iterable[Delivery],
        take_up: TakeUp,
        *,
        idempotency: Idempotency | None = None,
        answer: Answer | None = None,
    ) -> tuple[int, Answer | None]:
        """Queues those that are not known, and of those that are over the ones to `take_up`; brings forward what waits.

        Says how many wait now that did not before. Raises WebhookNotFound, WebhookInactive, IdempotencyKeyReused.
        """
        partition = keys.partition_of(crawl_id)
        parts = [(each.id, each.event, each.type, each.audience, each.sequence) for each in deliveries]
        reply = _AGAIN.run(
            self._redis,
            [*kept_under(partition, idempotency), keys.due(partition)],
            [
                *as_kept(idempotency, answer),
                *(keys.tag(partition), crawl_id, webhook_id, take_up),
                *(value for part in parts for value in part),
            ],
        )
        if idempotency is not None and reply[0] == b"REPLAY":
            return 0, given_again(reply, idempotency)
        return reply[1], answer

    def health(self, crawl_id: str, webhook_ids: Sequence[str]) -> list[Health]:
        """How each of the webhooks fares."""
        partition = keys.partition_of(crawl_id)
        with plainly():
            pipe = self._redis.pipeline(transaction=False)
            for webhook_id in webhook_ids:
                pipe.zcard(keys.of_webhook(partition, "queue", webhook_id))
                pipe.zcard(keys.of_webhook(partition, "flight", webhook_id))
                health = keys.of_webhook(partition, "health", webhook_id)
                pipe.hmget(health, "failures", "since", "arrived", "open_at", "asked_until")
            found: Any = pipe.execute()
        return [
            Health(
                queued + leased,
                int(fields[0] or 0),
                _number(fields[1]),
                _number(fields[2]),
                max(filter(None, map(_number, fields[3:])), default=None),
            )
            for queued, leased, fields in zip(found[::3], found[1::3], found[2::3], strict=True)
        ]

    def reopen(self, crawl_id: str, webhook_id: str) -> None:
        """Its receiver has shown that it is there: whatever waits need not wait for the next probe."""
        partition = keys.partition_of(crawl_id)
        _REOPEN.call(self._redis, [keys.due(partition)], [keys.tag(partition), crawl_id, webhook_id])


def _delivery(id_: str, fields: Sequence[bytes | None], due: bytes | None = None, leased: object = None) -> Delivery:
    _, webhook, event, kind, audience, sequence, status, tries, made, tried, result = fields
    return Delivery(
        id=id_,
        webhook=_text(webhook),
        event=_text(event),
        type=_text(kind),
        audience="gm" if audience == b"gm" else "public",
        sequence=int(sequence or 0),
        status="sending" if leased else _text(status),
        tries=int(tries or 0),
        made=_number(made) or 0,
        tried=_number(tried),
        next_at=_number(due),
        result=orjson.loads(result) if result else None,
    )


def _text(value: bytes | None) -> str:
    return (value or b"").decode()


def _number(value: bytes | None) -> int | None:
    """Scores of one batch differ by fractions."""
    return None if value is None else round(float(value))
