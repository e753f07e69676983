"""Any page may call this service: there are no cookies, and a token is sent on purpose or not at all."""

from __future__ import annotations

from flask import Response

ALLOWED_HEADERS = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID"
EXPOSED_HEADERS = "ETag, Location, Retry-After, Link, Idempotent-Replayed, RateLimit, RateLimit-Policy, X-Request-Id"
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"


def open_to_all(response: Response) -> None:
    """What every answer carries, refusals included."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS


def preflight() -> Response:
    """The answer to a browser that asks first; it is the same everywhere, so that a page can read even a 404."""
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = METHODS
    response.headers["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response.headers["Access-Control-Max-Age"] = "600"
    # Chromium asks this of pages on the internet that call a service on the reader's own network.
    response.headers["Access-Control-Allow-Private-Network"] = "true"
    return response
