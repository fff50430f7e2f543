"""What `generate` refuses for its names is an error of `validate`, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specwright.check.run import check
from specwright.check.settings import Settings
from specwright.config import Options
from specwright.document.sources.load import load
from specwright.pipeline import InvalidDocument, generate
from tests.conftest import Run
from tests.functional.documents import THING, Json, content, document, operation, ref
from tests.mutants.judge import faults

Change = Callable[[Json], Any]


def two(first: Json, second: Json) -> Json:
    """A document with two operations."""
    return document({"/a": {"get": operation(**first)}, "/b": {"get": operation(**second)}})


def shared(key: str) -> Json:
    item = {"get": operation(operationId="find")}
    path = {"$ref": "#/components/pathItems/find"}
    return document({"/a": path, key: path}, components={"pathItems": {"find": item}})


def events(first: str, second: str) -> Json:
    event = {"requestBody": {"required": True, **content(ref("Thing"))}, **operation()}
    hooks = {name: {"post": {**event, "operationId": name}} for name in (first, second)}
    return document({}, {"Thing": THING}, webhooks=hooks)


def schemas(*names: str) -> Json:
    return document({}, dict.fromkeys(names, THING))


def titled(title: str) -> Json:
    return document({"/a": {"get": operation(operationId="find")}}) | {
        "info": {"title": title, "version": "1"}
    }


def called_back() -> Json:
    back = {"{$request.query.url}": {"post": operation(operationId="find_it")}}
    return document({"/a": {"get": operation(operationId="findIt", callbacks={"done": back})}})


def parameters(*names: tuple[str, str]) -> Json:
    found = [{"name": name, "in": place, "schema": {"type": "string"}} for name, place in names]
    return document({"/a": {"get": operation(operationId="find", parameters=found)}})


def properties(*names: str) -> Json:
    thing = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    return document({}, {"Thing": thing})


ONE, OTHER = {"operationId": "one"}, {"operationId": "other"}
REFUSED = {
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
    "a tag that is another one's name apart": two(
        {**ONE, "tags": ["group"]}, {**OTHER, "tags": ["group operations"]}
    ),
    "schemas that are one class": schemas("OrderLine", "order-line"),
    "schemas that are one class apart": schemas("Field", "FieldModel"),
    "webhooks that are one name": events("thing.made", "thing_made"),
}
GENERATED = {
    "schemas that differ in case": schemas("Order", "ORDER"),
    "an operation and its callback": called_back(),
    "an operation and a webhook": two(ONE, OTHER)
    | {"webhooks": {"one": {"post": operation(operationId="ONE")}}},
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


def made(tmp_path: Path, written: Json, **options: Any) -> tuple[bool, bool]:
    """Whether the document has no errors, and whether a package is generated."""
    path = tmp_path / "api.json"
    path.write_text(json.dumps(written))
    settings = Settings(short_method_names=options.get("short_method_names", False))
    is_valid = not check(load(path), settings).has_errors
    try:
        files = generate(load(path), Options(**options))
    except InvalidDocument:
        return is_valid, False
    for name, text in files.items():
        target = tmp_path / "made" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return is_valid, True


@pytest.mark.parametrize("written", REFUSED.values(), ids=REFUSED)
def test_an_error_of_both(tmp_path: Path, written: Json) -> None:
    assert made(tmp_path, written) == (False, False)


@pytest.mark.parametrize("written", GENERATED.values(), ids=GENERATED)
def test_an_error_of_neither(tmp_path: Path, written: Json) -> None:
    assert made(tmp_path, written) == (True, True)
    [package] = [path.parent for path in (tmp_path / "made").glob("*/client.py")]
    assert package.name not in ("json", "pydantic", "typing_extensions")
    assert list(faults(tmp_path / "made", package.name)) == []


SHORT = two(
    {"operationId": "createPet", "tags": ["pets"]}, {"operationId": "create", "tags": ["pets"]}
)


def test_short_names_clash_where_long_ones_do_not(tmp_path: Path) -> None:
    assert made(tmp_path, SHORT) == (True, True)
    assert made(tmp_path, SHORT, short_method_names=True) == (False, False)


PROJECT = '[tool.specwright]\ndocument = "{}"\nshort-method-names = true\n'


def test_validate_knows_how_the_project_names_methods(tmp_path: Path, specwright: Run) -> None:
    (tmp_path / "api.json").write_text(json.dumps(SHORT))
    (tmp_path / "pyproject.toml").write_text(PROJECT.format("api.json"))
    assert specwright("validate", "api.json", cwd=tmp_path).returncode == 1
    assert specwright("generate", cwd=tmp_path).returncode == 1


def test_the_project_names_no_methods_of_other_documents(tmp_path: Path, specwright: Run) -> None:
    (tmp_path / "other.json").write_text(json.dumps(SHORT))
    (tmp_path / "pyproject.toml").write_text(PROJECT.format("api.json"))
    assert specwright("validate", "other.json", cwd=tmp_path).returncode == 0
