"""`specwright fmt`: the canonical form of documents."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.arguments.document_names import documents_argument, local
from specwright.arguments.project import chosen_documents
from specwright.document.sources.canonical import canonical
from specwright.document.sources.load import decode, is_json, parse_openapi, read_file
from specwright.errors import InputError, Location
from specwright.files import replace_files, why_not_written
from specwright.report.terminal import say


@click.command(
    epilog="""
\b
Examples:
  specwright fmt
  specwright fmt --check public.yaml partners.json

Exit codes: 0 if the documents are in canonical form now, 1 if --check found one that is not, 2 if
one cannot be read or written.
"""
)
@documents_argument
@click.option("--check", is_flag=True, help="Change nothing; report documents that would change.")
@click.pass_context
def fmt(ctx: click.Context, documents: tuple[Path | str, ...], check: bool) -> None:
    """Rewrite OpenAPI documents in canonical form.

    By default, DOCUMENTS are those of [tool.specwright], or the openapi or swagger file (.json,
    .yaml or .yml) in this directory.

    Fields are in the order of the specification, component names are sorted, and the file ends
    with one line feed. JSON is indented by two spaces. YAML keeps its style and its comments, which
    move with the field below them. The content does not change.
    """
    changed = {}
    for path in local(chosen_documents(documents), "format a copy of it"):
        before = read_file(str(path))
        after = _formatted(path, before)
        if after != before:
            changed[path] = after
    for document, content in changed.items():
        if check:
            say(f"{document}: would change; run: specwright fmt {document}")
        else:
            _replace(document, content)
            say(f"{document}: changed")
    ctx.exit(1 if check and changed else 0)


def _formatted(document: Path, content: bytes) -> bytes:
    name = str(document)
    data = parse_openapi(name, content)
    text = decode(name, content)
    if is_json(name, text):
        return canonical(data).encode()
    # Imported here because JSON documents do not need it.
    from specwright.document.sources.canonical_yaml import canonical_yaml

    return canonical_yaml(name, text).encode()


def _replace(document: Path, content: bytes) -> None:
    try:
        replace_files({document.resolve(): content})
    except OSError as error:
        raise InputError(
            f"cannot be written: {why_not_written(error)}",
            Location(str(document), 1, 1),
            "it is unchanged",
        ) from None
