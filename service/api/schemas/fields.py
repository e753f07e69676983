"""Strict fields: nothing is turned into something else, and every refusal says what to give instead.

A whole number may be written 8 or 8.0, since JSON knows one kind of number only; 2.7, "8" and true are refused. Where
a field is `optional`, null means the same as leaving it out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

from service.api.schemas.shape import MOST_FAULTS

_STAMP = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


class Strict:
    """Validators are there for the OpenAPI document; the fields refuse by themselves first, in words of their own."""

    def _validate(self, value: Any) -> None:
        """Nothing is left to refuse."""


_MESSAGES: dict[str, str | list[Any] | dict[Any, Any]] = {
    "required": "This is needed; add it.",
    "null": "This cannot be null; give a value, or leave it out.",
}


class Whole(Strict, fields.Integer):
    """A whole number from `least` to `most`."""

    default_error_messages = _MESSAGES

    def __init__(self, least: int, most: int, *, optional: bool = False, **more: Any) -> None:
        self._least, self._most = least, most
        super().__init__(allow_none=optional, validate=[validate.Range(least, most)], **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not self._least <= value <= self._most:
            raise ValidationError(f"Give a whole number from {self._least} to {self._most}.")
        return value


class Text(Strict, fields.String):
    """A text of `least` to `most` characters, not of spaces alone."""

    default_error_messages = _MESSAGES

    def __init__(self, most: int, *, least: int = 1, optional: bool = False, **more: Any) -> None:
        self._least, self._most = least, most
        documented = [validate.Length(least, most), *([validate.Regexp(r"\S")] if least else [])]
        super().__init__(allow_none=optional, validate=documented, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if type(value) is not str or not self._least <= len(value) <= self._most or (self._least and value.isspace()):
            raise ValidationError(f"Give a text of {self._least} to {self._most} characters.")
        return value


class Hexadecimal(Strict, fields.String):
    """Exactly `digits` hexadecimal digits, in lower case from here on."""

    default_error_messages = _MESSAGES

    def __init__(self, digits: int, *, optional: bool = False, **more: Any) -> None:
        self._digits = digits
        documented = validate.Regexp(rf"^[0-9a-fA-F]{{{digits}}}$")
        super().__init__(allow_none=optional, validate=documented, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if type(value) is not str or len(value) != self._digits or set(value) - set("0123456789abcdefABCDEF"):
            raise ValidationError(f"Give {self._digits} hexadecimal digits.")
        return value.lower()


class Moment(Strict, fields.String):
    """A date and time with its zone (RFC 3339), as a datetime."""

    default_error_messages = _MESSAGES

    def __init__(self, *, optional: bool = False, **more: Any) -> None:
        super().__init__(allow_none=optional, metadata={"format": "date-time"}, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if type(value) is str and _MOMENT.fullmatch(value):
            with suppress(ValueError):
                return datetime.fromisoformat(value.upper())
        raise ValidationError("Give a moment with its zone, such as 2026-12-01T20:00:00Z.")


class Stamp(Strict, fields.String):
    """A moment as we write it: in UTC, with milliseconds."""

    default_error_messages = _MESSAGES

    def __init__(self, **more: Any) -> None:
        super().__init__(metadata={"format": "date-time"}, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if type(value) is str and _STAMP.fullmatch(value):
            with suppress(ValueError):
                datetime.fromisoformat(value)
                return value
        raise ValidationError("Give a moment such as 2026-12-01T20:00:00.000Z.")


class Matched(Strict, fields.String):
    """A text of one form, such as an id."""

    default_error_messages = _MESSAGES

    def __init__(self, pattern: str, *, optional: bool = False, **more: Any) -> None:
        self._pattern = re.compile(pattern, re.ASCII)
        super().__init__(allow_none=optional, validate=[validate.Regexp(f"^{pattern}$")], **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if type(value) is not str or not self._pattern.fullmatch(value):
            raise ValidationError(f"Give a text of the form {self._pattern.pattern}.")
        return value


class Fraction(Strict, fields.Float):
    """A number from 0 to 1."""

    default_error_messages = _MESSAGES

    def __init__(self, *, optional: bool = False, **more: Any) -> None:
        super().__init__(allow_none=optional, validate=[validate.Range(0, 1)], **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> float:
        if type(value) not in (int, float) or not 0 <= value <= 1:
            raise ValidationError("Give a number from 0 to 1.")
        return float(value)


class Choice(Strict, fields.String):
    """One of a few words."""

    default_error_messages = _MESSAGES

    def __init__(self, *words: str, optional: bool = False, **more: Any) -> None:
        self._words = words
        super().__init__(allow_none=optional, validate=[validate.OneOf(words)], **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if type(value) is not str or value not in self._words:
            raise ValidationError(f"Give one of: {', '.join(self._words)}.")
        return value


class Truth(Strict, fields.Boolean):
    """true or false, and nothing that looks like it."""

    default_error_messages = _MESSAGES

    def __init__(self, *, optional: bool = False, **more: Any) -> None:
        super().__init__(allow_none=optional, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise ValidationError("Give true or false.")
        return value


class Each(Strict, fields.List[Any]):
    """A list, `least` to `most` long, as a tuple; or `as_list`, for JSON that is kept as it stands."""

    default_error_messages = _MESSAGES

    def __init__(
        self,
        inner: fields.Field[Any],
        most: int,
        *,
        least: int = 0,
        optional: bool = False,
        as_list: bool = False,
        **more: Any,
    ) -> None:
        self._least, self._most, self._made = least, most, list if as_list else tuple
        super().__init__(inner, allow_none=optional, validate=[validate.Length(least, most)], **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not list or not self._least <= len(value) <= self._most:
            raise ValidationError(f"Give a list of {self._least} to {self._most}.")
        read, faults = [], {}
        for i, each in enumerate(value):
            try:
                read.append(self.inner.deserialize(each, **kwargs))
            except ValidationError as error:
                faults[i] = error.messages
                if len(faults) == MOST_FAULTS:
                    break
        if faults:
            raise ValidationError(faults)
        return self._made(read)


class Keyed(Strict, fields.Dict):
    """An object of at most `most` values of one kind, under names of one form."""

    default_error_messages = _MESSAGES

    def __init__(
        self, pattern: str, values: fields.Field[Any], most: int, *, optional: bool = False, **more: Any
    ) -> None:
        self._named, self._values, self._most = Matched(pattern), values, most
        super().__init__(self._named, values, allow_none=optional, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not dict or len(value) > self._most:
            raise ValidationError(f"Give an object of at most {self._most} fields.")
        read, faults = {}, {}
        for name, each in value.items():
            try:
                read[self._named.deserialize(name)] = self._values.deserialize(each)
            except ValidationError as error:
                faults[name] = error.messages
                if len(faults) == MOST_FAULTS:
                    break
        if faults:
            raise ValidationError(faults)
        return read


class Part(fields.Nested):
    """An object of a shape of its own."""

    default_error_messages = _MESSAGES

    def __init__(self, shape: Schema, *, optional: bool = False, **more: Any) -> None:
        super().__init__(shape, allow_none=optional, **more)


class Document(fields.Dict):
    """An object that somebody else looks into."""

    default_error_messages = _MESSAGES

    def __init__(self, *, optional: bool = False, **more: Any) -> None:
        super().__init__(allow_none=optional, **more)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not dict:
            raise ValidationError("Give an object.")
        return value
