"""The event itself as JSON, and an answer's status by HTTP's own meaning: what every format goes by."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from service.rules.model import Audience
from service.webhooks import schedule
from service.webhooks.client import Verdict
from service.webhooks.reading import Reading

LONGEST = 64 * 1024
"""Bytes of a body. A longer event comes without its data; the receiver reads it from `GET …/events`."""


def body(event: Mapping[str, Any], sequence: int | None, _: Audience) -> bytes:
    """The event as `GET …/events` shows it."""
    told = {
        "id": event["id"],
        "type": event["type"],
        "timestamp": event["timestamp"],
        "crawl": event["crawl"],
        "sequence": sequence,
        "data": event["data"],
    }
    whole = orjson.dumps(told)
    return whole if len(whole) <= LONGEST else orjson.dumps(told | {"data": {"truncated": True}})


def target(url: str) -> str:
    return url


def read(verdict: Verdict, now: datetime) -> Reading:
    """2xx has arrived, 410 is the webhook's end, all else is tried again; 429 and 503 may ask for a wait."""
    if verdict.delivered:
        return Reading("arrived")
    status = verdict.status
    if status is None:
        return Reading("refused" if verdict.error == "bad_url" else "again", verdict.error or "no answer")
    if status == 410:
        return Reading("gone", "the receiver answered 410 Gone")
    if 300 <= status < 400:
        return Reading("again", f"the receiver answered {status}, and redirects are not followed")
    wait = schedule.retry_after(verdict.headers.get("retry-after"), now) if status in (429, 503) else None
    return Reading("again", f"the receiver answered {status}", wait)
