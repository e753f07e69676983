"""The rulesets that come with the service."""

from __future__ import annotations

from service.api.query import AFTER_CURSOR, LIMIT
from service.api.routes import Asked, AtInstance, Caller, Routes
from service.api.schemas.answers.others import Ruleset, RulesetPage
from service.crawls import rulesets
from service.store.records import Answer

routes = Routes("Rulesets", "The rules as data: what house rules are laid over.")

_OPEN = AtInstance("never")


@routes.instance(
    "GET",
    "/v1/rulesets",
    "listRulesets",
    "List rulesets",
    _OPEN,
    query=(LIMIT, AFTER_CURSOR),
    answers={200: RulesetPage},
)
def list_(caller: Caller, asked: Asked) -> Answer:
    """No token is needed."""
    return rulesets.list_rulesets(asked.query["after"], asked.query["limit"])


@routes.instance(
    "GET",
    "/v1/rulesets/{key}",
    "getRuleset",
    "Read a ruleset",
    _OPEN,
    answers={200: Ruleset},
    refuses=("ruleset_not_found",),
)
def get(caller: Caller, asked: Asked) -> Answer:
    """The whole document; a crawl's `rules` are laid over it: objects merge by key, lists and numbers are replaced."""
    return rulesets.get_ruleset(asked.names["key"])
