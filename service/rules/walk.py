"""Time, walked moment by moment, so that nothing due inside a long advance is skipped or rolled twice (T4 to T8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from service.rules.alert import consequences_of, shifted
from service.rules.dice import Dice
from service.rules.encounters import came
from service.rules.model import Crawl, Encounter, Play
from service.rules.outcome import AlertChange, AlertRoll, Consequence, EncounterCheck, TimerMoment
from service.rules.ruleset import FaceRoll, Ruleset
from service.rules.timers import next_moment, pass_moment
from service.rules.watch import interval, watch_of


class Walk:
    """One submission's time under way: where the clock stands, and all that came on the way, in order of time.

    `halts` says whether an encounter stops it (T7). `watchers` and `quiet` are what an encounter finds the party at.
    """

    def __init__(
        self,
        crawl: Crawl,
        ruleset: Ruleset,
        dice: Dice,
        *,
        halts: bool,
        watchers: tuple[str, ...] = (),
        quiet: Mapping[str, int] | None = None,
    ) -> None:
        play = crawl.play
        self._card, self._ruleset, self._dice, self._halts = crawl.card, ruleset, dice, halts
        self._watchers, self._quiet = watchers, quiet or {}
        self._started, self._last_check, self._ordinal = play.clock, play.last_check, play.encounters
        self._timers = play.timers
        self.clock = play.clock
        self._be_watched(play.alert_level)
        self.easier_stealth = play.easier_stealth
        self.stopped_by: Encounter | None = None
        self.rolls: list[AlertRoll] = []
        self.changes: list[AlertChange] = []
        self.consequences: list[Consequence] = []
        self.checks: list[EncounterCheck] = []
        self.encounters: list[Encounter] = []
        self.expired: list[TimerMoment] = []
        self.ending: list[TimerMoment] = []

    def walk_to(self, target: int, deeds: Callable[[], None] | None = None) -> bool:
        """Walks to a moment and does the deeds there; False when an encounter halted the party before it arrived.

        At each moment: the deeds, then timers that run out, then the check, judged after those deeds (T4).
        """
        while not self.stopped_by:
            self.clock = min(target, self._next_moment(target))
            arrived = self.clock == target
            if arrived and deeds:
                deeds()
            self.pass_instant()
            if arrived:
                return True
        return False

    def pass_instant(self) -> None:
        """What happens of itself at the moment where the clock stands."""
        self._timers, expired, ending = pass_moment(self._timers, self.clock)
        self.expired.extend(expired)
        self.ending.extend(ending)
        if self._check_due() <= self.clock:
            self.check()

    def check(self, counts: bool = True) -> None:
        """Makes an encounter check here and now, on the faces of the level as it is."""
        roll = self._roll
        face, source = self._dice.roll("encounter", roll.sides)
        encounter = None
        if face in roll.faces:
            encounter = came(self._dice, self._ordinal, self.clock, self._watchers, self._quiet)
            self._ordinal += 1
            self.encounters.append(encounter)
            if self._halts:
                self.stopped_by = encounter
        level = self.level if self._card.alert_enabled else None
        self.checks.append(
            EncounterCheck(self.clock, level, roll.die, face, roll.faces, source, encounter.id if encounter else None)
        )
        if counts:
            self._last_check = self.clock

    def pace_roll(self, roll: FaceRoll) -> None:
        """The roll that moving this fast takes; it may raise the alert (A3)."""
        face, source = self._dice.roll("alert", roll.sides)
        self.rolls.append(AlertRoll(self.clock, roll.die, face, roll.faces, source))
        if face in roll.faces:
            self.shift_alert(1, "pace")

    def shift_alert(self, by: int, cause: str) -> None:
        """Moves the alert within its bounds, and reports what a rise brings (A1, A7)."""
        alert = self._ruleset.alert
        if alert is None:
            return
        change = shifted(alert, self.clock, self.level, by, cause)
        self.changes.append(change)
        self.consequences.extend(consequences_of(alert, change))
        self._be_watched(change.after)

    def play_after(self, play: Play) -> Play:
        """The play as this walk leaves it; rounds, rooms and chains are the round's to say."""
        return replace(
            play,
            clock=self.clock,
            last_check=self._last_check,
            alert_level=self.level,
            easier_stealth=self.easier_stealth,
            encounters=self._ordinal,
            timers=self._timers,
            place=play.place + 1,
        )

    def _be_watched(self, level: int) -> None:
        self.level = level
        self._roll = watch_of(self._ruleset, self._card, level).roll
        self._interval = interval(self._ruleset, self._card, level)

    def _next_moment(self, target: int) -> int:
        timer = next_moment(self._timers)
        return min(self._check_due(), target if timer is None else timer)

    def _check_due(self) -> int:
        """When the next check falls due: not before the clock, nor at the walk's start where rounds are whole (T8)."""
        due = self._last_check + self._interval
        if self._ruleset.at_round_end and due <= self._started:
            due = self._started + self._ruleset.round_seconds
        return max(due, self.clock)
