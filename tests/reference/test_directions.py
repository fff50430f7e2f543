"""The reference shows the values that each direction has, and the tags of alternatives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.reference.pages import Page
from tests.reference.shop import page as page_of
from tests.reference.shop import shop

TEXT = {"type": "string"}
SHOWN_ONCE = {"readOnly": True}
HIDDEN = {"writeOnly": True}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def content(schema: Any) -> dict[str, Any]:
    return {"description": "", "content": {"application/json": {"schema": schema}}}


def page(place: Path, **schemas: Any) -> str:
    """The page of an operation that sends and returns values of S, which is inline."""
    whole = schemas.pop("S")
    operation = {
        "operationId": "putThing",
        "requestBody": content(whole),
        "responses": {"200": content(whole)},
    }
    webhook = {
        "operationId": "onThing",
        "requestBody": content(whole),
        "responses": {"200": content(whole)},
    }
    document = shop(
        paths={"/thing": {"put": operation}},
        webhooks={"thing": {"post": webhook}},
        components={"schemas": schemas},
    )
    for key in ("x-contract-error", "x-contract-rate-limit", "security"):
        document.pop(key, None)
    return page_of(place, document)


def article(html: str, anchor: str) -> str:
    found = re.search(rf'<article id="{anchor}".*?</article>', html, re.DOTALL)
    assert found, anchor
    return found[0]


def names(html: str, anchor: str, part: str) -> dict[str, bool]:
    """The properties of the body or the responses of an operation, and whether each is required."""
    before, _, after = article(html, anchor).partition("<h4>Responses</h4>")
    shown = {"Body": before.partition("<h4>Body</h4>")[2], "Responses": after}[part]
    fields = re.findall(r"<dt><code>([^<]*)</code>( <b>)?", shown)
    return {name: bool(required) for name, required in fields}


FORMS = [
    pytest.param({}, lambda mark: {**TEXT, **mark}, id="a keyword"),
    pytest.param(
        {"V": TEXT}, lambda mark: {"allOf": [ref("V")], **mark}, id="a keyword beside allOf"
    ),
    pytest.param({}, lambda mark: {"allOf": [{**TEXT, **mark}]}, id="a part"),
    pytest.param(
        {}, lambda mark: {"anyOf": [{**TEXT, **mark}, {"type": "null"}]}, id="all alternatives"
    ),
]


@pytest.mark.parametrize("schemas, form", FORMS)
def test_a_table_has_the_properties_of_its_direction(
    tmp_path: Path, schemas: dict[str, Any], form: Any
) -> None:
    thing = {
        "type": "object",
        "required": ["id", "password", "name"],
        "properties": {"id": form(SHOWN_ONCE), "password": form(HIDDEN), "name": TEXT},
    }
    html = page(tmp_path, S=thing, **schemas)

    sent = {"password": True, "name": True}
    read = {"id": True, "name": True}
    assert names(html, "putThing", "Body") == sent
    assert names(html, "putThing", "Responses") == read
    # The API sends the requests of webhooks.
    assert names(html, "onThing", "Body") == read
    assert names(html, "onThing", "Responses") == sent


def test_a_mark_of_a_component_counts(tmp_path: Path) -> None:
    thing = {"type": "object", "properties": {"id": ref("Id"), "name": TEXT}}
    html = page(tmp_path, S=thing, Id={**TEXT, **SHOWN_ONCE})

    assert names(html, "putThing", "Body") == {"name": False}
    assert names(html, "putThing", "Responses") == {"id": False, "name": False}


def test_a_property_is_left_out_where_one_of_the_parts_says_so(tmp_path: Path) -> None:
    thing = {
        "allOf": [
            {"type": "object", "properties": {"id": {**TEXT, **SHOWN_ONCE}}},
            {"type": "object", "properties": {"id": {"maxLength": 5}, "name": TEXT}},
        ],
        "required": ["id", "name"],
    }
    html = page(tmp_path, S=thing)

    assert names(html, "putThing", "Body") == {"name": True}
    assert names(html, "putThing", "Responses") == {"id": True, "name": True}


def test_inner_properties_follow_the_direction(tmp_path: Path) -> None:
    inner = {"type": "object", "properties": {"at": {**TEXT, **SHOWN_ONCE}, "by": TEXT}}
    thing = {"type": "object", "properties": {"list": {"type": "array", "items": inner}}}
    html = page(tmp_path, S=thing)

    assert names(html, "putThing", "Body") == {"list": False, "by": False}
    assert names(html, "putThing", "Responses") == {"list": False, "at": False, "by": False}


def test_a_model_shows_the_direction_of_each_property(tmp_path: Path) -> None:
    thing = {
        "type": "object",
        "properties": {
            "id": ref("Id"),
            "password": {"allOf": [TEXT, HIDDEN]},
            "name": TEXT,
        },
    }
    html = page(tmp_path, S=ref("Thing"), Thing=thing, Id={**TEXT, **SHOWN_ONCE})

    shown = " ".join(Page(article(html, "model-Thing")).text.split())
    assert "id string Id only in responses" in shown
    assert "password string only in requests" in shown
    assert "name string" in shown


KIND = {"propertyName": "kind"}
PET = {"type": "object", "properties": {"kind": TEXT}, "required": ["kind"]}


def test_a_base_lists_its_heirs_with_their_tags(tmp_path: Path) -> None:
    html = page(
        tmp_path,
        S=ref("Pet"),
        Pet={**PET, "discriminator": {**KIND, "mapping": {"feline": ref("Cat")["$ref"]}}},
        Cat={"allOf": [ref("Pet"), {"properties": {"lives": {"type": "integer"}}}]},
        Puppy={"allOf": [ref("Dog")]},
        Dog={"allOf": [ref("Pet")]},
    )

    base = article(html, "model-Pet")
    assert {"#model-Cat", "#model-Dog", "#model-Puppy"} <= set(Page(base).links)
    text = " ".join(Page(base).text.split())
    assert "object or Cat or Dog or Puppy" in text
    tags = "feline is Cat, Cat is Cat, Dog is Dog, Puppy is Puppy, Pet is Pet"
    assert f"distinguished by kind : {tags} kind" in text
    cat = " ".join(Page(article(html, "model-Cat")).text.split())
    assert "kind is feline , Cat kind" in cat
    assert "kind required string" in cat
    assert "lives integer" in cat


def test_an_inline_union_shows_its_tags_and_its_default(tmp_path: Path) -> None:
    union = {
        "oneOf": [ref("Cat"), ref("Dog")],
        "discriminator": {**KIND, "mapping": {"c": "Cat"}, "defaultMapping": "Dog"},
    }
    html = page(tmp_path, S=union, Cat=PET, Dog=PET)

    text = " ".join(Page(article(html, "putThing")).text.split())
    tags = "c is Cat, Cat is Cat, Dog is Dog, any other value, or none, is Dog"
    assert text.count(f"distinguished by kind : {tags}") == 2
