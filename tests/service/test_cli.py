"""The command `esim-service`, as a shell runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from esim_service import catalogue

COMMAND = Path(sys.executable).with_name("esim-service")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the installed command in an empty directory, without settings but these."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("ESIM_")}
        return subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env={**inherited, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that tells an operator what is wrong."""
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    return line


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The two kinds of database, without a schema yet."""
    if request.param == "sqlite":
        return str(tmp_path / "service.db")
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.mark.anyio
async def test_a_database_is_made_and_filled(run: Run, place: str) -> None:
    assert run("migrate", "--database", place).stdout.startswith("took ")
    assert run("migrate", ESIM_DATABASE=place).stdout == "nothing to do\n"
    ours = catalogue.load(catalogue.default_path())
    loaded = run("catalogue", "load", "--database", place).stdout
    assert loaded == f"loaded {len(ours.plans)} plans and {len(ours.topup_plans)} top-up plans\n"
    lines = run("catalogue", "list", ESIM_DATABASE=place).stdout.splitlines()
    assert len(lines) == len(ours.plans)
    assert "pln_jp-5gb-30d\t4.50\tJapan 5 GB, 30 days" in lines


def test_another_catalogue_takes_the_place_of_the_first(run: Run, tmp_path: Path) -> None:
    content = json.loads(catalogue.default_path().read_bytes())
    plans = [each for each in content["plans"] if each["plan_id"] == "pln_rs-5gb-30d"]
    (tmp_path / "mine.json").write_text(json.dumps({"plans": plans, "topup_plans": []}))
    run("migrate")
    run("catalogue", "load")
    assert run("catalogue", "load", "mine.json").stdout == "loaded 1 plans and 0 top-up plans\n"
    assert run("catalogue", "list").stdout == "pln_rs-5gb-30d\t5.355\tSerbia 5 GB, 30 days\n"


def test_a_catalogue_that_is_wrong_changes_nothing(run: Run, tmp_path: Path) -> None:
    run("migrate")
    run("catalogue", "load")
    before = run("catalogue", "list").stdout
    (tmp_path / "mine.json").write_text('{"plans": [], "topup_plans": []}')
    line = refused(run("catalogue", "load", "mine.json"))
    assert line == "error: mine.json: plans: there must be at least one plan"
    assert run("catalogue", "list").stdout == before


@pytest.mark.parametrize(
    ("arguments", "variables", "words"),
    [
        (["catalogue", "list"], {}, "migrate"),
        (["catalogue", "load"], {}, "migrate"),
        (["catalogue", "load", "none.json"], {}, "none.json: No such file"),
        (["migrate", "--database", "mysql://x/y"], {}, "mysql:// is no database"),
        (["migrate", "--database", "no/such/place.db"], {}, "no/such/place.db"),
        (["migrate", "--database", "postgresql://127.0.0.1:1/x"], {}, "cannot be reached"),
        (["migrate"], {"ESIM_PORT": "x"}, "ESIM_PORT: "),
    ],
)
def test_mistakes_are_told_in_one_line(
    run: Run, arguments: list[str], variables: dict[str, str], words: str
) -> None:
    line = refused(run(*arguments, **variables))
    assert line.startswith("error: ")
    assert words in line


@pytest.mark.parametrize("command", [["migrate"], ["catalogue", "load"], ["catalogue", "list"]])
def test_every_command_has_help_with_examples(run: Run, command: list[str]) -> None:
    text = run(*command, "--help").stdout
    assert "Examples:" in text
    assert f"esim-service {' '.join(command)}" in text
