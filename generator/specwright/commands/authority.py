"""`specwright authority`: create the certificate authority of a receiver of webhooks."""

from __future__ import annotations

from pathlib import Path

import click

from specwright.conformance.checks.webhooks.authority import Authority
from specwright.report.terminal import say


@click.command(
    epilog="""
\b
Examples:
  specwright authority receiver
  specwright test http://127.0.0.1:8000/api/v1 --api-key-env KEY --receiver-authority receiver

Exit codes: 0, 2 if the directory cannot be used.
"""
)
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
def authority(directory: Path) -> None:
    """Create the certificate authority of a receiver in DIRECTORY, unless it exists.

    It prints the file of the certificate that the implementation has to trust before
    `specwright test --receiver-authority DIRECTORY` can receive its webhooks.
    """
    say(str(Authority.at(directory).file))
