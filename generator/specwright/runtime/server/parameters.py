"""Parameters of a request: from the text that travels to the JSON value that it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl, unquote

from starlette.datastructures import Headers
from starlette.types import Scope

from ..shared.operation import Kind, Location, Parameter

_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|"}
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,99})(\.0+)?", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


class RepeatedError(ValueError):
    """A parameter that has one value was sent more than once."""


class Sent:
    """What a request carries: the texts of a name, by location."""

    def __init__(self, scope: Scope, path: Mapping[str, str]) -> None:
        self.query: dict[str, list[str]] = {}
        query = scope["query_string"].decode("latin-1")
        for name, text in parse_qsl(query, keep_blank_values=True):
            self.query.setdefault(name, []).append(text)
        self._path = path
        self._scope = scope

    def texts(self, location: Location, name: str) -> Sequence[str]:
        """Return the texts in the order in which they were sent."""
        match location:
            case "query":
                return self.query.get(name, ())
            case "path":
                return (self._path[name],)
            case "header":
                return Headers(scope=self._scope).getlist(name)
            case "cookie":
                return self.cookies.get(name, ())

    @cached_property
    def cookies(self) -> Mapping[str, Sequence[str]]:
        """The values of each cookie, which travel percent-encoded in the style `form`."""
        found: dict[str, list[str]] = {}
        for header in Headers(scope=self._scope).getlist("cookie"):
            for pair in header.split(";"):
                name, is_pair, text = pair.strip().partition("=")
                if is_pair:
                    found.setdefault(unquote(name), []).append(unquote(_unquoted(text)))
        return found


@dataclass(frozen=True, slots=True)
class Reader:
    """Finds a parameter in a request.

    Attributes:
        properties: names of the properties, when the value is an object of known shape;
            an exploded form sends them as parameters of their own.
    """

    parameter: Parameter
    properties: frozenset[str] = frozenset()

    def claims(self, name: str) -> bool:
        """Tell whether the query parameter (or cookie) `name` belongs to this one."""
        parameter = self.parameter
        if parameter.style == "deepObject":
            return name.startswith(f"{parameter.wire}[") and name.endswith("]")
        return name in self.properties if self._is_spread else name == parameter.wire

    def read(self, sent: Sent) -> Any:
        """Return the JSON value, or None when the request does not have the parameter.

        Raises:
            RepeatedError: the parameter is given twice and is no list.
        """
        parameter = self.parameter
        if parameter.style == "deepObject" or self._is_spread:
            return self._members(sent.cookies if parameter.location == "cookie" else sent.query)
        texts = sent.texts(parameter.location, parameter.wire)
        if not texts:
            return None
        if parameter.location == "header" and parameter.kind in ("array", "object"):
            texts = [",".join(part.strip() for text in texts for part in text.split(","))]
        if parameter.kind == "array" and parameter.explode and parameter.style == "form":
            return [_scalar(parameter.item_kind, text) for text in texts]
        if len(texts) > 1:
            raise RepeatedError
        parts = _parts(parameter, texts[0])
        match parameter.kind:
            case "array":
                return [_scalar(parameter.item_kind, part) for part in parts]
            case "object" if parameter.explode:
                return {name: value for name, _, value in (part.partition("=") for part in parts)}
            case "object":
                return dict(zip(parts[::2], parts[1::2], strict=False))
            case kind:
                return _scalar(kind, parts[0])

    @property
    def _is_spread(self) -> bool:
        parameter = self.parameter
        return (
            parameter.kind == "object" and parameter.explode is True and parameter.style == "form"
        )

    def _members(self, query: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
        skip = len(self.parameter.wire) + 1
        found: dict[str, str] = {}
        for name, texts in query.items():
            if self.claims(name):
                if len(texts) > 1:
                    raise RepeatedError
                found[name if self._is_spread else name[skip:-1]] = texts[0]
        return found or None


def _unquoted(text: str) -> str:
    """The value of a cookie without the quotes that may be around it (RFC 6265, 4.1.1)."""
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if is_quoted else text


def _parts(parameter: Parameter, text: str) -> list[str]:
    composite = parameter.kind in ("array", "object")
    delimiter = _DELIMITERS.get(parameter.style, ",")
    if parameter.style == "label":
        text = text.removeprefix(".")
        delimiter = "." if parameter.explode else ","
    elif parameter.style == "matrix":
        pairs = text.removeprefix(";").split(";")
        if parameter.explode and parameter.kind == "object":
            return pairs
        if parameter.explode and parameter.kind == "array":
            return [pair.partition("=")[2] for pair in pairs]
        text = pairs[0].partition("=")[2]
    if not composite:
        return [text]
    return text.split(delimiter) if text else []


def _scalar(kind: Kind, text: str) -> object:
    match kind:
        case "integer" if _INTEGER.fullmatch(text):
            return int(text.partition(".")[0])
        case "number" if _NUMBER.fullmatch(text):
            value = float(text)
            return int(value) if value.is_integer() else value if isfinite(value) else text
        case "boolean" if text in ("true", "false"):
            return text == "true"
        case _:
            # Text of another form: the parameter's schema has the last word.
            return text
