"""An outcome made whole: what sight tells, with the words for it and the renders asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service.crawls.entering import Entered
from service.render import discord, roll20, text
from service.rules.errors import Fault, Invalid
from service.rules.model import Crawl, Visibility
from service.rules.outcome import Outcome
from service.sight.encounter import encounter_told
from service.sight.outcome import encounters_named, outcome_for_gm, outcome_for_players

Body = dict[str, Any]

PLATFORMS = ("roll20", "discord")
"""What we render for."""


def verify_rendering(entered: Entered) -> None:
    """Invalid for a platform that we do not render for."""
    for platform in entered.asking.render:
        if platform not in PLATFORMS:
            raise Invalid(Fault("/render", f"There is no render {platform!r}. Choose {', '.join(PLATFORMS)} or both."))


def told_to_both(crawl: Crawl, outcome: Outcome) -> tuple[Body, Body]:
    """The outcome for the GM and for players, as the round has just brought it: no encounter is revealed yet."""
    told = outcome_for_gm(crawl, outcome)
    public = outcome_for_players(told, crawl.card.visibility, {})
    words = text.summary(public)
    told["summary"] = {"public": words, "gm": text.summary(told)}
    public["summary"] = {"public": words}
    return told, public


def told_to_players(entered: Entered, records: Iterable[Mapping[str, Any]]) -> list[Body]:
    """Rounds in force as players may know them today."""
    records = list(records)
    ids = sorted(set[str]().union(*(encounters_named(record) for record in records)))
    known = entered.store.encounters_by_id(entered.crawl.id, ids)
    revealed = {key: encounter_told(encounter) for key, encounter in known.items() if encounter.revealed}
    return [_public(record, entered.crawl.card.visibility, revealed) for record in records]


def rendered(told: Mapping[str, Any], public: Mapping[str, Any], platforms: tuple[str, ...], *, gm: bool) -> Body:
    """The renders asked for, by platform; a Discord embed is for the whole table, so it holds what players may know."""
    renders: Body = {}
    for platform in platforms:
        if platform == "roll20":
            renders[platform] = roll20.render(told, public) if gm else {"public": roll20.for_players(public)}
        else:
            renders[platform] = discord.render(public)
    return renders


def _public(record: Mapping[str, Any], visibility: Visibility, revealed: Mapping[str, Body]) -> Body:
    body = outcome_for_players(record, visibility, revealed)
    body["summary"] = {"public": text.summary(body)}
    return body
