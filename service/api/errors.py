"""Refusals that belong to HTTP itself. What they are answered with stands in `problems.py`."""

from __future__ import annotations

from service.rules.errors import Fault


class ApiError(Exception):
    """A request refused before any use case saw it. `faults` point into the body."""

    code = "invalid_request"

    def __init__(self, detail: str, *faults: Fault) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults = faults


class MalformedJson(ApiError):
    """The body is no JSON that two readers would understand alike."""

    code = "malformed_json"

    def __init__(self, detail: str, pointer: str = "") -> None:
        super().__init__(detail, Fault(pointer, detail))


class IdempotencyKeyInvalid(ApiError):
    """An Idempotency-Key that cannot be one."""

    code = "idempotency_key_invalid"


class BodyTooLarge(ApiError):
    """More bytes than the route takes."""

    code = "body_too_large"


class UnsupportedMediaType(ApiError):
    """A body that is not JSON in UTF-8, or is packed. `accepted` lists what the route takes."""

    code = "unsupported_media_type"

    def __init__(self, detail: str, accepted: tuple[str, ...]) -> None:
        super().__init__(detail)
        self.accepted = accepted


class InvalidRequest(ApiError):
    """Readable, but not what the schema asks for."""

    code = "invalid_request"

    def __init__(self, *faults: Fault) -> None:
        super().__init__(faults[0].detail, *faults)


class InvalidParameter(ApiError):
    """A query parameter that cannot be used."""

    code = "invalid_request"

    def __init__(self, parameter: str, detail: str) -> None:
        super().__init__(detail, Fault(f"/{parameter}", detail))
        self.parameter = parameter


class TooManyRequests(ApiError):
    """More in this minute than one sender may; `seconds` until the next."""

    code = "too_many_requests"

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many requests came with this token, or from your address; wait {seconds} s.")
        self.seconds = seconds


class TooManyFailures(ApiError):
    """Too many bad tokens from one address; `seconds` until the next try."""

    code = "too_many_failures"

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many unknown tokens came from your address; wait {seconds} s, then try again.")
        self.seconds = seconds
