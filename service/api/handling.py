"""From a request to an answer, in this order: headers, who asks and what their key already brought, body, use case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Request, Response, g, request

from service.api import auth, body
from service.api.auth import Bearer
from service.api.conditions import idempotency_of
from service.api.errors import MalformedJson, TooManyRequests
from service.api.incoming import raw_of, verify_media_type
from service.api.query import read_query
from service.api.responses import response_of, text_of
from service.api.routes import Asked, AtInstance, Caller, InCrawl, Reply, Route, Service, Text
from service.api.schemas.shape import read
from service.api.streams import streamed, take_ticket
from service.crawls.entering import Asking, Entered, enter
from service.crawls.errors import Forbidden, Unauthorized
from service.crawls.streaming import Stream
from service.store.records import Answer, Idempotency


@dataclass(frozen=True, slots=True)
class _Call:
    """One request to one route."""

    route: Route
    service: Service
    request: Request
    names: Mapping[str, str]


def view_of(route: Route, service: Service) -> Callable[..., Response]:
    """The Flask view of a route."""

    def view(**names: str) -> Response:
        _verify_allowance(service, request)
        answer = _answered(_Call(route, service, request, names))
        if isinstance(answer, Stream):
            return streamed(answer, request)
        if isinstance(answer, Text):
            return text_of(answer)
        return response_of(answer, request, service.public_url)

    return view


def _verify_allowance(service: Service, request: Request) -> None:
    g.allowance = service.limiter.count(auth.sender_of(request))
    if g.allowance and g.allowance.left < 0:
        raise TooManyRequests(g.allowance.seconds)


def _answered(call: _Call) -> Reply:
    access = call.route.access
    if access == AtInstance("never"):
        return _open_to_all(call)
    bearer = auth.bearer_of(call.request.headers.get("Authorization"))
    ticket = take_ticket(call.request) if isinstance(access, InCrawl) and access.ticket else None
    try:
        if isinstance(access, InCrawl):
            return _in_crawl(call, access, bearer, ticket)
        return _at_instance(call, access, bearer)
    except Unauthorized:
        if bearer is not None or ticket is not None:
            auth.count_failure(call.service, call.request.remote_addr)
        raise


def _open_to_all(call: _Call) -> Reply:
    try:
        return _viewed(call, Caller("", None), _raw(call))
    except Unauthorized:  # what the body holds opens nothing
        auth.count_failure(call.service, call.request.remote_addr)
        raise


def _in_crawl(call: _Call, access: InCrawl, bearer: Bearer | None, ticket: str | None) -> Reply:
    crawl_id = call.names["crawl"]
    if bearer is None and ticket is not None:
        bearer = auth.bearer_of_ticket(call.service, ticket, crawl_id)
    else:
        bearer = auth.verify_names_crawl(call.service, bearer, crawl_id)
    raw = _raw(call)
    headers = call.request.headers
    entered = enter(
        call.service.store,
        Asking(
            crawl_id,
            bearer.hashed,
            if_match=headers.get("If-Match") if call.route.writes else None,
            idempotency=_idempotency(call, bearer, raw),
            render=_query(call).get("render", ()),
        ),
        call.service.now,
        access.roles,
        pending=access.pending,
        last_step=access.last_step,
        last_undone=access.last_undone,
    )
    if isinstance(entered, Answer):
        return entered
    if entered.token.reads_only and call.route.writes and not access.reads:
        raise Forbidden("This token only reads. Send one that may change things.")
    return _viewed(call, entered, raw)


def _at_instance(call: _Call, access: AtInstance, bearer: Bearer | None) -> Reply:
    if access.key == "figures":
        auth.verify_reads_figures(call.service, bearer)
        return _viewed(call, Caller("", None), _raw(call))
    required = access.key == "always" or not call.service.open_registration
    owner = auth.owner_of(call.service, bearer, required=required)
    raw = _raw(call)
    idempotency = _idempotency(call, bearer, raw)
    if idempotency and (replayed := call.service.store.replay(idempotency)):
        return replayed
    return _viewed(call, Caller(owner, idempotency), raw)


def _viewed(call: _Call, who: Entered | Caller, raw: bytes) -> Reply:
    return call.route.view(who, Asked(call.service, call.names, _query(call), _body(call, raw)))


def _raw(call: _Call) -> bytes:
    return raw_of(call.request, call.route.body.most) if call.route.body else b""


def _query(call: _Call) -> Mapping[str, Any]:
    return read_query(call.route.query, call.request.args, call.request.headers) if call.route.query else {}


def _idempotency(call: _Call, bearer: Bearer | None, raw: bytes) -> Idempotency | None:
    header = call.request.headers.get("Idempotency-Key") if call.route.writes else None
    return idempotency_of(
        header,
        token=bearer.token if bearer else None,
        method=call.request.method,
        path=call.request.path,
        query=call.request.query_string,
        body=raw,
    )


def _body(call: _Call, raw: bytes) -> Any:
    wanted = call.route.body
    if wanted is None:
        return None
    if not raw:
        if wanted.optional:
            return read(wanted.shape, {})
        raise MalformedJson("The body is empty; send a JSON document.")
    verify_media_type(call.request, wanted.media_types)
    return read(wanted.shape, body.parse(raw, longest=wanted.longest_text))
