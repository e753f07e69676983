"""How an answer is kept with its idempotency key, and given again."""

from __future__ import annotations

import os
from collections.abc import Sequence

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from service.store import keys
from service.store.errors import AnswerSealed
from service.store.records import Answer, Idempotency

_NONCE_BYTES = 12


def kept_under(partition: int, idempotency: Idempotency | None) -> list[str]:
    """KEYS 1 and 2 of every script; without an idempotency key, two of the same slot that nobody writes."""
    scope = idempotency.scope if idempotency else "-"
    return [keys.idempotency(partition, scope), keys.sealed(partition, scope)]


def as_kept(idempotency: Idempotency | None, answer: Answer | None) -> list[str | bytes | int]:
    """ARGV 1 to 8 of every script that writes."""
    if idempotency is None:
        return [""] * 8
    if answer is None:
        raise ValueError("an idempotency key keeps an answer, and there is none")
    body = b"" if answer.body is None else orjson.dumps(answer.body)
    if answer.secret:
        nonce = os.urandom(_NONCE_BYTES)
        body = nonce + AESGCM(idempotency.seal).encrypt(nonce, body, idempotency.scope.encode())
    return [
        idempotency.fingerprint,
        answer.status,
        answer.etag or "",
        answer.location or "",
        "1" if answer.secret else "",
        body,
        keys.IDEMPOTENCY_SECONDS,
        keys.SEALED_SECONDS,
    ]


def given_again(reply: Sequence[bytes | None], idempotency: Idempotency) -> Answer:
    """The answer in a script's `REPLAY`. AnswerSealed once a secret one's body is gone."""
    _, status, etag, location, secret, body = reply
    if secret and body is None:
        raise AnswerSealed
    if secret and body:
        body = _unsealed(body, idempotency)
    return Answer(
        status=int(status or 0),
        body=orjson.loads(body) if body else None,
        etag=_text(etag),
        location=_text(location),
        secret=bool(secret),
        replayed=True,
    )


def _unsealed(body: bytes, idempotency: Idempotency) -> bytes:
    nonce, sealed = body[:_NONCE_BYTES], body[_NONCE_BYTES:]
    try:
        return AESGCM(idempotency.seal).decrypt(nonce, sealed, idempotency.scope.encode())
    except InvalidTag:
        raise AnswerSealed from None


def _text(value: bytes | None) -> str | None:
    return value.decode() if value else None
