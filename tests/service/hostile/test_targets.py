"""Queries, paths, methods and cursors that fit nothing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from urllib.parse import quote

import pytest

from .raw import Connection, order


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("/plans", "missing_country_or_coverage"),
        ("/plans?country=FR&country=FR", "invalid_value"),
        ("/plans?country=FR&coverage=global&coverage=", "invalid_value"),
        ("/plans?country=", "invalid_value"),
        ("/plans?country=FRA", "invalid_value"),
        ("/plans?country=F%0A", "invalid_value"),
        ("/plans?country=F%00", "invalid_value"),
        ("/plans?country=%FF%FE", "invalid_value"),
        ("/orders?reference=%ED%A0%80", "invalid_value"),
        ("/plans?coverage=country", "invalid_value"),
        ("/orders?limit=0", "out_of_range"),
        ("/orders?limit=201", "out_of_range"),
        ("/orders?limit=9223372036854775808", "out_of_range"),
        ("/orders?limit=" + "9" * 5000, "invalid_value"),
        ("/orders?limit=1.5", "invalid_value"),
        ("/orders?limit=true", "invalid_value"),
        ("/orders?limit=+5", "invalid_value"),
        ("/orders?limit=05", "invalid_value"),
        ("/orders?limit=%D9%A3", "invalid_value"),
        ("/orders?limit=", "invalid_value"),
        ("/orders?limit=5&limit=5", "invalid_value"),
        ("/orders?limit=5;limit=6", "invalid_value"),
        ("/orders?%6Cimit=0", "out_of_range"),
        ("/orders?reference=" + "a" * 201, "invalid_length"),
        ("/esims?order_id=" + "%F0%9F%98%80" * 65, "invalid_length"),
        ("/events?type=order", "invalid_value"),
        ("/events?type=order.completed&type=order.completed", "invalid_value"),
        ("/orders?cursor=", "invalid_length"),
        ("/orders?cursor=" + "a" * 201, "invalid_length"),
        ("/orders?cursor=c1_", "invalid_cursor"),
        ("/orders?cursor=c1_%00", "invalid_cursor"),
        ("/orders?cursor=%F0%9F%98%80", "invalid_cursor"),
        ("/orders?cursor=c1_" + "A" * 197, "invalid_cursor"),
        ("/events?cursor=c1_AAAAAAAAAAAA", "invalid_cursor"),
        ("/events?cursor=0", "invalid_cursor"),
    ],
    ids=lambda value: value[:50],
)
def test_a_query_is_refused(connection: Connection, target: str, code: str) -> None:
    assert connection.send("GET", target).refusal == (400, code)


@pytest.mark.parametrize(
    "query",
    ["&&&=&==", "x=1&x=2", "a=1&" * 5000, "LIMIT=0", "reference=%00", "x=%ED%A0%80"],
)
def test_a_query_that_says_nothing_is_taken(connection: Connection, query: str) -> None:
    assert connection.send("GET", f"/orders?{query}").status == 200


@pytest.mark.parametrize(
    "target",
    [
        *("", "/", "/nothing", "//orders", "/orders/", "/ORDERS", "/orders.json", "/orders;a=b"),
        *("/orders/../balance", "/orders/%2e%2e/balance", "/../../../etc/passwd", "/openapi.json/"),
        *("/esims//topup-plans", "/esims/a/b/topup-plans", "/%6frders/x/y"),
    ],
)
def test_nothing_is_there(connection: Connection, target: str) -> None:
    assert connection.send("GET", target).refusal == (404, "route_not_found")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "..",
            "%2e%2e",
            "%2F",
            "..%2F..%2Fbalance",
            "a%2Fb",
            "%00",
            "%",
            "%zz",
        ),
        *(
            "a;b",
            "a\\b",
            "%25%30%30",
            "%F0%9F%98%80",
            "a" * 60_000,
            "ord_" + "0" * 26,
            "'%20OR%201",
        ),
    ],
    ids=lambda value: value[:20],
)
def test_no_resource_has_such_a_name(connection: Connection, name: str) -> None:
    for target in ("/orders/{}", "/plans/{}", "/esims/{}", "/esims/{}/topup-plans"):
        answer = connection.send("GET", target.format(name))
        assert answer.refusal == (404, "resource_not_found")
    assert connection.send("DELETE", f"/webhook-endpoints/{name}").refusal[0] == 404
    assert connection.send("POST", f"/webhook-endpoints/{name}/test").refusal[0] == 404
    body = b'{"topup_plan_id": "tpl_jp-3gb-30d", "reference": "r"}'
    assert connection.send("POST", f"/esims/{name}/topups", body).refusal[0] == 404


@pytest.mark.parametrize("name", ["%FF", "%ED%A0%80", "a%C3"])
def test_a_name_that_is_not_utf_8_is_refused(connection: Connection, name: str) -> None:
    for method, target in (
        ("GET", f"/orders/{name}"),
        ("GET", f"/esims/{name}/topup-plans"),
        ("DELETE", f"/webhook-endpoints/{name}"),
        ("POST", f"/webhook-endpoints/{name}/test"),
    ):
        assert connection.send(method, target).refusal == (400, "invalid_value")


AUTHORITIES = ("", ":", ":80", "x:", "x:99999", "x:80:80", "[::1", "[::1]:x", "@", "a@b@c", "x%")
OTHERS = ("*", "?", "#", "http:", "http:/", "http://", "x", "x:80", "://x", "/\\", "//", "/:80")

ODD = {(400, "invalid_value"), (401, "missing_api_key"), (405, "method_not_allowed")}


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "CONNECT"])
def test_an_odd_target_is_refused_like_any_request(
    connect: Callable[[], Connection], method: str
) -> None:
    absolute = [
        f"{scheme}{authority}{path}"
        for scheme, authority, path in product(("http://", "//", ""), AUTHORITIES, ("", "/", "?a"))
    ]
    for target in filter(None, (*absolute, *OTHERS)):
        connection = connect()
        connection.write(f"{method} {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        answer = connection.read()
        # Those whose path is `/` lead to the reference.
        if (method, answer.status) not in {("GET", 307), ("OPTIONS", 204)}:
            assert answer.refusal in ODD, target
        connection.close()


@pytest.mark.parametrize("in_one", [True, False], ids=["one-packet", "two-packets"])
def test_what_follows_a_body_is_no_header(connect: Callable[[], Connection], in_one: bool) -> None:
    connection = connect()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    rest = b"2\r\n{}\r\n0\r\n" + connection.authorization + b"\r\n"
    for part in [head + rest] if in_one else [head, rest]:
        connection.write(part)
    assert connection.read().refusal == (401, "missing_api_key")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "CONNECT", "PROPFIND", "PURGE"])
def test_a_method_is_refused(connection: Connection, method: str) -> None:
    answer = connection.send(method, "/orders")
    assert answer.refusal == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"


def test_head_and_options(connection: Connection) -> None:
    assert connection.send("HEAD", "/balance").status == 200
    assert connection.send("HEAD", "/orders/none").status == 404
    assert connection.send("HEAD", "/sandbox/reset").status == 405
    options = connection.send("OPTIONS", "/sandbox/reset")
    assert (options.status, options.headers["allow"]) == (204, "OPTIONS, POST")


def test_a_cursor_is_good_for_its_own_list_only(
    issue: Callable[[str, str], str], connect: Callable[[], Connection]
) -> None:
    # Issued first: a connection that waits for that may be closed.
    others = [issue("test", "other"), issue("live", "acme")]
    mine = connect()
    for _ in range(3):
        assert mine.send("POST", "/orders", order()).status == 201
    cursors = {
        target: mine.send("GET", target).json["next_cursor"]
        for target in ("/orders?limit=1", "/events?limit=1", "/plans?country=FR&limit=1")
    }
    for target, cursor in cursors.items():
        assert mine.send("GET", f"{target}&cursor={cursor}").status == 200
        for wrong in (cursor[:-1], cursor[3:], f"{cursor}A", cursor.swapcase(), f"c2_{cursor[3:]}"):
            answer = mine.send("GET", f"{target}&cursor={quote(wrong)}")
            assert answer.refusal == (400, "invalid_cursor"), wrong
        for foreign in (
            *(cursor for cursor in cursors if cursor != target),
            "/esims?limit=1",
            "/orders?reference=r",
            "/events?type=webhook.test",
            "/plans?country=DE",
            "/plans?country=FR&coverage=global",
        ):
            answer = mine.send("GET", f"{foreign}&cursor={cursor}")
            assert answer.refusal == (400, "invalid_cursor"), (target, foreign)
        if target.startswith("/plans"):
            continue
        for other in others:
            stranger = connect()
            stranger.authorization = f"Authorization: Bearer {other}\r\n".encode()
            answer = stranger.send("GET", f"{target}&cursor={cursor}")
            assert answer.refusal == (400, "invalid_cursor"), target
