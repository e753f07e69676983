"""What is written is read again the same, and what an older version wrote is brought up to date."""

from __future__ import annotations

import types
from dataclasses import dataclass, fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.model import Card, Character, Encounter, Play, Timer, Visibility
from service.rules.submission import Check, Declaration
from service.store import codec
from service.store.errors import NewerFormat
from service.store.layout import Layout, Stored
from service.store.records import Step, Token, Undone

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PLAIN = {
    bool: st.booleans(),
    int: st.integers(-(2**53), 2**53),
    str: st.text(max_size=12),
    Any: JSON,
    types.NoneType: st.none(),
}


def any_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a record's field, or any record."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(any_of, arguments))
    if origin is tuple and arguments[-1] is ...:
        return st.lists(any_of(arguments[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(any_of, arguments))
    if arguments:  # a mapping
        return st.dictionaries(any_of(arguments[0]), any_of(arguments[1]), max_size=3)
    hints = get_type_hints(hint)
    return st.builds(hint, **{field.name: any_of(hints[field.name]) for field in fields(hint)})


def keyed(step: Step | Undone) -> Any:
    """Encounters lie under their own ids, wherever a step holds them."""
    encounters = {key: value and _renamed(value, key) for key, value in step.encounters.items()}
    inner = {"step": keyed(step.step)} if isinstance(step, Undone) else {}
    return _changed(step, encounters=encounters, **inner)


def _renamed(encounter: Encounter, key: str) -> Encounter:
    return _changed(encounter, id=key)


def _changed(record: Any, **values: Any) -> Any:
    return type(record)(**{field.name: getattr(record, field.name) for field in fields(record)} | values)


@pytest.mark.parametrize(
    ("stored", "record"),
    [
        (codec.CARD, Card),
        (codec.PLAY, Play),
        (codec.DECLARATION, Declaration),
        (codec.TOKEN, Token),
    ],
)
@settings(deadline=None)
@given(st.data())
def test_every_record_is_read_as_it_was_written(stored: Stored[Any], record: type, data: st.DataObject) -> None:
    written = data.draw(any_of(record))
    assert stored.read(stored.write(written)) == written


@settings(deadline=None)
@given(any_of(Encounter))
def test_an_encounter_is_read_under_the_id_that_it_was_kept_under(encounter: Encounter) -> None:
    assert codec.ENCOUNTER.read(codec.ENCOUNTER.write(encounter), id=encounter.id) == encounter


@settings(deadline=None)
@given(any_of(Step).map(keyed))
def test_a_step_is_read_as_it_was_written(step: Step) -> None:
    assert codec.STEP.read(codec.STEP.write(step)) == step


@settings(deadline=None)
@given(any_of(Undone).map(keyed))
def test_a_step_taken_back_is_read_as_it_was_written(undone: Undone) -> None:
    assert codec.UNDONE.read(codec.UNDONE.write(undone)) == undone


def test_these_bytes_are_what_lies_in_stores_and_stay_readable() -> None:
    kara = Character("chr_1", "Kara", 14, 3, 2, "keep_watch")
    card = Card("Wreck", "derelict", (kara,), {"a": 1}, ("chr_1",), ("chr_1",), True, 2, None, Visibility("public"))
    check = Check("str", "athletics", None, 15, naturals=(12, 3), advantage="advantage")
    declaration = Declaration("chr_1", "act", "pry", "hatch", check=check, replaces=(3, "hatch"))
    torch = Timer("tmr_1", "Torch", "light", 3600, warn_at=600, bearer="chr_1")
    assert codec.CARD.write(card) == (
        b'{"f":1,"n":"Wreck","s":"derelict","p":[{"i":"chr_1","n":"Kara","p":14,"d":3,"b":2,"a":"keep_watch"}],'
        b'"r":{"a":1},"o":["chr_1"],"l":["chr_1"],"a":true,"e":2,"v":{"a":"public"}}'
    )
    assert codec.PLAY.write(Play(600, 1, 1, 0, 3, True, 1, 0, (torch,))) == (
        b'{"f":1,"c":600,"r":1,"p":1,"a":3,"e":true,"m":1,'
        b'"t":[{"i":"tmr_1","n":"Torch","k":"light","e":3600,"w":600,"b":"chr_1"}]}'
    )
    assert codec.DECLARATION.write(declaration) == (
        b'{"f":1,"c":"chr_1","a":"act","l":"pry","t":"hatch",'
        b'"k":{"a":"str","s":"athletics","d":15,"v":"advantage","n":[12,3]},"r":[3,"hatch"]}'
    )
    assert codec.ENCOUNTER.write(Encounter("enc_1", 4, 3600, "resolved", True)) == (
        b'{"f":1,"o":4,"a":3600,"s":"resolved","r":true}'
    )
    assert codec.TOKEN.write(Token("player", "chr_1")) == b'{"f":1,"r":"player","c":"chr_1"}'


@dataclass(frozen=True, slots=True)
class Lamp:
    fuel: int
    lit: bool = False


LAMP = Stored(
    "lamp",
    Layout(Lamp, {"fuel": "u", "lit": "l"}),
    3,
    {1: lambda v: {"oil": v["o"]}, 2: lambda v: {"u": v["oil"] * 60}},
)


def test_an_older_format_is_upgraded_step_by_step_as_it_is_read() -> None:
    assert LAMP.read(b'{"f":1,"o":5}') == Lamp(300)
    assert LAMP.read(b'{"f":2,"oil":5}') == Lamp(300)
    assert LAMP.read(b'{"f":3,"u":5,"l":true}') == Lamp(5, lit=True)
    assert LAMP.write(Lamp(300)) == b'{"f":3,"u":300}'


def test_a_newer_format_is_refused_with_a_sentence() -> None:
    with pytest.raises(NewerFormat, match="a lamp in format 4, and this version reads up to 3"):
        LAMP.read(b'{"f":4,"u":5}')
