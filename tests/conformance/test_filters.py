"""Filters of lists: parts of texts, beginnings, and ranges of numbers and times."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from specwright.conformance.checks.lists.lists import lists
from specwright.conformance.checks.lists.pages import FILTERED_ITEMS, matches
from specwright.json_values import JsonValue
from specwright.vocabulary.keywords.filter import Match
from tests.conformance.fastapi_apps import driver_of, messages

ITEMS: list[dict[str, Any]] = [
    {"id": 1, "title": "text", "price": "2.50", "made": "2026-01-01T00:00:00Z", "tags": ["ab"]},
    {"id": 2, "title": "Texture", "price": "10", "made": "2026-03-01T00:00:00Z", "tags": []},
    {"id": 3, "title": "a text", "price": "-1", "made": "2026-02-01T01:00:00+01:00", "tags": ["b"]},
]
RETURNED = "GET /items: items that do not match the filter were returned"
MISSING = "GET /items: matching items are missing"
Keeps = Callable[[dict[str, Any], str], bool]


def at_least(item: dict[str, Any], value: str) -> bool:
    return float(item["price"]) >= float(value)


def since(item: dict[str, Any], value: str) -> bool:
    return datetime.fromisoformat(item["made"]) > datetime.fromisoformat(value)


def found(place: Path, match: str, member: str, schema: dict[str, Any], keeps: Keeps) -> list[str]:
    """Return what is found at a list whose parameter `by` keeps items as a function says."""
    app = FastAPI()

    @app.get("/items")
    def items(by: str | None = None) -> dict[str, Any]:
        return {"items": [item for item in ITEMS if by is None or keeps(item, by)]}

    operation = app.openapi()["paths"]["/items"]["get"]
    operation["x-contract-pagination"] = {
        **{"items": "/items", "id": "/id", "full": True},
        **dict.fromkeys(("cursor", "limit", "next", "more")),
    }
    parameter = operation["parameters"][0]
    parameter["schema"] = schema
    parameter["x-contract-filter"] = {"property": f"/{member}", "match": match}
    member_schema = {"type": "array"} if member == "tags" else {"type": "string"}
    item = {
        "type": "object",
        "required": [*ITEMS[0]],
        "properties": {
            **{name: {"type": "string"} for name in ITEMS[0]},
            "id": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            member: member_schema,
        },
    }
    whole = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    operation["responses"]["200"]["content"]["application/json"]["schema"] = whole
    with driver_of(app, place) as driver:
        lists(driver)
        return messages(driver, FILTERED_ITEMS)


TEXT, TIME = {"type": "string"}, {"type": "string", "format": "date-time"}


@pytest.mark.parametrize(
    ("match", "member", "schema", "keeps", "violations"),
    [
        ("contains", "title", TEXT, lambda item, value: value in item["title"], []),
        ("contains", "title", TEXT, lambda item, value: value == item["title"], [MISSING]),
        (
            "contains",
            "title",
            TEXT,
            lambda item, value: value.lower() in item["title"].lower(),
            [RETURNED],
        ),
        (
            "contains_ignore_case",
            "title",
            TEXT,
            lambda item, value: value.lower() in item["title"].lower(),
            [],
        ),
        ("contains", "tags", TEXT, lambda item, value: value in item["tags"], []),
        ("starts_with", "title", TEXT, lambda item, value: item["title"].startswith(value), []),
        ("starts_with", "title", TEXT, lambda item, value: value in item["title"], [RETURNED]),
        ("at_least", "price", TEXT, at_least, []),
        ("more_than", "price", TEXT, at_least, [RETURNED]),
        ("at_most", "price", TEXT, at_least, [RETURNED, MISSING]),
        ("more_than", "made", TIME, since, []),
        ("at_least", "made", TIME, since, [MISSING]),
        ("less_than", "made", TIME, since, [RETURNED, MISSING]),
    ],
)
def test_a_filter_keeps_what_its_comparison_says(
    tmp_path: Path,
    match: str,
    member: str,
    schema: dict[str, Any],
    keeps: Keeps,
    violations: list[str],
) -> None:
    assert found(tmp_path, match, member, schema, keeps) == violations


@pytest.mark.parametrize(
    ("match", "actual", "wanted", "fits"),
    [
        (Match.EQUALS, "text", "tex", False),
        (Match.EQUALS, ["a", "b"], "b", True),
        (Match.EQUALS, None, "b", False),
        (Match.EQUALS, None, None, False),
        (Match.EQUALS_IGNORE_CASE, "Straße", "STRASSE", True),
        (Match.CONTAINS, "text", "ex", True),
        (Match.CONTAINS, "Text", "te", False),
        (Match.CONTAINS, ["text"], "ex", False),
        (Match.CONTAINS_IGNORE_CASE, ["TEXT", "b"], "text", True),
        (Match.CONTAINS_IGNORE_CASE, "Text", "TE", True),
        (Match.STARTS_WITH, "text", "ex", False),
        (Match.STARTS_WITH, ["a", "text"], "te", True),
        (Match.STARTS_WITH_IGNORE_CASE, "Text", "tE", True),
        (Match.AT_LEAST, 5, "5", True),
        (Match.AT_LEAST, "9.99", 10, False),
        (Match.MORE_THAN, 5, 5, False),
        (Match.MORE_THAN, "2026-01-01T01:00:00+01:00", "2026-01-01", False),
        (Match.AT_MOST, "2026-01-01T01:00:00+01:00", "2026-01-01", True),
        (Match.LESS_THAN, "2026-01-01T00:59:59+01:00", "2026-01-01T00:00:00", True),
        (Match.LESS_THAN, "NaN", 5, False),
        (Match.LESS_THAN, "Infinity", 5, False),
        (Match.AT_LEAST, "many", 5, False),
        (Match.AT_LEAST, True, 1, False),
    ],
)
def test_a_comparison(match: Match, actual: JsonValue, wanted: JsonValue, fits: bool) -> None:
    assert matches(match, actual, wanted) is fits
