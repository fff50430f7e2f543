"""Parsing any request gives a value or a refusal, never an unexpected error."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from typing import Any
from urllib.parse import quote, unquote, unquote_to_bytes, urlencode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from specwright.runtime.server.application import Hooks
from specwright.runtime.server.parameters import Reader, Sent
from specwright.runtime.shared.operation import Kind, Parameter
from specwright.runtime.shared.strict_json import scan
from specwright.runtime.shared.styles import RepeatedError
from tests.runtime.test_server_binding import Things, application

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
STYLES = [
    ("query", "form"),
    ("query", "spaceDelimited"),
    ("query", "pipeDelimited"),
    ("query", "deepObject"),
    ("path", "simple"),
    ("path", "label"),
    ("path", "matrix"),
    ("header", "simple"),
    ("cookie", "form"),
]
KINDS: list[Kind] = ["string", "integer", "number", "boolean", "array", "object", "any"]


def read(
    style: str,
    kind: Kind,
    text: str,
    *,
    explode: bool,
    location: Any = "path",
    item_kind: Kind = "integer",
) -> object:
    """Read a parameter called `p` from a request with its text in the given location."""
    parameter = Parameter(
        "p", "p", location, None, kind, {"*": item_kind}, style=style, explode=explode
    )
    reader = Reader(parameter, frozenset({"R", "G"}))
    raw = text.encode("utf-8", "surrogatepass")
    scope = {
        "query_string": raw if location == "query" else b"",
        "headers": [(b"cookie" if location == "cookie" else b"p", raw)],
        "type": "http",
    }
    return reader.read(Sent(scope, {"p": text}))


@given(VALUES)
def test_a_scan_keeps_the_value(value: object) -> None:
    data = json.dumps(value).encode()
    assert json.loads(scan(data), parse_int=float) == json.loads(data, parse_int=float)


@given(VALUES)
def test_scanning_twice_changes_nothing_more(value: object) -> None:
    once = scan(json.dumps(value).encode())
    assert scan(once) is once


@given(st.integers(-(10**15), 10**15), st.sampled_from(["{}.0", "{}.000", "{}e0", "{}0E-1"]))
def test_whole_numbers_become_integers(value: int, form: str) -> None:
    assume(value or form != "{}0E-1")
    assert scan(f"[{form.format(value)}]".encode()) == f"[{value}]".encode()


@given(st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer()))
def test_fractions_stay_fractions(value: float) -> None:
    assert math.isclose(json.loads(scan(json.dumps(value).encode())), value, rel_tol=0)


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_json_or_a_value_error(data: bytes) -> None:
    try:
        scanned = scan(data)
    except ValueError:
        return
    json.loads(scanned)


@given(st.dictionaries(st.text(), SCALARS, min_size=1), st.data())
def test_a_repeated_name_is_refused_at_any_depth(members: dict[str, object], data: Any) -> None:
    name = data.draw(st.sampled_from(sorted(members)))
    inner = f"{json.dumps(members)[:-1]}, {json.dumps(name)}: 0}}"
    with pytest.raises(ValueError, match="duplicate name"):
        scan(f'[{{"x": {inner}}}]'.encode())


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "[" * 100_000])
def test_what_json_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        scan(text.encode())


@pytest.mark.parametrize(
    ("data", "message"), [(b"9" * 5000, "a number is too large"), (b"\xff{}", "it is not UTF-8")]
)
def test_what_the_interpreter_says_of_itself_is_not_passed_on(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        scan(data)


# RFC 6570 and OpenAPI 3.1.1, 4.8.12.6 (Style Examples)


@pytest.mark.parametrize(
    ("location", "style", "explode", "kind", "text", "value"),
    [
        ("path", "matrix", False, "string", ";p=blue", "blue"),
        ("path", "matrix", False, "array", ";p=1,2", [1, 2]),
        ("path", "matrix", True, "array", ";p=1;p=2", [1, 2]),
        ("path", "matrix", False, "object", ";p=R,100,G,200", {"R": 100, "G": 200}),
        ("path", "matrix", True, "object", ";R=100;G=200", {"R": 100, "G": 200}),
        ("path", "label", False, "string", ".blue", "blue"),
        ("path", "label", True, "number", ".3.5", 3.5),
        ("path", "label", False, "array", ".1,2", [1, 2]),
        ("path", "label", True, "array", ".1.2", [1, 2]),
        ("path", "label", False, "object", ".R,100,G,200", {"R": 100, "G": 200}),
        ("path", "label", True, "object", ".R=100.G=200", {"R": 100, "G": 200}),
        ("path", "simple", False, "array", "1,2", [1, 2]),
        ("path", "simple", False, "object", "R,100,G,200", {"R": 100, "G": 200}),
        ("path", "simple", True, "object", "R=100,G=200", {"R": 100, "G": 200}),
        ("query", "form", False, "array", "p=1,2", [1, 2]),
        ("query", "form", True, "array", "p=1&p=2", [1, 2]),
        ("query", "form", False, "object", "p=R,100,G,200", {"R": 100, "G": 200}),
        ("query", "form", True, "object", "R=100&G=200&x=1", {"R": 100, "G": 200}),
        ("query", "spaceDelimited", False, "array", "p=1%202", [1, 2]),
        ("query", "pipeDelimited", False, "array", "p=1%7C2", [1, 2]),
        ("query", "deepObject", True, "object", "p[R]=100&p[G]=200", {"R": 100, "G": 200}),
        ("header", "simple", False, "array", "1, 2", [1, 2]),
        ("cookie", "form", True, "integer", "p=5", 5),
        ("cookie", "form", False, "array", "p=1,2", [1, 2]),
        ("cookie", "form", True, "string", 'p="a"', "a"),
        ("cookie", "form", True, "string", 'p=""', ""),
        # One quotation mark is around nothing.
        ("cookie", "form", True, "string", 'p="', '"'),
    ],
)
def test_every_style_is_read(
    location: str, style: str, explode: bool, kind: Kind, text: str, value: object
) -> None:
    assert read(style, kind, text, explode=explode, location=location) == value


@given(
    st.sampled_from(STYLES),
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.booleans(),
    st.text(),
)
def test_any_text_is_a_value_or_a_repetition(
    place: tuple[str, str], kind: Kind, item_kind: Kind, explode: bool, text: str
) -> None:
    location, style = place
    with contextlib.suppress(RepeatedError):
        read(style, kind, text, explode=explode, location=location, item_kind=item_kind)


@given(st.integers(-(10**30), 10**30))
def test_integers_are_read(value: int) -> None:
    assert read("simple", "integer", str(value), explode=False) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read(value: float) -> None:
    assert read("simple", "number", repr(value), explode=False) == value


@given(st.text().filter(lambda text: text not in ("true", "false")))
def test_only_true_and_false_are_booleans(text: str) -> None:
    assert read("simple", "boolean", text, explode=False) == text


# The whole way, without a socket: a request is answered or refused


def status_of(
    method: str, path: bytes, query: bytes, body: bytes, *fields: tuple[bytes, bytes]
) -> int:
    """Send a request to the miniature API and return the status of its answer."""
    sent: list[Any] = []
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "headers": [(b"content-type", b"application/json"), *fields],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(APPLICATION(scope, receive, send))
    status: int = sent[0]["status"]
    return status


APPLICATION = application(Things(), hooks=Hooks(authenticate=None))
NAMES = ["country", "limit", "ids", "names", "piped", "filter[size]", "since", "flag", "ratio"]
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES) | st.text(), st.text()))


@given(PAIRS | st.binary().map(lambda raw: [("country", raw)]))
def test_no_query_breaks_the_server(pairs: Any) -> None:
    assert status_of("GET", b"/things", urlencode(pairs).encode(), b"") in (200, 400)


@given(st.binary(), st.binary())
def test_no_bytes_break_the_server(query: bytes, header: bytes) -> None:
    fields = [(b"x-trace", header), (b"cookie", header), (b"request-id", header)]
    assert status_of("GET", b"/things", query, b"", *fields) in (200, 400)


@given(VALUES.map(lambda value: json.dumps(value).encode()) | st.binary())
def test_no_body_breaks_the_server(body: bytes) -> None:
    assert status_of("POST", b"/things", b"", body) == 400


@given(
    st.fixed_dictionaries(
        {"reference": VALUES},
        optional=dict.fromkeys(
            ("quantity", "days", "end-user", "colour", "tags", "labels", "other"), VALUES
        ),
    )
)
def test_no_fields_break_the_server(fields: dict[str, object]) -> None:
    assert status_of("POST", b"/things", b"", json.dumps(fields).encode()) in (201, 400)


@given(st.text() | st.text(alphabet="%2Ff/.~"))
def test_no_path_breaks_the_server(path: str) -> None:
    raw = b"/things/" + quote(path, safe="%/").encode()
    expected = (200, 404)
    try:
        unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        expected = (400, 404)
    assert status_of("GET", raw, b"", b"") in expected
