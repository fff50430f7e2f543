"""A change of a Swagger 2.0 document is reported at its places there."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import yaml

from specwright.compare.comparison import compare
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Finding
from specwright.review.documents import documents_in

TODAY = date(2026, 11, 28)
BEFORE = """
swagger: "2.0"
info: {title: T, version: 1.0.0}
consumes: [application/json]
produces: [application/json]
parameters: {Limit: {name: limit, in: query, type: integer, maximum: 9}}
paths:
  /a:
    post:
      operationId: addA
      parameters:
        - {name: body, in: body, required: true, schema: {$ref: '#/definitions/A'}}
        - $ref: '#/parameters/Limit'
      responses: {'200': {description: D, schema: {$ref: '#/definitions/A'}}}
definitions: {A: {type: object, required: [t], properties: {t: {type: string}}}}
"""
# The same in OpenAPI 3.
AFTER = """
openapi: 3.0.3
info: {title: T, version: 1.0.0}
paths:
  /a:
    post:
      operationId: addA
      parameters: [{name: limit, in: query, schema: {type: integer, maximum: 9}}]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}
      responses:
        '200':
          description: D
          content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}
components: {schemas: {A: {type: object, required: [t], properties: {t: {type: string}}}}}
"""


def changes(directory: Path, before: str, after: str) -> list[Finding]:
    files = directory / "before.yaml", directory / "after.yaml"
    for file, text in zip(files, (before, after), strict=True):
        file.write_text(text, "utf-8")
        assert yaml.safe_load(text)
    base, revision = (upgrade(load(file)) for file in files)
    findings = compare(base, revision, today=TODAY).findings
    return [each for each in findings if not each.rule.startswith("version-")]


def test_the_same_api_in_another_version_has_not_changed(tmp_path: Path) -> None:
    assert changes(tmp_path, BEFORE, AFTER) == []
    assert changes(tmp_path, AFTER, BEFORE) == []


def test_a_change_is_where_it_was_written(tmp_path: Path) -> None:
    [finding] = changes(tmp_path, BEFORE, BEFORE.replace("maximum: 9", "maximum: 5"))
    assert finding.rule == "range-narrowed"
    assert finding.pointer == finding.related_pointer == "/parameters/Limit/maximum"
    assert finding.location.line == 6


def test_a_directory_has_documents_of_both(tmp_path: Path) -> None:
    for name, text in (("a.yaml", BEFORE), ("b.json", '{"swagger":"2.0"}'), ("c.yaml", AFTER)):
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "d.yaml").write_text('swagger: "1.2"\n', "utf-8")
    assert [path.name for path in documents_in(tmp_path)] == ["a.yaml", "b.json", "c.yaml"]
