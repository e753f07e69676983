"""Encounters: those that came, and what becomes of them. Players know of the revealed ones only."""

from __future__ import annotations

from functools import partial

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.errors import NotFound
from service.crawls.pages import page
from service.crawls.tags import player_etag, version_etag
from service.crawls.telling import encounter_changed
from service.rules import encounters
from service.rules.model import Encounter, EncounterStatus
from service.rules.slip import slip_away
from service.rules.submission import Check
from service.sight.encounter import encounter_body
from service.sight.outcome import roll_body
from service.store.errors import BadCursor
from service.store.records import Answer, Change, Step

_READ_AT_ONCE = 200


def list_encounters(entered: Entered, after: str | None, limit: int) -> Answer:
    """Encounters in the order they came, behind the one of id `after`. GM and player.

    Ids are the cursor, since ordinals would tell players how many they do not see. The store's BadCursor for another.
    """
    ordinal = _behind(entered, after)
    found: list[Encounter] = []
    while len(found) <= limit:
        read = entered.store.encounters(entered.crawl.id, ordinal, _READ_AT_ONCE)
        found += [encounter for encounter in read if entered.is_gm or encounter.revealed]
        if len(read) < _READ_AT_ONCE:
            break
        ordinal = read[-1].ordinal
    shown = found[:limit]
    return page(
        entered,
        "encounters",
        [encounter_body(encounter) for encounter in shown],
        shown[-1].id if len(found) > limit else None,
    )


def get_encounter(entered: Entered, encounter_id: str) -> Answer:
    """One encounter as it stands. GM and player."""
    body = encounter_body(_found(entered, encounter_id))
    return Answer(200, body, version_etag(entered.crawl) if entered.is_gm else player_etag(body))


def change_encounter(entered: Entered, encounter_id: str, status: EncounterStatus) -> Answer:
    """An encounter revealed, resolved or evaded: 200 with it. Raises IllegalEncounter, and as `change`."""
    return change(entered, partial(_changed, encounter_id=encounter_id, status=status))


def slip(entered: Entered, encounter_id: str, perception: Check, route_changed: bool = False) -> Answer:
    """An attempt to slip away (S4): 200 with `degree`, `characters` and `encounter`. Raises as `change_encounter`."""
    return change(
        entered, partial(_slipped, encounter_id=encounter_id, perception=perception, route_changed=route_changed)
    )


def _behind(entered: Entered, after: str | None) -> int:
    try:
        return -1 if after is None else _found(entered, after).ordinal
    except NotFound:
        raise BadCursor from None


def _found(entered: Entered, encounter_id: str) -> Encounter:
    encounter = entered.store.encounter(entered.crawl.id, encounter_id)
    if encounter is None or not (entered.is_gm or encounter.revealed):
        raise NotFound("encounter")
    return encounter


def _changed(entered: Entered, encounter_id: str, status: EncounterStatus) -> Change:
    before, was = entered.crawl, _found(entered, encounter_id)
    if was.status == status:
        return Change(
            crawl_id=before.id,
            events=(),
            expected_version=before.version,
            idempotency=entered.asking.idempotency,
            answer=Answer(200, encounter_body(was), version_etag(before)),
        )
    played, encounter = encounters.change_encounter(before, was, status)
    crawl = following(entered, played)
    return Change(
        crawl_id=crawl.id,
        events=(encounter_changed(entered.now, encounter),),
        crawl=crawl,
        expected_version=before.version,
        step=Step(what="encounter", public=encounter.revealed, play=before.play, encounters={was.id: was}),
        encounters={encounter.id: encounter},
        idempotency=entered.asking.idempotency,
        answer=Answer(200, encounter_body(encounter), version_etag(crawl)),
    )


def _slipped(entered: Entered, encounter_id: str, perception: Check, route_changed: bool) -> Change:
    before, was = entered.crawl, _found(entered, encounter_id)
    slipped = slip_away(before, was, perception)
    crawl, encounter = following(entered, slipped.crawl), slipped.encounter
    told = {
        "degree": slipped.degree,
        "characters": [{"character": name, "stealth_dc": dc, "seen": seen} for name, dc, seen in slipped.characters],
        "perception": roll_body(slipped.perception),
        "route_changed": route_changed,
    }
    return Change(
        crawl_id=crawl.id,
        events=(encounter_changed(entered.now, encounter, slip=told),),
        crawl=crawl,
        expected_version=before.version,
        step=Step(what="encounter", public=encounter.revealed, play=before.play, encounters={was.id: was}),
        encounters={encounter.id: encounter},
        idempotency=entered.asking.idempotency,
        answer=Answer(200, told | {"encounter": encounter_body(encounter)}, version_etag(crawl)),
    )
