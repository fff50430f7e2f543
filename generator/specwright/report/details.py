"""The details of a finding, as lines below its message."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.findings import Finding
from specwright.report.wording import listed
from specwright.text import shorten, visible

_OPERATIONS = 10


def details(finding: Finding) -> Iterator[str]:
    """Yield the related place, the counterexample, the operations and the evidence, if any."""
    if finding.related is not None:
        yield visible(f"see also {finding.related}")
    if finding.counterexample is not None:
        yield visible(shorten(f"counterexample: {finding.counterexample}"))
    if finding.operations and (finding.affected is not None or len(finding.operations) > 1):
        yield visible(f"operations: {listed(finding.operations, _OPERATIONS)}")
    if finding.affected is not None:
        yield f"change: {finding.fingerprint}"
    for evidence in finding.evidence:
        yield visible(f"{evidence.label}:")
        yield from (f"  {visible(line)}" for line in evidence.text.split("\n"))
