"""The alert: what raises and lowers it, within its bounds, and what a level brings (A1, A4 to A7)."""

from __future__ import annotations

from dataclasses import replace

from service.rules.errors import Fault, IllegalAlert, Invalid
from service.rules.model import Card, Crawl
from service.rules.outcome import AlertChange, AlertSet, Consequence
from service.rules.ruleset import Alert, Ruleset, rules_of
from service.rules.submission import Incident

EASIER_STEALTH = "easier_stealth"


def set_alert(
    crawl: Crawl,
    *,
    change: int | None = None,
    level: int | None = None,
    incident: Incident | None = None,
    withdraw: bool = False,
) -> AlertSet:
    """The alert moved between rounds: shifted, set outright, by an incident, or easier Stealth withdrawn (A4, A6)."""
    ruleset = rules_of(crawl.card)
    alert = alert_of(ruleset, crawl.card)
    play = crawl.play
    easier = play.easier_stealth and not withdraw
    changes: tuple[AlertChange, ...] = ()
    if level is not None:
        if not 1 <= level <= alert.highest:
            raise Invalid(Fault("/level", f"The alert has the levels 1 to {alert.highest}."))
        changes = (shifted(alert, play.clock, play.alert_level, level - play.alert_level, "gm"),)
    elif change is not None:
        changes = (shifted(alert, play.clock, play.alert_level, change, "gm"),)
    elif incident is not None:
        if moves_alert(alert, incident, ""):
            by = alert.incidents[incident.incident]
            changes = (shifted(alert, play.clock, play.alert_level, by, incident.incident),)
        else:
            easier = True
    after = changes[-1].after if changes else play.alert_level
    play = replace(play, alert_level=after, easier_stealth=easier, place=play.place + 1)
    consequences = tuple(each for change_made in changes for each in consequences_of(alert, change_made))
    return AlertSet(replace(crawl, play=play), changes, consequences)


def alert_of(ruleset: Ruleset, card: Card) -> Alert:
    """The alert system, where it is in force; IllegalAlert otherwise."""
    if ruleset.alert is None:
        raise IllegalAlert(f"The {ruleset.key} ruleset has no alert. Leave alert and incidents out.")
    if not card.alert_enabled:
        raise IllegalAlert(
            'The alert system is off in this crawl. Switch it on first: PATCH {"alert": {"enabled": true}}.'
        )
    return ruleset.alert


def moves_alert(alert: Alert, incident: Incident, pointer: str) -> bool:
    """Whether the incident shifts the level; False where it makes Stealth easier instead (A6). Invalid if unknown."""
    if incident.incident not in alert.incidents:
        known = ", ".join(alert.incidents)
        raise Invalid(
            Fault(f"{pointer}/incident", f"There is no incident {incident.incident!r}. Choose one of: {known}.")
        )
    if incident.effect is None:
        return True
    effects = alert.effects.get(incident.incident, ())
    if incident.effect not in effects:
        detail = f"Choose one of: {', '.join(effects)}." if effects else f"{incident.incident} takes no effect."
        raise Invalid(Fault(f"{pointer}/effect", detail))
    return incident.effect != EASIER_STEALTH


def shifted(alert: Alert, at: int, level: int, by: int, cause: str) -> AlertChange:
    """The change that a shift makes, cut at the bounds and then reported as capped (A1)."""
    asked = level + by
    after = min(max(asked, 1), alert.highest)
    return AlertChange(at, level, after, cause, capped=after != asked)


def consequences_of(alert: Alert, change: AlertChange) -> tuple[Consequence, ...]:
    """What every level that a rise newly reached brings (A7)."""
    return tuple(
        Consequence(change.at, level, consequence)
        for level in range(change.before + 1, change.after + 1)
        for consequence in alert.levels[level].consequences
    )
