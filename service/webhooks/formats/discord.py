"""Discord's channel webhooks: embeds, and rate limits that are read from every answer.

What Discord forbids to try again ends the webhook: https://discord.com/developers/docs/topics/rate-limits bans whoever
goes on, by address, and the address is shared by all crawls of this service.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson

from service.render import discord
from service.rules.model import Audience
from service.webhooks import schedule
from service.webhooks.client import Verdict
from service.webhooks.formats import standard
from service.webhooks.reading import Reading, seconds


def body(event: Mapping[str, Any], _: int | None, audience: Audience) -> bytes:
    return orjson.dumps(discord.message(event, audience))


def target(url: str) -> str:
    """The URL with `wait=true`, unless it says otherwise: without it Discord tells of no message that it lost."""
    address, _, query = url.partition("#")[0].partition("?")
    given = [each for each in query.split("&") if each]
    if not any(each.partition("=")[0] == "wait" for each in given):
        given.append("wait=true")
    return f"{address}?{'&'.join(given)}"


def read(verdict: Verdict, now: datetime) -> Reading:
    """As standard, but for what Discord says in its own way: its ends, its refusals, and its waits in fractions."""
    if verdict.status in _ENDS:
        return Reading("gone", _ENDS[verdict.status])
    if verdict.status == 400:
        return Reading("refused", _REFUSED)
    reading = standard.read(verdict, now)
    if verdict.status == 429:
        return replace(reading, wait=_asked(verdict, now))
    if verdict.delivered and verdict.headers.get("x-ratelimit-remaining", "").strip() == "0":
        return replace(reading, wait=_reset(verdict))
    return reading


_ENDS = {
    401: "Discord answered 401: this webhook may not post",
    403: "Discord answered 403: this webhook may not post there",
    404: "Discord answered 404: this webhook, or its thread, is no longer there",
}
_REFUSED = "Discord answered 400 to this message; a webhook of a forum needs ?thread_id=… in its URL"


def _asked(verdict: Verdict, now: datetime) -> float | None:
    return (
        seconds(_told(verdict.snippet))
        or schedule.retry_after(verdict.headers.get("retry-after"), now)
        or _reset(verdict)
    )


def _told(snippet: str) -> object:
    """The wait in the body of a 429; Cloudflare's has none."""
    try:
        told = orjson.loads(snippet)
    except ValueError:
        return None
    return told.get("retry_after") if isinstance(told, dict) else None


def _reset(verdict: Verdict) -> float | None:
    return seconds(verdict.headers.get("x-ratelimit-reset-after"))
