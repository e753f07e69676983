"""Webhooks, and what became of their deliveries."""

from __future__ import annotations

from typing import get_args

from service.api.schemas.answers.told import Told, many, number, one, text, texts, truth, word
from service.rules.model import Audience
from service.webhooks.formats import FORMATS


class WebhookDeliveries(Told):
    """How a webhook fares."""

    waiting = number("Deliveries that wait or are on their way.")
    failures_in_a_row = number()
    failing_since = text(none=True)
    last_arrived_at = text(none=True)
    closed_until = text("Nothing is tried before: the receiver asked for it, or fails again and again.", none=True)


class Webhook(Told):
    id = text()
    url = text("Masked: scheme and host.")
    events = texts()
    format = word(*FORMATS)
    audience = word(*get_args(Audience))
    description = text(none=True)
    status = word("active", "paused", "disabled")
    status_reason = text(none=True)
    created_at = text()
    deliveries = one(WebhookDeliveries)


class WebhookCreated(Webhook):
    secret = text("whsec_…: what deliveries are signed with.")


class WebhookPage(Told):
    webhooks = many(Webhook)
    next = text(none=True)


class Pinged(Told):
    delivered = truth()
    status = number("What the receiver answered.", none=True)
    error = text(none=True)
    reason = text("What went wrong.", none=True)
    latency_ms = number()


class Try(Told):
    """What came of a try."""

    at = text()
    status = number("What the receiver answered.", none=True)
    latency_ms = number(none=True)
    error = text(none=True)
    reason = text("Why it did not arrive.", none=True)
    body = text("The start of what the receiver answered, at most 1 KiB.")


class Delivery(Told):
    id = text("What the receiver knows it by: its `webhook-id`.")
    webhook = text()
    event = text()
    type = text()
    sequence = number("The event's, among those that the webhook's audience may see.")
    status = word("waiting", "sending", "delivered", "failed")
    tries = number()
    created_at = text()
    next_at = text("When it is tried next.", none=True)
    last_try = one(Try, none=True)


class DeliveryPage(Told):
    deliveries = many(Delivery)
    next = text(none=True)


class Redelivered(Told):
    id = text()
    webhook = text()
    status = word("waiting")


class Recovered(Told):
    queued = number("Deliveries that wait now and did not before.")
