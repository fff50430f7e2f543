"""No pattern of a document makes a package slow, or one that cannot be imported."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, document, operation, ref

# Names that are not numbers and do not end in a dash, of at most ten characters.
AHEAD = r"^(?![0-9]+$)(?!.*[-]$)(?=.{1,10}$)[a-z0-9-]+$"
SLOW = r"^(a|a)*(?=b)\1$"
PATTERNS = {
    "ahead": "^(?=a)(a|a)*$",
    "behind": "(?<=a+)b",
    "category": r"^(?!x)\p{L}$",
    "again": r"^(a|a)*\1$",
    "large": "^(?:[a-z]{1000}){1000}$",
    "no_pattern": "([",
}


def text(pattern: str, **members: Any) -> Json:
    return {"type": "string", "pattern": pattern, **members}


def schemas() -> Json:
    properties: Json = {}
    for name, pattern in PATTERNS.items():
        properties[name] = text(pattern)
        properties[f"{name}_or_null"] = {"type": ["string", "null"], "pattern": pattern}
        properties[f"{name}_list"] = {"type": "array", "items": text(pattern)}
        properties[f"{name}_choice"] = {"anyOf": [{"type": "integer"}, text(pattern)]}
        properties[f"{name}_decimal"] = text(pattern, format="decimal")
        properties[f"{name}_email"] = text(pattern, format="email")
    return {
        "Thing": {"type": "object", "properties": properties},
        "Slow": text(SLOW),
        "Amount": text(PATTERNS["ahead"], format="decimal"),
        "Ahead": text(AHEAD),
        "AheadOrNull": {"type": ["string", "null"], "pattern": AHEAD, "maxLength": 8},
        "Aheads": {"type": "array", "items": text(AHEAD)},
        "AheadOrFixed": {"anyOf": [text(AHEAD), {"const": "42"}]},
        "AheadOrNumber": {"anyOf": [text(AHEAD), {"type": "integer"}]},
        "Several": {
            "type": "object",
            "properties": {"x": {"type": ["string", "integer", "null"], "pattern": AHEAD}},
        },
        "Below": {"allOf": [ref("Ahead"), {"description": "One of these."}]},
        "With": {"type": "object", "properties": {"x": {**text(AHEAD), "default": "a"}}},
        "Keys": {
            "type": "object",
            "patternProperties": {PATTERNS["ahead"]: {"type": "integer"}},
            "additionalProperties": False,
        },
        "Named": {
            "type": "object",
            "propertyNames": {"pattern": PATTERNS["ahead"]},
            "additionalProperties": {"type": "integer"},
        },
        "Start": text("^(a|a)*"),
        "Joined": {"allOf": [ref("Start"), {"pattern": "b$"}]},
        "Third": {"allOf": [ref("Joined"), {"pattern": AHEAD, "maxLength": 3}]},
        "WithThird": {
            "type": "object",
            "properties": {"x": {"allOf": [ref("Third")], "minLength": 2}},
        },
        "Base": {"type": "object", "properties": {"x": text("^(a|a)*")}},
        "Derived": {"allOf": [ref("Base"), {"type": "object", "properties": {"x": text("b$")}}]},
        "Question": text(r"^[(?=]\(?!$"),
        "Fruit": text("^a", enum=["apple", "avocado"]),
        "Linear": text(r"^\d+[\w-.]$"),
        "Cost": text(r"^\d$", format="decimal"),
        "Codes": {
            "type": "object",
            "patternProperties": {r"^\d$": {"type": "integer"}},
            "additionalProperties": False,
        },
    }


@pytest.fixture
def made(package: Generate) -> ModuleType:
    parameters = [{"name": "q", "in": "query", "schema": text(PATTERNS["ahead"])}]
    paths = {
        "/things": {
            "get": operation(ref("Thing"), operationId="getThing", parameters=parameters),
        }
    }
    return package(document(paths, schemas()))


def read(made: ModuleType, name: str, value: object) -> Any:
    return codecs(made)[name].decode(json.dumps(value).encode())


@pytest.mark.parametrize("name", schemas())
def test_every_model_can_be_built(made: ModuleType, name: str) -> None:
    codecs(made)[name].validator  # noqa: B018


def test_no_text_takes_a_model_long(made: ModuleType) -> None:
    program = f"""
import json
from pydantic import ValidationError
from {made.__name__} import models
from {made.__name__}._runtime.shared.codec import Codecs
slow = "a" * 60 + "!"
for name in {list(schemas())}:
    codec = Codecs(models.__name__)[name]
    fields = getattr(getattr(models, name), "model_fields", {{}})
    for value in (slow, {{slow: 1}}, *({{field: slow}} for field in fields)):
        try:
            codec.decode(json.dumps(value).encode())
        except ValidationError:
            pass
"""
    directory = Path(made.__path__[0]).parent
    subprocess.run([sys.executable, "-c", program], cwd=directory, check=True, timeout=60)


def test_a_look_ahead_is_shown_where_it_is_checked(made: ModuleType) -> None:
    source = Path(str(made.models.__file__)).read_text("utf-8")
    marks = 'Patterns(like=["^(?:.{1,10}$)"], unlike=["^(?:[0-9]+$)", "^(?:.*[-]$)"])'
    flat = re.sub(r"\s+", " ", source).replace("( ", "(").replace(", )", ")")
    assert f'Field(pattern="^[a-z0-9-]+$"), {marks}' in flat
    # A value in a response is read even if it does not match.
    assert made.models.With.model_validate({"x": "1"}).x == "1"


def test_what_cannot_be_matched_in_linear_time_is_not_checked(made: ModuleType) -> None:
    assert read(made, "Slow", "anything") == "anything"


def test_names_of_properties_that_cannot_be_told_apart_are_open(made: ModuleType) -> None:
    assert read(made, "Keys", {"anything": "goes"}) == {"anything": "goes"}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Linear", "12-", "1²"),
        ("Cost", "1", "٣"),
        ("Question", "=(!", "!"),
        ("Fruit", "apple", "pear"),
        ("Codes", {"1": 1}, {"1": "x"}),
        ("Base", {"x": "a"}, {"x": 1}),
        ("Named", {"aa": 1}, {"b": 1}),
        ("Ahead", "a-1", "1"),
        ("Ahead", "a-1", "a-"),
        ("Ahead", "a2345678-0", "a2345678901"),
        ("Ahead", "a", "A"),
        ("AheadOrNull", None, "1"),
        ("AheadOrNull", "a", "a23456789"),
        ("Aheads", ["a", "b"], ["a", "1"]),
        ("AheadOrFixed", "42", "43"),
        ("AheadOrNumber", 1, "1"),
        ("Several", {"x": "a"}, {"x": "1"}),
        ("Several", {"x": 1}, {"x": "A"}),
        ("Several", {"x": None}, {"x": []}),
        ("Below", "a", "1"),
        ("Joined", "ab", "a"),
        ("Third", "ab", "a"),
        ("Third", "ab", "Ab"),
        ("Third", "ab", "aaab"),
        ("WithThird", {"x": "ab"}, {"x": "b"}),
        ("WithThird", {"x": "ab"}, {"x": "ac"}),
        ("With", {"x": "b"}, {"x": "1"}),
    ],
)
def test_every_other_pattern_is_checked(
    made: ModuleType, name: str, right: object, wrong: object
) -> None:
    read(made, name, right)
    with pytest.raises(ValidationError):
        read(made, name, wrong)
