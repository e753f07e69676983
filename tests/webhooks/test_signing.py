"""What we sign, the Standard Webhooks library verifies; what was touched on the way, it refuses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from service.webhooks import signing
from service.webhooks.messages import Message

SECRET = signing.new_secret()
MESSAGE = Message("msg_7", "encounter.triggered", '{"id":"evt_1","data":{"name":"Zoë"}}'.encode())


def signed(*secrets: str, at: datetime | None = None) -> dict[str, str]:
    return MESSAGE.headers(secrets or [SECRET], at or datetime.now(UTC))


def test_the_library_verifies_what_is_signed() -> None:
    assert Webhook(SECRET).verify(MESSAGE.body, signed()) == {"id": "evt_1", "data": {"name": "Zoë"}}


def test_the_specification_s_own_example_has_our_signature() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    assert (
        signing.signature([secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


def test_while_a_secret_is_replaced_the_old_and_the_new_one_verify() -> None:
    new = signing.new_secret()
    headers = signed(new, SECRET)
    assert Webhook(new).verify(MESSAGE.body, headers) == Webhook(SECRET).verify(MESSAGE.body, headers)


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "msg_8"},
        {"webhook-timestamp": "1"},
        {"webhook-signature": signing.signature([signing.new_secret()], MESSAGE.id, 1, MESSAGE.body)},
    ],
)
def test_a_changed_header_does_not_verify(changed: dict[str, str]) -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(MESSAGE.body, signed() | changed)


def test_a_changed_byte_does_not_verify() -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(MESSAGE.body.replace(b"evt_1", b"evt_2"), signed())


@pytest.mark.parametrize("seconds", [-301, 301])
def test_what_is_five_minutes_off_does_not_verify(seconds: int) -> None:
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(MESSAGE.body, signed(at=datetime.now(UTC) + timedelta(seconds=seconds)))


def test_every_try_keeps_the_id_and_has_a_timestamp_and_signature_of_its_own() -> None:
    first, second = (signed(at=datetime(2026, 12, 1, 20, 0, second, tzinfo=UTC)) for second in (0, 5))
    assert first["webhook-id"] == second["webhook-id"]
    assert int(second["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 5
    assert first["webhook-signature"] != second["webhook-signature"]


def test_secrets_are_32_random_bytes() -> None:
    assert SECRET.startswith("whsec_")
    assert len(SECRET) == len("whsec_") + 44
    assert signing.new_secret() != SECRET
