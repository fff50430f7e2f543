"""`specwright test`: test a running implementation against its contract."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import lint_settings
from specwright.arguments.output import lint_file, output_format
from specwright.arguments.project import allow_refs_from, configured
from specwright.arguments.ranges import IntegerRange, NumberRange
from specwright.arguments.receiver import receiver_options, retry_scale
from specwright.arguments.selection import Selection, selection_options
from specwright.arguments.target import (
    Access,
    access_options,
    reachable,
    target_of,
    tested_part,
)
from specwright.conformance.checks.webhooks.source import ReceiverOptions
from specwright.conformance.contract.added_links import with_links
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import conceal
from specwright.conformance.driver.preflight import reach
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.outcome import coverage
from specwright.conformance.outcome.evidence import Standards
from specwright.conformance.outcome.report import run_report
from specwright.conformance.outcome.result import FILE as RESULT
from specwright.conformance.outcome.result import Baseline, read_baseline
from specwright.conformance.outcome.result import render as result_of
from specwright.conformance.recording import har
from specwright.conformance.recording.har import FILE as HAR
from specwright.conformance.run import TIMEOUTS, Run, RunProfile, begin
from specwright.errors import INTERRUPTED, InputError
from specwright.findings import Report
from specwright.report import text
from specwright.report.directory import summarise, write
from specwright.report.formats import FORMATS
from specwright.report.redaction import Redaction
from specwright.report.terminal import live, say, show

NOT_REACHED = 3


@click.command(
    epilog="""
\b
Examples:
  specwright test http://127.0.0.1:8000/api/v1 openapi.json --api-key-env KEY
  specwright test https://sandbox.example.com/v1 --allow-host sandbox.example.com \\
    --api-key-env KEY --profile full --report-dir reports

Exit codes: 0 without errors (there may be warnings), 1 with errors, 2 if the document or the
target cannot be used, 3 if an operation never succeeded that is not known from the baseline, or the
coverage is too small, 130 after Ctrl-C.
"""
)
@click.argument("url")
@document_argument()
@access_options
@selection_options
@click.option(
    "--profile",
    type=click.Choice([run_profile.value for run_profile in RunProfile]),
    default=RunProfile.QUICK.value,
    show_default=True,
    help="How thorough the test is.",
)
@click.option(
    "--seed",
    type=IntegerRange(0),
    help="Repeat a run.  [default: that of the baseline, or else random]",
)
@click.option(
    "--report-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write result.json and report.json, .html, .xml (JUnit), .sarif, .md and .har there.",
)
@output_format
@click.option("--quiet", is_flag=True, help="Show one line with the outcome and no report.")
@click.option(
    "--max-findings",
    type=IntegerRange(0),
    metavar="NUMBER",
    help="How many findings a report in text shows, the worst first.  [default: all]",
)
@lint_file
@click.option(
    "--baseline",
    "baseline_path",
    type=click.Path(path_type=Path),
    help="The result.json of an earlier run, whose findings and gaps do not fail this one.",
)
@click.option(
    "--min-coverage",
    type=IntegerRange(0, 100),
    default=0,
    metavar="PERCENT",
    help="The share of the contract that must be reached.",
)
@click.option(
    "--max-response-time",
    "max_seconds",
    type=NumberRange(0, min_open=True),
    metavar="SECONDS",
    help="How long a response may take.  [default: 30 at most]",
)
@click.option(
    "--max-time",
    type=NumberRange(1),
    metavar="SECONDS",
    help="How long the test may take: its steps share it.  [default: about a minute for quick]",
)
@receiver_options
@retry_scale
@allow_refs_from
@click.pass_context
def test(
    ctx: click.Context,
    url: str,
    document: Path | str | None,
    access: Access,
    selection: Selection,
    profile: str,
    seed: int | None,
    report_dir: Path | None,
    output: str,
    quiet: bool,
    max_findings: int | None,
    config: str | None,
    baseline_path: Path | None,
    min_coverage: int,
    max_seconds: float | None,
    max_time: float | None,
    receiver: ReceiverOptions | None,
    allowed: tuple[Path, ...],
) -> None:
    """Test the running implementation at URL against DOCUMENT.

    Requests change data: use a sandbox and test keys.
    """
    target_url = access.base_url(url)
    part = tested_part(document, allowed, access.hosts)
    project = configured(document=document)
    chosen_part, excluded = selection.of(with_links(part.document, project.test.links))
    here, elsewhere = reachable(chosen_part, target_url)
    contract = Contract(here, part.left_out, excluded, elsewhere)
    settings = lint_settings(contract.document.path, file=config)
    baseline = None if baseline_path is None else read_baseline(baseline_path)
    standards = Standards(settings, baseline.failures if baseline else frozenset())
    if seed is None:
        seed = baseline.seed if baseline else random.randrange(2**32)
    timeout = TIMEOUTS[RunProfile(profile)]
    with target_of(access, target_url, contract, project.test, timeout) as target:
        _need(target)
        reach(contract, target)
        run = begin(
            *(contract, target, RunProfile(profile), seed, receiver),
            max_seconds=max_seconds,
            max_time=max_time,
        )
        interrupted = _go(run)
        redaction = conceal(contract, run.record, target.signer.secrets)
        items = coverage.coverage(contract, run.record)
        report = redaction.report(run_report(run, standards, items))
    if report_dir is not None:
        _write(report, run, items, redaction, report_dir)
    if quiet:
        say(text.outcome(report))
    elif output == "text":
        show(text.render(report, max_findings))
    else:
        show(FORMATS[output](report))
    if output == "github" and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        summarise(report, Path(summary))
    share = coverage.share(items)
    if share < min_coverage:
        reached = f"{share} % of the declared contract was reached"
        say(f"{reached}, but --min-coverage requires {min_coverage} %", err=True)
    ctx.exit(INTERRUPTED if interrupted else exit_code(run, report, share, min_coverage, baseline))


def _need(target: TargetServer) -> None:
    credential = target.credential
    if credential is not None and credential.is_required and MAIN not in target.keys:
        raise InputError("the document requires a credential", hint="name it with --api-key-env")


def _write(
    report: Report,
    run: Run,
    items: Sequence[coverage.Item],
    redaction: Redaction,
    directory: Path,
) -> None:
    """Write the report in all formats, with the result for `replay` and the traffic."""
    others = {RESULT: result_of(run, items), HAR: har.render(run.record.exchanges)}
    contents = {name: redaction.value(content) for name, content in others.items()}
    written = {name: json.dumps(content, indent=2) + "\n" for name, content in contents.items()}
    write(report, directory, written)


def _go(run: Run) -> bool:
    """Run all sources; return whether that was interrupted."""
    try:
        with live(lambda: run.line):
            run.go()
    except KeyboardInterrupt:
        run.stopped = "interrupted"
        return True
    return False


def exit_code(
    run: Run, report: Report, share: int, min_coverage: int, baseline: Baseline | None
) -> int:
    """Return the exit code of a run that was not interrupted.

    Args:
        share: the part of the contract that was reached, in percent.
        min_coverage: the least part that the caller accepts.
    """
    if run.stopped is not None:
        return 2
    if report.has_errors:
        return 1
    idle = {operation.name for operation in coverage.never_succeeded(run.contract, run.record)}
    is_partial = idle - (baseline.idle if baseline else set()) or run.contract.left_out
    return NOT_REACHED if is_partial or share < min_coverage else 0
