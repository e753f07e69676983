"""What a route is. Flask's rules and the OpenAPI document are both made from these records, so they cannot differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from marshmallow import Schema

from service.api.incoming import MOST_BYTES
from service.api.limits import Limiter
from service.api.query import Parameter
from service.api.schemas.shape import Loading
from service.crawls.entering import Entered, Now
from service.crawls.streaming import Hub, Stream
from service.crawls.webhooks import Send
from service.store.crawls import CrawlStore
from service.store.records import Answer, Idempotency, Role
from service.webhooks.addresses import Networks

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
EVERYONE: tuple[Role, ...] = ("gm", "player")


@dataclass(frozen=True, slots=True)
class Service:
    """What views work with. `public_url` is None where the request's Host says where we are."""

    store: CrawlStore
    hub: Hub
    now: Now
    send: Send
    webhook_allow: Networks
    limiter: Limiter
    public_url: str | None
    open_registration: bool
    open_figures: bool
    figures_token: str | None
    counts_failures: bool
    strict: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: the path's names, the query, and the body as its shape loaded it."""

    service: Service
    names: Mapping[str, str]
    query: Mapping[str, Any]
    body: Any


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks for something outside any crawl; `owner` is the id of their instance key, "" without one."""

    owner: str
    idempotency: Idempotency | None


@dataclass(frozen=True, slots=True)
class InCrawl:
    """A route of one crawl: who may take it, and what of the crawl is to be read along (`crawls.entering`).

    `ticket`: whoever sends no token may come with a ticket in the query. `reads`: it changes nothing, though no GET.
    """

    roles: tuple[Role, ...]
    pending: bool = False
    last_step: bool = False
    last_undone: bool = False
    ticket: bool = False
    reads: bool = False


@dataclass(frozen=True, slots=True)
class AtInstance:
    """A route of the instance, with an instance key: always, where registration is not open, or never. The figures have
    a token of their own."""

    key: Literal["always", "registration", "never", "figures"]


@dataclass(frozen=True, slots=True)
class Text:
    """An answer that is no JSON, whole."""

    content: bytes
    media_type: str


Reply = Answer | Stream | Text
CrawlView = Callable[[Entered, Asked], Answer | Stream]
InstanceView = Callable[[Caller, Asked], Answer | Text]


@dataclass(frozen=True, slots=True)
class Body:
    """A body that a route takes, of `most` bytes. An optional one may be missing: then it is an empty object."""

    shape: Loading
    optional: bool = False
    patch: bool = False
    most: int = MOST_BYTES

    @property
    def longest_text(self) -> int:
        """How many characters a text in it may have: a sixteenth of the whole, 4,096 in most bodies."""
        return self.most // 16

    @property
    def media_types(self) -> tuple[str, ...]:
        return ("application/json", "application/merge-patch+json") if self.patch else ("application/json",)


@dataclass(frozen=True, slots=True)
class Written:
    """In place of a schema: an answer that is no JSON, as what, and how it begins. It has no tag."""

    media_type: str
    example: str


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path. `answers` has the schema of each good status, `refuses` its own codes of refusal."""

    method: Method
    path: str
    operation_id: str
    summary: str
    tag: str
    access: InCrawl | AtInstance
    view: Callable[..., Reply]
    answers: Mapping[int, type[Schema] | Written | None]
    body: Body | None = None
    query: tuple[Parameter, ...] = ()
    refuses: tuple[str, ...] = ()

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    @property
    def is_json(self) -> bool:
        return not any(isinstance(answer, Written) for answer in self.answers.values())

    @property
    def about(self) -> str:
        """The view's docstring, which is what the reference says of the route."""
        return " ".join((self.view.__doc__ or "").split())


@dataclass(slots=True)
class Routes:
    """The routes of one resource, in the order written."""

    tag: str
    about: str
    _routes: list[Route] = field(default_factory=list)

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes)

    def crawl(
        self, method: Method, path: str, operation_id: str, summary: str, access: InCrawl, **more: Any
    ) -> Callable[[CrawlView], CrawlView]:
        """A view below /v1/crawls/{crawl}."""

        def keep(view: CrawlView) -> CrawlView:
            whole = f"/v1/crawls/{{crawl}}{path}"
            self._routes.append(Route(method, whole, operation_id, summary, self.tag, access, view, **more))
            return view

        return keep

    def instance(
        self, method: Method, path: str, operation_id: str, summary: str, access: AtInstance, **more: Any
    ) -> Callable[[InstanceView], InstanceView]:
        """A view outside any crawl."""

        def keep(view: InstanceView) -> InstanceView:
            self._routes.append(Route(method, path, operation_id, summary, self.tag, access, view, **more))
            return view

        return keep
