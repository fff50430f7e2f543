"""Values around the limits of a schema, in every form in which frameworks write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.checks.requests.variants import odd, variants
from specwright.document.model import Document
from specwright.document.schemas.instances import Instances
from specwright.document.sources.load import load

NULL = {"type": "null"}
BASE64 = "Wm/DqyDlkI3liY0g8J+Okg=="
SCHEMA = "/components/schemas/Thing"


def loaded(tmp_path: Path, schema: object) -> Document:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "components": {"schemas": {"Thing": schema, "Size": {"type": "integer", "maximum": 9.0}}},
    }
    path = tmp_path / "things.json"
    path.write_text(json.dumps(document), "utf-8")
    return load(path)


def tried(tmp_path: Path, schema: object, usual: Any = None) -> tuple[list[str], list[str]]:
    """The values that fit and are tried as such, and those that do not, as JSON."""
    document = loaded(tmp_path, schema)
    judge = Instances(document)
    found: tuple[list[str], list[str]] = ([], [])
    for variant in variants(document, schema, usual):
        wrong = any(judge.problems(SCHEMA, variant.value))
        if wrong is (variant.condition is not None):
            found[wrong].append(json.dumps(variant.value))
    return found


@pytest.mark.parametrize(
    ("schema", "fits", "wrong"),
    [
        # As Pydantic writes `Field(ge=0, le=10)`, and `int | None` of it.
        ({"type": "integer", "minimum": 0.0, "maximum": 10.0}, {"0", "10"}, {"-1", "11"}),
        ({"anyOf": [{"type": "integer", "minimum": 0.0}, NULL]}, {"0"}, {"-1"}),
        ({"oneOf": [{"type": "integer", "maximum": 10}, NULL]}, {"10"}, {"11"}),
        ({"type": ["integer", "null"], "minimum": 1}, {"1"}, {"0"}),
        ({"allOf": [{"$ref": "#/components/schemas/Size"}]}, {"9"}, {"10"}),
        ({"anyOf": [{"$ref": "#/components/schemas/Size"}, NULL]}, {"9"}, {"10"}),
        ({"type": "integer", "minimum": 0.5, "maximum": 2.5}, {"1", "2"}, {"0", "3"}),
        ({"type": "integer", "exclusiveMinimum": 0.0}, {"1"}, {"0"}),
        ({"type": "number", "exclusiveMaximum": 5}, {"4"}, {"5"}),
        ({"type": "number", "minimum": 0.25}, {"0.25"}, {"-0.75"}),
        ({"type": "integer", "multipleOf": 5.0}, set(), {"1"}),
        ({"type": "number", "multipleOf": 0.5}, set(), {"0.25"}),
        ({"anyOf": [{"type": "string", "maxLength": 2.0}, NULL]}, {'"te"'}, {'"tex"', "17"}),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 1}, set(), {"[1, 1]"}),
    ],
)
def test_both_sides_of_each_limit_are_tried(
    tmp_path: Path, schema: object, fits: set[str], wrong: set[str]
) -> None:
    found = tried(tmp_path, schema, "text" if "string" in str(schema) else None)
    assert fits <= set(found[0])
    assert wrong <= set(found[1])


@pytest.mark.parametrize(
    ("kind", "usual", "found"),
    [
        ("integer", 20, ["20.0"]),
        ("integer", 2**53 + 1, []),
        ("integer", 10**400, []),
        ("number", 20, []),
    ],
)
def test_a_whole_number_is_also_written_with_a_point(
    tmp_path: Path, kind: str, usual: int, found: list[str]
) -> None:
    assert tried(tmp_path, {"type": kind}, usual)[0] == found


@pytest.mark.parametrize(
    ("usual", "tried_as"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T14:00:00+02:00"),
        ("2026-01-31T12:00:00-03:00", "2026-01-31T15:00:00+00:00"),
        # No date-time of RFC 3339, which always has an offset.
        ("2026-01-31T12:00:00", None),
        ("soon", None),
    ],
)
def test_a_point_in_time_is_also_written_with_another_offset(
    tmp_path: Path, usual: str, tried_as: str | None
) -> None:
    schema = {"type": "string", "format": "date-time"}
    found = [json.loads(text) for text in tried(tmp_path, schema, usual)[0]]
    assert found == ([] if tried_as is None else [tried_as])


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"contentEncoding": "base64"}, [BASE64]),
        ({"contentEncoding": "base64url"}, ["Wm_DqyDlkI3liY0g8J-Okg=="]),
        (
            {"contentMediaType": "text/csv", "contentEncoding": "base64"},
            [BASE64],
        ),
        ({"contentMediaType": "application/json"}, [json.dumps("Zoë 名前 🎒")]),
        (
            {"contentMediaType": "application/json", "contentSchema": {"type": "integer"}},
            ["1"],
        ),
        ({"contentMediaType": "image/png", "contentEncoding": "base64"}, []),
        ({"contentEncoding": "base32"}, []),
    ],
)
def test_a_text_is_tried_with_content_of_the_declared_kind(
    tmp_path: Path, content: dict[str, Any], found: list[str]
) -> None:
    # Even where any text would fit its length.
    schema = {"type": "string", "maxLength": 90, **content}
    assert [json.loads(text) for text in tried(tmp_path, schema, "text")[0]] == found


def test_a_text_is_tried_with_one_letter_too_many_for_its_pattern(tmp_path: Path) -> None:
    schema = {"type": "string", "pattern": "^[A-Z]{2}$"}
    assert '"FRR"' in tried(tmp_path, schema, "FR")[1]


@pytest.mark.parametrize(
    ("usual", "longest"),
    [
        ("https://example.com", f"https://example.com/{'a' * 10}"),
        ("https://example.com/a", f"https://example.com/{'a' * 10}"),
    ],
)
def test_the_path_of_a_url_is_as_long_as_allowed_and_then_longer(
    tmp_path: Path, usual: str, longest: str
) -> None:
    found = tried(tmp_path, {"type": "string", "format": "uri", "maxLength": 30}, usual)
    assert longest in [json.loads(each) for each in found[0]]
    assert f"{longest}a" in [json.loads(each) for each in found[1]]


@pytest.mark.parametrize("schema", [{"type": ["integer", "null"]}, {"anyOf": [{}, NULL]}])
def test_null_is_not_wrong_where_it_is_allowed(tmp_path: Path, schema: object) -> None:
    assert "null" not in tried(tmp_path, schema)[1]


@pytest.mark.parametrize("format", ["uuid", "date", "date-time", "email", "uri", "ipv4"])
def test_a_text_without_the_format_is_wrong(tmp_path: Path, format: str) -> None:
    schema = {"anyOf": [{"type": "string", "format": format}, NULL]}
    assert f'"no {format}"' in tried(tmp_path, schema)[1]


def test_numbers_that_are_no_machine_words_are_tried_in_unions_too(tmp_path: Path) -> None:
    schema = {"anyOf": [{"type": "integer"}, NULL]}
    assert 2**63 in odd(loaded(tmp_path, schema), schema)


def test_nothing_is_tried_twice(tmp_path: Path) -> None:
    found = tried(tmp_path, {"anyOf": [{"type": "integer"}, {"type": "integer", "minimum": 0}]})
    assert len(found[1]) == len(set(found[1]))
