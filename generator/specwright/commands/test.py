"""`specwright test`: hold a running implementation to its contract."""

from __future__ import annotations

import os
import random
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import click

from specwright.check.run import check
from specwright.check.settings import Settings
from specwright.commands.options import (
    allow_refs_from,
    chosen_document,
    configured,
    reference_directories,
)
from specwright.conformance import coverage
from specwright.conformance.contract import Contract
from specwright.conformance.preflight import reach
from specwright.conformance.record import Record
from specwright.conformance.run import Profile, Run, begin
from specwright.conformance.scenarios.access import STRANGER
from specwright.conformance.target import LIMITED, MAIN, OTHER, Credential, Target
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.upgrade import upgrade
from specwright.errors import INTERRUPTED, InputError
from specwright.files import read_argument
from specwright.report.directory import write
from specwright.report.formats import FORMATS
from specwright.report.redaction import Redaction
from specwright.report.terminal import progress, show

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
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
    help="Write report.json, .html, .xml (JUnit), .sarif and .md there.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How to write the findings.",
)
@click.option(
    "--min-coverage",
    type=click.IntRange(0, 100),
    default=0,
    metavar="PERCENT",
    help="The share of the contract that must be reached.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="A host other than this machine that may be tested (repeatable).",
)
@click.option("--live", is_flag=True, help="Use keys that do not look like test keys.")
@allow_refs_from
@click.pass_context
def test(
    ctx: click.Context,
    url: str,
    document: Path | None,
    api_key_env: str | None,
    other_api_key_env: str | None,
    limited_api_key_env: str | None,
    profile: str,
    seed: int | None,
    report_dir: Path | None,
    output: str,
    min_coverage: int,
    hosts: tuple[str, ...],
    live: bool,
    allowed: tuple[Path, ...],
) -> None:
    """Test the running implementation at URL against the document.

    Requests change what is there: use a sandbox and test keys.
    """
    base_url = _base_url(url, hosts)
    loaded = _document(document, allowed)
    variables = {MAIN: api_key_env, OTHER: other_api_key_env, LIMITED: limited_api_key_env}
    keys = {role: _key(name, live=live) for role, name in variables.items() if name is not None}
    contract = Contract(loaded)
    credential = Credential.of(loaded)
    if credential is not None and MAIN not in keys:
        raise InputError("the document asks for a credential", hint="name it with --api-key-env")
    stranger = {STRANGER: _stranger(keys[MAIN])} if MAIN in keys else {}
    chosen = random.randrange(2**32) if seed is None else seed
    with Target(base_url, credential, Record(), {**keys, **stranger}) as target:
        reach(contract, target)
        run = begin(contract, target, Profile(profile), chosen)
        interrupted = _go(run)
        secrets = [*keys.values(), *run.secrets]
        report = Redaction(secrets).report(run.report())
    if report_dir is not None:
        write(report, report_dir)
    show(FORMATS[output](report))
    ctx.exit(INTERRUPTED if interrupted else _exit_code(run, min_coverage))


def _go(run: Run) -> bool:
    """Go through all sources; whether that was interrupted."""
    try:
        with progress("looking for the target") as say, closing(run.sources()) as sources:
            for name in sources:
                say(f"{name}: {len(run.record.exchanges):,} requests so far")
    except KeyboardInterrupt:
        run.stopped = "interrupted"
        return True
    return False


def _exit_code(run: Run, min_coverage: int) -> int:
    if run.stopped is not None:
        return 2
    if run.record.violations:
        return 1
    vacuous = coverage.never_succeeded(run.contract, run.record)
    return NOT_REACHED if vacuous or coverage.share(run.items) < min_coverage else 0


def _base_url(url: str, hosts: tuple[str, ...]) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise InputError(f"{url!r} is not the base URL of an API", hint="such as http://host/v1")
    if parts.username is not None:
        raise InputError("the URL has a user or a password", hint="use --api-key-env")
    if host not in _LOOPBACK and host not in hosts:
        raise InputError(
            f"{host} is not this machine, and a test changes what is there",
            hint=f"if it may, pass --allow-host {host}",
        )
    return url.rstrip("/")


def _document(named: Path | None, allowed: tuple[Path, ...]) -> Document:
    path = chosen_document(configured(document=named))
    within = reference_directories(path, allowed)
    loaded = upgrade(load(path, within=within, read=read_argument))
    report = check(loaded, Settings())
    if report.has_errors:
        raise InputError(
            f"{path}: nothing is tested against a document with errors",
            hint=f"see specwright validate {path}",
        )
    return loaded


def _key(name: str, *, live: bool) -> str:
    key = os.environ.get(name, "")
    if not key:
        raise InputError(f"the environment variable {name} is not set, or empty")
    if not key.isascii() or not key.isprintable() or key != key.strip():
        raise InputError(f"the key in {name} has characters that no header can carry")
    if not live and not any(word in key.lower() for word in ("test", "sandbox", "demo")):
        raise InputError(
            f"the key in {name} does not look like a test key",
            hint="if what it opens may be changed, pass --live",
        )
    return key


def _stranger(key: str) -> str:
    """A key of the same form that nobody has."""
    return key[:-8] + "".join("0" if each != "0" else "1" for each in key[-8:])
