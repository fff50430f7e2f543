"""`specwright fmt`: one content has one text, and formatting changes nothing else."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from specwright.cli import cli
from specwright.document.canonical import canonical
from specwright.document.shape import OBJECTS

NAMES = st.sampled_from(
    sorted({name for fields in OBJECTS.values() for name in fields} | {"x-a", "A", "b", "200"})
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, max_size=6)


def fmt(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["fmt", *arguments])


@given(DOCUMENTS)
def test_formatting_twice_is_formatting_once(data: dict[str, Any]) -> None:
    once = canonical(data)
    assert canonical(json.loads(once)) == once


@given(DOCUMENTS)
def test_formatting_keeps_the_content(data: dict[str, Any]) -> None:
    assert json.loads(canonical(data)) == data


def test_fields_follow_the_specification_and_components_the_alphabet() -> None:
    data = {
        "x-b": 1,
        "components": {"schemas": {"B": {"required": ["a"], "type": "object"}, "A": {}}},
        "x-a": {"z": 1, "a": 2},
        "paths": {"/z": {"get": {"responses": {"404": {}, "200": {}}, "tags": []}}, "/a": {}},
        "info": {"version": "1", "title": "T"},
        "openapi": "3.1.1",
    }
    ordered = json.loads(canonical(data))
    assert list(ordered) == ["openapi", "info", "paths", "components", "x-a", "x-b"]
    assert list(ordered["info"]) == ["title", "version"]
    assert list(ordered["paths"]) == ["/z", "/a"]
    assert list(ordered["paths"]["/z"]["get"]) == ["tags", "responses"]
    assert list(ordered["paths"]["/z"]["get"]["responses"]) == ["404", "200"]
    assert list(ordered["components"]["schemas"]) == ["A", "B"]
    assert list(ordered["components"]["schemas"]["B"]) == ["type", "required"]
    assert list(ordered["x-a"]) == ["z", "a"]


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_bytes(b'{"info":{"version":"1","title":"\xc3\xa4"},"openapi":"3.1.1"}\r\n')
    path.chmod(0o640)
    assert fmt(str(path)).exit_code == 0
    assert path.read_bytes() == (
        b'{\n  "openapi": "3.1.1",\n  "info": {\n    "title": "\xc3\xa4",\n    "version": "1"\n'
        b"  }\n}\n"
    )
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["openapi.json"]


def test_check_changes_nothing_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi":"3.1.1"}', "utf-8")
    result = fmt("--check", str(path))
    assert (result.exit_code, result.stdout) == (
        1,
        f"{path}: would change; run: specwright fmt {path}\n",
    )
    assert path.read_text("utf-8") == '{"openapi":"3.1.1"}'
    fmt(str(path))
    assert fmt("--check", str(path)).exit_code == 0


def test_references_to_other_files_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi":"3.1.1","paths":{"/a":{"$ref":"missing.yaml"}}}', "utf-8")
    assert fmt(str(path)).exit_code == 0
    assert '"$ref": "missing.yaml"' in path.read_text("utf-8")


def test_yaml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "openapi.yaml"
    path.write_text("openapi: 3.1.1\n", "utf-8")
    result = fmt(str(path))
    assert result.exit_code == 2
    assert "only JSON documents" in result.stderr


def test_a_broken_document_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    path.write_text('{"openapi": "3.1.1", "openapi": "3.1.0"}', "utf-8")
    result = fmt(str(path))
    assert result.exit_code == 2
    assert f"{path}:1:22: duplicate key" in result.stderr
    assert path.read_text("utf-8") == '{"openapi": "3.1.1", "openapi": "3.1.0"}'
