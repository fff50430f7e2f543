"""Names come from the document and stay when the document grows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.emit.fileset import FileSet
from specwright.findings import Report
from specwright.pipeline import generate
from tests.functional.documents import THING, content, document, operation, ref

COLOUR = {"type": "string", "enum": ["red", "green"]}
INLINE = {
    "type": "object",
    "properties": {
        "part": {"type": "object", "properties": {"size": {"type": "integer"}}},
        "colour": COLOUR,
        "parts": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    },
}


def files(tmp_path: Path, written: dict[str, Any], **said: Any) -> FileSet:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(written))
    return generate(load(path), PackageOptions(package="small", short_method_names=False), **said)


def base() -> dict[str, Any]:
    return document(
        paths={
            "/things": {
                "get": operation(INLINE, operationId="findThings"),
                "post": operation(
                    ref("Thing"),
                    operationId="makeThing",
                    requestBody={"required": True, **content(INLINE)},
                ),
            }
        },
        schemas={"Thing": THING, "Box": INLINE},
    )


def lines(made: FileSet, name: str) -> list[str]:
    return made[f"small/{name}"].decode().splitlines()


def is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(line in rest for line in short)


def add_operation(grown: dict[str, Any]) -> None:
    grown["paths"]["/boxes"] = {"get": operation(INLINE, operationId="findBoxes")}


def add_schema(grown: dict[str, Any]) -> None:
    schemas = grown["components"]["schemas"]
    schemas["A"] = INLINE
    schemas["Part"] = THING
    schemas["Zebra"] = {"type": "object", "properties": {"part": INLINE}}


def add_nameless_operation(grown: dict[str, Any]) -> None:
    grown["paths"]["/things"]["put"] = operation(INLINE)


def add_response(grown: dict[str, Any]) -> None:
    grown["paths"]["/things"]["get"]["responses"]["400"] = {"description": "No.", **content(INLINE)}


@pytest.mark.parametrize("add", [add_operation, add_schema, add_nameless_operation, add_response])
def test_adding_renames_nothing(tmp_path: Path, add: Any) -> None:
    before = files(tmp_path, base())
    grown = base()
    add(grown)
    after = files(tmp_path, grown)
    for module in ("client.py", "async_client.py"):
        assert is_subsequence(lines(before, module), lines(after, module))
    names = {line for line in lines(before, "models.py") if line.startswith("class ")}
    assert names <= set(lines(after, "models.py"))


def test_adding_an_enum_value_changes_its_line_alone(tmp_path: Path) -> None:
    before = files(tmp_path, base())
    grown = json.loads(json.dumps(base()).replace('"green"]', '"green", "blue"]'))
    after = files(tmp_path, grown)
    old, new = lines(before, "models.py"), lines(after, "models.py")
    assert len(old) == len(new)
    changed = [line for line, other in zip(old, new, strict=True) if line != other]
    assert changed
    assert all('"green"' in line for line in changed)


def test_the_client_of_a_client_is_called_so_once(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(base()))
    made = generate(load(path), PackageOptions(package="small_client"))
    assert "class SmallClient(_Client):" in made["small_client/client.py"].decode()


def test_an_inline_schema_is_named_after_its_place(tmp_path: Path) -> None:
    models = files(tmp_path, base())["small/models.py"].decode()
    for name in ("FindThings_Response", "MakeThing_Request", "FindThings_Response_Part"):
        assert f"class {name}(Model):" in models


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (
            lambda d: d["components"]["schemas"].update({"thing": THING}),
            ("/components/schemas/Thing", "/components/schemas/thing", "Thing"),
        ),
        (
            lambda d: d["paths"].update(
                {"/x": {"get": operation(ref("Thing"), operationId="find_things")}}
            ),
            ("/paths/~1things/get", "/paths/~1x/get", "find_things"),
        ),
    ],
)
def test_a_clash_of_names_is_said_with_both_places(
    tmp_path: Path, change: Any, names: tuple[str, ...]
) -> None:
    written = base()
    change(written)
    told: list[Report] = []
    files(tmp_path, written, tell=told.append)
    [finding] = told[0].findings
    said = f"{finding.location} {finding.pointer} {finding.message}"
    assert all(name in said for name in names), said
    assert "api.json:" in said
