"""A Discord render fits the documented limits, pings nobody and holds no markup of anybody's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.render import discord
from service.render.words import capital
from tests.render.told import found, task, told


def test_a_walk_as_an_embed() -> None:
    assert discord.render(told()) == {
        "embeds": [
            {
                "title": "Round 7: travel",
                "description": "The party moves at fast pace: 2 rooms in 1 min",
                "fields": [
                    {"name": "Clock", "value": "1 h", "inline": True},
                    {"name": "Passive Perception", "value": "-5", "inline": True},
                ],
            }
        ],
        "allowed_mentions": {"parse": []},
    }


def test_mentions_and_markup_come_to_nothing() -> None:
    body = told(declarations=found("@everyone <@1> <#2> **b** `c` [l](https://x.test) ||s||", by="# Kara"))
    value = discord.render(body)["embeds"][0]["fields"][-1]["value"]
    assert not re.search(r"@(?!\u200b)|(?<!\\)[<>*`\[\]()|#]|://", value)


@given(st.lists(st.text(min_size=1, max_size=200), max_size=40), st.text(min_size=1, max_size=200))
def test_an_embed_keeps_discords_limits(things: list[str], name: str) -> None:
    (embed,) = discord.render(told(declarations=found(*things, by=name), tasks=[task(name, "success")] * 40))["embeds"]
    assert len(embed["title"]) <= 256
    assert 1 <= len(embed["description"]) <= 4096
    assert len(embed["fields"]) <= 25
    assert all(len(field["name"]) <= 256 and 1 <= len(field["value"]) <= 1024 for field in embed["fields"])
    assert _size(embed) <= 6000


@pytest.mark.parametrize(("words", "large"), [("kara finds", "Kara finds"), ("ßen", "ßen"), ("ŉ x", "ŉ x"), ("", "")])
def test_a_large_first_letter_makes_nothing_longer(words: str, large: str) -> None:
    assert capital(words) == large


def _size(embed: dict[str, Any]) -> int:
    fields = sum(len(field["name"]) + len(field["value"]) for field in embed["fields"])
    return len(embed["title"]) + len(embed["description"]) + fields
