"""The webhooks of a crawl, as documents that the store does not look into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import orjson
from redis import Redis

from service.store.answers import as_kept, given_again, kept_under
from service.store.keys import MAX_WEBHOOKS, keys_of, tag
from service.store.records import Answer, Idempotency
from service.store.scripts import Script, plainly

_WEBHOOK = Script("idempotency", "delivery_common", "webhook")

Document = Mapping[str, Any]


class Webhooks:
    """A crawl's webhook documents by id. A change is made to what was read, in one script with its answer."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def all(self, crawl_id: str) -> dict[str, Document]:
        with plainly():
            stored: Any = self._redis.hgetall(keys_of(crawl_id).webhooks)
        return {webhook_id.decode(): orjson.loads(document) for webhook_id, document in stored.items()}

    def get(self, crawl_id: str, webhook_id: str) -> Document | None:
        with plainly():
            stored: Any = self._redis.hget(keys_of(crawl_id).webhooks, webhook_id)
        return orjson.loads(stored) if stored else None

    def create(
        self,
        crawl_id: str,
        webhook_id: str,
        document: Document,
        *,
        idempotency: Idempotency | None = None,
        answer: Answer | None = None,
    ) -> Answer | None:
        """Raises CrawlNotFound, TooManyWebhooks (20), IdempotencyKeyReused, AnswerSealed."""
        return self._write("create", crawl_id, webhook_id, None, document, idempotency, answer)

    def change(
        self,
        crawl_id: str,
        webhook_id: str,
        read: Document,
        document: Document,
        *,
        afresh: bool = False,
        idempotency: Idempotency | None = None,
        answer: Answer | None = None,
    ) -> Answer | None:
        """Puts `document` in the place of `read`; StaleCrawl where that no longer stands. Else as `delete`.

        `afresh` forgets how it fared until now.
        """
        return self._write("change", crawl_id, webhook_id, read, document, idempotency, answer, afresh)

    def delete(
        self,
        crawl_id: str,
        webhook_id: str,
        *,
        idempotency: Idempotency | None = None,
        answer: Answer | None = None,
    ) -> Answer | None:
        """It goes with all that waits for it. Raises WebhookNotFound, CrawlNotFound, IdempotencyKeyReused."""
        return self._write("delete", crawl_id, webhook_id, None, None, idempotency, answer)

    def _write(
        self,
        what: Literal["create", "change", "delete"],
        crawl_id: str,
        webhook_id: str,
        read: Document | None,
        document: Document | None,
        idempotency: Idempotency | None,
        answer: Answer | None,
        afresh: bool = False,
    ) -> Answer | None:
        keys = keys_of(crawl_id)
        reply = _WEBHOOK.run(
            self._redis,
            [*kept_under(keys.partition, idempotency), keys.crawl, keys.webhooks, keys.due],
            [
                *as_kept(idempotency, answer),
                *(what, webhook_id, _bytes(read), _bytes(document), MAX_WEBHOOKS),
                *(tag(keys.partition), crawl_id, "1" if afresh else ""),
            ],
        )
        if idempotency is not None and reply[0] == b"REPLAY":
            return given_again(reply, idempotency)
        return answer


def _bytes(document: Document | None) -> bytes:
    return b"" if document is None else orjson.dumps(document)
