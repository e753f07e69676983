"""The alert in words: where it stands, and what moved it."""

from __future__ import annotations

from typing import Any

from service.rules.model import Crawl
from service.rules.outcome import AlertChange, Consequence, EncounterCheck


def alert_body(crawl: Crawl) -> dict[str, Any]:
    """Where the alert stands; its level is null while the system is off. Players get it where the crawl shows it."""
    enabled = crawl.card.alert_enabled
    return {
        "enabled": enabled,
        "level": crawl.play.alert_level if enabled else None,
        "easier_stealth": crawl.play.easier_stealth,
    }


def change_for_gm(change: AlertChange) -> dict[str, Any]:
    return {
        "at": change.at,
        "from": change.before,
        "to": change.after,
        "cause": change.cause,
        "capped": change.capped,
    }


def change_for_players(change: dict[str, Any]) -> dict[str, Any]:
    """A GM's change without its cause, which is the GM's to tell."""
    return {"at": change["at"], "from": change["from"], "to": change["to"]}


def changes_for_players(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that changed anything: one cut to nothing would only tell that something had happened."""
    return [change_for_players(change) for change in changes if change["from"] != change["to"]]


def consequence_body(consequence: Consequence) -> dict[str, Any]:
    return {"at": consequence.at, "level": consequence.level, "consequence": consequence.consequence}


def encounter_check_body(check: EncounterCheck) -> dict[str, Any]:
    """One encounter check; the GM's alone."""
    return {
        "at": check.at,
        "alert_level": check.alert_level,
        "die": check.die,
        "face": check.face,
        "triggers_on": list(check.triggers_on),
        "source": check.source,
        "triggered": check.triggered,
        "encounter": check.encounter,
    }
