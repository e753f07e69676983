"""Serving below a path, for proxies that pass the whole path on as for those that cut the prefix off themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class BelowPrefix:
    """A WSGI application that also answers below `prefix`, such as "/gm"."""

    def __init__(self, app: WSGIApplication, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == self._prefix or path.startswith(f"{self._prefix}/"):
            environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + self._prefix
            environ["PATH_INFO"] = path[len(self._prefix) :]
        return self._app(environ, start_response)
