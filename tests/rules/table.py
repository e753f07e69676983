"""A table that plays corpus files on the engine alone: no store, no HTTP, no clock.

The door reads the bodies of rounds and declarations here too, so that what it refuses is refused; what is answered is
what the GM sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from service.api.errors import InvalidRequest
from service.api.schemas.crawls import SlipShape
from service.api.schemas.shape import Loading, read
from service.api.schemas.submissions import AHEAD, ROUND
from service.crawls.merging import card_changes
from service.rules.alert import set_alert
from service.rules.by_hand import check_by_hand
from service.rules.card import change_card, start_crawl, verify_active, verify_not_ended
from service.rules.declarations import verify_declaration
from service.rules.encounters import change_encounter
from service.rules.errors import (
    Fault,
    IllegalEncounter,
    IllegalRedo,
    IllegalUndo,
    Invalid,
)
from service.rules.model import Crawl, Encounter, Status
from service.rules.outcome import Degree, Outcome
from service.rules.round import resolve_round
from service.rules.ruleset import overlay, rules_of
from service.rules.slip import slip_away
from service.rules.submission import Declaration, Incident
from service.rules.timers import add_timer, change_timer
from service.sight.alert import change_for_gm, consequence_body, encounter_check_body
from service.sight.crawl import Standing, crawl_for_gm
from service.sight.encounter import encounter_body
from service.sight.outcome import outcome_for_gm
from tests.rules import wire
from tests.rules.matching import named_encounters

SEED = "5e" * 32
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class State:
    """All that a change replaces: the crawl, its encounters in order, what is declared ahead, how tasks ended."""

    crawl: Crawl
    encounters: tuple[Encounter, ...] = ()
    declared: Mapping[str, Declaration] = field(default_factory=dict)
    degrees: Mapping[tuple[int, str], Degree | None] = field(default_factory=dict)


Steps = tuple[tuple[str, State], ...]
History = tuple[State, Steps, Steps]


class Table:
    """One crawl at the table, with what undo needs. `rules` are laid over the body's own house rules."""

    def __init__(self, body: Body, rules: Body | None = None) -> None:
        house = overlay(body.get("rules", {}), rules or {})
        crawl = start_crawl(
            crawl_id="crl_00table",
            created_at="2026-01-01T00:00:00Z",
            seed=body.get("seed") or SEED,
            **wire.start_of({**body, "rules": house}),
        )
        self.state = State(crawl)
        self._done: list[tuple[str, State]] = []
        self._undone: list[tuple[str, State]] = []

    def play(self, step: Body) -> Mapping[str, Any]:
        """What the step answers; RulesError where the rules refuse it."""
        doing: Callable[[Body], Mapping[str, Any]] = getattr(self, f"_{step['do']}")
        return doing({**step, "body": self.named(step.get("body", {}))})

    def named(self, value: Any) -> Any:
        """`value` with each `enc_#N` replaced by that encounter's id."""
        return named_encounters(value, [each.id for each in self.state.encounters])

    def history(self) -> History:
        """All there is to come back to."""
        return self.state, tuple(self._done), tuple(self._undone)

    def return_to(self, history: History) -> None:
        self.state, self._done, self._undone = history[0], list(history[1]), list(history[2])

    def _round(self, step: Body) -> Mapping[str, Any]:
        verify_active(self.state.crawl)
        submission = _read(ROUND, step["body"])
        wanted = {each.replaces for each in submission.declarations if each.replaces is not None}
        before = self.state
        earlier = {key: degree for key, degree in before.degrees.items() if key in wanted}
        resolution = resolve_round(before.crawl, submission, before.declared, earlier)
        self._keep(
            "round",
            replace(
                before,
                crawl=resolution.crawl,
                encounters=(*before.encounters, *resolution.outcome.encounters),
                declared={},
                degrees={**before.degrees, **_degrees(resolution.outcome)},
            ),
        )
        return outcome_for_gm(self.state.crawl, resolution.outcome)

    def _alert(self, step: Body) -> Mapping[str, Any]:
        verify_active(self.state.crawl)
        body = step["body"]
        withdraw = body.get("effect") == "withdraw"
        if sum(key in body for key in ("change", "level", "incident")) + withdraw != 1:
            raise Invalid(Fault("", "One thing at a time; the door asks for it."))
        incident = Incident(body["incident"], body.get("effect"), body.get("note")) if "incident" in body else None
        moved = set_alert(
            self.state.crawl,
            change=body.get("change"),
            level=body.get("level"),
            incident=incident,
            withdraw=withdraw,
        )
        self._keep("alert", replace(self.state, crawl=moved.crawl))
        return {
            **self._crawl(),
            "changes": [change_for_gm(each) for each in moved.changes],
            "consequences": [consequence_body(each) for each in moved.consequences],
        }

    def _encounter_checks(self, step: Body) -> Mapping[str, Any]:
        verify_active(self.state.crawl)
        body = step["body"]
        made = check_by_hand(self.state.crawl, body.get("face"), body.get("counts", False))
        came = () if made.encounter is None else (made.encounter,)
        self._keep("encounter_check", replace(self.state, crawl=made.crawl, encounters=(*self.state.encounters, *came)))
        encounters = [encounter_body(each) for each in came]
        return {**self._crawl(), "encounter_checks": [encounter_check_body(made.check)], "encounters": encounters}

    def _timers(self, step: Body) -> Mapping[str, Any]:
        fields = dict(step["body"])
        rounds = fields.pop("rounds", None)
        if rounds is not None:
            card = self.state.crawl.card
            fields["seconds"] = rounds * rules_of(card).round_seconds
        crawl, timer = add_timer(self.state.crawl, **fields)
        self._keep("timer", replace(self.state, crawl=crawl))
        return {"id": timer.id, "name": timer.name, "kind": timer.kind, "bearer": timer.bearer}

    def _timer(self, step: Body) -> Mapping[str, Any]:
        chosen = self.state.crawl.play.timers[step["which"]]
        crawl, timer = change_timer(self.state.crawl, chosen.id, step["body"])
        self._keep("timer", replace(self.state, crawl=crawl))
        return {"id": timer.id, "name": timer.name, "kind": timer.kind}

    def _encounter(self, step: Body) -> Mapping[str, Any]:
        crawl, encounter = change_encounter(self.state.crawl, self._which(step), step["body"]["status"])
        self._keep("encounter", self._with_encounter(crawl, encounter))
        return encounter_body(encounter)

    def _slip(self, step: Body) -> Mapping[str, Any]:
        perception = _read(SlipShape(), step["body"])["perception"]
        slipped = slip_away(self.state.crawl, self._which(step), perception)
        self._keep("encounter", self._with_encounter(slipped.crawl, slipped.encounter))
        return {
            "degree": slipped.degree,
            "characters": [
                {"character": name, "stealth_dc": dc, "seen": seen} for name, dc, seen in slipped.characters
            ],
            "encounter": encounter_body(slipped.encounter),
        }

    def _patch(self, step: Body) -> Mapping[str, Any]:
        body = dict(step["body"])
        unlock = body.pop("unlock", False)
        crawl = change_card(self.state.crawl, card_changes(self.state.crawl.card, body), unlock)
        self.state = replace(self.state, crawl=crawl)
        self._raise_version()
        return self._crawl()

    def _declare(self, step: Body) -> Mapping[str, Any]:
        declaration = replace(_read(AHEAD, step["body"]), character=step["character"])
        verify_declaration(self.state.crawl, declaration)
        character = self.state.crawl.named(step["character"])
        assert character is not None, f"there is no {step['character']}"
        self.state = replace(self.state, declared={**self.state.declared, character.id: declaration})
        return {}

    def _undo(self, _step: Body) -> Mapping[str, Any]:
        verify_active(self.state.crawl)
        if not self._done:
            raise IllegalUndo("There is nothing to undo.")
        what, before = self._done.pop()
        undone = {"what": what, "round": self.state.crawl.play.rounds if what == "round" else None}
        self._undone.append((what, self.state))
        self._return_to(before)
        return {**self._crawl(), "undone": undone}

    def _redo(self, _step: Body) -> Mapping[str, Any]:
        verify_active(self.state.crawl)
        if not self._undone:
            raise IllegalRedo("There is nothing to do again.")
        what, after = self._undone.pop()
        self._done.append((what, self.state))
        self._return_to(after)
        return {
            **self._crawl(),
            "redone": {"what": what, "round": after.crawl.play.rounds if what == "round" else None},
        }

    def _crawl(self, _step: Body | None = None) -> Mapping[str, Any]:
        pending = tuple(each for each in reversed(self.state.encounters) if each.status == "pending")
        return crawl_for_gm(Standing(self.state.crawl, pending, len(pending), len(self._done), len(self._undone)))

    def _pause(self, _step: Body) -> Mapping[str, Any]:
        return self._turn("paused")

    def _resume(self, _step: Body) -> Mapping[str, Any]:
        return self._turn("active")

    def _end(self, _step: Body) -> Mapping[str, Any]:
        return self._turn("ended")

    def _turn(self, status: Status) -> Mapping[str, Any]:
        verify_not_ended(self.state.crawl)
        self.state = replace(self.state, crawl=replace(self.state.crawl, status=status))
        self._raise_version()
        return self._crawl()

    def _which(self, step: Body) -> Encounter:
        if step["which"] >= len(self.state.encounters):
            raise IllegalEncounter("That many encounters have not come.")
        return self.state.encounters[step["which"]]

    def _with_encounter(self, crawl: Crawl, changed: Encounter) -> State:
        encounters = tuple(changed if each.id == changed.id else each for each in self.state.encounters)
        return replace(self.state, crawl=crawl, encounters=encounters)

    def _keep(self, what: str, after: State) -> None:
        self._done.append((what, self.state))
        self._undone.clear()
        self.state = after
        self._raise_version()

    def _return_to(self, state: State) -> None:
        """Play goes back, the card stays as it is (U1)."""
        crawl = self.state.crawl
        self.state = replace(state, crawl=replace(state.crawl, card=crawl.card, version=crawl.version))
        self._raise_version()

    def _raise_version(self) -> None:
        self.state = replace(self.state, crawl=replace(self.state.crawl, version=self.state.crawl.version + 1))


def _degrees(outcome: Outcome) -> dict[tuple[int, str], Degree | None]:
    return {(outcome.number, each.task): each.degree for each in outcome.tasks if each.task is not None}


def _read(shape: Loading, body: Body) -> Any:
    try:
        return read(shape, body)
    except InvalidRequest as refused:
        raise Invalid(*refused.faults) from None
