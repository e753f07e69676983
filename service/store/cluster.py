"""A Redis Cluster, spoken to as if it were one server.

redis-py has a client for clusters, which sends a lost pipeline again, whatever is said of retries, and its connections
are not ours. This one keeps the one promise that commits rest on: what may have run is never sent a second time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from redis import Redis
from redis import exceptions as errors
from redis.client import Pipeline
from redis.crc import key_slot

from service.store.address import Place

REDIRECTIONS = 16
"""How often one command is sent on, from node to node, before the cluster counts as away."""
SPLIT_PAUSE = 0.025
"""Seconds until a command is tried again whose keys are just being moved, one after the other, to another node."""

_AWAY = (errors.ConnectionError, errors.TimeoutError)
_ANYWHERE = {"PING", "PUBLISH"}
_SCRIPTS = {"EVAL", "EVALSHA"}


class Cluster(Redis):
    """Commands go to the node that has their key, and all keys of one command lie in one slot; PUBLISH goes to any.

    Who has which slot is asked for when first needed, and again when a node is away; MOVED and ASK are followed. Does
    not connect before it is used. Pipelines are for reading: each of their commands stands for itself.
    """

    def __init__(self, places: Sequence[Place], client: Callable[[Place], Redis]) -> None:
        """`places` are some of the nodes; `client` makes the client of one."""
        self._client = client
        self._clients: dict[Place, Redis] = {}
        self._seeds = tuple(places)
        self._places: tuple[Place, ...] = ()  # the cluster's own word; those that were away last stand at the end
        self._owners: dict[int | None, Place] = {}
        super().__init__(connection_pool=self._at(places[0]).connection_pool)

    def close(self) -> None:
        for client in self._clients.values():
            client.close()

    def nodes(self) -> tuple[Redis, ...]:
        """All nodes that the cluster has now, replicas too."""
        self._learn()
        return tuple(self._at(place) for place in self._places)

    def execute_command(self, *command: Any, **options: Any) -> Any:
        """What the right node answers. Sent again only by a node's word, or for want of a line, that it has not run."""
        slot = _slot_of(command)
        place, asking = self._owner(slot), False
        for _ in range(REDIRECTIONS):
            try:
                connection = self._at(place).connection_pool.get_connection()
            except _AWAY:
                self._forget(place)
                if place == (place := self._owner(slot)):
                    raise
                continue
            try:
                return _send(self._at(place), connection, command, options, asking=asking)
            except errors.MovedError as moved:
                place, asking = Place(moved.host or place.host, moved.port), False
                self._owners[moved.slot_id] = place
            except errors.AskError as ask:
                place, asking = Place(ask.host or place.host, ask.port), True
            except errors.TryAgainError:
                time.sleep(SPLIT_PAUSE)
            except (*_AWAY, errors.ClusterDownError):
                self._forget(place)
                raise
        raise errors.ClusterError("sent from node to node without an end")

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Pipeline:
        return _Gathered(self)

    def pubsub(self, **options: Any) -> Any:
        """A subscription at one of the nodes: what is published anywhere reaches them all."""
        return self._at(self._owner(None)).pubsub(**options)  # type: ignore[no-untyped-call]

    def together(self, commands: Sequence[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
        """The answers of several commands, in one round trip to each node that is concerned."""
        shares: dict[Place, list[int]] = {}
        for number, (command, _) in enumerate(commands):
            shares.setdefault(self._owner(_slot_of(command)), []).append(number)
        answers: dict[int, Any] = {}
        for place, numbers in shares.items():
            pipe = self._at(place).pipeline(transaction=False)
            for number in numbers:
                command, options = commands[number]
                pipe.execute_command(*command, **options)  # type: ignore[no-untyped-call]
            try:
                answers.update(zip(numbers, pipe.execute(raise_on_error=False), strict=True))
            except _AWAY:
                self._forget(place)
                raise
        for number, answer in answers.items():
            if isinstance(answer, (errors.AskError, errors.TryAgainError)):
                command, options = commands[number]
                answers[number] = self.execute_command(*command, **options)
            elif isinstance(answer, Exception):
                raise answer
        return [answers[number] for number in range(len(commands))]

    def _at(self, place: Place) -> Redis:
        if place not in self._clients:
            self._clients[place] = self._client(place)
        return self._clients[place]

    def _owner(self, slot: int | None) -> Place:
        if slot not in self._owners:
            self._learn()
        owner = self._places[0] if slot is None else self._owners.get(slot)
        if owner is None:
            raise errors.ClusterDownError("nobody has the slot")
        return owner

    def _learn(self) -> None:
        """Asks one node after the other who has which slot, until one knows."""
        for asked in (*self._places, *self._seeds):
            try:
                ranges: Any = self._at(asked).execute_command("CLUSTER SLOTS")  # type: ignore[no-untyped-call]
            except (*_AWAY, errors.ResponseError):  # the latter of a server that belongs to no cluster
                self._forget(asked)
                continue
            if ranges:
                self._keep(asked, ranges)
                return
        raise errors.ClusterError("no node knows who has which slot")

    def _keep(self, asked: Place, ranges: Any) -> None:
        """`ranges`: first slot, last slot, then its nodes, the primary first: host, port and more of each."""
        owners: dict[int | None, Place] = {}
        found: dict[Place, None] = {}
        for first, last, *nodes in ranges:
            places = [Place((host or b"").decode() or asked.host, port) for host, port, *_ in nodes]
            found.update(dict.fromkeys(places))
            owners.update(dict.fromkeys(range(first, last + 1), places[0]))
        self._places = (*(place for place in self._places if place in found), *(found.keys() - set(self._places)))
        self._owners = owners

    def _forget(self, place: Place) -> None:
        """Who has which slot is asked anew, and this node last."""
        self._owners = {}
        if place in self._places:
            self._places = (*(each for each in self._places if each != place), place)


class _Gathered(Pipeline):
    """Commands that are sent when all are there."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster.connection_pool, cluster.response_callbacks, transaction=False, shard_hint=None)
        self._cluster = cluster

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        commands, self.command_stack = self.command_stack, []
        return self._cluster.together(commands)


def nodes(redis: Redis) -> tuple[Redis, ...]:
    """Every server behind a client: one, or the nodes of its cluster."""
    return redis.nodes() if isinstance(redis, Cluster) else (redis,)


def _send(client: Redis, connection: Any, command: Any, options: Any, *, asking: bool) -> Any:
    """What a node answers. A connection on which anything goes wrong has hung up by itself before it is given back."""
    try:
        if asking:
            connection.send_command("ASKING")
            connection.read_response()
        connection.send_command(*command)
        return client.parse_response(connection, command[0], **options)  # type: ignore[no-untyped-call]
    finally:
        client.connection_pool.release(connection)


def _slot_of(command: Sequence[Any]) -> int | None:
    """The slot of the command's first key; None where any node will do."""
    name = command[0]
    if name in _ANYWHERE:
        return None
    key = command[3 if name in _SCRIPTS else 1]
    return key_slot(key if isinstance(key, bytes) else str(key).encode())
