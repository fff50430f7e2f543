"""Validators whose references ask other validators have the verdicts of the library."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from specwright.document.schemas.validators import UNUSABLE, SchemaValidators

ADDRESS = "urn:document"


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/schemas/{name}"}


SCHEMAS: dict[str, Any] = {
    "Base": {"type": "object", "properties": {"id": {"type": "string"}}},
    "Closed": {"allOf": [ref("Base")], "unevaluatedProperties": False},
    "Any": True,
    "None": False,
    "Tree": {"properties": {"child": ref("Tree"), "base": ref("Base")}},
    "Several": {"properties": {"any": ref("Any"), "none": ref("None")}},
    "a b": {"type": "integer"},
    "Spaced": {"items": ref("a%20b")},
    "Circle": {"anyOf": [ref("Circle"), {"type": "string"}]},
    "Lost": {"properties": {"child": ref("Missing")}},
    "Wrong": {"properties": {"child": ref("Text")}},
    "Text": "no schema",
}
VALUES: list[Any] = [
    *({}, {"id": "a"}, {"id": 1}, {"other": 1}, {"id": "a", "other": 1}),
    *({"child": {"child": {"base": {"id": 1}}}}, {"child": {"child": {"base": {"id": "a"}}}}),
    *({"any": 1}, {"none": 1}, [1], ["a"], "a"),
]
USABLE = [name for name in SCHEMAS if name not in ("Lost", "Wrong", "Text")]


@pytest.fixture
def validators() -> SchemaValidators:
    return SchemaValidators({ADDRESS: {"schemas": SCHEMAS}})


@pytest.mark.parametrize("name", USABLE)
def test_a_value_has_the_verdict_of_the_library(validators: SchemaValidators, name: str) -> None:
    reference = {"$ref": f"{ADDRESS}#/schemas/{name.replace(' ', '%20')}"}
    registry = jsonschema_rs.Registry([(ADDRESS, {"schemas": SCHEMAS})])
    native = jsonschema_rs.Draft202012Validator(reference, registry=registry)
    validator = validators.validator(reference)
    verdicts = [validator.is_valid(value) for value in VALUES]
    assert verdicts == [native.is_valid(value) for value in VALUES]
    whole = validators.whole(reference)
    assert [not [*whole.iter_errors(value)] for value in VALUES] == verdicts


@pytest.mark.parametrize("name", ["Lost", "Wrong", "Text", "Missing"])
def test_a_schema_with_a_reference_to_none_cannot_be_used(
    validators: SchemaValidators, name: str
) -> None:
    for _ in range(2):
        with pytest.raises(UNUSABLE):
            validators.validator({"$ref": f"{ADDRESS}#/schemas/{name}"})


def test_no_schema_is_copied(validators: SchemaValidators, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of copies of a large document take gigabytes."""

    def copied(self: SchemaValidators, schema: Any) -> None:
        raise AssertionError(schema)

    monkeypatch.setattr(SchemaValidators, "_compiled_whole", copied)
    for name in ("Tree", "Several", "Spaced"):
        validators.validator({"$ref": f"{ADDRESS}#/schemas/{name}"})
