"""The order of a round, a line a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from service.rules import declarations as who
from service.rules.activities import declared_of, quiet_of, save_of, watchers_of
from service.rules.alert import alert_of, moves_alert
from service.rules.checks import D20
from service.rules.declarations import Doing
from service.rules.dice import Dice
from service.rules.errors import Fault, IllegalMove, Invalid
from service.rules.model import Crawl
from service.rules.movement import Leg, legs_of, movement_of, pace_of, stealth_of
from service.rules.outcome import Degree, Halted, Outcome, Resolution, Roll, SaveResult
from service.rules.ruleset import Ruleset, rules_of
from service.rules.submission import Check, Declaration, Submission
from service.rules.tasks import Rolled, is_stealth, roll_tasks
from service.rules.walk import Walk
from service.rules.watch import next_check, watch_of

_HALTING = ("travel", "rest", "time")


def resolve_round(
    crawl: Crawl,
    submission: Submission,
    declared: Mapping[str, Declaration] | None = None,
    earlier: Mapping[tuple[int, str], Degree | None] | None = None,
) -> Resolution:
    """Resolves one submission against an active crawl.

    `declared` holds what was declared ahead, by character id; `earlier` the degree of each (round, task) that a
    declaration replaces. Raises Invalid or Illegal before anything has happened; otherwise the whole outcome.
    """
    return _Round(crawl, submission, declared or {}, earlier or {}).resolve()


class _Round:
    """One round being resolved."""

    def __init__(
        self,
        crawl: Crawl,
        submission: Submission,
        declared: Mapping[str, Declaration],
        earlier: Mapping[tuple[int, str], Degree | None],
    ) -> None:
        self.crawl, self.submission, self.earlier = crawl, submission, earlier
        self.ruleset = rules_of(crawl.card)
        self.dice = Dice(crawl.seed, crawl.play.place, {str(use): faces for use, faces in submission.dice.items()})
        _verify_faces(self.ruleset, submission)
        self.pace = pace_of(self.ruleset, submission)
        self.legs = legs_of(self.ruleset, self.pace, submission)
        self.incidents = self._verified_incidents()
        _verify_move(crawl, self.ruleset, submission)
        self.doings = self._doings(declared)
        self.guards_roll: Roll | None = None

    def resolve(self) -> Resolution:
        submission, play = self.submission, self.crawl.play
        self.walk = Walk(
            self.crawl,
            self.ruleset,
            self.dice,
            halts=submission.kind in _HALTING and submission.on_encounter == "halt",
            watchers=watchers_of(self.doings),
            quiet=quiet_of(self.doings),
        )
        if self.legs:
            self.walk.pass_instant()  # a check that became overdue between submissions comes before the deeds (T5)
        rolled = self._roll()
        saves = tuple(save_of(self.crawl, self.pace, save, i, self.dice) for i, save in enumerate(submission.saves))
        entered = self._explore(rolled) if submission.kind == "explore" else self._pass_time()
        return self._concluded(rolled, saves, entered, play.rounds + 1)

    def _doings(self, declared: Mapping[str, Declaration]) -> tuple[Doing, ...]:
        if self.submission.kind == "explore":
            return who.doings_in_explore(self.crawl, self.ruleset, self.submission, declared)
        if self.submission.kind == "rest":
            return who.doings_in_rest(self.crawl, self.ruleset, self.submission, declared)
        if self.submission.declarations:
            detail = f"Nobody does anything else while the kind is {self.submission.kind}. Leave declarations out."
            raise Invalid(Fault("/declarations", detail))
        return ()

    def _roll(self) -> Rolled:
        easier = self.crawl.play.easier_stealth and self.pace is not None and self.pace.slower_stealth_advantage
        return roll_tasks(
            self.ruleset, self.doings, self.dice, self._stealth_dc, "advantage" if easier else "none", self.earlier
        )

    def _stealth_dc(self, check: Check) -> int | None:
        """The DC that the guards set for Stealth: their passive Perception, or one contested roll a round (A8)."""
        guards = self.crawl.card.guards
        if not is_stealth(check) or guards is None or check.passed is not None:
            return None
        if watch_of(self.ruleset, self.crawl.card, self.crawl.play.alert_level).stealth == "passive":
            return guards.passive_perception
        if guards.perception_modifier is None:
            return None
        if self.guards_roll is None:
            face, source = self.dice.roll("guards", D20)
            total = face + guards.perception_modifier
            self.guards_roll = Roll((face,), guards.perception_modifier, total, None, source, None)
        # A tie leaves the party unnoticed, unless the ruleset has it otherwise.
        return (self.guards_roll.total or 0) + (self.ruleset.stealth_tie == "noticed")

    def _explore(self, rolled: Rolled) -> int:
        """Everything done in an explore round counts at its end; it always runs to its end (T4, T7)."""

        def deeds() -> None:
            self._report_incidents()
            for incident, by in rolled.alerting if self.crawl.card.alert_enabled else ():
                self.walk.shift_alert(by, incident)

        self.walk.walk_to(self.walk.clock + self.legs[0].seconds, deeds)
        if any(
            doing.activity and doing.effect == "take_your_time" and doing.activity.extra_check for doing in self.doings
        ):
            self.walk.check(counts=False)  # "the dungeon dislikes patience", where a table plays it so (S5)
        return self.submission.rooms

    def _pass_time(self) -> int:
        """Incidents count at the start; then leg by leg until the end, or until an encounter halts (T4, T7)."""
        self._report_incidents()
        if self.legs:
            self.walk.pass_instant()
        entered = 0
        for leg in self.legs:
            if self.walk.stopped_by or not self.walk.walk_to(self.walk.clock + leg.seconds, self._arrival(leg)):
                break
            entered += leg.rooms
        return entered

    def _arrival(self, leg: Leg) -> Callable[[], None]:
        pace = self.pace

        def enter() -> None:
            if leg.rooms and pace is not None and pace.alert_roll is not None and self.crawl.card.alert_enabled:
                self.walk.pace_roll(pace.alert_roll)

        return enter

    def _verified_incidents(self) -> tuple[tuple[str, int | None], ...]:
        """Each incident with its shift, None where it makes Stealth easier instead."""
        if not self.submission.incidents:
            return ()
        alert = alert_of(self.ruleset, self.crawl.card)
        return tuple(
            (each.incident, alert.incidents[each.incident] if moves_alert(alert, each, f"/incidents/{i}") else None)
            for i, each in enumerate(self.submission.incidents)
        )

    def _report_incidents(self) -> None:
        for incident, by in self.incidents:
            if by is None:
                self.walk.easier_stealth = True
            else:
                self.walk.shift_alert(by, incident)

    def _halted(self, entered: int) -> Halted | None:
        stopped_by = self.walk.stopped_by
        if stopped_by is None:
            return None
        if self.submission.kind == "travel":
            rooms = self.submission.rooms - entered
            return Halted(stopped_by.id, rooms=rooms) if rooms else None
        seconds = self.crawl.play.clock + sum(leg.seconds for leg in self.legs) - self.walk.clock
        return Halted(stopped_by.id, seconds=seconds) if seconds else None

    def _concluded(self, rolled: Rolled, saves: tuple[SaveResult, ...], entered: int, number: int) -> Resolution:
        crawl, submission, walk = self.crawl, self.submission, self.walk
        lost = who.lost_chains(crawl, self.doings if submission.kind == "explore" else ())
        chains = (*(doing.chain for doing in self.doings if doing.chain), *lost)
        going_on = tuple(each.chain for each in chains if each.status == "going_on")
        stayed = submission.kind == "explore" and not entered
        play = replace(
            walk.play_after(crawl.play),
            rounds=number,
            chains=going_on,
            rounds_in_room=crawl.play.rounds_in_room + 1 if stayed else 0 if entered else crawl.play.rounds_in_room,
        )
        alerted = crawl.card.alert_enabled
        combat_rounds = submission.combat_rounds if submission.kind == "combat" else None
        round_seconds = self.ruleset.combat_round_seconds
        outcome = Outcome(
            number=number,
            kind=submission.kind,
            started_at=crawl.play.clock,
            ended_at=walk.clock,
            fight_seconds=combat_rounds * round_seconds if combat_rounds is not None and round_seconds else None,
            movement=movement_of(crawl, self.ruleset, self.pace, submission, entered, walk.easier_stealth),
            declarations=tuple(declared_of(doing, rolled) for doing in self.doings),
            tasks=tuple(rolled.tasks),
            saves=saves,
            alert_enabled=alerted,
            alert_before=crawl.play.alert_level if alerted else None,
            alert_after=walk.level if alerted else None,
            alert_rolls=tuple(walk.rolls),
            alert_changes=tuple(walk.changes),
            consequences=tuple(walk.consequences),
            encounter_checks=tuple(walk.checks),
            encounters=tuple(walk.encounters),
            timers_expired=tuple(walk.expired),
            timers_ending=tuple(walk.ending),
            chains=chains,
            stealth=stealth_of(self.ruleset, crawl.card, self.pace, walk.level, walk.easier_stealth, self.guards_roll),
            halted=self._halted(entered),
            next_check=next_check(self.ruleset, crawl.card, play),
            unused_dice=self.dice.unused(),
            note=submission.note,
            encounter=submission.encounter,
        )
        return Resolution(replace(crawl, play=play), outcome)


def _verify_move(crawl: Crawl, ruleset: Ruleset, submission: Submission) -> None:
    if submission.kind != "explore" or not submission.rooms:
        return
    if submission.rooms > ruleset.explore_rooms:
        raise Invalid(Fault("/rooms", f"An explore round leaves {ruleset.explore_rooms} room at most. Travel further."))
    if crawl.play.rounds_in_room:
        raise IllegalMove(
            "The party has already spent a round in this room, so going on is no longer inside the ten minutes: "
            "submit rooms 0, or a round of kind travel (T3)."
        )


def _verify_faces(ruleset: Ruleset, submission: Submission) -> None:
    """No face that a die does not have, used or left over (C7)."""
    if not submission.dice:
        return
    levels = ruleset.alert.levels.values() if ruleset.alert else ()
    sides = {
        "encounter": max(ruleset.watch.roll.sides, *(level.roll.sides for level in levels), 1),
        "alert": max((pace.alert_roll.sides for pace in ruleset.paces.values() if pace.alert_roll), default=6),
        "check": D20,
        "guards": D20,
    }
    faults = [
        Fault(f"/dice/{use}/{i}", f"This die has the faces 1 to {sides[use]}, not {face}.")
        for use, faces in submission.dice.items()
        for i, face in enumerate(faces)
        if not 1 <= face <= sides[use]
    ]
    if faults:
        raise Invalid(*faults)
