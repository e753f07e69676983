"""Crawls and histories for the properties: any submissions in any order, with faces handed on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from service.rules.card import start_crawl
from service.rules.model import Character, Crawl, Visibility
from service.rules.outcome import EncounterCheck, Outcome
from service.rules.round import resolve_round
from service.rules.submission import Check, Declaration, DieUse, Incident, Submission
from service.rules.timers import add_timer

short = settings(max_examples=80, deadline=None, derandomize=True, database=None)

FACES = st.lists(st.integers(1, 6), min_size=120, max_size=120).map(tuple)
LEVELS = st.integers(1, 4)
SEEDS = st.binary(min_size=32, max_size=32).map(bytes.hex)
INCIDENTS = ("door_broken", "thunder_damage", "hacking_failed", "noise", "guards_deceived", "guard_persuaded")


def a_crawl(ruleset: str, *, seed: str = "1d" * 32, level: int | None = None, n: int | None = None) -> Crawl:
    return start_crawl(
        crawl_id="crl_00history",
        created_at="2026-01-01T00:00:00Z",
        seed=seed,
        name="Any crawl",
        ruleset=ruleset,
        rules={},
        party=(Character("chr_1", "Kara", 14, 3, 3), Character("chr_2", "Bram", default_activity="keep_watch")),
        marching_order=(),
        light_bearers=(),
        alert_enabled=None,
        alert_level=level,
        every_rounds=n,
        guards=None,
        visibility=Visibility(),
    )


def played(crawl: Crawl, submissions: Iterable[Submission]) -> tuple[Crawl, list[Outcome]]:
    """The crawl after the submissions, given faces handed on from each to the next."""
    outcomes: list[Outcome] = []
    for submission in submissions:
        if outcomes:
            submission = replace(submission, dice={**submission.dice, **outcomes[-1].unused_dice})
        resolution = resolve_round(crawl, submission)
        crawl = resolution.crawl
        outcomes.append(resolution.outcome)
    return crawl, outcomes


def checks_of(outcomes: Iterable[Outcome]) -> list[EncounterCheck]:
    return [check for outcome in outcomes for check in outcome.encounter_checks]


def told(outcomes: list[Outcome]) -> dict[str, Any]:
    """What was due and what it brought, told of the whole time: encounter ids belong to the round and are left out."""
    return {
        "checks": [(each.at, each.alert_level, each.face, each.triggered) for each in checks_of(outcomes)],
        "encounters": [each.at for outcome in outcomes for each in outcome.encounters],
        "rolls": [(each.at, each.face) for outcome in outcomes for each in outcome.alert_rolls],
        "changes": [(each.at, each.before, each.after) for outcome in outcomes for each in outcome.alert_changes],
        "expired": [(each.timer.name, each.at) for outcome in outcomes for each in outcome.timers_expired],
        "ending": [(each.timer.name, each.at) for outcome in outcomes for each in outcome.timers_ending],
        "left": dict(outcomes[-1].unused_dice),
        "clock": outcomes[-1].ended_at,
        "next": outcomes[-1].next_check,
    }


def passing(kind: str, seconds: int, faces: tuple[int, ...] = ()) -> Submission:
    dice: dict[DieUse, tuple[int, ...]] = {"encounter": faces} if faces else {}
    return Submission(kind, seconds=seconds, on_encounter="continue", dice=dice)  # type: ignore[arg-type]


def walking(pace: str, rooms: int, encounter: tuple[int, ...] = (), alert: tuple[int, ...] = ()) -> Submission:
    dice: dict[DieUse, tuple[int, ...]] = {"encounter": encounter, "alert": alert} if encounter else {}
    return Submission("travel", pace=pace, rooms=rooms, on_encounter="continue", dice=dice)


def lit(crawl: Crawl, lengths: Iterable[int]) -> Crawl:
    for number, seconds in enumerate(lengths):
        crawl, _ = add_timer(crawl, name=f"candle {number}", kind="light", seconds=seconds)
    return crawl


def derelict_submissions() -> st.SearchStrategy[Submission]:
    halts = st.sampled_from(("halt", "continue"))
    incidents = st.lists(st.sampled_from(INCIDENTS), max_size=2).map(
        lambda names: tuple(Incident(name) for name in names)
    )
    hack = Declaration("Kara", "act", label="hack", check=Check(proficiency="Hacking_Tools", dc=12, modifier=0))
    return st.one_of(
        st.builds(Submission, st.just("explore"), incidents=incidents, declarations=st.sampled_from(((), (hack,)))),
        st.builds(
            Submission,
            st.just("travel"),
            pace=st.sampled_from(("normal", "fast")),
            rooms=st.integers(1, 40),
            on_encounter=halts,
            incidents=incidents,
        ),
        st.builds(Submission, st.just("combat"), combat_rounds=st.integers(1, 10), incidents=incidents),
        st.builds(Submission, st.just("rest"), seconds=st.integers(1, 9000), on_encounter=halts, incidents=incidents),
        st.builds(Submission, st.just("time"), seconds=st.integers(1, 9000), on_encounter=halts, incidents=incidents),
    )


def stretch_submissions() -> st.SearchStrategy[Submission]:
    halts = st.sampled_from(("halt", "continue"))
    return st.one_of(
        st.builds(Submission, st.just("explore")),
        st.builds(Submission, st.just("travel"), rooms=st.integers(1, 9), on_encounter=halts),
        st.builds(Submission, st.just("combat"), combat_rounds=st.integers(1, 10)),
        st.builds(Submission, st.just("rest"), rounds=st.integers(1, 9), on_encounter=halts),
        st.builds(Submission, st.just("time"), seconds=st.integers(1, 9).map(lambda n: n * 600), on_encounter=halts),
    )


HISTORIES = st.one_of(
    st.tuples(
        st.builds(a_crawl, st.just("derelict"), seed=SEEDS, level=LEVELS), st.lists(derelict_submissions(), max_size=8)
    ),
    st.tuples(
        st.builds(a_crawl, st.just("stretch"), seed=SEEDS, n=st.integers(1, 24)),
        st.lists(stretch_submissions(), max_size=8),
    ),
)
