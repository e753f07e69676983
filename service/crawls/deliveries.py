"""What became of a webhook's deliveries, and sending them once more. The GM's alone; no crawl's version changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from service.crawls.entering import Entered
from service.crawls.errors import NotFound
from service.crawls.pages import PAGE, page
from service.crawls.telling import stamp_of
from service.crawls.webhooks import Document, found
from service.store.records import Answer, Delivery
from service.webhooks.messages import message_id

_BATCH = 500


def list_deliveries(entered: Entered, webhook_id: str, after: str | None = None, limit: int = PAGE) -> Answer:
    """The newest 200 of the last 7 days, what was queued last first. Raises NotFound, and the store's BadCursor."""
    found(entered, webhook_id)
    deliveries = entered.store.deliveries.log(entered.crawl.id, webhook_id, after, limit + 1)
    following = deliveries[limit - 1].id if len(deliveries) > limit else None
    return page(entered, "deliveries", [_body(each) for each in deliveries[:limit]], following)


def redeliver(entered: Entered, delivery_id: str) -> Answer:
    """Sends it again, whatever became of it, under its old id: 202 with it. One that waits is sent now.

    Raises NotFound, and the store's WebhookInactive.
    """
    delivery = entered.store.deliveries.get(entered.crawl.id, delivery_id)
    if delivery is None:
        raise NotFound("delivery")
    answer = Answer(202, {"id": delivery.id, "webhook": delivery.webhook, "status": "waiting"})
    _, kept = entered.store.deliveries.again(
        entered.crawl.id,
        delivery.webhook,
        [delivery],
        "any",
        idempotency=entered.asking.idempotency,
        answer=answer,
    )
    return kept or answer


def recover(entered: Entered, webhook_id: str, since: datetime, until: datetime | None) -> Answer:
    """Sends what this webhook should have been told between two moments and is not known to have: 202 with {queued}.

    That is what it failed to take, and what happened before it was there. As far back as events are kept. Repeated, it
    queues nothing twice. Raises NotFound, and the store's WebhookInactive.
    """
    webhook = found(entered, webhook_id)
    queued = 0
    missed = _missed(entered, webhook, since, until)
    while part := list(islice(missed, _BATCH)):
        more, _ = entered.store.deliveries.again(entered.crawl.id, webhook_id, part, "failed")
        queued += more
    return Answer(202, {"queued": queued})


def _missed(entered: Entered, webhook: Document, since: datetime, until: datetime | None) -> Iterator[Delivery]:
    """What was to be told it, the oldest first."""
    public = webhook["audience"] == "public"
    for event in entered.store.events_between(entered.crawl.id, since, until, public=public):
        if event["type"] in webhook["events"]:
            yield Delivery(
                message_id(event["id"], webhook["id"]),
                webhook["id"],
                event["id"],
                event["type"],
                webhook["audience"],
                event["sequence"],
            )


def _body(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "webhook": delivery.webhook,
        "event": delivery.event,
        "type": delivery.type,
        "sequence": delivery.sequence,
        "status": delivery.status,
        "tries": delivery.tries,
        "created_at": stamp_of(delivery.made),
        "next_at": stamp_of(delivery.next_at),
        "last_try": None if delivery.result is None else {"at": stamp_of(delivery.tried), **delivery.result},
    }
