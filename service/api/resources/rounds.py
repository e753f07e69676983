"""Rounds: everything that passes time."""

from __future__ import annotations

from service.api.query import AFTER_NUMBER, LIMIT, RENDER
from service.api.routes import EVERYONE, Asked, Body, InCrawl, Routes
from service.api.schemas.answers.outcome import Round, RoundPage
from service.api.schemas.submissions import ROUND
from service.crawls import rounds
from service.crawls.entering import Entered
from service.crawls.errors import NotFound
from service.store.records import Answer

routes = Routes("Rounds", "What passes time, and what came of it.")


@routes.crawl(
    "POST",
    "/rounds",
    "submitRound",
    "Submit a round",
    InCrawl(("gm",)),
    body=Body(ROUND),
    query=(RENDER,),
    answers={201: Round},
    refuses=(
        "quota_exceeded",
        "illegal_status",
        "illegal_move",
        "illegal_alert",
        "illegal_replacement",
    ),
)
def submit(entered: Entered, asked: Asked) -> Answer:
    """Resolves the round and keeps it, all at once. Dice that are not sent along are rolled from the crawl's seed."""
    return rounds.submit_round(entered, asked.body)


@routes.crawl(
    "GET",
    "/rounds",
    "listRounds",
    "List rounds",
    InCrawl(EVERYONE),
    query=(LIMIT, AFTER_NUMBER),
    answers={200: RoundPage},
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """Those in force, in order. A player gets the public part of each."""
    return rounds.list_rounds(entered, asked.query["after"], asked.query["limit"])


@routes.crawl(
    "GET",
    "/rounds/{number}",
    "getRound",
    "Read a round",
    InCrawl(EVERYONE),
    query=(RENDER,),
    answers={200: Round},
    refuses=("round_not_found",),
)
def get(entered: Entered, asked: Asked) -> Answer:
    """A player gets the public part."""
    return rounds.get_round(entered, _number(asked.names["number"]))


def _number(name: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) <= 15 and name[0] != "0"):
        raise NotFound("round")
    return int(name)
