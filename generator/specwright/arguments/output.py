"""Options for the format of findings, and for the level of findings that fails a command."""

from __future__ import annotations

import click

from specwright.findings import WORST_FIRST, Level
from specwright.report.formats import FORMATS

# Apart from the other options: `generate` should not import formats that it does not write.
output_format = click.option(
    "--format",
    "output",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How to write the findings.",
)

lint_file = click.option(
    "--config",
    type=click.Path(path_type=str),
    help="Levels of rules and waivers.  [default: lint.toml beside the document, if there]",
)

fail_on_level = click.option(
    "--fail-on",
    type=click.Choice([each.value for each in WORST_FIRST]),
    default=Level.ERROR.value,
    show_default=True,
    help="The lowest level of findings that makes the exit code 1.",
)
