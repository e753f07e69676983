"""What is asked of a whole store, be it one server or a cluster."""

from __future__ import annotations

from redis import Redis

from service.store.cluster import nodes


def all_keys(redis: Redis, match: str = "*") -> list[bytes]:
    return [key for node in nodes(redis) for key in node.scan_iter(match)]


def config_set(redis: Redis, name: str, value: str | int) -> None:
    for node in nodes(redis):
        node.config_set(name, value)


def forget_scripts(redis: Redis) -> None:
    for node in nodes(redis):
        node.script_flush()


def forget_everything(redis: Redis) -> None:
    for node in nodes(redis):
        node.flushall()


def listeners(redis: Redis, channel: str) -> int:
    return sum(node.pubsub_numsub(channel)[0][1] for node in nodes(redis))
