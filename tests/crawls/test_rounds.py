"""A round is resolved on what was read, kept once, and told to whom it concerns."""

from __future__ import annotations

from typing import Any

import pytest

from service.crawls.cards import pause
from service.crawls.changing import REPEATS
from service.crawls.declaring import declare, list_declarations
from service.crawls.entering import Entered
from service.crawls.errors import Contention, NotFound
from service.crawls.rounds import get_round, list_rounds, submit_round
from service.rules.errors import IllegalReplacement, IllegalStatus, Invalid
from service.rules.submission import Check, Declaration, Submission
from service.store.crawls import CrawlStore
from service.store.errors import StaleCrawl
from service.store.records import Answer
from tests.crawls.tables import Table, a_key, start

EXPLORE = Submission("explore")
REST = Submission("rest", rounds=6, dice={"encounter": (6,)})


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def test_a_round_answers_its_outcome(table: Table) -> None:
    answer = submit_round(table.entered(), EXPLORE)
    assert answer.body is not None
    assert (answer.status, answer.etag, answer.location) == (201, '"2"', f"/v1/crawls/{table.id}/rounds/1")
    assert (answer.body["number"], answer.body["version"]) == (1, 2)
    assert answer.body["clock"] == {"from": 0, "to": 600, "elapsed": 600, "display": "10 min"}
    assert list(answer.body["summary"]) == ["public", "gm"]
    assert table.gm(get_round, 1) == answer.body
    assert (table.stands()["rounds"], table.stands()["version"]) == (1, 2)


def test_renders_come_when_asked_for(table: Table) -> None:
    body = submit_round(table.entered(render=("roll20", "discord")), EXPLORE).body
    assert body is not None
    assert list(body["render"]) == ["roll20", "discord"]
    assert list(body["render"]["roll20"]) == ["public", "gm"]
    assert "render" not in table.gm(get_round, 1)
    read = get_round(table.entered("player", render=("roll20",)), 1).body
    assert read is not None
    assert list(read["render"]["roll20"]) == ["public"]
    with pytest.raises(Invalid):
        submit_round(table.entered(render=("fantasy",)), EXPLORE)


def test_who_was_not_the_faster_is_resolved_again(table: Table) -> None:
    late = table.entered()
    table.round()
    body = submit_round(late, EXPLORE).body
    assert body is not None
    assert (body["number"], body["version"], body["clock"]["from"]) == (2, 3, 600)


def test_with_if_match_who_was_not_the_faster_is_told(table: Table) -> None:
    late = table.entered(if_match='"1"')
    table.round()
    with pytest.raises(StaleCrawl):
        submit_round(late, EXPLORE)
    assert table.stands()["rounds"] == 1
    assert submit_round(table.entered(if_match='"7", "2"'), EXPLORE).status == 201
    assert submit_round(table.entered(if_match="*"), EXPLORE).status == 201
    with pytest.raises(StaleCrawl):
        submit_round(table.entered(if_match='W/"4"'), EXPLORE)


def test_after_five_collisions_we_say_so(table: Table) -> None:
    tries = 0

    class Crowded(CrawlStore):
        """A store in which somebody else is always faster."""

        def commit(self, change: Any) -> Answer | None:
            nonlocal tries
            tries += 1
            table.round("time", seconds=60)
            return super().commit(change)

    entered = table.entered()
    crowded = Entered(
        Crowded(table.store.redis), entered.asking, entered.loaded, entered.now, entered.reading, entered.token
    )
    with pytest.raises(Contention):
        submit_round(crowded, EXPLORE)
    assert tries == 1 + REPEATS


def test_the_same_key_plays_one_round(table: Table) -> None:
    first = submit_round(table.entered(idempotency=a_key()), EXPLORE)
    again = table.enter(idempotency=a_key(), if_match='"1"')
    assert isinstance(again, Answer)
    assert again.replayed
    assert (again.status, again.body, again.etag, again.location) == (
        first.status,
        first.body,
        first.etag,
        first.location,
    )


