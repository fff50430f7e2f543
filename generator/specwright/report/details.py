"""What supports a finding, in lines below its message."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.findings import Finding
from specwright.text import shorten, visible


def details(finding: Finding) -> Iterator[str]:
    """The second place, the counterexample and the evidence, if there are any."""
    if finding.related is not None:
        yield visible(f"see also {finding.related}")
    if finding.counterexample is not None:
        yield visible(shorten(f"counterexample: {finding.counterexample}"))
    for each in finding.evidence:
        yield visible(f"{each.label}:")
        yield from (f"  {visible(line)}" for line in each.text.split("\n"))
