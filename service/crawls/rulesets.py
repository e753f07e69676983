"""The rulesets that come with the service. No crawl and no token is needed to read them."""

from __future__ import annotations

from service.crawls.errors import NotFound
from service.crawls.pages import PAGE, cut
from service.crawls.tags import body_etag
from service.rules.ruleset import RULESETS, ruleset_of, shipped
from service.store.records import Answer


def list_rulesets(after: str | None = None, limit: int = PAGE) -> Answer:
    """Rulesets by key, title and the name that they have for a round, behind the one of key `after`.

    Raises the store's BadCursor where there is none.
    """
    found = [
        {"key": each.key, "title": each.title, "round_label": each.round_label, "round_seconds": each.round_seconds}
        for each in map(ruleset_of, RULESETS)
    ]
    shown, following = cut(found, "key", after, limit)
    body = {"rulesets": list(shown), "next": following}
    return Answer(200, body, body_etag(body))


def get_ruleset(key: str) -> Answer:
    """A ruleset's whole document, as house rules are laid over it."""
    if key not in RULESETS:
        raise NotFound("ruleset")
    body = dict(shipped(key))
    return Answer(200, body, body_etag(body))
