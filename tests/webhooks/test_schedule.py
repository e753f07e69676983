"""A delivery is tried thirteen times over three days, close together at first, and a receiver may ask for a wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from service.webhooks import schedule
from service.webhooks.client import Verdict
from service.webhooks.delivery import Decision, decide

NOW = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)
HOUR = 3600


def middle() -> float:
    return 0.5


def test_the_first_tries_come_after_5_s_30_s_and_2_min() -> None:
    assert [schedule.wait_after(tries, middle) for tries in (1, 2, 3)] == [5, 30, 120]


def test_thirteen_tries_take_about_72_hours() -> None:
    waits = [schedule.wait_after(tries, middle) for tries in range(1, 13)]
    assert schedule.wait_after(13, middle) is None
    assert sum(wait or 0 for wait in waits) / HOUR == pytest.approx(72, abs=1)
    assert waits == sorted(waits)


@pytest.mark.parametrize(("chance", "wait"), [(0.0, 24.0), (0.5, 30.0), (1.0, 36.0)])
def test_chance_moves_a_wait_by_a_fifth_at_most(chance: float, wait: float) -> None:
    assert schedule.wait_after(2, lambda: chance) == pytest.approx(wait)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7200", 7200),
        (" 60 ", 60),
        (format_datetime(NOW + timedelta(hours=2), usegmt=True), 7200),
        ("Tuesday, 01-Dec-26 21:00:00 GMT", 3600),
        ("Tue Dec  1 21:00:00 2026", 3600),
        ("86401", 24 * HOUR),
        ("1000000000000", 24 * HOUR),
        ("9" * 5000, 24 * HOUR),
        (format_datetime(NOW + timedelta(days=400), usegmt=True), 24 * HOUR),
    ],
)
def test_a_receiver_may_ask_for_a_wait_of_up_to_24_hours(value: str, seconds: float) -> None:
    assert schedule.retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "soon",
        "-5",
        "+5",
        "1e3",
        "5.5",
        "٣",
        "0",
        "1, 2",
        "Tue, 99 Dec 2026 99:00:00 GMT",
        "Tue, 01 Dec 99999999999 20:00:00 GMT",
        format_datetime(NOW - timedelta(seconds=1), usegmt=True),
    ],
)
def test_garbage_nothing_and_the_past_ask_for_no_wait(value: str | None) -> None:
    assert schedule.retry_after(value, NOW) is None


@pytest.mark.parametrize("status", [429, 503])
def test_the_wait_asked_for_replaces_the_schedule_s(status: int) -> None:
    assert decide(Verdict(status, 3, headers={"retry-after": "7200"}), 1, NOW, middle).wait == 7200
    assert decide(Verdict(status, 3, headers={"retry-after": "7"}), 5, NOW, middle).wait == 7


def test_a_wait_asked_for_with_another_status_counts_for_nothing() -> None:
    assert decide(Verdict(500, 3, headers={"retry-after": "7200"}), 1, NOW, middle).wait == 5


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_a_delivery(status: int) -> None:
    assert decide(Verdict(status, 3), 1, NOW, middle) == Decision("delivered")


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 404, 500, 502, 504])
def test_every_other_status_is_tried_again(status: int) -> None:
    decision = decide(Verdict(status, 3), 1, NOW, middle)
    assert (decision.outcome, decision.wait) == ("again", 5)
    assert str(status) in decision.reason


def test_410_ends_the_webhook_and_says_so() -> None:
    assert decide(Verdict(410, 3), 1, NOW, middle) == Decision("disabled", reason="the receiver answered 410 Gone")


def test_the_thirteenth_failure_is_the_last() -> None:
    verdict = Verdict(None, 3, error="timeout")
    assert decide(verdict, 12, NOW, middle) == Decision("again", 24 * HOUR, "timeout")
    assert decide(verdict, 13, NOW, middle) == Decision("given_up", None, "timeout")
    assert decide(Verdict(429, 3, headers={"retry-after": "5"}), 13, NOW, middle).outcome == "given_up"
