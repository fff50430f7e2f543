"""Changes of the items of streams, and of the data of server-sent events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Report

from .documents import breaking, changes, report
from .test_wire import operation

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def line(**n: Any) -> dict[str, Any]:
    return {"type": "object", "required": ["n"], "properties": {"n": n or NUMBER}}


def events(data: Any, note: str = "note") -> dict[str, Any]:
    """Two kinds of events, which share what is around their alternatives."""
    content = {"contentMediaType": "application/json", "contentSchema": data}
    return {
        "type": "object",
        "required": ["event", "data"],
        "properties": {"event": TEXT, "data": TEXT},
        "oneOf": [
            {"properties": {"event": {"const": "line"}, "data": content}},
            {"properties": {"event": {"const": note}}},
        ],
    }


def bare(data: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"event": TEXT, "data": data}}


def compared(
    directory: Path, media_type: str, before: Any, after: Any, key: str = "itemSchema"
) -> Report:
    """Return the report on the change of the schema of the items of a response."""
    both = (
        operation(
            responses={"200": {"description": "Items.", "content": {media_type: {key: each}}}}
        )
        for each in (before, after)
    )
    return report(directory, *both)


EVENTS = "text/event-stream"
TYPED = {"type": "string", "contentMediaType": "application/json"}
CASES: dict[str, tuple[str, Any, Any, str, str]] = {
    "a type": (
        EVENTS,
        events(line()),
        events(line(type="string")),
        "type-widened",
        "type integer -> string",
    ),
    "a bound": (
        EVENTS,
        events(line(type="integer", maximum=4)),
        events(line(type="integer", maximum=5)),
        "range-widened",
        "maximum 4 -> 5",
    ),
    "a member": (
        EVENTS,
        events(line()),
        events({"type": "object", "properties": {"n": NUMBER}}),
        "property-not-sent",
        "property 'n' is now optional",
    ),
    "data without a media type": (
        EVENTS,
        bare(line()),
        bare(line(type="string")),
        "type-widened",
        "type integer -> string",
    ),
    # The name is one of several properties that the schema around the union requires.
    "a name": (
        EVENTS,
        events(line()),
        events(line(), "remark"),
        "union-widened",
        "oneOf has a different object",
    ),
    "the schema of a text": (
        "application/json",
        {**TYPED, "contentSchema": line()},
        {**TYPED, "contentSchema": line(type="string")},
        "type-widened",
        "type integer -> string",
    ),
    # Text shows no type, but a line is JSON.
    "a line": (
        "application/jsonl",
        line(type="string"),
        line(),
        "type-widened",
        "type string -> integer",
    ),
}


@pytest.mark.parametrize(
    ("media_type", "before", "after", "rule", "words"), CASES.values(), ids=CASES
)
def test_a_change_of_items_breaks_those_who_read_them(
    media_type: str, before: Any, after: Any, rule: str, words: str, tmp_path: Path
) -> None:
    key = "schema" if media_type == "application/json" else "itemSchema"
    [found] = changes(compared(tmp_path, media_type, before, after, key))
    assert (found.rule, found.message) == (rule, words)
    assert breaking([found])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (events(line()), events(line(type="integer", minimum=4))),
        (events({"type": "object"}), events(line())),
        (bare({"type": "object", "properties": {"n": NUMBER}}), bare(line())),
    ],
)
def test_less_in_the_data_of_events_breaks_nobody(before: Any, after: Any, tmp_path: Path) -> None:
    assert not breaking(changes(compared(tmp_path, EVENTS, before, after)))
