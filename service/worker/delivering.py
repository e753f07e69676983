"""One delivery: the event put into the webhook's format, sent, and what came of it decided and kept."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from service.store.errors import StoreError
from service.store.outbox import LEASE_SECONDS, Claimed, Entry, Outbox, Record
from service.store.records import Delivery
from service.watching.figures import ATTEMPTS, LAG
from service.webhooks import client
from service.webhooks.addresses import Networks
from service.webhooks.delivery import Decision, decide
from service.webhooks.formats import FORMATS
from service.webhooks.messages import Message, message_for, message_id, secrets_of
from service.webhooks.schedule import TRIES

RECORD_AGAIN = 0.5

_NOTHING_SENT = {"status": None, "latency_ms": None, "error": None, "body": ""}

Send = Callable[[str, bytes, Mapping[str, str], Networks], client.Verdict]

log = logging.getLogger("alarum.worker")


def _now() -> datetime:
    return datetime.now(UTC)


def deliver(
    outbox: Outbox,
    claimed: Claimed,
    allow: Networks,
    clock: Callable[[], datetime] = _now,
    send: Send = client.send,
) -> None:
    """One try of one delivery, and the record of it.

    The record outlasts a store that is away for a moment. When it is away until the lease ends, the delivery is made
    again, with the same id.
    """
    until = time.monotonic() + LEASE_SECONDS
    webhook = claimed.read_webhook()
    message = _message_for(webhook, claimed)
    if isinstance(message, str):
        _insist(lambda: outbox.record(claimed, Record("failed", _NOTHING_SENT | {"reason": message})), until)
        return
    face = FORMATS[webhook["format"]]
    verdict = send(
        face.target(webhook["url"]), message.body, message.headers(secrets_of(webhook, clock()), clock()), allow
    )
    decision = decide(face.read(verdict, clock()), claimed.attempt, claimed.failures, claimed.failing, random.random)
    _count(claimed, decision, clock())
    if decision.outcome != "delivered":
        _log_failure(claimed, decision, verdict.detail)
    result = {
        "status": verdict.status,
        "latency_ms": verdict.latency_ms,
        "error": verdict.error,
        "reason": decision.reason or None,
        "body": verdict.snippet,
    }
    _insist(lambda: _keep(outbox, claimed, decision, result), until)


def _message_for(webhook: Mapping[str, Any], claimed: Claimed) -> Message | str:
    """What is to be sent, or why nothing can be."""
    if claimed.attempt > TRIES:  # whoever sent it may have died of it, each time
        return "its tries ended without a record"
    event = claimed.read_event()
    if event is None:
        return "the event is no longer kept"
    try:
        return message_for(webhook, event, claimed.sequence) or "the webhook does not ask for it any more"
    except (AttributeError, LookupError, TypeError, ValueError):  # imported from who knows where; others wait
        log.exception("message %s of %s cannot be told as %s", claimed.id, claimed.crawl, webhook.get("format"))
        return "the event cannot be told in this format"


def _count(claimed: Claimed, decision: Decision, now: datetime) -> None:
    ATTEMPTS.labels(decision.outcome).inc()
    by_hand = claimed.tries > claimed.attempt
    if decision.outcome == "delivered" and not by_hand and (event := claimed.read_event()):
        committed = datetime.fromisoformat(event["timestamp"])
        LAG.observe(max(0.0, (now - committed).total_seconds()))


def _keep(outbox: Outbox, claimed: Claimed, decision: Decision, result: Mapping[str, Any]) -> None:
    if decision.disables and not outbox.disable(claimed, decision.disables):
        # The GM changed the webhook meanwhile: what is gone may be its old URL.
        outbox.record(claimed, Record("waiting", result))
        return
    says: Literal["arrived", "failed"] = "arrived" if decision.outcome == "delivered" else "failed"
    outbox.record(claimed, Record(decision.outcome, result, says, decision.wait, decision.rest, decision.probe))


def _insist(act: Callable[[], object], until: float) -> None:
    while True:
        try:
            act()
            return
        except StoreError:
            if time.monotonic() + RECORD_AGAIN > until:
                raise
            time.sleep(RECORD_AGAIN)


def _log_failure(claimed: Claimed, decision: Decision, detail: str) -> None:
    """One line, without the URL: its path is often a secret."""
    which = f"webhook {claimed.webhook} of {claimed.crawl}, message {claimed.id}, try {claimed.tries}"
    why = f"{decision.reason} ({detail})" if detail else decision.reason
    following = f"again in {decision.wait:.0f} s" if decision.outcome == "waiting" else "given up"
    log.warning("%s: %s; %s%s", which, why, following, "; disabled" if decision.disables else "")


def deliveries_of(entry: Entry) -> Iterator[Delivery]:
    """What must be sent of an event: one delivery for each webhook that asks for it and may see it, whether or not
    anything is sent there now."""
    for webhook in entry.webhooks:
        audience = webhook["audience"]
        sequence = entry.sequence if audience == "gm" else entry.public_sequence
        if sequence is not None and entry.type in webhook["events"]:
            yield Delivery(
                message_id(entry.event, webhook["id"]), webhook["id"], entry.event, entry.type, audience, sequence
            )
