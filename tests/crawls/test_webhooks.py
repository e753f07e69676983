"""Webhooks belong to the GM; their secret is shown once, their URL never again."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import timedelta

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
    rotate_secret,
)
from service.rules.errors import Invalid
from service.store.crawls import CrawlStore
from service.store.errors import TooManyWebhooks, WebhookNotFound
from service.store.records import Answer
from service.webhooks import addresses, client
from service.webhooks.client import Verdict
from service.webhooks.messages import secrets_of
from tests.crawls.tables import Table, a_key, now, start

URL = "https://hooks.example.org/services/T0/B0/secret"


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def test_a_webhook_shows_its_secret_once(table: Table) -> None:
    answer = create_webhook(table.entered(idempotency=a_key()), {"url": URL, "events": ["encounter.triggered"]}, ())
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
        "deliveries": {
            "waiting": 0,
            "failures_in_a_row": 0,
            "failing_since": None,
            "last_arrived_at": None,
            "closed_until": None,
        },
    }
    assert table.gm(get_webhook, body["id"]) == body
    assert table.gm(list_webhooks) == {"webhooks": [body], "next": None}
    again = table.enter(idempotency=a_key())
    assert isinstance(again, Answer)
    assert again.body == answer.body
    assert table.stands()["version"] == 1


def test_without_a_choice_all_events_are_told(table: Table) -> None:
    assert table.gm(create_webhook, {"url": URL}, ())["events"] == list(EVENT_TYPES)


def test_a_webhook_is_changed_and_removed(table: Table) -> None:
    webhook = table.gm(create_webhook, {"url": URL}, ())["id"]
    changed = table.gm(change_webhook, webhook, {"status": "paused", "url": "https://example.org:8443/x"}, ())
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
            table.gm(create_webhook, {"url": url}, ())
        assert refused.value.faults[0].pointer == "/url"


def test_a_crawl_has_twenty_at_most(table: Table) -> None:
    for _ in range(20):
        table.gm(create_webhook, {"url": URL}, ())
    with pytest.raises(TooManyWebhooks):
        table.gm(create_webhook, {"url": URL}, ())


def test_a_ping_tells_what_came_of_it_and_not_what_was_said(table: Table) -> None:
    sent: list[str] = []

    def send(url: str, body: bytes, headers: Mapping[str, str]) -> Verdict:
        sent.append(url)
        assert b'"webhook.ping"' in body
        assert headers["webhook-signature"].startswith("v1,")
        return Verdict(204, 12, snippet="internal")

    webhook = table.gm(create_webhook, {"url": URL}, ())["id"]
    assert table.gm(ping, webhook, send) == {
        "delivered": True,
        "status": 204,
        "error": None,
        "reason": None,
        "latency_ms": 12,
    }
    assert sent == [URL]


def test_a_private_address_is_refused_when_sending(table: Table) -> None:
    webhook = table.gm(create_webhook, {"url": "https://localhost/"}, ())["id"]
    verdict = table.gm(ping, webhook, client.send)
    assert (verdict["delivered"], verdict["status"], verdict["error"]) == (False, None, "unreachable")


@pytest.mark.parametrize(
    ("url", "allow"),
    [
        ("https://127.0.0.1/", ""),
        ("https://[::ffff:10.0.0.1]/", ""),
        ("https://169.254.169.254/latest", "0.0.0.0/0"),
        ("https://10.1.2.3/", "127.0.0.0/8"),
        ("http://203.0.114.1/", "127.0.0.0/8"),
        ("http://example.org/", ""),
    ],
)
def test_what_would_never_be_sent_is_refused_at_once(url: str, allow: str, table: Table) -> None:
    with pytest.raises(Invalid) as refused:
        table.gm(create_webhook, {"url": url}, addresses.networks(allow))
    assert refused.value.faults[0].pointer == "/url"
    webhook = table.gm(create_webhook, {"url": URL}, ())["id"]
    with pytest.raises(Invalid):
        table.gm(change_webhook, webhook, {"url": url}, addresses.networks(allow))


def test_an_operator_may_allow_networks(table: Table) -> None:
    allow = addresses.networks("127.0.0.0/8")
    for url in ("http://127.0.0.1:8123/hook", "https://127.8.9.1/", "http://name.example/"):
        assert table.gm(create_webhook, {"url": url}, allow)["status"] == "active"


def test_a_rotated_secret_is_shown_once_and_the_old_one_signs_on(table: Table) -> None:
    created = table.gm(create_webhook, {"url": URL}, ())
    rotated = table.gm(rotate_secret, created["id"], 3600)
    assert rotated["secret"] != created["secret"]
    assert "secret" not in table.gm(get_webhook, created["id"])
    document = table.store.webhooks.get(table.id, created["id"])
    assert document is not None
    assert secrets_of(document, now()) == [rotated["secret"], created["secret"]]
    assert secrets_of(document, now() + timedelta(hours=1)) == [rotated["secret"]]


def test_three_secrets_sign_at_most_and_without_grace_only_the_new_one(table: Table) -> None:
    webhook = table.gm(create_webhook, {"url": URL}, ())["id"]
    shown = [table.gm(rotate_secret, webhook, 3600)["secret"] for _ in range(4)]
    document = table.store.webhooks.get(table.id, webhook)
    assert document is not None
    assert secrets_of(document, now()) == shown[:0:-1]
    last = table.gm(rotate_secret, webhook, 0)["secret"]
    document = table.store.webhooks.get(table.id, webhook)
    assert document is not None
    assert secrets_of(document, now()) == [last]


def test_a_rotation_is_given_again_with_its_secret(table: Table) -> None:
    webhook = table.gm(create_webhook, {"url": URL}, ())["id"]
    first = rotate_secret(table.entered(idempotency=a_key("r")), webhook, 60)
    again = table.enter(idempotency=a_key("r"))
    assert isinstance(again, Answer)
    assert again.replayed
    assert again.body == first.body


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
