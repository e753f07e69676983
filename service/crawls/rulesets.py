"""The rulesets that come with the service. No crawl and no token is needed to read them."""

from __future__ import annotations

from service.crawls.errors import NotFound
from service.crawls.tags import body_etag
from service.rules.ruleset import RULESETS, ruleset_of, shipped
from service.store.records import Answer


def list_rulesets() -> Answer:
    """Every ruleset by key, title and the name that it has for a round."""
    found = [ruleset_of(key) for key in RULESETS]
    body = {
        "rulesets": [
            {"key": each.key, "title": each.title, "round_label": each.round_label, "round_seconds": each.round_seconds}
            for each in found
        ],
        "next": None,
    }
    return Answer(200, body, body_etag(body))


def get_ruleset(key: str) -> Answer:
    """A ruleset's whole document, as house rules are laid over it."""
    if key not in RULESETS:
        raise NotFound("ruleset")
    body = dict(shipped(key))
    return Answer(200, body, body_etag(body))
