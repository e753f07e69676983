"""The GM sees what became of a webhook's deliveries, and sends again what did not arrive."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from service.crawls.deliveries import list_deliveries, recover, redeliver
from service.crawls.errors import NotFound
from service.crawls.webhooks import change_webhook, create_webhook, get_webhook
from service.store.crawls import CrawlStore
from service.store.errors import BadCursor, WebhookInactive
from service.store.outbox import Outbox, Record
from service.store.records import Answer
from service.webhooks.messages import message_id
from tests.crawls.tables import Table, a_key, now, start
from tests.webhooks.telling import claim, drain

URL = "https://gm.example/hook"
RESULT = {"status": 500, "latency_ms": 8, "error": None, "reason": "the receiver answered 500", "body": "oh"}


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def partition(table: Table) -> int:
    return int(table.id[4:6], 16)


def webhook(table: Table, **wanted: Any) -> str:
    return str(table.gm(create_webhook, {"url": URL, **wanted}, ())["id"])


def fail(table: Table) -> int:
    """Whatever is due now is tried, and fails for good."""
    outbox = Outbox(table.store.redis)
    drain(outbox, partition(table))
    failed = 0
    while claims := claim(outbox, partition=partition(table)):
        for claimed in claims:
            assert outbox.record(claimed, Record("failed", RESULT, "failed"))
            failed += 1
    return failed


def test_a_log_tells_what_became_of_each_event(table: Table) -> None:
    hook = webhook(table)
    table.round("time", seconds=60)
    assert fail(table) == 1
    (shown,) = table.gm(list_deliveries, hook)["deliveries"]
    (event,) = [each for each in table.events() if each["type"] == "round.resolved"]
    assert shown == {
        "id": message_id(event["id"], hook),
        "webhook": hook,
        "event": event["id"],
        "type": "round.resolved",
        "sequence": event["sequence"],
        "status": "failed",
        "tries": 1,
        "created_at": shown["created_at"],
        "next_at": None,
        "last_try": {"at": shown["last_try"]["at"], **RESULT},
    }
    for moment in (shown["created_at"], shown["last_try"]["at"]):
        assert abs(datetime.now(UTC) - datetime.fromisoformat(moment)) < timedelta(minutes=1)


def test_what_waits_is_in_the_log_and_counted(table: Table) -> None:
    hook = webhook(table)
    table.round("time", seconds=60)
    drain(Outbox(table.store.redis), partition(table))
    (shown,) = table.gm(list_deliveries, hook)["deliveries"]
    assert (shown["status"], shown["tries"], shown["last_try"]) == ("waiting", 0, None)
    assert shown["next_at"] is not None
    assert table.gm(get_webhook, hook)["deliveries"]["waiting"] == 1
    (claimed,) = claim(Outbox(table.store.redis), partition=partition(table))
    (shown,) = table.gm(list_deliveries, hook)["deliveries"]
    assert (shown["id"], shown["status"], shown["next_at"]) == (claimed.id, "sending", None)


def test_a_log_is_read_page_by_page(table: Table) -> None:
    hook = webhook(table)
    for _ in range(5):
        table.round("time", seconds=60)
    fail(table)
    whole = table.gm(list_deliveries, hook)
    first = table.gm(list_deliveries, hook, None, 3)
    second = table.gm(list_deliveries, hook, first["next"], 3)
    assert first["deliveries"] + second["deliveries"] == whole["deliveries"]
    assert (whole["next"], second["next"]) == (None, None)
    sequences = [each["sequence"] for each in whole["deliveries"]]
    assert sequences == sorted(sequences, reverse=True)
    with pytest.raises(BadCursor):
        table.gm(list_deliveries, hook, "msg_nothing", 3)
    with pytest.raises(NotFound):
        table.gm(list_deliveries, "whk_nothing")


def test_one_delivery_is_sent_again(table: Table) -> None:
    hook = webhook(table)
    table.round("time", seconds=60)
    fail(table)
    (shown,) = table.gm(list_deliveries, hook)["deliveries"]
    answer = redeliver(table.entered(idempotency=a_key()), shown["id"])
    assert (answer.status, answer.body) == (202, {"id": shown["id"], "webhook": hook, "status": "waiting"})
    again = table.enter(idempotency=a_key())
    assert isinstance(again, Answer)
    assert (again.replayed, again.body) == (True, answer.body)
    (claimed,) = claim(Outbox(table.store.redis), partition=partition(table))
    assert (claimed.id, claimed.tries, claimed.attempt) == (shown["id"], 2, 1)


def test_only_the_crawl_s_own_deliveries_are_sent_again(table: Table, store: CrawlStore) -> None:
    hook = webhook(table)
    table.round("time", seconds=60)
    fail(table)
    (shown,) = table.gm(list_deliveries, hook)["deliveries"]
    for other, delivery in ((start(store), shown["id"]), (table, "msg_nothing"), (table, "")):
        with pytest.raises(NotFound) as refused:
            other.gm(redeliver, delivery)
        assert refused.value.code == "delivery_not_found"


def test_what_did_not_arrive_is_recovered_once(table: Table) -> None:
    table.round("time", seconds=60)
    hook = webhook(table, events=["round.resolved"])
    for _ in range(3):
        table.round("time", seconds=60)
    outbox = Outbox(table.store.redis)
    drain(outbox, partition(table))
    first, second = claim(outbox, partition=partition(table))
    outbox.record(first, Record("delivered", {}, "arrived"))
    outbox.record(second, Record("failed", RESULT, "failed"))
    # What failed, what waits, and the round from before it was there, but not what arrived.
    assert table.gm(recover, hook, now(), None) == {"queued": 2}
    assert table.gm(recover, hook, now(), None) == {"queued": 0}
    came = set()
    while claims := claim(outbox, partition=partition(table)):
        for claimed in claims:
            came.add(claimed.sequence)
            outbox.record(claimed, Record("delivered", {}, "arrived"))
    rounds = {each["sequence"] for each in table.events() if each["type"] == "round.resolved"}
    assert came == rounds - {first.sequence}


def test_a_recovery_keeps_to_its_moments(table: Table) -> None:
    hook = webhook(table)
    table.round("time", seconds=60)
    fail(table)
    later, earlier = now() + timedelta(milliseconds=1), now() - timedelta(days=1)
    assert table.gm(recover, hook, later, None) == {"queued": 0}
    assert table.gm(recover, hook, earlier, now()) == {"queued": 0}
    assert table.gm(recover, hook, earlier, later)["queued"] == len(table.events())


def test_players_webhooks_recover_what_players_may_know(table: Table) -> None:
    for _ in range(4):
        table.round("time", seconds=3600)
    hook = webhook(table, audience="public")
    seen = table.events("player")
    assert len(seen) < len(table.events())
    assert table.gm(recover, hook, now(), None) == {"queued": len(seen)}
    outbox, came = Outbox(table.store.redis), []
    while claims := claim(outbox, partition=partition(table)):
        for claimed in claims:
            came.append({"sequence": claimed.sequence, **(claimed.read_event() or {})})
            outbox.record(claimed, Record("delivered", {}, "arrived"))
    assert came == seen


def test_nothing_is_sent_again_while_a_webhook_is_paused(table: Table) -> None:
    hook = webhook(table)
    table.round("time", seconds=60)
    fail(table)
    (shown,) = table.gm(list_deliveries, hook)["deliveries"]
    table.gm(change_webhook, hook, {"status": "paused"}, ())
    with pytest.raises(WebhookInactive):
        table.gm(redeliver, shown["id"])
    with pytest.raises(WebhookInactive):
        table.gm(recover, hook, now(), None)


def test_where_it_goes_is_judged_afresh_once_that_was_changed(table: Table) -> None:
    hook = webhook(table)
    for _ in range(6):
        table.round("time", seconds=60)
    fail(table)
    assert table.gm(get_webhook, hook)["deliveries"]["failures_in_a_row"] == 6
    table.gm(change_webhook, hook, {"description": "the same"}, ())
    assert table.gm(get_webhook, hook)["deliveries"]["failures_in_a_row"] == 6
    changed = table.gm(change_webhook, hook, {"url": "https://gm.example/new"}, ())
    assert changed["deliveries"]["failures_in_a_row"] == 0
    assert table.gm(get_webhook, hook) == changed


def test_a_changed_webhook_says_what_waits_for_it(table: Table) -> None:
    hook = webhook(table)
    for _ in range(4):
        table.round("time", seconds=60)
    drain(Outbox(table.store.redis), partition(table))
    changed = table.gm(change_webhook, hook, {"status": "paused"}, ())
    assert changed["deliveries"]["waiting"] == 4
    assert table.gm(get_webhook, hook) == changed
