"""Pages of docs/ that are made from code: decisions, commands, settings, rules, the vocabulary."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from esim_service import settings as service_settings
from esim_service.cli import main as service_main
from specwright.cli import cli as specwright_main
from specwright.commands.rules import RULES
from specwright.vocabulary.table import KEYWORDS
from tests.derived import rules_page, vocabulary_page

_ROOT = Path(__file__).parents[2]

DECISIONS = Path(__file__).parents[2] / "docs" / "decisions"
# That of a terminal with 100 columns.
WIDTH = 98

DECISIONS_HEAD = """\
# Decisions

One page per decision that constrains all rooms: what made it necessary, what was chosen, and what
that costs. The reasons within one room are in [the design](../design/README.md). A decision is
changed by a new page, which the status of the old one names. `nox -s derive` makes this list.

| No. | Decision | Date | Status |
|---|---|---|---|
"""
DECISION = re.compile(
    r"# (?P<number>\d{4}): (?P<title>.+)\n\n"
    r"(?P<accepted>Accepted) on (?P<date>\d{4}-\d\d-\d\d)\."
    r"(?: (?P<replaced>Replaced (?:in part )?by \[\d{4}\]\(\d{4}-[a-z0-9-]+\.md\))\.)?\n\n"
)

CLI_HEAD = """\
# Commands

The `--help` of every command. [Use the command line](../how-to/use-the-command-line.md) has their
conventions. `nox -s derive` makes this page.
"""

RULES_FOOT = """
`nox -s derive` makes this page.
"""

VOCABULARY_FOOT = """
`nox -s derive` makes this page.
"""

SETTINGS_HEAD = """\
# Settings of the reference service

Each setting of `esim-service` is an environment variable; none is required. A value that cannot be
used stops the service at its start. `nox -s derive` makes this page.

"""

SERVICE_CLI_HEAD = """\
# Commands of the reference service

What `--help` says of every command of `esim-service`. `nox -s derive` makes this page.
"""


def decisions() -> str:
    """Return the list of decisions.

    Raises:
        ValueError: a page does not begin with its number, title, date and status.
    """
    rows = []
    for page in sorted(DECISIONS.glob("[0-9]*.md")):
        head = DECISION.match(page.read_text("utf-8"))
        if head is None:
            raise ValueError(f"{page.name}: must begin with its number, title, date and status")
        status = head["replaced"] or head["accepted"]
        link = f"[{head['number']}]({page.name})"
        rows.append(f"| {link} | {head['title']} | {head['date']} | {status} |\n")
    return DECISIONS_HEAD + "".join(rows)


def cli() -> str:
    """Return the page of the commands as a new process shows them, which no test has changed."""
    program = "from tests.derived import pages; print(pages.commands(), end='')"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True)
    return CLI_HEAD + done.stdout


def commands() -> str:
    """Return the help of all commands."""
    return "".join(_help(specwright_main, "specwright"))


def service_cli() -> str:
    """Return the page of the service's commands."""
    return SERVICE_CLI_HEAD + "".join(_help(service_main, "esim-service"))


def rules() -> str:
    return rules_page.render(RULES) + RULES_FOOT


def vocabulary() -> str:
    return vocabulary_page.render(KEYWORDS) + VOCABULARY_FOOT


def settings() -> str:
    return SETTINGS_HEAD + service_settings.render()


def _help(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[str]:
    """Yield the help of a command, then that of each command below it."""
    context = click.Context(
        command, parent, info_name=name, terminal_width=WIDTH, **command.context_settings
    )
    text = command.get_help(context)
    yield f"\n## {context.command_path}\n\n```text\n{text.rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from _help(found, below, context)
