"""Mistakes in Swagger 2.0 documents are found where they are, in words for that version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.check.sound import sound
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.policy import LintProfile, Settings
from tests.conftest import Run

from .documents import write

HEAD = 'swagger: "2.0"\nproduces: [application/json]\nconsumes: [application/json]\n'
PARAMETER = "paths: {'/a/{id}': {get: {operationId: a, parameters: [%s], responses: {'200': %s}}}}"
ID = "{name: id, in: path, required: true, type: string}"
OK = "{description: D}"


def findings(directory: Path, part: str, rule: str) -> list[tuple[str, str]]:
    report = check(upgrade(load(write(directory, HEAD + part))), Settings(LintProfile.STRICT))
    found = (finding for finding in report.findings if finding.rule == rule)
    return [(finding.pointer or "", finding.message) for finding in found]


FIRST = "/paths/~1a~1{id}/get/parameters/1"
OFFICIAL = {
    "a place that is unknown": (
        PARAMETER % (f"{ID}, {{name: n, in: cookie, type: string}}", OK),
        (f"{FIRST}/in", "'in' must be body, formData, header, path or query"),
    ),
    "a parameter without a type": (
        PARAMETER % (f"{ID}, {{name: n, in: query}}", OK),
        (FIRST, "'type' is missing"),
    ),
    "a path parameter that is not required": (
        PARAMETER % ("{name: id, in: path, type: string}", OK),
        (FIRST[:-1] + "0", "a path parameter is always required: write 'required: true'"),
    ),
    "a keyword of OpenAPI 3": (
        "definitions: {A: {oneOf: [{type: string}]}}",
        ("/definitions/A/oneOf", "'oneOf' is not a field of this object in Swagger 2.0"),
    ),
    "a field that is misspelt": (
        "definitions: {A: {type: string, maxLenght: 3}}",
        (
            "/definitions/A/maxLenght",
            "'maxLenght' is not a field of this object: did you mean 'maxLength'?",
        ),
    ),
    "a range of statuses": (
        "paths: {/a: {get: {responses: {4XX: {description: D}}}}}",
        (
            "/paths/~1a/get/responses/4XX",
            "'4XX' is not a status: write three digits, or default",
        ),
    ),
    "a schema that is null": (
        "paths: {/a: {get: {responses: {'200': {description: D, schema: null}}}}}",
        ("/paths/~1a/get/responses/200/schema", 'this is not of type "object"'),
    ),
    "a section of another version": (
        "pathItems: {A: {get: {responses: {'200': {description: D}}}}}",
        ("/pathItems", "'pathItems' is not a field of this object in Swagger 2.0"),
    ),
}


@pytest.mark.parametrize("name", OFFICIAL)
def test_the_official_schema_decides(name: str, tmp_path: Path) -> None:
    part, expected = OFFICIAL[name]
    assert findings(tmp_path, part, "openapi-schema") == [expected]


RULES = {
    "beside a reference": (
        "definitions: {B: {type: string}, A: {$ref: '#/definitions/B', maxLength: 3}}",
        "reference-siblings",
        ("/definitions/A/maxLength", "'maxLength'"),
    ),
    "a list without items": (
        PARAMETER % (f"{ID}, {{name: n, in: query, type: array}}", OK),
        "array-items",
        (f"{FIRST}/type", "write 'items: {type: string}'"),
    ),
    "a response without references to it": (
        "responses: {A: {description: D}}",
        "component-unused",
        ("/responses/A", "'A'"),
    ),
    "a security scheme that is not defined": (
        "security: [{key: []}]",
        "security-defined",
        ("/security/0/key", "is not in securityDefinitions"),
    ),
    "a schema without a name": (
        PARAMETER % (ID, "{description: D, schema: {type: object, properties: {a: {}}}}"),
        "schema-inline",
        ("/paths/~1a~1{id}/get/responses/200/schema", "move it to definitions"),
    ),
    "an example of another type": (
        PARAMETER
        % (ID, "{description: D, schema: {type: integer}, examples: {application/json: a}}"),
        "example-valid",
        ("/paths/~1a~1{id}/get/responses/200/examples/application~1json", "integer"),
    ),
    "a default of another type": (
        PARAMETER % (f"{ID}, {{name: n, in: query, type: integer, default: a}}", OK),
        "default-valid",
        (f"{FIRST}/default", "integer"),
    ),
    "names that clash": (
        "definitions: {A_b: {type: object}, A-b: {type: object}}",
        "schema-name-clash",
        ("/definitions/A-b", "(/definitions/A_b)"),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_rules_name_the_places_of_the_file(name: str, tmp_path: Path) -> None:
    part, rule, (pointer, words) = RULES[name]
    [(place, message)] = findings(tmp_path, part, rule)
    assert place == pointer
    assert words in message


@pytest.mark.parametrize("rule", ["component-name", "nullable-ignored", "component-unused"])
def test_rules_of_later_versions_do_not_apply(rule: str, tmp_path: Path) -> None:
    part = "definitions: {'Page«A»': {type: string}, B: {type: array, items: {$ref: '%s'}}}"
    used = PARAMETER % (ID, "{description: D, schema: {$ref: '#/definitions/B'}}")
    ref = "#/definitions/Page%C2%ABA%C2%BB"
    assert findings(tmp_path, f"{part % ref}\n{used}", rule) == []


def test_a_media_type_of_all_operations_is_reported_once(tmp_path: Path) -> None:
    part = "paths: {/a: {get: %s, put: %s}}" % (
        ("{responses: {'200': {description: D, schema: {type: string}}}}",) * 2
    )
    path = write(tmp_path, 'swagger: "2.0"\nproduces: [application/json, nonsense]\n' + part)
    report = check(upgrade(load(path)), Settings())
    [finding] = [finding for finding in report.findings if finding.rule == "media-type"]
    assert finding.pointer == "/produces/1"
    assert [place[:14] for place in finding.places] == ["/paths/~1a/get", "/paths/~1a/put"]


def test_an_error_costs_the_operations_that_it_affects(tmp_path: Path) -> None:
    part = (
        "definitions: {A: {type: object, nonsense: 1}, B: {type: string}}\n"
        "paths: {/a: {get: {responses: {'200': {description: D, schema: {$ref: '#/definitions/A'}}}"
        "}}, /b: {get: {responses: {'200': {description: D, schema: {$ref: '#/definitions/B'}}}}}}"
    )
    path = write(tmp_path, HEAD + part)
    part_of = sound(upgrade(load(path)))
    assert [site.key for site, _ in part_of.left_out] == ["/a"]
    assert part_of.is_usable


def test_its_fields_have_an_order(tmp_path: Path, specwright: Run) -> None:
    path = write(tmp_path, HEAD + "definitions: {B: {type: string}, A: {type: string}}")
    assert specwright("fmt", path.name, cwd=tmp_path).returncode == 0
    data = json.loads(path.read_text("utf-8"))
    assert list(data) == ["swagger", "info", "consumes", "produces", "paths", "definitions"]
    assert list(data["definitions"]) == ["A", "B"]


@pytest.mark.parametrize("name", ["swagger.json", "swagger.yaml", "swagger.yml"])
def test_it_has_a_usual_name(name: str, tmp_path: Path, specwright: Run) -> None:
    write(tmp_path, HEAD, name)
    done = specwright("validate", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith(name)


def test_a_newer_document_is_preferred(tmp_path: Path, specwright: Run) -> None:
    write(tmp_path, HEAD, "swagger.json")
    write(tmp_path, "{}", "openapi.json")
    assert specwright("validate", cwd=tmp_path).stdout.startswith("openapi.json")
