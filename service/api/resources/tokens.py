"""Tokens of a crawl, and pairing."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import Asked, AtInstance, Body, Caller, InCrawl, Routes
from service.api.schemas.answers.tokens import Paired, PairingOffered, TokenMade, TokenPage
from service.api.schemas.tokens import PairingCode, TokenWanted
from service.crawls import tokens
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Tokens", "Who may enter a crawl, as what.")

_GM = InCrawl(("gm",))


@routes.crawl(
    "GET",
    "/tokens",
    "listTokens",
    "List tokens",
    _GM,
    query=(LIMIT, AFTER_CURSOR),
    answers={200: TokenPage},
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """The oldest first; never the tokens themselves."""
    return tokens.list_tokens(entered, asked.query["after"], asked.query["limit"])


@routes.crawl(
    "POST",
    "/tokens",
    "makeToken",
    "Make a token",
    _GM,
    body=Body(TokenWanted()),
    answers={201: TokenMade},
    refuses=("answer_sealed", "illegal_token"),
)
def make(entered: Entered, asked: Asked) -> Answer:
    """For another GM, for the players, or for one of them. The answer holds the token, this once."""
    return tokens.make_token(entered, asked.body)


@routes.crawl(
    "DELETE",
    "/tokens/{id}",
    "revokeToken",
    "Revoke a token",
    _GM,
    answers={204: None},
    refuses=("token_not_found", "illegal_token"),
)
def revoke(entered: Entered, asked: Asked) -> Answer:
    """It opens nothing any more; streams that it opened end within a minute."""
    return tokens.revoke_token(entered, asked.names["id"])


@routes.crawl(
    "POST",
    "/pairings",
    "offerPairing",
    "Offer a pairing",
    _GM,
    body=Body(TokenWanted()),
    answers={201: PairingOffered},
)
def offer(entered: Entered, asked: Asked) -> Answer:
    """A short code to read out. Whoever sends it within ten minutes is given a token of their own, once."""
    return tokens.offer_pairing(entered, asked.body)


@routes.instance(
    "POST",
    "/v1/pair",
    "pair",
    "Pair",
    AtInstance("never"),
    body=Body(PairingCode()),
    answers={201: Paired},
    refuses=("unauthorized", "illegal_token", "too_many_failures", "store_unavailable", "store_full"),
)
def pair(caller: Caller, asked: Asked) -> Answer:
    """Exchanges a code that a GM has been shown for a token of one's own. It works once."""
    return tokens.pair(asked.service.store, asked.body["code"])
