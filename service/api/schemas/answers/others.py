"""Events, webhooks, rulesets, the instance, and problems."""

from __future__ import annotations

from typing import get_args

from marshmallow import fields

from service.api.schemas.answers.told import Told, document, many, number, text, texts, truth, word
from service.rules.model import Audience
from service.webhooks.formats import FORMATS


class Event(Told):
    id = text()
    type = text()
    timestamp = text()
    crawl = text()
    sequence = fields.Integer(required=True)
    data = document()


class EventPage(Told):
    events = many(Event)
    next = number("The sequence to go on from.", none=True)


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


class WebhookCreated(Webhook):
    secret = text("whsec_…: what deliveries are signed with.")


class WebhookPage(Told):
    webhooks = many(Webhook)
    next = text(none=True)


class Pinged(Told):
    delivered = truth()
    status = number("What the receiver answered.", none=True)
    error = text(none=True)
    latency_ms = number()


class RulesetInList(Told):
    key = text()
    title = text()
    round_label = text()
    round_seconds = number()


class RulesetPage(Told):
    rulesets = many(RulesetInList)
    next = text(none=True)


class Ruleset(Told):
    title = text()


class Index(Told):
    name = text()
    version = text()
    docs = text()
    openapi = text()


class Alive(Told):
    status = word("alive")


class Finding(Told):
    grave = truth()
    detail = text()


class Ready(Told):
    status = word("ready")
    findings = many(Finding)


class Fault(Told):
    pointer = text("A JSON pointer into the body, or into the query where `parameter` stands beside it.")
    parameter = text(always=False)
    detail = text()


class Problem(Told):
    type = text()
    title = text()
    status = number()
    detail = text("What to do.")
    code = text("Stable.")
    request_id = text()
    errors = many(Fault, always=False)
    earliest = number("The first sequence that is still kept (events_trimmed).", always=False)
