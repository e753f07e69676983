"""The crawl as it stands."""

from __future__ import annotations

from service.crawls.entering import Entered
from service.crawls.standing import standing_of
from service.crawls.tags import player_etag, version_etag
from service.sight.crawl import crawl_for_gm, crawl_for_players
from service.store.records import Answer


def get_crawl(entered: Entered) -> Answer:
    """The crawl for who asks. GM and player; enter with `pending`."""
    standing = standing_of(entered.loaded)
    if entered.is_gm:
        return Answer(200, crawl_for_gm(standing), version_etag(entered.crawl))
    body = crawl_for_players(standing)
    return Answer(200, body, player_etag(body))
