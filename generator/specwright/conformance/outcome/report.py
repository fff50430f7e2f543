"""Reports on a run, or on recorded traffic, with findings, coverage and gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from specwright.conformance.contract.contract import Contract
from specwright.conformance.outcome import coverage
from specwright.conformance.outcome.evidence import DESCRIPTIONS, Standards, judged
from specwright.conformance.outcome.operation_summaries import operation_summaries
from specwright.conformance.outcome.rule_runs import rule_runs, run_time
from specwright.conformance.recording.exchange import FUZZING
from specwright.conformance.recording.record import Record
from specwright.conformance.run import Run
from specwright.document.operations.servers import all_servers
from specwright.findings import OperationSummary, Report, Table
from specwright.report.wording import counted, listed

# The most operations to name in the headline.
_NAMED = 3


def run_report(run: Run, standards: Standards, items: Sequence[coverage.Item]) -> Report:
    """Return the report of a run, with its steps and the successes of each operation.

    Args:
        items: the coverage of the contract by the run.
    """
    contract, record = run.contract, run.record
    # A waiver may be about an operation that was not chosen.
    is_whole = run.stopped is None and not contract.excluded
    report = _report(contract, record, standards, items, is_whole=is_whole)
    summaries = tuple(operation_summaries(contract, record))
    steps = tuple(
        (name, f"{requests:,}", f"{seconds:.1f}")
        for name, requests, seconds in run.steps
        if requests
    )
    return replace(
        report,
        unchecked=tuple(_unchecked(run, summaries, items)),
        facts=tuple(_facts(run)),
        tables=(
            Table("Steps", ("", "requests", "seconds"), steps),
            *report.tables,
            *([coverage.linked(record)] if record.linked else ()),
        ),
        command="test",
        operation_summaries=summaries,
        headline=_headline(run, summaries),
    )


def traffic_report(
    contract: Contract,
    record: Record,
    standards: Standards,
    facts: Sequence[tuple[str, str]],
) -> Report:
    """Return the report of recorded traffic, with facts about the recording."""
    report = _report(contract, record, standards, coverage.coverage(contract, record))
    return replace(report, facts=tuple(facts), command="check-traffic")


def _report(
    contract: Contract,
    record: Record,
    standards: Standards,
    items: Sequence[coverage.Item],
    *,
    is_whole: bool = False,
) -> Report:
    judgement = judged(contract, record, standards, is_whole=is_whole)
    return Report(
        contract.document.path,
        judgement.findings,
        judgement.waived,
        DESCRIPTIONS,
        contract.document.line,
        tables=(*_left_out(contract), *coverage.tables(items)),
        rule_runs=tuple(rule_runs(contract, record)),
        run_time=run_time(record),
    )


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    operations, exchanges = run.contract.operations, run.record.exchanges
    yield "Target", run.target.base_url
    yield "Profile", run.profile.value
    yield "Seed", str(run.seed)
    yield "Requests", f"{len(exchanges):,}"
    if run.contract.excluded:
        yield "Operations", f"{len(operations)} of {len(operations) + len(run.contract.excluded)}"
    if run.contract.elsewhere:
        names = [f"{site.method} {site.key}" for site in run.contract.elsewhere]
        yield "On other hosts", f"{listed(names, _NAMED)}, by servers of their own"
    if run.budget.cut:
        yield "Out of time", ", ".join(run.budget.cut)
    if FUZZING in {name for name, _, _ in run.steps}:
        fuzzed = {exchange.operation for exchange in exchanges if exchange.source == FUZZING}
        reached = len(fuzzed & operations.keys())
        yield "Fuzzing", f"reached {reached} of {len(operations)} operations"
    if run.stopped is not None:
        yield "Stopped", run.stopped
    for bug in dict.fromkeys(run.record.bugs):
        yield "Report this", bug


def _unchecked(
    run: Run, summaries: Sequence[OperationSummary], items: Sequence[coverage.Item]
) -> Iterator[str]:
    """Yield the parts of the contract that the run did not check, the largest first."""
    contract = run.contract
    failed = sum(not summary.successes for summary in summaries)
    for sites, why in (
        (contract.left_out, "with an error in the document"),
        (contract.excluded, "excluded"),
        (contract.elsewhere, "on other hosts"),
    ):
        if sites:
            yield f"{counted(len(sites), 'operation')} {why}"
    if failed:
        yield f"{counted(failed, 'operation')} beyond their errors"
    if run.stopped is not None:
        yield "the rest, as the run was stopped"
    elif run.budget.cut:
        yield f"a part of {listed(run.budget.cut, _NAMED)}, for lack of time"
    yield from coverage.unreached(items)
    reasons = coverage.skipped_rules(items)
    yield from (f"{', '.join(rules)} ({reason})" for reason, rules in reasons[:_NAMED])
    if len(reasons) > _NAMED:
        yield f"{counted(sum(len(rules) for _, rules in reasons[_NAMED:]), 'other rule')}"


def _left_out(contract: Contract) -> Iterator[Table]:
    """Yield a table of the operations with errors in the document, which are not tested."""
    rows = tuple(
        (
            f"{site.method} {site.key}",
            f"{error.location.file}:{error.location.line}:{error.location.column}",
            error.message,
        )
        for site, error in contract.left_out
    )
    if rows:
        yield Table("Left out", ("operation", "where the document has an error", ""), rows)


def _headline(run: Run, summaries: Sequence[OperationSummary]) -> str:
    """Return a warning about operations that never succeeded; empty if all did."""
    failed = [summary for summary in summaries if not summary.successes]
    if not failed:
        return ""
    names = [f"{summary.operation} ({summary.outcome or 'not called'})" for summary in failed]
    text = f"{len(failed)} of {len(summaries)} operations never succeeded: {listed(names, _NAMED)}"
    if len(failed) < len(summaries) or {summary.outcome for summary in failed} != {"404"}:
        return text
    servers = [server.url for server in all_servers(run.contract.document)]
    declared = f" The document has {listed(servers, _NAMED)}." if servers else ""
    return f"is {run.target.base_url} the base URL of the API?{declared} {text}"
