"""What we have answered, taken back: the strict shape of an answer's schema."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from marshmallow import Schema, fields, validate

from service.api.body import WIDEST_INTEGER
from service.api.schemas.fields import Choice, Document, Each, Fraction, Keyed, Part, Text, Truth, Whole
from service.api.schemas.shape import Shape

_LONGEST = 64 * 1024
_MOST = 100_000
_NAME = r"[\s\S]{1,200}"


def strictly(told: type[Schema], *, optional: Collection[str] = (), without: Collection[str] = ()) -> Shape:
    """A shape that loads what the GM was answered, field by field, as it stands.

    The GM is told every field, but for those `optional`, which stand only where they apply.
    """

    made: dict[type[Schema], Shape] = {}

    def shape_of(schema: Schema) -> Shape:
        if type(schema) in made:
            return made[type(schema)]
        name = f"{type(schema).__name__}Kept"
        kept = {
            (field.data_key or key): field_of(field, required=(field.data_key or key) not in optional)
            for key, field in schema.fields.items()
            if key not in without
        }
        about = f"{type(schema).__name__} as the GM was told it."
        made[type(schema)] = type(name, (Shape,), {"__doc__": about, **kept})()
        return made[type(schema)]

    def field_of(field: fields.Field[Any], **more: Any) -> fields.Field[Any]:
        more |= {"optional": field.allow_none}
        match field:
            case fields.Nested():
                return Part(shape_of(field.schema), **more)
            case fields.List():
                return Each(field_of(field.inner), _MOST, as_list=True, **more)
            case fields.Dict() if field.value_field is not None:
                return Keyed(_NAME, field_of(field.value_field), _MOST, **more)
            case fields.Dict():
                return Document(**more)
        return _plain(field, **more)

    return shape_of(told())


def _plain(field: fields.Field[Any], **more: Any) -> fields.Field[Any]:
    match field:
        case fields.Boolean():
            return Truth(**more)
        case fields.Integer():
            return Whole(-WIDEST_INTEGER, WIDEST_INTEGER, **more)
        case fields.Float():
            return Fraction(**more)
    words = next((rule.choices for rule in field.validators if isinstance(rule, validate.OneOf)), None)
    if words is not None:
        return Choice(*(word for word in words if word is not None), **more)
    return Text(_LONGEST, least=0, **more)
