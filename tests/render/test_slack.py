"""A Slack message is plain text in blocks, in which nothing that was typed acts."""

from __future__ import annotations

import pytest

from service.render import slack
from tests.render.told import told

EVENT = {"id": "evt_1", "type": "round.resolved", "timestamp": "2026-12-01T20:00:00.000Z", "crawl": "crl_1"}


def test_a_round_as_blocks() -> None:
    outcome = told(timers={"expired": [{"name": "Torch & <rope>"}], "ending": []}, note="a long note " * 6)

    def text(words: str) -> dict[str, object]:
        return {"type": "plain_text", "text": words, "emoji": False}

    assert slack.message(EVENT | {"data": {"round": outcome}}, "gm") == {
        "text": "Round 7: travel – The party moves at fast pace: 2 rooms in 1 min; Torch &amp; &lt;rope&gt; runs out",
        "mrkdwn": False,
        "blocks": [
            {"type": "header", "text": text("Round 7: travel")},
            {"type": "section", "text": text("The party moves at fast pace: 2 rooms in 1 min")},
            {"type": "section", "text": text(f"Note: {('a long note ' * 6).strip()}")},
            {
                "type": "section",
                "fields": [
                    text("Clock\n1 h"),
                    text("Passive Perception\n-5"),
                    text("News\nTorch &amp; &lt;rope&gt; runs out"),
                    text("Alert\nlevel 1"),
                    text("Next check\nin 1 h (1d6, chance 17 percent)"),
                ],
            },
        ],
        "unfurl_links": False,
        "unfurl_media": False,
    }


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("<!channel> & @here", "&lt;!channel&gt; &amp; @\u200bhere"),
        ("*b* _i_ ~s~ `c`", "*\u200bb*\u200b _\u200bi_\u200b ~\u200bs~\u200b `\u200bc`\u200b"),
        ("https://evil.example :skull:", "https:\u200b//evil.\u200bexample :\u200bskull:\u200b"),
        ("a\u202eb\nc\0d", "a b c d"),
    ],
)
def test_what_slack_would_act_on_is_broken(typed: str, sent: str) -> None:
    assert slack.escape(typed) == sent
