"""A rule that takes too much of a document is named, and the others are applied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from specwright.check import checks
from specwright.check.context import LintContext
from specwright.check.lint.rule import LintViolation
from specwright.document.sources.load import load
from specwright.findings import Finding
from specwright.policy import LintProfile, Settings
from tests.hostile_repositories.documents import BOMBS, write


@pytest.fixture(scope="module", autouse=True)
def tasks_in_this_process() -> None:
    """They run in copies of this process, which limits end."""


def findings(directory: Path, bomb: str) -> list[Finding]:
    document = load(write(directory, BOMBS[bomb]()))
    return list(checks.check(document, Settings(LintProfile.STRICT)).findings)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SECONDS", 1.0)
    monkeypatch.setattr(checks, "MEMORY", 256 * 2**20)


@pytest.mark.parametrize(
    ("bomb", "rules"),
    [
        ("oneOf of two, 18 times", ["example-valid", "one-of-overlap", "unsupported-one-of"]),
        ("anyOf of two, 30 times", ["example-valid"]),
        (
            "oneOf of two in properties, 25 times",
            ["example-valid", "one-of-overlap", "unsupported-one-of"],
        ),
        ("10,000 schemas by properties", ["schema-unsatisfiable"]),
    ],
)
def test_a_finding_names_each_rule(tmp_path: Path, bomb: str, rules: list[str]) -> None:
    found = findings(tmp_path, bomb)
    stopped = [finding for finding in found if finding.rule == "check-incomplete"]
    # On a busy machine, others may take too long as well.
    assert {*rules} <= {finding.message.split("'")[1] for finding in stopped}
    assert {finding.location.line for finding in stopped} == {1}
    assert "operation-tag" in {finding.rule for finding in found}


def hog(context: LintContext) -> Iterator[LintViolation]:
    yield LintViolation("", str(len(bytearray(2**30))))


def test_memory_that_one_rule_used_up_is_there_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SECONDS", 30.0)
    first, *others = checks.RULES
    monkeypatch.setattr(checks, "RULES", (replace(first, check=hog), *others))
    found = findings(tmp_path, "a path with 20,000 variables")
    [stopped] = [each.message for each in found if each.rule == "check-incomplete"]
    assert stopped.startswith(f"'{first.id}' stopped: it needs too much memory")
    assert "operation-text" in {finding.rule for finding in found}


def test_the_time_grows_with_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SECONDS", 0.0)
    found = findings(tmp_path, "10,000 schemas")
    assert "openapi-schema" not in str([e.message for e in found if e.rule == "check-incomplete"])
