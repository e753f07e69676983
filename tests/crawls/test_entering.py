"""Who may come in, and as what."""

from __future__ import annotations

import pytest

from service.crawls.declaring import declare
from service.crawls.entering import Asking, enter
from service.crawls.errors import Forbidden, Unauthorized
from service.crawls.reading import get_crawl
from service.rules.submission import Declaration
from service.store.crawls import CrawlStore
from service.store.errors import CrawlNotFound, StaleCrawl
from tests.crawls.tables import Table, hashed, now, start


@pytest.fixture
def table(store: CrawlStore) -> Table:
    return start(store)


def test_a_token_is_needed_and_must_be_this_crawls(table: Table) -> None:
    other = start(table.store).crawl["tokens"]["gm"]
    for token_hash in (None, hashed("gm_made_up"), hashed(other)):
        with pytest.raises(Unauthorized):
            enter(table.store, Asking(table.id, token_hash), now)


def test_a_crawl_that_is_none_is_not_found(store: CrawlStore) -> None:
    for crawl_id in ("crl_00" + "a" * 20, "crl_x", "alarum"):
        with pytest.raises(CrawlNotFound):
            enter(store, Asking(crawl_id, hashed("gm_made_up")), now)


def test_what_is_the_gms_is_not_for_players(table: Table) -> None:
    with pytest.raises(Forbidden):
        enter(table.store, Asking(table.id, hashed(table.crawl["tokens"]["player"])), now)


def test_a_players_tag_changes_with_what_players_see_and_with_nothing_else(table: Table) -> None:
    tags = [get_crawl(table.entered("player")).etag]
    from service.crawls.alerts import set_alert
    from service.crawls.checks import check_by_hand

    table.gm(set_alert, {"level": 3})
    table.gm(check_by_hand, 6)
    tags.append(get_crawl(table.entered("player")).etag)
    table.round()
    tags.append(get_crawl(table.entered("player")).etag)
    assert tags[0] == tags[1] != tags[2]
    assert str(tags[0]).startswith('"p-')
    assert get_crawl(table.entered()).etag == '"4"'


def test_a_player_writes_under_the_players_tag(table: Table) -> None:
    tag = get_crawl(table.entered("player")).etag
    declare(table.entered("player", if_match=tag), table.kara, Declaration("Kara", "loot"))
    table.round()
    with pytest.raises(StaleCrawl):
        declare(table.entered("player", if_match=tag), table.kara, Declaration("Kara", "loot"))
    with pytest.raises(StaleCrawl):
        declare(table.entered("player", if_match='"2"'), table.kara, Declaration("Kara", "loot"))
