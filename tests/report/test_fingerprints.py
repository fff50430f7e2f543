"""The id of a finding: its rule, its place and its values, in whatever words it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from specwright.check.checks import check
from specwright.check.lint.rule import LintViolation
from specwright.check.lint.table import RULES
from specwright.compare.schemas.steps import DecidedStep, UnprovenStep
from specwright.compare.table import DESCRIPTIONS
from specwright.compare.verdicts.change import Change
from specwright.conformance.outcome.evidence import IN_BASELINE, Standards, judged
from specwright.conformance.outcome.result import FILE, read_baseline, render
from specwright.conformance.recording.record import Violation
from specwright.document.schemas.instances import SchemaMismatch
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Finding, Report
from specwright.policy import LintProfile, Settings
from specwright.review.sdk import NameChange
from tests.compare.documents import changes, parts, report
from tests.conformance.test_scenarios import BUGS, run
from tests.validate.documents import write

STRICT = Settings(LintProfile.STRICT)
# Everything that has a message, which becomes that of a finding.
WORDED = (Change, DecidedStep, Finding, NameChange, SchemaMismatch, UnprovenStep, Violation)
TEXTS = ("message", "words", "cause")


def reworded(text: str) -> str:
    return (
        text if not text or text.startswith("In other words") else "In other words: " + text[::-1]
    )


@contextmanager
def other_words() -> Iterator[None]:
    """Reword every message where it is made."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in WORDED:
            patch.setattr(kind, "__init__", _rewording(kind, kind.__init__))
        make = LintViolation.__new__
        patch.setattr(
            LintViolation,
            "__new__",
            lambda cls, pointer, message, *others, **named: make(
                cls, pointer, reworded(message), *others, **named
            ),
        )
        yield


def _rewording(kind: type[Any], make: Callable[..., None]) -> Callable[..., None]:
    def init(self: Any, *values: Any, **named: Any) -> None:
        make(self, *values, **named)
        for text in TEXTS:
            if text in kind.__slots__:
                object.__setattr__(self, text, reworded(getattr(self, text)))

    return init


def identities(made: Report) -> list[tuple[str, str]]:
    return [(finding.rule, finding.fingerprint) for finding in (*made.findings, *made.waived)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_of_validate_is_found_again_in_other_words(rule: Any, tmp_path: Path) -> None:
    path = write(tmp_path, rule.bad)
    before = check(upgrade(load(path)), STRICT)
    with other_words():
        after = check(upgrade(load(path)), STRICT)
    assert rule.id in {finding.rule for finding in before.findings}
    assert sorted(identities(after)) == sorted(identities(before))
    assert all(finding.message.startswith("In other words") for finding in after.findings)
    told_apart = {(finding.fingerprint, finding.message) for finding in before.findings}
    assert len({fingerprint for fingerprint, _ in told_apart}) == len(told_apart)


@pytest.mark.parametrize(
    "rule", [rule for rule in DESCRIPTIONS if rule.bad], ids=lambda rule: rule.id
)
def test_a_change_is_found_again_in_other_words(rule: Any, tmp_path: Path) -> None:
    base, revision = parts(rule.bad)
    before = report(tmp_path, base, revision)
    with other_words():
        after = report(tmp_path, base, revision)
    assert sorted(identities(after)) == sorted(identities(before))
    assert all(finding.message.startswith("In other words") for finding in after.findings)
    found = changes(before)
    assert len({finding.fingerprint for finding in found}) == len(found)


@pytest.mark.parametrize("bug", ["any key", "long notes", "size is text", "wrong code"])
def test_a_failure_of_a_baseline_is_known_in_other_words(bug: str, tmp_path: Path) -> None:
    rule = BUGS[bug]
    before = run(bug, rule)
    (tmp_path / FILE).write_text(json.dumps(render(before, ())), "utf-8")
    known = Standards(baseline=read_baseline(tmp_path / FILE).failures)
    with other_words():
        after = run(bug, rule)
        again = judged(after.contract, after.record, known)
    assert [finding for finding in again.findings if finding.rule == rule] == []
    waived = [finding for finding in again.waived if finding.rule == rule]
    assert {finding.waived for finding in waived} == {IN_BASELINE}
    assert all(finding.message.startswith("In other words") for finding in waived)
    first = judged(before.contract, before.record)
    assert {finding.fingerprint for finding in waived} == {
        finding.fingerprint for finding in first.findings if finding.rule == rule
    }
