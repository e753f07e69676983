"""A Roll20 render is one line, ready to paste, in which nothing that somebody typed acts."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from service.render import roll20
from service.render.words import plain
from tests.render.told import found, told

NASTY = "[[1d20]] @{target|hp} %{macro} ?{ask|1} #m {{x=y}} /w gm !api &{template:x} `~*_ <b> \"'\\|$$"


def test_a_walk_in_the_default_template() -> None:
    shared = (
        "&{template:default} {{name=Round 7: travel}} {{Party=The party moves at fast pace: 2 rooms in 1 min}} "
        "{{Clock=1 h}} {{Passive Perception=-5}}"
    )
    assert roll20.render(told(), told()) == {
        "public": shared,
        "gm": f"/w gm {shared} {{{{Alert=level 1}}}} {{{{Next check=in 1 h (1d6, chance 17 percent)}}}}",
    }


def test_nothing_that_was_typed_acts() -> None:
    line = roll20.for_players(told(declarations=found(NASTY, by="!" + NASTY)))
    (news,) = re.findall(r"\{\{News=(.*)\}\}$", line)
    assert not set(news) & set("[]{}@%?/!|`~*_<>\"'\\$=()")
    assert re.sub(r"&#\d+;", "", news).isprintable()
    assert "&" not in re.sub(r"&#\d+;", "", news)
    assert html.unescape(news).startswith("![[1d20]] @{target|hp}")


@given(st.text(max_size=120))
def test_an_escaped_text_reads_as_it_was_and_is_one_harmless_line(words: str) -> None:
    escaped = roll20.escape(words)
    rest = re.sub(r"&#\d+;", "", escaped)
    assert all(letter.isalnum() or letter in " .,;-–…" for letter in rest)
    if not re.search(r"[\x80-\x9f\ufdd0-\ufdef\ufffe\uffff]", words):
        assert html.unescape(escaped) == plain(words)


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_render_is_a_single_line(name: str, note: str) -> None:
    told_now = told(declarations=found(name), note=note or None)
    lines = roll20.render(told_now, told_now)
    assert all(line == " ".join(line.split()) or not line.splitlines()[1:] for line in lines.values())
    assert lines["gm"].startswith("/w gm &{template:default} ")
    assert lines["public"].startswith("&{template:default} ")


def test_a_pace_of_a_house_rule_does_not_act_either() -> None:
    movement = told()["movement"] | {"pace": "[[9d9]]"}
    assert "[[" not in roll20.for_players(told(movement=movement))
