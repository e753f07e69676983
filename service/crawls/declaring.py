"""What players, or the GM for them, declare ahead for the coming round; it is kept beside the crawl."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from service.crawls.changing import change
from service.crawls.entering import Entered
from service.crawls.errors import Forbidden, NotFound
from service.crawls.pages import PAGE, cut, page
from service.crawls.tags import body_etag, player_etag
from service.crawls.telling import crawl_changed, event
from service.rules.declarations import verify_declaration
from service.rules.errors import Fault, Invalid
from service.rules.model import Character
from service.rules.submission import Declaration
from service.sight.declaration import declaration_for_gm, declaration_for_players
from service.store.records import Answer, Change, Event


def declare(entered: Entered, character_id: str, declaration: Declaration) -> Answer:
    """What this character will do: 200 with the declaration. GM and player.

    A player declares for the character that the token is bound to, an unbound one for whomever no other token is bound
    to. Raises NotFound, Forbidden, Invalid, and as `change`.
    """
    return change(entered, partial(_declared, character_id=character_id, declaration=declaration))


def withdraw(entered: Entered, character_id: str) -> Answer:
    """Takes back what was declared for this character: 204. GM and player. Raises NotFound, Forbidden."""
    return change(entered, partial(_withdrawn, character_id=character_id))


def list_declarations(entered: Entered, after: str | None = None, limit: int = PAGE) -> Answer:
    """What is declared for the coming round, in party order, behind the one of character id `after`. GM and player.

    Raises the store's BadCursor for an `after` for whom nothing is declared.
    """
    declared = [
        _body(entered, character, entered.loaded.declarations[character.id])
        for character in entered.crawl.card.party
        if character.id in entered.loaded.declarations
    ]
    return page(entered, "declarations", *cut(declared, "character_id", after, limit))


def _declared(entered: Entered, character_id: str, declaration: Declaration) -> Change:
    character = _own(entered, character_id)
    if declaration.character and entered.crawl.named(declaration.character) != character:
        raise Invalid(Fault("/character", "The path names another character. Say the same, or leave this out."))
    declaration = replace(declaration, character=character.id)
    if not entered.is_gm:
        _verify_players(declaration)
    verify_declaration(entered.crawl, declaration)
    told = event(
        "declaration.made",
        entered.now,
        {"declaration": declaration_for_gm(character, declaration)},
        {"declaration": declaration_for_players(character, declaration)},
    )
    body = _body(entered, character, declaration)
    declarations = {**entered.loaded.declarations, character.id: declaration}
    etag = body_etag(body) if entered.is_gm else player_etag(body)
    return _kept(entered, declarations, told, Answer(200, body, etag))


def _withdrawn(entered: Entered, character_id: str) -> Change:
    character = _own(entered, character_id)
    declarations = dict(entered.loaded.declarations)
    if declarations.pop(character.id, None) is None:
        raise NotFound("declaration")
    told = crawl_changed(entered.now, ("declarations",), entered.crawl.card.visibility)
    return _kept(entered, declarations, told, Answer(204, None))


def _kept(entered: Entered, declarations: Mapping[str, Declaration], told: Event, answer: Answer) -> Change:
    return Change(
        crawl_id=entered.crawl.id,
        events=(told,),
        expected_version=entered.crawl.version,
        expected_revision=entered.loaded.declarations_revision,
        declarations=declarations,
        idempotency=entered.asking.idempotency,
        answer=answer,
    )


def _own(entered: Entered, character_id: str) -> Character:
    """The character, when it is for who asks to declare for it."""
    found = [character for character in entered.crawl.card.party if character.id == character_id]
    if not found:
        raise NotFound("character")
    if entered.is_gm or entered.character == character_id:
        return found[0]
    if entered.character is not None:
        raise Forbidden("Your token is bound to another character. Declare for that one.")
    if any(token.character == character_id for token in entered.store.tokens(entered.crawl.id).values()):
        raise Forbidden("Another player's token is bound to this character.")
    return found[0]


def _verify_players(declaration: Declaration) -> None:
    if declaration.hidden:
        raise Invalid(Fault("/hidden", "Only the GM knows what is hidden. Leave this out."))
    if declaration.check and declaration.check.passed is not None:
        raise Invalid(Fault("/check/passed", "Only the GM rules on a check. Give a modifier, naturals or a total."))


def _body(entered: Entered, character: Character, declaration: Declaration) -> dict[str, Any]:
    return (declaration_for_gm if entered.is_gm else declaration_for_players)(character, declaration)
