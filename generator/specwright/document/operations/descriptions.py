"""Descriptions of places in a document, in words for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from specwright.document.model import Document
from specwright.document.shape import METHODS
from specwright.pointer import Pointer, join, resolve, split, unescape

# Places that hold things by name; the token after them is the name.
_NAMED: Mapping[str, str] = {
    "parameters": "parameter",
    "headers": "header",
    "responses": "response",
    "requestBodies": "request body",
    "securitySchemes": "security scheme",
    "callbacks": "callback",
}
_ALONE: Mapping[str, str] = {"requestBody": "the request body", "servers": "the list of servers"}
# Steps into a value, and their form in its path.
_INTO: Mapping[str, str] = {"items": "[]", "additionalProperties": ".*"}
# Steps that are followed by a name which says nothing about the value.
_PASSED = frozenset({"content", "oneOf", "anyOf", "allOf", "prefixItems"})

_OPERATIONS = (("paths",), ("webhooks",))
OPERATION, API = "the operation", "the API"


def subject(pointer: Pointer, document: Document, quoted: Callable[[str], str] = str) -> str:
    """Return the parameter, body, response or part of a schema that contains a place, in words.

    Args:
        quoted: marks names from the document among words.
    """
    tokens = split(pointer)
    words: list[str] = []
    path = ""
    at = _start(tokens)
    while at < len(tokens):
        token, name = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else None
        at += 1
        if token in _ALONE:
            words.append(_ALONE[token])
        elif token in _INTO:
            path += _INTO[token]
        elif name is not None:
            if token in _NAMED:
                words.append(f"{_NAMED[token]} {quoted(_name(tokens[: at + 1], document))}")
            elif token in ("schemas", "properties"):
                path += f".{name}"
            elif token not in _PASSED:
                continue
            at += 1
    if not path and tokens[-2:-1] == ("content",):
        words.append(f"media type {quoted(tokens[-1])}")
    inside, around = quoted(path.lstrip(".")) if path else "", " of ".join(reversed(words))
    whole = " in ".join(filter(None, (inside, around)))
    return whole or (OPERATION if tokens[:1] in _OPERATIONS else API)


def beside(
    message: str, pointer: Pointer, document: Document, quoted: Callable[[str], str] = str
) -> str:
    """Return the subject of a message about a place; empty if it is all, or the message names it.

    Args:
        quoted: as that of `subject`.
    """
    above, is_below, name = pointer.rpartition("/properties/")
    if is_below and f"'{unescape(name.partition('/')[0])}'" in message:
        pointer = above
    words = subject(pointer, document, quoted)
    return "" if words in (OPERATION, API) else words


def _start(tokens: tuple[str, ...]) -> int:
    if tokens[:1] not in _OPERATIONS:
        return 0
    return 3 if tokens[2:3] and tokens[2] in METHODS else 2


def _name(tokens: tuple[str, ...], document: Document) -> str:
    """Return the name of a parameter, or the last token of another place."""
    try:
        value = document.follow(resolve(document.data, join(*tokens)))
    except (KeyError, ValueError):
        value = None
    name = value.get("name") if isinstance(value, dict) and tokens[-2] == "parameters" else None
    return name if isinstance(name, str) else tokens[-1]
