"""A message is the event as the webhook's audience may see it, with that audience's own sequence."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from standardwebhooks.webhooks import Webhook

from service.webhooks import messages, signing
from service.webhooks.messages import Happening

EVENT: dict[str, Any] = {
    "id": "evt_1",
    "type": "encounter.triggered",
    "timestamp": "2026-12-01T20:00:00.000Z",
    "crawl": "crl_07a",
    "data": {"encounter": {"id": "enc_1"}, "alert_level": 3, "chance": 0.16666666666666666},
}
PUBLIC = EVENT | {"data": {"encounter": {"id": "enc_1"}}}
TOLD = Happening(orjson.dumps(EVENT), 41, orjson.dumps(PUBLIC), 17)
HIDDEN = Happening(orjson.dumps(EVENT), 41)


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


def test_the_gm_is_sent_the_whole_event_with_its_sequence() -> None:
    message = messages.message_for(webhook(), TOLD)
    assert message is not None
    assert orjson.loads(message.body) == EVENT | {"sequence": 41}
    assert list(orjson.loads(message.body)) == ["id", "type", "timestamp", "crawl", "sequence", "data"]
    assert message.type == "encounter.triggered"


def test_the_public_is_sent_the_public_form_with_the_public_sequence() -> None:
    message = messages.message_for(webhook(audience="public"), TOLD)
    assert message is not None
    assert orjson.loads(message.body) == PUBLIC | {"sequence": 17}


def test_the_public_is_not_told_what_is_the_gm_s_alone() -> None:
    assert messages.message_for(webhook(audience="public"), HIDDEN) is None


def test_nobody_is_sent_what_they_did_not_ask_for() -> None:
    assert messages.message_for(webhook(events=["round.resolved", "timer.expired"]), TOLD) is None


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


@pytest.mark.parametrize("audience", ["gm", "public"])
def test_a_body_is_the_same_bytes_every_time(audience: str) -> None:
    first, second = (messages.message_for(webhook(audience=audience), TOLD) for _ in range(2))
    assert first == second
