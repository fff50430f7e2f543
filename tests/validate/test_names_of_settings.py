"""Names of the settings decide which names clash, for `validate` as for `generate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}


def operation(identifier: str, tag: str, schema: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {
        "operationId": identifier,
        "tags": [tag],
        "responses": {"200": {"description": "Right.", "content": content}},
    }


def document(identifiers: tuple[str, str], tags: tuple[str, str], schemas: tuple[str, str]) -> str:
    first, second = zip(identifiers, tags, schemas, strict=True)
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Shop", "version": "1.0.0"},
            "paths": {"/a": {"get": operation(*first)}, "/b": {"get": operation(*second)}},
            "components": {"schemas": dict.fromkeys(schemas, SCHEMA)},
        }
    )


def write(place: Path, content: str, names: str) -> None:
    (place / "openapi.json").write_text(content, "utf-8")
    settings = f'[tool.specwright]\ndocument = "openapi.json"\n[tool.specwright.names.{names}\n'
    (place / "pyproject.toml").write_text(settings, "utf-8")


USUAL: dict[str, tuple[str, str]] = {
    "identifiers": ("one", "two"),
    "tags": ("things", "others"),
    "schemas": ("Thing", "Other"),
}
CASES = [
    ("operation-id-clash", {"identifiers": ("getIt", "get_it")}, 'operations]\nget_it = "it"'),
    ("operation-id-clash", {"identifiers": ("getIt", "get_it")}, 'operations]\n"GET /b" = "it"'),
    ("tag-name-clash", {"tags": ("Things", "things")}, 'tags]\nthings = "more"'),
    ("schema-name-clash", {"schemas": ("OrderLine", "order_line")}, 'schemas]\norder_line = "Row"'),
]
MADE = [
    ("operation-id-clash", 'operations]\ntwo = "one"'),
    ("schema-name-clash", 'schemas]\nOther = "Thing"'),
]


def rules(specwright: Run, place: Path) -> set[str]:
    done = specwright("validate", "--format", "json", cwd=place)
    assert done.returncode in (0, 1), done.stderr
    return {finding["rule"] for finding in json.loads(done.stdout)["findings"]}


@pytest.mark.parametrize(("rule", "parts", "names"), CASES)
def test_a_name_of_the_settings_ends_a_clash(
    specwright: Run, tmp_path: Path, rule: str, parts: dict[str, tuple[str, str]], names: str
) -> None:
    content = document(**{**USUAL, **parts})
    write(tmp_path, content, "operations]")
    assert rule in rules(specwright, tmp_path)
    write(tmp_path, content, names)
    assert rule not in rules(specwright, tmp_path)
    done = specwright("generate", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 of 2 operations in full; nothing left out" in done.stdout


@pytest.mark.parametrize(("rule", "names"), MADE)
def test_a_name_of_the_settings_makes_a_clash_at_what_it_names(
    specwright: Run, tmp_path: Path, rule: str, names: str
) -> None:
    write(tmp_path, document(**USUAL), names)
    done = specwright("validate", cwd=tmp_path)
    assert done.returncode == 1
    assert f"error {rule} " in done.stdout
    assert f" {rule} " in specwright("generate", cwd=tmp_path).stderr


def test_tags_with_one_name_are_one_group(specwright: Run, tmp_path: Path) -> None:
    write(tmp_path, document(**USUAL), 'tags]\nothers = "things"')
    assert "tag-name-clash" not in rules(specwright, tmp_path)


@pytest.mark.parametrize("command", ["validate", "generate"])
def test_a_name_for_nothing_is_an_error(specwright: Run, tmp_path: Path, command: str) -> None:
    write(tmp_path, document(**USUAL), 'operations]\ntow = "it"')
    done = specwright(command, cwd=tmp_path)
    assert done.returncode == 2
    assert "names.operations: openapi.json has no 'tow' to rename" in done.stderr
    assert "did you mean 'two'?" in done.stderr


def test_a_rule_about_names_in_the_document_reads_those_of_the_document(
    specwright: Run, tmp_path: Path
) -> None:
    """Settings rename methods; they change nothing about the document."""
    write(tmp_path, document(**USUAL), 'operations]\none = "get_it"')
    before = rules(specwright, tmp_path)
    write(tmp_path, document(**USUAL), "operations]")
    assert rules(specwright, tmp_path) == before
