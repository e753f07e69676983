"""Every event of a played evening reads well on every platform: within all limits, harmless, and to each their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from service.app import create_app
from service.crawls.webhooks import EVENT_TYPES
from service.render import discord, slack
from service.render.cards import card
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.render.evening import SECRET, TYPED, Seen
from tests.render.limits import verify_discord, verify_slack
from tests.rules.test_corpus import FILES, Table, read

GMS_ROWS = {
    "Next check",
    "Encounter checks",
    "Note",
    "Why",
    "DC",
    "Ruling",
    "Hidden here",
    "Slipping away",
    "Seen",
    "Unseen",
}
DCS = re.compile(r"\b9[4-9]\b")

hostile = st.one_of(
    st.text(min_size=1, max_size=200),
    st.text(
        "@<>&#*_~`|[]()\\:/.-!{}\"' \n\r\t\0\x1b\u200b\u202e\u2066\u200d\ufeff\u0301😀ßaZ1", min_size=1, max_size=200
    ),
    st.sampled_from(
        [
            "@everyone @here <!channel> <!here> <@1> <@&1> <#1> <t:1:R> <:x:1> :skull:",
            "[l](https://evil.example/) https://evil.example evil.example discord.gg/x <https://evil.example|l>",
            "**b** __u__ *i* _i_ ~~s~~ ~s~ `c` ```c``` ||s|| > q\n# h\n-# s\n- l\n1. n",
            "\\" * 200,
            "&" * 200,
            "😀" * 200,
            "e" + "\u0301" * 199,
            "\u202e\u2066\u200b",
        ]
    ),
)


def with_words(value: Any, words: str) -> Any:
    """The same event, typed by somebody else."""
    if isinstance(value, str):
        return value.replace(TYPED, words).replace(SECRET, words)
    if isinstance(value, Mapping):
        return {key: with_words(each, words) for key, each in value.items()}
    return [with_words(each, words) for each in value] if isinstance(value, list) else value


def test_an_evening_has_every_type_of_event_for_both(told_events: list[Seen]) -> None:
    assert {event["type"] for event, audience in told_events if audience == "gm"} == set(EVENT_TYPES)
    hidden = {"encounter.triggered"}
    assert {event["type"] for event, audience in told_events if audience == "public"} == set(EVENT_TYPES) - hidden


@given(hostile)
def test_on_discord_every_event_keeps_the_limits_and_nothing_typed_acts(told_events: list[Seen], words: str) -> None:
    for event, audience in told_events:
        for text in verify_discord(discord.message(with_words(event, words), audience)):
            assert not controls(text)
            assert "\n" not in text
            bare = re.sub(r"\\[^0-9A-Za-z\s]", "", text)
            assert not re.search(r"[\\`*_~|>#\[\]<]|^- |@(?!\u200b)|:(?![ \u200b])", bare), text


@given(hostile)
def test_on_slack_every_event_keeps_the_limits_and_nothing_typed_acts(told_events: list[Seen], words: str) -> None:
    for event, audience in told_events:
        for text in verify_slack(slack.message(with_words(event, words), audience)):
            assert not controls(text.replace("\n", "", 1))
            assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)|[@#*_~`](?!\u200b)|[:.](?![ \u200b])", text), text


def controls(text: str) -> list[str]:
    """Control, format and unassigned characters, but for the one that we break words with."""
    return [letter for letter in text if unicodedata.category(letter)[0] == "C" and letter != "\u200b"]


def test_no_card_for_players_tells_what_is_the_gm_s(told_events: list[Seen]) -> None:
    texts: dict[str, list[str]] = {"gm": [], "public": []}
    labels: dict[str, set[str]] = {"gm": set(), "public": set()}
    for event, audience in told_events:
        told = card(event["type"], event["data"], audience, str)
        texts[audience] += [told.title, told.sentence, *(value for _, value in told.rows)]
        labels[audience] |= {label for label, _ in told.rows}
    whole = {audience: "\n".join(found) for audience, found in texts.items()}
    assert GMS_ROWS - labels["gm"] <= {"Ruling", "Unseen"}
    assert SECRET in whole["gm"] and DCS.search(whole["gm"]) and "door broken" in whole["gm"]
    assert not GMS_ROWS & labels["public"]
    assert TYPED in whole["public"]
    assert not (SECRET in whole["public"] or DCS.search(whole["public"]) or "door broken" in whole["public"])


def test_a_card_for_players_has_no_asides_even_of_what_the_gm_may_see(told_events: list[Seen]) -> None:
    told = [card(event["type"], event["data"], "public", str) for event, audience in told_events if audience == "gm"]
    labels = {label for each in told for label, _ in each.rows}
    assert "News" in labels
    assert not GMS_ROWS & labels


def test_every_event_of_the_corpus_keeps_every_limit(store: CrawlStore) -> None:
    client = create_app(Settings(), store).test_client()
    count = sum(_verified(client, case) for case in map(read, FILES) if "refused" not in case)
    assert count > 2000


def _verified(client: FlaskClient, case: Mapping[str, Any]) -> int:
    """How many messages a corpus file made, for both audiences and platforms."""
    started = client.post("/v1/crawls", json=case["crawl"]).get_json()
    table = Table(client, started)
    for step in case["steps"]:
        table.play(step)
    count = 0
    views: tuple[tuple[str, Any], ...] = (("gm", started["tokens"]["gm"]), ("public", started["tokens"]["player"]))
    verified: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
        (discord.message, verify_discord),
        (slack.message, verify_slack),
    )
    for audience, token in views:
        headers = {"Authorization": f"Bearer {token}"}
        for event in client.get(f"{table.path}/events?limit=200", headers=headers).get_json()["events"]:
            for message, verify in verified:
                assert all("None" not in text for text in verify(message(event, audience)))
                count += 1
    return count
