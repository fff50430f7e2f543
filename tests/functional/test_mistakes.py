"""A mistake in a document costs the element that it is in, and the rest is generated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from specwright.check.repair.edits import Edit, apply
from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.emit.manifest import PackageContents, contents
from specwright.errors import Location
from specwright.findings import Level, Report
from specwright.pipeline import InvalidDocument, generate
from specwright.policy import Settings, Waiver
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.mutated_documents.judge import faults

TEXT = {"type": "string"}
GET, POST = "/paths/~1things/get", "/paths/~1things/post"


def things(schemas: Json | None = None, **get: Any) -> Json:
    """Return a document with two operations; the arguments concern only one of them."""
    schemas = {"Thing": THING} if schemas is None else schemas
    both = {
        "get": operation(ref("Thing"), operationId="list", **get),
        "post": operation(operationId="other"),
    }
    return document({"/things": both}, schemas)


def with_parts(written: Json, **components: Json) -> Json:
    return {**written, "components": {**written["components"], **components}}


def responses(**by_status: Any) -> Json:
    return things(responses={status[1:]: response for status, response in by_status.items()})


def parameter(**members: Any) -> Json:
    return things(parameters=[{"name": "a", "in": "query", "schema": TEXT}, members])


# Each with the places that are left out of the package.
MISTAKES: dict[str, tuple[Json, list[str]]] = {
    "keywords of 2019-09": (
        things({"Thing": {**THING, "$recursiveAnchor": True, "unevaluatedItems": 3}}),
        [f"/components/schemas/Thing/{name}" for name in ("$recursiveAnchor", "unevaluatedItems")],
    ),
    "a required body without properties": (
        things(requestBody={"required": True, **content({"type": "object", "properties": {}})}),
        [],
    ),
    "a range of statuses in lower case": (
        responses(_200=content(THING) | {"description": "It."}, _4xx={"description": "Not."}),
        [],
    ),
    "nothing but a range in lower case": (responses(_2xx={"description": "It."}), []),
    "schemas that differ in case": (things({"Thing": THING, "thing": TEXT}), []),
    "schemas that differ in separators": (
        things({"Thing": {**THING, "not": ref("a_b")}, "a-b": TEXT, "a_b": {"type": "integer"}}),
        [],
    ),
    "a reference that leads nowhere": (
        things({"Thing": {"properties": {"of": ref("Nowhere"), "id": TEXT}}}),
        ["/components/schemas/Thing/properties/of"],
    ),
    "a reference to another machine": (
        things({"Thing": {"properties": {"of": {"$ref": "https://example.invalid/a.json"}}}}),
        ["/components/schemas/Thing/properties/of"],
    ),
    "references in a circle": (
        things({"Thing": {"properties": {"a": ref("A")}}, "A": ref("B"), "B": ref("A")}),
        ["/components/schemas/B"],
    ),
    "a blank in the name of a component": (
        things({"Thing": {"properties": {"of": ref("My Part")}}, "My Part": TEXT}),
        [],
    ),
    "no description of other documents": (
        things({"Thing": {**THING, "externalDocs": {"url": "x", "description": None}}}),
        [],
    ),
    "required as of draft 3": (
        things({"Thing": {"properties": {"id": {**TEXT, "required": True}}}}),
        ["/components/schemas/Thing/properties/id/required"],
    ),
    "a requirement without scopes": (
        with_parts(
            things(security=[{"key": None}]),
            securitySchemes={"key": {"type": "http", "scheme": "bearer"}},
        ),
        [],
    ),
    "a response that is a request body": (
        with_parts(
            responses(
                _200={"description": "", **content(ref("Thing"))},
                _400={"$ref": "#/components/requestBodies/New"},
            ),
            requestBodies={"New": content(THING)},
        ),
        [f"{GET}/responses/400"],
    ),
    "a response without a description": (responses(_200=content(ref("Thing"))), []),
    "no responses": (responses(), [f"{GET}/responses"]),
    "a status that is none": (
        responses(_200={"description": ""}, _2OO={"description": ""}),
        [f"{GET}/responses/2OO"],
    ),
    "an operationId that is there twice": (
        document({f"/{each}": {"get": operation(operationId="same")} for each in "ab"}),
        [],
    ),
    "a parameter without schema and content": (parameter(name="b", **{"in": "query"}), []),
    "a parameter with schema and content": (
        parameter(name="b", **{"in": "query", "schema": TEXT}, **content(TEXT)),
        [f"{GET}/parameters/1/content"],
    ),
    "a parameter of Swagger 2": (
        parameter(name="b", **{"in": "body", "schema": TEXT}),
        [f"{GET}/parameters/1"],
    ),
    "a parameter that leads nowhere": (
        parameter(**{"$ref": "#/components/parameters/Nowhere"}),
        [f"{GET}/parameters/1"],
    ),
    "a path parameter that may be left out": (
        document(
            {"/{id}": {"get": operation(parameters=[{"name": "id", "in": "path", "schema": TEXT}])}}
        ),
        [],
    ),
    "a type that is none": (
        things({"Thing": {"properties": {"file": {"type": "file"}}}}),
        ["/components/schemas/Thing/properties/file/type"],
    ),
    "a component that is no schema": (
        things({"Thing": {"properties": {"of": ref("Text")}}, "Text": "string"}),
        ["/components/schemas/Text"],
    ),
    "no alternatives": (things({"Thing": {"oneOf": []}}), ["/components/schemas/Thing/oneOf"]),
    "alternatives that are true and false": (
        things({"Thing": {"oneOf": [False, THING]}, "Any": {"anyOf": [True, TEXT]}}),
        [],
    ),
    "a name that is required twice": (things({"Thing": {**THING, "required": ["id", "id"]}}), []),
    "a version that is a number": (
        {**things(), "info": {"title": "Small API", "version": 1.0}},
        [],
    ),
    "a parameter without name and place": (
        parameter(schema=TEXT, **{"in": "body"}),
        [f"{GET}/parameters/1"],
    ),
    "no information": ({key: value for key, value in things().items() if key != "info"}, []),
    "a path without a slash": (
        document({"/things": {"get": operation()}, "things": {"get": operation()}}),
        ["/paths/things"],
    ),
}


def made(
    tmp_path: Path, written: Json, lint: Settings | None = None
) -> tuple[Report, PackageContents]:
    """Generate a package and check that it works; return the report and the contents."""
    path = tmp_path / "api.json"
    path.write_text(json.dumps(written, indent=1))
    told = [Report(str(path), ())]
    files = generate(
        load_in_part(path),
        PackageOptions(package="made"),
        lint=lint or Settings(),
        tell=told.append,
    )
    for name, text in files.items():
        target = tmp_path / "out" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    assert list(faults(tmp_path / "out", "made")) == []
    return told[-1], contents(files)


@pytest.mark.parametrize(("written", "places"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_costs_its_element_at_most(
    tmp_path: Path, written: Json, places: list[str]
) -> None:
    report, whole = made(tmp_path, written)
    left_out = [finding for finding in report.findings if finding.rule == "left-out"]
    assert sorted({finding.pointer for finding in left_out}) == places
    assert whole.left_out.get("left-out", 0) == len(left_out)
    assert all(finding.location.line > 1 for finding in left_out)
    assert whole.operations - whole.whole_operations <= 1


def test_the_operations_around_a_mistake_are_not_in_full(tmp_path: Path) -> None:
    _, whole = made(tmp_path, MISTAKES["references in a circle"][0])
    assert (whole.operations, whole.whole_operations) == (2, 1)


def test_places_after_an_item_that_is_left_out_keep_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    later = {"name": "c", "in": "query", "schema": TEXT}
    path.write_text(json.dumps(parameter(**later), indent=1))
    read = load_in_part(path)
    place = f"{GET}/parameters"
    lines = {name: read.locate(f"{place}/1/{name}") for name in later}
    left = apply(read, [Edit(f"{place}/0")])
    assert {name: left.locate(f"{place}/0/{name}") for name in later} == lines


def test_schemas_of_one_name_are_two_classes(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    both = {name: {"type": "object", "properties": {name: TEXT}} for name in ("Thing", "thing")}
    path.write_text(json.dumps(things(both)))
    models = generate(load_in_part(path), PackageOptions(package="made"))["made/models.py"].decode()
    [other] = re.findall(r"class (Thing\w+)\(", models)
    assert models.index("class Thing(") != models.index(f"class {other}(")


BROKEN = MISTAKES["a type that is none"][0]
PLACE = MISTAKES["a type that is none"][1][0]


@pytest.mark.parametrize("rule", ["openapi-schema", "left-out"])
def test_the_project_decides_what_is_an_error(tmp_path: Path, rule: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        made(tmp_path, BROKEN, Settings(levels={rule: Level.ERROR}))
    assert {finding.pointer for finding in caught.value.report.findings} == {PLACE}


def test_what_the_project_accepts_is_counted_and_not_said(tmp_path: Path) -> None:
    waiver = Waiver("left-out", "/components/*", "A form of ours.", Location("lint.toml", 1, 1))
    for lint in (Settings(waivers=(waiver,)), Settings(levels={"left-out": Level.OFF})):
        report, whole = made(tmp_path, BROKEN, lint)
        assert report.findings == ()
        assert whole.left_out == {"left-out": 1}
