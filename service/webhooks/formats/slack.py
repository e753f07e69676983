"""Slack's incoming webhooks: blocks, and errors told in a word of plain text.

The words: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks (handling errors).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from service.render import slack
from service.rules.model import Audience
from service.webhooks.client import Verdict
from service.webhooks.formats import standard
from service.webhooks.reading import Reading


def body(event: Mapping[str, Any], _: int | None, audience: Audience) -> bytes:
    return orjson.dumps(slack.message(event, audience))


def target(url: str) -> str:
    return url


def read(verdict: Verdict, now: datetime) -> Reading:
    """As standard, but for a refusal (4xx) with a word that Slack documents, and for any other 400."""
    status = verdict.status
    if status is None or not 400 <= status < 500 or status == 429:
        return standard.read(verdict, now)
    word = verdict.snippet.strip().lower()
    if word in _ENDS:
        return Reading("gone", f"Slack answered {word}: {_ENDS[word]}")
    if word in _REFUSALS:
        return Reading("refused", f"Slack answered {word}: it does not take this message")
    return Reading("refused", "Slack answered 400 to this message") if status == 400 else standard.read(verdict, now)


_ENDS = {
    "no_service": "this webhook was removed or switched off",
    "no_service_id": "this is not the URL of a webhook",
    "no_active_hooks": "this webhook was switched off",
    "no_team": "there is no such workspace",
    "team_disabled": "the workspace is closed",
    "invalid_token": "the webhook's URL is not valid, or no longer",
    "channel_not_found": "the channel is no longer there",
    "channel_is_archived": "the channel is archived",
    "user_not_found": "the user to be told is no longer there",
    "action_prohibited": "the workspace does not let this webhook post",
    "posting_to_general_channel_denied": "the workspace does not let this webhook post to #general",
}
_REFUSALS = frozenset({"invalid_payload", "no_text", "too_many_attachments", "invalid_blocks", "invalid_blocks_format"})
