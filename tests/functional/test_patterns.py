"""No pattern of a document makes a package slow, or one that cannot be imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, document, operation, ref

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
        "Slow": text(PATTERNS["ahead"]),
        "Amount": text(PATTERNS["ahead"], format="decimal"),
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
        "Base": {"type": "object", "properties": {"x": text("^(a|a)*")}},
        "Derived": {"allOf": [ref("Base"), {"type": "object", "properties": {"x": text("b$")}}]},
        "Question": text(r"^[(?=]\(?!$"),
        "Fruit": text("^a", enum=["apple", "avocado"]),
        "Linear": text(r"^\d+[\w-.]$"),
        "Cost": text(r"^\d$", format="decimal"),
        "Codes": {"type": "object", "patternProperties": {r"^\d$": {"type": "integer"}}},
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


@pytest.mark.parametrize("name", ["Slow", "Joined"])
def test_what_cannot_be_matched_in_linear_time_is_not_checked(made: ModuleType, name: str) -> None:
    assert read(made, name, "anything") == "anything"


def test_names_of_properties_that_cannot_be_told_apart_are_open(made: ModuleType) -> None:
    assert read(made, "Keys", {"anything": "goes"}) == {"anything": "goes"}
    assert read(made, "Named", {"anything": 1}) == {"anything": 1}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Linear", "12-", "1²"),
        ("Cost", "1", "٣"),
        ("Question", "=(!", "!"),
        ("Fruit", "apple", "pear"),
        ("Codes", {"1": 1}, {"1": "x"}),
        ("Base", {"x": "a"}, {"x": 1}),
    ],
)
def test_every_other_pattern_is_checked(
    made: ModuleType, name: str, right: object, wrong: object
) -> None:
    read(made, name, right)
    with pytest.raises(ValidationError):
        read(made, name, wrong)
