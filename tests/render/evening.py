"""An evening played over HTTP in which every type of event happens, and everything that can be typed is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from service.app import create_app
from service.rules.model import Audience
from service.settings import Settings
from service.store.crawls import CrawlStore
from tests.api.talking import Api, Crawl, start

TYPED = "typed words"
"""Stands for what somebody typed that players may read."""
SECRET = "secret words"
"""Stands for what the GM typed that players may not."""

Seen = tuple[Mapping[str, Any], Audience]


def evening(store: CrawlStore) -> Iterator[Seen]:
    """Every event as each audience sees it, of one table that is shown all and of one that is shown nothing."""
    api = Api(create_app(Settings(), store, now=lambda: datetime(2026, 11, 30, 20, 15, tzinfo=UTC)))
    for visibility in ({"alert": "public", "timers": "exact"}, {"alert": "gm", "timers": "hidden"}):
        crawl = start(
            api,
            name=f"Deck {TYPED}",
            visibility=visibility,
            light_bearers=["Kara"],
            party=[{"name": "Kara"}, *({"name": f"{TYPED} {number}"} for number in range(39))],
        )
        _play(crawl)
        yield from seen(crawl)


def seen(crawl: Crawl) -> Iterator[Seen]:
    views: tuple[tuple[Api, Audience], ...] = ((crawl.gm, "gm"), (crawl.player, "public"))
    for who, audience in views:
        for event in who.get(f"{crawl.path}/events?limit=200").json["events"]:
            yield event, audience


def _play(crawl: Crawl) -> None:
    for kind, rounds in (("light", 1), ("effect", 2), ("condition", 3), ("other", 4)):
        _done(crawl, "POST", "/timers", {"name": f"{kind} {TYPED}", "kind": kind, "rounds": rounds, "warn_at": 300})
    typed_check = {"skill": TYPED, "ability": TYPED, "proficiency": TYPED, "naturals": [3, 9], "advantage": "advantage"}
    hidden = [{"name": f"{SECRET} {number}", "dc": 99} for number in range(20)]
    check = typed_check | {"modifier": 5, "dc": 97}
    for ahead in (
        {"activity": "search", "label": TYPED, "task": f"task {TYPED}", "check": check, "hidden": hidden},
        {"activity": "help", "target": f"{TYPED} 1"},
        {"activity": "cast", "label": TYPED, "rounds_needed": 2},
        {"activity": "act", "check": {"passed": True, "dc": 97}},
    ):
        _done(crawl, "PUT", f"/declarations/{crawl.kara}", ahead)
    _done(crawl, "DELETE", f"/declarations/{crawl.kara}")
    finds = [{"name": f"thing {TYPED} {number}", "dc": 1} for number in range(9)]
    deeds = [
        {"character": "Kara", "activity": "search", "check": {"total": 30}, "hidden": finds + hidden},
        *(
            {
                "character": f"{TYPED} {number}",
                "activity": "act",
                "task": f"task {TYPED} {number}",
                "check": {"total": 9, "dc": 98},
            }
            for number in range(39)
        ),
    ]
    crawl.round("explore", declarations=deeds, incidents=[{"incident": "door_broken"}], note=SECRET)
    saves = [{"character": "Kara", "kind": "save", "from": "trap", "dc": 96, "total": 3}]
    crawl.round("travel", pace="fast", rooms=20, saves=saves, dice={"alert": [6] * 20, "encounter": [1]}, note=SECRET)
    crawl.round("rest", rounds=3, dice={"encounter": [6]})
    (encounter,) = crawl.gm.get(f"{crawl.path}/encounters").json["encounters"]
    _done(crawl, "PATCH", f"/encounters/{encounter['id']}", {"status": "revealed"})
    _done(crawl, "POST", f"/encounters/{encounter['id']}/slip", {"perception": {"total": 95}})
    _done(crawl, "PATCH", f"/encounters/{encounter['id']}", {"status": "resolved"})
    _done(crawl, "POST", "/encounter_checks", {"face": 1})
    _done(crawl, "POST", "/alert", {"incident": "guard_persuaded", "note": SECRET})
    _done(crawl, "POST", "/alert", {"incident": "security_disabled", "effect": "easier_stealth"})
    for path in ("/undo", "/redo", "/pause", "/resume"):
        _done(crawl, "POST", path)
    crawl.round("time", seconds=3000)
    _done(crawl, "POST", "/undo")
    _done(crawl, "PATCH", "", {"name": TYPED, "guards": {"passive_perception": 94}})
    _done(crawl, "POST", "/end")


def _done(crawl: Crawl, method: str, path: str, body: Any = None) -> None:
    answer = crawl.gm.ask(method, crawl.path + path, body)
    assert answer.status_code < 300, answer.get_data(as_text=True)
