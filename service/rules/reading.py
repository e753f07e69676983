"""Reads a document field by field and notes every fault with its JSON pointer, so that a GM sees them all at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from service.rules.errors import Fault, Invalid

_DIE = re.compile(r"1?d([1-9][0-9]{0,2})")


class Reader:
    """One object of a document. What is missing or wrong is noted, and a harmless value read instead."""

    def __init__(self, pointer: str, document: Mapping[str, Any], faults: list[Fault] | None = None) -> None:
        self._pointer = pointer
        self._document = document
        self._faults: list[Fault] = [] if faults is None else faults
        self._read: set[str] = set()

    def finish(self) -> None:
        """Raises all that was noted."""
        if self._faults:
            raise Invalid(*self._faults)

    def fault(self, path: str, detail: str) -> None:
        """Notes a fault at a path below this object."""
        self._faults.append(Fault(f"{self._pointer}/{path}", detail))

    def names(self) -> tuple[str, ...]:
        self._read.update(self._document)
        return tuple(self._document)

    def no_more(self) -> None:
        """Notes every field that nobody asked for."""
        for key in self._document:
            if key not in self._read:
                self.fault(_escaped(key), f"There is no such rule. Here belong: {', '.join(sorted(self._read))}.")

    def table(self, key: str) -> Reader:
        return self.optional_table(key) or Reader(f"{self._pointer}/{key}", {}, self._faults)

    def optional_table(self, key: str) -> Reader | None:
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.fault(key, "This must be an object.")
            return None
        return Reader(f"{self._pointer}/{_escaped(key)}", value, self._faults)

    def tables(self) -> Iterator[tuple[str, Reader]]:
        for key in self.names():
            table = self.optional_table(key)
            if table:
                yield key, table

    def list_of_tables(self, key: str) -> tuple[Reader, ...]:
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            self.fault(key, "This must be a list of objects.")
            return ()
        return tuple(Reader(f"{self._pointer}/{key}/{i}", each, self._faults) for i, each in enumerate(value))

    def text(self, key: str) -> str:
        value = self._take(key)
        if isinstance(value, str) and 0 < len(value) <= 200:
            return value
        self.fault(key, "This must be a text of 1 to 200 characters.")
        return ""

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key)
        if value is None:
            return ()
        if (
            isinstance(value, list)
            and len(value) <= 50
            and all(isinstance(v, str) and 0 < len(v) <= 200 for v in value)
        ):
            return tuple(value)
        self.fault(key, "This must be a list of texts of 1 to 200 characters, 50 at most.")
        return ()

    def truth(self, key: str, default: bool | None = None) -> bool:
        value = self._take(key)
        if value is None and default is not None:
            return default
        if isinstance(value, bool):
            return value
        self.fault(key, "This must be true or false.")
        return False

    def whole(self, key: str, least: int, most: int, default: int | None = None) -> int:
        value = self.optional_whole(key, least, most)
        if value is not None:
            return value
        if default is None and key not in self._document:
            self.fault(key, f"This must be a whole number from {least} to {most}.")
        return least if default is None else default

    def optional_whole(self, key: str, least: int, most: int) -> int | None:
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.fault(key, f"This must be a whole number from {least} to {most}.")
        return least

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        found = self.optional_choice(key, choices)
        if found is not None:
            return found
        if default is None and key not in self._document:
            self.fault(key, f"This must be one of: {', '.join(choices)}.")
        return default or choices[0]

    def optional_choice(self, key: str, choices: tuple[str, ...]) -> str | None:
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, str) and value in choices:
            return value
        self.fault(key, f"This must be one of: {', '.join(choices)}.")
        return choices[0]

    def sides(self, key: str) -> int:
        """The sides of a single die, "1d6" or "d6"."""
        value = self._take(key)
        match = _DIE.fullmatch(value) if isinstance(value, str) else None
        if match:
            return int(match[1])
        self.fault(key, 'This must be one die, such as "1d6".')
        return 6

    def faces(self, key: str, sides: int) -> tuple[int, ...]:
        """Faces of a die of that many sides, each once, ascending."""
        value = self._take(key)
        if isinstance(value, list) and all(
            isinstance(v, int) and not isinstance(v, bool) and 1 <= v <= sides for v in value
        ):
            return tuple(sorted(set(value)))
        self.fault(key, f"This must be a list of faces from 1 to {sides}.")
        return ()

    def _take(self, key: str) -> Any:
        self._read.add(key)
        return self._document.get(key)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
