"""The values that are tried around the limits of a schema."""

from __future__ import annotations

from typing import Any

import pytest

from specwright.conformance.checks.requests.variants import variants
from tests.conformance.test_scenarios import contract

TEXT = {"type": "string"}
COLOURS = {"type": "array", "items": {"enum": ["red", "blue"]}}
# A schema, and the values beyond its limits.
BEYOND: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "a range": ({"type": "integer", "minimum": 1, "maximum": 9}, [0, 10]),
    "a length": ({**TEXT, "minLength": 2, "maxLength": 4}, ["u", "usual"]),
    "no length": (TEXT, []),
    "a number of items": (
        {**COLOURS, "minItems": 1, "maxItems": 2},
        [[], ["red", "red", "red"]],
    ),
    "items of any kind": ({"type": "array", "maxItems": 1}, [["text", "text"]]),
    "no number of items": (COLOURS, []),
    "no item too few": ({**COLOURS, "minItems": 0}, []),
}


@pytest.mark.parametrize(("schema", "beyond"), BEYOND.values(), ids=BEYOND)
def test_the_values_next_to_a_limit_are_tried(schema: dict[str, Any], beyond: list[Any]) -> None:
    limits = ("out_of_range", "invalid_length")
    found = variants(contract().document, schema, "usually")
    assert [each.value for each in found if each.condition in limits] == beyond


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("string", [17, True, None, {}]),
        ("array", [{}, "text", None]),
        ("object", [[], "text", None]),
    ],
)
def test_values_of_other_types_are_tried(kind: str, wrong: list[Any]) -> None:
    found = variants(contract().document, {"type": kind}, None)
    assert [each.value for each in found if each.condition == "invalid_value"] == wrong
