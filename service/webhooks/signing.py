"""Signatures after Standard Webhooks 1.0: a receiver's library verifies them, and refuses what is five minutes old."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets as chance
from collections.abc import Sequence

PREFIX = "whsec_"


def new_secret() -> str:
    """A webhook's secret: 32 random bytes, as receivers' libraries take it."""
    return PREFIX + base64.b64encode(chance.token_bytes(32)).decode()


def signature(secrets: Sequence[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The header's value, one `v1,…` for each secret, the newest first: during a rotation both verify."""
    signed = b"%s.%d.%s" % (message_id.encode(), timestamp, body)
    return " ".join(f"v1,{_mac(secret, signed)}" for secret in secrets)


def _mac(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
