"""A webhook reaches what anybody could reach, and what the operator opens; never the service's own surroundings."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Any

import pytest

from service.webhooks import addresses, client, guard

PRIVATE = (
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "127.0.0.1", "127.255.255.254", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("100.64.0.1", "100.127.255.254", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255"),
    *("198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "ff0e::1", "100::1", "2001:db8::1", "3fff::1"),
    *("5f00::1", "2001:2::1", "2001:10::1", "2001:20::1", "4000::1"),
)
METADATA = (
    *("169.254.169.254", "169.254.0.1", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"),
    *("fd00:ec2::254", "fd20:ce::254", "fe80::1", "fe80::a9fe:a9fe", "febf::1"),
)
WRAPPED = (
    "::ffff:{v4}",
    "::{v4}",
    "64:ff9b::{v4}",
    "64:ff9b:1::{v4}",
    "64:ff9b:1:{high}:{middle}::",
    "2002:{hex}::1",
    "2001:0:{hex}:0:ffff:f7f7:f7f7",
    "2001:0:808:808:0:ffff:{flipped}",
    "2a00:1450::5efe:{v4}",
    "2a00:1450::200:5efe:{v4}",
)
"""Every way in which an IPv6 address carries an IPv4 address to some gateway."""


def wrapped(form: str, v4: str) -> str:
    value = int(ip_address(v4))
    flipped = value ^ 0xFFFFFFFF
    return form.format(
        v4=v4,
        hex=f"{value >> 16:x}:{value & 0xFFFF:x}",
        flipped=f"{flipped >> 16:x}:{flipped & 0xFFFF:x}",
        high=f"{value >> 16:x}",
        middle=f"{value >> 8 & 0xFF:x}:{(value & 0xFF) << 8:x}",
    )


@pytest.mark.parametrize("address", PRIVATE + METADATA)
def test_what_only_the_service_can_reach_is_refused(address: str) -> None:
    assert not addresses.may_reach(ip_address(address), ())


@pytest.mark.parametrize("form", WRAPPED)
@pytest.mark.parametrize("v4", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "100.64.0.1", "168.63.129.16"])
def test_a_private_address_is_refused_in_every_wrapping(form: str, v4: str) -> None:
    assert not addresses.may_reach(ip_address(wrapped(form, v4)), ())


@pytest.mark.parametrize("form", WRAPPED)
def test_metadata_stays_shut_in_every_wrapping_though_everything_is_opened(form: str) -> None:
    everything = addresses.networks("0.0.0.0/0, ::/0")
    assert not addresses.may_reach(ip_address(wrapped(form, "169.254.169.254")), everything)


@pytest.mark.parametrize("address", METADATA)
def test_metadata_stays_shut_though_its_very_address_is_opened(address: str) -> None:
    assert not addresses.may_reach(ip_address(address), addresses.networks(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450::1", "64:ff9b::8.8.8.8"]
)
def test_what_anybody_can_reach_may_be_reached_over_tls_only(address: str) -> None:
    assert addresses.may_reach(ip_address(address), ())
    assert not addresses.may_reach(ip_address(address), (), plain=True)


@pytest.mark.parametrize(
    ("address", "allow"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("192.168.1.20", "10.0.0.0/8, 192.168.1.0/24"),
        ("::ffff:192.168.1.20", "192.168.1.0/24"),
        ("fd12::7", "fd12::/16"),
        ("::1", "::1/128"),
        ("8.8.8.8", "8.8.8.8"),
    ],
)
def test_what_the_operator_opens_may_be_reached_without_tls_too(address: str, allow: str) -> None:
    assert addresses.may_reach(ip_address(address), addresses.networks(allow), plain=True)
    assert addresses.may_reach(ip_address(address), addresses.networks(allow))


def test_a_neighbour_of_what_is_opened_stays_shut() -> None:
    assert not addresses.may_reach(ip_address("192.168.2.1"), addresses.networks("192.168.1.0/24"))
    assert not addresses.may_reach(ip_address("::1"), addresses.networks("127.0.0.0/8"))


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001"),
        *("0", "0.0.0.0", "localhost", "LOCALHOST", "localhost.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
        *("[::127.0.0.1]", "[0:0:0:0:0:0:0:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "%6c%6f%63%61%6c%68%6f%73%74"),
        *("127.0.0.1.", "0xA9FEA9FE", "[fe80::1%25lo]", "127.0.0.1%00.example.org"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_spelling_of_a_private_address_is_reached(host: str, scheme: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        verdict = client.send(f"{scheme}://{host}:{listener.getsockname()[1]}/", b"{}", {})
        assert (verdict.status, verdict.error in ("unreachable", "bad_url")) == (None, True)
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "gm.example",
            "//gm.example/",
            "ftp://gm.example/",
            "file:///etc/passwd",
            "gopher://gm.example/",
            "https://",
        ),
        *(
            "https:///path",
            "https://user@gm.example/",
            "https://user:pass@gm.example/",
            "https://gm.example@127.0.0.1/",
        ),
        *("https://127.0.0.1\\@gm.example/", "https://gm.example/ two", "https://gm.example/\r\nX: y", "https://g\0m/"),
        *("https://gm.example:22/", "https://gm.example:25/", "https://gm.example:6379/", "https://gm.example:99999/"),
        *(
            "https://gm.example:0/",
            "https://zoë.example/",
            "https://①②⑦.0.0.1/",
            "https://[::1%25lo]/",
            "https://[::1/",
        ),
        *("https://@gm.example/", "https://a..b/", "https://-a.example/", "https://127.0.0.1,10.0.0.1/", "https://*/"),
        *("https://[::999.999.999.999]:8080/x", "https://[0:0:0:0:0:ffff:999.0.0.1]/", f"https://{'a' * 64}.example/"),
        "https://gm.example/" + "a" * 2048,
    ],
)
def test_a_url_of_another_form_is_refused_at_once(url: str) -> None:
    with pytest.raises(guard.BadUrl):
        guard.verify_url(url)
    assert client.send(url, b"{}", {}, addresses.networks("127.0.0.0/8")).error == "bad_url"


@pytest.mark.parametrize(
    "url", ["https://gm.example", "https://gm.example:8443/hook?token=a%20b#part", "http://192.168.1.2:8080/"]
)
def test_a_url_of_a_webhook_s_form_is_taken(url: str) -> None:
    assert guard.verify_url(url).fragment is None


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A resolver of our choice: tells names the addresses, and passes literal addresses through."""

    def speak(*answers: str) -> None:
        def look_up(host: str, port: int, **_: Any) -> list[Any]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)

    return speak


