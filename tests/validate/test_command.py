"""The command itself, as a shell runs it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click import Command, Context, Group
from click.testing import CliRunner

from specwright.cli import COMMANDS, cli

from .documents import write

COMMAND = Path(sys.executable).with_name("specwright")
Run = Callable[..., subprocess.CompletedProcess[str]]


def test_validate_says_what_is_wrong_and_ends_with_one(specwright: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "info: {title: T}")
    result = specwright("validate", path.name, cwd=tmp_path)
    assert result.returncode == 1
    assert result.stdout.startswith("openapi.json:3:3: error openapi-schema ")
    assert result.stderr == ""
    assert "\x1b" not in result.stdout


def test_fmt_check_ends_with_one(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text('{"openapi":"3.1.1"}', "utf-8")
    assert specwright("fmt", "--check", "openapi.json", cwd=tmp_path).returncode == 1
    assert specwright("fmt", "openapi.json", cwd=tmp_path).returncode == 0
    assert specwright("fmt", "--check", "openapi.json", cwd=tmp_path).returncode == 0


def test_errors_of_the_user_have_no_traceback(specwright: Run, tmp_path: Path) -> None:
    for arguments in (("validate", "missing.json"), ("validate",), ("nonsense",), ("fmt", ".")):
        result = specwright(*arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert result.stdout == ""
        assert "Traceback" not in result.stderr


def test_the_contract_of_this_repository_is_valid(specwright: Run) -> None:
    result = specwright("validate", "spec/openapi.json")
    assert result.returncode == 0, result.stdout
    assert specwright("fmt", "--check", "spec/openapi.json").returncode == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe to wait on")
def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    pipe = tmp_path / "openapi.json"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [COMMAND, "validate", str(pipe)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    # Opening the other end returns when the command has opened its own and waits for data.
    with pipe.open("w"):
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in complaint


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_every_command_with_its_own_summary(name: str) -> None:
    command = cli.get_command(Context(cli), name)
    assert isinstance(command, Command)
    assert command.get_short_help_str(200) == COMMANDS[name].summary(name)
    if not isinstance(command, Group):
        assert "Examples:" in (command.epilog or "")


def test_help_lists_the_commands_in_groups_and_imports_none_of_them() -> None:
    probe = (
        "import atexit, sys; from specwright.cli import main; "
        "atexit.register(lambda: print([name for name in sys.modules if '.commands.' in name])); "
        "sys.argv = ['specwright', '--help']; main()"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "[]"
    titles = [line for line in result.stdout.splitlines() if line and line.strip() == line]
    assert titles[1:] == ["Options:", "Design:", "Generate:", "Verify:", "Change:", "[]"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("valdate", "did you mean 'validate'?"),
        ("check_traffic", "did you mean 'check-traffic'?"),
        ("frobnicate", "`specwright --help` lists them"),
    ],
)
def test_an_unknown_command_is_an_error_with_a_hint(name: str, hint: str, specwright: Run) -> None:
    result = specwright(name)
    assert result.returncode == 2
    assert result.stderr == f"error: unknown command '{name}'\nhint: {hint}\n"


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("specwright va", "plain,validate"),
        ("specwright explain operation-ta", "plain,operation-tag"),
        ("specwright validate --format sar", "plain,sarif"),
        ("specwright validate op", "file,op"),
    ],
)
def test_the_shell_completes_what_is_typed(
    typed: str, offered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(typed.count(" ")))
    monkeypatch.setenv("_SPECWRIGHT_COMPLETE", "bash_complete")
    done = subprocess.run([COMMAND], capture_output=True, text=True, check=True)
    assert offered in done.stdout.splitlines()


def test_what_is_nested_deeper_than_the_interpreter_goes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(*arguments: object) -> None:
        raise RecursionError

    monkeypatch.setattr("specwright.commands.validate.check", check)
    result = CliRunner().invoke(cli, ["validate", str(write(tmp_path, "paths: {}"))])
    assert result.exit_code == 2
    assert result.stderr == "error: the document is nested too deeply, or too large\n"
