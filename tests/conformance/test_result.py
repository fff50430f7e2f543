"""A result has its published shape, holds no key, and can be sent again."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from click.testing import CliRunner

from specwright.cli import cli
from specwright.conformance.result import FILE, read, render
from specwright.errors import InputError
from tests.conformance.shop import KEYS, Shop, serving
from tests.conformance.test_scenarios import run
from tests.report.published import closed

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "result.schema.json"
BUG = "any payload"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    done = run(BUG)
    done.report()
    path = tmp_path_factory.mktemp("result") / FILE
    path.write_text(json.dumps(render(done)), "utf-8")
    return path


def test_a_result_has_the_published_shape(result: Path) -> None:
    schema = closed(json.loads(SCHEMA.read_text("utf-8")))
    value = json.loads(result.read_text("utf-8"))
    assert value["failures"]
    assert all(each["reached"] or each["reason"] for each in value["coverage"])
    jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(value)


def test_no_key_is_in_a_result(result: Path) -> None:
    text = result.read_text("utf-8")
    assert "X-Key" in text
    assert not any(key in text for key in KEYS)


@pytest.mark.parametrize(("bug", "code", "said"), [(BUG, 1, "as before"), ("", 0, "before: 201")])
def test_a_failure_is_repeated(
    result: Path, monkeypatch: pytest.MonkeyPatch, bug: str, code: int, said: str
) -> None:
    anna, *_ = KEYS
    monkeypatch.setenv("ANNA", anna)
    with serving(Shop(bug).app()) as url:
        value = {**json.loads(result.read_text("utf-8")), "target": url}
        moved = result.with_name("moved.json")
        moved.write_text(json.dumps(value), "utf-8")
        done = CliRunner().invoke(cli, ["replay", str(moved), "F1", "--api-key-env", "ANNA"])
    assert done.exit_code == code, done.output
    assert said in done.output
    assert anna not in done.output


def test_one_answer_that_is_another_is_enough(
    result: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, *_ = KEYS
    monkeypatch.setenv("ANNA", anna)
    with serving(Shop(BUG).app()) as url:
        value = {**json.loads(result.read_text("utf-8")), "target": url}
        first, second = value["failures"][0]["requests"]
        first["status"] = 503
        changed = result.with_name("first.json")
        changed.write_text(json.dumps(value), "utf-8")
        done = CliRunner().invoke(cli, ["replay", str(changed), "F1", "--api-key-env", "ANNA"])
    assert done.exit_code == 0, done.output
    said = ["201 (before: 503)", f"{second['status']} (as before)"]
    assert [line.strip() for line in done.output.splitlines() if line.startswith("  ")] == said


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2, "failures": []}', '{"version": 1}']
)
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / FILE
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="not the result of a run"):
        read(path, "F1")


@pytest.mark.parametrize("path", ["@elsewhere.example/v1", ".elsewhere.example/v1", "v1", ""])
def test_a_path_that_changes_the_host_is_refused(result: Path, path: str) -> None:
    value = json.loads(result.read_text("utf-8"))
    value["failures"][0]["requests"][0]["path"] = path
    changed = result.with_name("changed.json")
    changed.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match="not the result of a run"):
        read(changed, "F1")


def test_a_failure_that_there_is_not_is_named_with_those_there_are(result: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(result, "F99")
    assert "F1" in str(caught.value.hint)
