"""The schemas that apply to a value, through the references of a document."""

from __future__ import annotations

import json
from pathlib import Path

from specwright.document.schemas.applicators import Subschema, applying
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load

NODE = {"$dynamicAnchor": "node", "anyOf": [{"$ref": "#/components/schemas/Node"}, {"title": "a"}]}


def applied(tmp_path: Path, schema: dict[str, object]) -> list[str]:
    """The places of all schemas that apply where a schema does."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "components": {"schemas": {"Node": NODE, "Thing": schema}},
    }
    path = tmp_path / "things.json"
    path.write_text(json.dumps(document), "utf-8")
    place = Subschema("/components/schemas/Thing", schema)
    found = applying(load(path, remote=Remote.KEEP), [place])
    return [subschema.pointer.removeprefix("/components/schemas") for subschema in found]


def test_a_circle_of_references_ends(tmp_path: Path) -> None:
    found = applied(tmp_path, {"$ref": "#/components/schemas/Node"})
    assert found == ["/Thing", "/Node", "/Node/anyOf/0", "/Node/anyOf/1"]


def test_a_reference_to_another_machine_is_not_one_to_the_same_place_here(tmp_path: Path) -> None:
    address = "https://example.com/openapi.json#/components/schemas/Node"
    assert applied(tmp_path, {"$ref": address}) == ["/Thing"]


def test_a_dynamic_reference_to_nothing_leads_nowhere(tmp_path: Path) -> None:
    assert applied(tmp_path, {"$dynamicRef": "#nothing"}) == ["/Thing"]
