"""Webhooks belong to the GM; their secret is shown once, their URL never again."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from service.crawls.errors import NotFound
from service.crawls.webhooks import (
    EVENT_TYPES,
    change_webhook,
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhooks,
    masked,
    ping,
)
from service.rules.errors import Invalid
from service.store.crawls import CrawlStore
from service.store.errors import TooManyWebhooks, WebhookNotFound
from service.store.records import Answer
from service.webhooks import client
from service.webhooks.client import Verdict
from tests.crawls.tables import Table, a_key, start

URL = "https://hooks.example.org/services/T0/B0/secret"


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def test_a_webhook_shows_its_secret_once(table: Table) -> None:
    answer = create_webhook(table.entered(idempotency=a_key()), {"url": URL, "events": ["encounter.triggered"]})
    body = dict(answer.body or {})
    secret = body.pop("secret")
    assert (answer.status, answer.secret) == (201, True)
    assert answer.location == f"/v1/crawls/{table.id}/webhooks/{body['id']}"
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    assert body == {
        "id": body["id"],
        "url": "https://hooks.example.org/…",
        "events": ["encounter.triggered"],
        "format": "standard",
        "audience": "gm",
        "description": None,
        "status": "active",
        "status_reason": None,
        "created_at": "2026-11-30T12:00:00.000Z",
    }
    assert table.gm(get_webhook, body["id"]) == body
    assert table.gm(list_webhooks) == {"webhooks": [body], "next": None}
    again = table.enter(idempotency=a_key())
    assert isinstance(again, Answer)
    assert again.body == answer.body
    assert table.stands()["version"] == 1


def test_without_a_choice_all_events_are_told(table: Table) -> None:
    assert table.gm(create_webhook, {"url": URL})["events"] == list(EVENT_TYPES)


def test_a_webhook_is_changed_and_removed(table: Table) -> None:
    webhook = table.gm(create_webhook, {"url": URL})["id"]
    changed = table.gm(change_webhook, webhook, {"status": "paused", "url": "https://example.org:8443/x"})
    assert (changed["status"], changed["url"]) == ("paused", "https://example.org:8443/…")
    assert "secret" not in changed
    assert table.gm(delete_webhook, webhook) is None
    with pytest.raises(NotFound):
        table.gm(get_webhook, webhook)
    with pytest.raises(WebhookNotFound):
        table.gm(delete_webhook, webhook)


def test_what_can_be_no_webhooks_url_is_refused(table: Table) -> None:
    for url in ("ftp://example.org/", "https://me:pw@example.org/", "https://example.org:6379/", "nonsense"):
        with pytest.raises(Invalid) as refused:
            table.gm(create_webhook, {"url": url})
        assert refused.value.faults[0].pointer == "/url"


def test_a_crawl_has_twenty_at_most(table: Table) -> None:
    for _ in range(20):
        table.gm(create_webhook, {"url": URL})
    with pytest.raises(TooManyWebhooks):
        table.gm(create_webhook, {"url": URL})


def test_a_ping_tells_what_came_of_it_and_not_what_was_said(table: Table) -> None:
    sent: list[str] = []

    def send(url: str, body: bytes, headers: Mapping[str, str]) -> Verdict:
        sent.append(url)
        assert b'"webhook.ping"' in body
        assert headers["webhook-signature"].startswith("v1,")
        return Verdict(204, 12, snippet="internal")

    webhook = table.gm(create_webhook, {"url": URL})["id"]
    assert table.gm(ping, webhook, send) == {"delivered": True, "status": 204, "error": None, "latency_ms": 12}
    assert sent == [URL]


def test_a_private_address_is_refused_when_sending(table: Table) -> None:
    webhook = table.gm(create_webhook, {"url": "https://127.0.0.1/"})["id"]
    verdict = table.gm(ping, webhook, client.send)
    assert (verdict["delivered"], verdict["status"], verdict["error"]) == (False, None, "unreachable")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://discord.com/api/webhooks/1/token", "https://discord.com/…"),
        ("http://[::1]:8080/a?b=c", "http://[::1]:8080/…"),
        ("https://example.org", "https://example.org/…"),
    ],
)
def test_a_url_is_masked_to_its_host(url: str, shown: str) -> None:
    assert masked(url) == shown
