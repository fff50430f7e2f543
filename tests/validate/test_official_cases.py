"""The cases of the OpenAPI Initiative: documents that the official schema accepts or refuses."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from specwright.cli import cli

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus"))
INDEX = CORPUS / "oas-schema-tests" / "index.json"
CASES = json.loads(INDEX.read_text("utf-8"))["cases"] if INDEX.is_file() else []
# Cases of the schema that break the specification, and the rule that says so: the path has
# `{id}`, and the parameter is `petId`.
BEYOND_THE_SCHEMA = {"3.1/pass/operation-object-example.yaml": "path-parameters"}


@pytest.mark.skipif(not CASES, reason="set SPECWRIGHT_CORPUS to the directory of the corpus")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_the_verdict_is_that_of_the_specification(case: dict[str, str], corpus: Path) -> None:
    document = corpus / "oas-schema-tests" / case["file"]
    # One valid case refers to another machine; nothing is fetched.
    arguments = ["validate", str(document), "--remote-refs", "keep"]
    result = CliRunner().invoke(cli, arguments)
    expected = {"valid": 0, "invalid": 1}[case["expected"]]
    if case["case"] in BEYOND_THE_SCHEMA:
        assert f": error {BEYOND_THE_SCHEMA[case['case']]} " in result.output
        expected = 1
    assert result.exit_code == expected, result.output
    if case["expected"] == "invalid":
        assert ": error openapi-schema " in result.output


@pytest.mark.skipif(not CASES, reason="set SPECWRIGHT_CORPUS to the directory of the corpus")
def test_no_case_is_missing() -> None:
    assert len(CASES) == 46
