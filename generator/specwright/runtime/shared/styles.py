"""Serialization and parsing of parameters as text.

The styles are those of OpenAPI (3.2.0, 4.12.2 and appendix C), which are the operators of RFC 6570;
`content` is the style of parameters with a JSON media type in place of a schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Any, cast
from urllib.parse import quote, unquote

from pydantic import JsonValue

from .operation import Kind, Parameter
from .strict_json import scan


@dataclass(frozen=True, slots=True)
class Style:
    """How a style joins the parts of a value.

    Attributes:
        prefix: the start of the text.
        delimiter: between the parts of one value.
        exploded: between exploded values, if the style has them in one text.
        named: whether each of these values begins with a name.
    """

    prefix: str = ""
    delimiter: str = ","
    exploded: str = ","
    named: bool = False


STYLES: Mapping[str, Style] = {
    "content": Style(),
    "cookie": Style(named=True),
    "deepObject": Style(named=True),
    "form": Style(named=True),
    "label": Style(prefix=".", exploded="."),
    "matrix": Style(prefix=";", exploded=";", named=True),
    "pipeDelimited": Style(delimiter="%7C", named=True),
    "simple": Style(),
    "spaceDelimited": Style(delimiter="%20", named=True),
}

# The characters that `allowReserved` leaves unencoded (RFC 6570, 3.2.3), except those with a
# meaning at that place; percent-encoded triplets are left as they are.
_RESERVED = {"query": ":/?@!$'()*,;=", "path": ":@!$&'()*+,;="}
_TRIPLET = re.compile("(%[0-9A-Fa-f]{2})")
_DELIMITERS = ",;=./"
_ENCODED = re.compile(
    "%(" + "|".join(f"{ord(delimiter):02x}" for delimiter in _DELIMITERS) + ")", re.I
)
# Placeholders for encoded delimiters until a text is split; no decoded text contains them.
MARKED = {0xDC00 + ord(delimiter): delimiter for delimiter in _DELIMITERS}
_NO_DELIMITERS = dict.fromkeys(map(ord, _DELIMITERS))
_UNDECODED = re.compile("[\udc80-\udcff]")
_BRACKETS = re.compile(r"(?:\[[^\[\]]*\]){1,16}")
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,99})(\.0+)?", re.ASCII)
# Above it, not every integer can be represented as a float.
_EXACT = 2**53
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)

Pairs = Sequence[tuple[str, str]]
# An integer key means an item without an index.
_Node = dict[str | int, Any]


class RepeatedError(ValueError):
    """A parameter with a single value was sent more than once."""


class NotUnicodeError(ValueError):
    """A parameter contains bytes that are not UTF-8."""


def is_undefined(value: JsonValue, style: str = "form") -> bool:
    """Return whether a value is undefined, so that it is omitted (RFC 6570, 2.3 and 3.2.1)."""
    if style == "content":
        return value is None
    if isinstance(value, dict):
        return all(member is None for member in value.values())
    if isinstance(value, list):
        return all(item is None for item in value)
    return value is None


def is_ambiguous(parameter: Parameter, value: JsonValue) -> bool:
    """Return whether a part of a value contains the delimiter that would end it."""
    if not isinstance(value, (dict, list)) or parameter.style == "content":
        return False
    if parameter.style == "deepObject":
        return any(not _is_key(key) for key in _keys(value))
    style = STYLES[parameter.style]
    if style.named and parameter.explode:
        return False
    encode = _encoder(parameter, value)
    delimiter = style.exploded if parameter.explode else style.delimiter
    parts = chain(*value.items()) if isinstance(value, dict) else value
    return any(delimiter in encode(_text(part)) for part in parts if part is not None)


def pairs(parameter: Parameter, value: JsonValue) -> Pairs:
    """Return names and texts as written in the query or in the `Cookie` header."""
    encode, style = _encoder(parameter, value), STYLES[parameter.style]
    wire = encode(parameter.wire)
    if parameter.style == "content":
        return [(wire, encode(_json(value)))]
    if parameter.style == "deepObject":
        return [(wire + encode(path), encode(leaf)) for path, leaf in _leaves("", value)]
    if isinstance(value, dict):
        members = [(encode(k), encode(_text(v))) for k, v in value.items() if v is not None]
        if parameter.explode:
            return members if style.named else [("", "=".join(member)) for member in members]
        parts = list(chain(*members))
    elif isinstance(value, list):
        parts = [encode(_text(item)) for item in value if item is not None]
        if parameter.explode:
            return [(wire, part) for part in parts]
    else:
        parts = [encode(_text(value))]
    return [(wire, style.delimiter.join(parts))]


def text(parameter: Parameter, value: JsonValue) -> str:
    """Return the text that replaces `{name}` in a path, or the value of a header."""
    style = STYLES[parameter.style]
    # A name without a text has no `=` (RFC 6570, 3.2.7).
    parts = (
        "=".join(filter(None, pair)) if style.named else pair[1] for pair in pairs(parameter, value)
    )
    return style.prefix + style.exploded.join(parts)


def decoded(text: str) -> str:
    """Decode percent-encoding; encoded delimiters remain distinguishable from others.

    Bytes that are not UTF-8 become lone surrogates (PEP 383), which `is_undecoded` finds.
    """
    if "%" not in text:
        return text
    marked = _ENCODED.sub(lambda match: chr(0xDC00 + int(match[1], 16)), text)
    return unquote(marked, errors="surrogateescape")


def is_undecoded(text: str) -> bool:
    """Return whether a decoded text contains bytes that are not UTF-8."""
    return not text.isascii() and _UNDECODED.search(text) is not None


def plain(text: str) -> str:
    """Return a decoded text with its encoded delimiters restored."""
    return text if text.isascii() else text.translate(MARKED)


def belongs(parameter: Parameter, name: str) -> bool:
    """Return whether a name in the query is that of a parameter, or of one of its members."""
    if name == parameter.wire:
        return True
    rest = name.removeprefix(parameter.wire)
    is_deep = parameter.style == "deepObject" and rest != name
    return is_deep and _BRACKETS.fullmatch(rest) is not None


def value(parameter: Parameter, sent: Pairs) -> JsonValue:
    """Return the value of a parameter.

    Args:
        sent: its plain names and decoded texts.

    Raises:
        RepeatedError: the parameter is repeated but not a list.
        ValueError: a text must be JSON but is not.
    """
    style = STYLES[parameter.style]
    is_composite = parameter.kind in ("array", "object") and not _is_lone(parameter, sent)
    if parameter.style == "deepObject" and is_composite:
        return _tree(parameter, sent)
    if style.prefix:
        sent = _segment(style, parameter, sent[0][1])
    if style.named and parameter.explode and is_composite:
        if parameter.kind == "object":
            return _object(parameter, sent)
        return [_inner(parameter, "*", each) for _, each in sent]
    if len(sent) > 1:
        raise RepeatedError
    if parameter.style == "content":
        return cast("JsonValue", json.loads(scan(plain(sent[0][1]).encode())))
    return _joined(parameter, style, sent[0][1])


def _is_lone(parameter: Parameter, sent: Pairs) -> bool:
    """Return whether a scalar was sent where it is allowed in place of an array or object."""
    if parameter.alone is None or len(sent) > 1 or sent[0][0] != parameter.wire:
        return False
    one = plain(sent[0][1])
    return parameter.alone == "string" or _scalar(parameter.alone, one) != one


def _segment(style: Style, parameter: Parameter, text: str) -> Pairs:
    """Split the text of a style with a prefix, which is a segment of a path."""
    text = text.removeprefix(style.prefix)
    if not style.named:
        return [(parameter.wire, text)]
    parts = (pair.partition("=") for pair in text.split(style.exploded))
    return [(plain(name), each) for name, _, each in parts]


def _joined(parameter: Parameter, style: Style, text: str) -> JsonValue:
    """Parse a value that has all its parts in one text."""
    if parameter.kind not in ("array", "object"):
        return _scalar(parameter.kind, plain(text))
    delimiter = unquote(style.exploded if parameter.explode else style.delimiter)
    # Many senders also encode the delimiter.
    text = text if delimiter in text else plain(text)
    if delimiter not in text and _is_lone(parameter, [(parameter.wire, text)]):
        return _scalar(parameter.alone or "string", text)
    parts = text.split(delimiter) if text else []
    if parameter.kind == "array":
        return [_inner(parameter, "*", part) for part in parts]
    if parameter.explode:
        return _object(parameter, [(n, each) for n, _, each in (p.partition("=") for p in parts)])
    return _object(parameter, list(zip(parts[::2], parts[1::2], strict=False)))


def _object(parameter: Parameter, members: Pairs) -> JsonValue:
    properties: dict[str, JsonValue] = {}
    for name, each in members:
        key = plain(name)
        if key in properties:
            raise RepeatedError
        properties[key] = _inner(parameter, _step(parameter, "", key), each)
    return properties


def _inner(parameter: Parameter, place: str, text: str) -> JsonValue:
    return _scalar(parameter.inner.get(place, "string"), plain(text))


def _step(parameter: Parameter, place: str, key: str) -> str:
    """Return the path of a member in `inner`; members without their own have `*`."""
    own, other = (".".join(filter(None, (place, name))) for name in (key, "*"))
    is_known = any(
        inner_name == own or inner_name.startswith(f"{own}.") for inner_name in parameter.inner
    )
    return own if is_known else other


def _leaves(path: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    """Yield names in brackets and texts; items are numbered if any of them is nested."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _leaves(f"{path}[{key}]", each)
    elif isinstance(value, list):
        is_flat = not any(isinstance(item, (dict, list)) for item in value)
        for index, each in enumerate(value):
            yield from _leaves(f"{path}[{'' if is_flat else index}]", each)
    elif value is not None:
        yield path, _text(value)


