"""From a request to an answer, in this order: headers, who asks and what their key already brought, body, use case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Request, Response, request
from werkzeug.exceptions import RequestEntityTooLarge

from service.api import auth, body
from service.api.auth import Bearer
from service.api.conditions import idempotency_of
from service.api.errors import BodyTooLarge, MalformedJson, UnsupportedMediaType
from service.api.query import read_query
from service.api.responses import response_of
from service.api.routes import Asked, AtInstance, Body, Caller, InCrawl, Route, Service
from service.api.schemas.shape import read
from service.crawls.entering import Asking, enter
from service.crawls.errors import Unauthorized
from service.store.records import Answer, Idempotency

MOST_BYTES = 64 * 1024


def view_of(route: Route, service: Service) -> Callable[..., Response]:
    """The Flask view of a route."""

    def view(**names: str) -> Response:
        return response_of(_answered(route, service, request, names), request, service.public_url)

    return view


def _answered(route: Route, service: Service, request: Request, names: Mapping[str, str]) -> Answer:
    bearer = None if route.access == AtInstance("never") else auth.bearer_of(request.headers.get("Authorization"))
    raw = _raw(request) if route.body else b""
    idempotency = _idempotency(route, request, bearer, raw)
    try:
        if isinstance(route.access, InCrawl):
            return _in_crawl(route, route.access, service, request, names, bearer, idempotency, raw)
        return _at_instance(route, route.access, service, request, names, bearer, idempotency, raw)
    except (Unauthorized, auth.NotKnown):
        if bearer is not None:
            auth.count_failure(service, request.remote_addr)
        raise


def _in_crawl(
    route: Route,
    access: InCrawl,
    service: Service,
    request: Request,
    names: Mapping[str, str],
    bearer: Bearer | None,
    idempotency: Idempotency | None,
    raw: bytes,
) -> Answer:
    crawl_id = names["crawl"]
    bearer = auth.verify_names_crawl(service, bearer, crawl_id)
    query = read_query(route.query, request.args) if route.query else {}
    if_match = request.headers.get("If-Match") if route.writes else None
    entered = enter(
        service.store,
        Asking(crawl_id, bearer.hashed, if_match, idempotency, query.get("render", ())),
        service.now,
        access.roles,
        pending=access.pending,
        last_step=access.last_step,
        last_undone=access.last_undone,
    )
    if isinstance(entered, Answer):
        return entered
    return route.view(entered, Asked(service, names, query, _body(route.body, request, raw)))


def _at_instance(
    route: Route,
    access: AtInstance,
    service: Service,
    request: Request,
    names: Mapping[str, str],
    bearer: Bearer | None,
    idempotency: Idempotency | None,
    raw: bytes,
) -> Answer:
    owner = ""
    if access.key != "never":
        required = access.key == "always" or not service.open_registration
        owner = auth.owner_of(service, bearer, required=required)
    if idempotency and (replayed := service.store.replay(idempotency)):
        return replayed
    query = read_query(route.query, request.args) if route.query else {}
    caller = Caller(owner, bearer.hashed if bearer else None, idempotency)
    return route.view(caller, Asked(service, names, query, _body(route.body, request, raw)))


def _idempotency(route: Route, request: Request, bearer: Bearer | None, raw: bytes) -> Idempotency | None:
    header = request.headers.get("Idempotency-Key") if route.writes else None
    if header is None:
        return None
    return idempotency_of(
        header,
        token=bearer.token if bearer else None,
        method=request.method,
        path=request.path,
        query=request.query_string,
        body=raw,
    )


def _raw(request: Request) -> bytes:
    """The bytes of the body, which are read before anything is decided: a replay depends on them."""
    request.max_content_length = MOST_BYTES
    try:
        return request.get_data(cache=False)
    except RequestEntityTooLarge:
        raise BodyTooLarge(f"A body may have {MOST_BYTES} bytes here; send less.") from None


def _body(wanted: Body | None, request: Request, raw: bytes) -> Any:
    if wanted is None:
        return None
    if not raw:
        if wanted.optional:
            return read(wanted.shape, {})
        raise MalformedJson("The body is empty; send a JSON document.")
    _verify_media_type(wanted, request)
    return read(wanted.shape, body.parse(raw))


def _verify_media_type(wanted: Body, request: Request) -> None:
    accepted = wanted.media_types
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding != "identity":
        raise UnsupportedMediaType("Send the body as it is, without Content-Encoding.", accepted)
    if request.mimetype not in accepted or "," in (request.content_type or ""):
        raise UnsupportedMediaType(f"Send the body with Content-Type: {' or '.join(accepted)}.", accepted)
    if request.mimetype_params.get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("Send the body in UTF-8.", accepted)
