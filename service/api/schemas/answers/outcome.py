"""What a round brought, as it is answered."""

from __future__ import annotations

from typing import get_args

from marshmallow import fields

from service.api.schemas.answers.crawl import ChainProgress, EncounterTold, NextCheck, TimerMoment
from service.api.schemas.answers.told import Told, document, many, named, number, numbers, one, text, texts, truth, word
from service.rules.outcome import DeclaredBy, Degree, Manner, Source, TaskRole
from service.rules.ruleset import StealthAgainst
from service.rules.submission import Kind, SaveKind, SaveOrigin


class RoundClock(Told):
    start = named(number(), "from")
    to = number()
    elapsed = number()
    display = text()
    fight_seconds = number("The fight's own time, where the crawl's clock does not count it.", always=False)


class Movement(Told):
    pace = text()
    rooms_asked = number(always=False)
    rooms_entered = number()
    explored = truth()
    notices_traps = truth()
    passive_perception_modifier = number()
    disadvantage_on_saves = truth()
    passive_perception = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True)


class Roll(Told):
    dice = numbers()
    modifier = number(none=True)
    total = number(none=True)
    dc = number(none=True, always=False)
    source = word(*get_args(Source))
    given = number("Of the dice, how many the caller gave, where the service rolled the rest.", always=False)


class Declared(Told):
    character = text()
    character_id = text()
    activity = text(none=True)
    source = word(*get_args(DeclaredBy))
    label = text(none=True)
    task = text(none=True)
    target = text(none=True)
    role = word(*get_args(TaskRole), none=True)
    check = one(Roll, none=True)
    found = texts()
    stealth_dc = number(none=True)
    effects = texts()


class Task(Told):
    task = text(none=True)
    characters = texts()
    manner = word(*get_args(Manner))
    degree = word(*get_args(Degree), none=True)
    passes = number()
    failures = number()


class Save(Told):
    character = text()
    character_id = text()
    kind = word(*get_args(SaveKind))
    origin = named(word(*get_args(SaveOrigin)), "from")
    disadvantage = truth()
    check = one(Roll)
    degree = word(*get_args(Degree), none=True)


class AlertRoll(Told):
    at = number()
    die = text()
    face = number()
    raises_on = numbers()
    source = word(*get_args(Source))


class AlertStep(Told):
    at = number()
    before = named(number(), "from")
    to = number()
    cause = text(always=False)
    capped = truth("Whether a bound cut it.", always=False)


class Consequence(Told):
    at = number()
    level = number()
    consequence = text()


class RoundAlert(Told):
    enabled = truth()
    before = named(number(none=True), "from")
    to = number(none=True)
    rolls = many(AlertRoll, always=False)
    changes = many(AlertStep)
    consequences = many(Consequence, always=False)


class EncounterCheck(Told):
    at = number()
    alert_level = number(none=True)
    die = text()
    face = number()
    triggers_on = numbers()
    source = word(*get_args(Source))
    triggered = truth()
    encounter = text(none=True)


class RoundTimers(Told):
    expired = many(TimerMoment)
    ending = many(TimerMoment)


class GuardsRoll(Told):
    dice = numbers()
    modifier = number(none=True)
    total = number(none=True)
    source = word(*get_args(Source))


class Stealth(Told):
    against = word(*get_args(StealthAgainst), always=False)
    advantage = truth()
    guards = one(GuardsRoll, always=False)


class Remaining(Told):
    rooms = number(always=False)
    seconds = number(always=False)


class Halted(Told):
    by = word("encounter")
    encounter = text()
    remaining = one(Remaining)


class Summary(Told):
    public = text()
    gm = text(always=False)


class Render(Told):
    roll20 = document(always=False)
    discord = document(always=False)


class Round(Told):
    number = number()
    kind = word(*get_args(Kind))
    version = fields.Integer()
    clock = one(RoundClock)
    movement = one(Movement, none=True)
    declarations = many(Declared)
    tasks = many(Task)
    saves = many(Save)
    alert = one(RoundAlert, always=False)
    encounter_checks = many(EncounterCheck, always=False)
    encounters = many(EncounterTold)
    timers = one(RoundTimers)
    chains = many(ChainProgress)
    stealth = one(Stealth, none=True)
    halted = one(Halted, none=True)
    next_check = one(NextCheck, always=False)
    unused_dice = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()))
    encounter = text(none=True)
    note = text(none=True, always=False)
    summary = one(Summary)
    render = one(Render, always=False)


class RoundPage(Told):
    rounds = many(Round)
    next = number(none=True)
