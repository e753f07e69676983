"""Whatever a table does, nothing of the GM's reaches players: not in bodies, not in events, not in counters or tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.crawls.alerts import set_alert
from service.crawls.cards import change_card
from service.crawls.checks import check_by_hand
from service.crawls.declaring import declare, list_declarations
from service.crawls.encounters import change_encounter
from service.crawls.rounds import list_rounds
from service.crawls.timers import add_timer, list_timers
from service.crawls.undoing import redo, undo
from service.rules.errors import Illegal
from service.rules.submission import Check, Declaration, Hidden, Incident, Save
from service.store.crawls import CrawlStore
from tests.crawls.tables import Table, start

GMS_KEYS = {
    "version",
    "dc",
    "passed",
    "hidden",
    "rooms_asked",
    "encounter_check",
    "encounter_checks",
    "next_check",
    "unused_dice",
    "note",
    "rolls",
    "consequences",
    "cause",
    "capped",
    "guards",
    "rules",
    "visibility",
    "seed",
    "alert_level",
    "undo_available",
    "redo_available",
    "gm",
    "slip",
}
ALERT_KEYS = {"alert", "against", "easier_stealth", "level", "changes"}

SEARCH = Declaration("Kara", "search", check=Check(modifier=5), hidden=(Hidden("hatch", 4), Hidden("GM-SECRET", 4001)))
ACT = Declaration("Bram", "act", label="pry", task="bulkhead", check=Check(dc=15, modifier=2, skill="stealth"))

Act = Callable[[Table], Any]
ACTS: dict[str, Act] = {
    "explore": lambda table: table.round(
        declarations=(SEARCH, ACT),
        incidents=(Incident("door_broken", note="GM-SECRET"),),
        saves=(Save("Kara", "save", "trap", Check(dc=13, modifier=2)),),
        note="GM-SECRET",
    ),
    "met": lambda table: table.round("rest", seconds=7200, dice={"encounter": (6, 6, 6)}, note="GM-SECRET"),
    "walk": lambda table: table.round("travel", pace="fast", rooms=200, dice={"encounter": (6,)}),
    "combat": lambda table: table.round("combat", combat_rounds=3, encounter=table.encounters()[-1]["id"]),
    "alert": lambda table: table.gm(set_alert, {"change": 1, "note": "GM-SECRET"}),
    "check": lambda table: table.gm(check_by_hand, 6),
    "timer": lambda table: table.gm(add_timer, {"name": "Torch", "kind": "light", "seconds": 900}),
    "reveal": lambda table: table.gm(change_encounter, table.encounters()[-1]["id"], "revealed"),
    "resolve": lambda table: table.gm(change_encounter, table.encounters()[-1]["id"], "resolved"),
    "guards": lambda table: table.gm(change_card, {"guards": {"passive_perception": 4001}}),
    "declare": lambda table: table.gm(declare, table.kara, SEARCH),
    "undo": lambda table: table.gm(undo),
    "redo": lambda table: table.gm(redo),
}
visibilities = st.fixed_dictionaries(
    {"alert": st.sampled_from(["gm", "public"]), "timers": st.sampled_from(["exact", "vague", "hidden"])}
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(ACTS)), max_size=8), visibilities)
def test_nothing_of_the_gms_reaches_players(store: CrawlStore, acts: list[str], visibility: dict[str, str]) -> None:
    table = start(store, visibility=visibility, guards={"passive_perception": 13})
    for act in acts:
        try:
            ACTS[act](table)
        except (Illegal, IndexError):
            continue
    seen = everything_that_players_see(table)
    forbidden = GMS_KEYS if visibility["alert"] == "public" else GMS_KEYS | ALERT_KEYS
    assert not forbidden & set(keys(seen))
    assert "GM-SECRET" not in repr(seen)
    assert 4001 not in leaves(seen)
    hidden = [encounter["id"] for encounter in table.encounters() if not encounter["revealed"]]
    assert not [name for name in hidden if name in repr(seen["now"])]
    sequences = [event["sequence"] for event in seen["events"]]
    assert sequences == list(range(1, len(sequences) + 1))
    if visibility["timers"] == "hidden":
        assert "Torch" not in repr(seen)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["alert", "check", "guards", "resolve"]), min_size=1, max_size=5))
def test_what_only_the_gm_does_leaves_no_trace_at_all(store: CrawlStore, acts: list[str]) -> None:
    table = start(store)
    before = everything_that_players_see(table)
    for act in acts:
        try:
            ACTS[act](table)
        except (Illegal, IndexError):
            continue
    assert everything_that_players_see(table) == before


def everything_that_players_see(table: Table) -> dict[str, Any]:
    now = {
        "crawl": table.stands("player"),
        "rounds": table.player(list_rounds, 0, 200),
        "encounters": table.encounters("player"),
        "timers": table.player(list_timers),
        "declarations": table.player(list_declarations),
    }
    return {"now": now, "events": table.events("player")}


def keys(body: Any) -> Iterator[str]:
    if isinstance(body, dict):
        yield from body
        for value in body.values():
            yield from keys(value)
    elif isinstance(body, list):
        for value in body:
            yield from keys(value)


def leaves(body: Any) -> list[Any]:
    if isinstance(body, dict | list):
        inner = body.values() if isinstance(body, dict) else body
        return [leaf for value in inner for leaf in leaves(value)]
    return [body]
