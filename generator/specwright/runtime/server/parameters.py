"""Parsing of parameters from requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue
from starlette.datastructures import Headers
from starlette.types import Scope

from ..shared import querystring
from ..shared.operation import Location, Parameter
from ..shared.styles import (
    STYLES,
    NotUnicodeError,
    Pairs,
    belongs,
    decoded,
    is_undecoded,
    plain,
    value,
)

_LISTS = ("array", "object")


class Sent:
    """The parameters of a request by location, as plain names and decoded texts.

    Attributes:
        query: the names and texts of the query.

    Args:
        keys: names of query parameters that are credentials.
    """

    def __init__(self, scope: Scope, path: Mapping[str, str], keys: Set[str] = frozenset()) -> None:
        self._query: str = scope["query_string"].decode("latin-1")
        self._keys = keys
        self.query = _pairs(self._query.replace("+", " ").split("&"))
        self._path = path
        self._headers = Headers(scope=scope)

    def pairs(self, location: Location, name: str) -> Pairs:
        """Return the pairs that may belong to a parameter, in the order sent."""
        match location:
            case "query":
                return self.query
            case "path":
                return [(name, self._path[name])]
            case "header":
                return [(name, text) for text in self._headers.getlist(name)]
            case "cookie":
                return self.cookies
            case "querystring":
                return [(name, self.query_string)]

    @cached_property
    def query_string(self) -> str:
        """The query as received, without credentials."""
        sent = [part for part in self._query.split("&") if part]
        return "&".join(part for part in sent if _name(part) not in self._keys)

    @cached_property
    def cookies(self) -> Pairs:
        """The names and texts of the cookies as received, without surrounding quotes."""
        headers = self._headers.getlist("cookie")
        split = (pair.strip().partition("=") for header in headers for pair in header.split(";"))
        return [(name, _unquoted(text)) for name, is_pair, text in split if is_pair]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one parameter from a request.

    Attributes:
        properties: names of the properties, if the value is an object of known shape; an exploded
            style sends them as separate parameters.
        others: readers of the other parameters at the same place; an object of any shape does not
            include what belongs to them.
    """

    parameter: Parameter
    properties: frozenset[str] = frozenset()
    others: tuple[Reader, ...] = ()

    def claims(self, name: str) -> bool:
        """Return whether the query parameter (or cookie) `name` belongs to this one."""
        if self._is_always_spread and not self.properties:
            return not any(other.owns(name) for other in self.others)
        return self.owns(name)

    def owns(self, name: str) -> bool:
        """Return whether the document declares that `name` belongs to this one."""
        is_property = self._is_spread and name in self.properties
        if self._is_always_spread and self.properties:
            return is_property
        return is_property or belongs(self.parameter, name)

    def read(self, sent: Sent) -> JsonValue:
        """Return the JSON value, or None if the request does not have the parameter.

        Raises:
            RepeatedError: the parameter is repeated but not a list.
            NotUnicodeError: it contains bytes that are not UTF-8.
            ValueError: the parameter must be JSON but is not.
        """
        parameter = self.parameter
        if parameter.content is not None:
            is_present = parameter.required or sent.query_string
            return querystring.read(parameter.content, sent.query_string) if is_present else None
        pairs = sent.pairs(parameter.location, parameter.wire)
        match parameter.location:
            case "header" if parameter.style == "simple" and parameter.kind in _LISTS and pairs:
                parts = [part.strip() for _, text in pairs for part in text.split(",")]
                pairs = [(parameter.wire, ",".join(parts))]
            case "query":
                pairs = [pair for pair in pairs if self.claims(pair[0])]
            case "cookie":
                # Cookies of the style `form` are percent-encoded.
                read = str if parameter.style == "cookie" else decoded
                read_pairs = [(plain(read(name)), read(text)) for name, text in pairs]
                pairs = [pair for pair in read_pairs if self.claims(pair[0])]
            case _:
                pass
        if any(is_undecoded(part) for pair in pairs for part in pair):
            raise NotUnicodeError
        return value(parameter, pairs) if pairs else None

    @property
    def _is_always_spread(self) -> bool:
        return self._is_spread and self.parameter.alone is None

    @property
    def _is_spread(self) -> bool:
        parameter = self.parameter
        is_named = STYLES[parameter.style].named and parameter.style != "deepObject"
        return parameter.kind == "object" and parameter.explode is True and is_named


def is_unsafe(segment: str) -> bool:
    """Return whether a decoded segment of a path could name a file elsewhere, or cut its name."""
    text = plain(segment)
    return text in (".", "..") or not {"/", "\\", "\0"}.isdisjoint(text)


def _pairs(texts: Sequence[str]) -> Pairs:
    split = (text.partition("=") for text in texts if text)
    return [(plain(decoded(name)), decoded(text)) for name, _, text in split]


def _name(part: str) -> str:
    return plain(decoded(part.partition("=")[0].replace("+", " ")))


def _unquoted(text: str) -> str:
    """Return the value of a cookie without surrounding quotes (RFC 6265, 4.1.1)."""
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if is_quoted else text
