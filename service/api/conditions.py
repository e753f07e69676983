"""What a request's headers make it depend on: If-Match, If-None-Match and Idempotency-Key."""

from __future__ import annotations

import hashlib
import hmac
import re
from uuid import UUID

from service.api.errors import IdempotencyKeyInvalid
from service.store.records import Idempotency

_VISIBLE = re.compile(r"[!-~]{1,255}")
_TAG = re.compile(r'(?:W/)?("[^"]*")')


def idempotency_of(
    header: str | None, *, token: str | None, method: str, path: str, query: bytes, body: bytes
) -> Idempotency | None:
    """The Idempotency-Key as the store needs it, scoped to who asks for what; None without one.

    Whoever has no token shares a scope with all others who have none: there the key must be a UUID, or one could guess
    another's and be given their answer.
    """
    if header is None:
        return None
    key = _key(header)
    if token is None:
        _verify_uuid(key)
    asker = hashlib.sha256(token.encode()).digest() if token else b""
    scope = hashlib.sha256(b"\n".join((asker, method.encode(), path.encode(), key.encode())))
    fingerprint = hashlib.sha256(hashlib.sha256(query).digest() + body)
    # Neither the scope nor anything else that is stored tells this.
    seal = hmac.digest((token or "").encode() + b"\n" + key.encode(), b"alarum: answers with secrets", "sha256")
    return Idempotency(scope.hexdigest(), fingerprint.hexdigest(), seal)


def has_none_match(header: str | None, etag: str) -> bool:
    """Whether If-None-Match names this tag, so that the reader has it already (weak comparison, RFC 9110 13.1.2)."""
    return header is not None and (header.strip() == "*" or etag in _TAG.findall(header))


def _key(header: str) -> str:
    key = header.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if not _VISIBLE.fullmatch(key):
        raise IdempotencyKeyInvalid("An Idempotency-Key is 1 to 255 visible ASCII characters; send such a one.")
    return key


def _verify_uuid(key: str) -> None:
    try:
        canonical = str(UUID(key))
    except ValueError:
        canonical = ""
    if canonical != key.lower():
        raise IdempotencyKeyInvalid("Without a token an Idempotency-Key must be a UUID; send such a one.")
