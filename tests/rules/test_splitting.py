"""Five minutes and five minutes are ten: what was due never depends on how the time was submitted (T5, T9)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from service.rules.round import resolve_round
from service.rules.submission import Submission
from tests.rules.histories import FACES, LEVELS, a_crawl, lit, passing, played, short, told, walking


@short
@given(
    kind=st.sampled_from(("time", "rest")),
    level=LEVELS,
    before=st.integers(0, 5000),
    parts=st.tuples(st.integers(1, 9000), st.integers(1, 9000)),
    faces=FACES,
    candles=st.lists(st.integers(1, 20_000), max_size=3),
)
def test_time_and_rest_split_in_two_bring_what_the_whole_brings(
    kind: str, level: int, before: int, parts: tuple[int, int], faces: tuple[int, ...], candles: list[int]
) -> None:
    crawl = a_crawl("derelict", level=level)
    if before:
        crawl = resolve_round(crawl, passing("time", before, (1,) * 120)).crawl
    crawl = lit(crawl, candles)
    whole, in_one = played(crawl, [passing(kind, sum(parts), faces)])
    split, in_two = played(crawl, [passing(kind, parts[0], faces), passing(kind, parts[1])])
    assert told(in_two) == told(in_one)
    assert (split.play.clock, split.play.last_check) == (whole.play.clock, whole.play.last_check)


@short
@given(
    pace=st.sampled_from(("normal", "fast")),
    level=LEVELS,
    before=st.integers(0, 5000),
    parts=st.tuples(st.integers(1, 50), st.integers(1, 50)),
    faces=FACES,
    pace_faces=FACES,
)
def test_derelict_travel_split_in_two_brings_what_the_whole_brings(
    pace: str,
    level: int,
    before: int,
    parts: tuple[int, int],
    faces: tuple[int, ...],
    pace_faces: tuple[int, ...],
) -> None:
    crawl = a_crawl("derelict", level=level)
    if before:
        crawl = resolve_round(crawl, passing("time", before, (1,) * 120)).crawl
    whole, in_one = played(crawl, [walking(pace, sum(parts), faces, pace_faces)])
    split, in_two = played(crawl, [walking(pace, parts[0], faces, pace_faces), walking(pace, parts[1])])
    assert told(in_two) == told(in_one)
    assert split.play.alert_level == whole.play.alert_level


@short
@given(
    n=st.integers(1, 24),
    before=st.integers(0, 30),
    parts=st.tuples(st.integers(1, 50), st.integers(1, 50)),
    faces=FACES,
    fight=st.booleans(),
)
def test_a_stretch_rest_split_in_whole_rounds_brings_what_the_whole_brings(
    n: int, before: int, parts: tuple[int, int], faces: tuple[int, ...], fight: bool
) -> None:
    crawl = a_crawl("stretch", n=n)
    if before:
        crawl = resolve_round(crawl, passing("time", before * 600, (1,) * 120)).crawl
    first, second = (Submission("rest", rounds=each, on_encounter="continue") for each in parts)
    pause = [Submission("combat", combat_rounds=7)] if fight else []
    whole = Submission("rest", rounds=sum(parts), on_encounter="continue", dice={"encounter": faces})
    _, in_one = played(crawl, [whole])
    _, in_two = played(crawl, [replace(first, dice={"encounter": faces}), *pause, second])
    assert told(in_two) == told(in_one)


@short
@given(n=st.integers(1, 24), pairs=st.tuples(st.integers(1, 20), st.integers(1, 20)), odd=st.booleans(), faces=FACES)
def test_a_rush_split_after_an_even_number_of_rooms_brings_what_the_whole_brings(
    n: int, pairs: tuple[int, int], odd: bool, faces: tuple[int, ...]
) -> None:
    crawl = a_crawl("stretch", n=n)
    first, second = 2 * pairs[0], 2 * pairs[1] - odd
    _, in_one = played(crawl, [replace(walking("rush", first + second), dice={"encounter": faces})])
    _, in_two = played(crawl, [replace(walking("rush", first), dice={"encounter": faces}), walking("rush", second)])
    assert told(in_two) == told(in_one)
