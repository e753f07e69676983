"""The party as a body gives it, with ids for whoever is new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from service.crawls.naming import new_id
from service.rules.errors import Fault, Invalid
from service.rules.model import Character


def characters_of(entries: Iterable[Mapping[str, Any]], known: Iterable[Character] = ()) -> tuple[Character, ...]:
    """Characters in the order given. One that is named by id, or has the name of one `known`, keeps that one's id.

    Invalid, with pointers below /party, for an id that nobody has, or that two entries claim.
    """
    known = tuple(known)
    by_id = {character.id: character for character in known}
    by_name = {character.name.casefold(): character.id for character in known}
    entries = list(entries)
    claimed = {entry["id"] for entry in entries if entry.get("id")}
    taken: set[str] = set()
    characters = []
    for i, entry in enumerate(entries):
        character_id = entry.get("id")
        if character_id is not None and (character_id not in by_id or character_id in taken):
            raise Invalid(Fault(f"/party/{i}/id", "This id belongs to nobody here; leave it out for somebody new."))
        if character_id is None:
            same = by_name.get(entry["name"].casefold())
            character_id = same if same and same not in claimed | taken else new_id("chr")
        taken.add(character_id)
        characters.append(
            Character(
                id=character_id,
                name=entry["name"],
                passive_perception=entry.get("passive_perception"),
                dexterity_modifier=entry.get("dexterity_modifier"),
                proficiency_bonus=entry.get("proficiency_bonus"),
                default_activity=entry.get("default_activity"),
            )
        )
    return tuple(characters)
