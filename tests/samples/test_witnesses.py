"""Values of the schemas of a document are found without trying each way to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.document.sources.load import load
from specwright.samples.witnesses import Witnesses

DEPTH = 14


def reference(number: int) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/Level{number}"}


@pytest.mark.parametrize(
    "around", [{}, {"description": "A level."}, {"default": {}, "readOnly": True, "title": "x"}]
)
def test_a_component_is_found_once_whatever_words_are_around_it(
    tmp_path: Path, around: dict[str, Any]
) -> None:
    def level(number: int) -> dict[str, Any]:
        """Two of the next level, so that the last one is reached in 2^14 ways."""
        below = {"allOf": [reference(number + 1)], **around}
        properties = {"left": below, "right": below}
        return {"type": "object", "properties": properties, "required": list(properties)}

    schemas = {f"Level{number}": level(number) for number in range(DEPTH)}
    schemas[f"Level{DEPTH}"] = {"const": 7}
    path = tmp_path / "openapi.json"
    document = {"openapi": "3.1.0", "info": {"title": "Levels", "version": "1"}, "paths": {}}
    path.write_text(json.dumps({**document, "components": {"schemas": schemas}}), "utf-8")
    value, *_ = Witnesses(load(path)).of("/components/schemas/Level0")
    for _ in range(DEPTH):
        value = value["left"]
    assert value == 7


def test_an_example_around_a_reference_is_a_value(tmp_path: Path) -> None:
    shown = {"allOf": [{"$ref": "#/components/schemas/Text"}], "example": "as it is shown"}
    holder = {"type": "object", "properties": {"text": shown}, "required": ["text"]}
    schemas = {"Text": {"type": "string"}, "Holder": holder}
    path = tmp_path / "openapi.json"
    document = {"openapi": "3.1.0", "info": {"title": "Shown", "version": "1"}, "paths": {}}
    path.write_text(json.dumps({**document, "components": {"schemas": schemas}}), "utf-8")
    found = Witnesses(load(path)).of("/components/schemas/Holder")
    assert {"text": "as it is shown"} in found
