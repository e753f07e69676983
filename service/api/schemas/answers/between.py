"""What is answered between rounds."""

from __future__ import annotations

from typing import get_args

from marshmallow import fields

from service.api.schemas.answers.crawl import Crawl, Encounter, Timer
from service.api.schemas.answers.outcome import AlertStep, Consequence, EncounterCheck, Roll
from service.api.schemas.answers.told import Told, many, number, numbers, one, text, truth, word
from service.rules.outcome import Degree
from service.rules.submission import Advantage
from service.store.records import StepKind


class Replaced(Told):
    round = number()
    task = text()


class CheckAhead(Told):
    ability = text(none=True)
    skill = text(none=True)
    proficiency = text(none=True)
    dc = number(none=True, always=False)
    modifier = number(none=True)
    advantage = word(*get_args(Advantage))
    total = number(none=True)
    naturals = numbers(none=True)
    passed = fields.Boolean(allow_none=True)


class HiddenThing(Told):
    name = text()
    dc = number()


class DeclaredAhead(Told):
    character = text()
    character_id = text()
    activity = text()
    label = text(none=True)
    task = text(none=True)
    target = text(none=True)
    proficient = fields.Boolean(required=True, allow_none=True)
    room_ft = number(none=True)
    rounds_needed = number(none=True)
    replaces = one(Replaced, none=True)
    check = one(CheckAhead, none=True)
    hidden = many(HiddenThing, always=False)


class DeclarationPage(Told):
    declarations = many(DeclaredAhead)
    next = text(none=True)


class AlertMoved(Crawl):
    changes = many(AlertStep)
    consequences = many(Consequence)


class CheckMade(Crawl):
    encounter_checks = many(EncounterCheck)
    encounters = many(Encounter)


class StepNamed(Told):
    what = word(*get_args(StepKind))
    round = number(none=True)


class StepUndone(Crawl):
    undone = one(StepNamed)


class StepRedone(Crawl):
    redone = one(StepNamed)


class EncounterPage(Told):
    encounters = many(Encounter)
    next = text(none=True)


class SlipSeen(Told):
    character = text()
    stealth_dc = number(none=True)
    seen = truth()


class Slipped(Told):
    degree = word(*get_args(Degree))
    characters = many(SlipSeen)
    perception = one(Roll)
    route_changed = truth()
    encounter = one(Encounter)


class TimerPage(Told):
    timers = many(Timer)
    next = text(none=True)
