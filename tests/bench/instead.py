"""What a developer would write instead: a round of travel on FastAPI, with one read and one commit in Lua.

Input is checked by pydantic, the token against the stored one, the dice are the standard library's, and two rounds at
once do not overwrite each other. No idempotency, undo, events, webhooks, players or second ruleset: what it is to be
compared with has them all. Served by uvicorn with uvloop and httptools; redis-py's asyncio client as it comes.
"""

from __future__ import annotations

import json
import os
import random
import secrets
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Header, HTTPException
from pydantic import BaseModel, ConfigDict, Field
from redis.asyncio import Redis

COMMIT = """#!lua
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[3])
return redis.call('HINCRBY', KEYS[1], 'version', 1)
"""
SECONDS_A_ROOM = {"slow": 120, "normal": 60, "fast": 30}
CHECK_EVERY = {1: 3600, 2: 3600, 3: 1800, 4: 600}

app = FastAPI()
redis = Redis.from_url(os.environ["ALARUM_REDIS"], decode_responses=True)
commit = redis.register_script(COMMIT)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Character(Strict):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    passive_perception: int | None = None


class NewCrawl(Strict):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    party: Annotated[list[Character], Field(min_length=1, max_length=40)]


class Travel(Strict):
    kind: Literal["travel"]
    pace: Literal["slow", "normal", "fast"]
    rooms: Annotated[int, Field(ge=1, le=1000)]


@app.post("/crawls", status_code=201)
async def start(wanted: NewCrawl) -> dict[str, Any]:
    crawl, token = secrets.token_hex(10), secrets.token_urlsafe(32)
    party = [character.model_dump() for character in wanted.party]
    state = {"name": wanted.name, "party": party, "clock": 0, "alert": 1, "rounds": 0, "next_check": CHECK_EVERY[1]}
    stored = {"version": 1, "token": token, "state": json.dumps(state)}
    await redis.hset(f"crawl:{{{crawl}}}", mapping=stored)
    return {"id": crawl, "token": token, **state}


@app.post("/crawls/{crawl}/rounds", status_code=201)
async def travel(crawl: str, wanted: Travel, authorization: Annotated[str, Header()]) -> dict[str, Any]:
    for _ in range(5):
        version, token, stored = await redis.hmget(f"crawl:{{{crawl}}}", "version", "token", "state")
        if version is None:
            raise HTTPException(404, "no such crawl")
        if not secrets.compare_digest(f"Bearer {token}", authorization):
            raise HTTPException(401, "not your crawl")
        state = json.loads(stored)
        outcome = resolve(state, wanted)
        keys = [f"crawl:{{{crawl}}}", f"rounds:{{{crawl}}}"]
        if await commit(keys=keys, args=[version, json.dumps(state), json.dumps(outcome)]):
            return outcome
    raise HTTPException(503, "too many at once")


def resolve(state: dict[str, Any], wanted: Travel) -> dict[str, Any]:
    """Room by room: time passes, haste may raise the alarm, and a check that came due is made on arrival."""
    began, alert_before = state["clock"], state["alert"]
    rolls, checks, entered = [], [], 0
    for _ in range(wanted.rooms):
        state["clock"] += SECONDS_A_ROOM[wanted.pace]
        entered += 1
        if wanted.pace == "fast":
            face = random.randint(1, 6)
            rolls.append({"at": state["clock"], "face": face})
            if face >= 4:
                state["alert"] = min(state["alert"] + 1, 4)
        if state["clock"] >= state["next_check"]:
            face = random.randint(1, 6)
            checks.append({"at": state["clock"], "face": face, "triggered": face == 6})
            state["next_check"] = state["clock"] + CHECK_EVERY[state["alert"]]
            if face == 6:
                break
    state["rounds"] += 1
    return {
        "number": state["rounds"],
        "kind": "travel",
        "clock": {"from": began, "to": state["clock"], "elapsed": state["clock"] - began},
        "movement": {"pace": wanted.pace, "rooms_asked": wanted.rooms, "rooms_entered": entered},
        "alert": {"from": alert_before, "to": state["alert"], "rolls": rolls},
        "encounter_checks": checks,
        "next_check": {"at": state["next_check"], "in": state["next_check"] - state["clock"]},
    }
