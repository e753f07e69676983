"""What follows from a try, for the delivery and for its webhook."""

from __future__ import annotations

import pytest

from service.webhooks.delivery import Decision, decide
from service.webhooks.reading import Reading

DAY = 24 * 3600
AGAIN = Reading("again", "timeout")


def middle() -> float:
    return 0.5


def test_what_has_arrived_is_over() -> None:
    assert decide(Reading("arrived"), 3, 7, DAY, middle) == Decision("delivered")


def test_a_receiver_that_took_it_may_still_ask_for_a_rest() -> None:
    assert decide(Reading("arrived", wait=1.5), 1, 0, 0, middle) == Decision("delivered", rest=1.5)


def test_what_failed_waits_for_its_next_try() -> None:
    assert decide(AGAIN, 2, 0, 0, middle) == Decision("waiting", "timeout", wait=30)


def test_the_thirteenth_failure_is_the_last() -> None:
    assert decide(AGAIN, 12, 0, 0, middle).wait == DAY
    assert decide(AGAIN, 13, 0, 0, middle) == Decision("failed", "timeout")


def test_a_wait_asked_for_holds_for_all_that_goes_there() -> None:
    assert decide(Reading("again", "429", 7200), 1, 0, 0, middle) == Decision("waiting", "429", wait=7200, rest=7200)


def test_a_message_that_is_refused_is_not_sent_again() -> None:
    assert decide(Reading("refused", "no"), 1, 0, 0, middle) == Decision("failed", "no")


def test_a_receiver_that_is_gone_ends_the_webhook() -> None:
    assert decide(Reading("gone", "410"), 1, 0, 0, middle) == Decision("failed", "410", disables="410")


@pytest.mark.parametrize(("before", "rest"), [(3, 0), (4, 60), (5, 120), (6, 240), (7, 480), (8, 600), (80, 600)])
def test_from_the_fifth_failure_in_a_row_a_webhook_is_only_probed(before: int, rest: float) -> None:
    decision = decide(AGAIN, 1, before, 0, middle)
    assert (decision.probe, decision.rest) == (rest > 0, rest)
    assert decide(Reading("again", "", 3000), 1, before, 0, middle).rest == 3000


@pytest.mark.parametrize(
    ("before", "failing", "ends"),
    [(19, 5 * DAY, True), (18, 5 * DAY, False), (19, 5 * DAY - 1, False), (400, 4 * DAY, False), (30, 9 * DAY, True)],
)
def test_twenty_failures_over_five_days_end_a_webhook(before: int, failing: float, ends: bool) -> None:
    decision = decide(AGAIN, 1, before, failing, middle)
    assert (decision.disables is not None) == ends
    assert decision.outcome == "waiting"  # what waits is kept for when it is switched on again


def test_the_reason_says_how_often_how_long_and_what_came_last() -> None:
    assert decide(AGAIN, 1, 24, 5.2 * DAY, middle).disables == (
        "25 tries in a row have failed over 5 days, at last: timeout"
    )
