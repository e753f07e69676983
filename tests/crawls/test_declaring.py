"""Players declare ahead for their own characters; the whole table hears it, but for what only the GM knows."""

from __future__ import annotations

import pytest

from service.crawls.declaring import declare, list_declarations, withdraw
from service.crawls.errors import Forbidden, NotFound
from service.rules.errors import Invalid
from service.rules.submission import Check, Declaration, Hidden
from service.store.crawls import CrawlStore
from tests.crawls.tables import Table, start

LOOT = Declaration("", "loot")
SEARCH = Declaration("", "search", check=Check(skill="perception", modifier=4, dc=12), hidden=(Hidden("hatch", 14),))


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def test_a_declaration_is_kept_beside_the_crawl(table: Table) -> None:
    answer = declare(table.entered("player"), table.kara, LOOT)
    assert answer.status == 200
    assert answer.body == {
        "character": "Kara",
        "character_id": table.kara,
        "activity": "loot",
        "label": None,
        "task": None,
        "target": None,
        "proficient": None,
        "room_ft": None,
        "rounds_needed": None,
        "replaces": None,
        "check": None,
    }
    assert table.stands()["version"] == 1
    assert table.player(list_declarations) == {"declarations": [answer.body], "next": None}
    assert table.events("player")[-1]["data"] == {"declaration": answer.body}


def test_players_do_not_hear_what_the_gm_put_into_one(table: Table) -> None:
    body = table.gm(declare, table.kara, SEARCH)
    assert (body["hidden"], body["check"]["dc"]) == ([{"name": "hatch", "dc": 14}], 12)
    (seen,) = table.player(list_declarations)["declarations"]
    assert "hidden" not in seen
    assert set(seen["check"]) == {"ability", "skill", "proficiency", "modifier", "advantage", "total", "naturals"}
    assert table.events("player")[-1]["data"] == {"declaration": seen}
    assert table.events()[-1]["data"] == {"declaration": body}


def test_whoever_is_bound_declares_for_one_character_only(table: Table) -> None:
    bound = table.bind(table.kara)
    declare(table.entered(token=bound), table.kara, LOOT)
    with pytest.raises(Forbidden):
        declare(table.entered(token=bound), table.bram, LOOT)
    with pytest.raises(Forbidden):
        withdraw(table.entered(token=bound), table.bram)


def test_whoever_is_not_bound_declares_for_those_whom_nobody_has(table: Table) -> None:
    table.bind(table.kara)
    table.player(declare, table.bram, LOOT)
    with pytest.raises(Forbidden):
        table.player(declare, table.kara, LOOT)


def test_a_declaration_may_say_again_whose_it_is_but_not_that_it_is_anothers(table: Table) -> None:
    for named in ("Kara", "KARA", table.kara):
        assert table.player(declare, table.kara, Declaration(named, "loot"))["character"] == "Kara"
    for named in ("Bram", table.bram, "nobody"):
        with pytest.raises(Invalid) as refused:
            table.player(declare, table.kara, Declaration(named, "loot"))
        assert refused.value.faults[0].pointer == "/character"


def test_what_is_hidden_and_how_it_ends_is_the_gms_to_say(table: Table) -> None:
    for declaration, pointer in (
        (SEARCH, "/hidden"),
        (Declaration("", "act", check=Check(passed=True)), "/check/passed"),
        (Declaration("", "juggle"), "/activity"),
    ):
        with pytest.raises(Invalid) as refused:
            table.player(declare, table.kara, declaration)
        assert refused.value.faults[0].pointer == pointer
    with pytest.raises(NotFound) as missing:
        table.player(declare, "chr_nobody", LOOT)
    assert missing.value.code == "character_not_found"


def test_a_declaration_is_withdrawn(table: Table) -> None:
    with pytest.raises(NotFound) as missing:
        table.player(withdraw, table.kara)
    assert missing.value.code == "declaration_not_found"
    table.player(declare, table.kara, LOOT)
    assert withdraw(table.entered("player"), table.kara).status == 204
    assert table.player(list_declarations)["declarations"] == []
    assert table.events("player")[-1]["data"] == {"changed": ["declarations"]}


def test_declarations_of_two_players_at_once_are_both_kept(table: Table) -> None:
    late = table.entered("player")
    table.player(declare, table.kara, LOOT)
    declare(late, table.bram, LOOT)
    assert [each["character"] for each in table.gm(list_declarations)["declarations"]] == ["Kara", "Bram"]
