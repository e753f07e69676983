"""Whether a crawl that comes from elsewhere hangs together: undo and redo must never meet what a crawl cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from service.rules.errors import Fault, Invalid
from service.rules.fitting import fitted
from service.rules.model import Encounter, Play, Timer
from service.store.records import Step, Whole

_Encounters = Mapping[str, Encounter | None]


def verify_whole(whole: Whole) -> None:
    """Raises Invalid, with pointers into the exported document, for what no crawl of ours could have come to."""
    faults = [
        *_standing(whole),
        *_in_time(whole),
        *_rounds(whole),
        *_events(whole),
    ]
    # Walked only when single things are as they should be: each walk takes for granted what stands above it.
    faults = faults or [*_back(whole), *_forth(whole)]
    if faults:
        raise Invalid(*faults)


def _standing(whole: Whole) -> Iterator[Fault]:
    crawl = whole.crawl
    if fitted(crawl.play, crawl.card) != crawl.play:
        yield Fault("/play", "Its chains belong to the party, and its alert level to the rules; this one's do not.")
    members = {character.id for character in crawl.card.party}
    for character_id in whole.declarations.keys() - members:
        yield Fault(f"/declarations/{character_id}", "This id belongs to nobody in the party.")
    yield from _unique((character.id for character in crawl.card.party), "/card/party")
    yield from _unique((encounter.id for encounter in whole.encounters), "/encounters")
    if [encounter.ordinal for encounter in whole.encounters] != list(range(crawl.play.encounters)):
        yield Fault("/encounters", "Encounters stand in the order they came, all that /play/encounters counts.")


def _in_time(whole: Whole) -> Iterator[Fault]:
    """Every play there is, each on its own."""
    yield from _play(whole.crawl.play, "/play")
    for i, step in enumerate(whole.history):
        yield from _play(step.play, f"/history/{i}/play")
    for i, undone in enumerate(whole.redo):
        yield from _play(undone.step.play, f"/redo/{i}/step/play")
        yield from _play(undone.play, f"/redo/{i}/play")


def _play(play: Play, pointer: str) -> Iterator[Fault]:
    if play.last_check > play.clock:
        yield Fault(f"{pointer}/last_check", "The last check cannot come after the clock.")
    yield from _unique((timer.id for timer in play.timers), f"{pointer}/timers")
    yield from _unique((chain.character for chain in play.chains), f"{pointer}/chains")
    for i, timer in enumerate(play.timers):
        if not _runs(timer, play.clock):
            yield Fault(
                f"{pointer}/timers/{i}", "A timer has time left, from now or while it is paused, and warns once."
            )
    for i, chain in enumerate(play.chains):
        if chain.rounds_done >= chain.rounds_needed:
            yield Fault(f"{pointer}/chains/{i}", "A chain that goes on has fewer rounds done than it needs.")


def _runs(timer: Timer, clock: int) -> bool:
    if (timer.ends_at is None) == (timer.remaining is None):
        return False
    left = timer.remaining if timer.ends_at is None else timer.ends_at - clock
    return bool(left and left > 0) and (timer.warned or timer.warn_at is None or timer.warn_at < (left or 0))


def _rounds(whole: Whole) -> Iterator[Fault]:
    for i, record in enumerate(whole.records, 1):
        if record["number"] != i:
            yield Fault(f"/rounds/{i - 1}/number", f"Rounds stand in their order: this is number {i}.")
    if len(whole.records) != whole.crawl.play.rounds:
        yield Fault("/rounds", "These are all the rounds that /play/rounds counts.")
    for i, undone in enumerate(whole.redo):
        if (undone.step.what == "round") != (undone.record is not None):
            yield Fault(f"/redo/{i}/record", "A round taken back has its record here, and nothing else has one.")
        elif undone.record is not None and undone.record["number"] != undone.step.round:
            yield Fault(f"/redo/{i}/record/number", "This is the record of another round.")


def _events(whole: Whole) -> Iterator[Fault]:
    yield from _unique((past.event.id for past in whole.events), "/events")
    yield from _up_to([past.sequence for past in whole.events], whole.sequence, "sequence")
    public = [past.public_sequence for past in whole.events if past.public_sequence is not None]
    yield from _up_to(public, whole.public_sequence, "public_sequence")


def _up_to(sequences: Sequence[int], last: int, name: str) -> Iterator[Fault]:
    if sequences and list(sequences) != list(range(last - len(sequences) + 1, last + 1)):
        yield Fault("/events", f"Events stand in their order without a gap, up to /{name}.")


def _back(whole: Whole) -> Iterator[Fault]:
    """All that is in force taken back in thought, to the entry."""
    play, there = whole.crawl.play, {encounter.id: encounter for encounter in whole.encounters}
    for i in range(len(whole.history) - 1, -1, -1):
        step = whole.history[i]
        yield from _follows(step, play, f"/history/{i}")
        known = {key: there.pop(key, None) for key in step.encounters}
        there |= {key: each for key, each in step.encounters.items() if each is not None}
        yield from _touches(step, step.encounters, known, f"/history/{i}/encounters")
        if len(there) != step.play.encounters:
            yield Fault(f"/history/{i}/play/encounters", "This is how many encounters there were.")
        play = step.play
    if (play.rounds, play.place, play.encounters) != (0, 0, 0):
        yield Fault("/history", "This goes back to the entry, before the first change.")


def _forth(whole: Whole) -> Iterator[Fault]:
    """All that was taken back made again in thought."""
    play, there = whole.crawl.play, {encounter.id: encounter for encounter in whole.encounters}
    for i in range(len(whole.redo) - 1, -1, -1):
        undone = whole.redo[i]
        before = undone.step.play
        if (before.rounds, before.place) != (play.rounds, play.place):
            yield Fault(f"/redo/{i}/step/play", "This is not what stands before it is made again.")
        yield from _follows(undone.step, undone.play, f"/redo/{i}/step")
        if undone.encounters.keys() != undone.step.encounters.keys():
            yield Fault(f"/redo/{i}/encounters", "These are the encounters that the step touches.")
            return
        known = {key: there.get(key) for key in undone.encounters}
        yield from _touches(undone.step, known, undone.encounters, f"/redo/{i}/encounters")
        there |= {key: each for key, each in undone.encounters.items() if each is not None}
        if len(there) != undone.play.encounters:
            yield Fault(f"/redo/{i}/play/encounters", "This is how many encounters there are then.")
        play = undone.play


def _follows(step: Step, after: Play, pointer: str) -> Iterator[Fault]:
    """A step leads from its play to the next: one more change, and one more round if it is one."""
    is_round = step.what == "round"
    if step.round != (step.play.rounds + 1 if is_round else None):
        yield Fault(f"{pointer}/round", "A round has the number that comes next, and nothing else has one.")
    if (after.rounds, after.place) != (step.play.rounds + is_round, step.play.place + 1):
        yield Fault(f"{pointer}/play", "The changes stand in their order, each one place and at most one round on.")


def _touches(step: Step, before: _Encounters, after: _Encounters, pointer: str) -> Iterator[Fault]:
    """A step brings new encounters behind all that there were, or changes what became of one that was there."""
    new: list[int] = []
    for key, now in after.items():
        was = before[key]
        if now is None or now.id != key or (was is not None and not _same(was, now)):
            yield Fault(f"{pointer}/{key}", "This is not an encounter that the change could have touched.")
        elif was is None:
            new.append(now.ordinal)
    first = step.play.encounters
    if sorted(new) != list(range(first, first + len(new))):
        yield Fault(pointer, "New encounters come behind all that there were.")


def _same(was: Encounter, now: Encounter) -> bool:
    return replace(was, status=now.status, revealed=now.revealed, result=now.result) == now


def _unique(ids: Iterable[str], pointer: str) -> Iterator[Fault]:
    found = list(ids)
    if len(set(found)) != len(found):
        yield Fault(pointer, "An id stands here twice.")
