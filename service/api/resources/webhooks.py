"""Webhooks of a crawl."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import Asked, Body, InCrawl, Routes
from service.api.schemas.answers.others import Pinged, Webhook, WebhookCreated, WebhookPage
from service.api.schemas.crawls import Nothing, WebhookChange, WebhookStart
from service.crawls import webhooks
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
    """The answer holds the secret that deliveries are signed with, this once."""
    return webhooks.create_webhook(entered, asked.body)


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
    """A JSON merge patch; `status: "active"` wakes one that was paused or disabled."""
    return webhooks.change_webhook(entered, asked.names["id"], asked.body)


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
    """Sends a `ping` now and says what came of it."""
    return webhooks.ping(entered, asked.names["id"], asked.service.send)
