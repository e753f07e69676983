"""The words in which answers are described."""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, Schema, fields, validate


class Told(Schema):
    """Something that is answered. More fields may come; readers pass over those they do not know."""

    class Meta:
        unknown = EXCLUDE


def number(about: str = "", *, none: bool = False, always: bool = True) -> fields.Integer:
    return fields.Integer(required=always, allow_none=none, metadata=_about(about))


def chance() -> fields.Float:
    return fields.Float(required=True, metadata=_about("An exact chance."), validate=validate.Range(0, 1))


def text(about: str = "", *, none: bool = False, always: bool = True) -> fields.String:
    return fields.String(required=always, allow_none=none, metadata=_about(about))


def word(*words: str, none: bool = False, always: bool = True) -> fields.String:
    # Null stands among the words, since an enum that leaves it out would forbid it.
    return fields.String(required=always, allow_none=none, validate=validate.OneOf([*words, *([None] if none else [])]))


def truth(about: str = "", *, always: bool = True) -> fields.Boolean:
    return fields.Boolean(required=always, metadata=_about(about))


def numbers(about: str = "", *, none: bool = False) -> fields.List[Any]:
    return fields.List(fields.Integer(), required=True, allow_none=none, metadata=_about(about))


def texts(about: str = "", *, always: bool = True) -> fields.List[Any]:
    return fields.List(fields.String(), required=always, metadata=_about(about))


def one(shape: type[Schema], *, none: bool = False, always: bool = True) -> fields.Nested:
    return fields.Nested(shape, required=always, allow_none=none)


def many(shape: type[Schema], *, always: bool = True) -> fields.List[Any]:
    return fields.List(fields.Nested(shape), required=always)


def document(about: str = "", *, always: bool = True) -> fields.Dict:
    return fields.Dict(required=always, metadata=_about(about))


def named(field: fields.Field[Any], name: str) -> fields.Field[Any]:
    """The field under a name that Python keeps for itself."""
    field.data_key = name
    return field


def _about(about: str) -> dict[str, str]:
    return {"description": about} if about else {}
