"""Every refusal the service gives: one table of codes, and from an error to the problem document that tells of it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from werkzeug.exceptions import HTTPException

from service.api.errors import ApiError, InvalidParameter, TooManyFailures, TooManyRequests, UnsupportedMediaType
from service.crawls.errors import CrawlsError
from service.rules.errors import Invalid, RulesError
from service.store import errors as store

log = logging.getLogger("alarum.api")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a code stands for."""

    status: int
    title: str
    advice: str


_NOT_THERE = "Look at the path; what belongs to others answers the same."

KINDS: Mapping[str, Kind] = {
    "malformed_json": Kind(400, "Malformed JSON", "Send one JSON document in UTF-8 without double names."),
    "idempotency_key_invalid": Kind(400, "Invalid Idempotency-Key", "Send 1 to 255 visible ASCII characters."),
    "bad_request": Kind(400, "Bad request", "Mend the request as the detail says."),
    "unauthorized": Kind(401, "Unauthorized", "Send a token that is known here: Authorization: Bearer TOKEN."),
    "forbidden": Kind(403, "Forbidden", "Send a token of another kind."),
    "route_not_found": Kind(404, "No such path", "Look at the path in /docs."),
    "crawl_not_found": Kind(404, "No such crawl", _NOT_THERE),
    "round_not_found": Kind(404, "No such round", _NOT_THERE),
    "encounter_not_found": Kind(404, "No such encounter", _NOT_THERE),
    "timer_not_found": Kind(404, "No such timer", _NOT_THERE),
    "declaration_not_found": Kind(404, "No such declaration", _NOT_THERE),
    "character_not_found": Kind(404, "No such character", _NOT_THERE),
    "webhook_not_found": Kind(404, "No such webhook", _NOT_THERE),
    "delivery_not_found": Kind(404, "No such delivery", "A log shows the newest 200 of the last 7 days."),
    "token_not_found": Kind(404, "No such token", _NOT_THERE),
    "ruleset_not_found": Kind(404, "No such ruleset", "GET /v1/rulesets lists those there are."),
    "method_not_allowed": Kind(405, "Method not allowed", "The header Allow lists what the path takes."),
    "illegal_status": Kind(409, "Not in this status", "Resume the crawl first; one that has ended stays as it is."),
    "illegal_move": Kind(409, "No such move now", "After a longer stay, travel."),
    "illegal_alert": Kind(409, "No alert here", "Switch the alert system on first, where the ruleset has one."),
    "illegal_replacement": Kind(409, "Nothing failed there", "Name a check that has failed."),
    "illegal_encounter": Kind(409, "No longer possible", "Undo what was done to the encounter."),
    "illegal_entry_card": Kind(409, "The entry card is locked", "Send unlock: true with the change."),
    "illegal_undo": Kind(409, "Nothing to undo", "Nothing is left to undo."),
    "illegal_redo": Kind(409, "Nothing to redo", "Nothing is left to redo."),
    "illegal_timer": Kind(409, "Too many timers", "Delete a timer first."),
    "illegal_webhook": Kind(409, "Too many webhooks", "Delete a webhook first."),
    "illegal_delivery": Kind(409, "Nothing is sent there now", "Change the webhook's status to active first."),
    "illegal_crawl": Kind(409, "Too many crawls for this key", "Delete a crawl first, or ask for a larger quota."),
    "illegal_token": Kind(409, "Not this token", "Make another GM's token first, or revoke one of too many."),
    "illegal_export": Kind(409, "Too large for one document", "Ask whoever runs this service for a backup."),
    "answer_sealed": Kind(410, "Answer no longer kept", "The first request was carried out; read what it made."),
    "events_trimmed": Kind(410, "Events no longer kept", "Read the crawl, then events from `earliest` on."),
    "stale_crawl": Kind(412, "Somebody was faster", "Read the crawl again, then decide anew."),
    "body_too_large": Kind(413, "Body too large", "Send a smaller body."),
    "uri_too_long": Kind(414, "URI too long", "Send a shorter path and query."),
    "unsupported_media_type": Kind(415, "Unsupported media type", "Send application/json in UTF-8, not packed."),
    "expectation_failed": Kind(417, "Expectation failed", "Send no Expect but 100-continue."),
    "invalid_request": Kind(422, "Invalid request", "Mend what `errors` points at."),
    "idempotency_key_reused": Kind(422, "Idempotency-Key reused", "Send a new key for a new request."),
    "too_many_requests": Kind(429, "Too many requests", "Wait as long as Retry-After says."),
    "quota_exceeded": Kind(429, "Too many rounds for this key", "Wait as long as Retry-After says."),
    "too_many_failures": Kind(429, "Too many failures", "Wait as long as Retry-After says."),
    "too_many_streams": Kind(429, "Too many streams", "Close a stream, or read the list of events instead."),
    "headers_too_large": Kind(431, "Headers too large", "Send fewer and shorter headers."),
    "internal_error": Kind(500, "Internal error", "Tell whoever runs this service the request_id."),
    "transfer_coding_unknown": Kind(501, "Transfer coding unknown", "Send no Transfer-Encoding but chunked."),
    "contention": Kind(503, "Too many changes at once", "Try again with the same Idempotency-Key."),
    "store_unavailable": Kind(503, "Store unavailable", "Try again with the same Idempotency-Key."),
    "not_ready": Kind(503, "Not ready", "The store's settings could lose rounds; mend what the detail names."),
    "store_full": Kind(507, "Store full", "Whoever runs this service must give the store more room."),
}

