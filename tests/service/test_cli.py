"""The command `esim-service`, as a shell runs it."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click
import pytest

from esim_service import catalogue
from esim_service.cli import main

from .running import CARRIER, esim_service

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the installed command in an empty directory, without settings but these."""
    return partial(esim_service, cwd=tmp_path)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that tells an operator the reason."""
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    return line


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The two kinds of database, without a schema yet."""
    if request.param == "sqlite":
        return str(tmp_path / "service.db")
    url: str = request.getfixturevalue("empty_postgres")
    return url


@pytest.mark.anyio
async def test_a_database_is_made_and_filled(run: Run, place: str) -> None:
    assert run("migrate", "--database", place).stdout.startswith("applied ")
    assert run("migrate", ESIM_DATABASE=place).stdout == "nothing to do\n"
    ours = catalogue.load(catalogue.default_path())
    loaded = run("catalogue", "load", "--database", place).stdout
    assert loaded == f"loaded {len(ours.plans)} plans and {len(ours.topup_plans)} top-up plans\n"
    lines = run("catalogue", "list", ESIM_DATABASE=place).stdout.splitlines()
    assert len(lines) == len(ours.plans)
    assert "pln_jp-5gb-30d\t4.50\tJapan 5 GB, 30 days" in lines


def test_another_catalogue_takes_the_place_of_the_first(run: Run, tmp_path: Path) -> None:
    content = json.loads(catalogue.default_path().read_bytes())
    plans = [plan for plan in content["plans"] if plan["plan_id"] == "pln_rs-5gb-30d"]
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
        (["migrate", "--database", "mysql://x/y"], {}, "mysql:// is not supported"),
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


def commands(group: click.Group, *path: str) -> Iterator[list[str]]:
    """The words of every command of a group."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)
        else:
            yield [*path, name]


@pytest.mark.parametrize("command", list(commands(main)), ids=" ".join)
def test_every_command_has_help_with_examples(run: Run, command: list[str]) -> None:
    text = run(*command, "--help").stdout
    assert "Examples:" in text
    assert f"esim-service {' '.join(command)}" in text


KEY = re.compile(r"pes_(test|live)_[0-9a-f]{48}")


@pytest.mark.anyio
async def test_keys_are_shown_once_and_make_their_partner(run: Run, place: str) -> None:
    run("migrate", "--database", place)
    create = partial(run, "keys", "create", "--partner", "acme", ESIM_DATABASE=place)
    first = create("--mode", "live", "--plain", **CARRIER).stdout.removesuffix("\n")
    assert KEY.fullmatch(first)
    second = create("--mode", "test", "--read-limit", "9").stdout
    assert KEY.search(second)
    lines = run("keys", "list", ESIM_DATABASE=place).stdout
    assert first not in lines and first[-4:] in lines
    one, two = (line.split("\t") for line in lines.splitlines())
    assert (one[1:3], two[1:3], two[5]) == (["acme", "live"], ["acme", "test"], "9/-")
    assert run("keys", "revoke", one[0], ESIM_DATABASE=place).returncode == 0
    assert "revoked" in run("keys", "list", ESIM_DATABASE=place).stdout
    assert one[0] in refused(run("keys", "revoke", one[0], ESIM_DATABASE=place))
    assert run("partners", "list", ESIM_DATABASE=place).stdout == (
        "acme\tactive\tlive 0.00\ttest 1000.00\n"
    )


@pytest.mark.anyio
async def test_an_operator_pays_in_and_suspends(run: Run, place: str) -> None:
    database = {"ESIM_DATABASE": place}
    run("migrate", **database)
    run("keys", "create", "--partner", "acme", "--mode", "live", **database, **CARRIER)
    credit = partial(run, "partners", "credit", **database)
    assert credit("acme", "12.5").stdout == "acme has 12.50 USD in live mode\n"
    assert credit("acme", "--", "-2.50").stdout == "acme has 10.00 USD in live mode\n"
    assert credit("acme", "1", "--mode", "test").stdout == "acme has 1001.00 USD in test mode\n"
    assert "no partner nobody" in refused(credit("nobody", "1"))
    assert "more than an account can hold" in refused(credit("acme", "999999999"))
    for wrong in ("x", "0.00001", "NaN", "1e12"):
        done = credit("acme", wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr
    run("partners", "suspend", "acme", **database)
    assert run("partners", "list", **database).stdout.startswith("acme\tsuspended\tlive 10.00\t")
    run("partners", "activate", "acme", **database)
    assert run("partners", "list", **database).stdout.startswith("acme\tactive\t")


@pytest.mark.anyio
async def test_keys_say_until_when_they_are_in_force(run: Run, place: str) -> None:
    run("migrate", "--database", place)
    create = partial(run, "keys", "create", "--partner", "acme", "--mode", "test")
    for options in (["--expires-in", "90d"], ["--expires-at", "9999-12-31T23:59:59+00:00"], []):
        assert create(*options, ESIM_DATABASE=place).returncode == 0
    states = [
        line.split("\t")[4] for line in run("keys", "list", ESIM_DATABASE=place).stdout.splitlines()
    ]
    assert re.fullmatch(r"in force until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", states[0])
    assert states[1:] == ["in force until 9999-12-31T23:59:59Z", "in force"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--expires-in", "0d"], "a duration like 90d"),
        (["--expires-in", "soon"], "a duration like 90d"),
        (["--expires-at", "2027-01-31T00:00:00"], "a time with a time zone"),
        (["--expires-at", "soon"], "a time with a time zone"),
        (["--expires-at", "9999-12-31T23:59:59-01:00"], "a time with a time zone"),
        (["--expires-at", "2001-01-31T00:00:00Z"], "is in the past"),
        (["--expires-in", "1d", "--expires-at", "2999-01-31T00:00:00Z"], "mutually exclusive"),
    ],
)
def test_a_key_that_could_never_be_used_is_not_made(
    run: Run, tmp_path: Path, options: list[str], words: str
) -> None:
    done = run("keys", "create", "--partner", "acme", "--mode", "test", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\x1b[2J", "a\nb", "a\u202eb"])
def test_a_partner_has_a_name_that_can_be_printed(run: Run, tmp_path: Path, name: str) -> None:
    done = run("keys", "create", "--partner", name, "--mode", "test")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--partner" in done.stderr and done.stderr.isascii()
    assert not list(tmp_path.iterdir())


def test_a_key_may_come_before_the_service(run: Run, tmp_path: Path) -> None:
    done = run("keys", "create", "--partner", "acme", "--mode", "test", "--plain")
    assert KEY.fullmatch(done.stdout.strip())
    assert (tmp_path / "esim.sqlite3").exists()


@pytest.mark.parametrize("command", [["keys", "list"], ["partners", "list"], ["backup", "x.db"]])
def test_no_command_makes_a_file_by_mistake(run: Run, tmp_path: Path, command: list[str]) -> None:
    line = refused(run(*command, "--database", "typo.db"))
    assert "typo.db does not exist" in line
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_refused_where_it_would_do_harm(run: Run, tmp_path: Path) -> None:
    run("migrate", "--database", "a.db")
    backup = partial(run, "backup", ESIM_DATABASE="a.db")
    assert "is the database itself" in refused(backup("a.db"))
    (tmp_path / "link.db").symlink_to("a.db")
    assert "is the database itself" in refused(backup("link.db"))
    assert "no/such/place.db" in refused(backup("no/such/place.db"))


@pytest.mark.anyio
async def test_a_backup_of_postgresql_has_tools_of_its_own(run: Run, empty_postgres: str) -> None:
    assert "pg_dump" in refused(run("backup", "x.db", "--database", empty_postgres))
