"""A crawl as it is answered."""

from __future__ import annotations

from typing import get_args

from service.api.schemas.answers.told import (
    Told,
    chance,
    document,
    many,
    named,
    number,
    numbers,
    one,
    text,
    texts,
    truth,
    word,
)
from service.rules.model import Audience, EncounterStatus, Status, TimerKind, TimerSight
from service.rules.outcome import ChainStatus


class Clock(Told):
    seconds = number("Since entry.")
    display = text()


class NextCheck(Told):
    at = number()
    within = named(number("Seconds from now; 0 when it is overdue."), "in")
    die = text()
    triggers_on = numbers()
    chance = chance()


class Alert(Told):
    enabled = truth()
    level = number("Null while the alert system is off.", none=True)
    easier_stealth = truth()


class Character(Told):
    id = text()
    name = text()
    passive_perception = number(none=True)
    dexterity_modifier = number(none=True)
    proficiency_bonus = number(none=True)
    default_activity = text(none=True)


class Surprise(Told):
    party_can_be_surprised = truth()
    reactions = texts("Who has a reaction before the first turn.")


class EncounterTold(Told):
    id = text()
    at = number()
    status = word(*get_args(EncounterStatus))
    result = text(none=True)
    surprise = one(Surprise)


class Encounter(EncounterTold):
    revealed = truth("Whether players know of it.")


class Timer(Told):
    id = text()
    name = text()
    kind = word(*get_args(TimerKind))
    bearer = text(none=True)
    seconds = number("Time left.", always=False)
    ends_at = number("Null while it is paused.", none=True, always=False)
    warn_at = number("How long before its end it warns; null: never.", none=True, always=False)
    paused = truth(always=False)
    state = word("steady", "ending", always=False)


class TimerMoment(Told):
    id = text()
    name = text()
    kind = word(*get_args(TimerKind))
    at = number(always=False)


class Chain(Told):
    character = text()
    activity = text()
    label = text(none=True)
    rounds_done = number()
    rounds_needed = number()


class ChainProgress(Chain):
    status = word(*get_args(ChainStatus))


class Dice(Told):
    commitment = text("SHA-256 of the seed.")
    seed = text("Shown once the crawl has ended.", always=False)


class EncounterCheckInterval(Told):
    every_rounds = number(none=True)


class Guards(Told):
    passive_perception = number(none=True)
    perception_modifier = number(none=True)


class Visibility(Told):
    alert = word(*get_args(Audience))
    timers = word(*get_args(TimerSight))


class CrawlInList(Told):
    id = text()
    name = text()
    ruleset = text()
    status = word(*get_args(Status))
    created_at = text()
    clock = one(Clock)
    rounds = number("Rounds in force.")


class Crawl(CrawlInList):
    version = number(always=False)
    alert = one(Alert, always=False)
    party = many(Character)
    marching_order = texts()
    light_bearers = texts()
    chains = many(Chain)
    next_check = one(NextCheck, always=False)
    timers = many(Timer)
    pending_encounters = many(Encounter)
    pending_encounter_count = number()
    dice = one(Dice)
    encounter_check = one(EncounterCheckInterval, always=False)
    guards = one(Guards, none=True, always=False)
    visibility = one(Visibility, always=False)
    rules = document("House rules as given.", always=False)
    entry_card_locked = truth(always=False)
    undo_available = truth(always=False)
    redo_available = truth(always=False)


class Tokens(Told):
    gm = text()
    player = text()


class CrawlStarted(Crawl):
    tokens = one(Tokens)


class CrawlPage(Told):
    crawls = many(CrawlInList)
    next = text(none=True)
