"""What people and tools read, offline: the reference at /docs, the pages beside it, and the OpenAPI document."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

import orjson
from flask import Flask, Response, request, send_from_directory

from service.api.guides import read
from service.api.guides.webhooks import webhooks_guide
from service.api.openapi import as_yaml, document
from service.api.problems import KINDS
from service.api.responses import base_of
from service.api.routes import Service

ASSETS: Final = Path(str(files("flask_swagger_ui"))) / "dist"
_SHOWN: Final = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
_GUIDES: Final = {"pages.css": "text/css", "receiver.py": "text/plain", "receiver.mjs": "text/plain"}
_POLICY: Final = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'"

# Addresses are relative, so that the page works below any prefix. Without the charset the bundle is no valid script.
_DOCS: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Alarum: the reference</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START: Final = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
});
"""


def add_to(app: Flask, service: Service) -> None:
    """Adds the pages to the application."""

    def reads(path: str, name: str, view: object) -> None:
        app.add_url_rule(path, name, view, methods=["GET"], provide_automatic_options=False)  # type: ignore[arg-type]

    reads("/docs", "docs", lambda: _page(_DOCS))
    reads("/docs/errors", "docs_errors", lambda: _page(errors_page()))
    reads("/docs/webhooks", "docs_webhooks", lambda: _page(webhooks_page(base_of(request, service.public_url))))
    for name, kind in _GUIDES.items():
        reads(f"/docs/{name}", f"docs_{_word(name)}", lambda name=name, kind=kind: _text(read(name), kind))
    reads("/docs/start.js", "docs_start", lambda: _text(_START, "text/javascript"))
    for name in _SHOWN:
        reads(f"/docs/{name}", f"docs_{_word(name)}", lambda name=name: _asset(name))
    reads("/openapi.json", "openapi_json", lambda: _described("json", base_of(request, service.public_url)))
    reads("/openapi.yaml", "openapi_yaml", lambda: _described("yaml", base_of(request, service.public_url)))


@lru_cache
def errors_page() -> str:
    """Every code there is, with what to do about it; the `type` of a problem leads here."""
    rows = "\n".join(
        f'<tr id="{code}"><td><code>{code}</code><td>{kind.status}<td>{escape(kind.title)}<td>{_prose(kind.advice)}'
        for code, kind in KINDS.items()
    )
    return _written(
        "errors",
        f"""\
<h1>Errors</h1>
<p>Every refusal is a problem document (RFC 9457) with one of these codes. It changes nothing.</p>
<table>
<tr><th>code<th>status<th>title<th>what to do
{rows}
</table>
""",
        wide=True,
    )


def webhooks_page(base: str) -> str:
    """What a receiver of webhooks must know, and two that work."""
    return _written("Receiving webhooks", webhooks_guide(base))


def _written(title: str, body: str, *, wide: bool = False) -> str:
    """A page of ours, below /docs."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Alarum: {title}</title>
<link rel="icon" href="favicon-32x32.png">
<link rel="stylesheet" href="pages.css">
</head>
<body{' class="wide"' if wide else ""}>
{body}</body>
</html>
"""


def _prose(text: str) -> str:
    """As HTML, with what stands in backticks as code."""
    return re.sub(r"`(.+?)`", r"<code>\1</code>", escape(text))


def _word(name: str) -> str:
    return name.replace(".", "_")


def _text(text: str, kind: str) -> Response:
    return Response(text, content_type=f"{kind}; charset=utf-8")


def _page(html: str) -> Response:
    response = _text(html, "text/html")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


def _asset(name: str) -> Response:
    return send_from_directory(ASSETS, name, max_age=3600)


@lru_cache(maxsize=8)
def _content(form: str, base: str) -> bytes:
    described = document(base)
    return orjson.dumps(described) if form == "json" else as_yaml(described).encode()


def _described(form: str, base: str) -> Response:
    media_type = "application/json" if form == "json" else "application/yaml; charset=utf-8"
    return Response(_content(form, base), content_type=media_type)
