"""Each format sends what its receivers read, to where they take it, and knows what their answers mean."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.webhooks import client, messages
from service.webhooks.client import Verdict
from service.webhooks.formats import FORMATS
from service.webhooks.reading import Reading
from tests.webhooks.telling import LOOPBACK, hook

NOW = datetime(2026, 12, 1, 20, 0, tzinfo=UTC)
DAY = 24 * 3600.0
EVENT: dict[str, Any] = {
    "id": "evt_1",
    "type": "timer.expired",
    "timestamp": "2026-12-01T20:00:00.000Z",
    "crawl": "crl_07a",
    "data": {"timer": {"id": "tmr_1", "name": "Torch", "kind": "light", "at": 1800}},
}
Start = Callable[..., Any]


def read(form: str, status: int | None, snippet: str = "", error: str | None = None, **headers: str) -> Reading:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return FORMATS[form].read(Verdict(status, 3, error, named, snippet), NOW)


def body(form: str, event: dict[str, Any], sequence: int | None = 7) -> Any:
    return orjson.loads(FORMATS[form].body(event, sequence, "gm"))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_has_arrived(form: str, status: int) -> None:
    assert read(form, status, "ok") == Reading("arrived")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_tried_again_and_says_that_it_is_not_followed(form: str, status: int) -> None:
    assert read(form, status) == Reading("again", f"the receiver answered {status}, and redirects are not followed")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("status", [402, 405, 408, 413, 500, 502, 503, 504, 599])
def test_other_failures_are_tried_again(form: str, status: int) -> None:
    assert read(form, status, "rollup_error") == Reading("again", f"the receiver answered {status}")


@pytest.mark.parametrize("form", FORMATS)
def test_who_gave_no_answer_is_asked_again_unless_the_url_is_none(form: str) -> None:
    assert read(form, None, error="timeout") == Reading("again", "timeout")
    assert read(form, None) == Reading("again", "no answer")
    assert read(form, None, error="bad_url") == Reading("refused", "bad_url")


@pytest.mark.parametrize("form", FORMATS)
def test_410_ends_the_webhook(form: str) -> None:
    assert read(form, 410) == Reading("gone", "the receiver answered 410 Gone")


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_standard_receiver_may_yet_come_to_its_senses(status: int) -> None:
    assert read("standard", status) == Reading("again", f"the receiver answered {status}")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("60", 60),
        ("0", None),
        ("-1", None),
        ("soon", None),
        ("nan", None),
        ("9" * 256, DAY),
        (format_datetime(NOW + timedelta(hours=2), usegmt=True), 7200),
        (format_datetime(NOW - timedelta(hours=2), usegmt=True), None),
    ],
)
def test_retry_after_is_heeded_on_429_and_503(form: str, status: int, value: str, wait: float | None) -> None:
    assert read(form, status, retry_after=value) == Reading("again", f"the receiver answered {status}", wait)
    assert read(form, 500, retry_after=value).wait is None


@pytest.mark.parametrize("status", [401, 403, 404])
def test_discord_is_never_asked_again_what_it_forbids(status: int) -> None:
    reading = read("discord", status, '{"message": "Unknown Webhook", "code": 10015}')
    assert (reading.meaning, reading.wait) == ("gone", None)
    assert f"Discord answered {status}" in reading.reason


def test_what_discord_does_not_take_it_never_takes() -> None:
    assert read("discord", 400).meaning == "refused"
    assert "400" in read("discord", 400).reason


@pytest.mark.parametrize(
    ("snippet", "headers", "wait"),
    [
        ('{"message": "…", "retry_after": 0.65, "global": false}', {"retry_after": "1"}, 0.65),
        ('{"retry_after": 64}', {}, 64),
        ('{"retry_after": 1000000}', {}, DAY),
        ('{"retry_after": 0}', {"retry_after": "2"}, 2),
        ('{"retry_after": -5}', {"retry_after": "2"}, 2),
        ('{"retry_after": true}', {"retry_after": "2"}, 2),
        ('{"retry_after": [1]}', {"retry_after": "2"}, 2),
        ('{"retry_after": 1e400}', {"retry_after": "2"}, 2),
        ('{"retry_after": NaN}', {"retry_after": "2"}, 2),
        (f'{{"retry_after": {"9" * 400}}}', {"retry_after": "2"}, 2),
        ("[1]", {"retry_after": "2"}, 2),
        ("[" * 1024, {"retry_after": "2"}, 2),
        ("<html>error 1015</html>", {"retry_after": "2"}, 2),
        ("", {"x_ratelimit_reset_after": "1.5"}, 1.5),
        ("", {"retry_after": "garbage", "x_ratelimit_reset_after": "1.5"}, 1.5),
        ("", {"x_ratelimit_reset_after": "inf"}, None),
        ("", {"x_ratelimit_reset_after": "-1"}, None),
        ("", {}, None),
    ],
)
def test_discord_s_429_says_for_how_long(snippet: str, headers: dict[str, str], wait: float | None) -> None:
    assert read("discord", 429, snippet, **headers) == Reading("again", "the receiver answered 429", wait)


@pytest.mark.parametrize(
    ("remaining", "reset", "wait"),
    [
        ("0", "1.25", 1.25),
        (" 0 ", "2", 2),
        ("1", "1.25", None),
        ("", "1.25", None),
        ("0", "nan", None),
        ("0", "1e400", None),
        ("0", "9" * 256, DAY),
        ("0", "", None),
    ],
)
def test_after_the_last_message_that_discord_takes_it_is_left_alone(
    remaining: str, reset: str, wait: float | None
) -> None:
    headers = {"x_ratelimit_remaining": remaining, "x_ratelimit_reset_after": reset}
    assert read("discord", 200, **headers) == Reading("arrived", wait=wait)
    assert read("standard", 200, **headers) == Reading("arrived")


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (404, "no_service"),
        (404, "no_service_id"),
        (404, "no_active_hooks"),
        (404, "no_team"),
        (403, "team_disabled"),
        (403, "invalid_token"),
        (404, "channel_not_found"),
        (410, "channel_is_archived"),
        (400, "user_not_found"),
        (403, "action_prohibited"),
        (403, "posting_to_general_channel_denied"),
    ],
)
def test_slack_s_words_for_a_dead_webhook_end_it(status: int, word: str) -> None:
    reading = read("slack", status, f" {word}\n")
    assert reading.meaning == "gone"
    assert reading.reason.startswith(f"Slack answered {word}: ")


@pytest.mark.parametrize("word", ["invalid_payload", "no_text", "too_many_attachments", "invalid_blocks"])
def test_slack_s_words_for_a_bad_message_refuse_that_message(word: str) -> None:
    reading = read("slack", 400, word)
    assert reading == Reading("refused", f"Slack answered {word}: it does not take this message")


def test_what_slack_says_without_a_word_that_we_know_goes_by_its_status() -> None:
    assert read("slack", 400, "<html>") == Reading("refused", "Slack answered 400 to this message")
    for status in (401, 403, 404):
        assert read("slack", status, "<b>no_service</b>") == Reading("again", f"the receiver answered {status}")
    assert read("slack", 500, "no_service").meaning == "again"
    assert read("slack", 200, "no_service").meaning == "arrived"


@given(
    st.sampled_from(sorted(FORMATS)),
    st.none() | st.integers(100, 999),
    st.text(max_size=1000) | st.floats().map(lambda wait: f'{{"retry_after": {wait}}}'),
    st.dictionaries(
        st.sampled_from(["retry-after", "x-ratelimit-remaining", "x-ratelimit-reset-after"]),
        st.text(max_size=256) | st.floats().map(str) | st.just("0"),
    ),
)
def test_no_answer_whatever_raises_or_asks_for_more_than_a_day(
    form: str, status: int | None, snippet: str, headers: dict[str, str]
) -> None:
    wait = FORMATS[form].read(Verdict(status, 3, None, headers, snippet), NOW).wait
    assert wait is None or 0 < wait <= DAY


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 410, 429, 500])
def test_a_reason_never_passes_on_what_the_receiver_said(form: str, status: int) -> None:
    reading = read(form, status, "internal", retry_after="internal")
    assert "internal" not in reading.reason
    assert bool(reading.reason) is (reading.meaning != "arrived")


@pytest.mark.parametrize(
    ("url", "posted"),
    [
        ("https://discord.com/api/webhooks/1/t", "https://discord.com/api/webhooks/1/t?wait=true"),
        ("https://discord.com/api/webhooks/1/t?", "https://discord.com/api/webhooks/1/t?wait=true"),
        ("https://d.example/t?thread_id=5", "https://d.example/t?thread_id=5&wait=true"),
        ("https://d.example/t?thread_id=5#top", "https://d.example/t?thread_id=5&wait=true"),
        ("https://d.example/t?await=1", "https://d.example/t?await=1&wait=true"),
        ("https://d.example/t?wait=false&thread_id=5", "https://d.example/t?wait=false&thread_id=5"),
        ("https://d.example/t?a=%26wait%3D&b=?", "https://d.example/t?a=%26wait%3D&b=?&wait=true"),
    ],
)
def test_discord_is_asked_to_say_what_became_of_a_message(url: str, posted: str) -> None:
    assert FORMATS["discord"].target(url) == posted
    assert FORMATS["discord"].target(posted) == posted
    assert FORMATS["standard"].target(url) == FORMATS["slack"].target(url) == url


def test_a_standard_body_is_the_event_with_its_sequence() -> None:
    assert body("standard", EVENT) == EVENT | {"sequence": 7}


def test_an_event_over_64_kib_comes_without_its_data() -> None:
    room = 64 * 1024 - len(orjson.dumps(EVENT | {"sequence": 7, "data": {"a": ""}}))
    most, more = ({"a": "x" * length} for length in (room, room + 1))
    assert len(FORMATS["standard"].body(EVENT | {"data": most}, 7, "gm")) == 64 * 1024
    assert body("standard", EVENT | {"data": most})["data"] == most
    assert body("standard", EVENT | {"data": more}) == EVENT | {"sequence": 7, "data": {"truncated": True}}


def test_discord_and_slack_are_told_in_words() -> None:
    (embed,) = body("discord", EVENT)["embeds"]
    assert embed == {
        "title": "A light goes out",
        "description": "Torch runs out at 30 min",
        "fields": [],
        "color": 0xF1C40F,
        "timestamp": "2026-12-01T20:00:00.000Z",
    }
    assert body("slack", EVENT)["text"] == "A light goes out – Torch runs out at 30 min"


def test_the_audience_decides_what_a_card_tells() -> None:
    moved = {"at": 0, "from": 1, "to": 2, "cause": "gm", "capped": False}
    alert = {"enabled": True, "level": 2, "easier_stealth": False}
    event = EVENT | {"type": "alert.changed", "data": {"changes": [moved], "alert": alert, "note": "a lie"}}
    for form in ("discord", "slack"):
        assert b"a lie" in FORMATS[form].body(event, 7, "gm")
        assert b"a lie" not in FORMATS[form].body(event, 7, "public")


@pytest.mark.parametrize(
    ("form", "target", "words"),
    [
        ("standard", "/hook/s3cret?a=b", '"sequence":null,"data":{"webhook":"whk_0"}'),
        ("discord", "/hook/s3cret?a=b&wait=true", '"title":"Alarum is here"'),
        ("slack", "/hook/s3cret?a=b", '"text":"Alarum is here – This webhook works: '),
    ],
)
def test_a_ping_looks_right_in_every_format(receiver: Start, form: str, target: str, words: str) -> None:
    there = receiver(200)
    webhook = hook(there.url + "?a=b", format=form)
    message = messages.ping(webhook, "crl_07a", NOW)
    url = FORMATS[form].target(webhook["url"])
    verdict = client.send(url, message.body, message.headers([webhook["secret"]], NOW), LOOPBACK)
    assert FORMATS[form].read(verdict, NOW) == Reading("arrived")
    (got,) = there.got
    assert got.target == target
    assert words in got.body.decode()
    assert got.headers["content-type"] == "application/json"
