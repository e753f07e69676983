"""Events in words, as everybody may know them: a title and a sentence for each type, and rows where more is to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from service.render.rows import VALUE, Row, rows_for_players
from service.render.words import Clean, counted, deed, doing, joined, listed, spoken, title
from service.rules.duration import said

Body = Mapping[str, Any]
Telling = tuple[str, str]
"""A title, which holds nothing that anybody typed, and a sentence."""


def telling(kind: str, data: Body, clean: Clean) -> Telling:
    """What happened. A type that has no words here is called by its name."""
    return _TELLINGS[kind](data, clean) if kind in _TELLINGS else ("News", spoken(kind.replace(".", " "), clean))


def rows(kind: str, data: Body, clean: Clean) -> Iterator[Row]:
    """What else is to say of it."""
    if kind in _ROWS:
        yield from _ROWS[kind](data, clean)


def _started(data: Body, clean: Clean) -> Telling:
    return "A crawl begins", f"{clean(data['crawl']['name'])}: the party sets out"


def _party(data: Body, clean: Clean) -> Iterator[Row]:
    crawl = data["crawl"]
    yield "Party", joined((clean(character["name"]) for character in crawl["party"]), VALUE, ", ")
    if crawl["light_bearers"]:
        yield "Light", joined(map(clean, crawl["light_bearers"]), VALUE, ", ")
    yield "Rules", clean(crawl["ruleset"])
    if "alert" in crawl and crawl["alert"]["enabled"]:
        yield "Alert", f"level {crawl['alert']['level']}"


def _changed(data: Body, clean: Clean) -> Telling:
    if "status" in data:
        return "Between rounds", "the crawl goes on" if data["status"] == "active" else "the crawl is paused"
    clauses = (_CHANGES.get(key) or f"{spoken(key, clean)} changed" for key in data["changed"])
    return "Between rounds", joined(clauses, VALUE)


_CHANGES = {
    "name": "the crawl has a new name",
    "party": "the party changed",
    "marching_order": "the marching order changed",
    "light_bearers": "others carry the light",
    "visibility": "what players see changed",
    "timers": "the timers changed",
    "declarations": "a declaration for the coming round was taken back",
    "rules": "the house rules changed",
    "alert": "the alert was switched on or off",
    "encounter_check": "the time between encounter checks changed",
    "guards": "the guards changed",
    "imported": "the crawl goes on from its export",
    "encounter_checks": "an encounter check by hand brought nothing",
}


def _ended(data: Body, _: Clean) -> Telling:
    return "The crawl has ended", f"it took {counted(data['rounds'], 'round')} and {data['clock']['display']}"


def _reverted(data: Body, _: Clean) -> Telling:
    undone = "undone" in data
    step = data["undone" if undone else "redone"]
    what = f"round {step['round']}" if step["what"] == "round" else _STEPS.get(step["what"], "the last change")
    first = f"{what} {'is taken back' if undone else 'stands again'}"
    return "Undone" if undone else "Made again", f"{first}; the clock stands at {data['clock']['display']}"


_STEPS = {
    "alert": "the last change of the alert",
    "timer": "the last change of a timer",
    "encounter": "the last change of an encounter",
    "encounter_check": "the last encounter check by hand",
}


def _round(data: Body, clean: Clean) -> Telling:
    return title(data["round"]), deed(data["round"], clean)


def _outcome(data: Body, clean: Clean) -> Iterator[Row]:
    """The first row is the deed, which the sentence has told."""
    _, *others = rows_for_players(data["round"], clean, VALUE)
    yield from others


def _encounter(data: Body, _: Clean) -> Telling:
    return "An encounter!", f"something comes at {said(data['encounter']['at'])}"


def _encounter_changed(data: Body, _: Clean) -> Telling:
    encounter = data["encounter"]
    what = f"what came at {said(encounter['at'])}"
    if "slip" in data and encounter["status"] != "evaded":
        return "Seen!", f"the party does not slip away from {what}"
    heading, words = _STATUSES[encounter["status"]]
    return heading, words.format(what=what)


_STATUSES = {
    "pending": ("The encounter waits", "{what} waits unseen"),
    "revealed": ("The encounter is revealed", "{what} shows itself"),
    "resolved": ("The encounter is over", "{what} is dealt with"),
    "evaded": ("The encounter is evaded", "the party gets away from {what}"),
}


def _surprise(data: Body, clean: Clean) -> Iterator[Row]:
    encounter = data["encounter"]
    if encounter["result"]:
        yield "Encounter", clean(encounter["result"])
    if encounter["status"] in ("pending", "revealed"):
        may = "can" if encounter["surprise"]["party_can_be_surprised"] else "cannot"
        yield "Surprise", f"The party {may} be surprised"
        if encounter["surprise"]["reactions"]:
            yield "Reactions", joined(map(clean, encounter["surprise"]["reactions"]), VALUE, ", ")


def _alert(data: Body, _: Clean) -> Telling:
    changes, alert = data["changes"], data["alert"]
    if not any(change["from"] != change["to"] for change in changes):
        return "Stealth", f"Stealth is {'easier from now on' if alert['easier_stealth'] else 'as hard again as it was'}"
    before, after = changes[0]["from"], changes[-1]["to"]
    if before == after:
        return "Alert", f"the alert moves and stands at {after} again"
    went = "rises" if after > before else "falls"
    return f"The alert {went}", f"the alert {went} from {before} to {after}"


def _ending(data: Body, clean: Clean) -> Telling:
    timer = data["timer"]
    return _TIMERS[timer["kind"]][0], f"{clean(timer['name'])} is about to run out"


def _expired(data: Body, clean: Clean) -> Telling:
    timer = data["timer"]
    when = f" at {said(timer['at'])}" if "at" in timer else ""
    return _TIMERS[timer["kind"]][1], f"{clean(timer['name'])} runs out{when}"


_TIMERS = {
    "light": ("A light burns low", "A light goes out"),
    "effect": ("An effect wears off", "An effect ends"),
    "condition": ("A condition passes", "A condition ends"),
    "other": ("Time is short", "Time is up"),
}
"""Titles for what is about to end, and for what has."""


def _declared(data: Body, clean: Clean) -> Telling:
    declared = data["declaration"]
    return "For the coming round", f"{clean(declared['character'])}: {doing(declared, clean)}"


def _declaration(data: Body, clean: Clean) -> Iterator[Row]:
    declared = data["declaration"]
    if declared["label"]:
        yield "Activity", spoken(declared["activity"], clean)
    for label, key in (("Task", "task"), ("Target", "target")):
        if declared[key]:
            yield label, clean(declared[key])
    if declared["rounds_needed"]:
        yield "Takes", counted(declared["rounds_needed"], "round")
    if declared["check"] and (check := joined(_check(declared["check"], clean), VALUE, ", ")):
        yield "Check", check


def _check(check: Body, clean: Clean) -> Iterator[str]:
    named = [check[key] for key in ("skill", "ability", "proficiency") if check[key]]
    if named:
        yield listed(named, clean)
    if check["modifier"] is not None:
        yield f"{check['modifier']:+d}"
    if check["advantage"] != "none":
        yield check["advantage"]
    if check["naturals"]:
        yield f"the dice show {' and '.join(map(str, check['naturals']))}"
    if check["total"] is not None:
        yield f"total {check['total']}"


def _ping(_: Body, __: Clean) -> Telling:
    return "Alarum is here", "this webhook works: what happens in the crawl will be told here"


_TELLINGS: Mapping[str, Callable[[Body, Clean], Telling]] = {
    "crawl.started": _started,
    "crawl.changed": _changed,
    "crawl.ended": _ended,
    "crawl.reverted": _reverted,
    "round.resolved": _round,
    "encounter.triggered": _encounter,
    "encounter.changed": _encounter_changed,
    "alert.changed": _alert,
    "timer.ending": _ending,
    "timer.expired": _expired,
    "declaration.made": _declared,
    "webhook.ping": _ping,
}
_ROWS: Mapping[str, Callable[[Body, Clean], Iterator[Row]]] = {
    "crawl.started": _party,
    "round.resolved": _outcome,
    "encounter.triggered": _surprise,
    "encounter.changed": _surprise,
    "declaration.made": _declaration,
}
