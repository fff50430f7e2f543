"""`specwright schema`: the JSON Schemas with which editors complete and check files."""

from __future__ import annotations

import json
from collections.abc import Callable

import click

from specwright.editors.extensions import extensions_schema
from specwright.editors.settings import pyproject_schema, settings_schema
from specwright.json_values import JsonObject
from specwright.report.terminal import show

SCHEMAS: dict[str, Callable[[], JsonObject]] = {
    "settings": settings_schema,
    "pyproject": pyproject_schema,
    "extensions": extensions_schema,
}


def render(name: str) -> str:
    """Return the text of a schema."""
    return f"{json.dumps(SCHEMAS[name](), indent=2)}\n"


@click.command(
    epilog="""
\b
Examples:
  specwright schema pyproject > .vscode/pyproject.schema.json
  specwright schema extensions > .vscode/extensions.schema.json

Exit codes: 0.
"""
)
@click.argument("name", metavar="NAME", type=click.Choice(list(SCHEMAS)))
def schema(name: str) -> None:
    """Write a JSON Schema for editors.

    NAME is `settings` for the table [tool.specwright], `pyproject` for a pyproject.toml that has
    it, or `extensions` for the x-contract keys of a document. The schemas have the form that
    SchemaStore takes (draft 7).
    """
    show(render(name))
