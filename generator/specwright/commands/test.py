"""`specwright test`: hold a running implementation to its contract."""

from __future__ import annotations

import json
import random
from pathlib import Path

import click

from specwright.arguments.inputs import valid_document
from specwright.arguments.options import allow_refs_from
from specwright.arguments.output import output_format
from specwright.arguments.target import allow_host, allow_live, base_url, key_of
from specwright.conformance.bench.preflight import reach
from specwright.conformance.bench.target import (
    LIMITED,
    MAIN,
    OTHER,
    STRANGER,
    SUSPENDED,
    Credential,
    Target,
    stranger,
)
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import hidden
from specwright.conformance.recording import har
from specwright.conformance.recording.har import FILE as HAR
from specwright.conformance.recording.record import Record
from specwright.conformance.result import FILE as RESULT
from specwright.conformance.result import render as result_of
from specwright.conformance.results import coverage
from specwright.conformance.run import Profile, Run, begin
from specwright.conformance.webhooks.authority import Authority
from specwright.conformance.webhooks.source import ReceiverOptions
from specwright.errors import INTERRUPTED, InputError
from specwright.report.directory import write
from specwright.report.formats import FORMATS
from specwright.report.redaction import Redaction
from specwright.report.terminal import live, say, show

NOT_REACHED = 3


@click.command(
    epilog="""
\b
Examples:
  specwright test http://127.0.0.1:8000/api/v1 --document openapi.json --api-key-env KEY
  specwright test https://sandbox.example.com/v1 --allow-host sandbox.example.com \\
    --api-key-env KEY --profile full --report-dir reports

Exit codes: 0 without findings, 1 with findings, 2 if the document or the target cannot be used,
3 if an operation never succeeded or the coverage is too small, 130 after Ctrl-C.
"""
)
@click.argument("url")
@click.option(
    "--document",
    type=click.Path(path_type=Path),
    help="The OpenAPI document.  [default: that of the project]",
)
@click.option(
    "--api-key-env", metavar="NAME", help="The environment variable that holds the API key."
)
@click.option(
    "--other-api-key-env",
    metavar="NAME",
    help="The variable with a key of another partner, who must not see what the first one has.",
)
@click.option(
    "--limited-api-key-env",
    metavar="NAME",
    help="The variable with a key whose rate limits are used up by the test.",
)
@click.option(
    "--suspended-api-key-env",
    metavar="NAME",
    help="The variable with a key that may do nothing, such as that of a suspended partner.",
)
@click.option(
    "--profile",
    type=click.Choice([each.value for each in Profile]),
    default=Profile.QUICK.value,
    show_default=True,
    help="How thorough the test is.",
)
@click.option("--seed", type=click.IntRange(0), help="Repeat a run.  [default: random]")
@click.option(
    "--report-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write result.json and report.json, .html, .xml (JUnit), .sarif, .md and .har there.",
)
@output_format
@click.option(
    "--min-coverage",
    type=click.IntRange(0, 100),
    default=0,
    metavar="PERCENT",
    help="The share of the contract that must be reached.",
)
@click.option(
    "--receiver-authority",
    metavar="DIRECTORY",
    type=click.Path(path_type=Path, file_okay=False),
    help="Receive webhooks on this machine, with a certificate of the authority in this "
    "directory (see specwright authority), which the implementation has to trust.",
)
@click.option(
    "--public-url",
    metavar="URL",
    help="Receive webhooks behind a tunnel that begins at this URL; it leads to --receiver-port.",
)
@click.option("--receiver-port", type=click.IntRange(0, 65535), default=0, metavar="PORT")
@click.option(
    "--retry-scale",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    metavar="FACTOR",
    help="What the implementation multiplies the pauses between attempts with, for this test.",
)
@allow_host
@allow_live
@allow_refs_from
@click.pass_context
def test(
    ctx: click.Context,
    url: str,
    document: Path | None,
    api_key_env: str | None,
    other_api_key_env: str | None,
    limited_api_key_env: str | None,
    suspended_api_key_env: str | None,
    profile: str,
    seed: int | None,
    report_dir: Path | None,
    output: str,
    min_coverage: int,
    receiver_authority: Path | None,
    public_url: str | None,
    receiver_port: int,
    retry_scale: float,
    hosts: tuple[str, ...],
    live: bool,
    allowed: tuple[Path, ...],
) -> None:
    """Test the running implementation at URL against the document.

    Requests change what is there: use a sandbox and test keys.
    """
    target_url = base_url(url, hosts)
    loaded = valid_document(document, allowed)
    variables = {
        MAIN: api_key_env,
        OTHER: other_api_key_env,
        LIMITED: limited_api_key_env,
        SUSPENDED: suspended_api_key_env,
    }
    keys = {role: key_of(name, live=live) for role, name in variables.items() if name is not None}
    contract = Contract(loaded)
    credential = Credential.of(loaded)
    if credential is not None and MAIN not in keys:
        raise InputError("the document asks for a credential", hint="name it with --api-key-env")
    if MAIN in keys:
        keys[STRANGER] = stranger(keys[MAIN])
    chosen = random.randrange(2**32) if seed is None else seed
    with Target(target_url, credential, Record(), keys) as target:
        reach(contract, target)
        receiver = None
        if receiver_authority is not None or public_url is not None:
            authority = Authority.at(receiver_authority) if receiver_authority else None
            receiver = ReceiverOptions(authority, public_url, receiver_port, retry_scale)
        run = begin(contract, target, Profile(profile), chosen, receiver)
        interrupted = _go(run)
        redaction = Redaction(keys.values(), hidden(contract, run.record.exchanges))
        report = redaction.report(run.report())
    if report_dir is not None:
        others = {RESULT: result_of(run), HAR: har.render(run.record.exchanges)}
        contents = {name: redaction.value(each) for name, each in others.items()}
        written = {name: json.dumps(each, indent=2) + "\n" for name, each in contents.items()}
        write(report, report_dir, written)
    show(FORMATS[output](report))
    if coverage.share(run.items) < min_coverage:
        reached = f"{coverage.share(run.items)} % of what the document declares was reached"
        say(f"{reached}, and --min-coverage asks for {min_coverage} %", err=True)
    ctx.exit(INTERRUPTED if interrupted else exit_code(run, min_coverage))


def _go(run: Run) -> bool:
    """Go through all sources; whether that was interrupted."""
    try:
        with live(lambda: run.line):
            run.go()
    except KeyboardInterrupt:
        run.stopped = "interrupted"
        return True
    return False


def exit_code(run: Run, min_coverage: int) -> int:
    """How the command ends after a run that nobody interrupted."""
    if run.stopped is not None:
        return 2
    if run.record.violations:
        return 1
    vacuous = coverage.never_succeeded(run.contract, run.record)
    return NOT_REACHED if vacuous or coverage.share(run.items) < min_coverage else 0
