"""Starting a crawl, and the list of those that somebody started."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from service.crawls.entering import Now
from service.crawls.naming import hashed, new_crawl_id, new_token
from service.crawls.party import characters_of
from service.crawls.tags import body_etag, version_etag
from service.crawls.telling import event, stamp
from service.rules import card
from service.rules.model import Crawl, Guards, Visibility
from service.rules.ruleset import ruleset_of
from service.sight.crawl import Standing, crawl_for_gm, crawl_for_players, crawl_in_list
from service.store.crawls import CrawlStore
from service.store.records import Answer, Change, Idempotency, Token


def start_crawl(
    store: CrawlStore, idempotency: Idempotency | None, owner: str, wanted: Mapping[str, Any], now: Now
) -> Answer:
    """A crawl begun: 201 with it and, this once, its tokens.

    `wanted` is the parsed body of the request, `owner` the id of the instance key ("" where anybody may start one).
    Raises Invalid with pointers into that body, and what the store's `commit` raises.
    """
    crawl_id = new_id_of(idempotency)
    crawl = _crawl(crawl_id, stamp(now), wanted)
    standing = Standing(crawl)
    answer, tokens = begun(standing)
    told, public = crawl_for_gm(standing), crawl_for_players(standing)
    started = event("crawl.started", now, {"crawl": told}, {"crawl": public})
    kept = store.commit(
        Change(
            crawl_id=crawl_id,
            events=(started,),
            crawl=crawl,
            idempotency=idempotency,
            answer=answer,
            tokens=tokens,
            owner=owner,
        )
    )
    return kept or answer


def new_id_of(idempotency: Idempotency | None) -> str:
    """The id of a new crawl: in the partition of the key, since a repeated request looks there."""
    return new_crawl_id(idempotency.scope[:2] if idempotency else secrets.token_hex(1))


def begun(standing: Standing) -> tuple[Answer, dict[str, Token]]:
    """What whoever began a crawl is answered, and the tokens that are in it, by their SHA-256."""
    crawl = standing.crawl
    gm, player = new_token("gm", crawl.id), new_token("player", crawl.id)
    answer = Answer(
        status=201,
        body=crawl_for_gm(standing) | {"tokens": {"gm": gm, "player": player}},
        etag=version_etag(crawl),
        location=f"/v1/crawls/{crawl.id}",
        secret=True,
    )
    return answer, {hashed(gm): Token("gm"), hashed(player): Token("player")}


def list_crawls(store: CrawlStore, owner: str, after: str | None, limit: int) -> Answer:
    """The crawls that `owner` started, newest first. BadCursor for an `after` that was never given out."""
    found = store.list_crawls(owner, after, limit)
    body = {"crawls": [crawl_in_list(crawl) for crawl in found.crawls], "next": found.next}
    return Answer(200, body, body_etag(body))


def _crawl(crawl_id: str, created_at: str, wanted: Mapping[str, Any]) -> Crawl:
    alert, check = wanted.get("alert") or {}, wanted.get("encounter_check") or {}
    guards, rules = wanted.get("guards"), wanted.get("rules") or {}
    return card.start_crawl(
        crawl_id=crawl_id,
        created_at=created_at,
        seed=wanted.get("seed") or secrets.token_hex(32),
        name=wanted.get("name") or ruleset_of(wanted["ruleset"], rules).title,
        ruleset=wanted["ruleset"],
        rules=rules,
        party=characters_of(wanted["party"]),
        marching_order=tuple(wanted.get("marching_order") or ()),
        light_bearers=tuple(wanted.get("light_bearers") or ()),
        alert_enabled=alert.get("enabled"),
        alert_level=alert.get("level"),
        every_rounds=check.get("every_rounds"),
        guards=Guards(**guards) if guards else None,
        visibility=Visibility(**(wanted.get("visibility") or {})),
    )
