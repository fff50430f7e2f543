"""Names that clash are a finding of `validate`, told apart by `generate`; no others are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.check.checks import check
from specwright.config import PackageOptions
from specwright.document.operations.naming import package_name
from specwright.document.sources.bundle import Remote
from specwright.document.sources.load import load
from specwright.findings import Level
from specwright.pipeline import generate
from specwright.policy import Settings
from tests.conftest import Run
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.mutated_documents.judge import faults

TEXT = {"type": "string"}


def two(first: Json, second: Json) -> Json:
    """A document with two operations."""
    return document({"/a": {"get": operation(**first)}, "/b": {"get": operation(**second)}})


def shared(key: str) -> Json:
    item = {"get": operation(operationId="find")}
    path = {"$ref": "#/components/pathItems/find"}
    return document({"/a": path, key: path}, components={"pathItems": {"find": item}})


def followed(first: str, second: str) -> Json:
    page = {
        "type": "object",
        "properties": {"data": {"type": "array", "items": ref("Thing")}, "next": TEXT},
    }
    pages = {"cursor": "cursor", "items": "/data", "next": "/next", "resume": True}
    rest = {"limit": None, "more": None, "id": "/id"}
    cursor = {"name": "cursor", "in": "query", "schema": TEXT}
    found = operation(page, operationId=first, parameters=[cursor])
    paths = {
        "/a": {"get": {**found, "x-contract-pagination": {**pages, **rest}}},
        "/b": {"get": operation(operationId=second)},
    }
    return document(paths, {"Thing": THING})


def waited(first: str, second: str) -> Json:
    final = {"at": "/id", "states": ["done"], "interval_seconds": 1}
    return two(
        {"result": ref("Thing"), "operationId": first, "x-contract-final": final},
        {"operationId": second},
    ) | {"components": {"schemas": {"Thing": THING}}}


def events(first: str, second: str) -> Json:
    event = {"requestBody": {"required": True, **content(ref("Thing"))}, **operation()}
    hooks = {name: {"post": {**event, "operationId": name}} for name in (first, second)}
    return document({}, {"Thing": THING}, webhooks=hooks)


def schemas(*names: str) -> Json:
    return document({}, dict.fromkeys(names, THING))


def titled(title: str, **members: Any) -> Json:
    return document({"/a": {"get": operation(operationId="find", **members)}}) | {
        "info": {"title": title, "version": "1"}
    }


def called_back() -> Json:
    back = {"{$request.query.url}": {"post": operation(operationId="find_it")}}
    return document({"/a": {"get": operation(operationId="findIt", callbacks={"done": back})}})


def parameters(*names: tuple[str, str]) -> Json:
    found = [{"name": name, "in": place, "schema": TEXT} for name, place in names]
    return document({"/a": {"get": operation(operationId="find", parameters=found)}})


def properties(*names: str) -> Json:
    thing = {"type": "object", "properties": dict.fromkeys(names, TEXT)}
    return document({}, {"Thing": thing})


ONE, OTHER = {"operationId": "one"}, {"operationId": "other"}
CLASHING = {
    "operationIds that are one name": two({"operationId": "findIt"}, {"operationId": "find_it"}),
    "operationIds that are one constant": two(
        {"operationId": "straße"}, {"operationId": "strasse"}
    ),
    "an operation without an id and one that has its name": two({}, {"operationId": "getA"}),
    "an operation at two paths": shared("/b"),
    "tags that are one name": two({**ONE, "tags": ["Pets"]}, {**OTHER, "tags": ["pets"]}),
    "tags that are one class": two({**ONE, "tags": ["aB"]}, {**OTHER, "tags": ["AB"]}),
    "a tag that is another one's class": two(
        {**ONE, "tags": ["pets"]}, {**OTHER, "tags": ["unimplemented pets"]}
    ),
    "a tag and operations without one": two({**ONE, "tags": ["Default"]}, {**OTHER, "tags": []}),
    "tags that are one attribute": two({**ONE, "tags": ["API"]}, {**OTHER, "tags": ["api"]}),
    "a tag that is another one's class of the client apart": two(
        {**ONE, "tags": ["page"]}, {**OTHER, "tags": ["page operations"]}
    ),
    "a tag that is another one's class of the stub apart": two(
        {**ONE, "tags": ["context"]}, {**OTHER, "tags": ["context operations"]}
    ),
    "an operation and the one that follows a list": followed("list", "follow"),
    "an operation and the one that waits for a state": waited("getJob", "waitForJob"),
    "schemas that are one class": schemas("OrderLine", "order-line"),
    "schemas that are one class apart": schemas("Field", "FieldModel"),
    "webhooks that are one name": events("thing.made", "thing_made"),
}
GENERATED = {
    "schemas that differ in case": schemas("Order", "ORDER"),
    "an operation and its callback": called_back(),
    "an operation and a webhook": two(ONE, OTHER)
    | {"webhooks": {"one": {"post": operation(operationId="ONE")}}},
    "an operation and another one that follows nothing": followed("list", "follow_it"),
    "an operation and another one that waits for nothing": waited("getJob", "waitForGetJob"),
    "a tag of operations and one of webhooks": two(
        {**ONE, "tags": ["pets"]}, {**OTHER, "tags": ["pets"]}
    )
    | {"webhooks": {"made": {"post": operation(operationId="made", tags=["Pets"])}}},
    "a tag that is the client's class": titled("Pets", tags=["pets client"]),
    "parameters that are one name": parameters(("id", "query"), ("Id", "query"), ("id", "header")),
    "properties that are one name": properties("planId", "plan_id"),
    **{
        f"the title {title[:12]!r}": titled(title)
        for title in (
            "",
            "日本",
            "123",
            "class",
            "json",
            "Pydantic",
            "Typing Extensions",
            "x" * 300,
        )
    },
}


def clashes(tmp_path: Path, written: Json, *, short: bool = False) -> list[str]:
    """Generate a package, of which everything works; return the rules about names it breaks."""
    path = tmp_path / "api.json"
    path.write_text(json.dumps(written))
    settings = Settings(short_method_names=short)
    report = check(load(path), settings)
    for name, text in generate(load(path), PackageOptions(short_method_names=short)).items():
        target = tmp_path / "made" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    [package] = [path.parent for path in (tmp_path / "made").glob("*/client.py")]
    assert package.name not in ("json", "pydantic", "typing_extensions")
    assert list(faults(tmp_path / "made", package.name)) == []
    serious = [finding for finding in report.findings if finding.level is not Level.INFO]
    return [finding.rule for finding in serious if finding.rule in _RULES]


_RULES = ("operation-id-clash", "operation-id-unique", "schema-name-clash", "tag-name-clash")


@pytest.mark.parametrize("written", CLASHING.values(), ids=CLASHING)
def test_names_that_clash_are_a_finding_and_told_apart(tmp_path: Path, written: Json) -> None:
    assert clashes(tmp_path, written)


@pytest.mark.parametrize("written", GENERATED.values(), ids=GENERATED)
def test_other_names_are_not(tmp_path: Path, written: Json) -> None:
    assert not clashes(tmp_path, written)


SHORT = two(
    {"operationId": "createPet", "tags": ["pets"]}, {"operationId": "create", "tags": ["pets"]}
)


def test_short_names_clash_where_long_ones_do_not(tmp_path: Path) -> None:
    assert not clashes(tmp_path, SHORT)
    assert clashes(tmp_path, SHORT, short=True)


def test_a_tag_without_words_is_not_left_out_of_names(tmp_path: Path) -> None:
    written = two({"operationId": "find", "tags": ["***"]}, {"operationId": "make", "tags": ["_"]})
    assert clashes(tmp_path, written, short=True)
    written["paths"].pop("/b")
    assert not clashes(tmp_path, written, short=True)


@pytest.mark.parametrize(
    "broken",
    [
        {"paths": 3},
        {"paths": {"/a": {"$ref": "https://example.com/item"}}},
        {"paths": {"/a": {"get": {"tags": 3, "responses": {}}}}},
        {"paths": {"/a": {"get": {"operationId": 3, "responses": {}}}}},
        {"components": {"schemas": 3}},
    ],
)
def test_names_of_a_broken_document_stop_nothing(tmp_path: Path, broken: Json) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document() | broken))
    report = check(load(path, remote=Remote.KEEP), Settings())
    stopped = [finding.message for finding in report.findings if finding.rule == "check-incomplete"]
    assert not [message for message in stopped if "-clash" in message]


PROJECT = '[tool.specwright]\ndocument = "{}"\nshort-method-names = true\n'


def test_validate_knows_how_the_project_names_methods(tmp_path: Path, specwright: Run) -> None:
    (tmp_path / "api.json").write_text(json.dumps(SHORT))
    (tmp_path / "pyproject.toml").write_text(PROJECT.format("api.json"))
    assert specwright("validate", "api.json", cwd=tmp_path).returncode == 1
    assert "operation-id-clash" in specwright("generate", cwd=tmp_path).stderr


def test_the_project_names_no_methods_of_other_documents(tmp_path: Path, specwright: Run) -> None:
    (tmp_path / "other.json").write_text(json.dumps(SHORT))
    (tmp_path / "pyproject.toml").write_text(PROJECT.format("api.json"))
    assert specwright("validate", "other.json", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Swagger Petstore - OpenAPI 3.0", "swagger_petstore"),
        ("Shop (OpenAPI v3.1.1)", "shop"),
        ("Shop Swagger 2.0", "shop"),
        ("OpenAPI 3", "open_api_3"),
        ("Shop API 2.0", "shop_api_2_0"),
        ("Tools for OpenAPI", "tools_for_open_api"),
    ],
)
def test_a_package_is_not_named_after_the_version_of_the_specification(
    title: str, name: str
) -> None:
    assert package_name(title) == name
