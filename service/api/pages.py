"""What people and tools read: the reference at /docs, offline, the table of errors, and the OpenAPI document."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

import orjson
from flask import Flask, Response, request, send_from_directory

from service.api.openapi import as_yaml, document
from service.api.problems import KINDS
from service.api.responses import base_of
from service.api.routes import Service

ASSETS: Final = Path(str(files("flask_swagger_ui"))) / "dist"
_SHOWN: Final = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png")
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
    reads("/docs/start.js", "docs_start", lambda: Response(_START, content_type="text/javascript; charset=utf-8"))
    for name in _SHOWN:
        reads(f"/docs/{name}", f"docs_{name.replace('.', '_')}", lambda name=name: _asset(name))
    reads("/openapi.json", "openapi_json", lambda: _described("json", base_of(request, service.public_url)))
    reads("/openapi.yaml", "openapi_yaml", lambda: _described("yaml", base_of(request, service.public_url)))


@lru_cache
def errors_page() -> str:
    """Every code there is, with what to do about it; the `type` of a problem leads here."""
    rows = "\n".join(
        f'<tr id="{code}"><td><code>{code}</code><td>{kind.status}<td>{escape(kind.title)}<td>{_prose(kind.advice)}'
        for code, kind in KINDS.items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Alarum: errors</title>
<link rel="icon" href="favicon-32x32.png">
<style>
body {{ font: 16px/1.4 sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ddd; }}
:target {{ background: #fff3c4; }}
@media (max-width: 40rem) {{
  th {{ display: none; }}
  tr {{ display: block; padding: .5rem 0; border-bottom: 1px solid #ddd; }}
  td {{ display: block; padding: 0; border: 0; }}
}}
</style>
</head>
<body>
<h1>Errors</h1>
<p>Every refusal is a problem document (RFC 9457) with one of these codes. It changes nothing.</p>
<table>
<tr><th>code<th>status<th>title<th>what to do
{rows}
</table>
</body>
</html>
"""


def _prose(text: str) -> str:
    """As HTML, with what stands in backticks as code."""
    return re.sub(r"`(.+?)`", r"<code>\1</code>", escape(text))


def _page(html: str) -> Response:
    response = Response(html, content_type="text/html; charset=utf-8")
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
