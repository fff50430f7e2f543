"""Checks of published documents end in findings, even if the documents are invalid."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from specwright.cli import cli

pytestmark = pytest.mark.published

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("SPECWRIGHT_CORPUS", ROOT.parent / "shared" / "corpus"))
DOCUMENTS = sorted(
    path.name for path in (CORPUS / "specs").glob("*.*") if path.name != "index.json"
)


@pytest.mark.skipif(not DOCUMENTS, reason="set SPECWRIGHT_CORPUS to the directory of the corpus")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_check_of_a_published_document_finishes(name: str, corpus: Path) -> None:
    document = corpus / "specs" / name
    result = CliRunner().invoke(cli, ["validate", str(document), "--format", "json"])
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    stopped = [finding for finding in report["findings"] if finding["rule"] == "check-incomplete"]
    assert not stopped
    lines = document.read_text("utf-8").splitlines()
    for finding in report["findings"]:
        assert finding["line"] <= len(lines)
        assert finding["column"] <= len(lines[finding["line"] - 1]) + 1
