"""What a receiver is sent: an event as one webhook may see it, as bytes that stay the same over every try."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from service.webhooks import signing
from service.webhooks.formats import FORMATS

Webhook = Mapping[str, Any]
"""The stored document: {id, url, events, format, audience, description, status, status_reason, secret, old_secrets,
created_at}; each of `old_secrets` is {secret, until}."""


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


def message_for(webhook: Webhook, event: Mapping[str, Any], sequence: int) -> Message | None:
    """What `webhook` is sent of this event, None when it does not ask for it. `event` is as its audience may see it."""
    if event["type"] not in webhook["events"]:
        return None
    return _message(webhook, event, sequence)


def secrets_of(webhook: Webhook, now: datetime) -> list[str]:
    """What messages to it are signed with now, the newest first: an old secret counts until its grace ends."""
    old = webhook.get("old_secrets", ())
    return [webhook["secret"], *(each["secret"] for each in old if datetime.fromisoformat(each["until"]) > now)]


def ping(webhook: Webhook, crawl: str, now: datetime) -> Message:
    """A message that tells of nothing (its sequence is null): for a GM to see whether a receiver listens."""
    event: dict[str, Any] = {
        "id": f"evt_{secrets.token_hex(12)}",
        "type": "webhook.ping",
        "timestamp": now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "crawl": crawl,
        "data": {"webhook": webhook["id"]},
    }
    return _message(webhook, event, None)


def message_id(event_id: str, webhook_id: str) -> str:
    """The same for every try of one event at one webhook, and for no other."""
    mark = hashlib.sha256(f"{event_id} {webhook_id}".encode()).digest()[:15]
    return "msg_" + base64.b32encode(mark).decode().lower()


def _message(webhook: Webhook, event: Mapping[str, Any], sequence: int | None) -> Message:
    body = FORMATS[webhook["format"]].body(event, sequence, webhook["audience"])
    return Message(message_id(event["id"], webhook["id"]), event["type"], body)
