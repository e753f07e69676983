"""The figures of deliveries in words: medians, their spread, and how they stand to each other."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence

from tests.bench.beside import SETS, Beside
from tests.bench.lag import Lag
from tests.bench.load import Measured
from tests.bench.report import errors, spread

SENDING_AIM = 0.5


def of_lags(lags: Sequence[Lag]) -> Iterator[str]:
    if lags:
        yield f"\n{'from commit to arrival, 50 webhooks':44}{'came':>12}{'median':>12}{'99 %':>12}{'longest':>12}"
    for lag in lags:
        came = f"{len(lag.lags)}/{lag.expected}"
        times = "".join(f"{seconds * 1000:9.1f} ms" for seconds in (lag.median(), lag.within(0.99), lag.lags[-1]))
        yield f"{f'  {lag.rate:.0f} deliveries a second':44}{came:>12}{times}"
    if lags:
        yield "  aims: median under 250 ms, 99 % under 2000 ms"


def of_sending(ours: Sequence[float], bare: Sequence[float], idle: tuple[float, float]) -> Iterator[str]:
    ratios = [mine / plain for mine, plain in zip(ours, bare, strict=True)]
    yield f"\n{'deliveries a second, by turns':44}{'median (min–max)':>24}"
    yield f"{'  one worker, full outbox':44}{spread(ours):>24}"
    yield f"{'  bare urllib3 loop, a connection each':44}{spread(bare):>24}"
    ratio = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
    yield f"{'  ratio':44}{ratio:>24}   aim: {SENDING_AIM} or more"
    yield f"{'  an idle worker':44}{f'{idle[0]:.1%} of a core, {idle[1]:.0f} MiB':>24}"


def of_rounds(beside: Beside, even: float) -> Iterator[str]:
    yield from _sets("rounds of travel, all that the machine can", beside.full, ("rate", "late_ms"))
    yield from _sets(f"rounds of travel at {even:.0f} a second", beside.even, ("median_ms", "late_ms"))
    yield f"  {beside.told} deliveries meanwhile; each ratio is of a repeat to the first line's in the same turn"


def failed(beside: Beside) -> int:
    return sum(errors(repeats) for each in (beside.full, beside.even) for repeats in each.values())


def _sets(title: str, measured: Mapping[str, Sequence[Measured]], compared: Sequence[str]) -> Iterator[str]:
    """A line a set: rounds a second, times, and how what is `compared` stands to that of the first set, by repeats."""
    yield f"\n{title:44}{'a second':>18}{'median':>11}{'99 %':>11}" + "".join(f"{WORDS[what]:>19}" for what in compared)
    first = measured[SETS[0]]
    for name, repeats in measured.items():
        median, late = (statistics.median(getattr(each, what) for each in repeats) for what in ("median_ms", "late_ms"))
        line = f"{f'  {name}':44}{spread([each.rate for each in repeats]):>18}{median:8.1f} ms{late:8.1f} ms"
        yield line if repeats is first else line + "".join(_ratio(what, repeats, first) for what in compared)


WORDS = {"rate": "ratio", "median_ms": "ratio of medians", "late_ms": "ratio of 99 %"}


def _ratio(what: str, repeats: Sequence[Measured], first: Sequence[Measured]) -> str:
    ratios = [getattr(mine, what) / getattr(theirs, what) for mine, theirs in zip(repeats, first, strict=True)]
    return f"{f'{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})':>19}"
