"""The command `specwright`: a table of commands, each imported when it runs."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import click

from specwright import __version__
from specwright.errors import INTERRUPTED, TOO_LARGE, InputError, SpecwrightError
from specwright.report.terminal import accept_any_text, complain, say


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its place, its one-line summary, and the extra that it needs, if any."""

    target: str
    summary: str
    extra: str = ""


COMMANDS: dict[str, Entry] = {
    "init": Entry(
        "specwright.commands.init:init",
        "Start a project from DOCUMENT: settings, ignore rules and pull request checks.",
    ),
    "validate": Entry(
        "specwright.commands.validate:validate", "Check OpenAPI documents and report findings."
    ),
    "diff": Entry(
        "specwright.commands.diff:diff",
        "Review the change from BASE to REVISION for breaking changes.",
    ),
    "review": Entry(
        "specwright.commands.review:review",
        "Review the changes to the contract in the working tree since a commit.",
    ),
    "changelog": Entry(
        "specwright.commands.changelog:changelog",
        "Write the changelog entry for the change from BASE to REVISION, in Markdown.",
    ),
    "rules": Entry("specwright.commands.rules:rules", "List the rules that findings name."),
    "explain": Entry("specwright.commands.rules:explain", "Explain a RULE that findings name."),
    "test": Entry(
        "specwright.commands.test:test",
        "Test the running implementation at URL against the document.",
        "test",
    ),
    "replay": Entry(
        "specwright.commands.replay:replay",
        "Resend the requests of FAILURE, such as F1, and check whether it is fixed.",
        "test",
    ),
    "authority": Entry(
        "specwright.commands.authority:authority",
        "Create the certificate authority of a receiver in DIRECTORY, unless it exists.",
        "test",
    ),
    "check-traffic": Entry(
        "specwright.commands.check_traffic:check_traffic",
        "Check the traffic in HAR, recorded by a browser, a proxy or a test, against the document.",
        "test",
    ),
    "generate": Entry(
        "specwright.commands.generate:generate",
        "Generate models, client, server stub and webhooks from an OpenAPI document.",
    ),
    "watch": Entry(
        "specwright.commands.watch:watch",
        "Generate again each time the document, its settings or templates change.",
    ),
    "scaffold": Entry(
        "specwright.commands.scaffold:scaffold",
        "Write a module for each group of operations, and an app.py that serves them.",
    ),
    "docs": Entry(
        "specwright.commands.docs:docs",
        "Write the reference of an API as an HTML page, or as a site.",
    ),
    "mock": Entry(
        "specwright.commands.mock:mock",
        "Serve a mock of the API on this machine, with the responses that the document declares.",
        "test",
    ),
    "templates": Entry(
        "specwright.commands.templates:templates", "List, copy and compare built-in templates."
    ),
    "test-receiver": Entry(
        "specwright.commands.test_receiver:test_receiver",
        "Send genuine and forged deliveries to a consumer of webhooks, and check its responses.",
        "test",
    ),
    "listen": Entry(
        "specwright.commands.listen:listen",
        "Receive the webhooks of the implementation at URL on this machine, and show them.",
        "test",
    ),
    "fmt": Entry("specwright.commands.fmt:fmt", "Rewrite OpenAPI documents in canonical form."),
}


_OBJECTS_BEFORE_A_SEARCH = 200_000


class LazyGroup(click.Group):
    """A group that lists its commands without importing them and reports errors as messages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.target.partition(":")
        try:
            command: click.Command = getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if not entry.extra:
                raise
            raise InputError(
                f"specwright {cmd_name} needs {error.name}, which is not installed",
                hint=f"pip install 'specwright[{entry.extra}]'",
            ) from None
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> NoReturn:
        """Run a command and exit: 0, 1 (findings or differences), 2 (failed), 130 (interrupted)."""
        # SIGTERM, which ends a job in CI, is handled like Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        # Documents are large and stay in memory: garbage collection would take a tenth of a run.
        gc.set_threshold(_OBJECTS_BEFORE_A_SEARCH)
        accept_any_text()
        if os.environ.get("NO_COLOR"):
            # https://no-color.org; without it, click decides by the output.
            extra["color"] = False
        try:
            code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except SpecwrightError as error:
            complain(error)
            code = error.exit_code
        except (RecursionError, MemoryError):
            complain(SpecwrightError(TOO_LARGE))
            code = 2
        except click.ClickException as error:
            error.show()
            code = 2
        except (click.Abort, KeyboardInterrupt):
            say("interrupted", err=True)
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command exits with 0 on success, 1 if it found something, 2 if it failed.",
)
@click.version_option(__version__, prog_name="specwright")
def cli() -> None:
    """Generate code from one OpenAPI document, and check that both stay in agreement."""


def main() -> NoReturn:
    """Run the command line."""
    cli.main()
