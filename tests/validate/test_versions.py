"""A document is judged by the official schema of the version that it is written in."""

from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
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
        '"description" is a required property',
    ),
    "a field that is not there": (
        ("", "{description: D, contents: {}}"),
        "/paths/~1a/get/responses/200/contents",
        "'contents' is not a field of this object",
    ),
    "a path parameter that may be left out": (
        ("{name: a, in: path, schema: {type: string}}", "{description: D}"),
        "/paths/~1a/get/parameters/0",
        '"required" is a required property',
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
