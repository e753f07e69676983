"""ETags: the version for the GM, a hash for players, whose tag must not count what they do not see."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from service.rules.model import Crawl


def version_etag(crawl: Crawl) -> str:
    """The GM's tag of everything that changes with the crawl's version."""
    return f'"{crawl.version}"'


def player_etag(body: Mapping[str, Any]) -> str:
    return f'"p-{_mark(body)}"'


def body_etag(body: Mapping[str, Any]) -> str:
    """The GM's tag of what changes beside the version, such as declarations ahead."""
    return f'"b-{_mark(body)}"'


def _mark(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(body)).hexdigest()[:16]
