"""JSON merge patch (RFC 7396) over a crawl's card: what it names is replaced, null goes back to the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from service.crawls.party import characters_of
from service.rules.errors import Fault, Invalid
from service.rules.model import Card, Guards, Visibility
from service.rules.ruleset import rules_of


def card_changes(card: Card, patch: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `Card` that the patch touches, as they will be. Invalid where it takes away what must be there."""
    changes: dict[str, Any] = {}
    for key, value in patch.items():
        field, merged = _merged(card, key, value)
        changes[field] = merged
    return changes


def merge_patch(document: Any, patch: Any) -> Any:
    """RFC 7396: objects merge by key, null takes away, everything else is replaced whole."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(document) if isinstance(document, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def _merged(card: Card, key: str, value: Any) -> tuple[str, Any]:
    match key:
        case "name":
            return key, value or rules_of(card).title
        case "rules":
            return key, {} if value is None else merge_patch(card.rules, value)
        case "party":
            if value is None:
                raise Invalid(Fault("/party", "A crawl has a party; it cannot be taken away."))
            return key, characters_of(value, card.party)
        case "marching_order" | "light_bearers":
            return key, tuple(value or ())
        case "alert":
            return "alert_enabled", _alert_enabled(card, value or {"enabled": None})
        case "encounter_check":
            return "every_rounds", card.every_rounds if value == {} else (value or {}).get("every_rounds")
        case "guards":
            known = asdict(card.guards) if card.guards else {}
            left = merge_patch(known, value) if value is not None else {}
            return key, Guards(**left) if any(number is not None for number in left.values()) else None
        case "visibility":
            left = merge_patch(asdict(card.visibility), value) if value is not None else {}
            return key, Visibility(**left)
        case _:
            raise Invalid(Fault(f"/{key}", "This cannot be changed by PATCH."))


def _alert_enabled(card: Card, alert: Mapping[str, Any]) -> bool:
    if "enabled" not in alert:
        return card.alert_enabled
    if alert["enabled"] is None:
        return rules_of(card).alert is not None
    return bool(alert["enabled"])
