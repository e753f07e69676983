"""The page for those who write receivers of webhooks: its text, the receivers it shows, and numbers from the code."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from html import escape
from typing import Final

from service.api.guides import read
from service.api.operations import recorded
from service.crawls.webhooks import EVENT_TYPES, GRACE_SECONDS
from service.rules.duration import said
from service.store.keys import MAX_WEBHOOKS
from service.webhooks import client, delivery, schedule
from service.webhooks.formats import standard
from service.webhooks.messages import Message, message_id

RECEIVERS: Final = ("receiver.py", "receiver.mjs")
SECRET: Final = "whsec_" + base64.b64encode(b"everybody knows this one").decode()
"""What the message on the page is signed with."""


@lru_cache(maxsize=8)
def webhooks_guide(base: str) -> str:
    """The page's body, for an instance whose paths begin at `base`."""
    names = {"base": base, **dict(_numbers()), **{name: read(name) for name in RECEIVERS}}
    names |= {"secret": SECRET, "message": _message(), "types": ", ".join(EVENT_TYPES)}
    return re.sub(r"{{(.+?)}}", lambda found: escape(names[found[1]], quote=False), read("webhooks.html"))


def _numbers() -> Iterator[tuple[str, str]]:
    yield "deadline", said(int(client.DEADLINE))
    yield "longest", f"{standard.LONGEST // 1024} KiB"
    yield "webhooks", str(MAX_WEBHOOKS)
    yield "waits", _said(schedule.WAITS)
    yield "jitter", f"{schedule.JITTER:.0%}"
    yield "tries", str(schedule.TRIES)
    yield "hours", f"{sum(schedule.WAITS) / 3600:.0f}"
    yield "most", said(schedule.LONGEST)
    yield "trips", str(delivery.TRIPS_AFTER)
    yield "probes", _said(schedule.PROBES)
    yield "failures", str(delivery.DISABLED_AFTER)
    yield "days", f"{delivery.DISABLED_AFTER_SECONDS / 86400:.0f}"
    yield "grace", said(GRACE_SECONDS)


def _said(waits: Iterable[int]) -> str:
    return ", ".join(said(wait).replace(" ", "\N{NO-BREAK SPACE}") for wait in waits)


def _message() -> str:
    """A recorded event as a receiver gets it: headers and body."""
    event, hook = recorded()["events"]["encounter.triggered"], recorded()["operations"]["createWebhook"]["example"]
    body = standard.body(event, event["sequence"], "gm")
    message = Message(message_id(event["id"], hook["response"]["id"]), event["type"], body)
    headers = message.headers([SECRET], datetime.fromisoformat(event["timestamp"])) | {"User-Agent": client.USER_AGENT}
    lines = ["POST /alarum HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\n".join([*lines, "", body.decode()])
