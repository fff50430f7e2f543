"""Every value arrives as it was, in every style; judged by RFC 6570 and by other parsers."""

from __future__ import annotations

import json
from itertools import product
from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue
from starlette.datastructures import QueryParams
from uritemplate import URITemplate
from werkzeug.http import parse_cookie

from specwright.runtime.client.wire.query import parts
from specwright.runtime.server.parameters import Reader, Sent
from specwright.runtime.server.paths import Paths
from specwright.runtime.shared import styles
from specwright.runtime.shared.operation import (
    Content,
    Kind,
    Location,
    Operation,
    Parameter,
    Part,
)
from specwright.runtime.shared.parts import members
from specwright.runtime.shared.parts import pairs as form_pairs

# Text that a path, a header and a cookie can carry, with all that has a meaning in one of them.
WORDS = st.text(
    st.sampled_from("aZ0 ,;=&+%./|[]{}?#:@!$'()*\"<>\\~é€") | st.characters(codec="utf-8")
)
PLAIN = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)
STYLES: dict[Location, tuple[str, ...]] = {
    "path": ("simple", "label", "matrix", "content"),
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject", "content"),
    "header": ("simple", "content"),
    "cookie": ("form", "cookie", "content"),
}
PLACES = [(place, style) for place, names in STYLES.items() for style in names]
WAYS = list(product(PLACES, (True, False)))


def made(way: tuple[tuple[Location, str], bool], kind: Kind = "string", **more: Any) -> Parameter:
    (location, style), explode = way
    return Parameter("p", "p", location, kind=kind, style=style, explode=explode, **more)


def received(parameter: Parameter, value: JsonValue) -> JsonValue:
    """Send a value in a request, and return the value that the server reads."""
    scope = {"type": "http", "query_string": b"", "headers": []}
    path = {}
    match parameter.location:
        case "query":
            scope["query_string"] = "&".join(["x=1", *parts(parameter, value)]).encode()
        case "cookie":
            scope["headers"] = [(b"cookie", "; ".join(["x=1", *parts(parameter, value)]).encode())]
        case "header":
            scope["headers"] = [(b"p", styles.text(parameter, value).encode("latin-1"))]
        case "path":
            segment = styles.text(parameter, value)
            assume(segment)
            path = at_path(segment)
    properties = frozenset(value) if isinstance(value, dict) else frozenset[str]()
    return Reader(parameter, properties).read(Sent(scope, path))


def at_path(segment: str) -> dict[str, str]:
    """The texts of the variables of a path, as the server finds them."""

    class Endpoint:
        operation: Operation[object] = Operation("get", "get", "GET", "/things/{p}")

    path = f"/things/{segment}"
    scope = {"path": unquote(path), "raw_path": path.encode()}
    methods, texts = Paths([Endpoint()], "").find(scope)  # type: ignore[list-item]
    assert methods
    return dict(texts)


def texts(way: tuple[tuple[Location, str], bool]) -> st.SearchStrategy[str]:
    """Texts that the style can carry at the place."""
    (location, style), _ = way
    if style == "content":
        return WORDS
    if location == "header" or style == "cookie":
        return PLAIN.filter(lambda text: not set(text) & set(',;"\\') and text == text.strip())
    return WORDS.filter(bool) if location == "path" else WORDS


@given(st.data(), st.sampled_from(WAYS))
def test_a_text_arrives(data: st.DataObject, way: Any) -> None:
    text = data.draw(texts(way))
    assert received(made(way), text) == text


@given(st.sampled_from(WAYS), st.integers(-(10**30), 10**30))
def test_an_integer_arrives(way: Any, number: int) -> None:
    assert received(made(way, "integer"), number) == number


@given(st.sampled_from(WAYS), st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_arrives(way: Any, number: float) -> None:
    arrived: Any = received(made(way, "number"), number)
    assert float(arrived) == number


@given(st.data(), st.sampled_from(WAYS))
def test_a_list_of_texts_arrives(data: st.DataObject, way: Any) -> None:
    value: Any = data.draw(st.lists(texts(way), min_size=1))
    parameter = made(way, "array")
    assume(not styles.is_ambiguous(parameter, value))
    if not (parameter.explode and parameter.style in ("cookie", "form")):
        # One empty text reads as none at all; a text with a delimiter is read as several texts.
        assume(value != [""] and (len(value) > 1 or not set(value[0]) & set(",;.")))
    assert received(parameter, value) == value


@given(st.data(), st.sampled_from(WAYS))
def test_an_object_of_integers_arrives(data: st.DataObject, way: Any) -> None:
    names = texts(way).filter(lambda name: name not in ("", "x") and "=" not in name)
    value: Any = data.draw(st.dictionaries(names, st.integers(), min_size=1))
    parameter = made(way, "object", inner={"*": "integer"})
    assume(not styles.is_ambiguous(parameter, value))
    assert received(parameter, value) == value


TREES = st.recursive(
    st.text(),
    lambda inner: (
        st.lists(inner, min_size=1)
        | st.dictionaries(
            PLAIN.filter(lambda key: not set(key) & set("[]0123456789")), inner, min_size=1
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from("abc"), TREES, min_size=1))
@settings(max_examples=300)
def test_an_object_of_any_depth_arrives_in_brackets(value: Any) -> None:
    parameter = made((("query", "deepObject"), True), "object", inner=dict(arrays("", value)))
    assume(all(name.count("%5B") <= 16 for name, _ in styles.pairs(parameter, value)))
    assert received(parameter, value) == value


def arrays(place: str, value: JsonValue) -> Any:
    """The places of the arrays of a value, as the plan of a parameter has them."""
    items = value.items() if isinstance(value, dict) else [("*", e) for e in value]  # type: ignore[union-attr]
    for name, each in items:
        at = f"{place}.{name}" if place else name
        if isinstance(each, list):
            yield at, "array"
        if isinstance(each, (dict, list)):
            yield from arrays(at, each)


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ({"gt": 5, "to": {"lt": 7}}, "p[gt]=5&p[to][lt]=7"),
        (["customer", "charge"], "p[]=customer&p[]=charge"),
        ({"in": ["a", "b"]}, "p[in][]=a&p[in][]=b"),
        (
            {"items": [{"price": "x", "n": 1}, {"price": "y"}]},
            "p[items][0][price]=x&p[items][0][n]=1&p[items][1][price]=y",
        ),
        (17, "p=17"),
    ],
)
def test_brackets_are_written_as_most_servers_read_them(value: Any, query: str) -> None:
    kind: Kind = "array" if isinstance(value, list) else "object"
    inner: Any = {
        "gt": "integer",
        "to.lt": "integer",
        "in": "array",
        "items": "array",
        "items.*.n": "integer",
    }
    parameter = made((("query", "deepObject"), True), kind, inner=inner, alone="integer")
    assert unquote("&".join(parts(parameter, value))) == query
    assert received(parameter, value) == value


