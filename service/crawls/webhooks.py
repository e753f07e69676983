"""A crawl's webhooks: who else is told of its events. The GM's alone, and kept beside undo, version and status."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from service.crawls.changing import REPEATS, keep_apart
from service.crawls.entering import Entered
from service.crawls.errors import Contention, NotFound
from service.crawls.naming import new_id
from service.crawls.pages import PAGE, cut, page
from service.crawls.tags import body_etag
from service.crawls.telling import stamp, stamp_of
from service.rules.errors import Fault, Invalid
from service.store.errors import StaleCrawl
from service.store.records import Answer, Health
from service.watching.figures import CONTENTIONS
from service.webhooks.addresses import Networks
from service.webhooks.client import Verdict
from service.webhooks.formats import FORMATS
from service.webhooks.guard import BadUrl, verify_destination
from service.webhooks.messages import ping as ping_message
from service.webhooks.messages import secrets_of
from service.webhooks.signing import new_secret

Document = Mapping[str, Any]
Send = Callable[[str, bytes, Mapping[str, str]], Verdict]
"""`webhooks.client.send` with the operator's networks bound to it."""

EVENT_TYPES = (
    "crawl.started",
    "crawl.changed",
    "crawl.ended",
    "crawl.reverted",
    "round.resolved",
    "encounter.triggered",
    "encounter.changed",
    "alert.changed",
    "timer.ending",
    "timer.expired",
    "declaration.made",
)
GRACE_SECONDS = 24 * 3600
"""How long a rotated secret goes on signing beside the new one, when nobody says."""
MOST_SECRETS = 3
"""Secrets that a webhook's messages are signed with at once, at most."""

_SHOWN = ("events", "format", "audience", "description", "status", "status_reason", "created_at")
_CHANGEABLE = ("url", "events", "format", "audience", "description", "status")


def list_webhooks(entered: Entered, after: str | None = None, limit: int = PAGE) -> Answer:
    """The oldest first, behind the one of id `after`. Raises the store's BadCursor where there is none."""
    found = sorted(entered.store.webhooks.all(entered.crawl.id).values(), key=lambda each: each["created_at"])
    part, following = cut(found, "id", after, limit)
    return page(entered, "webhooks", _bodies(entered, part), following)


def get_webhook(entered: Entered, webhook_id: str) -> Answer:
    body = _body_now(entered, found(entered, webhook_id))
    return Answer(200, body, body_etag(body))


def create_webhook(entered: Entered, wanted: Mapping[str, Any], allow: Networks) -> Answer:
    """One more: 201 with it and, this once, its secret.

    `wanted` is url, and events (all, when left out), format, audience and description where they are given. `allow` are
    the networks that the operator opens. Raises Invalid for a URL that cannot be a webhook's, and the store's
    TooManyWebhooks.
    """
    entered.verify_match()
    _verify_url(wanted["url"], allow)
    document = {
        "id": new_id("whk"),
        "url": wanted["url"],
        "events": list(wanted.get("events") or EVENT_TYPES),
        "format": wanted.get("format") or "standard",
        "audience": wanted.get("audience") or "gm",
        "description": wanted.get("description"),
        "status": "active",
        "status_reason": None,
        "secret": new_secret(),
        "old_secrets": [],
        "created_at": stamp(entered.now),
    }
    body = _body(document, Health())
    location = f"/v1/crawls/{entered.crawl.id}/webhooks/{document['id']}"
    answer = Answer(201, body | {"secret": document["secret"]}, body_etag(body), location, secret=True)
    kept = entered.store.webhooks.create(
        entered.crawl.id, document["id"], document, idempotency=entered.asking.idempotency, answer=answer
    )
    return kept or answer


def change_webhook(entered: Entered, webhook_id: str, changes: Mapping[str, Any], allow: Networks) -> Answer:
    """A merge patch over url, events, format, audience, description and status ("active" or "paused"): 200 with it.

    Where it goes, how, or whether at all: with these changed it is judged afresh.
    """
    if "url" in changes:
        _verify_url(changes["url"], allow)

    def edit(document: Document) -> Document:
        status = {"status_reason": None} if "status" in changes else {}
        return {**document, **{key: changes[key] for key in _CHANGEABLE if key in changes}, **status}

    return _edited(entered, webhook_id, edit, afresh=not changes.keys().isdisjoint(("url", "format", "status")))


