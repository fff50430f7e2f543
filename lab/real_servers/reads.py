"""The comparison of the values that a program has read with the JSON that the server sent."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from lab.real_servers.recorder import Exchange


def wrong_reads(
    seen: Sequence[tuple[str, Any]], sources: Mapping[str, str], exchanges: Sequence[Exchange]
) -> Iterator[str]:
    """Yield a line for each value that differs from what was sent.

    Args:
        sources: the place of each read, as `METHOD path#pointer`; `*` before `#` takes the place
            of anything, and in the pointer that of every item that has the rest.
    """
    for name, value in seen:
        sent = list(_sent(sources[name], exchanges))
        # An absent member is None to a program.
        if not any(is_same(value, candidate) for candidate in sent or [None]):
            yield f"{name}: {value!r} in place of {sent!r}"


def is_same(value: Any, sent: Any) -> bool:
    """Return whether a value is the same as one in JSON.

    Moments may be written in another way, and a null member may be absent: both are None to
    programs.
    """
    if isinstance(value, dict) and isinstance(sent, dict):
        return all(is_same(value.get(name), sent.get(name)) for name in value | sent)
    if isinstance(value, list) and isinstance(sent, list):
        return len(value) == len(sent) and all(map(is_same, value, sent))
    if isinstance(value, str) and isinstance(sent, str):
        return value == sent or (_moment(value) or value) == _moment(sent)
    return bool(value == sent) and isinstance(value, bool) == isinstance(sent, bool)


def _sent(source: str, exchanges: Sequence[Exchange]) -> Iterator[Any]:
    """Yield the values at a place of all responses to a request."""
    request, _, pointer = source.partition("#")
    for exchange in exchanges:
        if fnmatch.fnmatchcase(f"{exchange.method} {exchange.path}", request):
            yield from _at(exchange.body, pointer.split("/")[1:])


def _at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    if not steps:
        yield value
    elif steps[0] == "*" and isinstance(value, list):
        yield [below for item in value for below in _at(item, steps[1:])]
    elif isinstance(value, list) and steps[0].isdigit() and int(steps[0]) < len(value):
        yield from _at(value[int(steps[0])], steps[1:])
    elif isinstance(value, dict) and steps[0] in value:
        yield from _at(value[steps[0]], steps[1:])


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
