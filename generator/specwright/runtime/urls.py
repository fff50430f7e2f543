"""Write arguments into URLs and headers (OpenAPI 3.1.1, 4.8.12, styles)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from .operation import Parameter

SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


def path_segment(parameter: Parameter, value: object) -> str:
    """Return what replaces `{name}` in a path template."""
    if parameter.style == "matrix":
        return ";" + ";".join(
            f"{quote(name, safe='')}={text}" for name, text in _named(parameter, value, ",")
        )
    text = _delimited(parameter, value, ",")
    return "." + text if parameter.style == "label" else text


def query_pairs(parameter: Parameter, value: object) -> Iterable[tuple[str, str]]:
    """Yield names and values for the query, both percent-encoded."""
    if parameter.style == "deepObject" and isinstance(value, Mapping):
        name = quote(parameter.wire, safe="")
        for key, member in value.items():
            yield f"{name}%5B{quote(str(key), safe='')}%5D", quote(_text(member), safe="")
    else:
        for name, text in _named(parameter, value, SEPARATORS.get(parameter.style, ",")):
            yield quote(name, safe=""), text


def header_value(value: object) -> str:
    """Return the value of a header or cookie."""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    if isinstance(value, Mapping):
        return ",".join(f"{key},{_text(member)}" for key, member in value.items())
    return _text(value)


def _named(parameter: Parameter, value: object, separator: str) -> Iterable[tuple[str, str]]:
    if parameter.explode and isinstance(value, list):
        return [(parameter.wire, quote(_text(each), safe="")) for each in value]
    if parameter.explode and isinstance(value, Mapping):
        return [(str(key), quote(_text(each), safe="")) for key, each in value.items()]
    return [(parameter.wire, _delimited(parameter, value, separator))]


def _delimited(parameter: Parameter, value: object, separator: str) -> str:
    if isinstance(value, list):
        return separator.join(quote(_text(each), safe="") for each in value)
    if isinstance(value, Mapping):
        between = "=" if parameter.explode else separator
        return separator.join(
            f"{quote(str(key), safe='')}{between}{quote(_text(each), safe='')}"
            for key, each in value.items()
        )
    return quote(_text(value), safe="")


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
