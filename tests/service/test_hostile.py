"""Clients that send what no client should: each gets the contract's error, and nothing breaks."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import itertools
import json
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from partner_esim.models import Error

from .running import DEADLINE, Running, esim_service, eventually, serving

PLAN = "pln_jp-5gb-30d"
MANY = ("--read-limit", "1000000", "--write-limit", "1000000")
BASE = "/api/v1"

references = (f"h-{number}" for number in itertools.count())


@contextlib.contextmanager
def empty_database(server: str) -> Iterator[str]:
    """A database of PostgreSQL for the time of the context."""
    name = f"esim_{secrets.token_hex(8)}"

    async def execute(sql: str) -> None:
        connection = await asyncpg.connect(server)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    asyncio.run(execute(f"CREATE DATABASE {name}"))
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        asyncio.run(execute(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service that must not have anything to complain of when all is over."""
    cwd: Path = tmp_path_factory.mktemp("hostile")
    with contextlib.ExitStack() as stack:
        place = str(cwd / "service.db")
        if request.param == "postgres":
            server = request.getfixturevalue("postgres_server")
            place = stack.enter_context(empty_database(server))
            assert esim_service("migrate", "--database", place, cwd=cwd).returncode == 0
        started = stack.enter_context(serving(place, cwd))
        yield started
        assert started.stop() == 0
        assert [each for each in started.log() if each["level"] in ("error", "critical")] == []


@dataclass(frozen=True)
class Answer:
    """An answer as it came."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def refusal(self) -> tuple[int, str]:
        """Status and code of an error, which has the contract's form."""
        assert self.headers["content-type"] == "application/json"
        found = Error.model_validate_json(self.body).error
        assert found.request_id == self.headers["request-id"]
        assert all(word not in found.message for word in ("Traceback", "sys.", "codec", "asyncpg"))
        return self.status, found.code


