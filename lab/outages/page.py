"""The part of docs/service-faults.md about outages."""

from __future__ import annotations

from collections.abc import Sequence

from lab.measured import records
from lab.outages.stages import Report

_HEAD = (
    "| Outage | Database | orders/s | p99 in s | longest silence | `/readyz` meanwhile"
    " | acknowledged | lost | twice |\n|---|---|---|---|---:|---|---:|---:|---:|\n"
)


def render(reports: Sequence[Report], seconds: float) -> str:
    """Make the part of a run in which nothing was lost."""
    return (
        f"Written by `nox -s outages` {records.words('outages')}."
        f" Real processes, {seconds:.0f} s before, meanwhile and after;"
        " the figures are those of clients of the other processes. Where there"
        " are three processes, all partners order at all of them. Two cores do everything here, the"
        " customers included: compare within a line. The run ends at the first thing that is wrong:"
        " what was acknowledged is replayed byte for byte in the end, and balance, ledger, feed and"
        " events agree. What a standby lost that was behind was acknowledged when it heard no more"
        " of the database; readers who had seen it get `cursor_expired`.\n\n"
        + _HEAD
        + "".join(map(line, reports))
    )


def line(report: Report) -> str:
    """Return the results of one outage, as a row of the table."""
    rates = " → ".join(f"{figures.orders_per_second:.0f}" for figures in report.felt)
    waits = " → ".join(f"{figures.p99_seconds:.2f}".replace("nan", "-") for figures in report.felt)
    return (
        f"| {report.outage.name} | {report.outage.database} | {rates} | {waits} |"
        f" {report.silence_seconds:.1f} s | {report.ready} | {report.acknowledged:,} |"
        f" {report.lost:,} | 0 |\n"
    )
