"""JSON pointers (RFC 6901), written without the leading number sign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Pointer = str
ROOT: Pointer = ""


def escape(token: str) -> str:
    """Write one member name or index as a token of a pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def unescape(token: str) -> str:
    """Read one token of a pointer."""
    return token.replace("~1", "/").replace("~0", "~")


def join(*tokens: str | int) -> Pointer:
    """Build a pointer from unescaped tokens."""
    return "".join(f"/{escape(str(token))}" for token in tokens)


def split(pointer: Pointer) -> tuple[str, ...]:
    """Take a pointer apart into unescaped tokens."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"a JSON pointer starts with '/': {pointer!r}")
    return tuple(unescape(token) for token in pointer[1:].split("/"))


def parents(pointer: Pointer) -> Iterator[Pointer]:
    """The pointers of all that a value lies in, the nearest first."""
    while pointer:
        pointer = pointer.rpartition("/")[0]
        yield pointer


def child(value: Any, token: str) -> Any:
    """Go one step down; a KeyError says that there is nothing."""
    if isinstance(value, dict):
        return value[token]
    if isinstance(value, list) and token.isdecimal() and token.isascii():
        canonical = token == "0" or not token.startswith("0")
        if canonical and int(token) < len(value):
            return value[int(token)]
    raise KeyError(token)


def resolve(data: Any, pointer: Pointer) -> Any:
    """Return what the pointer names; a KeyError carries the first token that leads nowhere."""
    for token in split(pointer):
        data = child(data, token)
    return data
