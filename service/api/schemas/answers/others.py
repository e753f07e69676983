"""Events, rulesets, the instance, and problems."""

from __future__ import annotations

from marshmallow import fields

from service.api.schemas.answers.told import Told, document, many, number, text, truth, word


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


class Ticket(Told):
    ticket = text("Good once, for this crawl's stream.")
    expires_in = number("Seconds.")


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
