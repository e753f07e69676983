"""Dice that can be replayed: each face is counted off from the crawl's seed, or given by the caller (C7).

A face is HMAC-SHA256(seed, "<place>:<use>:<index>") without modulo bias: `place` is the change's place in the history
in force, `use` what is rolled (encounter, alert, check, guards), `index` counts the service's own dice of
that use. So an undo and the same submission again roll the same faces, and faces given for one use move no other.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b32encode
from collections.abc import Mapping

from service.rules.errors import Fault, Invalid
from service.rules.outcome import Source


def commitment(seed: str) -> str:
    """What is shown of a seed before the crawl ends: the hex SHA-256 of its 32 bytes."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def face(seed: bytes, place: int, use: str, index: int, sides: int) -> int:
    """One face of a die with `sides` sides, 1 to 2³¹."""
    limit = (1 << 32) // sides * sides
    block = hmac.digest(seed, f"{place}:{use}:{index}".encode(), "sha256")
    while True:
        for start in range(0, 32, 4):
            number = int.from_bytes(block[start : start + 4])
            if number < limit:
                return number % sides + 1
        block = hmac.digest(seed, block, "sha256")


class Dice:
    """The dice of one change. `given` faces are used first, in order; what is missing is counted off from the seed."""

    def __init__(self, seed: str, place: int, given: Mapping[str, tuple[int, ...]] | None = None) -> None:
        self._seed = bytes.fromhex(seed)
        self._place = place
        self._given = given or {}
        self._used: dict[str, int] = {}
        self._rolled: dict[str, int] = {}

    def roll(self, use: str, sides: int) -> tuple[int, Source]:
        """The next face of that use, and where it came from. Invalid for a given face that the die does not have."""
        given = self._given.get(use, ())
        used = self._used.get(use, 0)
        if used < len(given):
            self._used[use] = used + 1
            if not 1 <= given[used] <= sides:
                raise Invalid(Fault(f"/dice/{use}/{used}", f"This die has the faces 1 to {sides}, not {given[used]}."))
            return given[used], "caller"
        index = self._rolled.get(use, 0)
        self._rolled[use] = index + 1
        return face(self._seed, self._place, use, index, sides), "service"

    def unused(self) -> dict[str, tuple[int, ...]]:
        """The given faces that nothing asked for, by use."""
        left = {use: faces[self._used.get(use, 0) :] for use, faces in self._given.items()}
        return {use: faces for use, faces in left.items() if faces}

    def name(self, prefix: str, ordinal: int) -> str:
        """An id that the same change after an undo gives again, and that tells nothing about how many there are."""
        digest = hmac.digest(self._seed, f"{self._place}:{prefix}:{ordinal}".encode(), "sha256")
        return f"{prefix}_{b32encode(digest[:10]).decode().lower()}"
