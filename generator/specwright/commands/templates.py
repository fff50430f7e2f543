"""`specwright templates`: built-in templates, and overrides of them."""

from __future__ import annotations

import os
from pathlib import Path

import click

from specwright.arguments.project import configured
from specwright.emit.transaction import replace_files
from specwright.errors import InputError
from specwright.render.overrides import Basis, blocks, copied, overrides
from specwright.render.templates import Templates, builtin_directory
from specwright.report.terminal import say

DEFAULT_DIRECTORY = Path("templates")

_directory = click.option(
    "--templates",
    "directory",
    type=click.Path(path_type=Path),
    help="Directory of templates of your own.  [default: templates of the project]",
)


@click.group()
def templates() -> None:
    """List, copy and compare built-in templates.

    A template of your own has the name of a built-in one and either replaces it, or begins with
    {% extends "builtin/NAME" %} and replaces single blocks of it.
    """


@templates.command(name="list")
def list_templates() -> None:
    """List every built-in template with its blocks."""
    builtin = Templates(builtin_directory())
    for name in builtin.builtin_names():
        names = blocks(builtin.builtin_source(name) or "")
        say(f"{name}: {', '.join(names)}" if names else name)


@templates.command(
    epilog="""
\b
Examples:
  specwright templates copy package/README.md.jinja --block install
  specwright templates copy client/client.py.jinja
"""
)
@click.argument("name")
@click.option("--block", "chosen", multiple=True, help="Override only this block (repeatable).")
@_directory
def copy(name: str, chosen: tuple[str, ...], directory: Path | None) -> None:
    """Start an override of the built-in template NAME.

    A note at its top says which version it was made from; `templates status` reads it.
    """
    into = directory or configured().options.templates or DEFAULT_DIRECTORY
    text = copied(Templates(builtin_directory()), name, chosen)
    target = into / name
    if os.path.lexists(target):
        raise InputError(f"{target.as_posix()}: exists", hint="change it, or delete it first")
    replace_files(into, {name: text.encode()})
    say(f"{target.as_posix()}: written")


@templates.command()
@_directory
@click.pass_context
def status(ctx: click.Context, directory: Path | None) -> None:
    """Show which overrides are based on an older built-in template.

    Exit codes: 0 if none is, 1 if one is and needs a review.
    """
    own = configured(templates=directory).options.templates
    replaced = list(overrides(Templates(builtin_directory(), own)))
    for override in replaced:
        block = f" block {override.block}" if override.block else ""
        say(f"{override.template}{block}: {override.basis}")
    if not replaced:
        say("no built-in template is overridden")
    ctx.exit(1 if any(override.basis in (Basis.OLDER, Basis.GONE) for override in replaced) else 0)
