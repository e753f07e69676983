"""What the service answers, as the reference describes it. Bodies are built by `service/sight`; nothing is read here.

Fields that only the GM is given, or only where the crawl shows them to players, are not required.
"""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, Schema, fields, validate


class Told(Schema):
    """Something that is answered. More fields may come; readers pass over those they do not know."""

    class Meta:
        unknown = EXCLUDE


def number(about: str = "", *, none: bool = False, always: bool = True) -> fields.Integer:
    return fields.Integer(required=always, allow_none=none, metadata=_about(about))


def chance() -> fields.Float:
    return fields.Float(required=True, metadata=_about("An exact chance."), validate=validate.Range(0, 1))


def text(about: str = "", *, none: bool = False, always: bool = True) -> fields.String:
    return fields.String(required=always, allow_none=none, metadata=_about(about))


def word(*words: str, none: bool = False, always: bool = True) -> fields.String:
    # Null stands among the words, since an enum that leaves it out would forbid it.
    return fields.String(required=always, allow_none=none, validate=validate.OneOf([*words, *([None] if none else [])]))


def truth(about: str = "", *, always: bool = True) -> fields.Boolean:
    return fields.Boolean(required=always, metadata=_about(about))


def numbers(about: str = "", *, none: bool = False) -> fields.List:
    return fields.List(fields.Integer(), required=True, allow_none=none, metadata=_about(about))


def texts(about: str = "", *, always: bool = True) -> fields.List:
    return fields.List(fields.String(), required=always, metadata=_about(about))


def one(shape: type[Schema], *, none: bool = False, always: bool = True) -> fields.Nested:
    return fields.Nested(shape, required=always, allow_none=none)


def many(shape: type[Schema], *, always: bool = True) -> fields.List:
    return fields.List(fields.Nested(shape), required=always)


def document(about: str = "", *, always: bool = True) -> fields.Dict:
    return fields.Dict(required=always, metadata=_about(about))


def named(field: fields.Field[Any], name: str) -> fields.Field[Any]:
    """The field under a name that Python keeps for itself."""
    field.data_key = name
    return field


def _about(about: str) -> dict[str, str]:
    return {"description": about} if about else {}


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
    status = word("pending", "revealed", "resolved", "evaded")
    result = text(none=True)
    surprise = one(Surprise)


class Encounter(EncounterTold):
    revealed = truth("Whether players know of it.")


class Timer(Told):
    id = text()
    name = text()
    kind = word("light", "effect", "condition", "other")
    bearer = text(none=True)
    seconds = number("Time left.", always=False)
    ends_at = number("Null while it is paused.", none=True, always=False)
    warn_at = number("How long before its end it warns; null: never.", none=True, always=False)
    paused = truth(always=False)
    state = word("steady", "ending", always=False)


class TimerMoment(Told):
    id = text()
    name = text()
    kind = word("light", "effect", "condition", "other")
    at = number(always=False)


class Chain(Told):
    character = text()
    activity = text()
    label = text(none=True)
    rounds_done = number()
    rounds_needed = number()


class ChainProgress(Chain):
    status = word("going_on", "completed", "lost")


class Dice(Told):
    commitment = text("SHA-256 of the seed.")
    seed = text("Shown once the crawl has ended.", always=False)


class EncounterCheckInterval(Told):
    every_rounds = number(none=True)


class Guards(Told):
    passive_perception = number(none=True)
    perception_modifier = number(none=True)


class Visibility(Told):
    alert = word("gm", "public")
    timers = word("exact", "vague", "hidden")


class CrawlInList(Told):
    id = text()
    name = text()
    ruleset = text()
    status = word("active", "paused", "ended")
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
    source = word("caller", "service")


_DEGREES = ("critical_success", "success", "failure", "critical_failure")


