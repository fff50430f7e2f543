"""The pairs of documents that oasdiff tests itself with, judged by both."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from specwright.compare.comparison import compare
from specwright.compare.schemas.text_parsing import TEXT_TYPE_CHANGED
from specwright.compare.verdicts.change_rule import DIFF_UNPROVEN
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.errors import InputError
from specwright.findings import Finding

from .documents import TODAY, breaking
from .waivers import REASONS

pytestmark = pytest.mark.published

# Rules about dates, announcements and stability belong to a process, not to a contract.
LIFECYCLE = ("sunset", "deprecat", "stability")
# That the version was not raised is a finding about the version, which both report.
VERSION = "version"
# oasdiff does not check the names in generated code, nor the types that it gives to text.
SOURCE = (
    "operation-id-changed",
    "operation-group-changed",
    "parameter-renamed",
    TEXT_TYPE_CHANGED,
)
# The rules whose findings a value can show.
PAYLOAD = ("-narrowed", "-widened", "property-required", "property-not-sent", "property-refused")


@dataclass(frozen=True)
class Verdict:
    """Our findings on a pair, and the verdict of oasdiff."""

    case: str
    ours: tuple[Finding, ...]
    theirs: bool

    @property
    def agrees(self) -> bool:
        return bool(self.ours) is self.theirs


@cache
def verdicts(directory: Path) -> tuple[Verdict, ...]:
    index = json.loads((directory / "index.json").read_text("utf-8"))
    return tuple(verdict for case in index["cases"] if (verdict := judged(directory, case)))


def judged(directory: Path, case: dict[str, Any]) -> Verdict | None:
    checks = case["oasdiff_all_checks"]
    texts = [(directory / case[side]).read_text("utf-8") for side in ("base", "revision")]
    if (
        case["date_dependent"]
        or case["external_refs"]
        or any(word in check["id"] for check in checks for word in LIFECYCLE)
        or any(mark in text for text in texts for mark in ("x-sunset", "x-stability-level"))
    ):
        return None
    try:
        base, revision = (read(directory / case[side]) for side in ("base", "revision"))
    except InputError:
        return None
    theirs = any(
        check["level"] in ("ERR", "WARN") and VERSION not in check["id"] for check in checks
    )
    found = compare(base, revision, today=TODAY)
    ours = tuple(each for each in breaking(found.findings) if each.rule not in SOURCE)
    return Verdict(case["case"], ours, theirs)


def read(path: Path) -> Document:
    return upgrade(load(path))


@pytest.fixture(scope="module")
def found(corpus: Path) -> tuple[Verdict, ...]:
    return verdicts(corpus / "diff")


def test_we_agree_or_have_a_reason(found: tuple[Verdict, ...]) -> None:
    wrong = {each.case: each.ours[:2] for each in found if not each.agrees}
    assert len(found) > 450
    assert {case: ours for case, ours in wrong.items() if case not in REASONS} == {}


def test_no_reason_is_left_over(found: tuple[Verdict, ...]) -> None:
    assert REASONS.keys() - {each.case for each in found if not each.agrees} == set()


def test_few_findings_are_not_proven(found: tuple[Verdict, ...]) -> None:
    findings = [finding for verdict in found for finding in verdict.ours]
    unproven = [finding for finding in findings if finding.rule == DIFF_UNPROVEN]
    assert len(unproven) <= 0.03 * len(findings)


def test_nine_of_ten_payload_findings_have_a_counterexample(found: tuple[Verdict, ...]) -> None:
    payload = [
        finding for verdict in found for finding in verdict.ours if finding.rule.endswith(PAYLOAD)
    ]
    shown = [each for each in payload if each.counterexample is not None]
    assert len(shown) >= 0.9 * len(payload)
