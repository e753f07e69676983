"""Names that are drawn: ids, tokens, keys. A token names its crawl, so that another crawl's is known for one."""

from __future__ import annotations

import hashlib
import re
import secrets
from base64 import b32encode

from service.store.records import Role

_PLAIN = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_MISREAD = str.maketrans("OIL", "011")
_TOKEN = re.compile(r"(?:gm|pl)_([0-9a-f]{2}[a-z2-7]{20})_[A-Za-z0-9_-]{43}")


def new_id(prefix: str) -> str:
    """80 random bits behind a prefix such as `chr`."""
    return f"{prefix}_{_letters(10)}"


def new_crawl_id(partition: str) -> str:
    """`crl_`, the partition in two hex digits, and 100 random bits."""
    return f"crl_{partition}{_letters(13)[:20]}"


def new_token(role: Role, crawl_id: str) -> str:
    """One that opens this crawl, with 256 random bits."""
    return f"{'gm' if role == 'gm' else 'pl'}_{crawl_id.removeprefix('crl_')}_{secrets.token_urlsafe(32)}"


def new_instance_key() -> str:
    """It names nothing; 256 random bits."""
    return f"ik_{secrets.token_urlsafe(32)}"


def new_ticket() -> str:
    """It names nothing; 256 random bits."""
    return f"tk_{secrets.token_urlsafe(32)}"


def new_pairing_code() -> str:
    """Eight letters and digits that are not taken for one another, 40 random bits: enough for ten minutes."""
    letters = "".join(secrets.choice(_PLAIN) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def pairing_code(typed: str) -> str:
    """A code as it is compared, however it was typed."""
    return "".join(letter for letter in typed.upper().translate(_MISREAD) if letter in _PLAIN)


def crawl_named_by(token: str) -> str | None:
    """The id of the crawl that a token says it belongs to, None for one that is no crawl's."""
    found = _TOKEN.fullmatch(token)
    return f"crl_{found[1]}" if found else None


def hashed(token: str) -> str:
    """The hex SHA-256 by which the store knows a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _letters(count: int) -> str:
    return b32encode(secrets.token_bytes(count)).decode().lower()
