"""The Flask application: every route, every page, and what all answers have in common."""

from __future__ import annotations

import re
import secrets
from functools import partial
from typing import TYPE_CHECKING

from flask import Flask, Response, g, request
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter

from service.api import cors, pages, watching
from service.api.contract import ROUTES
from service.api.handling import view_of
from service.api.prefix import BelowPrefix
from service.api.problems import problem_of
from service.api.responses import base_of, finish, refusal
from service.api.routes import Service

if TYPE_CHECKING:
    from service.watching.tracing import Traces

STREAMS = "alarum.streams"
"""Under this name among the application's extensions: what holds its streams, for the server to end them."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class _CrawlName(BaseConverter):
    """What stands for a crawl in a path; beside crawls there is `import`."""

    regex = r"(?!import$)[^/]+"
    part_isolating = True


def assemble(service: Service, *, prefix: str = "", proxies: int = 0, traces: Traces | None = None) -> Flask:
    """An application over `service`, below `prefix` as well, believing that many proxies in front."""

    def refuse(error: Exception) -> Response:
        return refusal(problem_of(error), base_of(request, service.public_url), g.get("request_id", ""))

    app = Flask("alarum", static_folder=None)
    app.url_map.merge_slashes = False
    app.url_map.converters["crawl"] = _CrawlName
    app.extensions[STREAMS] = service.hub
    for route in ROUTES:
        rule = re.sub(r"{(\w+)}", r"<\1>", route.path).replace("<crawl>", "<crawl:crawl>")
        app.add_url_rule(
            rule, route.operation_id, view_of(route, service), methods=[route.method], provide_automatic_options=False
        )
    pages.add_to(app, service)
    app.before_request(partial(_begin, traces))
    app.after_request(_finish)
    app.teardown_request(watching.leave)
    app.register_error_handler(Exception, refuse)
    if prefix:
        app.wsgi_app = BelowPrefix(app.wsgi_app, prefix)  # type: ignore[method-assign]
    if proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies, x_port=proxies, x_prefix=proxies
        )
    return app


def _finish(response: Response) -> Response:
    watching.end(g.noted, response.status_code)
    if allowance := g.get("allowance"):
        response.headers.update(allowance.headers)
    return finish(response, g.request_id)


def _begin(traces: Traces | None) -> Response | None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(12)
    g.noted = watching.begin(request, g.request_id, traces)
    if request.method != "OPTIONS":
        return None
    known = request.routing_exception
    if "Access-Control-Request-Method" in request.headers or isinstance(known, MethodNotAllowed):
        response = cors.preflight()
        if isinstance(known, MethodNotAllowed):
            response.headers["Allow"] = ", ".join(sorted({*(known.valid_methods or ()), "OPTIONS"}))
        return response
    return None
