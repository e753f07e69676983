"""What is lost and what comes twice when senders die, are two, or stand still, while tables play."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.faults.senders import killed, paused, two_at_once
from tests.faults.stage import Stage, Sum, stage

EXAMPLES = """
Examples:
  ./run faults               all of it, about four minutes
  ./run faults --quick       the same, small: three deaths, five seconds of two
  ./run faults killed --times 100

Prints a table in Markdown: that of tests/faults/README.md. Exits with 1 when anything was lost, came with two bodies,
came twice though nobody had died, or was left in the store.
"""
FAULTS = ("killed", "two", "paused")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./run faults", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("faults", nargs="*", metavar="FAULT", help="killed, two, paused (default: all of them)")
    parser.add_argument("--times", type=int, default=20, help="how often a worker is killed (default: 20)")
    parser.add_argument("--seconds", type=float, default=60, help="for which two are at work (default: 60)")
    parser.add_argument("--rate", type=float, default=50, help="commits a second, two deliveries each (default: 50)")
    parser.add_argument("--quick", action="store_true", help="three deaths, five seconds of two workers")
    asked = parser.parse_args()
    if unknown := sorted(set(asked.faults) - set(FAULTS)):
        parser.error(f"no such fault: {', '.join(unknown)}")
    if asked.quick:
        asked.times, asked.seconds = 3, 5
    return asked


def main() -> int:
    asked = arguments()
    wanted = asked.faults or FAULTS
    print("| what was done | how often | deliveries | lost | came twice | with two bodies | left in the store |")
    print("|---|--:|--:|--:|--:|--:|---|")
    well = True
    for name, words, often, fault, may_repeat in _faults(asked):
        if name in wanted:
            with tempfile.TemporaryDirectory(prefix="alarum-faults-") as folder, stage(Path(folder)) as scene:
                found = fault(scene)
            left = "; ".join(found.left) or "nothing"
            counts = f"{found.told} | {found.lost} | {found.twice} | {found.bodies}"
            print(f"| {words} | {often} | {counts} | {left} |", flush=True)
            well = well and found.well and (may_repeat or not found.twice)
    return 0 if well else 1


def _faults(asked: argparse.Namespace) -> Iterator[tuple[str, str, str, Callable[[Stage], Sum], bool]]:
    """Each: name, words, how often, what is done, whether deliveries may come twice."""
    rate = asked.rate
    yield (
        "killed",
        "`kill -9` of the worker in the middle of its sends",
        f"{asked.times} times",
        lambda scene: killed(scene, asked.times, rate),
        True,
    )
    yield (
        "two",
        "two workers at once, and neither dies",
        f"{asked.seconds:.0f} s",
        lambda scene: two_at_once(scene, asked.seconds, rate),
        False,
    )
    yield (
        "paused",
        "a worker stands still (SIGSTOP) until its leases are over and others have sent, then goes on",
        "once",
        lambda scene: paused(scene, rate),
        True,
    )


if __name__ == "__main__":
    sys.exit(main())
