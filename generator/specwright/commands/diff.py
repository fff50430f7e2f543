"""`specwright diff`: review the change from one version of a document to another."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

import click

from specwright.check.schema import check_schema
from specwright.commands.options import (
    allow_refs_from,
    chosen_document,
    configured,
    reference_directories,
)
from specwright.commands.output import output_format
from specwright.compare import acceptances
from specwright.compare.rules import INVALID
from specwright.compare.run import compare
from specwright.document.model import Document
from specwright.document.sources.bundle import Remote
from specwright.document.sources.git import PREFIX
from specwright.document.sources.load import load, load_commit
from specwright.document.upgrade import upgrade
from specwright.files import read_argument
from specwright.findings import Finding, Level, Report, in_order
from specwright.isolation import Limits, Stopped, isolated
from specwright.report.formats import FORMATS
from specwright.report.terminal import show

_LIMITS = Limits(8.0, 512 * 1024 * 1024)
# From the worst down; a report fails at its own level and all before it.
_FAILING = (Level.ERROR, Level.WARNING, Level.INFO)


@click.command(
    epilog="""
\b
Examples:
  specwright diff git:main:spec/openapi.json
  specwright diff openapi-1.0.yaml openapi-1.1.yaml --format json
  specwright diff git:v1.4.0:openapi.yaml openapi.yaml --fail-on warning

Exit codes: 0 if nothing is as bad as --fail-on says, 1 if something is, 2 if a document or the
accepted changes cannot be used.
"""
)
@click.argument("base", type=click.Path(path_type=str))
@click.argument("revision", type=click.Path(path_type=str), required=False)
@output_format
@click.option(
    "--fail-on",
    type=click.Choice([each.value for each in _FAILING]),
    default=Level.ERROR.value,
    show_default=True,
    help="The least level of findings that makes the exit code 1.",
)
@click.option(
    "--accepted",
    type=click.Path(path_type=str),
    help="Changes that the project accepts.  [default: review.toml beside REVISION, if there]",
)
@allow_refs_from
@click.pass_context
def diff(
    ctx: click.Context,
    base: str,
    revision: str | None,
    output: str,
    fail_on: str,
    accepted: str | None,
    allowed: tuple[Path, ...],
) -> None:
    """Review the change from BASE to REVISION: whom does it break?

    Both are files with OpenAPI 3, or `git:REF:path` for a file of a commit. REVISION is the
    document of [tool.specwright] unless it is given. docs/reference/rules.md lists what is found.
    """
    newer = revision or str(chosen_document(configured()))
    before, after = (_read(name, allowed) for name in (base, newer))
    file = accepted or _beside(newer)
    entries = acceptances.load(file) if file else ()
    invalid = [finding for each in (before, after) for finding in _invalid(each)]
    report = compare(before, after, entries, today=date.today())
    report = replace(report, findings=in_order((*report.findings, *invalid)))
    show(FORMATS[output](report))
    ctx.exit(1 if _fails(report, Level(fail_on)) else 0)


def _read(name: str, allowed: tuple[Path, ...]) -> Document:
    if name.startswith(PREFIX):
        return upgrade(load_commit(name, remote=Remote.KEEP))
    within = reference_directories(Path(name), allowed)
    return upgrade(load(name, remote=Remote.KEEP, within=within, read=read_argument))


def _beside(revision: str) -> str | None:
    file = Path(revision).with_name(acceptances.FILE_NAME)
    return str(file) if os.path.lexists(file) else None


def _invalid(document: Document) -> list[Finding]:
    """Say that a document is not what its comparison takes it for."""
    [problems] = isolated([partial(check_schema, document)], _LIMITS)
    start = document.locate("")
    if isinstance(problems, Stopped):
        message = f"{document.path} could not be validated: {problems}"
        return [Finding(INVALID.id, INVALID.recommended, start, None, message)]
    if not problems:
        return []
    first = problems[0]
    message = (
        f"{document.path} is not valid OpenAPI ({len(problems)} errors, the first: "
        f"{first.message}); it is compared as far as possible"
    )
    place = document.locate(first.pointer)
    return [Finding(INVALID.id, INVALID.recommended, place, first.pointer, message)]


def _fails(report: Report, level: Level) -> bool:
    counted = _FAILING[: _FAILING.index(level) + 1]
    return any(finding.level in counted for finding in report.findings)
