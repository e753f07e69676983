"""A table with its crawl in the store: it enters as its GM or as a player and plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from service.crawls.encounters import list_encounters
from service.crawls.entering import Asking, Entered, enter
from service.crawls.events import list_events
from service.crawls.reading import get_crawl
from service.crawls.rounds import submit_round
from service.crawls.starting import start_crawl
from service.rules.submission import Submission
from service.store.crawls import CrawlStore
from service.store.records import Answer, Change, Idempotency, Role, Token

SEED = "5e" * 32
PARTY = [
    {"name": "Kara", "passive_perception": 14, "dexterity_modifier": 3, "proficiency_bonus": 3},
    {"name": "Bram"},
    {"name": "Sela", "default_activity": "keep_watch"},
]
EVERYTHING = {"pending": True, "last_step": True, "last_undone": True}

Body = Mapping[str, Any]


def now() -> datetime:
    return datetime(2026, 11, 30, 12, tzinfo=UTC)


def hashed(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def a_key(name: str = "first", body: str = "body") -> Idempotency:
    scope = sha256(name.encode()).hexdigest()
    return Idempotency(scope, sha256(body.encode()).hexdigest(), sha256(b"seal" + name.encode()).digest())


@dataclass(frozen=True)
class Table:
    """One crawl and its tokens. `gm` and `player` do something as they are, and give the answer."""

    store: CrawlStore
    crawl: Body

    @property
    def id(self) -> str:
        return str(self.crawl["id"])

    @property
    def kara(self) -> str:
        return str(self.crawl["party"][0]["id"])

    @property
    def bram(self) -> str:
        return str(self.crawl["party"][1]["id"])

    def enter(self, role: Role = "gm", *, token: str | None = None, **asking: Any) -> Entered | Answer:
        token_hash = hashed(token or self.crawl["tokens"][role])
        return enter(self.store, Asking(self.id, token_hash, **asking), now, ("gm", "player"), **EVERYTHING)

    def entered(self, role: Role = "gm", **asking: Any) -> Entered:
        entered = self.enter(role, **asking)
        assert isinstance(entered, Entered)
        return entered

    def gm(self, do: Callable[..., Answer], *given: Any, **named: Any) -> Any:
        return do(self.entered(), *given, **named).body

    def player(self, do: Callable[..., Answer], *given: Any, **named: Any) -> Any:
        return do(self.entered("player"), *given, **named).body

    def round(self, kind: str = "explore", **fields: Any) -> Any:
        return self.gm(submit_round, Submission(kind, **fields))  # type: ignore[arg-type]

    def stands(self, role: Role = "gm") -> Any:
        return get_crawl(self.entered(role)).body

    def events(self, role: Role = "gm") -> list[Any]:
        found = list_events(self.entered(role), 0, 200).body
        assert found is not None
        return list(found["events"])

    def encounters(self, role: Role = "gm") -> list[Any]:
        found = list_encounters(self.entered(role), None, 200).body
        assert found is not None
        return list(found["encounters"])

    def bind(self, character: str) -> str:
        """A player's token that is bound to a character."""
        token = "pl_bound"
        self.store.commit(Change(self.id, (), tokens={hashed(token): Token("player", character)}))
        return token


def start(store: CrawlStore, **wanted: Any) -> Table:
    body = {"ruleset": "derelict", "party": PARTY, "seed": SEED, **wanted}
    answer = start_crawl(store, None, "key_1", body, now)
    assert answer.body is not None
    return Table(store, answer.body)
