"""Records the examples of the reference: corpus files played over HTTP, with every drawn id and secret replaced.

`python -m tests.api.recording` writes service/api/examples.json, then openapi.yaml.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from service.app import create_app
from service.settings import Settings
from service.store.crawls import CrawlStore
from service.store.embedded import EmbeddedStore
from service.store.keys import partition_of
from service.store.opening import open_store
from service.store.outbox import Outbox
from service.worker.delivering import deliver
from tests.api.talking import Api, Crawl
from tests.webhooks.receivers import Receiver, answer
from tests.webhooks.telling import LOOPBACK, claim, drain

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "service" / "api" / "examples.json"
DOCUMENT = ROOT / "openapi.yaml"

ROUNDS = {
    "derelict-example-1-a-fast-walk-raises-the-alert-twice": "a fast walk raises the alert twice",
    "derelict-example-3-a-check-on-arrival-halts-the-walk": "a check on arrival halts the walk",
    "derelict-example-5-a-rest-broken-off": "a rest broken off",
    "stretch-example-8-kara-keeps-watch": "a watcher has a reaction",
    "stretch-example-9-take-your-time-with-advantage": "taking one's time",
}
CRAWL = {
    "name": "The Persephone",
    "ruleset": "derelict",
    "party": [
        {"name": "Kara", "passive_perception": 14, "dexterity_modifier": 3, "proficiency_bonus": 3},
        {"name": "Bram", "default_activity": "keep_watch"},
    ],
    "light_bearers": ["Kara"],
    "seed": "5e" * 32,
}
Keep = Callable[[str, str, Any, Any], None]


def recorded(store: CrawlStore) -> dict[str, Any]:
    """The examples, by operation and name, and one event of each type."""
    settings = Settings(webhook_allow=LOOPBACK)
    api = Api(create_app(settings, store, now=lambda: datetime(2026, 11, 30, 20, 15, tzinfo=UTC)))
    operations: dict[str, dict[str, Any]] = {}

    def keep(operation: str, name: str, request: Any, response: Any) -> None:
        operations.setdefault(operation, {})[name] = {"request": request, "response": response}

    crawl = _an_evening(api, keep)
    _others_told(api, store, keep)
    _taken_along(api, keep)
    for file, name in ROUNDS.items():
        _a_round(api, keep, file, name)
    events = {event["type"]: event for event in crawl.gm.get(f"{crawl.path}/events?limit=200").json["events"]}
    return _with_plain_ids({"operations": operations, "events": events})


def _an_evening(api: Api, keep: Keep) -> Crawl:
    """One of nearly everything."""
    started = api.post("/v1/crawls", CRAWL).json
    crawl = Crawl(started, api.as_who(started["tokens"]["gm"]), api.as_who(started["tokens"]["player"]))
    keep("startCrawl", "a derelict", CRAWL, started)
    _kept(crawl, keep, "getCrawl", "GET", "")
    torch = {"name": "Torch", "kind": "light", "rounds": 3, "bearer": "Kara", "warn_at": 600}
    timer = _kept(crawl, keep, "addTimer", "POST", "/timers", torch)
    _kept(crawl, keep, "listTimers", "GET", "/timers")
    _kept(crawl, keep, "getTimer", "GET", f"/timers/{timer['id']}")
    _kept(crawl, keep, "changeTimer", "PATCH", f"/timers/{timer['id']}", {"name": "Torch in the left hand"})
    ahead = {"activity": "search", "check": {"skill": "perception", "modifier": 5}}
    _kept(crawl, keep, "declare", "PUT", f"/declarations/{crawl.kara}", ahead)
    _kept(crawl, keep, "listDeclarations", "GET", "/declarations")
    together = {
        "kind": "explore",
        "declarations": [
            {
                "character": "Kara",
                "activity": "search",
                "check": {"skill": "perception", "modifier": 5},
                "hidden": [{"name": "hatch", "dc": 14}],
            },
            {
                "character": "Bram",
                "activity": "act",
                "label": "force the bulkhead",
                "task": "bulkhead",
                "check": {"ability": "str", "skill": "athletics", "dc": 15, "total": 17},
            },
        ],
        "incidents": [{"incident": "door_broken"}],
        "dice": {"check": [12]},
    }
    _kept(crawl, keep, "submitRound", "POST", "/rounds", together, name="everybody does one thing")
    _kept(crawl, keep, "submitRound", "POST", "/rounds", {"kind": "time", "seconds": 600}, name="they argued")
    _kept(crawl, keep, "submitRound", "POST", "/rounds", {"kind": "combat", "combat_rounds": 4}, name="a fight")
    _kept(crawl, keep, "submitRound", "POST", "/rounds", {"kind": "rest", "seconds": 600}, name="a breather")
    _kept(crawl, keep, "listRounds", "GET", "/rounds?limit=1")
    _kept(crawl, keep, "getRound", "GET", "/rounds/1?render=roll20,discord")
    _kept(crawl, keep, "setAlert", "POST", "/alert", {"incident": "guard_persuaded", "note": "a good lie"})
    checked = _kept(crawl, keep, "checkByHand", "POST", "/encounter_checks", {"face": 6})
    encounter = f"/encounters/{checked['encounters'][0]['id']}"
    _kept(crawl, keep, "listEncounters", "GET", "/encounters")
    _kept(crawl, keep, "getEncounter", "GET", encounter)
    _kept(crawl, keep, "slipAway", "POST", f"{encounter}/slip", {"perception": {"total": 9}})
    _kept(crawl, keep, "undo", "POST", "/undo")
    _kept(crawl, keep, "redo", "POST", "/redo")
    crawl.gm.post(f"{crawl.path}/undo")
    _kept(crawl, keep, "changeEncounter", "PATCH", encounter, {"status": "revealed"})
    _kept(crawl, keep, "changeCrawl", "PATCH", "", {"name": "The Persephone, deck 2"})
    bound = {"role": "player", "character": "Kara", "label": "Ann's phone"}
    _kept(crawl, keep, "makeToken", "POST", "/tokens", bound)
    _kept(crawl, keep, "listTokens", "GET", "/tokens")
    code = {"code": _kept(crawl, keep, "offerPairing", "POST", "/pairings", {"role": "gm", "label": "the bot"})["code"]}
    keep("pair", "example", code, api.post("/v1/pair", code).json)
    _kept(crawl, keep, "makeTicket", "POST", "/events/ticket")
    _kept(crawl, keep, "listEvents", "GET", "/events?after=1&limit=2")
    for operation, path in (("pauseCrawl", "/pause"), ("resumeCrawl", "/resume"), ("endCrawl", "/end")):
        _kept(crawl, keep, operation, "POST", path)
    return crawl


def _others_told(api: Api, store: CrawlStore, keep: Keep) -> None:
    """A webhook whose receiver is out of order at first."""
    started = api.post("/v1/crawls", CRAWL).json
    crawl = Crawl(started, api.as_who(started["tokens"]["gm"]), api.as_who(started["tokens"]["player"]))
    outbox, partition = Outbox(store.redis), partition_of(started["id"])
    there = Receiver(answer(500, {}, b"out of order"))
    try:
        hook = {"url": there.url, "events": ["encounter.triggered", "round.resolved"]}
        webhook = f"/webhooks/{_kept(crawl, keep, 'createWebhook', 'POST', '/webhooks', hook)['id']}"
        crawl.gm.post(f"{crawl.path}/rounds", {"kind": "time", "seconds": 600})
        drain(outbox, partition)
        deliver(outbox, claim(outbox, partition=partition)[0], LOOPBACK)
        log = _kept(crawl, keep, "listDeliveries", "GET", f"{webhook}/deliveries")
        _kept(crawl, keep, "getWebhook", "GET", webhook)
        _kept(crawl, keep, "listWebhooks", "GET", "/webhooks")
        there.behave = answer(204)
        _kept(crawl, keep, "pingWebhook", "POST", f"{webhook}/ping")
        _kept(crawl, keep, "redeliver", "POST", f"/deliveries/{log['deliveries'][0]['id']}/redeliver")
        _kept(crawl, keep, "recoverDeliveries", "POST", f"{webhook}/recover", {"since": "2026-11-30T20:00:00Z"})
        _kept(crawl, keep, "rotateWebhookSecret", "POST", f"{webhook}/rotate", {"grace_seconds": 3600})
        discord = {"format": "discord", "audience": "public", "description": "our channel"}
        _kept(crawl, keep, "changeWebhook", "PATCH", webhook, discord)
    finally:
        there.close()


def _taken_along(api: Api, keep: Keep) -> None:
    """A crawl that has ended, exported and imported again."""
    started = api.post("/v1/crawls", CRAWL).json
    crawl = Crawl(started, api.as_who(started["tokens"]["gm"]), api.as_who(started["tokens"]["player"]))
    crawl.gm.post(f"{crawl.path}/rounds", {"kind": "time", "seconds": 3600, "on_encounter": "continue"})
    crawl.gm.post(f"{crawl.path}/end")
    document = _kept(crawl, keep, "exportCrawl", "GET", "/export")
    keep("importCrawl", "example", document, api.post("/v1/crawls/import", document).json)


def _kept(
    crawl: Crawl, keep: Keep, operation: str, method: str, path: str, body: Any = None, *, name: str = "example"
) -> Any:
    answer = crawl.gm.ask(method, crawl.path + path, body)
    assert answer.status_code in (200, 201, 202), answer.get_data(as_text=True)
    keep(operation, name, body, answer.json)
    return answer.json


def _a_round(api: Api, keep: Keep, file: str, name: str) -> None:
    """The last round of a corpus file."""
    case = json.loads((ROOT / "tests" / "rounds" / f"{file}.json").read_text())
    started = api.post("/v1/crawls", {"seed": CRAWL["seed"], **case["crawl"]}).json
    gm = api.as_who(started["tokens"]["gm"])
    rounds = [step["body"] for step in case["steps"] if step["do"] == "round"]
    told = [gm.post(f"/v1/crawls/{started['id']}/rounds", body).json for body in rounds]
    keep("submitRound", name, rounds[-1], told[-1])


def _with_plain_ids(document: Mapping[str, Any]) -> dict[str, Any]:
    """Every id, token and secret drawn anew is replaced by one that is always the same, in the order they come."""
    met: dict[str, str] = {}

    def replaced(found: re.Match[str]) -> str:
        kind, rest = found[1], found[2]
        if found[0] not in met:
            digits = sha256(f"{kind} {len(met)}".encode()).hexdigest()
            met[found[0]] = f"{kind}_{(digits * 2)[: len(rest)]}"
        return met[found[0]]

    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    text = re.sub(r"\b(gm|pl)_[a-z0-9]{22}_[\w-]{43}", r"\1_…", text)
    text = re.sub(r"\btk_[\w-]{43}", "tk_…", text)
    text = re.sub(r'"code": "[0-9A-Z]{4}-[0-9A-Z]{4}"', '"code": "7KQ4-MZ2P"', text)
    text = re.sub(r"whsec_[A-Za-z0-9+/=]+", "whsec_…", text)
    text = re.sub(r"http://127\.0\.0\.1:\d+/hook/s3cret", "https://hooks.example/alarum", text)
    text = re.sub(r"http://127\.0\.0\.1:\d+/", "https://hooks.example/", text)
    text = re.sub(r'"latency_ms": \d+', '"latency_ms": 12', text)
    text = re.sub(r"20\d\d-\d\d-\d\dT(?!20:15:00.000|20:00:00Z)[\d:.]+Z", "2026-11-30T20:15:00.012Z", text)
    text = re.sub(r"\b(crl|chr|evt|whk|enc|tmr|msg|tok)_([a-z0-9]{16,24})\b", replaced, text)
    return json.loads(text)  # type: ignore[no-any-return]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="alarum-recording-") as folder:
        server = EmbeddedStore(Path(folder))
        server.start()
        try:
            told = recorded(open_store(server.url))
        finally:
            server.stop()
    EXAMPLES.write_text(json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    from service.api.openapi import document_yaml  # once the examples are there

    DOCUMENT.write_text(document_yaml())


if __name__ == "__main__":
    main()
