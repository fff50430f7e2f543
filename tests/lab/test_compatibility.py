"""The page of compatibility has the counts that the code has now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.compatibility import counts, page
from lab.compatibility.__main__ import PAGE
from lab.compatibility.counts import counted, differences
from lab.compatibility.documents import Sample
from lab.compatibility.outcomes import Outcome
from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.emit import manifest
from specwright.emit.manifest import PackageContents
from specwright.pipeline import generate, package_contents

NAMES = list(json.loads(counts.FILE.read_text("utf-8")))
LEFT_OUT = """\
openapi: 3.1.0
info: {title: Parts, version: "1"}
paths:
  /whole: {get: {operationId: whole, responses: {"204": {description: None}}}}
  /xml:
    get:
      operationId: xml
      responses:
        "200": {description: Text, content: {multipart/mixed: {schema: {type: object}}}}
webhooks:
  event: {post: {responses: {"204": {description: None}}}}
"""


def test_contents_are_those_of_the_package_that_is_not_generated(tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    file.write_text(LEFT_OUT)
    options = PackageOptions(package="made")
    document = load_in_part(file)
    assert package_contents(document, options) == manifest.contents(generate(document, options))
    assert package_contents(document, options).whole_operations == 1


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus of one document, whose outcome is kept."""
    file = tmp_path / "specs" / "parts.yaml"
    file.parent.mkdir()
    file.write_text(LEFT_OUT)
    monkeypatch.setattr(counts, "FILE", tmp_path / "published.json")
    outcome = Outcome(Sample("parts.yaml", file), peers={"peer": "no"}, mypy=0)
    counts.save(counts.counted_again([outcome]))
    return file


def test_an_outcome_is_kept_with_all_that_was_measured(kept: Path, tmp_path: Path) -> None:
    [outcome] = counts.load(tmp_path)
    assert (outcome.peers, outcome.mypy) == ({"peer": "no"}, 0)
    assert outcome.contents.operations == 2
    assert not list(differences(tmp_path))


def test_a_count_that_changed_is_a_difference(kept: Path, tmp_path: Path) -> None:
    kept.write_text(LEFT_OUT.replace("multipart/mixed", "application/json"))
    [difference] = differences(tmp_path)
    assert difference.document == "parts.yaml"
    assert (difference.page.whole_operations, difference.now.whole_operations) == (1, 2)


def test_a_refused_document_has_no_operations(kept: Path, tmp_path: Path) -> None:
    kept.write_text("openapi: 3.1.0\n- x")
    [difference] = differences(tmp_path)
    assert difference.now == PackageContents()


@pytest.mark.published
@pytest.mark.parametrize("name", NAMES)
def test_operations_in_full_are_those_of_the_page(corpus: Path, name: str) -> None:
    """If this fails as it should: nox -s compatibility -- counts."""
    [outcome] = [outcome for outcome in counts.load(corpus) if outcome.sample.name == name]
    now = counted(outcome)
    assert now == outcome.contents
    assert f"\n| {name} | {now.whole_operations} of {now.operations} | " in PAGE.read_text("utf-8")


@pytest.mark.published
def test_the_section_of_published_documents_is_made_from_what_is_kept(corpus: Path) -> None:
    assert page.section("published", counts.load(corpus)) in PAGE.read_text("utf-8")
