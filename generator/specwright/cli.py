"""The command `specwright`: groups of commands, each of which is imported when it runs."""

from __future__ import annotations

import ast
import gc
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from specwright import __version__
from specwright.errors import INTERRUPTED, TOO_LARGE, InputError, SpecwrightError, did_you_mean
from specwright.extras import missing
from specwright.report.terminal import accept_any_text, complain, say


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command that is imported when it runs: its module, and the extra that it needs, if any."""

    module: str
    extra: str = ""

    def load(self, name: str) -> click.Command:
        """Import the command: the function with its name in its module.

        Raises:
            InputError: a library of its extra is not installed.
        """
        library = missing(self.extra) if self.extra else None
        if library is not None:
            raise InputError(
                f"specwright {name} requires {library}, which is not installed",
                hint=f"pip install 'specwright[{self.extra}]'",
            )
        module = import_module(f"specwright.commands.{self.module}")
        command: click.Command = getattr(module, _function(name))
        return command

    def summary(self, name: str) -> str:
        """Return the first line of the docstring of the command, without importing it."""
        source = Path(__file__).with_name("commands") / f"{self.module}.py"
        functions = {
            node.name: ast.get_docstring(node)
            for node in ast.parse(source.read_bytes()).body
            if isinstance(node, ast.FunctionDef)
        }
        return (functions[_function(name)] or "").partition("\n")[0]


def _function(name: str) -> str:
    return name.replace("-", "_")


GROUPS: dict[str, dict[str, LazyCommand]] = {
    "Design": {
        "init": LazyCommand("init"),
        "validate": LazyCommand("validate"),
        "fmt": LazyCommand("fmt"),
        "rules": LazyCommand("rules"),
        "explain": LazyCommand("rules"),
        "schema": LazyCommand("schema"),
        "mock": LazyCommand("mock", "test"),
    },
    "Generate": {
        "generate": LazyCommand("generate"),
        "watch": LazyCommand("watch"),
        "scaffold": LazyCommand("scaffold"),
        "docs": LazyCommand("docs"),
        "templates": LazyCommand("templates"),
    },
    "Verify": {
        "test": LazyCommand("test", "test"),
        "replay": LazyCommand("replay", "test"),
        "check-traffic": LazyCommand("check_traffic", "test"),
        "listen": LazyCommand("listen", "test"),
        "test-receiver": LazyCommand("test_receiver", "test"),
        "authority": LazyCommand("authority", "test"),
    },
    "Change": {
        "diff": LazyCommand("diff"),
        "review": LazyCommand("review"),
        "changelog": LazyCommand("changelog"),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}
# Commands by the names that other tools give them.
_OTHER_NAMES = {
    "lint": "validate",
    "check": "validate",
    "format": "fmt",
    "serve": "mock",
    "new": "init",
    "build": "generate",
    "codegen": "generate",
    "compare": "diff",
    "breaking": "diff",
    "preview": "docs",
}

_OBJECTS_BEFORE_A_SEARCH = 200_000


class LazyGroup(click.Group):
    """A group that lists its commands without importing them and reports errors as messages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command = COMMANDS.get(cmd_name)
        return command.load(cmd_name) if command is not None else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing:
            otherwise = did_you_mean(name, COMMANDS, "`specwright --help` lists them")
            meant = _OTHER_NAMES.get(name)
            hint = otherwise if meant is None else f"did you mean '{meant}'?"
            raise InputError(f"unknown command '{name}'", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(width), command.summary(name))
                        for name, command in commands.items()
                    ]
                )

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
    """Generate code from one OpenAPI document, and keep the code and the document in step."""


def main() -> NoReturn:
    """Run the command line."""
    cli.main()
