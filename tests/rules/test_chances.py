"""Worked example 10: the chance of at least one encounter in an hour, exactly, from the engine's own rounds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from service.rules.card import start_crawl
from service.rules.model import Character, Crawl, Visibility
from service.rules.odds import chance_of_encounter
from service.rules.round import resolve_round
from service.rules.ruleset import ruleset_of
from service.rules.submission import Submission

HOUR = (Submission("time", seconds=3600), Submission("rest", rounds=6), Submission("rest", rest="short"))

DERELICT = {1: Fraction(1, 6), 2: Fraction(1, 6), 3: Fraction(11, 36), 4: Fraction(5, 9)}
STRETCH = {1: Fraction(665, 729), 2: Fraction(19, 27), 3: Fraction(5, 9), 6: Fraction(1, 3)}


def a_crawl(ruleset: str, *, level: int | None = None, alert: bool | None = None, n: int | None = None) -> Crawl:
    return start_crawl(
        crawl_id="crl_00chance",
        created_at="2026-01-01T00:00:00Z",
        seed="0b" * 32,
        name="An hour",
        ruleset=ruleset,
        rules={},
        party=(Character("chr_1", "Kara"),),
        marching_order=(),
        light_bearers=(),
        alert_enabled=alert,
        alert_level=level,
        every_rounds=n,
        guards=None,
        visibility=Visibility(),
    )


def chance(crawl: Crawl, submission: Submission, faces: tuple[int, ...] = ()) -> Fraction:
    """The chance of an encounter, by giving each check that falls due every face of its die in turn."""
    given = Submission(
        submission.kind,
        rest=submission.rest,
        rounds=submission.rounds,
        seconds=submission.seconds,
        dice={"encounter": faces} if faces else {},
    )
    outcome = resolve_round(crawl, given).outcome
    checks = outcome.encounter_checks
    if any(check.triggered for check in checks[: len(faces)]):
        return Fraction(1)
    if len(checks) == len(faces):
        return Fraction(0)
    sides = int(checks[len(faces)].die.removeprefix("1d"))
    return sum((chance(crawl, submission, (*faces, face)) for face in range(1, sides + 1)), Fraction(0)) / sides


@pytest.mark.parametrize("submission", HOUR, ids=("time", "rest of six rounds", "short rest"))
@pytest.mark.parametrize("level", DERELICT)
def test_the_chance_of_an_encounter_in_an_hour_at_each_alert_level(level: int, submission: Submission) -> None:
    assert chance(a_crawl("derelict", level=level), submission) == DERELICT[level]


def test_the_chance_of_an_encounter_in_an_hour_without_the_alert_system() -> None:
    assert chance(a_crawl("derelict", alert=False), HOUR[0]) == Fraction(1, 6)


@pytest.mark.parametrize("n", STRETCH)
def test_the_chance_of_an_encounter_in_six_stretches_with_a_check_every_n(n: int) -> None:
    assert chance(a_crawl("stretch", n=n), HOUR[1]) == STRETCH[n]


@pytest.mark.parametrize("level", DERELICT)
def test_the_odds_of_an_hour_at_each_alert_level_are_those_of_its_dice(level: int) -> None:
    assert chance_of_encounter(ruleset_of("derelict"), hours=1, level=level) == DERELICT[level]


@pytest.mark.parametrize("n", STRETCH)
def test_the_odds_of_six_stretches_are_those_of_their_dice(n: int) -> None:
    assert chance_of_encounter(ruleset_of("stretch"), hours=1, every_rounds=n) == STRETCH[n]


def test_the_odds_of_several_hours_compound() -> None:
    assert chance_of_encounter(ruleset_of("derelict"), hours=8, level=1) == 1 - Fraction(5, 6) ** 8
    assert chance_of_encounter(ruleset_of("stretch"), hours=8, every_rounds=6) == 1 - Fraction(2, 3) ** 8