class Connection:
    """A connection to the service, in bytes."""

    def __init__(self, port: int, key: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE)
        self._received = b""
        self.authorization = f"Authorization: Bearer {key}\r\n".encode()

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def _more(self) -> None:
        data = self._socket.recv(65536)
        assert data, "the service hung up"
        self._received += data

    def read(self, has_body: bool = True) -> Answer:
        while b"\r\n\r\n" not in self._received:
            self._more()
        head, _, self._received = self._received.partition(b"\r\n\r\n")
        line, *lines = head.decode("ascii").split("\r\n")
        headers = {k.lower(): v for k, v in (each.split(": ", 1) for each in lines)}
        size = int(headers.get("content-length", 0)) if has_body else 0
        while len(self._received) < size:
            self._more()
        body, self._received = self._received[:size], self._received[size:]
        return Answer(int(line.split()[1]), headers, body)

    def is_closed(self) -> bool:
        """Wait for the end; nothing may come before it."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def send(
        self,
        method: str,
        target: str | bytes,
        body: bytes | None = None,
        fields: Sequence[bytes] = (b"Content-Type: application/json",),
    ) -> Answer:
        target = target if isinstance(target, bytes) else target.encode()
        size = b"" if body is None else b"Content-Length: %d\r\n" % len(body)
        more = b"" if body is None else b"".join(each + b"\r\n" for each in fields)
        head = b"%s %s HTTP/1.1\r\nHost: x\r\n" % (method.encode(), BASE.encode() + target)
        self.write(head + self.authorization + size + more + b"\r\n" + (body or b""))
        return self.read(has_body=method != "HEAD")

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(scope="module")
def key(running: Running) -> str:
    return running.key("test", "acme", *MANY)


@pytest.fixture(scope="module")
def connect(running: Running, key: str) -> Iterator[Callable[[], Connection]]:
    port = urlsplit(running.base_url).port
    assert port is not None
    opened: list[Connection] = []

    def make() -> Connection:
        opened.append(Connection(port, key))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def connection(connect: Callable[[], Connection]) -> Iterator[Connection]:
    """A connection that is still good after the test."""
    made = connect()
    yield made
    assert made.send("GET", "/balance").status == 200


def order(more: str = "", reference: str | None = None) -> bytes:
    name = next(references) if reference is None else reference
    return f'{{"plan_id": "{PLAN}", "reference": "{name}"{more}}}'.encode()


# Bodies


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "invalid_json"),
        (b"{", "invalid_json"),
        (b"null and void", "invalid_json"),
        (b"{'plan_id': 1}", "invalid_json"),
        (order() + order(), "invalid_json"),
        (order(', "quantity": NaN'), "invalid_json"),
        (order(', "quantity": -Infinity'), "invalid_json"),
        (order(', "quantity": 1e400'), "invalid_json"),
        (order(', "quantity": ' + "9" * 5000), "invalid_json"),
        (order(', "reference": "again"'), "invalid_json"),
        (order(', "metadata": {"a": "", "a": ""}'), "invalid_json"),
        (b"[" * 60_000, "invalid_json"),
        (b'{"a":' * 10_000, "invalid_json"),
        (order(', "metadata": ' + "[" * 20_000 + "]" * 20_000), "invalid_json"),
        (order(', "metadata": {"a": "\x01"}'), "invalid_json"),
        (order(', "metadata": {"a": "\\ud800"}'), "invalid_json"),
        (order(', "metadata": {"\\udfff": "a"}'), "invalid_json"),
        (order(', "end_user": {"label": "\\ud800"}'), "invalid_json"),
        (order(', "quantity": 1.0, "metadata": {"a": "\\ud800"}'), "invalid_json"),
        (order(reference="\\udc00"), "invalid_json"),
        (order(', "end_user": {"label": "é"}').decode().encode("latin-1"), "invalid_json"),
        (order().decode().encode("utf-16"), "invalid_json"),
        (order().decode().encode("utf-16-le"), "invalid_json"),
        (b"\xef\xbb\xbf" + order(), "invalid_json"),
        (order(', "metadata": {"a": "@"}').replace(b"@", b"\xc0\x80"), "invalid_json"),
        (order(', "metadata": {"a": "@"}').replace(b"@", b"\xed\xa0\x80"), "invalid_json"),
        (b'{"plan_id": "' + b"a" * 1_000_000 + b'"}', "body_too_large"),
        (order() + b" " * 65_536, "body_too_large"),
        (b"null", "invalid_value"),
        (b"[]", "invalid_value"),
        (b'"text"', "invalid_value"),
        (b"5", "invalid_value"),
        (order(', "quantity": "5"'), "invalid_value"),
        (order(', "quantity": true'), "invalid_value"),
        (order(', "quantity": 1.5'), "invalid_value"),
        (order(', "quantity": null'), "invalid_value"),
        (order(', "quantity": [1]'), "invalid_value"),
        (order(', "quantity": 1e-999999999'), "invalid_value"),
        (order(', "quantity": 0'), "out_of_range"),
        (order(', "quantity": -0.0'), "out_of_range"),
        (order(', "quantity": 9223372036854775808'), "out_of_range"),
        (order(', "quantity": 18446744073709551616'), "out_of_range"),
        (order(', "days": 1e300'), "out_of_range"),
        (order(', "days": -' + "9" * 400), "out_of_range"),
        (order(', "metadata": {"a": 1}'), "invalid_value"),
        (order(', "metadata": {"sandbox_scenario": ["activate_fast"]}'), "invalid_value"),
        (order(', "metadata": {"a": "' + "a" * 501 + '"}'), "invalid_length"),
        (order(', "metadata": {"' + "a" * 41 + '": ""}'), "invalid_length"),
        (order(', "metadata": {"": ""}'), "invalid_length"),
        (order(', "end_user": {"label": ""}'), "invalid_length"),
        (order(', "end_user": {"label": "' + "\U0001f600" * 121 + '"}'), "invalid_length"),
        (order(', "end_user": {"name": "Ann"}'), "unknown_field"),
        (order(', "__proto__": {}'), "unknown_field"),
        (order(', "' + "x" * 60_000 + '": 1'), "unknown_field"),
        (order(reference=""), "invalid_length"),
        (order(reference="a" * 201), "invalid_length"),
        (order(reference="a b"), "invalid_value"),
        (order(reference="a\\n"), "invalid_value"),
        (order(reference="a\\u0000"), "invalid_value"),
        (order(reference="é"), "invalid_value"),
        (b'{"plan_id": "p\\u0000", "reference": "r"}', "plan_not_found"),
        (b'{"plan_id": "' + "é".encode() * 64 + b'", "reference": "r"}', "plan_not_found"),
        (b'{"plan_id": "' + b"p" * 65 + b'", "reference": "r"}', "invalid_length"),
        (b'{"plan_id": {}, "reference": []}', "invalid_value"),
        (b'{"reference": "r"}', "missing_field"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_body_is_refused(connection: Connection, body: bytes, code: str) -> None:
    assert connection.send("POST", "/orders", body).refusal == (400, code)


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [b"Content-Type:"],
        [b"Content-Type: text/plain"],
        [b"Content-Type: application/jsonx"],
        [b"Content-Type: application/problem+json"],
        [b"Content-Type: application/json; charset=latin-1"],
        [b"Content-Type: application/json; charset=utf-16"],
        [b"Content-Type: application/json, text/plain"],
        [b"Content-Type: text/plain", b"Content-Type: application/json"],
        [b"Content-Type: \xff\xfe"],
        [b"Content-Type: " + b"a" * 30_000],
        [b"Content-Type: application/json", b"Content-Encoding: gzip"],
        [b"Content-Type: application/json", b"Content-Encoding: identity, br"],
    ],
    ids=str,
)
def test_a_media_type_is_refused(connection: Connection, fields: list[bytes]) -> None:
    answer = connection.send("POST", "/orders", gzip.compress(order()), fields)
    assert answer.refusal == (400, "unsupported_media_type")


@pytest.mark.parametrize(
    "text",
    [
        "".join(map(chr, range(0x20))),
        "\0",
        "\x7f\x80\x85\x9f\xa0\xad",
        "\u200b\u200e\u202e\u2028\u2029\ufeff\ufffd\uffff",
        "\U0001f600\U0010ffff\U000e0001",
        "e\u0301 \u1e9b\u0323 ﬃ İ",
        "'; DROP TABLE orders; --",
        "<script>alert(1)</script>{{7*7}}${7*7}%s%n",
        "LPA:1$x$y\\",
    ],
    ids=ascii,
)
def test_any_text_comes_back_as_it_was(connection: Connection, text: str) -> None:
    name = next(references)
    body = {
        "plan_id": PLAN,
        "reference": name,
        "end_user": {"label": text},
        "metadata": {text[:40]: text, "a": ""},
    }
    made = connection.send("POST", "/orders", json.dumps(body).encode())
    assert made.status == 201
    assert made.json["metadata"] == body["metadata"]
    # The same payload in UTF-8 instead of escapes.
    again = connection.send("POST", "/orders", json.dumps(body, ensure_ascii=False).encode())
    assert (again.body, again.headers["idempotent-replay"]) == (made.body, "true")
    order_id = made.json["order_id"]

    def completed() -> Any:
        found = connection.send("GET", f"/orders/{order_id}").json
        return found if found["status"] == "completed" else None

    shown = eventually(completed)
    assert (shown["end_user"], shown["metadata"]) == (body["end_user"], body["metadata"])
    assert connection.send("GET", f"/orders?reference={name}").json["data"] == [shown]
    feed = connection.send("GET", "/events?type=order.completed&limit=200").json["data"]
    assert shown in [each["data"] for each in feed]


# Queries and paths


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
    ["&&&=&==", "x=1&x=2", "a=1&" * 5000, "LIMIT=0", "reference=%00", "reference=%ED%A0%80"],
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
            "%FF",
            "%ED%A0%80",
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
    running: Running, connect: Callable[[], Connection]
) -> None:
    mine = connect()
    for _ in range(3):
        assert mine.send("POST", "/orders", order()).status == 201
    cursors = {
        target: mine.send("GET", target).json["next_cursor"]
        for target in ("/orders?limit=1", "/events?limit=1", "/plans?country=FR&limit=1")
    }
    others = [running.key("test", "other", *MANY), running.key("live", "acme", *MANY)]
    for target, cursor in cursors.items():
        assert mine.send("GET", f"{target}&cursor={cursor}").status == 200
        for wrong in (cursor[:-1], cursor[3:], f"{cursor}A", cursor.swapcase(), f"c2_{cursor[3:]}"):
            answer = mine.send("GET", f"{target}&cursor={quote(wrong)}")
            assert answer.refusal == (400, "invalid_cursor"), wrong
        for foreign in (
            *(each for each in cursors if each != target),
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


# Credentials and connections


@pytest.mark.parametrize(
    "value",
    [
        *(
            "Bearer",
            "Bearer ",
            "{}",
            "Basic {}",
            "Bearer\t{}",
            "Bearer {}x",
            "Bearer {}, Bearer {}",
        ),
        *("Bearer {}\r\nAuthorization: Bearer {}", "Bearer x\r\nAuthorization: Bearer {}"),
        *("Bearer \xff", "Bearer " + "a" * 60_000, "Bearer pes_test_" + "0" * 48),
    ],
    ids=lambda value: value[:40],
)
def test_credentials_are_refused(connect: Callable[[], Connection], key: str, value: str) -> None:
    connection = connect()
    field = f"Authorization: {value.replace('{}', key)}\r\n"
    connection.authorization = field.encode("latin-1")
    for _ in range(2):
        answer = connection.send("GET", "/balance")
        assert answer.refusal == (401, "invalid_api_key")
        assert answer.headers["www-authenticate"] == "Bearer"
    connection.authorization = b""
    assert connection.send("POST", "/orders", order()).refusal == (401, "missing_api_key")


def test_requests_in_one_packet_are_one_order(connection: Connection) -> None:
    body = order()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    request = head + connection.authorization + b"Content-Length: %d\r\n\r\n" % len(body) + body
    connection.write(request * 5)
    first, *others = [connection.read() for _ in range(5)]
    assert first.status == 201
    assert {each.body for each in others} == {first.body}
    assert [each.headers.get("idempotent-replay") for each in others] == ["true"] * 4


def test_a_body_in_chunks_without_end_is_answered(connect: Callable[[], Connection]) -> None:
    connection = connect()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    connection.write(head + connection.authorization + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(20):
        connection.write(b"1000\r\n" + b" " * 4096 + b"\r\n")
    assert connection.read().refusal == (400, "body_too_large")


@pytest.mark.parametrize(
    "framing",
    [
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: gzip\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        b"X: a\r\n b\r\n\r\n",
        b"X Y: a\r\n\r\n",
        b"X: \0\r\n\r\n",
        b": a\r\n\r\n",
    ],
    ids=str,
)
def test_a_request_that_is_none_ends_the_connection(
    connect: Callable[[], Connection], framing: bytes
) -> None:
    connection = connect()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    connection.write(head + connection.authorization + framing)
    answer = connection.read()
    assert answer.refusal == (400, "invalid_value")
    assert answer.headers["connection"] == "close"
    assert connection.is_closed()


def test_what_expects_to_go_on_goes_on(connection: Connection) -> None:
    body = order()
    head = b"POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    size = b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    connection.write(head + connection.authorization + size)
    assert connection.read().status == 100
    connection.write(body)
    assert connection.read().status == 201


# Everything else

# Lone surrogates travel as escapes.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=30) | st.text(
    st.characters(categories=("Cc", "Cs", "Cf", "Zl", "Zp")), max_size=6
)
POSITIONS: list[Callable[[str], tuple[str, str, object]]] = [
    lambda text: ("POST", "/orders", {"plan_id": text, "reference": "r"}),
    lambda text: ("POST", "/orders", {"plan_id": PLAN, "reference": text}),
    lambda text: ("POST", "/orders", _ordered(end_user={"label": text})),
    lambda text: ("POST", "/orders", _ordered(metadata={text: text})),
    lambda text: ("POST", "/orders", _ordered(metadata={"sandbox_scenario": text})),
    lambda text: ("POST", "/orders", _ordered(**{text: text})),
    lambda text: ("POST", "/esims/x/topups", {"topup_plan_id": text, "reference": "r"}),
    lambda text: ("POST", "/esims/x/topups", {"topup_plan_id": "t", "reference": text}),
    lambda text: ("POST", "/webhook-endpoints", {"url": f"https://{text}"}),
    lambda text: ("POST", "/webhook-endpoints", {"url": f"https://hooks.example.com/{text}"}),
    lambda text: (
        "POST",
        "/webhook-endpoints",
        {"url": "https://a.example", "event_types": [text]},
    ),
    *(
        lambda text, path=path: ("GET", path + quote(text, safe="", errors="surrogatepass"), None)
        for path in (
            *("/", "/plans/", "/orders/", "/esims/", "/plans?country=", "/plans?coverage="),
            *(
                "/plans?country=FR&cursor=",
                "/orders?reference=",
                "/orders?cursor=",
                "/orders?limit=",
            ),
            *("/esims?order_id=", "/events?type=", "/events?cursor=", "/events?"),
        )
    ),
]


def _ordered(**more: object) -> dict[str, object]:
    return {"plan_id": PLAN, "reference": next(references), **more}


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(position=st.sampled_from(POSITIONS), text=TEXTS)
def test_no_text_in_any_place_is_too_much(
    connection: Connection, position: Callable[[str], tuple[str, str, object]], text: str
) -> None:
    method, target, body = position(text)
    data = None if body is None else json.dumps(body).encode()
    answer = connection.send(method, target, data)
    assert answer.status < 500
    if answer.status >= 400:
        assert answer.refusal[0] in (400, 402, 404, 409, 422)
