"""`specwright fmt`: the canonical form of a JSON document."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.arguments.options import chosen_document, configured
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
@click.argument("document", type=click.Path(path_type=Path), required=False)
@click.option("--check", is_flag=True, help="Change nothing; report a document that would change.")
@click.pass_context
def fmt(ctx: click.Context, document: Path | None, check: bool) -> None:
    """Rewrite a JSON document in canonical form.

    DOCUMENT is by default that of [tool.specwright], or the openapi.json that is here.

    Two spaces of indentation, fields in the order in which the specification lists them,
    component names sorted, line feeds, one at the end. The content does not change.
    """
    chosen = document or chosen_document(configured())
    if chosen.suffix.lower() in (".yaml", ".yml"):
        raise InputError(
            "only JSON documents have a canonical form",
            Location(str(chosen), 1, 1),
            "YAML can say one thing in many ways and holds comments, which would be lost",
        )
    before = read_file(str(chosen))
    after = canonical(parse_openapi(str(chosen), before)).encode()
    if before == after:
        return
    if check:
        say(f"{chosen}: would change; run: specwright fmt {chosen}")
        ctx.exit(1)
    _replace(chosen, after)
    say(f"{chosen}: changed")


def _replace(document: Path, content: bytes) -> None:
    try:
        replace_files({document.resolve(): content})
    except OSError as error:
        raise InputError(
            f"cannot be written: {error.strerror}", Location(str(document), 1, 1), "it is unchanged"
        ) from None
