"""The operations that a part of the document belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.document.model import Document
from specwright.document.operations.usage import OperationUsage
from tests.document.documents import of_schemas

PET = "#/components/schemas/Pet"
KIND = {"propertyName": "kind"}
HEIR = {"allOf": [{"$ref": PET}]}
PLAIN = {"type": "object"}
GET = "/paths/~1pets/get"


def with_pets(document: Document) -> Document:
    """Return the document with an operation that responds with pets."""
    response = {"description": "", "content": {"application/json": {"schema": {"$ref": PET}}}}
    paths: Any = {"/pets": {"get": {"responses": {"200": response}}}}
    return document.with_data({**document.data, "paths": paths})


@pytest.mark.parametrize(
    "schemas",
    [
        pytest.param({"Pet": {**PLAIN, "discriminator": KIND}, "Cat": HEIR}, id="an heir"),
        pytest.param(
            {
                "Pet": {**PLAIN, "discriminator": KIND},
                "Feline": HEIR,
                "Cat": {"allOf": [{"$ref": "#/components/schemas/Feline"}]},
            },
            id="an heir of an heir",
        ),
        pytest.param(
            {"Pet": {"discriminator": {**KIND, "mapping": {"cat": "Cat"}}}, "Cat": PLAIN},
            id="a mapping to a name",
        ),
        pytest.param(
            {
                "Pet": {
                    "discriminator": {**KIND, "mapping": {"cat": "#/components/schemas/Cat"}},
                },
                "Cat": PLAIN,
            },
            id="a mapping to a reference",
        ),
        pytest.param(
            {"Pet": {"discriminator": {**KIND, "defaultMapping": "Cat"}}, "Cat": PLAIN},
            id="a default",
        ),
    ],
)
def test_an_alternative_of_a_discriminator_belongs_to_the_operations_of_its_schema(
    tmp_path: Path, schemas: dict[str, Any]
) -> None:
    document = with_pets(of_schemas(tmp_path, **schemas))

    assert OperationUsage(document).reaching(["/components/schemas/Cat/type"]) == {GET}


def test_a_schema_does_not_belong_to_the_operations_of_its_heirs_alone(tmp_path: Path) -> None:
    document = with_pets(of_schemas(tmp_path, Pet=PLAIN, Cat=HEIR))

    assert OperationUsage(document).reaching(["/components/schemas/Cat"]) == set()
    assert OperationUsage(document).reaching(["/components/schemas/Pet"]) == {GET}
