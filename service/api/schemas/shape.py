"""What all schemas of bodies have in common: they know their fields, and say so to whoever sends others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from marshmallow import Schema, ValidationError

from service.api.body import pointer_to
from service.api.errors import InvalidRequest
from service.rules.errors import Fault

MOST_FAULTS = 50
"""In one list or object: whoever sends more is told of the first."""


class Shape(Schema):
    """An object with these fields and no others."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        known = ", ".join(field.data_key or name for name, field in self.load_fields.items())
        belong = f"Here belong: {known}." if known else "Nothing belongs here."
        self.error_messages = {
            **self.error_messages,
            "type": "Give an object.",
            "unknown": f"There is no such field; leave it out. {belong}",
        }
        self._by_name = {field.data_key or name: (name, field) for name, field in self.load_fields.items()}
        self._needed = {name: field for name, (_, field) in self._by_name.items() if field.required}

    def _deserialize(self, data: Any, *, error_store: Any, many: bool = False, **more: Any) -> Any:
        """Reads what is there. marshmallow's own also visits all that is not, which took half of a round's reading."""
        if many or type(data) is not dict:
            return super()._deserialize(data, error_store=error_store, many=many, **more)
        read: dict[str, Any] = {}
        for name, value in data.items():
            if len(error_store.errors) == MOST_FAULTS:
                break
            if name not in self._by_name:
                error_store.store_error([self.error_messages["unknown"]], name)
                continue
            attribute, field = self._by_name[name]
            try:
                read[attribute] = field.deserialize(value, name, data)
            except ValidationError as error:
                error_store.store_error(error.messages, name)
        for name, field in self._needed.items():
            if name not in data:
                error_store.store_error([field.error_messages["required"]], name)
        return read


class Loading(Protocol):
    """Whatever reads a parsed body, or raises marshmallow's ValidationError."""

    def load(self, data: Any, /) -> Any: ...


class ByKind:
    """Several shapes of one body, told apart by the word in one of its fields."""

    def __init__(self, field: str, shapes: Mapping[str, Schema]) -> None:
        self.field = field
        self.shapes = shapes

    def load(self, data: Any, /) -> Any:
        if not isinstance(data, dict):
            raise ValidationError("Give an object.")
        kind = data.get(self.field)
        if not isinstance(kind, str) or kind not in self.shapes:
            raise ValidationError({self.field: [f"Give one of: {', '.join(self.shapes)}."]})
        return self.shapes[kind].load(data)


class Upgraded:
    """A shape of a document that names its format: one in an older format is brought up to date, a newer one refused.

    `upgrades` maps each older format to what turns such a document into one of the next format.
    """

    def __init__(
        self, field: str, shape: Schema, known: int, upgrades: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]]
    ) -> None:
        self.shape = shape
        self._field, self._known, self._upgrades = field, known, upgrades

    def load(self, data: Any, /) -> Any:
        found = data.get(self._field) if isinstance(data, dict) else None
        if type(found) is int and found > self._known:
            newer = f"A newer version wrote this, in format {found}; this one reads up to {self._known}."
            raise ValidationError({self._field: [newer]})
        while type(found) is int and found in self._upgrades:
            found, data = found + 1, {**self._upgrades[found](data), self._field: found + 1}
        return self.shape.load(data)


def read(shape: Loading, document: Any) -> Any:
    """What the document says, or InvalidRequest with a pointer for each fault."""
    try:
        return shape.load(document)
    except ValidationError as error:
        raise InvalidRequest(*_faults(error.messages, "")) from None


def _faults(messages: Any, pointer: str) -> Iterator[Fault]:
    if isinstance(messages, Mapping):
        for step, below in messages.items():
            yield from _faults(below, pointer if step == "_schema" else pointer_to(pointer, step))
    elif isinstance(messages, list):
        for message in messages:
            yield from _faults(message, pointer)
    else:
        yield Fault(pointer, str(messages))
