"""The summary says in one or two plain sentences what a round brought."""

from __future__ import annotations

import pytest

from service.render import text
from service.rules.duration import said
from tests.render.told import found, task, told


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 min"), (30, "30 s"), (150, "2 min 30 s"), (2700, "45 min"), (3600, "1 h"), (5400, "1 h 30 min")],
)
def test_time_is_said_in_hours_minutes_and_seconds(seconds: int, words: str) -> None:
    assert said(seconds) == words


def test_a_quiet_walk_is_one_sentence() -> None:
    assert text.summary(told()) == ("Round 7: the party moves at fast pace: 2 rooms in 1 min; the clock stands at 1 h.")


def test_the_gm_reads_of_a_halt_and_of_the_alert() -> None:
    movement = told()["movement"] | {"rooms_asked": 3}
    outcome = told(
        movement=movement,
        alert=told()["alert"] | {"to": 2},
        encounters=[{"id": "enc_a", "at": 3600, "status": "pending"}],
        halted={"by": "encounter", "encounter": "enc_a", "remaining": {"rooms": 1}},
    )
    assert text.summary(outcome) == (
        "Round 7: the party moves at fast pace: 2 of 3 rooms in 1 min; the clock stands at 1 h. "
        "The alert rises from 1 to 2; an encounter comes at 1 h; the party stops with 1 room to go."
    )


def test_what_was_found_and_done_is_told() -> None:
    outcome = told(
        kind="explore",
        movement=None,
        clock={"from": 0, "to": 600, "elapsed": 600, "display": "10 min"},
        declarations=found("hatch", "coin"),
        tasks=[task("bulkhead", "critical_success", "Bram", "Odo"), task(None, None), task(None, "failure", "Sela")],
        timers={"expired": [{"name": "Torch"}], "ending": [{"name": "Bless"}]},
    )
    assert text.summary(outcome) == (
        "Round 7: the party explores for 10 min; the clock stands at 10 min. Kara finds hatch, coin; "
        "bulkhead (Bram, Odo): critical success; Sela: failure; Torch runs out; Bless is about to run out."
    )


@pytest.mark.parametrize(
    ("different", "words"),
    [
        ({"kind": "combat", "movement": None}, "Round 7: a fight takes 1 min; the clock stands at 1 h."),
        ({"kind": "rest", "movement": None}, "Round 7: the party rests for 1 min; the clock stands at 1 h."),
        ({"kind": "time", "movement": None}, "Round 7: 1 min of time goes by; the clock stands at 1 h."),
    ],
)
def test_every_kind_has_its_words(different: dict[str, object], words: str) -> None:
    assert text.summary(told(**different)) == words


def test_a_fight_beside_the_clock_tells_its_own_time() -> None:
    clock = {"from": 0, "to": 0, "elapsed": 0, "display": "0 min", "fight_seconds": 24}
    outcome = told(kind="combat", movement=None, clock=clock)
    assert text.summary(outcome) == "Round 7: the party fights for 24 s; the clock stands at 0 min."


def test_names_are_shortened_and_stay_on_one_line() -> None:
    summary = text.summary(told(declarations=found("a\nb\u202ec\u2028d", by="K" * 200)))
    assert f"{'K' * 79}… finds a b c d." in summary


def test_forty_tasks_with_long_names_still_fit() -> None:
    tasks = [task("t" * 200, "success", *["c" * 200] * 40) for _ in range(40)]
    assert len(text.summary(told(tasks=tasks))) < 2200
