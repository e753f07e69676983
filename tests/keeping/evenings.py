"""A crawl with something of everything, taken out and put back in."""

from __future__ import annotations

from typing import Any

from tests.api.talking import Api, Crawl, start


def an_evening(api: Api) -> Crawl:
    """A crawl with something of everything: also taken back, and declared ahead."""
    crawl = start(api, seed=None, guards={"perception_modifier": 2}, alert={"level": 2})
    gm, path = crawl.gm, crawl.path
    gm.post(f"{path}/webhooks", {"url": "https://hooks.example/services/s3cret", "events": ["round.resolved"]})
    gm.post(f"{path}/timers", {"name": "Torch", "kind": "light", "seconds": 3600, "bearer": "Kara"})
    gm.post(f"{path}/timers", {"name": "Bless", "kind": "effect", "seconds": 600, "paused": True})
    ahead = {"activity": "search", "hidden": [{"name": "hatch", "dc": 14}], "check": {"modifier": 3}, "room_ft": 100}
    gm.ask("PUT", f"{path}/declarations/{crawl.kara}", ahead)
    crawl.round(declarations=[{"character": "Bram", "activity": "move_quietly", "check": {"skill": "stealth"}}])
    crawl.round("travel", pace="fast", rooms=3, on_encounter="continue")
    checked = gm.post(f"{path}/encounter_checks", {"face": 6}).json
    encounter = f"{path}/encounters/{checked['encounters'][0]['id']}"
    gm.patch(encounter, {"status": "revealed"})
    gm.post(f"{encounter}/slip", {"perception": {"modifier": 2}})
    gm.post(f"{path}/alert", {"incident": "security_disabled", "effect": "easier_stealth"})
    crawl.round("rest", rest="short", dice={"encounter": [6]})
    crawl.round("time", seconds=60, note="they argued")
    for _ in range(3):
        assert gm.post(f"{path}/undo").status_code == 200
    gm.ask("PUT", f"{path}/declarations/{crawl.kara}", {"activity": "keep_watch"})
    return crawl


def export(crawl: Crawl) -> Any:
    answer = crawl.gm.get(f"{crawl.path}/export")
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.json


def imported(api: Api, document: Any) -> Crawl:
    answer = api.post("/v1/crawls/import", document)
    assert answer.status_code == 201, answer.get_data(as_text=True)
    tokens = answer.json["tokens"]
    return Crawl(answer.json, api.as_who(tokens["gm"]), api.as_who(tokens["player"]))


def two(crawl: Crawl) -> tuple[Api, Api]:
    return crawl.gm, crawl.player
