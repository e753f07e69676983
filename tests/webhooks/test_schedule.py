"""A delivery is tried thirteen times over three days, close together at first, and a receiver may ask for a wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from service.webhooks import schedule

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


def test_a_longer_wait_that_is_asked_for_takes_the_schedule_s_place() -> None:
    assert schedule.wait_after(1, middle, 7200) == 7200
    assert schedule.wait_after(3, middle, 7) == 120


def test_no_wait_asked_for_makes_more_than_thirteen_tries() -> None:
    assert schedule.wait_after(13, middle, 5) is None
    assert sum(schedule.wait_after(tries, middle, 1) or 0 for tries in range(1, 13)) == sum(schedule.WAITS)
