"""Pages that are made from something else: the lists of decisions, of commands, of rules."""

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from esim_service import settings as service_settings
from esim_service.cli import main as service_main
from specwright.commands.rules import RULES
from specwright.report import vocabulary as vocabulary_page
from specwright.vocabulary.table import KEYWORDS
from tests.contract import verdicts
from tests.docs import rules_page
from tests.mutation import figures

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "decisions"

DECISIONS_HEAD = """\
# Decisions

One page per decision that shaped the code: what made it necessary, what was chosen, and what that
costs. A decision is changed by a new page that says which one it replaces. This list is made by
`pytest tests/docs --accept decisions`.

| No. | Decision |
|---|---|
"""

CLI_HEAD = """\
# Commands

What `--help` says of every command. This page is made by `pytest tests/docs --accept cli`.
"""

RULES_FOOT = """
This page is made by `pytest tests/docs --accept rules`.
"""

VOCABULARY_FOOT = """
This page is made by `pytest tests/docs --accept vocabulary`.
"""

SETTINGS_HEAD = """\
# Settings of the reference service

Each setting of `esim-service` is an environment variable; none is required. A value that cannot be
used stops the service at its start. This page is made by `pytest tests/docs --accept settings`.

"""

SERVICE_CLI_HEAD = """\
# Commands of the reference service

What `--help` says of every command of `esim-service`. This page is made by
`pytest tests/docs --accept service-cli`.
"""

COMMANDS = re.compile(r"^Commands:\n((?: .*\n|\n)*)", re.MULTILINE)


Run = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True, slots=True)
class Derived:
    """A page of docs/ and the function that makes it."""

    name: str
    path: Path
    make: Callable[[Run], str]


def decisions(specwright: Run) -> str:
    rows = []
    for page in sorted(DECISIONS.glob("[0-9]*.md")):
        number, _, title = (
            page.read_text("utf-8").splitlines()[0].removeprefix("# ").partition(": ")
        )
        rows.append(f"| [{number}]({page.name}) | {title} |\n")
    return DECISIONS_HEAD + "".join(rows)


def cli(specwright: Run) -> str:
    return CLI_HEAD + "".join(
        f"\n## {' '.join(['specwright', *path])}\n\n```text\n{text.rstrip()}\n```\n"
        for path, text in help_texts(specwright, ())
    )


def service_cli(specwright: Run) -> str:
    return SERVICE_CLI_HEAD + "".join(service_help(service_main, "esim-service", None))


def rules(specwright: Run) -> str:
    return rules_page.render(RULES) + RULES_FOOT


def vocabulary(specwright: Run) -> str:
    return vocabulary_page.render(KEYWORDS) + VOCABULARY_FOOT


def settings(specwright: Run) -> str:
    return SETTINGS_HEAD + service_settings.render()


def contract_faults(specwright: Run) -> str:
    return verdicts.render()


def mutants(specwright: Run) -> str:
    return figures.render(figures.load(), figures.words())


def service_help(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    """The help of a command of the service, then that of each command below it."""
    context = click.Context(
        command,
        parent,
        info_name=name,
        max_content_width=100,
        terminal_width=100,
        **(command.context_settings),
    )
    text = command.get_help(context)
    yield f"\n## {context.command_path}\n\n```text\n{text.rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from service_help(command.commands[below], below, context)


def help_texts(specwright: Run, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The help of a command, then that of each command below it."""
    text = specwright(*path, "--help").stdout
    yield path, text
    if listing := COMMANDS.search(text):
        for name in re.findall(r"^  (\S+)", listing[1], re.MULTILINE):
            yield from help_texts(specwright, (*path, name))


PAGES = (
    Derived("decisions", DECISIONS / "README.md", decisions),
    Derived("cli", ROOT / "docs" / "reference" / "cli.md", cli),
    Derived("service-cli", ROOT / "docs" / "reference" / "service-cli.md", service_cli),
    Derived("settings", ROOT / "docs" / "reference" / "service-settings.md", settings),
    Derived("vocabulary", ROOT / "docs" / "reference" / "x-contract.md", vocabulary),
    Derived("contract-faults", ROOT / "docs" / "contract-faults.md", contract_faults),
    Derived("mutants", figures.PAGE, mutants),
    Derived("rules", ROOT / "docs" / "reference" / "rules.md", rules),
)