# RFC 6570 by an implementation of its own; `{+…}` is the operator of reserved characters.
OPERATORS = {
    ("path", "simple"): "{%s}",
    ("path", "label"): "{.%s}",
    ("path", "matrix"): "{;%s}",
    ("query", "form"): "{?%s}",
}
VALUES = (
    WORDS.filter(bool)
    | st.lists(WORDS.filter(bool), min_size=1)
    | st.dictionaries(PLAIN, WORDS.filter(bool), min_size=1).map(
        lambda each: dict(sorted(each.items()))
    )
)


@given(st.sampled_from(list(OPERATORS)), st.booleans(), VALUES)
def test_texts_are_those_of_rfc_6570(place: Any, explode: bool, value: Any) -> None:
    parameter = made((place, explode))
    template = OPERATORS[place] % ("p*" if explode else "p")
    if place[1] == "label" and not explode:
        # OpenAPI has had it so since 3.0, and RFC 6570 with commas.
        assert styles.text(parameter, value)[0] == "."
    written = (
        "?" + "&".join(parts(parameter, value))
        if place[0] == "query"
        else styles.text(parameter, value)
    )
    assert written == URITemplate(template).expand(p=value)


@given(VALUES)
def test_what_was_written_is_read_by_others(value: Any) -> None:
    spread = made((("query", "form"), True))
    query = "&".join(parts(spread, value))
    expected = (
        list(value.items())
        if isinstance(value, dict)
        else [("p", each) for each in ([value] if isinstance(value, str) else value)]
    )
    assert parse_qsl(query, keep_blank_values=True) == expected
    assert QueryParams(query).multi_items() == expected


@given(PLAIN)
def test_cookies_are_read_by_others(text: str) -> None:
    parameter = made((("cookie", "form"), True))
    (pair,) = parts(parameter, text)
    assert unquote(parse_cookie(pair)["p"]) == text


@given(st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.integers() | st.booleans()))
def test_content_is_json(value: Any) -> None:
    ((name, text),) = styles.pairs(made((("query", "content"), False)), value)
    assert (name, json.loads(unquote(text))) == ("p", value)


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("https://a.test/b?c=d,e", "p=https://a.test/b?c=d,e"),
        ("a&b#c[d]+e f", "p=a%26b%23c%5Bd%5D%2Be%20f"),
        ("100%", "p=100%25"),
        ("a%2Fb", "p=a%2Fb"),
    ],
)
def test_reserved_characters_are_written_as_they_are(value: str, query: str) -> None:
    parameter = made((("query", "form"), True), allow_reserved=True)
    assert parts(parameter, value) == [query]


@pytest.mark.parametrize(("sent", "value"), [("p=a&p=b", ["a", "b"]), ("p=a", "a"), ("p=", "")])
def test_a_text_may_be_alone_or_in_a_list(sent: str, value: JsonValue) -> None:
    parameter = made((("query", "form"), True), "array", alone="string")
    scope = {"type": "http", "query_string": sent.encode(), "headers": []}
    assert Reader(parameter).read(Sent(scope, {})) == value


@pytest.mark.parametrize(
    ("style", "explode", "value"),
    [
        ("spaceDelimited", False, ["a b", "c"]),
        ("pipeDelimited", False, ["a|b"]),
        ("deepObject", True, {"a[b]": "c"}),
    ],
)
def test_a_delimiter_that_cannot_be_told_apart_is_found(
    style: str, explode: bool, value: Any
) -> None:
    assert styles.is_ambiguous(made((("query", style), explode)), value)


@pytest.mark.parametrize("value", [{}, [], {"a": None}])
def test_an_empty_value_is_a_value_where_it_is_json(value: JsonValue) -> None:
    part = Content("multipart/form-data", None, {"p": Part("object", style="content")})
    assert [json.loads(text) for _, text in form_pairs(part, "p", value, "header")] == [value]
    assert not styles.is_undefined(value, "content")
    assert styles.is_undefined(value, "form")


@pytest.mark.parametrize("value", ["a", "{", {"a": 1}, [1]])
def test_a_text_beside_json_is_a_text(value: JsonValue) -> None:
    content = Content(
        "multipart/form-data", None, {"p": Part("object", {}, "string", style="content")}
    )
    sent = list(form_pairs(content, "p", value, "header"))
    assert sent == [
        ("p", value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))
    ]
    assert members(content, sent) == {"p": value}
