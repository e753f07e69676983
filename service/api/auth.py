"""Who asks. A crawl's tokens name their crawl, instance keys do not; the store knows each by its SHA-256 only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hmac import compare_digest

from flask import Request

from service.api.errors import TooManyFailures
from service.api.routes import Service
from service.crawls.errors import Forbidden, Unauthorized
from service.crawls.naming import crawl_named_by, hashed
from service.crawls.telling import stamp
from service.store.errors import CrawlNotFound

_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/=-]{1,200})")


@dataclass(frozen=True, slots=True)
class Bearer:
    """A token as it was sent, with its hex SHA-256."""

    token: str
    hashed: str

    @property
    def crawl_id(self) -> str | None:
        """The crawl that the token says it belongs to."""
        return crawl_named_by(self.token)


def sender_of(request: Request) -> str:
    """By what a request's sender is told from others: the token, whoever knows it, or the address."""
    sent = request.headers.get("Authorization")
    return hashed(sent) if sent else request.remote_addr or ""


def bearer_of(header: str | None) -> Bearer | None:
    """The token of an Authorization header, None without one. Unauthorized for a header of any other form."""
    if header is None:
        return None
    found = _BEARER.fullmatch(header.strip())
    if found is None:
        raise Unauthorized("The header Authorization has another form; send it as: Bearer TOKEN.")
    return Bearer(found[1], hashed(found[1]))


def verify_names_crawl(service: Service, bearer: Bearer | None, crawl_id: str) -> Bearer:
    """A token that says it is this crawl's; whether the crawl knows it, is read with the crawl.

    Another crawl's token finds no crawl here, an instance key may not enter one, and any other is not known.
    """
    if bearer is None:
        raise Unauthorized
    if bearer.crawl_id == crawl_id:
        return bearer
    if bearer.crawl_id is not None:
        if bearer.hashed in service.store.tokens(bearer.crawl_id):
            raise CrawlNotFound
    elif service.store.keyring.find(bearer.hashed):
        raise Forbidden("An instance key opens no crawl: send one of the crawl's own tokens.")
    raise _not_known()


def bearer_of_ticket(service: Service, ticket: str, crawl_id: str) -> Bearer:
    """Whoever asked for this ticket to the crawl's stream; it is used up with that."""
    token_hash = service.store.tickets.redeem(crawl_id, hashed(ticket))
    if token_hash is None:
        raise Unauthorized(
            "This ticket was used, has run out or opens another crawl; ask for one: POST …/events/ticket."
        )
    return Bearer(ticket, token_hash)


def owner_of(service: Service, bearer: Bearer | None, *, required: bool) -> str:
    """The id of the instance key that was sent, and is used with that; "" where none was, and none is needed."""
    if bearer is None:
        if required:
            raise Unauthorized("Send an instance key: Authorization: Bearer KEY. `alarum keys create` makes one.")
        return ""
    if key := service.store.keyring.find(bearer.hashed):
        service.store.keyring.use(key, stamp(service.now))
        return key.id
    if bearer.crawl_id is not None and bearer.hashed in service.store.tokens(bearer.crawl_id):
        raise Forbidden("A crawl's token is good for that crawl only: send an instance key.")
    raise _not_known()


def verify_reads_figures(service: Service, bearer: Bearer | None) -> None:
    """Asks nothing of the store: figures are read above all when that is down."""
    if service.figures_token is None:
        if not service.open_figures:
            raise Forbidden("The figures are shown to nobody here until ALARUM_METRICS_TOKEN is set.")
    elif bearer is None or not compare_digest(bearer.token, service.figures_token):
        raise Unauthorized("Send the token that ALARUM_METRICS_TOKEN holds: Authorization: Bearer TOKEN.")


def count_failure(service: Service, address: str | None) -> None:
    """Counts a token that nobody knew; TooManyFailures once there were too many from this address."""
    if service.counts_failures and address and (seconds := service.store.failures.count(address)):
        raise TooManyFailures(seconds)


def _not_known() -> Unauthorized:
    return Unauthorized("Nobody here knows this token; send another one.")
