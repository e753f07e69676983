"""Players see what is theirs: no body of an outcome for them holds anything of the GM's, whatever the crawl shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.rules.model import Card, Character, Crawl, Encounter, Timer, Visibility
from service.rules.outcome import (
    AlertChange,
    AlertRoll,
    Consequence,
    Declared,
    EncounterCheck,
    Halted,
    Movement,
    NextCheck,
    Outcome,
    Roll,
    SaveResult,
    Stealth,
    Task,
    TimerMoment,
)
from service.sight.encounter import encounter_told
from service.sight.outcome import outcome_for_gm, outcome_for_players

KARA = Character("chr_kara", "Kara")
CRAWL = Crawl("crl_00a", "2026-01-01T00:00:00Z", "5e" * 32, Card("Crypt", "derelict", (KARA,)), version=41)

GMS_KEYS = {
    "version",
    "dc",
    "rooms_asked",
    "encounter_checks",
    "next_check",
    "unused_dice",
    "note",
    "rolls",
    "consequences",
    "cause",
    "capped",
    "gm",
    "hidden",
    "seed",
}
SECRETS = ("GM-NOTE", "GM-CAUSE", "GM-TURRET", "GM-HIDDEN", "987")

visibilities = st.builds(
    Visibility, alert=st.sampled_from(["gm", "public"]), timers=st.sampled_from(["exact", "vague", "hidden"])
)


def an_encounter(name: str, revealed: bool) -> Encounter:
    status = "revealed" if revealed else "pending"
    return Encounter(f"enc_{name}", 0, 3600, status, revealed, result=None if revealed else "GM-HIDDEN")


@st.composite
def outcomes(draw: st.DrawFn) -> Outcome:
    """Outcomes in which everything that is the GM's alone says so."""
    roll = Roll((12,), 5, 17, 987, "service", True)
    encounters = tuple(an_encounter(f"{i}", draw(st.booleans())) for i in range(draw(st.integers(0, 3))))
    ids = [encounter.id for encounter in encounters]
    timer = TimerMoment(Timer("tmr_a", "Torch", "light", 3600), 3600)
    level = draw(st.integers(1, 4))
    return Outcome(
        number=7,
        kind=draw(st.sampled_from(["explore", "travel", "rest"])),
        started_at=0,
        ended_at=3600,
        fight_seconds=None,
        movement=draw(st.sampled_from([None, Movement("fast", 987, 2, False, False, -5, True, {"Kara": 9})])),
        declarations=(Declared("Kara", "chr_kara", "search", "submitted", check=roll, found=("hatch",)),),
        tasks=(Task("bulkhead", ("Kara",), "single", "success", 1, 0),),
        saves=(SaveResult("Kara", "chr_kara", "save", "trap", True, roll, "success"),),
        alert_enabled=True,
        alert_before=1,
        alert_after=level,
        alert_rolls=(AlertRoll(60, "1d6", 6, (5, 6), "service"),),
        alert_changes=(AlertChange(60, 1, level, "GM-CAUSE", False), AlertChange(60, 4, 4, "GM-CAUSE", True)),
        consequences=(Consequence(60, 4, "GM-TURRET"),),
        encounter_checks=(EncounterCheck(3600, level, "1d6", 6, (6,), "service", ids[0] if ids else None),),
        encounters=encounters,
        timers_expired=draw(st.sampled_from([(), (timer,)])),
        timers_ending=(replace(timer, at=3000),),
        chains=(),
        stealth=Stealth("contested", False),
        halted=Halted(ids[-1], rooms=987) if ids and encounters[-1].status == "pending" else None,
        next_check=NextCheck(987, 987, "1d6", (6,), 1 / 6),
        unused_dice={"alert": (987,)},
        note="GM-NOTE",
        encounter=draw(st.sampled_from([None, *ids])),
    )


def for_players(outcome: Outcome, visibility: Visibility) -> dict[str, Any]:
    revealed = {each.id: encounter_told(each) for each in outcome.encounters if each.revealed}
    return outcome_for_players(outcome_for_gm(CRAWL, outcome), visibility, revealed)


@given(outcomes(), visibilities)
def test_nothing_of_the_gms_is_in_an_outcome_for_players(outcome: Outcome, visibility: Visibility) -> None:
    body = for_players(outcome, visibility)
    assert not GMS_KEYS & set(keys(body))
    assert not [secret for secret in SECRETS if secret in repr(body)]
    assert ("alert" in body) == (visibility.alert == "public")
    assert ("against" in body["stealth"]) == (visibility.alert == "public")
    hidden = [each.id for each in outcome.encounters if not each.revealed]
    assert not [name for name in hidden if name in repr(body)]


@given(outcomes(), visibilities)
def test_an_encounter_that_stays_hidden_leaves_no_trace(outcome: Outcome, visibility: Visibility) -> None:
    """The same round without it is told to players in the same words."""
    known = tuple(each for each in outcome.encounters if each.revealed)
    ids = {each.id for each in known}
    without = replace(
        outcome,
        encounters=known,
        encounter_checks=(),
        halted=outcome.halted if outcome.halted and outcome.halted.encounter in ids else None,
        encounter=outcome.encounter if outcome.encounter in ids else None,
    )
    assert for_players(outcome, visibility) == for_players(without, visibility)


@given(outcomes())
def test_timers_are_told_as_the_crawl_shows_them(outcome: Outcome) -> None:
    def ending(timers: Any) -> Any:
        return for_players(outcome, Visibility(timers=timers))["timers"]["ending"]

    assert ending("exact") == [{"id": "tmr_a", "name": "Torch", "kind": "light", "at": 3000}]
    assert ending("vague") == [{"id": "tmr_a", "name": "Torch", "kind": "light"}]
    assert ending("hidden") == []


def keys(body: Any) -> Iterator[str]:
    if isinstance(body, dict):
        yield from body
        for value in body.values():
            yield from keys(value)
    elif isinstance(body, list):
        for value in body:
            yield from keys(value)
