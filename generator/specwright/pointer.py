"""JSON pointers (RFC 6901), written without the leading number sign."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.json_values import JsonValue

Pointer = str
ROOT: Pointer = ""


def escape(token: str) -> str:
    """Escape one member name or index as a token of a pointer."""
    # Pointers are made millions of times, and few tokens need this.
    if "~" not in token and "/" not in token:
        return token
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Unescape one token of a pointer."""
    return token.replace("~1", "/").replace("~0", "~")


def join(*tokens: str | int) -> Pointer:
    """Build a pointer from unescaped tokens."""
    return "".join([f"/{escape(str(token))}" for token in tokens])


def split(pointer: Pointer) -> tuple[str, ...]:
    """Split a pointer into unescaped tokens."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"a JSON pointer starts with '/': {pointer!r}")
    tokens = pointer[1:].split("/")
    return tuple(map(unescape, tokens) if "~" in pointer else tokens)


def parents(pointer: Pointer) -> Iterator[Pointer]:
    """Yield the pointers of all values that contain a value, the nearest first."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


def child(value: JsonValue, token: str) -> JsonValue:
    """Return a member or an item of a value; raise a KeyError if it does not exist."""
    if isinstance(value, dict):
        return value[token]
    if isinstance(value, list) and token.isdecimal() and token.isascii():
        canonical = token == "0" or not token.startswith("0")
        if canonical and int(token) < len(value):
            return value[int(token)]
    raise KeyError(token)


def resolve(data: JsonValue, pointer: Pointer) -> JsonValue:
    """Return the value at the pointer; a KeyError carries the first token without a target."""
    for token in split(pointer):
        data = child(data, token)
    return data
