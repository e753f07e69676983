"""A message is the event as the webhook's audience may see it, with that audience's own sequence."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from standardwebhooks.webhooks import Webhook

from service.webhooks import messages, signing

EVENT: dict[str, Any] = {
    "id": "evt_1",
    "type": "encounter.triggered",
    "timestamp": "2026-12-01T20:00:00.000Z",
    "crawl": "crl_07a",
    "data": {"encounter": {"id": "enc_1"}, "alert_level": 3, "chance": 0.16666666666666666},
}
PUBLIC = EVENT | {"data": {"encounter": {"id": "enc_1"}}}


def webhook(**changes: Any) -> dict[str, Any]:
    return {
        "id": "whk_1",
        "url": "https://gm.example/hook",
        "events": ["encounter.triggered"],
        "format": "standard",
        "audience": "gm",
        "status": "active",
        "secret": signing.new_secret(),
    } | changes


def test_a_receiver_is_sent_the_event_with_its_sequence() -> None:
    message = messages.message_for(webhook(), EVENT, 41)
    assert message is not None
    assert orjson.loads(message.body) == EVENT | {"sequence": 41}
    assert list(orjson.loads(message.body)) == ["id", "type", "timestamp", "crawl", "sequence", "data"]
    assert message.type == "encounter.triggered"


def test_nobody_is_sent_what_they_did_not_ask_for() -> None:
    assert messages.message_for(webhook(events=["round.resolved", "timer.expired"]), EVENT, 41) is None


def test_an_event_of_more_than_64_kib_comes_without_its_data() -> None:
    message = messages.message_for(webhook(), EVENT | {"data": {"note": "x" * 64 * 1024}}, 41)
    assert message is not None
    assert orjson.loads(message.body) == EVENT | {"sequence": 41, "data": {"truncated": True}}


def test_an_old_secret_signs_until_its_grace_ends() -> None:
    now = datetime(2026, 12, 1, 20, tzinfo=UTC)
    old = [
        {"secret": "whsec_b2xk", "until": "2026-12-01T20:00:00.001Z"},
        {"secret": "whsec_b2xkZXI=", "until": "2026-12-01T20:00:00.000Z"},
    ]
    hook = webhook(old_secrets=old)
    assert messages.secrets_of(hook, now) == [hook["secret"], "whsec_b2xk"]


def test_a_message_s_id_belongs_to_one_event_at_one_webhook() -> None:
    ids = {messages.message_id(event, hook) for event in ("evt_1", "evt_2") for hook in ("whk_1", "whk_2")}
    assert len(ids) == 4
    assert messages.message_id("evt_1", "whk_1") in ids
    assert all(each.startswith("msg_") and each[4:].isalnum() for each in ids)


def test_a_ping_is_signed_and_tells_of_nothing() -> None:
    hook = webhook()
    now = datetime.now(UTC)
    message = messages.ping(hook, "crl_07a", now)
    told = Webhook(hook["secret"]).verify(message.body, message.headers([hook["secret"]], now))
    assert told["type"] == "webhook.ping"
    assert told["sequence"] is None
    assert told["crawl"] == "crl_07a"
    assert told["data"] == {"webhook": "whk_1"}


def test_two_pings_are_two_messages() -> None:
    now = datetime.now(UTC)
    assert messages.ping(webhook(), "crl_07a", now).id != messages.ping(webhook(), "crl_07a", now).id


def test_a_body_is_the_same_bytes_every_time() -> None:
    first, second = (messages.message_for(webhook(), EVENT, 41) for _ in range(2))
    assert first == second
