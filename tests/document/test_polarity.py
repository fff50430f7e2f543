"""Members that values lack in one direction, and what requires them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.document.schemas.polarity import Polarity, in_direction
from specwright.pointer import resolve
from tests.document.documents import of_schemas

SCHEMAS = "/components/schemas/"
MARKED = {"properties": {"id": {"readOnly": True}, "pass": {"writeOnly": True}}}
BOTH = ["id", "pass"]


def required(schemas: dict[str, Any], polarity: Polarity, pointer: str, tmp_path: Path) -> Any:
    document = of_schemas(tmp_path, **schemas)
    return resolve(in_direction(document, polarity).data, SCHEMAS + pointer)


@pytest.mark.parametrize(
    "schemas, pointer",
    [
        pytest.param({"A": {"required": BOTH, **MARKED}}, "A/required", id="own"),
        pytest.param(
            {"A": {"required": BOTH, "allOf": [{"$ref": "#/components/schemas/B"}]}, "B": MARKED},
            "A/required",
            id="inherited",
        ),
        pytest.param(
            {"A": {"allOf": [{"$ref": "#/components/schemas/B"}, {"required": BOTH}]}, "B": MARKED},
            "A/allOf/1/required",
            id="beside",
        ),
        pytest.param(
            {
                "A": {"allOf": [{"$ref": "#/components/schemas/B"}], **MARKED},
                "B": {"required": BOTH},
            },
            "B/required",
            id="required by a base that does not declare it",
        ),
        pytest.param(
            {"A": {"required": BOTH, "oneOf": [MARKED, {"type": "string"}]}},
            "A/required",
            id="declared by an alternative",
        ),
        pytest.param(
            {"A": {**MARKED, "oneOf": [{"required": BOTH}]}},
            "A/oneOf/0/required",
            id="of an alternative",
        ),
        pytest.param(
            {"A": {"items": {"required": BOTH, **MARKED}}}, "A/items/required", id="items"
        ),
        pytest.param(
            {
                "A": {
                    "required": BOTH,
                    "properties": {
                        "id": {"$ref": "#/components/schemas/Id"},
                        "pass": {"anyOf": [{"allOf": [{"writeOnly": True}]}, {"type": "null"}]},
                    },
                },
                "Id": {"readOnly": True},
            },
            "A/required",
            id="marked by what applies with it",
        ),
    ],
)
def test_no_direction_requires_what_it_lacks(
    schemas: dict[str, Any], pointer: str, tmp_path: Path
) -> None:
    assert required(schemas, Polarity.TO_SERVER, pointer, tmp_path) == ["pass"]
    assert required(schemas, Polarity.TO_CLIENT, pointer, tmp_path) == ["id"]


@pytest.mark.parametrize(
    "schemas, pointer",
    [
        pytest.param(
            {"A": {"required": ["id"], "properties": {"id": {"items": {"readOnly": True}}}}},
            "A/required",
            id="an item is read-only",
        ),
        pytest.param(
            {"A": {"required": ["id"], "properties": {"id": {"oneOf": [{"readOnly": True}, {}]}}}},
            "A/required",
            id="one of two alternatives",
        ),
        pytest.param(
            {
                "A": {"required": ["id"], "properties": {"id": {"$ref": "#/components/schemas/C"}}},
                "C": {"anyOf": [{"$ref": "#/components/schemas/C"}, {"readOnly": False}]},
                "D": {"readOnly": True},
            },
            "A/required",
            id="a union of itself",
        ),
        pytest.param(
            {
                "A": {"oneOf": [{"$ref": "#/components/schemas/B"}, MARKED]},
                "B": {"required": ["id"], "properties": {"id": {}}},
            },
            "B/required",
            id="another alternative",
        ),
        pytest.param(
            {
                "A": {"allOf": [{"$ref": "#/components/schemas/B"}], **MARKED},
                "B": {"required": ["id"], "properties": {"id": {}}},
            },
            "B/required",
            id="a base that declares it, and is used by others",
        ),
    ],
)
def test_other_members_stay_required(schemas: dict[str, Any], pointer: str, tmp_path: Path) -> None:
    assert required(schemas, Polarity.TO_SERVER, pointer, tmp_path) == ["id"]


def test_names_may_have_the_characters_of_pointers(tmp_path: Path) -> None:
    marked = {"required": ["a/b~c"], "properties": {"a/b~c": {"readOnly": True}}}

    assert required({"A": marked}, Polarity.TO_SERVER, "A/required", tmp_path) == []
    assert required({"A": marked}, Polarity.TO_CLIENT, "A/required", tmp_path) == ["a/b~c"]
