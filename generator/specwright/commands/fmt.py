"""`specwright fmt`: one way of writing a JSON document."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.document.canonical import canonical
from specwright.document.sources.load import parse_openapi, read_file
from specwright.errors import InputError, Location
from specwright.files import replace_files
from specwright.report.terminal import say


@click.command(
    epilog="""
\b
Examples:
  specwright fmt spec/openapi.json
  specwright fmt --check spec/openapi.json

Exit codes: 0 if the document has or now has canonical form, 1 if --check found that it has not,
2 if it cannot be read or written.
"""
)
@click.argument("document", type=click.Path(path_type=str))
@click.option("--check", is_flag=True, help="Change nothing; say whether something would change.")
@click.pass_context
def fmt(ctx: click.Context, document: str, check: bool) -> None:
    """Bring a JSON document into canonical form.

    Two spaces of indentation, fields in the order in which the specification lists them,
    component names sorted, line feeds, one at the end. The content stays what it is.
    """
    if Path(document).suffix.lower() in (".yaml", ".yml"):
        raise InputError(
            "only JSON documents have a canonical form",
            Location(document, 1, 1),
            "YAML can say one thing in many ways and holds comments, which would be lost",
        )
    before = read_file(document)
    after = canonical(parse_openapi(document, before)).encode()
    if before == after:
        return
    if check:
        say(f"{document}: would change; run: specwright fmt {document}")
        ctx.exit(1)
    _replace(document, after)
    say(f"{document}: changed")


def _replace(document: str, content: bytes) -> None:
    try:
        replace_files({Path(document).resolve(): content})
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", Location(document, 1, 1), "it is as it was"
        ) from None
