"""The version that the changes call for, and the one that the document has."""

from pathlib import Path

import pytest

from specwright.compare.table import BY_ID

from .documents import parts, report

PATTERN = """
paths:
  /things:
    post:
      operationId: makeThing
      requestBody:
        required: true
        content: {application/json: {schema: {type: string, pattern: '%s'}}}
      responses: {"204": {description: Done.}}
"""
CHANGES = {
    "breaking": BY_ID["range-narrowed"].description.bad,
    "compatible": BY_ID["schema-compatible"].description.bad,
    "unproven": PATTERN % r"^(x|y)[a-z]\1$" + "---\n" + PATTERN % r"^(x)[a-z]\1$",
    "words": "info: {title: A}\n---\ninfo: {title: B}\n",
}


@pytest.mark.parametrize(
    ("kind", "before", "now", "rule", "words"),
    [
        ("breaking", "1.2.3", "1.2.3", "version-too-low", "at least 2.0.0, not 1.2.3"),
        ("breaking", "1.2.3", "1.3.0", "version-too-low", "at least 2.0.0, not 1.3.0"),
        ("breaking", "1.2.3", "2.0.0", "version-suggested", "1.2.3 -> 2.0.0"),
        ("breaking", "0.2.3", "0.2.4", "version-too-low", "at least 0.3.0"),
        (
            *("breaking", "0.3.0", "0.3.0", "version-too-low"),
            "the changes call for a minor version (1 breaking change before 1.0.0, such as "
            "range-narrowed): at least 0.4.0, not 0.3.0",
        ),
        ("breaking", "0.2.3", "0.3.0", "version-suggested", "minor version (1 breaking change"),
        ("compatible", "1.2.3", "1.2.4", "version-too-low", "at least 1.3.0"),
        ("compatible", "1.2.3", "1.3.0", "version-suggested", "minor version (1 compatible"),
        ("compatible", "0.2.3", "0.2.4", "version-suggested", "0.2.3 -> 0.2.4"),
        ("unproven", "0.2.3", "0.2.4", "version-too-low", "(1 change before 1.0.0, such as diff"),
        # A pre-release has not promised anything that its version does not change.
        ("breaking", "2.0.0-beta.1", "2.0.0-beta.2", "version-suggested", "-> 2.0.0, and it is"),
        ("breaking", "2.0.0-beta.1", "2.0.0", "version-suggested", "2.0.0-beta.1 -> 2.0.0"),
        ("breaking", "0.3.0-beta.1", "0.3.0", "version-suggested", "0.3.0-beta.1 -> 0.3.0"),
        ("breaking", "1.3.0-beta.1", "1.3.0", "version-too-low", "at least 2.0.0, not 1.3.0"),
        ("compatible", "1.3.0-beta.1", "1.3.0", "version-suggested", "1.3.0-beta.1 -> 1.3.0"),
        ("compatible", "1.3.1-beta.1", "1.3.1", "version-too-low", "at least 1.4.0, not 1.3.1"),
        ("breaking", "1.2.3+5", "1.2.3+6", "version-too-low", "at least 2.0.0, not 1.2.3+6"),
        ("words", "1.2.3", "1.2.3", "version-too-low", "patch version (only texts changed)"),
        ("words", "1.2.3", "1.2.4", "version-suggested", "1.2.3 -> 1.2.4"),
        ("unproven", "1.2.3", "1.2.4", "version-too-low", "(1 change, such as diff-unproven, wh"),
        ("breaking", "2026-01", "2026-02", "version-suggested", "'2026-01' is not of the form"),
    ],
)
def test_the_verdict_follows_the_changes(
    kind: str, before: str, now: str, rule: str, words: str, tmp_path: Path
) -> None:
    base, revision = parts(CHANGES[kind])
    for document, version in ((base, before), (revision, now)):
        document["info"] = {**document["info"], "version": version}
    found = report(tmp_path, base, revision).findings
    [verdict] = [each for each in found if each.rule.startswith("version-")]
    assert verdict.rule == rule
    assert words in verdict.message
    assert verdict.pointer == "/info/version"
