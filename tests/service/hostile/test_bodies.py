"""Bodies that no client should send, and texts that any may."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from ..running import eventually
from .raw import PLAN, Connection, order, references


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