def rotate_secret(entered: Entered, webhook_id: str, grace_seconds: int) -> Answer:
    """A new secret: 200 with the webhook and, this once, the secret.

    For `grace_seconds` messages are signed with the old one as well, so that a receiver can change over; with 0 every
    old one is void at once.
    """
    secret, now = new_secret(), entered.now()
    until = stamp(lambda: now + timedelta(seconds=grace_seconds))

    def edit(document: Document) -> Document:
        standing = [each for each in document.get("old_secrets", ()) if each["until"] > stamp(lambda: now)]
        old = [{"secret": document["secret"], "until": until}, *standing][: MOST_SECRETS - 1] if grace_seconds else []
        return {**document, "secret": secret, "old_secrets": old}

    return _edited(entered, webhook_id, edit, secret=secret)


def delete_webhook(entered: Entered, webhook_id: str) -> Answer:
    """No more is sent to it, not even what waits: 204. Raises the store's WebhookNotFound."""
    entered.verify_match()
    gone = Answer(204, None)
    kept = entered.store.webhooks.delete(
        entered.crawl.id, webhook_id, idempotency=entered.asking.idempotency, answer=gone
    )
    return kept or gone


def ping(entered: Entered, webhook_id: str, send: Send) -> Answer:
    """A message that tells of nothing, sent now: 200 with {delivered, status, error, reason, latency_ms}.

    A receiver that is there is trusted again at once, if it had failed before.
    """
    document = found(entered, webhook_id)
    now = entered.now()
    message, face = ping_message(document, entered.crawl.id, now), FORMATS[document["format"]]
    verdict = send(face.target(document["url"]), message.body, message.headers(secrets_of(document, now), now))
    reading = face.read(verdict, entered.now())
    if reading.meaning == "arrived":
        entered.store.deliveries.reopen(entered.crawl.id, webhook_id)
    body = {
        "delivered": reading.meaning == "arrived",
        "status": verdict.status,
        "error": verdict.error,
        "reason": reading.reason or None,
        "latency_ms": verdict.latency_ms,
    }
    return Answer(200, body)


def masked(url: str) -> str:
    """Scheme and host: the rest of a webhook's URL is often all the secret that there is."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}/…"


def found(entered: Entered, webhook_id: str) -> Document:
    """The webhook's document. Raises NotFound."""
    document = entered.store.webhooks.get(entered.crawl.id, webhook_id)
    if document is None:
        raise NotFound("webhook")
    return document


def _edited(
    entered: Entered,
    webhook_id: str,
    edit: Callable[[Document], Document],
    *,
    afresh: bool = False,
    secret: str | None = None,
) -> Answer:
    """What `edit` makes of the document as it stands, kept: 200 with the webhook, and its `secret` if that is new."""
    entered.verify_match()
    for collisions in range(1 + REPEATS):
        read = found(entered, webhook_id)
        document = edit(read)
        body = _body_now(entered, document, afresh=afresh)
        shown = body | ({"secret": secret} if secret else {})
        answer = Answer(200, shown, body_etag(body), secret=secret is not None)
        try:
            kept = entered.store.webhooks.change(
                entered.crawl.id,
                webhook_id,
                read,
                document,
                afresh=afresh,
                idempotency=entered.asking.idempotency,
                answer=answer,
            )
        except StaleCrawl:
            keep_apart(collisions)
            continue
        return kept or answer
    CONTENTIONS.inc()
    raise Contention


def _body_now(entered: Entered, document: Document, *, afresh: bool = False) -> dict[str, Any]:
    """`afresh` forgets how it fared; what waits for it waits on."""
    (health,) = entered.store.deliveries.health(entered.crawl.id, [document["id"]])
    return _body(document, Health(health.waiting) if afresh else health)


def _bodies(entered: Entered, documents: Sequence[Document]) -> list[dict[str, Any]]:
    healths = entered.store.deliveries.health(entered.crawl.id, [document["id"] for document in documents])
    return [_body(document, health) for document, health in zip(documents, healths, strict=True)]


def _body(document: Document, health: Health) -> dict[str, Any]:
    """For the GM: without secrets, and of the URL only where it goes."""
    return {
        "id": document["id"],
        "url": masked(document["url"]),
        **{key: document[key] for key in _SHOWN},
        "deliveries": {
            "waiting": health.waiting,
            "failures_in_a_row": health.failures,
            "failing_since": stamp_of(health.since),
            "last_arrived_at": stamp_of(health.arrived),
            "closed_until": stamp_of(health.closed_until),
        },
    }


def _verify_url(url: str, allow: Networks) -> None:
    try:
        verify_destination(url, allow)
    except BadUrl as refusal:
        raise Invalid(Fault("/url", str(refusal)[:1].upper() + str(refusal)[1:] + ".")) from None
