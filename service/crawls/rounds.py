"""Rounds: one submitted, and those in force."""

from __future__ import annotations

from functools import partial
from itertools import chain

from service.crawls.changing import change, following
from service.crawls.entering import Entered
from service.crawls.errors import NotFound
from service.crawls.outcomes import rendered, told_to_both, told_to_players, verify_rendering
from service.crawls.pages import page
from service.crawls.tags import player_etag, version_etag
from service.crawls.telling import round_resolved
from service.rules.errors import Fault, Invalid
from service.rules.outcome import Degree
from service.rules.round import resolve_round
from service.rules.submission import Submission
from service.store.records import Answer, Change, Step
from service.watching.figures import ROUNDS


def submit_round(entered: Entered, submission: Submission) -> Answer:
    """One round, resolved and kept: 201 with its outcome.

    Raises what the rules refuse it with, the store's TooManyRounds, and as `change`.
    """
    verify_rendering(entered)
    entered.store.quotas.count_round(entered.loaded.owner)
    answer = change(entered, partial(_resolved, submission=submission))
    if not answer.replayed:
        ROUNDS.labels(submission.kind).inc()
    return answer


def get_round(entered: Entered, number: int) -> Answer:
    """One round in force, to the GM as it was answered, to a player as players may know it today. GM and player."""
    verify_rendering(entered)
    record = entered.store.record(entered.crawl.id, number)
    if record is None:
        raise NotFound("round")
    platforms = entered.asking.render
    public = told_to_players(entered, [record])[0] if platforms or not entered.is_gm else {}
    body = dict(record) if entered.is_gm else public
    if platforms:
        body = body | {"render": rendered(record, public, platforms, gm=entered.is_gm)}
    return Answer(200, body, version_etag(entered.crawl) if entered.is_gm else player_etag(body))


def list_rounds(entered: Entered, after: int, limit: int) -> Answer:
    """The rounds in force behind number `after`, ascending. GM and player."""
    records = list(entered.store.records(entered.crawl.id, after, limit))
    last = entered.crawl.play.rounds
    cursor = records[-1]["number"] if records and records[-1]["number"] < last else None
    told = [dict(record) for record in records] if entered.is_gm else told_to_players(entered, records)
    return page(entered, "rounds", told, cursor)


def _resolved(entered: Entered, submission: Submission) -> Change:
    loaded, before = entered.loaded, entered.crawl
    if submission.encounter is not None and not entered.store.encounter(before.id, submission.encounter):
        raise Invalid(Fault("/encounter", f"There is no encounter {submission.encounter!r} in this crawl."))
    resolution = resolve_round(before, submission, loaded.declarations, _earlier(entered, submission))
    crawl, outcome = following(entered, resolution.crawl), resolution.outcome
    told, public = told_to_both(crawl, outcome)
    platforms = entered.asking.render
    body = told | {"render": rendered(told, public, platforms, gm=True)} if platforms else told
    return Change(
        crawl_id=crawl.id,
        events=round_resolved(entered.now, before, crawl, outcome, told, public),
        crawl=crawl,
        expected_version=before.version,
        # Without any that it used, it matters to nobody if one is declared meanwhile: that is for the round to come.
        expected_revision=loaded.declarations_revision if loaded.declarations else None,
        step=Step(
            what="round",
            public=True,
            play=before.play,
            round=outcome.number,
            encounters={encounter.id: None for encounter in outcome.encounters},
            declarations=loaded.declarations,
        ),
        records={outcome.number: told},
        encounters={encounter.id: encounter for encounter in outcome.encounters},
        declarations={} if loaded.declarations else None,
        idempotency=entered.asking.idempotency,
        answer=Answer(201, body, version_etag(crawl), f"/v1/crawls/{crawl.id}/rounds/{outcome.number}"),
    )


def _earlier(entered: Entered, submission: Submission) -> dict[tuple[int, str], Degree | None]:
    """The degree of every earlier check that somebody would do over, as its round recorded it."""
    found: dict[tuple[int, str], Degree | None] = {}
    for declaration in chain(submission.declarations, entered.loaded.declarations.values()):
        if declaration.replaces is None or declaration.replaces in found:
            continue
        number, task = declaration.replaces
        record = entered.store.record(entered.crawl.id, number)
        for done in record["tasks"] if record else ():
            if done["task"] == task:
                found[number, task] = done["degree"]
    return found
