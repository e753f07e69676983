"""The entry card: starting a crawl, changing what the GM set up, and what is locked once the party is inside (S3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.rules.errors import Fault, IllegalEntryCard, IllegalStatus, Invalid
from service.rules.fitting import fitted
from service.rules.model import Card, Character, Crawl, Guards, Play, Visibility
from service.rules.ruleset import MOST_EVERY_ROUNDS, Ruleset, rules_of, ruleset_of


def start_crawl(
    *,
    crawl_id: str,
    created_at: str,
    seed: str,
    name: str,
    ruleset: str,
    party: tuple[Character, ...],
    rules: Mapping[str, Any] | None = None,
    marching_order: tuple[str, ...] = (),
    light_bearers: tuple[str, ...] = (),
    alert_enabled: bool | None = None,
    alert_level: int | None = None,
    every_rounds: int | None = None,
    guards: Guards | None = None,
    visibility: Visibility | None = None,
) -> Crawl:
    """A crawl at its entry: clock 0, alert level 1 unless told otherwise (A1).

    Marching order and light bearers are names or ids. Invalid with pointers as in the body of POST /v1/crawls.
    """
    read = ruleset_of(ruleset, rules)
    faults: list[Fault] = []
    if alert_level is not None and read.alert is None:
        faults.append(Fault("/alert/level", f"The {ruleset} ruleset has no alert. Leave this out."))
    if alert_level is not None and read.alert is not None and not 1 <= alert_level <= read.alert.highest:
        faults.append(Fault("/alert/level", f"The alert has the levels 1 to {read.alert.highest}."))
    card = Card(
        name=name,
        ruleset=ruleset,
        party=party,
        rules=rules or {},
        alert_enabled=read.alert is not None if alert_enabled is None else alert_enabled,
        every_rounds=read.watch.every_rounds if every_rounds is None else every_rounds,
        guards=guards,
        visibility=visibility or Visibility(),
    )
    card = replace(
        card,
        marching_order=_ids(card.party, marching_order, "/marching_order", faults),
        light_bearers=_ids(card.party, light_bearers, "/light_bearers", faults),
    )
    _verify(card, read, faults)
    return Crawl(crawl_id, created_at, seed, card, Play(alert_level=alert_level or 1))


def change_card(crawl: Crawl, changes: Mapping[str, Any], unlock: bool = False) -> Crawl:
    """The crawl with fields of its card replaced by parsed values; marching order and light bearers by name or id.

    Invalid where the whole no longer fits; IllegalEntryCard where a locked field changes without `unlock` (S3).
    """
    verify_not_ended(crawl)
    faults: list[Fault] = []
    fields = dict(changes)
    party = fields.get("party", crawl.card.party)
    ids = {each.id for each in party}
    for key in ("marching_order", "light_bearers"):
        if key in fields:
            fields[key] = _ids(party, fields[key], f"/{key}", faults)
        else:
            fields[key] = tuple(each for each in getattr(crawl.card, key) if each in ids)
    card = replace(crawl.card, **fields)
    ruleset = rules_of(card)
    if card.every_rounds is None:
        card = replace(card, every_rounds=ruleset.watch.every_rounds)
    _verify(card, ruleset, faults)
    if is_locked(crawl) and not unlock:
        _verify_unlocked(crawl.card, card, changes)
    return replace(crawl, card=card, play=fitted(crawl.play, card))


def is_locked(crawl: Crawl) -> bool:
    """Whether the entry card is locked: from the first round in force on (S3)."""
    return crawl.play.rounds > 0


def verify_active(crawl: Crawl) -> None:
    """Refuses what a paused or ended crawl does not take."""
    if crawl.status == "paused":
        raise IllegalStatus("This crawl is paused. Resume it first: POST …/resume.")
    verify_not_ended(crawl)


def verify_not_ended(crawl: Crawl) -> None:
    """Refuses what an ended crawl does not take, even where a paused one does."""
    if crawl.status == "ended":
        raise IllegalStatus("This crawl has ended and stays as it is. Start a new one.")


def _verify_unlocked(old: Card, new: Card, changes: Mapping[str, Any]) -> None:
    standing = {each.id: each.default_activity for each in old.party}
    touched = [
        key for key in ("marching_order", "light_bearers") if key in changes and getattr(old, key) != getattr(new, key)
    ]
    if old.every_rounds != new.every_rounds:
        touched.append("encounter_check")
    if any(each.id in standing and standing[each.id] != each.default_activity for each in new.party):
        touched.append("default_activity")
    if touched:
        raise IllegalEntryCard(
            f"The entry card was locked with the first round ({', '.join(touched)}). "
            'Send "unlock": true with the change if the table agrees.'
        )


def _verify(card: Card, ruleset: Ruleset, faults: list[Fault]) -> None:
    """Notes what does not fit together, and raises it with what was noted before."""
    seen: set[str] = set()
    for i, character in enumerate(card.party):
        if character.name.casefold() in seen:
            faults.append(Fault(f"/party/{i}/name", f"There are two {character.name!r}. Give each another name."))
        seen.add(character.name.casefold())
        faults.extend(_standing_order_faults(ruleset, character, i))
    if not card.party:
        faults.append(Fault("/party", "A crawl needs a party of at least one."))
    if card.alert_enabled and ruleset.alert is None:
        faults.append(Fault("/alert/enabled", f"The {ruleset.key} ruleset has no alert. Leave this out, or say false."))
    if card.every_rounds is not None and ruleset.watch.every_rounds is None:
        detail = f"The {ruleset.key} ruleset does not count rounds between checks. Leave this out."
        faults.append(Fault("/encounter_check/every_rounds", detail))
    elif card.every_rounds is not None and not 1 <= card.every_rounds <= MOST_EVERY_ROUNDS:
        faults.append(Fault("/encounter_check/every_rounds", f"This must be from 1 to {MOST_EVERY_ROUNDS}."))
    if faults:
        raise Invalid(*faults)


def _standing_order_faults(ruleset: Ruleset, character: Character, position: int) -> tuple[Fault, ...]:
    standing = character.default_activity
    if standing is None:
        return ()
    possible = [key for key, each in ruleset.activities.items() if each.effect not in ("help", "travel")]
    if standing in possible:
        return ()
    detail = f"{standing!r} cannot stand as a default. Choose one of: {', '.join(possible)}."
    return (Fault(f"/party/{position}/default_activity", detail),)


def _ids(party: tuple[Character, ...], names: tuple[str, ...], pointer: str, faults: list[Fault]) -> tuple[str, ...]:
    """The ids of characters given by name or id, each once."""
    known = {each.id: each.id for each in party} | {each.name.casefold(): each.id for each in party}
    found: list[str] = []
    for i, name in enumerate(names):
        character = known.get(name) or known.get(name.casefold())
        if character is None:
            faults.append(Fault(f"{pointer}/{i}", f"There is no {name!r} in the party."))
        elif character in found:
            faults.append(Fault(f"{pointer}/{i}", f"{name!r} stands here twice. Leave one out."))
        else:
            found.append(character)
    return tuple(found)
