"""A project renames parts of its document in code; requests and responses stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.config import PackageOptions, Renames, read_config
from specwright.document.sources.load import load
from specwright.errors import InputError
from specwright.findings import Report
from specwright.pipeline import generate
from tests.functional.documents import THING, document, operation, ref
from tests.mutated_documents.judge import faults

SENT = {"name": "Date<", "in": "query", "schema": {"type": "string"}}
HEADER = {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}
DOCUMENT = document(
    {
        "/things": {
            "get": {**operation(ref("thing"), operationId="findThings", parameters=[SENT, HEADER])},
            "post": {**operation(), "tags": ["Other things"]},
        }
    },
    {"Thing": {"type": "object", "properties": {"of": ref("thing")}}, "thing": THING},
)
NAMES = Renames(
    schemas={"thing": "Part"},
    operations={"findThings": "search", "POST /things": "make"},
    tags={"Other things": "others"},
    parameters={"Date<": "before", "X-Trace": "trace_id"},
)


def write(directory: Path) -> Path:
    path = directory / "api.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def test_each_part_is_called_what_the_project_says(tmp_path: Path) -> None:
    told: list[Report] = []
    options = PackageOptions(package="made", names=NAMES)
    files = generate(load(write(tmp_path)), options, tell=told.append)
    assert told == [], "the names no longer clash"
    client, operations = files["made/client.py"].decode(), files["made/_operations.py"].decode()
    assert "def search(" in client
    assert "before: str" in client
    assert "trace_id: str" in client
    assert "def make(" in client
    assert "self.others" in client or "def others" in client
    assert "Date<" in operations
    models = files["made/models.py"].decode()
    assert "class Part(" in models
    assert "of: Part" in models
    for name, text in files.items():
        target = tmp_path / "out" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    assert list(faults(tmp_path / "out", "made")) == []


@pytest.mark.parametrize("kind", ["schemas", "operations", "tags", "parameters", "credentials"])
def test_a_name_that_is_not_there_is_an_error(tmp_path: Path, kind: str) -> None:
    names = Renames(**{kind: {"nothing": "Part" if kind == "schemas" else "part"}})
    with pytest.raises(InputError, match=f"names.{kind}: .* has no 'nothing' to rename"):
        generate(load(write(tmp_path)), PackageOptions(names=names))


def test_the_names_are_tables_of_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[tool.specwright.names.schemas]\nthing = "Part"\n')
    assert read_config(file).options.names == Renames(schemas={"thing": "Part"})


@pytest.mark.parametrize(
    "wrong",
    ["names = 3", 'names.models.a = "B"', 'names.schemas.a = "b"', 'names.tags.a = "no way"'],
)
def test_names_that_code_cannot_have_are_refused(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.specwright]\n{wrong}\n")
    with pytest.raises(InputError, match="the setting 'names'"):
        read_config(file)
