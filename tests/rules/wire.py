"""Bodies that start a crawl, as the engine takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from service.rules.model import Character, Guards, Visibility

Body = Mapping[str, Any]


def start_of(body: Body) -> dict[str, Any]:
    """The keyword arguments of `start_crawl` for a body of POST /v1/crawls."""
    alert = body.get("alert", {})
    return {
        "name": body.get("name", "A crawl"),
        "ruleset": body["ruleset"],
        "rules": body.get("rules", {}),
        "party": party_of(body["party"]),
        "marching_order": tuple(body.get("marching_order", ())),
        "light_bearers": tuple(body.get("light_bearers", ())),
        "alert_enabled": alert.get("enabled"),
        "alert_level": alert.get("level"),
        "every_rounds": body.get("encounter_check", {}).get("every_rounds"),
        "guards": Guards(**body["guards"]) if body.get("guards") else None,
        "visibility": Visibility(**body.get("visibility", {})),
    }


def party_of(party: Sequence[Body]) -> tuple[Character, ...]:
    """The party with ids by place, so that a test can tell who is who."""
    return tuple(Character(**{"id": f"chr_{place}", **each}) for place, each in enumerate(party, 1))
