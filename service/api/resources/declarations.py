"""What is declared ahead for the coming round."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import EVERYONE, Asked, Body, InCrawl, Routes
from service.api.schemas.answers.between import DeclarationPage, DeclaredAhead
from service.api.schemas.submissions import AHEAD
from service.crawls import declaring
from service.crawls.entering import Entered
from service.store.records import Answer

routes = Routes("Declarations", "What players, or the GM for them, declare ahead for the coming round.")

_ALL = InCrawl(EVERYONE)


@routes.crawl(
    "GET",
    "/declarations",
    "listDeclarations",
    "List what is declared",
    _ALL,
    query=(LIMIT, AFTER_CURSOR),
    answers={200: DeclarationPage},
)
def list_(entered: Entered, asked: Asked) -> Answer:
    """In party order. The coming round uses and clears them."""
    return declaring.list_declarations(entered, asked.query["after"], asked.query["limit"])


@routes.crawl(
    "PUT",
    "/declarations/{character_id}",
    "declare",
    "Declare for a character",
    _ALL,
    body=Body(AHEAD),
    answers={200: DeclaredAhead},
    refuses=("character_not_found", "illegal_status"),
)
def declare(entered: Entered, asked: Asked) -> Answer:
    """Replaces what was declared before. A player declares for the own character only, and does not raise the crawl's
    version."""
    return declaring.declare(entered, asked.names["character_id"], asked.body)


@routes.crawl(
    "DELETE",
    "/declarations/{character_id}",
    "withdrawDeclaration",
    "Withdraw a declaration",
    _ALL,
    answers={204: None},
    refuses=("character_not_found", "declaration_not_found", "illegal_status"),
)
def withdraw(entered: Entered, asked: Asked) -> Answer:
    """The character's standing order counts again."""
    return declaring.withdraw(entered, asked.names["character_id"])
