"""Links to parts of a reference stay valid: anchors depend on names alone."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.reference.pages import Page
from tests.reference.shop import page, pages, shop


def ids(directory: Path, document: dict[str, Any]) -> list[str]:
    found = Page(page(directory, document)).ids
    assert len(found) == len(set(found))
    return found


def turned(value: Any) -> Any:
    """The value with the members of each object in the opposite order."""
    if isinstance(value, dict):
        return {name: turned(member) for name, member in reversed(value.items())}
    return [turned(item) for item in value] if isinstance(value, list) else value


def unnamed() -> dict[str, Any]:
    """A shop with names that are alike, and operations without an operationId."""
    document = shop()
    get = document["paths"]["/items/{id}"]["get"]
    del get["operationId"]
    document["paths"]["/items-{id}"] = {"get": {**copy.deepcopy(get), "tags": ["more items"]}}
    document["paths"]["/other items"] = {"post": {**document["paths"]["/items"]["post"]}}
    document["paths"]["/other items"]["post"]["operationId"] = "search"
    schemas = document["components"]["schemas"]
    schemas["NewItem"]["properties"]["ein Wort"] = {"type": "string"}
    schemas["NewItem"]["properties"]["ein-wort"] = {"type": "string"}
    return document


def test_each_part_has_an_anchor(tmp_path: Path) -> None:
    document = shop()
    responses = document["paths"]["/items"]["post"]["responses"]
    responses["201"]["headers"] = {"Location": {"schema": {"type": "string"}}}
    responses["201"]["content"]["application/vnd.a+json"] = {
        "schema": {"type": "object", "properties": {"at": {"type": "string"}}}
    }
    assert set(ids(tmp_path, document)) >= {
        *("getItem", "getItem/path/id", "getItem/query/fields", "getItem/200", "getItem/400"),
        *("createItem/body/application/json/name", "createItem/201/header/Location"),
        *("createItem/201/application/vnd.a+json/at", "onItemSold/body/application/json/id"),
        *("model-Item", "model-Item/size", "model-Item/size/height", "scheme-key"),
        *("response-Failed", "response-Failed/header/X-Trace", "error-sold_out", "group-items"),
    }


def test_the_order_of_a_document_decides_no_anchor(tmp_path: Path) -> None:
    assert sorted(ids(tmp_path, unnamed())) == sorted(ids(tmp_path, turned(unnamed())))


@pytest.mark.parametrize("document", [shop, unnamed])
def test_what_is_added_moves_no_anchor(document: Any, tmp_path: Path) -> None:
    before = set(ids(tmp_path, document()))
    more = document()
    operations = {
        f"/added/{number}": {"get": {"responses": {"204": {"description": "Done."}}}}
        for number in range(3)
    }
    more["paths"] = {**operations, **more["paths"]}
    more["tags"].insert(0, {"name": "added"})
    schemas = more["components"]["schemas"]
    more["components"]["schemas"] = {"Added": {"type": "object"}, **schemas}
    item = schemas["Item"]
    item["properties"] = {"added": {"type": "string"}, **item["properties"]}
    assert before < set(ids(tmp_path, more))


def test_names_that_are_alike_have_digests(tmp_path: Path) -> None:
    found = ids(tmp_path, unnamed())
    assert "model-NewItem/ein-wort" in found
    articles = [anchor.partition("~")[0] for anchor in found if "~" in anchor and "/" not in anchor]
    # Two are alike, and one is an id of the page itself.
    assert sorted(articles) == ["get-items-id", "get-items-id", "search"]
    inner = {
        anchor.partition("~")[0]
        for anchor in found
        if anchor.startswith("model-") and "~" in anchor
    }
    assert inner == {"model-NewItem/ein-wort"}


def test_an_operation_never_has_the_anchor_of_another_kind(tmp_path: Path) -> None:
    document = shop()
    document["paths"]["/items"]["post"]["operationId"] = "model-Item"
    found = ids(tmp_path, document)
    assert found.count("model-Item") == 1
    assert [anchor for anchor in found if anchor.startswith("model-Item~") and "/" not in anchor]


def test_a_name_alone_has_no_digest(tmp_path: Path) -> None:
    document = shop()
    del document["paths"]["/items/{id}"]["get"]["operationId"]
    document["paths"]["/items"]["post"]["tags"] = ["New things"]
    found = set(ids(tmp_path, document))
    assert {"get-items-id", "group-new-things", "get-items-id/path/id"} <= found
    assert not [anchor for anchor in found if "~" in anchor]


def test_alternatives_of_one_name_are_shown_and_the_first_is_linked(tmp_path: Path) -> None:
    document = shop()
    same = {"type": "object", "title": "same", "properties": {"a": {"type": "string"}}}
    document["components"]["schemas"]["Item"]["properties"]["owner"] = {"oneOf": [same, {**same}]}
    html = page(tmp_path, document)
    found = Page(html)
    assert found.ids.count("model-Item/owner/same") == 1
    assert html.partition('id="models"')[2].count("<code>same</code>") == 2


def test_callbacks_of_one_expression_are_two(tmp_path: Path) -> None:
    document = shop()
    called = {"{$request.query.url}": {"post": {"responses": {"204": {"description": "Done."}}}}}
    for path, method, text in (("/items/{id}", "get", "First."), ("/items", "post", "Second.")):
        own = copy.deepcopy(called)
        own["{$request.query.url}"]["post"]["description"] = text
        document["paths"][path][method]["callbacks"] = {"done": own}
    html = page(tmp_path, document)
    assert len(Page(html).ids) == len(set(Page(html).ids))
    text = Page(html).text
    assert (text.count("First."), text.count("Second.")) == (1, 1)


def test_a_site_has_the_same_anchors_and_files(tmp_path: Path) -> None:
    def placed(document: dict[str, Any]) -> set[tuple[str, str]]:
        made = pages(tmp_path, document, is_site=True)
        return {(name, anchor) for name, html in made.items() for anchor in Page(html).ids}

    before, after = placed(unnamed()), placed(turned(unnamed()))
    assert before == after
    assert {anchor for _, anchor in before} >= set(ids(tmp_path, unnamed())) - {
        "document",
        "download",
    }


def test_anchors_need_no_encoding(tmp_path: Path) -> None:
    document = json.loads(json.dumps(unnamed()).replace("Item", "It em é"))
    allowed = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/")
    assert not [anchor for anchor in ids(tmp_path, document) if set(anchor) - allowed]
