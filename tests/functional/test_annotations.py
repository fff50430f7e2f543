"""Annotations are values that Python has evaluated, unless they name what is defined later."""

from __future__ import annotations

from types import ModuleType

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref

TEXT: Json = {"type": "string"}


def thing(**properties: Json) -> Json:
    return {"type": "object", "required": ["name"], "properties": {"name": TEXT, **properties}}


SCHEMAS: Json = {
    "Tree": thing(**{"next-trees": {"type": "array", "items": ref("Tree"), "maxItems": 2}}),
    # The generator sorts by dependencies, which these two do not allow.
    "Person": thing(pet=ref("Pet"), home=ref("Home")),
    "Pet": thing(owner=ref("Person"), friends=ref("Pets"), home=ref("Home")),
    "Pets": {"type": "array", "items": ref("Pet")},
    "Home": thing(built={"type": "string", "format": "date"}, Home=TEXT),
}


@pytest.fixture(scope="module")
def made(package: Generate) -> ModuleType:
    body = {"requestBody": {"required": True, **content(ref("Tree"))}}
    paths = {"/trees": {"post": operation(ref("Person"), operationId="plant", **body)}}
    return package(document(paths, SCHEMAS))


def test_strings_only_name_what_is_defined_later(made: ModuleType) -> None:
    strings = {
        f"{name}.{field}"
        for name in ("Tree", "Person", "Pet", "Home")
        for field, annotation in getattr(made.models, name).__annotations__.items()
        if isinstance(annotation, str)
    }
    in_circle = {"Person.pet", "Pet.owner"}
    assert strings >= {"Tree.next_trees", "Pet.friends"}
    assert len(strings & in_circle) == 1
    assert strings <= {"Tree.next_trees", "Pet.friends"} | in_circle


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Tree", '{"name": "a", "next-trees": [{"name": "b", "next-trees": [{"name": 1}]}]}'),
        ("Person", '{"name": "a", "pet": {"name": "b", "owner": {"name": 1}}}'),
        ("Person", '{"name": "a", "pet": {"name": "b", "friends": [{"name": 1}]}}'),
        ("Pet", '{"name": "a", "home": {"name": "b", "built": 1}}'),
    ],
)
def test_values_are_checked_at_every_level(made: ModuleType, name: str, value: str) -> None:
    model = getattr(made.models, name)
    with pytest.raises(ValidationError):
        model.model_validate_json(value)
    assert model.model_validate_json(value.replace("1", '"2026-11-29"'))


def test_a_typed_dictionary_has_the_keys_of_json(made: ModuleType) -> None:
    assert made.params.Tree.__annotations__.keys() == {"name", "next-trees"}
