"""The option that says how findings are written."""

from __future__ import annotations

import click

from specwright.report.formats import FORMATS

# Apart from the other options: `generate` is not to pay for formats that it does not write.
output_format = click.option(
    "--format",
    "output",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How to write the findings.",
)
