"""The description of a field adds the details that the name of its type hides."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.pipeline import generate
from tests.functional.documents import Json, document, ref

SCHEMAS: Json = {
    "State": {"type": "string", "enum": ["open", "closed"]},
    "Kind": {"type": "string", "x-extensible-enum": ["book", "film"]},
    "Fee": {"type": "string", "format": "decimal"},
    "Moment": {"type": "string", "format": "date-time"},
    "Day": {"type": "string", "format": "date"},
    "Long": {"type": "string", "enum": [f"v{number}" for number in range(13)]},
    "Odd": {"type": "string", "enum": ['""" + print(1)']},
    "Name": {"type": "string"},
    "Shelf": {"type": "object", "properties": {"row": {"type": "string"}}},
}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (ref("State"), "One of `open`, `closed`."),
        ({"description": "Where it is", **ref("State")}, "Where it is. One of `open`, `closed`."),
        (
            {"description": "Which?", **ref("Kind")},
            "Which? One of `book`, `film`, or a later value.",
        ),
        ({"anyOf": [ref("Fee"), {"type": "null"}]}, "A `Decimal`."),
        ({"description": "When.", **ref("Moment")}, "When. A `datetime`."),
        (ref("Day"), "A `date`."),
        ({"description": "Many.", **ref("Long")}, "Many."),
        ({"description": "Odd.", **ref("Odd")}, "Odd."),
        ({"description": "Its name.", **ref("Name")}, "Its name."),
        ({"description": "Where.", **ref("Shelf")}, "Where."),
        ({"description": "Here.", "type": "string", "enum": ["a"]}, "Here."),
        ({"description": "Either.", "anyOf": [ref("State"), ref("Kind")]}, "Either."),
    ],
)
def test_a_field_says_what_the_name_of_its_type_hides(
    tmp_path: Path, schema: Any, expected: str
) -> None:
    thing = {"type": "object", "properties": {"field": schema}}
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document({}, {**SCHEMAS, "Thing": thing})))
    made = {
        str(name): text
        for name, text in generate(load(path), PackageOptions(package="made")).items()
    }
    module = ast.parse(made["made/models.py"])
    (found,) = (n for n in module.body if isinstance(n, ast.ClassDef) and n.name == "Thing")
    words = found.body[-1]
    assert isinstance(words, ast.Expr) and isinstance(words.value, ast.Constant)
    assert words.value.value == expected
