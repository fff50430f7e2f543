"""A document is judged by the official schema of the version that it is written in."""

from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import Location
from specwright.findings import Level
from specwright.pipeline import generate
from specwright.policy import Settings

from .documents import write

HEADER = """
openapi: %s
components:
  headers:
    Limit: {schema: {type: integer}, allowEmptyValue: false}
"""


def errors(path: Path) -> list[tuple[str, str]]:
    """Where a document has errors, and which."""
    report = check(upgrade(load(path)), Settings())
    return [
        (finding.pointer or "", finding.message)
        for finding in report.findings
        if finding.level is Level.ERROR
    ]


def test_what_only_3_0_allows_is_an_error_of_later_versions(tmp_path: Path) -> None:
    assert errors(write(tmp_path, HEADER % "3.0.3")) == []
    place = "/components/headers/Limit/allowEmptyValue"
    assert [pointer for pointer, _ in errors(write(tmp_path, HEADER % "3.1.1"))] == [place]


RESPONSE = """
openapi: 3.0.3
paths:
  /a:
    get:
      parameters: [%s]
      responses: {"200": %s}
"""
WRONG = {
    "a response without description": (
        ("", "{}"),
        "/paths/~1a/get/responses/200",
        "'description' is missing",
    ),
    "a field that is not there": (
        ("", "{description: D, contents: {}}"),
        "/paths/~1a/get/responses/200/contents",
        "'contents' is not a field of this object: did you mean 'content'?",
    ),
    "a path parameter that may be left out": (
        ("{name: a, in: path, schema: {type: string}}", "{description: D}"),
        "/paths/~1a/get/parameters/0",
        "a path parameter is always required: write 'required: true'",
    ),
    "a parameter without schema": (
        ("{name: a, in: query}", "{description: D}"),
        "/paths/~1a/get/parameters/0",
        "one of 'schema', 'content' is required",
    ),
}


@pytest.mark.parametrize(("parts", "place", "message"), WRONG.values(), ids=WRONG)
def test_an_error_of_3_0_says_what_the_writer_meant(
    tmp_path: Path, parts: tuple[str, str], place: str, message: str
) -> None:
    assert (place, message) in errors(write(tmp_path, RESPONSE % parts))


def test_what_3_0_forbids_and_3_1_does_not_is_generated(tmp_path: Path) -> None:
    part = "openapi: 3.0.3\ncomponents: {schemas: {Kind: {const: card}}}"
    path = write(tmp_path, part)
    assert [pointer for pointer, _ in errors(path)] == ["/components/schemas/Kind/const"]
    models = generate(load(path), PackageOptions(package="made"))["made/models.py"].decode()
    assert 'Literal["card"]' in models


PATH_ITEM = 'get: {responses: {"200": {description: D}}}\n'
ITEM_FILES = {
    "item.yaml": PATH_ITEM,
    "items.yaml": "one:\n  parameters: [{name: id, in: path, required: true, schema: {}}]\n  "
    + PATH_ITEM
    + "misspelt:\n  summry: S\n",
}
PATH_ITEMS = {
    "a whole file": "/a: {$ref: item.yaml}",
    "a part of a file": "'/a/{id}': {$ref: 'items.yaml#/one'}",
    "one file for several paths": "/a: {$ref: item.yaml}, /b: {$ref: item.yaml}",
    "several files": "/a: {$ref: item.yaml}, '/b/{id}': {$ref: 'items.yaml#/one'}",
}


def referring(directory: Path, version: str, paths: str, components: str = "") -> Path:
    for name, content in ITEM_FILES.items():
        (directory / name).write_text(content, "utf-8")
    return write(directory, f"openapi: {version}\npaths: {{{paths}}}\ncomponents: {{{components}}}")


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1", "3.2.0"])
@pytest.mark.parametrize("paths", PATH_ITEMS.values(), ids=PATH_ITEMS)
def test_a_path_item_may_be_in_another_file(tmp_path: Path, version: str, paths: str) -> None:
    assert errors(referring(tmp_path, version, paths)) == []


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1"])
def test_a_path_item_in_another_file_is_judged_there(tmp_path: Path, version: str) -> None:
    document = upgrade(load(referring(tmp_path, version, "/a: {$ref: 'items.yaml#/misspelt'}")))
    (finding,) = check(document, Settings()).findings
    assert finding.location == Location(str(tmp_path / "items.yaml"), 5, 3)


def test_a_section_of_a_later_version_is_an_error_where_the_author_wrote_it(tmp_path: Path) -> None:
    path = referring(tmp_path, "3.0.3", "/a: {$ref: item.yaml}", "pathItems: {own: {}}")
    assert [pointer for pointer, _ in errors(path)] == ["/components/pathItems"]
    assert errors(referring(tmp_path, "3.1.1", "", "pathItems: {own: {}}")) == []


def test_a_media_type_may_not_be_a_reference_before_3_2(tmp_path: Path) -> None:
    (tmp_path / "media.yaml").write_text("schema: {type: string}\n", "utf-8")
    part = """
    openapi: %s
    components: {responses: {R: {description: D, content: {a/b: {$ref: media.yaml}}}}}
    """
    place = "/components/responses/R/content/a~1b/$ref"
    for version in ("3.0.3", "3.1.1"):
        assert [pointer for pointer, _ in errors(write(tmp_path, part % version))] == [place]
    assert errors(write(tmp_path, part % "3.2.0")) == []
