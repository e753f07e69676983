"""What holds for every crawl, whatever is submitted in whatever order."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.rules.alert import set_alert
from service.rules.model import Crawl
from service.rules.outcome import Resolution
from service.rules.round import resolve_round
from service.rules.ruleset import rules_of
from service.rules.submission import Incident, Submission
from service.rules.watch import next_check
from tests.rules.histories import (
    HISTORIES,
    INCIDENTS,
    LEVELS,
    SEEDS,
    a_crawl,
    checks_of,
    derelict_submissions,
    lit,
    passing,
    played,
    short,
)


@short
@given(
    seed=SEEDS,
    level=LEVELS,
    deeds=st.lists(
        st.one_of(derelict_submissions(), st.integers(-4, 4), st.sampled_from(INCIDENTS), LEVELS.map(str)), max_size=10
    ),
)
def test_the_alert_stays_between_1_and_4(seed: str, level: int, deeds: list[Any]) -> None:
    crawl = a_crawl("derelict", seed=seed, level=level)
    for deed in deeds:
        before = crawl.play.alert_level
        if isinstance(deed, Submission):
            resolution = resolve_round(crawl, deed)
            crawl, changes = resolution.crawl, resolution.outcome.alert_changes
            assert (resolution.outcome.alert_before, resolution.outcome.alert_after) == (before, crawl.play.alert_level)
        else:
            moved = (
                set_alert(crawl, change=deed)
                if isinstance(deed, int)
                else set_alert(crawl, level=int(deed))
                if deed.isdigit()
                else set_alert(crawl, incident=Incident(deed))
            )
            crawl, changes = moved.crawl, moved.changes
        for change in changes:
            assert change.before == before
            assert 1 <= change.after <= 4
            before = change.after
        assert crawl.play.alert_level == before


@short
@given(history=HISTORIES, wait=st.integers(1, 60))
def test_the_next_check_comes_when_it_was_said_to_and_each_once(
    history: tuple[Crawl, list[Submission]], wait: int
) -> None:
    """After any history time alone passes: the first check is the one announced, each further an interval later."""
    crawl, outcomes = played(*history)
    announced = next_check(rules_of(crawl.card), crawl.card, crawl.play)
    assert [announced] == [each.next_check for each in outcomes[-1:]] or not outcomes
    after, [waited] = played(crawl, [passing("time", wait * 600)])
    interval = waited.next_check.at - after.play.last_check
    ats = [each.at for each in waited.encounter_checks]
    if announced.at > waited.ended_at:
        assert ats == []
        assert waited.next_check.at == announced.at
    else:
        assert ats[0] == announced.at
        assert {later - sooner for sooner, later in itertools.pairwise(ats)} <= {interval}
        assert waited.next_check.at > waited.ended_at


INTERVALS = {1: 3600, 2: 3600, 3: 1800, 4: 1800}


@short
@given(seed=SEEDS, level=LEVELS, submissions=st.lists(derelict_submissions(), max_size=10))
def test_every_check_due_by_the_alert_s_own_history_is_made_and_no_other(
    seed: str, level: int, submissions: list[Submission]
) -> None:
    """Reckoned again from the alert's changes alone: due when the time since the last reaches the level's interval."""
    _, outcomes = played(a_crawl("derelict", seed=seed, level=level), submissions)
    last = 0
    for outcome in outcomes:
        levels = [(outcome.started_at, level), *((each.at, each.after) for each in outcome.alert_changes)]
        due = list(due_checks(last, levels, outcome.ended_at))
        assert [(each.at, each.alert_level) for each in outcome.encounter_checks] == due
        last, level = ([at for at, _ in due] or [last])[-1], levels[-1][1]


def due_checks(last: int, levels: list[tuple[int, int]], end: int) -> Iterator[tuple[int, int]]:
    """The (moment, level) of every check up to `end`, given the level from each moment on: deeds come before checks."""
    for (since, level), (until, _) in itertools.pairwise([*levels, (end + 1, 0)]):
        while max(last + INTERVALS[level], since) < until:
            last = max(last + INTERVALS[level], since)
            yield last, level


@short
@given(history=HISTORIES)
def test_checks_come_in_order_and_no_two_fall_within_the_shortest_interval(
    history: tuple[Crawl, list[Submission]],
) -> None:
    crawl, submissions = history
    shortest = 1800 if crawl.card.ruleset == "derelict" else (crawl.card.every_rounds or 1) * 600
    _, outcomes = played(crawl, submissions)
    ats = [0, *(each.at for each in checks_of(outcomes))]
    assert all(later - sooner >= shortest for sooner, later in itertools.pairwise(ats))
    for outcome in outcomes:
        assert all(outcome.started_at <= each.at <= outcome.ended_at for each in outcome.encounter_checks)
        assert [each.encounter for each in outcome.encounter_checks if each.triggered] == [
            each.id for each in outcome.encounters
        ]
        assert outcome.next_check.at >= outcome.ended_at
        assert outcome.next_check.within == outcome.next_check.at - outcome.ended_at


@short
@given(history=HISTORIES, candles=st.lists(st.integers(1, 30_000), min_size=1, max_size=4))
def test_a_timer_warns_once_and_expires_once_each_at_its_moment(
    history: tuple[Crawl, list[Submission]], candles: list[int]
) -> None:
    crawl, outcomes = played(lit(history[0], candles), history[1])
    end = crawl.play.clock
    expired = sorted((each.timer.name, each.at) for outcome in outcomes for each in outcome.timers_expired)
    ending = sorted((each.timer.name, each.at) for outcome in outcomes for each in outcome.timers_ending)
    names = [(f"candle {number}", seconds) for number, seconds in enumerate(candles)]
    assert expired == [(name, seconds) for name, seconds in names if seconds <= end]
    assert ending == [(name, seconds - 600) for name, seconds in names if seconds > 600 and seconds - 600 <= end]
    for outcome in outcomes:
        moments = [each.at for each in outcome.timers_expired + outcome.timers_ending]
        assert all(outcome.started_at <= at <= outcome.ended_at for at in moments)
    assert [each.name for each in crawl.play.timers] == [name for name, seconds in names if seconds > end]


@short
@given(history=HISTORIES)
def test_the_same_submission_on_the_same_crawl_is_the_same_outcome(history: tuple[Crawl, list[Submission]]) -> None:
    crawl, submissions = history
    for submission in submissions:
        as_it_was = repr(crawl)
        first: Resolution = resolve_round(crawl, submission)
        assert resolve_round(crawl, submission) == first
        assert repr(crawl) == as_it_was
        assert first.crawl.version == crawl.version
        assert first.crawl.play.place == crawl.play.place + 1
        assert first.crawl.play.rounds == crawl.play.rounds + 1 == first.outcome.number
        crawl = first.crawl


@short
@given(history=HISTORIES)
def test_the_clock_moves_by_what_was_submitted_less_what_remains(history: tuple[Crawl, list[Submission]]) -> None:
    crawl, submissions = history
    for submission in submissions:
        resolution = resolve_round(crawl, submission)
        outcome = resolution.outcome
        assert outcome.started_at == crawl.play.clock
        assert outcome.ended_at == resolution.crawl.play.clock
        if submission.seconds is not None:
            left = outcome.halted.seconds if outcome.halted else 0
            assert outcome.ended_at - outcome.started_at + (left or 0) == submission.seconds
        if submission.kind == "travel":
            assert outcome.movement is not None
            left = outcome.halted.rooms if outcome.halted else 0
            assert outcome.movement.rooms_entered + (left or 0) == submission.rooms
        if outcome.halted:
            assert submission.on_encounter == "halt"
            assert outcome.encounter_checks[-1].at == outcome.ended_at
        crawl = resolution.crawl
