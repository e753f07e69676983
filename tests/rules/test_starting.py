"""What cannot be started: refusals of a crawl's set-up, each with its pointer."""

from __future__ import annotations

from typing import Any

import pytest

from service.rules.card import start_crawl
from service.rules.errors import Invalid
from service.rules.model import Crawl
from tests.rules import wire

KARA = {"name": "Kara"}


def start(**body: Any) -> Crawl:
    return start_crawl(
        crawl_id="crl_00start",
        created_at="2026-01-01T00:00:00Z",
        seed="0c" * 32,
        **wire.start_of({"ruleset": "stretch", "party": [KARA], **body}),
    )


def pointers_of(**body: Any) -> set[str]:
    with pytest.raises(Invalid) as refused:
        start(**body)
    return {fault.pointer for fault in refused.value.faults}


def test_stretch_has_no_alert_to_switch_on() -> None:
    assert pointers_of(alert={"enabled": True}) == {"/alert/enabled"}


def test_stretch_may_say_that_it_has_no_alert() -> None:
    assert start(alert={"enabled": False}).card.alert_enabled is False
    assert start().card.alert_enabled is False


def test_a_level_of_an_alert_that_stretch_does_not_have_is_refused() -> None:
    assert pointers_of(alert={"level": 2}) == {"/alert/level"}


@pytest.mark.parametrize("level", [0, 5])
def test_derelict_starts_at_a_level_that_it_has(level: int) -> None:
    assert pointers_of(ruleset="derelict", alert={"level": level}) == {"/alert/level"}


def test_derelict_starts_at_level_1_with_its_alert_on_unless_told_otherwise() -> None:
    assert start(ruleset="derelict").play.alert_level == 1
    assert start(ruleset="derelict").card.alert_enabled is True
    assert start(ruleset="derelict", alert={"level": 3}).play.alert_level == 3
    assert start(ruleset="derelict", alert={"enabled": False}).card.alert_enabled is False


@pytest.mark.parametrize("n", [0, 25])
def test_the_check_interval_is_1_to_24_stretches(n: int) -> None:
    assert pointers_of(encounter_check={"every_rounds": n}) == {"/encounter_check/every_rounds"}


def test_derelict_has_no_check_interval_of_its_own() -> None:
    assert pointers_of(ruleset="derelict", encounter_check={"every_rounds": 2}) == {"/encounter_check/every_rounds"}


def test_a_default_activity_is_one_of_the_ruleset() -> None:
    assert pointers_of(party=[KARA, {"name": "Bram", "default_activity": "juggle"}]) == {"/party/1/default_activity"}


def test_a_default_activity_may_be_one_of_the_crawl_s_own() -> None:
    crawl = start(party=[{**KARA, "default_activity": "pray"}], rules={"activities": {"pray": {"title": "Pray"}}})
    assert crawl.card.party[0].default_activity == "pray"


def test_names_are_unique_in_any_case() -> None:
    assert pointers_of(party=[KARA, {"name": "KARA"}]) == {"/party/1/name"}


def test_the_marching_order_and_light_bearers_are_of_the_party() -> None:
    assert pointers_of(marching_order=["Kara", "Bram"]) == {"/marching_order/1"}
    assert pointers_of(light_bearers=["Bram"]) == {"/light_bearers/0"}


def test_an_unknown_ruleset_is_refused() -> None:
    assert pointers_of(ruleset="hexcrawl") == {"/ruleset"}


@pytest.mark.parametrize(
    ("rules", "pointer"),
    [
        ({"paces": {"rush": {"rooms_per_round": 0}}}, "/rules/paces/rush/rooms_per_round"),
        ({"paces": {"rush": {"speed": 3}}}, "/rules/paces/rush/speed"),
        ({"encounter_check": {"triggers_on": [7]}}, "/rules/encounter_check/triggers_on"),
        ({"encounter_check": {"die": "2d6"}}, "/rules/encounter_check/die"),
        ({"activities": {"pray": {"title": "Pray", "effect": "miracle"}}}, "/rules/activities/pray/effect"),
        ({"whole_rounds": 1}, "/rules/whole_rounds"),
        ({"rest": None}, "/rules/rest/short_rounds"),
        ({"weather": {"rain": True}}, "/rules/weather"),
    ],
)
def test_house_rules_are_checked_as_a_whole(rules: dict[str, Any], pointer: str) -> None:
    assert pointer in pointers_of(rules=rules)