def _keys(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for member in value.values() if isinstance(value, dict) else cast("list[JsonValue]", value):
        if isinstance(member, (dict, list)):
            yield from _keys(member)


def _is_key(key: str) -> bool:
    return bool(key) and not {"[", "]"} & set(key)


def _tree(parameter: Parameter, sent: Pairs) -> JsonValue:
    if parameter.kind == "object" and sent[0][0] == parameter.wire:
        return plain(sent[0][1])
    root: _Node = {}
    for name, each in sent:
        *above, last = name[len(parameter.wire) + 1 : -1].split("][")
        node = root
        for key in above:
            below: object = node.setdefault(key or len(node), {})
            if not isinstance(below, dict):
                raise RepeatedError
            node = cast("_Node", below)
        if last in node:
            raise RepeatedError
        node[last or len(node)] = each
    return _grown(parameter, "", parameter.kind, root)


def _grown(parameter: Parameter, place: str, kind: Kind, node: _Node | str) -> JsonValue:
    if isinstance(node, str):
        return plain(node) if kind in ("array", "object") else _scalar(kind, plain(node))
    grown: dict[str | int, JsonValue] = {}
    for key, each in node.items():
        at = _step(parameter, place, str(key))
        grown[key] = _grown(parameter, at, parameter.inner.get(at, "string"), each)
    is_list = kind == "array" or all(isinstance(key, int) for key in grown)
    if is_list and all(str(key).isdecimal() for key in grown):
        return [grown[key] for key in sorted(grown, key=int)]
    return {str(key): each for key, each in grown.items()}


def _encoder(parameter: Parameter, value: JsonValue) -> Callable[[str], str]:
    if parameter.location == "header" or parameter.style == "cookie":
        return str
    if not parameter.allow_reserved:
        return _quote
    reserved = _RESERVED.get(parameter.location, "")
    # Within arrays and objects, delimiters are always encoded.
    safe = reserved.translate(_NO_DELIMITERS) if isinstance(value, (dict, list)) else reserved
    return lambda text: "".join(
        part if index % 2 else quote(part, safe) for index, part in enumerate(_TRIPLET.split(text))
    )


def _quote(text: str) -> str:
    return quote(text, safe="")


def _text(value: JsonValue) -> str:
    # 1 and 1.0 are the same number in JSON, but a service may reject `1.0` as an integer.
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return value if isinstance(value, str) else _json(value)


def _json(value: JsonValue) -> str:
    return json.dumps(value, separators=(",", ":"))


def _scalar(kind: Kind, text: str) -> JsonValue:
    """Return the value of a text; a text that is not valid stays text, for the schema to judge."""
    match kind:
        case "integer" if _INTEGER.fullmatch(text):
            return int(text.partition(".")[0])
        case "number" if _NUMBER.fullmatch(text):
            value = float(text)
            return int(value) if value.is_integer() else value if isfinite(value) else text
        case "boolean" if text in ("true", "false"):
            return text == "true"
        case "array" | "object":
            try:
                return cast("JsonValue", json.loads(scan(text.encode())))
            except ValueError:
                return text
        case _:
            return text
