"""What starts a crawl, and what changes it between rounds."""

from __future__ import annotations

from typing import Any, get_args

from marshmallow import ValidationError, validates_schema

from service.api.schemas.fields import Choice, Document, Each, Hexadecimal, Part, Text, Truth, Whole
from service.api.schemas.shape import Shape
from service.api.schemas.submissions import MOST_PARTY, MOST_ROUNDS, MOST_SECONDS, NAME, NOTE, CheckShape
from service.crawls.webhooks import EVENT_TYPES
from service.rules.model import Audience, EncounterStatus, TimerKind, TimerSight
from service.rules.ruleset import MOST_EVERY_ROUNDS
from service.webhooks.formats import FORMATS
from service.webhooks.guard import MAX_URL


class CharacterShape(Shape):
    """One of the party. `default_activity` is the standing order for explore rounds."""

    name = Text(NAME, required=True)
    passive_perception = Whole(-99, 99, optional=True)
    dexterity_modifier = Whole(-99, 99, optional=True)
    proficiency_bonus = Whole(-99, 99, optional=True)
    default_activity = Text(NAME, optional=True)


class KnownCharacterShape(CharacterShape):
    """One of the party as it will be; who is named by id, or has the same name, stays who they are."""

    id = Text(NAME, optional=True)


class AlertStart(Shape):
    """Whether the crawl has the alert system, and where it begins."""

    enabled = Truth()
    level = Whole(1, 20)


class AlertSwitch(Shape):
    """The alert system, on or off; null is what the ruleset has. The level is moved by `POST …/alert`."""

    enabled = Truth(optional=True)


class EncounterCheckShape(Shape):
    """After how many rounds an encounter check comes, where the ruleset counts rounds."""

    every_rounds = Whole(1, MOST_EVERY_ROUNDS, optional=True)


class GuardsShape(Shape):
    """The opposition's numbers for Stealth without a DC of its own."""

    passive_perception = Whole(-99, 99, optional=True)
    perception_modifier = Whole(-99, 99, optional=True)


class VisibilityShape(Shape):
    """What players see of the GM's side."""

    alert = Choice(*get_args(Audience))
    timers = Choice(*get_args(TimerSight))


class VisibilityChange(Shape):
    """As in starting a crawl; null goes back to the default."""

    alert = Choice(*get_args(Audience), optional=True)
    timers = Choice(*get_args(TimerSight), optional=True)


class CrawlStart(Shape):
    """A crawl to start. Only `ruleset` and `party` are needed; `rules` are house rules laid over the ruleset."""

    name = Text(NAME, optional=True)
    ruleset = Text(NAME, required=True)
    rules = Document(optional=True)
    party = Each(Part(CharacterShape()), MOST_PARTY, least=1, required=True)
    marching_order = Each(Text(NAME), MOST_PARTY, optional=True)
    light_bearers = Each(Text(NAME), MOST_PARTY, optional=True)
    alert = Part(AlertStart(), optional=True)
    encounter_check = Part(EncounterCheckShape(), optional=True)
    guards = Part(GuardsShape(), optional=True)
    visibility = Part(VisibilityShape(), optional=True)
    seed = Hexadecimal(64, optional=True)


class CrawlChange(Shape):
    """A JSON merge patch over a crawl's card: null goes back to the default. `unlock` opens a locked entry card."""

    name = Text(NAME, optional=True)
    rules = Document(optional=True)
    party = Each(Part(KnownCharacterShape()), MOST_PARTY, least=1)
    marching_order = Each(Text(NAME), MOST_PARTY, optional=True)
    light_bearers = Each(Text(NAME), MOST_PARTY, optional=True)
    alert = Part(AlertSwitch(), optional=True)
    encounter_check = Part(EncounterCheckShape(), optional=True)
    guards = Part(GuardsShape(), optional=True)
    visibility = Part(VisibilityChange(), optional=True)
    unlock = Truth()


class AlertChange(Shape):
    """One of `change`, `level`, `incident` (which may have an `effect`), or `effect` alone: "withdraw"."""

    change = Whole(-100, 100)
    level = Whole(1, 20)
    incident = Text(NAME)
    effect = Text(NAME)
    note = Text(NOTE, least=0, optional=True)

    @validates_schema
    def verify_one(self, given: dict[str, Any], **_: Any) -> None:
        said = [name for name in ("change", "level", "incident") if name in given]
        if len(said) > 1 or not (said or "effect" in given):
            raise ValidationError("Give one of: change, level, incident, effect.")
        if "effect" in given and said and said != ["incident"]:
            raise ValidationError({"effect": [f"This goes with an incident or alone; leave it out beside {said[0]}."]})


class HandCheck(Shape):
    """A check by hand. `face` is the die as it fell at the table; `counts` makes it the last check of the schedule."""

    face = Whole(1, 1000, optional=True)
    counts = Truth()


class EncounterChange(Shape):
    """What becomes of an encounter."""

    status = Choice(*get_args(EncounterStatus), required=True)


class SlipShape(Shape):
    """An attempt to slip away: the enemy's one Perception roll, and whether the party takes another way."""

    route_changed = Truth()
    perception = Part(CheckShape(), required=True)


class TimerStart(Shape):
    """Something that runs out, after so many `seconds` or `rounds`. `warn_at` is how long before its end it warns."""

    name = Text(NAME, required=True)
    kind = Choice(*get_args(TimerKind), required=True)
    seconds = Whole(1, MOST_SECONDS)
    rounds = Whole(1, MOST_ROUNDS)
    bearer = Text(NAME, optional=True)
    warn_at = Whole(1, MOST_SECONDS, optional=True)
    paused = Truth()


class TimerChange(Shape):
    """A JSON merge patch over a timer; `seconds` or `rounds` is the new time left."""

    name = Text(NAME)
    kind = Choice(*get_args(TimerKind))
    seconds = Whole(1, MOST_SECONDS)
    rounds = Whole(1, MOST_ROUNDS)
    bearer = Text(NAME, optional=True)
    warn_at = Whole(1, MOST_SECONDS, optional=True)
    paused = Truth()


class WebhookStart(Shape):
    """Where events are to be sent; without `events`, all of them."""

    url = Text(MAX_URL, required=True)
    events = Each(Choice(*EVENT_TYPES), len(EVENT_TYPES), least=1)
    format = Choice(*FORMATS)
    audience = Choice(*get_args(Audience))
    description = Text(NOTE, least=0, optional=True)


class WebhookChange(Shape):
    """A JSON merge patch over a webhook. "active" wakes one that was paused or disabled."""

    url = Text(MAX_URL)
    events = Each(Choice(*EVENT_TYPES), len(EVENT_TYPES), least=1)
    format = Choice(*FORMATS)
    audience = Choice(*get_args(Audience))
    description = Text(NOTE, least=0, optional=True)
    status = Choice("active", "paused")


class Nothing(Shape):
    """An empty object, or no body at all."""
