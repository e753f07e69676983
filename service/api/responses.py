"""Answers and problems as HTTP says them."""

from __future__ import annotations

import hashlib
from urllib.parse import urlencode

import orjson
from flask import Request, Response

from service.api import cors
from service.api.conditions import has_none_match
from service.api.problems import Problem
from service.api.routes import Text
from service.store.records import Answer

ENDED = orjson.OPT_APPEND_NEWLINE
"""A body ends its line, so that a terminal shows what comes after curl's answer below it."""


def response_of(answer: Answer, request: Request, public_url: str | None) -> Response:
    """A good answer: its body in JSON, its tag, where what it made lies, and the next page."""
    content = orjson.dumps(answer.body, option=ENDED) if answer.body is not None else b""
    reads = request.method in ("GET", "HEAD")
    etag = answer.etag or (_tag_of(content) if reads else None)
    if reads and etag and has_none_match(request.headers.get("If-None-Match"), etag):
        response = Response(status=304)
    else:
        response = Response(content, answer.status, content_type="application/json" if content else None)
        if not content:
            response.headers.pop("Content-Type", None)
    headers = response.headers
    if etag:
        headers["ETag"] = etag
    headers["Cache-Control"] = "private, no-cache" if reads else "no-store"
    if answer.location:
        headers["Location"] = base_of(request, public_url) + answer.location
    if answer.replayed:
        headers["Idempotent-Replayed"] = "true"
    if reads and answer.body and (after := answer.body.get("next")) is not None:
        headers["Link"] = f'<{_next_page(request, public_url, after)}>; rel="next"'
    return response


def text_of(text: Text) -> Response:
    response = Response(text.content, content_type=text.media_type)
    response.headers["Cache-Control"] = "no-store"
    return response


def refusal(problem: Problem, base: str, request_id: str) -> Response:
    """A refusal as a problem document."""
    document = problem.document(base, request_id)
    response = Response(orjson.dumps(document, option=ENDED), problem.status, content_type="application/problem+json")
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(problem.headers)
    return response


def finish(response: Response, request_id: str) -> Response:
    """Adds what every answer carries."""
    cors.open_to_all(response)
    response.headers["X-Request-Id"] = request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def base_of(request: Request, public_url: str | None) -> str:
    """Where the service's paths begin, without a slash at the end; only the path of it where Host names none."""
    if public_url:
        return public_url
    if request.host and not request.script_root:
        return f"{request.scheme}://{request.host}"  # what url_root says, too, but it takes long
    return request.url_root.rstrip("/") if request.host else request.script_root


def _next_page(request: Request, public_url: str | None, after: object) -> str:
    query = [(name, value) for name, value in request.args.items(multi=True) if name != "after"]
    return f"{base_of(request, public_url)}{request.path}?{urlencode([*query, ('after', str(after))])}"


def _tag_of(content: bytes) -> str:
    return f'"b-{hashlib.sha256(content).hexdigest()[:16]}"'
