"""Redis Clusters of real servers on loopback, put together by their own commands."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError, ResponseError

from service.store.keys import keys_of
from service.store.server_process import die_with_parent, server_binary

NODE_TIMEOUT_MS = 1_000
SLOTS = 16_384


@dataclass
class Node:
    """One server of a cluster. `redis` is a line to it alone."""

    port: int
    process: subprocess.Popen[bytes]
    redis: Redis

    @property
    def id(self) -> str:
        return str(self.redis.cluster("MYID").decode())

    @property
    def role(self) -> str:
        return str(self.redis.info("replication")["role"])

    def ask(self, *command: str | int) -> Any:
        return self.redis.execute_command(*command)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Nodes:
    """The primaries, each with a third of the slots, then their replicas."""

    all: list[Node]

    @property
    def url(self) -> str:
        return f"redis+cluster://{','.join(f'127.0.0.1:{node.port}' for node in self.all)}"

    def owner_of(self, crawl_id: str) -> Node:
        """The node with the crawl's slot, as the living nodes have it."""
        return self._owner(slot_of(crawl_id))

    def migrate(self, crawl_id: str, to: Node) -> None:
        """Moves the crawl's slot with its keys, one after the other, as redis-cli and operators do."""
        slot, source = slot_of(crawl_id), self.owner_of(crawl_id)
        to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id)
        while names := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 3):
            source.ask("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "KEYS", *names)
        for node in (to, source, *(node for node in self.all if node not in (to, source) and node.role == "master")):
            node.ask("CLUSTER", "SETSLOT", slot, "NODE", to.id)

    def _owner(self, slot: int) -> Node:
        living = [node for node in self.all if node.process.poll() is None]
        for first, last, primary, *_ in living[-1].ask("CLUSTER", "SLOTS"):
            if first <= slot <= last:
                return next(node for node in self.all if node.port == primary[1])
        raise AssertionError(f"nobody has slot {slot}")


def slot_of(crawl_id: str) -> int:
    return key_slot(keys_of(crawl_id).crawl.encode())


@contextmanager
def cluster(
    folder: Path, *, primaries: int = 3, replicas: int = 0, client: Mapping[str, Any] | None = None, **settings: str
) -> Iterator[Nodes]:
    """A cluster that is whole; the replicas belong to the first primaries, one to each. `client` is how to speak to it:
    `ssl` makes it a cluster with TLS."""
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(_node(folder / str(number), settings, client or {}))
            for number in range(primaries + replicas)
        ]
        for number, node in enumerate(nodes[:primaries]):
            node.ask("CLUSTER", "ADDSLOTSRANGE", SLOTS * number // primaries, SLOTS * (number + 1) // primaries - 1)
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in nodes[1:]:
            bus = int(nodes[0].redis.config_get("cluster-port")["cluster-port"])
            node.ask("CLUSTER", "MEET", "127.0.0.1", nodes[0].port, bus)
        until(lambda: all(node.ask("CLUSTER INFO")["cluster_known_nodes"] == str(len(nodes)) for node in nodes))
        for replica, primary in zip(nodes[primaries:], nodes, strict=False):
            until(lambda r=replica, p=primary: _follows(r, p))  # type: ignore[misc]
        until(lambda: all(_is_whole(node, len(nodes)) for node in nodes))
        yield Nodes(nodes)


def until(true: Callable[[], object], seconds: float = 15) -> None:
    """Polls until it is true; fails when that takes too long."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def server(folder: Path, settings: dict[str, str], client: Callable[[], Redis]) -> Iterator[subprocess.Popen[bytes]]:
    """A server with these settings, once it answers; it ends with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    binary = os.environ.get("ALARUM_TEST_SERVER") or str(server_binary())
    options = {"dir": str(folder), "save": "", "databases": "1", **settings}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [binary, *(part for name, value in options.items() for part in (f"--{name}", value))],
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent(os.getpid()),
        )
    try:
        until(lambda: process.poll() is not None or _answers(client()))
        assert process.poll() is None, (folder / "log").read_text()
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _node(folder: Path, settings: dict[str, str], client: Mapping[str, Any]) -> Iterator[Node]:
    port = free_port()
    told = {
        **({"port": "0", "tls-port": str(port)} if "ssl" in client else {"port": str(port)}),
        "bind": "127.0.0.1",
        "cluster-enabled": "yes",
        "cluster-port": str(free_port()),
        "cluster-node-timeout": str(NODE_TIMEOUT_MS),
        "appendonly": "yes",
        "repl-diskless-sync-delay": "0",
        **settings,
    }
    with (
        Redis(port=port, protocol=2, socket_timeout=10, **client) as redis,
        server(folder, told, lambda: redis) as process,
    ):
        yield Node(port, process, redis)


def _answers(redis: Redis) -> bool:
    try:
        return bool(redis.ping())
    except RedisError:
        return False


def _follows(replica: Node, primary: Node) -> bool:
    try:
        replica.ask("CLUSTER", "REPLICATE", primary.id)
    except ResponseError:  # it has not heard of the primary yet
        return False
    return True


def _is_whole(node: Node, count: int) -> bool:
    """Whether the node knows all of them by their slots, and hears its primary."""
    link = node.redis.info("replication").get("master_link_status", "up")
    known = {id_ for _, _, *nodes in node.ask("CLUSTER", "SLOTS") for _, _, id_, *_ in nodes}
    return node.ask("CLUSTER INFO")["cluster_state"] == "ok" and link == "up" and len(known) == count
