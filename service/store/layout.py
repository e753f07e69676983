"""How a frozen record becomes a small JSON object and back, told by a table of names."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from service.store.errors import NewerFormat

R = TypeVar("R")


class Inner(NamedTuple):
    """How a field's value that JSON cannot hold as it is goes in and out."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


class Layout(Generic[R]):
    """The stored names of a record's fields.

    A field at its default is left out; so whoever changes a default, like whoever renames or drops a field, needs a new
    format and an upgrade. Fields that the table does not name come from outside (`read`'s keywords).
    """

    def __init__(self, record: type[R], names: Mapping[str, str], **inner: Inner) -> None:
        self._record = record
        fields = {field.name: field for field in dataclasses.fields(record)}  # type: ignore[arg-type]
        self._fields = tuple((name, names[name], _default(fields[name]), inner.get(name)) for name in names)
        self._read = {short: (name, inner[name].read if name in inner else None) for name, short in names.items()}

    def write(self, record: R) -> dict[str, Any]:
        stored: dict[str, Any] = {}
        for name, short, default, inner in self._fields:
            value = getattr(record, name)
            if value != default:
                stored[short] = inner.write(value) if inner else value
        return stored

    def read(self, stored: Mapping[str, Any], **outside: Any) -> R:
        for short, value in stored.items():
            name, read = self._read[short]
            outside[name] = read(value) if read else value
        return self._record(**outside)


class Stored(Generic[R]):
    """A kind of value as the store holds it: JSON with its format number under `f`, brought up to date when read.

    `number` is the format now; `upgrades` maps each older one to what turns its object into the next format's.
    """

    def __init__(
        self,
        kind: str,
        layout: Layout[R],
        number: int = 1,
        upgrades: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] | None = None,
    ) -> None:
        self._kind, self._layout, self._format, self._upgrades = kind, layout, number, upgrades or {}

    def write(self, record: R) -> bytes:
        return orjson.dumps({"f": self._format, **self._layout.write(record)})

    def read(self, stored: bytes, **outside: Any) -> R:
        """The record; NewerFormat when a newer version of the service wrote it."""
        value: dict[str, Any] = orjson.loads(stored)
        found = value.pop("f")
        if found > self._format:
            raise NewerFormat(self._kind, found, self._format)
        for older in range(found, self._format):
            value = self._upgrades[older](value)
        return self._layout.read(value, **outside)


def one(layout: Layout[Any]) -> Inner:
    """A record inside a record."""
    return Inner(layout.write, layout.read)


def many(layout: Layout[Any]) -> Inner:
    """A tuple of records."""
    return Inner(
        lambda records: [layout.write(record) for record in records],
        lambda stored: tuple([layout.read(value) for value in stored]),
    )


LIST = Inner(list, tuple)


def _default(field: dataclasses.Field[Any]) -> Any:
    """What the field is when nobody says; a required one's default equals nothing, so that it is always written."""
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default
