"""Webhooks of a crawl."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import Asked, Body, InCrawl, Routes
from service.api.schemas.answers.webhooks import (
    DeliveryPage,
    Pinged,
    Recovered,
    Redelivered,
    Webhook,
    WebhookCreated,
    WebhookPage,
)
from service.api.schemas.crawls import Nothing
from service.api.schemas.webhooks import Recovery, Rotation, WebhookChange, WebhookStart
from service.crawls import deliveries, webhooks
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Webhooks", "Who else is told of a crawl's events, signed after Standard Webhooks 1.0.")

_GM = InCrawl(("gm",))


@routes.crawl(
    "GET",
    "/webhooks",
    "listWebhooks",
    "List webhooks",
    _GM,
    query=(LIMIT, AFTER_CURSOR),
    answers={200: WebhookPage},
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """The oldest first, with masked URLs."""
    return webhooks.list_webhooks(entered, asked.query["after"], asked.query["limit"])


@routes.crawl(
    "POST",
    "/webhooks",
    "createWebhook",
    "Create a webhook",
    _GM,
    body=Body(WebhookStart()),
    answers={201: WebhookCreated},
    refuses=("answer_sealed", "illegal_webhook"),
)
def create(entered: Entered, asked: Asked) -> Answer:
    """The answer holds the secret that deliveries are signed with, this once. What a receiver must do, and two that
    work: [docs/webhooks](docs/webhooks)."""
    return webhooks.create_webhook(entered, asked.body, asked.service.webhook_allow)


@routes.crawl(
    "GET",
    "/webhooks/{id}",
    "getWebhook",
    "Read a webhook",
    _GM,
    answers={200: Webhook},
    refuses=("webhook_not_found",),
)
def get(entered: Entered, asked: Asked) -> Answer:
    """Its URL is masked; its secret is not shown again."""
    return webhooks.get_webhook(entered, asked.names["id"])


@routes.crawl(
    "PATCH",
    "/webhooks/{id}",
    "changeWebhook",
    "Change a webhook",
    _GM,
    body=Body(WebhookChange(), patch=True),
    answers={200: Webhook},
    refuses=("webhook_not_found",),
)
def change(entered: Entered, asked: Asked) -> Answer:
    """A JSON merge patch. While its status is "paused" or "disabled" nothing is sent; what happens meanwhile waits (the
    newest 200, for 7 days) and is sent once it is "active" again. What waits when its audience changes is not sent:
    recover it."""
    return webhooks.change_webhook(entered, asked.names["id"], asked.body, asked.service.webhook_allow)


@routes.crawl(
    "DELETE",
    "/webhooks/{id}",
    "deleteWebhook",
    "Delete a webhook",
    _GM,
    answers={204: None},
    refuses=("webhook_not_found",),
)
def delete(entered: Entered, asked: Asked) -> Answer:
    """What waits for it is not sent any more."""
    return webhooks.delete_webhook(entered, asked.names["id"])


@routes.crawl(
    "POST",
    "/webhooks/{id}/ping",
    "pingWebhook",
    "Try a webhook",
    _GM,
    body=Body(Nothing(), optional=True),
    answers={200: Pinged},
    refuses=("webhook_not_found",),
)
def ping(entered: Entered, asked: Asked) -> Answer:
    """Sends a `webhook.ping` now and says what came of it. One that arrives ends the pause after failures."""
    return webhooks.ping(entered, asked.names["id"], asked.service.send)


@routes.crawl(
    "POST",
    "/webhooks/{id}/rotate",
    "rotateWebhookSecret",
    "Rotate a webhook's secret",
    _GM,
    body=Body(Rotation(), optional=True),
    answers={200: WebhookCreated},
    refuses=("answer_sealed", "webhook_not_found"),
)
def rotate(entered: Entered, asked: Asked) -> Answer:
    """The answer holds the new secret, this once. During the grace messages are signed with the old one, too."""
    return webhooks.rotate_secret(entered, asked.names["id"], asked.body.get("grace_seconds", webhooks.GRACE_SECONDS))


@routes.crawl(
    "GET",
    "/webhooks/{id}/deliveries",
    "listDeliveries",
    "List deliveries",
    _GM,
    query=(LIMIT, AFTER_CURSOR),
    answers={200: DeliveryPage},
    refuses=("webhook_not_found",),
)
def list_deliveries(entered: Entered, asked: Asked) -> Answer:
    """What became of the newest 200 of the last 7 days, what was queued last first."""
    return deliveries.list_deliveries(entered, asked.names["id"], asked.query["after"], asked.query["limit"])


@routes.crawl(
    "POST",
    "/deliveries/{id}/redeliver",
    "redeliver",
    "Redeliver",
    _GM,
    body=Body(Nothing(), optional=True),
    answers={202: Redelivered},
    refuses=("delivery_not_found", "illegal_delivery"),
)
def redeliver(entered: Entered, asked: Asked) -> Answer:
    """Sends one delivery again, with its old `webhook-id`, whatever became of it. One that waits is sent now."""
    return deliveries.redeliver(entered, asked.names["id"])


@routes.crawl(
    "POST",
    "/webhooks/{id}/recover",
    "recoverDeliveries",
    "Recover deliveries",
    _GM,
    body=Body(Recovery()),
    answers={202: Recovered},
    refuses=("webhook_not_found", "illegal_delivery"),
)
def recover(entered: Entered, asked: Asked) -> Answer:
    """Sends all that happened since then and is not known to have arrived, with its old `webhook-id`."""
    return deliveries.recover(entered, asked.names["id"], asked.body["since"], asked.body.get("until"))
