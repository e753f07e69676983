"""Formats: what a receiver of each kind is sent, where to, and what its answer means. None is bound to a host."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.rules.model import Audience
from service.webhooks.client import Verdict
from service.webhooks.formats import discord, slack, standard
from service.webhooks.reading import Reading


@dataclass(frozen=True, slots=True)
class Format:
    """`body` tells an event {id, type, timestamp, crawl, data}, as that audience may see it, with its sequence (None
    for what has none). `target` is the URL that is posted to. `read` says what a verdict means at that moment.
    """

    body: Callable[[Mapping[str, Any], int | None, Audience], bytes]
    target: Callable[[str], str]
    read: Callable[[Verdict, datetime], Reading]


FORMATS: Mapping[str, Format] = {
    "standard": Format(standard.body, standard.target, standard.read),
    "discord": Format(discord.body, discord.target, discord.read),
    "slack": Format(slack.body, slack.target, slack.read),
}
