"""The summary: what a round brought in one or two plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.render.words import capital, deed, joined, news, plain

LIMIT = 2000


def summary(body: Mapping[str, Any]) -> str:
    """It tells what `body` tells, so give it the players' (`sight.outcome.outcome_for_players`) for words of theirs."""
    first = f"Round {body['number']}: {deed(body, plain)}; the clock stands at {body['clock']['display']}."
    happened = joined(news(body, plain), LIMIT)
    return f"{first} {capital(happened)}." if happened else first
