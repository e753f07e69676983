"""A crawl's webhooks: who else is told of its events. The GM's alone, and kept beside undo, version and status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from service.crawls.changing import REPEATS
from service.crawls.entering import Entered
from service.crawls.errors import Contention, NotFound
from service.crawls.naming import new_id
from service.crawls.pages import PAGE, cut, page
from service.crawls.tags import body_etag
from service.crawls.telling import stamp
from service.rules.errors import Fault, Invalid
from service.store.errors import StaleCrawl
from service.store.records import Answer
from service.webhooks.client import Verdict
from service.webhooks.formats import FORMATS
from service.webhooks.guard import BadUrl, verify_url
from service.webhooks.messages import ping as ping_message
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
_SHOWN = ("events", "format", "audience", "description", "status", "status_reason", "created_at")
_CHANGEABLE = ("url", "events", "format", "audience", "description", "status")


def list_webhooks(entered: Entered, after: str | None = None, limit: int = PAGE) -> Answer:
    """The oldest first, behind the one of id `after`. Raises the store's BadCursor where there is none."""
    found = sorted(entered.store.webhooks.all(entered.crawl.id).values(), key=lambda each: each["created_at"])
    return page(entered, "webhooks", *cut([_body(document) for document in found], "id", after, limit))


def get_webhook(entered: Entered, webhook_id: str) -> Answer:
    body = _body(_found(entered, webhook_id))
    return Answer(200, body, body_etag(body))


def create_webhook(entered: Entered, wanted: Mapping[str, Any]) -> Answer:
    """One more: 201 with it and, this once, its secret.

    `wanted` is url, and events (all, when left out), format, audience and description where they are given.
    Raises Invalid for a URL that cannot be a webhook's, and the store's TooManyWebhooks.
    """
    entered.verify_match()
    _verify_url(wanted["url"])
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
        "created_at": stamp(entered.now),
    }
    body = _body(document)
    location = f"/v1/crawls/{entered.crawl.id}/webhooks/{document['id']}"
    answer = Answer(201, body | {"secret": document["secret"]}, body_etag(body), location, secret=True)
    kept = entered.store.webhooks.create(
        entered.crawl.id, document["id"], document, idempotency=entered.asking.idempotency, answer=answer
    )
    return kept or answer


def change_webhook(entered: Entered, webhook_id: str, changes: Mapping[str, Any]) -> Answer:
    """A merge patch over url, events, format, audience, description and status ("active" or "paused"): 200 with it."""
    entered.verify_match()
    if "url" in changes:
        _verify_url(changes["url"])
    for _ in range(1 + REPEATS):
        read = _found(entered, webhook_id)
        document = {**read, **{key: changes[key] for key in _CHANGEABLE if key in changes}}
        if "status" in changes:
            document["status_reason"] = None
        body = _body(document)
        answer = Answer(200, body, body_etag(body))
        try:
            kept = entered.store.webhooks.change(
                entered.crawl.id,
                webhook_id,
                read,
                document,
                idempotency=entered.asking.idempotency,
                answer=answer,
            )
        except StaleCrawl:
            continue
        return kept or answer
    raise Contention


def delete_webhook(entered: Entered, webhook_id: str) -> Answer:
    """No more is sent to it: 204. Raises the store's WebhookNotFound."""
    entered.verify_match()
    gone = Answer(204, None)
    kept = entered.store.webhooks.delete(
        entered.crawl.id, webhook_id, idempotency=entered.asking.idempotency, answer=gone
    )
    return kept or gone


def ping(entered: Entered, webhook_id: str, send: Send) -> Answer:
    """A message that tells of nothing, sent now: 200 with what came of it, {delivered, status, error, latency_ms}.

    What the receiver said is not passed on: a GM may not read the operator's network through us.
    """
    document = _found(entered, webhook_id)
    now = entered.now()
    message = ping_message(document, entered.crawl.id, now)
    url = FORMATS[document["format"]].target(document["url"])
    verdict = send(url, message.body, message.headers([document["secret"]], now))
    body = {
        "delivered": verdict.delivered,
        "status": verdict.status,
        "error": verdict.error,
        "latency_ms": verdict.latency_ms,
    }
    return Answer(200, body)


def masked(url: str) -> str:
    """Scheme and host: the rest of a webhook's URL is often all the secret that there is."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}/…"


def _found(entered: Entered, webhook_id: str) -> Document:
    document = entered.store.webhooks.get(entered.crawl.id, webhook_id)
    if document is None:
        raise NotFound("webhook")
    return document


def _body(document: Document) -> dict[str, Any]:
    return {"id": document["id"], "url": masked(document["url"]), **{key: document[key] for key in _SHOWN}}


def _verify_url(url: str) -> None:
    try:
        verify_url(url)
    except BadUrl as refusal:
        raise Invalid(Fault("/url", str(refusal)[:1].upper() + str(refusal)[1:] + ".")) from None
