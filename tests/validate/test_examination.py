"""One examination of a document serves several settings: each gets its own grading."""

import json
from pathlib import Path

import pytest

from specwright import pipeline
from specwright.check import checks
from specwright.check.checks import Examination, check, examine
from specwright.check.lint.table import RULES
from specwright.config import PackageOptions, Renames
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.findings import Finding, Level, Report
from specwright.policy import Settings
from tests.names.test_agreement import SHORT

QUIET = Settings(levels={"operation-tag": Level.OFF})
LOUD = Settings(levels={"operation-tag": Level.ERROR, "path-parameters": Level.OFF})


@pytest.fixture
def document(tmp_path: Path) -> Document:
    """A document with methods that clash once the tag is left out of their names."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(SHORT), "utf-8")
    return load(file)


def test_each_of_its_settings_gets_its_own_report(document: Document) -> None:
    examination = examine(document, QUIET, LOUD)
    for settings in (QUIET, LOUD):
        assert examination.covers(settings)
        assert examination.report(settings).findings == check(document, settings).findings


def test_rules_that_were_not_applied_and_other_names_are_not_covered(document: Document) -> None:
    examination = examine(document, QUIET)
    assert not examination.covers(LOUD)
    assert not examination.covers(Settings(QUIET.profile, QUIET.levels, short_method_names=True))


def test_a_rule_that_stopped_is_a_warning_whatever_its_level(document: Document) -> None:
    stopped = Finding(
        checks.INCOMPLETE.id, Level.WARNING, document.locate(""), "", "'tags' stopped"
    )
    examination = Examination(
        document, {"tags": [stopped]}, short_method_names=False, names=Renames()
    )
    off = {rule.id: Level.OFF for rule in RULES if rule.id != "tags"}
    report = examination.report(Settings(levels={**off, "tags": Level.ERROR}))
    assert [finding.level for finding in report.findings] == [Level.WARNING]


def test_a_package_is_checked_under_its_own_names(document: Document) -> None:
    options = PackageOptions(package="shop", short_method_names=True)
    under_others = examine(document, pipeline.needed(PackageOptions(package="shop")))
    told: list[Report] = []
    pipeline.generate(document, options, examination=under_others, tell=told.append)
    assert [finding.rule for finding in told[0].findings] == ["operation-id-clash"]
