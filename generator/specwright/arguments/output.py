"""Options for the format of findings, and for the level of findings that fails a command."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import click

from specwright.errors import SpecwrightError
from specwright.findings import WORST_FIRST, Level
from specwright.report.directory import write
from specwright.report.error_report import error_report
from specwright.report.formats import FORMATS
from specwright.report.terminal import show

_TEXT = "text"
_Command = Callable[..., None]


# Apart from the other options: `generate` should not import formats that it does not write.
def output_format(command: _Command) -> _Command:
    """Add the option `--format`; a command that fails writes its error in the format, too.

    One with a directory for reports writes the error there, too.
    """

    @wraps(command)
    def reporting(*arguments: Any, output: str, **options: Any) -> None:
        try:
            command(*arguments, output=output, **options)
        except SpecwrightError as error:
            report = error_report(error, click.get_current_context().info_name or "")
            directory: Path | None = options.get("report_dir")
            if directory is not None:
                # If it cannot be written, either the error says so, or the first one counts.
                with suppress(SpecwrightError):
                    write(report, directory)
            # As text, it is on the error stream only.
            if output != _TEXT:
                show(FORMATS[output](report))
            raise

    return click.option(
        "--format",
        "output",
        type=click.Choice(list(FORMATS)),
        default=_TEXT,
        show_default=True,
        help="How to write the findings.",
    )(reporting)


lint_file = click.option(
    "--config",
    type=click.Path(path_type=str),
    help="Levels of rules and waivers.  [default: lint.toml beside the document, if there]",
)

fail_on_level = click.option(
    "--fail-on",
    type=click.Choice([level.value for level in WORST_FIRST]),
    default=Level.ERROR.value,
    show_default=True,
    help="The lowest level of findings that makes the exit code 1.",
)
