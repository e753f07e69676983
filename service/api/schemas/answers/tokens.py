"""Tokens and pairings."""

from __future__ import annotations

from typing import get_args

from service.api.schemas.answers.told import Told, many, number, text, truth, word
from service.store.records import Role


class Granted(Told):
    """What a token opens."""

    role = word(*get_args(Role))
    character = text("The name of the one character that it may declare for.", none=True)
    character_id = text(none=True)
    label = text()
    reads_only = truth()


class Token(Granted):
    id = text()
    created_at = text()


class TokenInList(Token):
    yours = truth("Whether it is the one that asks.")


class TokenPage(Told):
    tokens = many(TokenInList)
    next = text(none=True)


class TokenMade(Token):
    crawl = text()
    token = text("Shown this once.")


class Paired(TokenMade):
    """As a token that the GM made."""


class PairingOffered(Granted):
    code = text("To be sent to /v1/pair, once.")
    expires_in = number("Seconds.")
