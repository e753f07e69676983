"""What Discord and Slack take, as they document it; lengths in units of UTF-16, which is the strictest count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def size(text: str) -> int:
    return sum(2 if ord(letter) > 0xFFFF else 1 for letter in text)


def verify_discord(message: Mapping[str, Any]) -> list[str]:
    """All texts that are shown, once it is sure that they are within the limits."""
    assert set(message) == {"embeds", "allowed_mentions"}
    assert message["allowed_mentions"] == {"parse": []}
    (embed,) = message["embeds"]
    assert set(embed) <= {"title", "description", "fields", "color", "timestamp"}
    fields = [text for field in embed["fields"] for text in (field["name"], field["value"])]
    texts = [embed["title"], embed["description"], *fields]
    assert 1 <= size(embed["title"]) <= 256
    assert 1 <= size(embed["description"]) <= 4096
    assert len(embed["fields"]) <= 25
    assert all(1 <= size(field["name"]) <= 256 and 1 <= size(field["value"]) <= 1024 for field in embed["fields"])
    assert all(text.strip() == text for text in texts)
    assert sum(map(size, texts)) <= 6000
    return texts


def verify_slack(message: Mapping[str, Any]) -> list[str]:
    """All texts that are shown, once it is sure that they are within the limits."""
    assert message["unfurl_links"] is message["unfurl_media"] is message["mrkdwn"] is False
    assert 1 <= size(message["text"]) <= 4000
    header, *sections = message["blocks"]
    assert 1 <= len(sections) < 50
    assert header["type"] == "header"
    assert 1 <= size(header["text"]["text"]) <= 150
    texts = [header["text"]]
    for section in sections:
        assert section["type"] == "section"
        assert 1 <= len(section.get("fields", "-")) <= 10
        assert all(1 <= size(field["text"]) <= 2000 for field in section.get("fields", ()))
        assert "text" not in section or 1 <= size(section["text"]["text"]) <= 3000
        texts += section["fields"] if "fields" in section else [section["text"]]
    assert all(text["type"] == "plain_text" and text["emoji"] is False for text in texts)
    return [message["text"], *(text["text"] for text in texts)]
