"""What Alarum is compared with: Flask alone, and Flask with one small commit in Lua, sent by redis-py as it comes."""

from __future__ import annotations

import os
from hashlib import sha1

from flask import Flask, Response
from redis import Redis

COMMIT = """#!lua
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
redis.call('HSET', KEYS[1], 'state', ARGV[1])
return version
"""
STATE = b'{"clock":3600,"alert":2,"rounds":7}'

app = Flask("bare")
redis = Redis.from_url(os.environ["ALARUM_REDIS"])
digest = sha1(COMMIT.encode(), usedforsecurity=False).hexdigest()
redis.script_load(COMMIT)


@app.get("/hello")
def hello() -> Response:
    return Response(b'{"hello":"table"}', content_type="application/json")


@app.post("/commit")
def commit() -> Response:
    version = redis.evalsha(digest, 1, "{bare}:crawl", STATE)
    return Response(b'{"version":%d}' % version, content_type="application/json")
