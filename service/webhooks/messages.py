"""What a receiver is sent: an event as one webhook may see it, as bytes that stay the same over every try."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from service.webhooks import signing
from service.webhooks.formats import FORMATS

Webhook = Mapping[str, Any]
"""The stored document: {id, url, events, format, audience, description, status, status_reason, secret, created_at}."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One event as the outbox holds it: JSON without a sequence, for the GM and, when they may know of it, for players.

    Each form has a sequence of its own; `public` and `public_sequence` are None when the event is the GM's alone.
    """

    event: bytes
    sequence: int
    public: bytes | None = None
    public_sequence: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A body to send, with the id by which a receiver knows it again."""

    id: str
    type: str
    body: bytes

    def headers(self, secrets: Sequence[str], now: datetime) -> dict[str, str]:
        """The headers of one try: the id is the message's for ever, timestamp and signature are this try's."""
        timestamp = int(now.timestamp())
        return {
            "Content-Type": "application/json",
            "webhook-id": self.id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signing.signature(secrets, self.id, timestamp, self.body),
        }


def message_for(webhook: Webhook, happening: Happening) -> Message | None:
    """What `webhook` is sent of this event, None when it did not ask for it or may not see it."""
    if webhook["audience"] == "gm":
        event, sequence = happening.event, happening.sequence
    elif happening.public is not None and happening.public_sequence is not None:
        event, sequence = happening.public, happening.public_sequence
    else:
        return None
    told = orjson.loads(event)
    if told["type"] not in webhook["events"]:
        return None
    return Message(message_id(told["id"], webhook["id"]), told["type"], _body(webhook, told, sequence))


def ping(webhook: Webhook, crawl: str, now: datetime) -> Message:
    """A message that tells of nothing (its sequence is null): for a GM to see whether a receiver listens.

    `client.send(webhook["url"], message.body, message.headers([webhook["secret"]], now), allow)` gives the verdict.
    """
    event: dict[str, Any] = {
        "id": f"evt_{secrets.token_hex(12)}",
        "type": "webhook.ping",
        "timestamp": now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "crawl": crawl,
        "data": {"webhook": webhook["id"]},
    }
    return Message(message_id(event["id"], webhook["id"]), "webhook.ping", _body(webhook, event, None))


def message_id(event_id: str, webhook_id: str) -> str:
    """The same for every try of one event at one webhook, and for no other."""
    mark = hashlib.sha256(f"{event_id} {webhook_id}".encode()).digest()[:15]
    return "msg_" + base64.b32encode(mark).decode().lower()


def _body(webhook: Webhook, event: Mapping[str, Any], sequence: int | None) -> bytes:
    return FORMATS[webhook["format"]].body(event, sequence, webhook["audience"])