def test_twins_with_one_key_play_one_round(table: Table) -> None:
    twin = table.entered(idempotency=a_key())
    first = submit_round(table.entered(idempotency=a_key()), EXPLORE)
    again = submit_round(twin, EXPLORE)
    assert again.replayed
    assert again.body == first.body
    assert table.stands()["rounds"] == 1


def test_what_was_declared_ahead_is_used_and_forgotten(table: Table) -> None:
    table.player(declare, table.bram, Declaration("Bram", "loot"))
    outcome = table.round()
    assert [(each["character"], each["activity"], each["source"]) for each in outcome["declarations"]] == [
        ("Kara", None, "none"),
        ("Bram", "loot", "declared"),
        ("Sela", "keep_watch", "standing_order"),
    ]
    assert table.gm(list_declarations) == {"declarations": [], "next": None}


def test_what_is_declared_while_a_round_is_resolved_is_used_by_it(table: Table) -> None:
    table.gm(declare, table.bram, Declaration("Bram", "loot"))
    late = table.entered()
    table.gm(declare, table.bram, Declaration("Bram", "search"))
    body = submit_round(late, EXPLORE).body
    assert body is not None
    assert body["declarations"][1]["activity"] == "search"


def test_a_failed_check_is_found_in_its_round_and_done_over(store: CrawlStore) -> None:
    table = start(store, ruleset="stretch", encounter_check={"every_rounds": 24})
    failed = Declaration("Kara", "act", task="door", check=Check(dc=15, total=3))
    passed = Declaration("Bram", "act", task="lid", check=Check(dc=5, total=12))
    table.round(declarations=(failed, passed))

    def over(task: str, number: int = 1) -> Any:
        check = Check(dc=15, modifier=2)
        return table.round(declarations=(Declaration("Kara", "take_your_time", check=check, replaces=(number, task)),))

    with pytest.raises(IllegalReplacement):
        over("lid")
    with pytest.raises(Invalid):
        over("chest")
    with pytest.raises(Invalid):
        over("door", number=9)
    assert over("door")["tasks"][0]["degree"] == "success"


def test_a_fight_may_name_only_an_encounter_that_came(table: Table) -> None:
    with pytest.raises(Invalid) as refused:
        table.round("combat", combat_rounds=3, encounter="enc_none")
    assert refused.value.faults[0].pointer == "/encounter"
    table.gm(submit_round, REST)
    (encounter,) = table.encounters()
    assert table.round("combat", combat_rounds=3, encounter=encounter["id"])["encounter"] == encounter["id"]


def test_a_paused_crawl_plays_no_round(table: Table) -> None:
    table.gm(pause)
    with pytest.raises(IllegalStatus):
        table.round()


def test_rounds_are_listed_in_order(table: Table) -> None:
    for _ in range(3):
        table.round("time", seconds=60)
    first = table.gm(list_rounds, 0, 2)
    assert ([each["number"] for each in first["rounds"]], first["next"]) == ([1, 2], 2)
    rest = table.player(list_rounds, 2, 2)
    assert ([each["number"] for each in rest["rounds"]], rest["next"]) == ([3], None)
    assert table.gm(list_rounds, 3, 2) == {"rounds": [], "next": None}
    with pytest.raises(NotFound):
        table.gm(get_round, 4)


def test_events_tell_the_round_first_and_then_what_came_in_it(store: CrawlStore) -> None:
    from service.crawls.timers import add_timer

    table = start(store, alert={"enabled": True, "level": 4}, visibility={"alert": "public"})
    table.gm(add_timer, {"name": "Torch", "kind": "light", "seconds": 1200})
    table.round("rest", rounds=3, dice={"encounter": (6,)})
    assert [event["type"] for event in table.events()] == [
        "crawl.started",
        "crawl.changed",
        "round.resolved",
        "timer.ending",
        "timer.expired",
        "encounter.triggered",
    ]
    assert [event["type"] for event in table.events("player")] == [
        "crawl.started",
        "crawl.changed",
        "round.resolved",
        "timer.ending",
        "timer.expired",
    ]
    assert [event["sequence"] for event in table.events("player")] == [1, 2, 3, 4, 5]
    assert table.events()[-1]["data"]["alert_level"] == 4
