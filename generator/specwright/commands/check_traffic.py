"""`specwright check-traffic`: check recorded traffic against a contract."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.arguments.document_names import document_argument
from specwright.arguments.documents import lint_settings, read_document, sound_part
from specwright.arguments.output import lint_file, output_format
from specwright.arguments.project import allow_refs_from, chosen_document, configured
from specwright.arguments.target import own_base_urls, reachable
from specwright.conformance.contract.added_links import with_links
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import conceal
from specwright.conformance.outcome.evidence import Standards
from specwright.conformance.outcome.report import traffic_report
from specwright.conformance.recording.har import read
from specwright.conformance.traffic import credentials, watch
from specwright.errors import InputError
from specwright.report.directory import write
from specwright.report.formats import FORMATS
from specwright.report.terminal import show


@click.command(
    "check-traffic",
    epilog="""
\b
Examples:
  specwright check-traffic staging.har --base-url https://staging.example.com/v1
  specwright check-traffic reports/report.har openapi.json --format github \\
    --base-url http://127.0.0.1:8000/api/v1

Exit codes: 0 without errors (there may be warnings), 1 with errors, 2 if the file or the document
cannot be used.
""",
)
@click.argument("har", type=click.Path(path_type=Path))
@click.option(
    "--base-url",
    metavar="URL",
    required=True,
    help="The base URL of the paths in the document; requests to other URLs are ignored.",
)
@document_argument()
@click.option(
    "--report-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write report.json, .html, .xml (JUnit), .sarif and .md there.",
)
@output_format
@lint_file
@allow_refs_from
@click.pass_context
def check_traffic(
    ctx: click.Context,
    har: Path,
    base_url: str,
    document: Path | str | None,
    report_dir: Path | None,
    output: str,
    config: str | None,
    allowed: tuple[Path, ...],
) -> None:
    """Check the traffic in HAR, recorded by a browser, a proxy or a test, against the document.

    It applies every rule that a single request and its response can break, and sends nothing.
    """
    project, url = configured(document=document), base_url.rstrip("/")
    part = sound_part(read_document(chosen_document(project), allowed))
    here, elsewhere = reachable(with_links(part.document, project.test.links), url)
    contract = Contract(here, part.left_out, elsewhere=elsewhere)
    recording = read(har)
    traffic = watch(contract, (url, *own_base_urls(here, url).values()), recording.exchanges)
    record = traffic.record
    if not record.exchanges:
        raise InputError(
            f"{har} has no request to {base_url}", hint="check the URL, or record the traffic again"
        )
    facts = (
        ("Traffic", str(har)),
        ("Base URL", base_url),
        ("Requests", f"{len(record.exchanges):,}"),
        ("Elsewhere", f"{traffic.others:,}"),
        ("Without a complete response", f"{recording.incomplete:,}"),
    )
    keys = credentials(contract, recording.exchanges)
    redaction = conceal(contract, record, keys)
    settings = lint_settings(contract.document.path, file=config)
    report = redaction.report(traffic_report(contract, record, Standards(settings), facts))
    if report_dir is not None:
        write(report, report_dir)
    show(FORMATS[output](report))
    ctx.exit(1 if report.has_errors else 0)
