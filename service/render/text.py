"""The summary: what a round brought in one or two plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.render.words import capital, deed, joined, news, plain

LIMIT = 2000


def for_players(body: Mapping[str, Any]) -> str:
    """From what players may know (`sight.outcome.outcome_for_players`), and so without anything else."""
    return _sentences(body)


def for_gm(body: Mapping[str, Any]) -> str:
    """From what the GM is told."""
    return _sentences(body)


def _sentences(body: Mapping[str, Any]) -> str:
    first = f"Round {body['number']}: {deed(body, plain)}; the clock stands at {body['clock']['display']}."
    happened = joined(news(body, plain), LIMIT)
    return f"{first} {capital(happened)}." if happened else first
