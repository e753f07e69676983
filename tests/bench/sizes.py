"""What a crawl takes in the store after 50 rounds, as Valkey counts it (MEMORY USAGE)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import orjson

from service.app import create_app
from service.settings import Settings
from service.store.keys import CrawlKeys, keys_of
from service.store.opening import open_redis
from service.webhooks.addresses import networks
from tests.bench.table import EXPLORE, TRAVEL, start

ROUNDS = 50
AHEAD: dict[str, Any] = {"activity": "keep_watch"}
HOOK: dict[str, Any] = {"url": "http://127.0.0.1:9900/hook", "events": ["encounter.triggered"], "format": "standard"}


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes by the name of the key; those of the live state, then the others."""

    live: dict[str, int]
    rest: dict[str, int]
    encounters: int


def sizes(store: str) -> Sizes:
    """A crawl with a light, a webhook and a declaration ahead, after 50 rounds: by turns a walk and an exploration."""
    app = create_app(Settings(redis=store, webhook_allow=networks("127.0.0.0/8")))
    client = app.test_client()

    def ask(method: str, path: str, body: Any, token: str | None) -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = client.open(path, method=method, json=body, headers=headers)
        if not 200 <= answer.status_code < 300:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return orjson.loads(answer.data)

    path, token = start(ask)
    ask("POST", f"{path}/webhooks", HOOK, token)
    for number in range(ROUNDS):
        ask("POST", f"{path}/rounds", EXPLORE if number % 2 else TRAVEL, token)
    crawl = ask("GET", path, None, token)
    ask("PUT", f"{path}/declarations/{crawl['party'][0]['id']}", AHEAD, token)
    return _counted(store, keys_of(crawl["id"]))


def _counted(store: str, keys: CrawlKeys) -> Sizes:
    redis = open_redis(store, connections=1)
    names = {getattr(keys, field.name): field.name for field in fields(keys)}

    def count(counted: tuple[str, ...]) -> dict[str, int]:
        return {names[key]: redis.memory_usage(key, samples=0) or 0 for key in counted}

    live = count(keys.live())
    rest = count(tuple(key for key in keys.own() if key not in keys.live()))
    encounters = redis.hlen(keys.encounters)
    redis.close()
    return Sizes(live, rest, encounters)
