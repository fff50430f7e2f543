"""Lists in forms whose names end in brackets, as PHP and Rails expect them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, operation, ref
from tests.functional.origin import Answer, Origin

TEXTS: Json = {"type": "array", "items": {"type": "string"}}
FORM: Json = {"type": "object", "properties": {"ids[]": TEXTS, "name": {"type": "string"}}}


def api(form: Json, **schemas: Json) -> Json:
    body = {
        "required": True,
        "content": {"application/x-www-form-urlencoded": {"schema": form}},
    }
    paths = {"/things": {"post": operation(operationId="send", requestBody=body)}}
    return document(paths, schemas)


def test_the_argument_has_none_and_the_form_has_them(package: Generate, origin: Origin) -> None:
    module = package(api(FORM))
    origin.answer(Answer(204, b""))
    with module.Client(base_url=origin.url) as client:
        client.things.send(ids=["a", "b"], name="n")
        with pytest.raises(TypeError, match="ids__"):
            client.things.send(ids__=["a"])
    assert [asked.body for asked in origin.asked] == [b"ids%5B%5D=a&ids%5B%5D=b&name=n"]


def test_a_type_in_the_annotation_is_told_apart(package: Generate, origin: Origin) -> None:
    module = package(api({"type": "object", "properties": {"list[]": TEXTS}}))
    origin.answer(Answer(204, b""))
    with module.Client(base_url=origin.url) as client:
        client.things.send(list_=["a"])
    assert [asked.body for asked in origin.asked] == [b"list%5B%5D=a"]


HEIR: Json = {"allOf": [ref("Base"), {"type": "object", "properties": {"ids[]": TEXTS}}]}


@pytest.mark.parametrize(
    ("form", "schemas"),
    [
        ({**FORM, "properties": {"ids[]": TEXTS, "ids": TEXTS}}, {}),
        (HEIR, {"Base": {"type": "object", "properties": {"ids": TEXTS}}}),
        # An heir somewhere has both.
        (
            FORM,
            {
                "Base": FORM,
                "Heir": {"allOf": [ref("Base"), {"properties": {"Ids": TEXTS}}]},
            },
        ),
    ],
)
def test_names_that_another_property_needs_keep_them(
    package: Generate, origin: Origin, form: Json, schemas: dict[str, Any]
) -> None:
    module = package(api(form, **schemas))
    origin.answer(Answer(204, b""))
    with module.Client(base_url=origin.url) as client:
        client.things.send(ids__=["a"])
    assert [asked.body for asked in origin.asked] == [b"ids%5B%5D=a"]
