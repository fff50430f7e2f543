"""Parameters of a request: from the text that travels to the JSON value that it stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from .operation import Kind, Parameter

_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|"}
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,99})(\.0+)?", re.ASCII)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


class Repeated(ValueError):
    """A parameter that has one value was sent more than once."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What a request carries, by location; every name with all its texts."""

    path: Mapping[str, Sequence[str]]
    query: Mapping[str, Sequence[str]]
    header: Mapping[str, Sequence[str]]
    cookie: Mapping[str, Sequence[str]]


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
        """Tell whether the query parameter `name` belongs to this one."""
        parameter = self.parameter
        if parameter.style == "deepObject":
            return name.startswith(f"{parameter.wire}[") and name.endswith("]")
        return name in self.properties if self._is_spread else name == parameter.wire

    def read(self, sent: Sent) -> object:
        """Return the JSON value, or None when the request does not have the parameter.

        Raises:
            Repeated: the parameter is given twice and is no list.
        """
        parameter = self.parameter
        values: Mapping[str, Sequence[str]] = getattr(sent, parameter.location)
        if parameter.style == "deepObject" or self._is_spread:
            return self._members(values)
        texts = values.get(parameter.wire)
        if not texts:
            return None
        if parameter.location == "header" and parameter.kind in ("array", "object"):
            texts = [",".join(texts)]
        if parameter.kind == "array" and parameter.explode and parameter.style == "form":
            return [_scalar(parameter.item_kind, text) for text in texts]
        if len(texts) > 1:
            raise Repeated
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
        return parameter.kind == "object" and parameter.explode and parameter.style == "form"

    def _members(self, values: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
        skip = len(self.parameter.wire) + 1
        found: dict[str, str] = {}
        for name, texts in values.items():
            if self.claims(name):
                if len(texts) > 1:
                    raise Repeated
                found[name if self._is_spread else name[skip:-1]] = texts[0]
        return found or None


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