class Declared(Told):
    character = text()
    character_id = text()
    activity = text(none=True)
    source = word("submitted", "declared", "standing_order", "chain", "none")
    label = text(none=True)
    task = text(none=True)
    target = text(none=True)
    role = word("lead", "helper", "group", none=True)
    check = one(Roll, none=True)
    found = texts()
    stealth_dc = number(none=True)
    effects = texts()


class Task(Told):
    task = text(none=True)
    characters = texts()
    manner = word("single", "helped", "group")
    degree = word(*_DEGREES, none=True)
    passes = number()
    failures = number()


class Save(Told):
    character = text()
    character_id = text()
    kind = word("save", "check")
    origin = named(word("trap", "hazard", "other"), "from")
    disadvantage = truth()
    check = one(Roll)
    degree = word(*_DEGREES, none=True)


class AlertRoll(Told):
    at = number()
    die = text()
    face = number()
    raises_on = numbers()
    source = word("caller", "service")


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
    source = word("caller", "service")
    triggered = truth()
    encounter = text(none=True)


class RoundTimers(Told):
    expired = many(TimerMoment)
    ending = many(TimerMoment)


class Stealth(Told):
    against = word("passive", "contested", always=False)
    advantage = truth()


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
    kind = word("explore", "travel", "combat", "rest", "time")
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
    unused_dice = document(always=False)
    encounter = text(none=True)
    note = text(none=True, always=False)
    summary = one(Summary)
    render = one(Render, always=False)


class RoundPage(Told):
    rounds = many(Round)
    next = number(none=True)


class Replaced(Told):
    round = number()
    task = text()


class CheckAhead(Told):
    ability = text(none=True)
    skill = text(none=True)
    proficiency = text(none=True)
    dc = number(none=True, always=False)
    modifier = number(none=True)
    advantage = word("none", "advantage", "disadvantage")
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
    # Beside the check itself, not the interval that the crawl has under another name.
    encounter_check = one(EncounterCheck)
    encounter = one(Encounter, none=True)


class StepNamed(Told):
    what = word("round", "alert", "encounter_check", "timer", "encounter")
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
    degree = word(*_DEGREES)
    characters = many(SlipSeen)
    perception = one(Roll)
    route_changed = truth()
    encounter = one(Encounter)


class TimerPage(Told):
    timers = many(Timer)
    next = text(none=True)


class Event(Told):
    id = text()
    type = text()
    timestamp = text()
    crawl = text()
    sequence = fields.Integer(required=True)
    data = document()


class EventPage(Told):
    events = many(Event)
    next = number("The sequence to go on from.", none=True)


class Webhook(Told):
    id = text()
    url = text("Masked: scheme and host.")
    events = texts()
    format = word("standard")
    audience = word("gm", "public")
    description = text(none=True)
    status = word("active", "paused", "disabled")
    status_reason = text(none=True)
    created_at = text()


class WebhookCreated(Webhook):
    secret = text("whsec_…: what deliveries are signed with.")


class WebhookPage(Told):
    webhooks = many(Webhook)
    next = text(none=True)


class Pinged(Told):
    delivered = truth()
    status = number("What the receiver answered.", none=True)
    error = text(none=True)
    latency_ms = number()


class RulesetInList(Told):
    key = text()
    title = text()
    round_label = text()
    round_seconds = number()


class RulesetPage(Told):
    rulesets = many(RulesetInList)
    next = text(none=True)


class Ruleset(Told):
    title = text()


class Index(Told):
    name = text()
    version = text()
    docs = text()
    openapi = text()


class Alive(Told):
    status = word("alive")


class Finding(Told):
    grave = truth()
    detail = text()


class Ready(Told):
    status = word("ready")
    findings = many(Finding)


class Fault(Told):
    pointer = text("A JSON pointer into the body, or into the query where `parameter` stands beside it.")
    parameter = text(always=False)
    detail = text()


class Problem(Told):
    type = text()
    title = text()
    status = number()
    detail = text("What to do.")
    code = text("Stable.")
    request_id = text()
    errors = many(Fault, always=False)
    earliest = number("The first sequence that is still kept (events_trimmed).", always=False)
