"""The engine alone: an explore round of five, without HTTP and without a store."""

from __future__ import annotations

import statistics
import time
from dataclasses import replace

from service.api.schemas.submissions import ROUND
from service.crawls.party import characters_of
from service.rules.card import start_crawl
from service.rules.model import Crawl, Guards, Timer, Visibility
from service.rules.round import resolve_round
from tests.bench.table import CRAWL, EXPLORE, LIGHT

ROUNDS = 1000


def crawl() -> Crawl:
    """The table's crawl, as a record."""
    begun = start_crawl(
        crawl_id="crl_00aaaaaaaaaaaaaaaaaaaa",
        created_at="2026-01-01T00:00:00.000Z",
        seed=CRAWL["seed"],
        name=CRAWL["name"],
        ruleset=CRAWL["ruleset"],
        rules={},
        party=characters_of(CRAWL["party"]),
        marching_order=tuple(CRAWL["marching_order"]),
        light_bearers=tuple(CRAWL["light_bearers"]),
        alert_enabled=True,
        alert_level=1,
        every_rounds=None,
        guards=Guards(**CRAWL["guards"]),
        visibility=Visibility(**CRAWL["visibility"]),
    )
    light = Timer("tmr_1", LIGHT["name"], LIGHT["kind"], ends_at=LIGHT["seconds"], warn_at=600, bearer="Kara")
    return replace(begun, play=replace(begun.play, timers=(light,)))


def explore_us() -> float:
    """Median microseconds of one round, over a thousand that follow each other."""
    standing, submission = crawl(), ROUND.load(EXPLORE)
    times: list[int] = []
    for _ in range(ROUNDS):
        began = time.perf_counter_ns()
        resolution = resolve_round(standing, submission)
        times.append(time.perf_counter_ns() - began)
        standing = resolution.crawl
    return statistics.median(times) / 1000
