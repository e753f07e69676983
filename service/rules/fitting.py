"""Play that comes back out of the past, or outlives a change of its card: fitted to the card as it is now."""

from __future__ import annotations

from dataclasses import replace

from service.rules.model import Card, Play
from service.rules.ruleset import rules_of


def fitted(play: Play, card: Card) -> Play:
    """The play without the work of whoever is no longer in the party, and on a level that the alert still has."""
    members = {character.id for character in card.party}
    chains = tuple(chain for chain in play.chains if chain.character in members)
    alert = rules_of(card).alert
    level = min(play.alert_level, alert.highest) if alert else play.alert_level
    if len(chains) == len(play.chains) and level == play.alert_level:
        return play
    return replace(play, chains=chains, alert_level=level)
