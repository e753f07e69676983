"""The GM gives and takes back tokens; a short code stands for one, once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.crawls.cards import change_card
from service.crawls.declaring import declare
from service.crawls.entering import Entered
from service.crawls.errors import Contention, Forbidden, IllegalToken, NotFound, Unauthorized
from service.crawls.tokens import MOST_TOKENS, list_tokens, make_token, offer_pairing, pair, revoke_token
from service.rules.errors import Invalid
from service.rules.submission import Declaration
from service.store.crawls import CrawlStore
from service.store.errors import StaleCrawl
from service.store.records import Answer
from tests.crawls.tables import Table, a_key, hashed, start


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def body(answer: Answer) -> dict[str, Any]:
    assert answer.body is not None
    return dict(answer.body)


def test_a_crawl_begins_with_its_gms_and_its_players_token(table: Table) -> None:
    gm, player = sorted(table.gm(list_tokens)["tokens"], key=lambda each: each["role"])
    assert gm == {
        "id": f"tok_{hashed(table.crawl['tokens']['gm'])[:16]}",
        "role": "gm",
        "character": None,
        "character_id": None,
        "label": "",
        "reads_only": False,
        "created_at": table.crawl["created_at"],
        "yours": True,
    }
    assert (player["role"], player["yours"]) == ("player", False)


def test_a_player_gets_a_token_for_one_character(table: Table) -> None:
    made = table.gm(make_token, {"role": "player", "character": "KARA", "label": "Ann's phone"})
    assert (made["character"], made["character_id"], made["crawl"]) == ("Kara", table.kara, table.id)
    declare(table.entered("player", token=made["token"]), table.kara, Declaration("", "search"))
    with pytest.raises(Forbidden):
        declare(table.entered("player", token=made["token"]), table.bram, Declaration("", "search"))
    with pytest.raises(Forbidden):  # nobody else's unbound token speaks for her from now on
        declare(table.entered("player"), table.kara, Declaration("", "search"))
    listed = {each["id"]: each for each in table.gm(list_tokens)["tokens"]}
    assert listed[made["id"]]["label"] == "Ann's phone"
    assert "token" not in listed[made["id"]]


@pytest.mark.parametrize(
    "wanted", [{"role": "player", "character": "Nobody"}, {"role": "gm", "character": "Kara"}], ids=str
)
def test_a_token_is_for_somebody_who_is_there(table: Table, wanted: dict[str, Any]) -> None:
    for act in (make_token, offer_pairing):
        with pytest.raises(Invalid) as refused:
            table.gm(act, wanted)
        assert refused.value.faults[0].pointer == "/character"


def test_a_token_is_given_again_with_its_key(table: Table) -> None:
    first = make_token(table.entered(idempotency=a_key("t")), {"role": "gm"})
    again = table.enter(idempotency=a_key("t"))
    assert isinstance(again, Answer)
    assert again.body == first.body
    assert len(table.gm(list_tokens)["tokens"]) == 3


def test_a_revoked_token_opens_nothing_at_once(table: Table) -> None:
    made = table.gm(make_token, {"role": "player"})
    assert isinstance(table.enter("player", token=made["token"]), Entered)
    assert revoke_token(table.entered(), made["id"]).status == 204
    with pytest.raises(Unauthorized):
        table.enter("player", token=made["token"])
    with pytest.raises(NotFound) as refused:
        revoke_token(table.entered(), made["id"])
    assert refused.value.code == "token_not_found"


def test_the_gms_last_token_stays(table: Table) -> None:
    gm = next(each["id"] for each in table.gm(list_tokens)["tokens"] if each["role"] == "gm")
    table.gm(make_token, {"role": "gm", "reads_only": True})
    with pytest.raises(IllegalToken):
        revoke_token(table.entered(), gm)
    other = table.gm(make_token, {"role": "gm"})
    revoke_token(table.entered(), gm)
    with pytest.raises(Unauthorized):
        table.entered()
    assert len(body(list_tokens(table.entered(token=other["token"])))["tokens"]) == 3


def test_two_gms_who_revoke_each_other_leave_one(store: CrawlStore) -> None:
    for _ in range(10):
        table = start(store)
        other = table.gm(make_token, {"role": "gm"})
        mine = next(each["id"] for each in table.gm(list_tokens)["tokens"] if each["yours"])
        entries = [(table.entered(), other["id"]), (table.entered(token=other["token"]), mine)]
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda pair: _outcome(*pair), entries))
        assert done.count("revoked") == 1, done
        assert sum(token.role == "gm" for token in store.tokens(table.id).values()) == 1


def _outcome(entered: Entered, token_id: str) -> str:
    try:
        revoke_token(entered, token_id)
    except (IllegalToken, Unauthorized, StaleCrawl, Contention, NotFound) as refused:
        return type(refused).__name__
    return "revoked"


def test_a_crawl_has_so_many_tokens_at_most(table: Table) -> None:
    for _ in range(MOST_TOKENS - 2):
        table.gm(make_token, {"role": "player"})
    with pytest.raises(IllegalToken):
        table.gm(make_token, {"role": "player"})
    code = table.gm(offer_pairing, {"role": "player"})["code"]
    with pytest.raises(IllegalToken):
        pair(table.store, code)


def test_a_code_is_exchanged_once_for_a_token(table: Table) -> None:
    offered = table.gm(offer_pairing, {"role": "player", "character": "Kara", "label": "bot"})
    assert re.fullmatch(r"[0-9A-Z]{4}-[0-9A-Z]{4}", offered["code"])
    assert (offered["expires_in"], offered["character"]) == (600, "Kara")
    assert len(table.gm(list_tokens)["tokens"]) == 2
    answer = pair(table.store, offered["code"])
    paired = body(answer)
    assert (answer.status, paired["crawl"], paired["role"], paired["label"]) == (201, table.id, "player", "bot")
    assert table.entered("player", token=paired["token"]).character == table.kara
    with pytest.raises(Unauthorized):
        pair(table.store, offered["code"])


@pytest.mark.parametrize("typed", [str.lower, lambda code: code.replace("-", " "), lambda code: f" {code}\n"])
def test_a_code_may_be_typed_as_one_likes(table: Table, typed: Any) -> None:
    offered = table.gm(offer_pairing, {"role": "gm"})
    assert body(pair(table.store, typed(offered["code"])))["role"] == "gm"


def test_a_code_ends_with_the_token_of_the_gm_who_offers_it(table: Table) -> None:
    other = table.gm(make_token, {"role": "gm"})
    code = body(offer_pairing(table.entered(token=other["token"]), {"role": "gm"}))["code"]
    revoke_token(table.entered(), other["id"])
    with pytest.raises(Unauthorized):
        pair(table.store, code)


def test_a_code_for_somebody_who_has_left_the_party_gives_nothing(table: Table) -> None:
    code = table.gm(offer_pairing, {"role": "player", "character": "Bram"})["code"]
    table.gm(change_card, {"party": [{"name": "Kara"}]})
    with pytest.raises(IllegalToken):
        pair(table.store, code)


def test_a_code_is_given_to_one_of_many_who_ask_at_once(table: Table) -> None:
    code = table.gm(offer_pairing, {"role": "gm"})["code"]

    def ask(_: int) -> bool:
        try:
            return pair(table.store, code).status == 201
        except Unauthorized:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(8))) == 1


def test_a_code_runs_out_and_ends_with_its_crawl(table: Table) -> None:
    table.gm(offer_pairing, {"role": "gm"})
    (key,) = table.store.redis.keys("*pairing*")
    assert 590 < table.store.redis.ttl(key) <= 600
    code = table.gm(offer_pairing, {"role": "gm"})["code"]
    assert code.replace("-", "").encode() not in b"".join(table.store.redis.keys("*"))
    table.store.delete(table.id)
    with pytest.raises(Unauthorized):
        pair(table.store, code)
