"""Who comes to a crawl, with what, and what they find: one read, before anything is decided."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from service.crawls.errors import Forbidden, Unauthorized
from service.crawls.standing import standing_of
from service.crawls.tags import player_etag, version_etag
from service.rules.model import Crawl
from service.sight.crawl import crawl_for_players
from service.store.crawls import CrawlStore
from service.store.errors import StaleCrawl
from service.store.records import Answer, Idempotency, Loaded, Role, Token

Now = Callable[[], datetime]

_TAG = re.compile(r'(?:W/)?"[^"]*"')


@dataclass(frozen=True, slots=True)
class Asking:
    """What a request says of itself: the crawl in its path, who asks, and on what condition.

    `token_hash` is the SHA-256 of the token, `if_match` that header as it came, `render` the platforms asked for.
    """

    crawl_id: str
    token_hash: str | None
    if_match: str | None = None
    idempotency: Idempotency | None = None
    render: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a use case needs of a crawl beyond its state."""

    pending: bool = False
    last_step: bool = False
    last_undone: bool = False


@dataclass(frozen=True, slots=True)
class Entered:
    """Somebody who may be here, and the crawl as they found it."""

    store: CrawlStore
    asking: Asking
    loaded: Loaded
    now: Now
    reading: Reading
    token: Token

    @property
    def role(self) -> Role:
        return self.token.role

    @property
    def character(self) -> str | None:
        """The id of the character that a player's token is bound to."""
        return self.token.character

    @property
    def crawl(self) -> Crawl:
        return self.loaded.crawl

    @property
    def is_gm(self) -> bool:
        return self.token.role == "gm"

    def again(self) -> Entered | Answer:
        """The same, read anew; or what this idempotency key has brought meanwhile."""
        return _read(self.store, self.asking, self.now, self.reading)

    def verify_match(self) -> None:
        """StaleCrawl when If-Match names another state of the crawl than this one."""
        wanted = self.asking.if_match
        if wanted is None or wanted.strip() == "*":
            return
        tag = version_etag(self.crawl) if self.is_gm else player_etag(crawl_for_players(standing_of(self.loaded)))
        if tag not in _TAG.findall(wanted):
            raise StaleCrawl


def enter(
    store: CrawlStore,
    asking: Asking,
    now: Now,
    roles: tuple[Role, ...] = ("gm",),
    *,
    pending: bool = False,
    last_step: bool = False,
    last_undone: bool = False,
) -> Entered | Answer:
    """Who asks, let in; or the answer that their idempotency key brought before.

    The docstring of a use case says which of `pending`, `last_step` and `last_undone` it needs. Raises Unauthorized,
    Forbidden, and the store's CrawlNotFound, IdempotencyKeyReused, AnswerSealed, StoreUnavailable.
    """
    if asking.token_hash is None:
        raise Unauthorized
    # A player's ETag is made of all that players see, the pending encounters included.
    pending = pending or ("player" in roles and asking.if_match is not None)
    entered = _read(store, asking, now, Reading(pending, last_step, last_undone))
    if isinstance(entered, Entered) and entered.role not in roles:
        raise Forbidden("This is the GM's: send the crawl's GM token.")
    return entered


def _read(store: CrawlStore, asking: Asking, now: Now, reading: Reading) -> Entered | Answer:
    loaded = store.load(
        asking.crawl_id,
        asking.token_hash,
        idempotency=asking.idempotency,
        pending=reading.pending,
        last_step=reading.last_step,
        last_undone=reading.last_undone,
    )
    if isinstance(loaded, Answer):
        return loaded
    if loaded.token is None:
        raise Unauthorized
    return Entered(store, asking, loaded, now, reading, loaded.token)
