"""Every route there is, in the order of the reference."""

from __future__ import annotations

from typing import Final

from service.api.resources import (
    between,
    crawls,
    declarations,
    encounters,
    events,
    instance,
    keeping,
    rounds,
    rulesets,
    timers,
    tokens,
    webhooks,
)
from service.api.routes import Route, Routes

RESOURCES: Final[tuple[Routes, ...]] = (
    crawls.routes,
    rounds.routes,
    declarations.routes,
    between.routes,
    encounters.routes,
    timers.routes,
    events.routes,
    webhooks.routes,
    tokens.routes,
    keeping.routes,
    rulesets.routes,
    instance.routes,
)
ROUTES: Final[tuple[Route, ...]] = tuple(route for resource in RESOURCES for route in resource)
