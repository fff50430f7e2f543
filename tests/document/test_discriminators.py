"""The tags of the alternatives of a schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminators import Discriminator, Discriminators
from specwright.pointer import resolve
from tests.document.documents import of_schemas

KIND = {"propertyName": "kind"}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def tagged(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"type": "string", **members}}}


def of(directory: Path, schemas: dict[str, Any]) -> Discriminator | None:
    """The discriminator of the schema V."""
    document = of_schemas(directory, **schemas)
    pointer = "/components/schemas/V"
    return Discriminators(document).of(Subschema(pointer, resolve(document.data, pointer)))


@pytest.mark.parametrize(
    "schemas, expected",
    [
        pytest.param(
            {
                "V": {"oneOf": [ref("A"), ref("B")], "discriminator": KIND},
                "A": tagged(),
                "B": tagged(),
            },
            {"A": "A", "B": "B"},
            id="names of components",
        ),
        pytest.param(
            {
                "V": {
                    "anyOf": [ref("A"), ref("B")],
                    "discriminator": {**KIND, "mapping": {"a": "A", "1": "#/components/schemas/A"}},
                },
                "A": tagged(),
                "B": tagged(),
            },
            {"a": "A", "1": "A", "A": "A", "B": "B"},
            id="a mapping, by name and by reference",
        ),
        pytest.param(
            {
                "V": {"oneOf": [ref("A"), ref("B")], "discriminator": KIND},
                "A": tagged(const="a"),
                "B": {"allOf": [tagged(enum=["b", "c"])]},
            },
            {"a": "A", "b": "B", "c": "B"},
            id="values of the alternatives",
        ),
        pytest.param(
            {
                "V": {
                    "oneOf": [ref("A"), ref("B")],
                    "discriminator": {**KIND, "mapping": {"a": "A", "b": "B"}},
                },
                "Base": tagged(enum=["a", "b"]),
                "A": {"allOf": [ref("Base")]},
                "B": {"allOf": [ref("Base")]},
            },
            {"a": "A", "b": "B"},
            id="shared values, and a mapping",
        ),
        pytest.param(
            {
                "V": {**tagged(), "discriminator": KIND},
                "A": {"allOf": [ref("V")]},
                "B": {"allOf": [{"type": "object"}, ref("V")]},
                "C": {"allOf": [ref("B")]},
                "D": {"properties": {"v": ref("V")}},
            },
            {"V": "V", "A": "A", "B": "B", "C": "C"},
            id="heirs, at any depth",
        ),
        pytest.param(
            {
                "V": {
                    **tagged(),
                    "discriminator": {**KIND, "mapping": {"a": "#/components/schemas/A"}},
                },
                "A": {"allOf": [ref("V")]},
            },
            {"a": "A", "V": "V", "A": "A"},
            id="heirs and a mapping",
        ),
        pytest.param(
            {
                "V": {
                    "oneOf": [ref("A")],
                    "discriminator": {
                        **KIND,
                        "mapping": {"x": "Missing", "y": "#/components/schemas/Missing"},
                    },
                },
                "A": {"type": "object"},
            },
            {"A": "A"},
            id="mappings to nothing",
        ),
    ],
)
def test_each_alternative_has_its_tags(
    schemas: dict[str, Any], expected: dict[str, str], tmp_path: Path
) -> None:
    discriminator = of(tmp_path, schemas)
    assert discriminator is not None
    names = {tag: schema.pointer.rpartition("/")[2] for tag, schema in discriminator.tags.items()}
    assert (discriminator.name, names) == ("kind", expected)


def test_tags_that_a_document_declares_come_before_the_name_of_the_component(
    tmp_path: Path,
) -> None:
    schemas = {
        "V": {
            "oneOf": [ref("A")],
            "discriminator": {**KIND, "mapping": {"a": "A"}, "defaultMapping": "A"},
        },
        "A": tagged(),
    }
    discriminator = of(tmp_path, schemas)
    assert discriminator is not None and discriminator.default is not None
    assert discriminator.alternatives == {"/components/schemas/A": ("a", "A")}
    assert discriminator.default.pointer == "/components/schemas/A"
    assert not discriminator.is_inherited


@pytest.mark.parametrize(
    "value", [{}, {"discriminator": {}}, {"discriminator": {"propertyName": 1}}]
)
def test_a_schema_without_a_property_to_tell_has_no_discriminator(
    value: dict[str, Any], tmp_path: Path
) -> None:
    assert of(tmp_path, {"V": value}) is None
