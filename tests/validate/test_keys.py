"""Keys of maps: names of components, and media types."""

from __future__ import annotations

from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Finding
from specwright.policy import Settings

DOCUMENT = """\
openapi: {version}
info: {{title: Keys, version: "1"}}
paths:
  /orders:
    get:
      responses:
        "200":
          description: The orders.
          content:
            {media_type}: {{schema: {{$ref: "#/components/schemas/Order"}}}}
components:
  x-notes: {{a name of any form: 1}}
  schemas:
    Order: {{type: string}}
    {name}: {{type: string}}
"""


def findings(
    directory: Path,
    version: str = "3.1.0",
    media_type: str = "application/json",
    name: str = "Line",
) -> list[Finding]:
    file = directory / "openapi.yaml"
    file.write_text(DOCUMENT.format(version=version, media_type=media_type, name=name))
    rules = ("openapi-schema", "component-name", "media-type")
    report = check(upgrade(load(file)), Settings())
    return [finding for finding in report.findings if finding.rule in rules]


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
def test_a_name_with_a_space_is_one_finding_at_its_place(version: str, tmp_path: Path) -> None:
    [finding] = findings(tmp_path, version, name="Order Line")
    assert finding.rule == "component-name"
    assert (finding.location.line, finding.location.column) == (15, 5)


@pytest.mark.parametrize("name", ["Line«Order»", "Line[Order]", "a/b", "größe", "'Line\\n'", '""'])
def test_other_characters_are_found(name: str, tmp_path: Path) -> None:
    assert [finding.rule for finding in findings(tmp_path, name=name)] == ["component-name"]


@pytest.mark.parametrize("name", ["Line", "line-1", "v1.Line", "_Line", "'1'"])
def test_names_that_the_specification_allows_are_right(name: str, tmp_path: Path) -> None:
    assert not findings(tmp_path, name=name)


@pytest.mark.parametrize("media_type", ["json", "JSON", "application", "/", "text /plain", "''"])
def test_a_word_is_not_a_media_type(media_type: str, tmp_path: Path) -> None:
    [finding] = findings(tmp_path, media_type=media_type)
    assert finding.rule == "media-type"
    assert finding.location.line == 10


@pytest.mark.parametrize(
    "media_type",
    [
        "application/problem+json",
        "'*/*'",
        "text/*",
        "text/plain; charset=utf-8",
        'multipart/form-data;boundary="a b"',
        "application/vnd.github.v3+json",
        "'*/*;q=0.8'",
    ],
)
def test_media_types_and_ranges_are_right(media_type: str, tmp_path: Path) -> None:
    assert not findings(tmp_path, media_type=media_type)
