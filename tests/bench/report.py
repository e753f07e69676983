"""The figures in words: medians, their spread, and how they stand to each other."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from tests.bench.load import Load, Measured
from tests.bench.sizes import ROUNDS, Sizes

AIMS = {"c": 0.5, "d": 0.35}
ENGINE_AIM_US = 150
LIVE_AIM = 6 * 1024


def of_loads(loads: Sequence[Load], measured: Mapping[str, Sequence[Measured]]) -> Iterator[str]:
    """A line a path: answers a second as median (min–max), times, errors."""
    yield f"{'':47}{'answers a second':>24}   {'median':>8}  {'99 %':>8}  errors"
    for load in loads:
        repeats = measured[load.letter]
        rate = spread([each.rate for each in repeats])
        half = statistics.median(each.median_ms for each in repeats)
        late = statistics.median(each.late_ms for each in repeats)
        yield f"{load.letter}  {load.title:44}{rate:>24}   {half:5.1f} ms  {late:5.1f} ms  {errors(repeats):6}"


def of_ratios(measured: Mapping[str, Sequence[Measured]]) -> Iterator[str]:
    """c/b and d/b: of the medians, and from repeat to repeat."""
    for letter, aim in AIMS.items():
        pairs = zip(measured[letter], measured["b"], strict=True)
        each = [ours.rate / bare.rate for ours, bare in pairs]
        ratio = _median(measured[letter]) / _median(measured["b"])
        yield f"{letter}/b  {ratio:.2f} ({min(each):.2f}–{max(each):.2f})   aim: {aim} or more"


def of_engine(repeats: Sequence[float]) -> str:
    return f"engine alone, explore of five: {spread(repeats)} µs   aim: under {ENGINE_AIM_US}"


def of_sizes(sizes: Sizes) -> Iterator[str]:
    live = sum(sizes.live.values())
    brought = f"{sizes.encounters} brought an encounter"
    yield f"live state after {ROUNDS} rounds ({brought}): {live} bytes   aim: under {LIVE_AIM}"
    yield f"    {_named(sizes.live)}"
    a_round = {name: size // ROUNDS for name, size in sizes.rest.items()}
    yield f"the rest: {sum(a_round.values())} bytes a round"
    yield f"    {_named(a_round)}"


def errors(repeats: Sequence[Measured]) -> int:
    """Answers other than 2xx, and connections that broke."""
    return sum(each.refused + each.broken for each in repeats)


def _median(repeats: Sequence[Measured]) -> float:
    return statistics.median(each.rate for each in repeats)


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.0f} ({min(values):.0f}–{max(values):.0f})"


def _named(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {size}" for name, size in sizes.items() if size)
