"""The store behind the service: one of its own in the data folder, or the running one that the operator names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from service.serving.announcement import say
from service.serving.errors import CannotServe
from service.settings import Settings
from service.store.address import shown
from service.store.durability import durability
from service.store.embedded import EmbeddedStore
from service.store.errors import StoreUnavailable
from service.store.folder import EmbeddedError, Folder
from service.store.opening import open_store


@dataclass(frozen=True, slots=True)
class Store:
    """A store that answers: its address, and `place`, its address for people (no password in it).

    `own` is the server that we are the parent of, None where the store is not ours.
    """

    url: str
    place: str
    own: EmbeddedStore | None = None

    def tend(self) -> bool:
        """Starts our own again if it has died, and says whether it had. EmbeddedError when it cannot be started."""
        if self.own is None or self.own.alive():
            return False
        self.own.restart()
        return True


@contextmanager
def store_for(settings: Settings) -> Iterator[Store]:
    """The store while the service runs; our own is stopped on the way out. CannotServe when there is none."""
    if settings.redis is not None:
        place = shown(settings.redis)
        try:
            _look_over(settings.redis, strict=settings.strict)
        except StoreUnavailable:
            raise _nobody_at(place) from None
        yield Store(settings.redis, place)
        return
    own = EmbeddedStore(settings.data_dir)
    try:
        own.start()
    except EmbeddedError as error:
        raise CannotServe(str(error)) from None
    try:
        yield Store(own.url, str(settings.data_dir.resolve()), own)
    finally:
        own.stop()


def look_over(settings: Settings) -> None:
    """Says what may lose rounds in the settings of the store that others run; CannotServe where `strict` refuses it.

    A store that is away is no reason not to begin: it is waited for, and /ready says what is to be said of it.
    """
    if settings.redis is not None:
        with suppress(StoreUnavailable):
            _look_over(settings.redis, strict=settings.strict)


@contextmanager
def visit(settings: Settings) -> Iterator[str]:
    """The address of the service's store for one command, whether the service runs or not."""
    url = settings.redis or Folder(settings.data_dir).url
    if _answers(url):
        yield url
    elif settings.redis:
        raise _nobody_at(shown(settings.redis))
    else:
        with store_for(settings) as store:
            yield store.url


def _answers(url: str) -> bool:
    try:
        open_store(url).keyring.list()
    except StoreUnavailable:
        return False
    return True


def _look_over(url: str, *, strict: bool) -> None:
    findings = durability(open_store(url).redis)
    if strict and any(finding.grave for finding in findings):
        raise CannotServe(" ".join(finding.detail for finding in findings if finding.grave))
    for finding in findings:
        say(finding.detail)


def _nobody_at(place: str) -> CannotServe:
    """Or its password or database is wrong: an open store says no more than that it cannot be had."""
    return CannotServe(f"No Redis or Valkey answers at {place}, or it turns us away. Start it, or correct --redis.")
