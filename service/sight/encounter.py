"""An encounter in words: as it stands, and as a round tells of it."""

from __future__ import annotations

from typing import Any

from service.rules.model import Encounter


def encounter_body(encounter: Encounter) -> dict[str, Any]:
    """The encounter as it stands. Players are given it only once it was revealed (`encounter.revealed`)."""
    return {
        "id": encounter.id,
        "at": encounter.at,
        "status": encounter.status,
        "revealed": encounter.revealed,
        "result": encounter.result,
        "surprise": _surprise(encounter),
    }


def encounter_told(encounter: Encounter) -> dict[str, Any]:
    """The encounter as an outcome lists it."""
    return {
        "id": encounter.id,
        "at": encounter.at,
        "status": encounter.status,
        "result": encounter.result,
        "surprise": _surprise(encounter),
    }


def _surprise(encounter: Encounter) -> dict[str, Any]:
    return {
        "party_can_be_surprised": encounter.party_can_be_surprised,
        "reactions": list(encounter.reactions),
    }
