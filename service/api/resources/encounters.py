"""Encounters that came."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import EVERYONE, Asked, Body, InCrawl, Routes
from service.api.schemas.answers.between import EncounterPage, Slipped
from service.api.schemas.answers.crawl import Encounter
from service.api.schemas.crawls import EncounterChange, SlipShape
from service.crawls import encounters
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Encounters", "What the checks brought. Players know of those that were revealed.")


@routes.crawl(
    "GET",
    "/encounters",
    "listEncounters",
    "List encounters",
    InCrawl(EVERYONE),
    query=(LIMIT, AFTER_CURSOR),
    answers={200: EncounterPage},
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """In the order they came."""
    return encounters.list_encounters(entered, asked.query["after"], asked.query["limit"])


@routes.crawl(
    "GET",
    "/encounters/{id}",
    "getEncounter",
    "Read an encounter",
    InCrawl(EVERYONE),
    answers={200: Encounter},
    refuses=("encounter_not_found",),
)
def get(entered: Entered, asked: Asked) -> Answer:
    """As it stands."""
    return encounters.get_encounter(entered, asked.names["id"])


@routes.crawl(
    "PATCH",
    "/encounters/{id}",
    "changeEncounter",
    "Reveal or settle an encounter",
    InCrawl(("gm",)),
    body=Body(EncounterChange(), patch=True),
    answers={200: Encounter},
    refuses=("encounter_not_found", "illegal_status", "illegal_encounter"),
)
def change(entered: Entered, asked: Asked) -> Answer:
    """Revealed ones are known to players from then on."""
    return encounters.change_encounter(entered, asked.names["id"], asked.body["status"])


@routes.crawl(
    "POST",
    "/encounters/{id}/slip",
    "slipAway",
    "Slip away from an encounter",
    InCrawl(("gm",)),
    body=Body(SlipShape()),
    answers={200: Slipped},
    refuses=("encounter_not_found", "illegal_status", "illegal_encounter"),
)
def slip(entered: Entered, asked: Asked) -> Answer:
    """The enemy's one Perception roll against everyone's Move Quietly; success makes the encounter `evaded`."""
    return encounters.slip(entered, asked.names["id"], asked.body["perception"], asked.body.get("route_changed", False))