_OF_STORE: Mapping[type[store.StoreError], str] = {
    store.StoreUnavailable: "store_unavailable",
    store.StoreFull: "store_full",
    store.NewerFormat: "store_unavailable",
    store.CrawlNotFound: "crawl_not_found",
    store.CrawlExists: "contention",
    store.StaleCrawl: "stale_crawl",
    store.IdempotencyKeyReused: "idempotency_key_reused",
    store.AnswerSealed: "answer_sealed",
    store.EventsTrimmed: "events_trimmed",
    store.CrawlTooLarge: "illegal_export",
    store.WebhookNotFound: "webhook_not_found",
    store.TooManyCrawls: "illegal_crawl",
    store.TooManyRounds: "quota_exceeded",
    store.WebhookInactive: "illegal_delivery",
    store.TooManyWebhooks: "illegal_webhook",
    store.BadCursor: "invalid_request",
}
_OF_HTTP: Mapping[int, str] = {
    404: "route_not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
}


class NotReady(Exception):
    """The store answers, but could lose what it acknowledges."""

    code = "not_ready"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Problem:
    """A refusal, ready to be told: `more` are members of its own, `headers` those its status calls for."""

    code: str
    detail: str
    errors: tuple[Mapping[str, str], ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        return KINDS[self.code].status

    def document(self, base: str, request_id: str) -> dict[str, Any]:
        """The RFC 9457 document; its type is explained on this instance's own page."""
        kind = KINDS[self.code]
        document = {
            "type": f"{base}/docs/errors#{self.code}",
            "title": kind.title,
            "status": kind.status,
            "detail": self.detail,
            "code": self.code,
            "request_id": request_id,
            **self.more,
        }
        return document | {"errors": list(self.errors)} if self.errors else document


def problem_of(error: Exception) -> Problem:
    """What to tell of an error. One that nobody foresaw is logged, without its message: that may hold what was sent."""
    match error:
        case InvalidParameter():
            fault = {"pointer": f"/{error.parameter}", "parameter": error.parameter, "detail": error.detail}
            return Problem(error.code, error.detail, (fault,))
        case ApiError():
            return Problem(error.code, error.detail, _told(error.faults), headers=_headers_of(error))
        case Invalid():
            return Problem(error.code, error.detail, _told(error.faults))
        case RulesError() | CrawlsError() | NotReady():
            return Problem(error.code, error.detail, headers=_headers_for(error.code))
        case store.BadCursor():
            fault = {"pointer": "/after", "parameter": "after", "detail": str(error)}
            return Problem("invalid_request", str(error), (fault,))
        case store.EventsTrimmed():
            return Problem("events_trimmed", str(error), more={"earliest": error.earliest})
        case store.TooManyRounds():
            return Problem("quota_exceeded", str(error), headers={"Retry-After": str(error.seconds)})
        case store.StoreError():
            code = _OF_STORE.get(type(error), "store_unavailable")
            return Problem(code, str(error), headers=_headers_for(code))
        case HTTPException() if error.code is not None and error.code < 500:
            return _of_http(error)
    log.error("%s\n%s", type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
    return Problem("internal_error", "Something went wrong here, and nothing can be done about it from outside.")


def _told(faults: tuple[Any, ...]) -> tuple[Mapping[str, str], ...]:
    return tuple({"pointer": fault.pointer, "detail": fault.detail} for fault in faults)


def _headers_of(error: ApiError) -> dict[str, str]:
    if isinstance(error, UnsupportedMediaType):
        return {"Accept": ", ".join(error.accepted)}
    if isinstance(error, TooManyFailures | TooManyRequests):
        return {"Retry-After": str(error.seconds)}
    return {}


def _headers_for(code: str) -> dict[str, str]:
    if code == "unauthorized":
        return {"WWW-Authenticate": 'Bearer realm="alarum"'}
    if code == "too_many_streams":
        return {"Retry-After": "5"}
    return {"Retry-After": "1"} if KINDS[code].status == 503 else {}


def _of_http(error: HTTPException) -> Problem:
    code = _OF_HTTP.get(error.code or 400, "bad_request")
    kept = {"Allow", "Retry-After"}
    headers = {name: value for name, value in error.get_headers() if name in kept}
    return Problem(code, KINDS[code].advice, headers=headers)
