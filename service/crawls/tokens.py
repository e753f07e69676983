"""A crawl's tokens: who else may enter it, as what. The GM's to give and to take back, at once and in any status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.crawls.changing import change
from service.crawls.entering import Entered, Now
from service.crawls.errors import IllegalToken, NotFound, Unauthorized
from service.crawls.naming import hashed, new_pairing_code, new_token, pairing_code
from service.crawls.pages import PAGE, cut, page
from service.crawls.telling import stamp
from service.rules.errors import Fault, Invalid
from service.rules.model import Crawl
from service.store.crawls import CrawlStore
from service.store.pairings import PAIRING_SECONDS, Pairing
from service.store.records import Answer, Change, Token

MOST_TOKENS = 100
"""Of one crawl."""


def list_tokens(entered: Entered, after: str | None = None, limit: int = PAGE) -> Answer:
    """Who may enter, the oldest first, behind the one of id `after`; never the tokens themselves."""
    tokens = entered.store.tokens(entered.crawl.id)
    told = [{**_body(entered.crawl, key, tokens[key]), "yours": key == entered.asking.token_hash} for key in tokens]
    told.sort(key=lambda each: (each["created_at"], each["role"], each["character"] or "", each["id"]))
    return page(entered, "tokens", *cut(told, "id", after, limit))


def make_token(entered: Entered, wanted: Mapping[str, Any]) -> Answer:
    """One more: 201 with it and, this once, the token itself. `wanted` is role, character, label and reads_only.

    Raises Invalid for a character that nobody is, and IllegalToken where there are too many.
    """

    def made(entered: Entered) -> Change:
        return _given(entered.store, entered.crawl, _granted(entered.crawl, wanted, entered.now), entered)

    return change(entered, made, active=False)


def revoke_token(entered: Entered, token_id: str) -> Answer:
    """It opens nothing any more, from now on: 204. Raises NotFound, and IllegalToken for the GM's last one."""

    def revoked(entered: Entered) -> Change:
        tokens = entered.store.tokens(entered.crawl.id)
        found = [key for key in tokens if _id_of(key) == token_id]
        if not found:
            raise NotFound("token")
        left = [token for key, token in tokens.items() if key not in found]
        if not any(token.role == "gm" and not token.reads_only for token in left):
            raise IllegalToken("Without this token nobody could run the crawl. Make another GM's token first.")
        return Change(
            crawl_id=entered.crawl.id,
            events=(),
            # Whoever revokes at the same time must see this one: a change of what is declared tells them.
            expected_revision=entered.loaded.declarations_revision,
            declarations=entered.loaded.declarations,
            tokens=dict.fromkeys(found),
            idempotency=entered.asking.idempotency,
            answer=Answer(204, None),
        )

    return change(entered, revoked, active=False)


def offer_pairing(entered: Entered, wanted: Mapping[str, Any]) -> Answer:
    """A short code that somebody exchanges once for a token of their own: 201 with it and what it gives.

    Kept under no idempotency key: whoever did not receive a code asks for another. Raises as `make_token`.
    """
    token, code = _granted(entered.crawl, wanted, entered.now), new_pairing_code()
    entered.store.pairings.offer(
        hashed(pairing_code(code)), Pairing(entered.crawl.id, token, entered.asking.token_hash or "")
    )
    return Answer(201, {"code": code, "expires_in": PAIRING_SECONDS, **_granted_body(entered.crawl, token)})


def pair(store: CrawlStore, code: str) -> Answer:
    """The token that a code stands for, once: 201 with it and the id of its crawl.

    Raises Unauthorized for a code that nobody offers (any more), as when its GM's token was revoked, and IllegalToken.
    """
    key = hashed(pairing_code(code))
    pairing = store.pairings.look(key)
    crawl = store.crawl(pairing.crawl_id) if pairing else None
    if pairing is None or crawl is None or pairing.offered_by not in store.tokens(crawl.id):
        raise _no_such_code()
    if pairing.token.character and crawl.named(pairing.token.character) is None:
        raise IllegalToken("The character that this code is for is no longer of the party; ask the GM for another.")
    given = _given(store, crawl, pairing.token)
    if not store.pairings.take(key):
        raise _no_such_code()
    store.commit(given)
    assert given.answer, "it is made with one"  # noqa: S101
    return given.answer


def _no_such_code() -> Unauthorized:
    return Unauthorized("Nobody offers this code. A code works once, within ten minutes; ask the GM for another.")


def _granted(crawl: Crawl, wanted: Mapping[str, Any], now: Now) -> Token:
    character = None
    if (name := wanted.get("character")) is not None:
        found = crawl.named(name)
        if found is None:
            raise Invalid(Fault("/character", "Nobody of the party has this name or id."))
        if wanted["role"] == "gm":
            raise Invalid(Fault("/character", "Only a player's token is bound to a character. Leave this out."))
        character = found.id
    return Token(
        role=wanted["role"],
        character=character,
        label=wanted.get("label") or "",
        reads_only=wanted.get("reads_only") or False,
        created_at=stamp(now),
    )


def _given(store: CrawlStore, crawl: Crawl, token: Token, entered: Entered | None = None) -> Change:
    """The commit that keeps a new token, answered with it."""
    if len(store.tokens(crawl.id)) >= MOST_TOKENS:
        raise IllegalToken(f"A crawl can have {MOST_TOKENS} tokens; revoke one first.")
    secret = new_token(token.role, crawl.id)
    key = hashed(secret)
    return Change(
        crawl_id=crawl.id,
        events=(),
        tokens={key: token},
        idempotency=entered.asking.idempotency if entered else None,
        answer=Answer(201, {**_body(crawl, key, token), "crawl": crawl.id, "token": secret}, secret=True),
    )


def _body(crawl: Crawl, key: str, token: Token) -> dict[str, Any]:
    return {"id": _id_of(key), **_granted_body(crawl, token), "created_at": token.created_at or crawl.created_at}


def _granted_body(crawl: Crawl, token: Token) -> dict[str, Any]:
    character = crawl.named(token.character) if token.character else None
    return {
        "role": token.role,
        "character": character.name if character else None,
        "character_id": token.character,
        "label": token.label,
        "reads_only": token.reads_only,
    }


def _id_of(key: str) -> str:
    """A token's id tells nothing of it: it is drawn from the digest by which the store knows it."""
    return f"tok_{key[:16]}"