def test_one_private_answer_among_many_refuses_the_name(dns: Any) -> None:
    dns(*["93.184.216.34"] * 200, "10.0.0.1")
    with pytest.raises(guard.AddressRefused):
        guard.resolve("gm.example", 443, (), plain=False, seconds=1)


def test_a_name_is_looked_up_once_and_its_address_is_the_one_connected_to(dns: Any, receiver: Any) -> None:
    listener = receiver(204)
    dns("127.0.0.1")
    url = f"http://gm.example:{listener.port}/hook"
    assert client.send(url, b"{}", {}, addresses.networks("127.0.0.0/8")).status == 204
    assert listener.got[0].headers["host"] == f"gm.example:{listener.port}"
    assert client.send(url, b"{}", {}).error == "unreachable"
    assert len(listener.got) == 1


def test_a_name_that_has_become_private_is_refused_at_the_next_send(dns: Any) -> None:
    dns("93.184.216.34")
    assert guard.resolve("gm.example", 443, (), plain=False, seconds=1)
    dns("169.254.169.254")
    with pytest.raises(guard.AddressRefused):
        guard.resolve("gm.example", 443, (), plain=False, seconds=1)


def test_a_refused_address_and_a_closed_port_look_the_same() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    closed = client.send(f"http://127.0.0.1:{port}/", b"{}", {}, addresses.networks("127.0.0.0/8"))
    refused = client.send(f"http://127.0.0.1:{port}/", b"{}", {})
    assert (closed.status, closed.error, closed.snippet) == (refused.status, refused.error, refused.snippet)
    assert closed.detail != refused.detail


def test_an_allow_list_that_is_none_says_so() -> None:
    with pytest.raises(ValueError, match=r"10\.0\.0\.1/8"):
        addresses.networks("10.0.0.1/8")
