"""Write arguments into URLs and headers (OpenAPI 3.1.1, 4.8.12, styles)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from urllib.parse import quote

from pydantic import JsonValue

from ..shared.operation import Parameter

SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}
# Styles that repeat the parameter's name; the others keep to one value.
NAMED = frozenset({"deepObject", "form", "matrix", "pipeDelimited", "spaceDelimited"})

Pairs = Iterable[tuple[str, str]]


def is_undefined(value: JsonValue) -> bool:
    """Tell whether a value has no text, so that it is left out (RFC 6570, 2.3 and 3.2.1)."""
    if isinstance(value, dict):
        return all(each is None for each in value.values())
    if isinstance(value, list):
        return all(each is None for each in value)
    return value is None


def path_segment(parameter: Parameter, value: JsonValue) -> str:
    """Return what replaces `{name}` in a path template."""
    pairs = _pairs(parameter, value, _quote)
    if parameter.style == "matrix":
        return "".join(f";{name}={text}" for name, text in pairs)
    text = "".join(text for _, text in pairs)
    return "." + text if parameter.style == "label" else text


def encoded_pairs(parameter: Parameter, value: JsonValue) -> Pairs:
    """Return names and values for the query or the cookies, percent-encoded."""
    return _pairs(parameter, value, _quote)


def header_value(parameter: Parameter, value: JsonValue) -> str:
    """Return the value of a header."""
    return ",".join(text for _, text in _pairs(parameter, value, str))


def with_pairs(query: Sequence[str], more: Mapping[str, JsonValue]) -> list[str]:
    """Return the parts of a query with parameters that replace those of the same name."""
    parameters = {_quote(name): Parameter(name, name, "query") for name in more}
    kept = [pair for pair in query if pair.partition("=")[0] not in parameters]
    for parameter in parameters.values():
        value = more[parameter.name]
        if not is_undefined(value):
            kept += [f"{name}={text}" for name, text in encoded_pairs(parameter, value)]
    return kept


def _pairs(parameter: Parameter, value: JsonValue, encode: Callable[[str], str]) -> Pairs:
    style, repeats = parameter.style, parameter.explode and parameter.style in NAMED
    separator = "." if style == "label" and parameter.explode else SEPARATORS.get(style, ",")
    wire = encode(parameter.wire)
    if isinstance(value, dict):
        members = [
            (encode(key), encode(_text(each))) for key, each in value.items() if each is not None
        ]
        if style == "deepObject":
            return [(f"{wire}%5B{key}%5D", text) for key, text in members]
        if repeats:
            return members
        parts = ["=".join(each) for each in members] if parameter.explode else chain(*members)
        return [(wire, separator.join(parts))]
    if isinstance(value, list):
        texts = [encode(_text(each)) for each in value if each is not None]
        return [(wire, text) for text in texts] if repeats else [(wire, separator.join(texts))]
    return [(wire, encode(_text(value)))]


def _quote(text: str) -> str:
    return quote(text, safe="")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
