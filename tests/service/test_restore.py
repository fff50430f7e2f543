"""A restore of SQLite replaces the database, or changes nothing, also if it is killed."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import httpx2
import pytest

from esim_service.store.changes.database import OperatorError, UnavailableError
from esim_service.store.drivers import dated_backups
from esim_service.store.drivers.restore import restore as put_in_place
from esim_service.store.drivers.sqlite import SqliteDatabase
from esim_service.store.statements.unit import execute
from esim_service.values.clock import DAY, SystemClock, moment

from . import dying_machine
from .manual_clock import ManualClock
from .running import DEADLINE, esim_service, eventually, serving

pytestmark = pytest.mark.anyio

Run = Callable[..., subprocess.CompletedProcess[str]]
PLACE = "esim.sqlite3"
BACKUP = "monday.sqlite3"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return partial(esim_service, cwd=tmp_path)


def partner(run: Run, name: str) -> None:
    assert run("keys", "create", "--partner", name, "--mode", "test").returncode == 0


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the error with which a command ends."""
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr.splitlines()[-1]


def names(path: Path) -> list[str]:
    """The partners in a file, with its log."""
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM partners ORDER BY name")]


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.is_file()}


def killed(path: Path, name: str) -> None:
    """Leave a database as a kill does: with a partner that is only in its log."""
    sql = "INSERT INTO partners (partner_id, name, status, created_at) VALUES (?, ?, 'active', 1)"
    beside = path.with_name(f"{path.name}-wal")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(sql, (f"prt_{name}", name))
        for mode in ("live", "test"):
            connection.execute(
                "INSERT INTO accounts (partner_id, mode, balance, low_threshold, low_reported,"
                " last_event, purged_event, updated_at) VALUES (?, ?, 0, 0, 0, 0, 0, 1)",
                (f"prt_{name}", mode),
            )
        connection.commit()
        file, log = path.read_bytes(), beside.read_bytes()
    path.write_bytes(file)
    beside.write_bytes(log)


@pytest.fixture
def prepared(run: Run, tmp_path: Path) -> Path:
    """A database of three partners, of which a backup has one, and the log the last."""
    partner(run, "first")
    assert run("backup", BACKUP).stdout == f"copied to {BACKUP}\n"
    partner(run, "second")
    killed(tmp_path / PLACE, "third")
    assert names(tmp_path / BACKUP) == ["first"]
    return tmp_path


ALL = ["first", "second", "third"]


def test_a_backup_takes_the_place_of_the_database(run: Run, prepared: Path) -> None:
    first, second = run("restore", BACKUP).stdout.splitlines()
    assert first == f"restored {BACKUP}"
    [former] = [word.removesuffix(":") for word in second.split() if PLACE in word]
    # It is complete without a log.
    assert (prepared / PLACE).read_bytes()[18] == 1
    assert [line.split()[0] for line in run("partners", "list").stdout.splitlines()] == ["first"]
    # Nothing is lost: what the log had is kept, too.
    assert names(Path(former)) == ALL
    assert run("restore", former).returncode == 0
    assert names(prepared / PLACE) == ALL
    assert names(prepared / BACKUP) == ["first"]


def test_a_backup_is_restored_where_there_is_nothing(run: Run, prepared: Path) -> None:
    assert run("restore", BACKUP, "--database", "new.db").stdout == f"restored {BACKUP}\n"
    assert names(prepared / "new.db") == ["first"]
    assert (prepared / "new.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_database_keeps_its_owner(run: Run, prepared: Path) -> None:
    os.chown(prepared / PLACE, 65533, 65534)
    assert run("restore", BACKUP).returncode == 0
    status = (prepared / PLACE).stat()
    assert (status.st_uid, status.st_gid) == (65533, 65534)


def test_a_backup_is_one_file_without_a_log(run: Run, prepared: Path) -> None:
    with closing(sqlite3.connect(f"{(prepared / BACKUP).as_uri()}?mode=ro", uri=True)) as copy:
        assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert copy.execute("SELECT COUNT(*) FROM partners").fetchone() == (1,)
    assert [path.name for path in prepared.glob(f"{BACKUP}*")] == [BACKUP]


def test_a_database_that_is_served_is_not_replaced(run: Run, tmp_path: Path) -> None:
    with serving(PLACE, tmp_path) as running:
        running.key(partner="first")
        running.run("backup", BACKUP)
        running.key(partner="second")
        assert "in use by another process" in refused(run("restore", BACKUP))
        assert len(running.run("partners", "list").splitlines()) == 2


def older(path: Path) -> None:
    """Take back the last migrations of a database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE accounts DROP COLUMN feed_epoch")
        connection.execute("ALTER TABLE answers DROP COLUMN payload_version")
        connection.execute("ALTER TABLE accounts DROP COLUMN epoch")
        connection.execute("DROP TABLE ended_epochs")
        connection.execute("DROP INDEX esims_by_order")
        connection.execute("CREATE INDEX esims_of_order ON esims (order_id)")
        connection.execute("DELETE FROM schema_version WHERE version > 7")
        connection.commit()


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO schema_version (version) VALUES (9000)")
        connection.commit()


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
        connection.commit()


def page_of(connection: sqlite3.Connection, table: str) -> int:
    """The offset in the file of the first page of a table."""
    [[page]] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,))
    [[size]] = connection.execute("PRAGMA page_size")
    return (int(page) - 1) * int(size)


def destroy(path: Path, *tables: str) -> None:
    """Overwrite the first page of tables, as a faulty disk does."""
    with closing(sqlite3.connect(path)) as connection:
        offsets = [page_of(connection, table) for table in tables]
    with path.open("rb+") as file:
        for offset in offsets:
            file.seek(offset)
            file.write(b"\xff" * 512)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.write_bytes(b"no database" * 500), "not a database"),
        (lambda path: path.write_bytes(b""), "not a database of esim-service"),
        (foreign, "not a database of esim-service"),
        (newer, "install a newer esim-service"),
        (lambda path: destroy(path, "partners"), "is corrupt"),
    ],
    ids=["garbage", "empty", "foreign", "newer", "corrupt"],
)
def test_a_backup_that_is_none_changes_nothing(
    run: Run, prepared: Path, spoil: Callable[[Path], None], words: str
) -> None:
    spoil(prepared / BACKUP)
    before = contents(prepared)
    line = refused(run("restore", BACKUP))
    assert words in line and BACKUP in line
    after = contents(prepared)
    after.pop(f"{PLACE}.lock")
    before.pop(f"{PLACE}.lock", None)
    assert after == before


def test_the_database_itself_is_not_restored(run: Run, prepared: Path) -> None:
    (prepared / "link").symlink_to(PLACE)
    for same in (PLACE, "link"):
        assert "is the database itself" in refused(run("restore", same))
    assert names(prepared / PLACE) == ALL


def test_an_older_backup_is_migrated_and_stays_as_it_is(run: Run, prepared: Path) -> None:
    older(prepared / BACKUP)
    before = (prepared / BACKUP).read_bytes()
    assert run("restore", BACKUP).returncode == 0
    assert run("migrate").stdout == "nothing to do\n"
    assert (prepared / BACKUP).read_bytes() == before


# Kills itself before the step with a number: each name that changes, and each wait for the disk.
KILLED = """
import os, signal, sys
from pathlib import Path
from esim_service.store.drivers import restore, sqlite_file

left = int(sys.argv[1])

def stepping(step):
    def stepped(*args, **kwargs):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(*args, **kwargs)
    return stepped

Path.rename = stepping(Path.rename)
for module in (restore, sqlite_file):
    module.sync = stepping(module.sync)
restore.seal = stepping(restore.seal)
restore.restore(Path(sys.argv[2]), Path(sys.argv[3]), lambda copied: None)
"""


def interrupted(prepared: Path) -> Iterator[Path]:
    """Yield a copy of the directory for each step of a restore, at which it was killed."""
    for step in count():
        directory = shutil.copytree(prepared, prepared.parent / f"step {step}")
        command = [sys.executable, "-c", KILLED, str(step), BACKUP, PLACE]
        code = subprocess.run(command, cwd=directory, check=False).returncode
        if code == 0:
            assert step >= 9
            return
        assert code == -signal.SIGKILL
        yield directory


async def test_a_restore_that_is_killed_is_finished_or_has_changed_nothing(prepared: Path) -> None:
    results = []
    for directory in interrupted(prepared):
        seen, again = (shutil.copytree(directory, directory / name) for name in ("seen", "again"))
        # Whatever opens the file finds one of the two databases, or none.
        if (seen / PLACE).exists():
            assert names(seen / PLACE) in (["first"], ALL)
        # A command beside a service, which does not finish a restore, shows none until then.
        listed = esim_service("partners", "list", cwd=directory)
        shown = [line.split("\t")[0] for line in listed.stdout.splitlines()]
        if not shown:
            assert "interrupted" in listed.stderr or "does not exist" in listed.stderr
        opened = SqliteDatabase(directory / PLACE)
        await opened.close()
        results.append(names(directory / PLACE))
        assert shown in ([], results[-1])
        # The next restore is not hindered, and loses nothing.
        done = esim_service("restore", BACKUP, cwd=again)
        assert done.returncode == 0, done.stderr
        assert names(again / PLACE) == ["first"]
        assert ALL in [names(path) for path in again.glob(f"{PLACE}.2*Z")]
        assert [path.name for path in again.iterdir() if ".restored" in path.name] == []
    assert results == sorted(results, key=len, reverse=True)
    assert {tuple(result) for result in results} == {tuple(ALL), ("first",)}


def test_what_an_interrupted_restore_has_left_does_no_harm(run: Run, prepared: Path) -> None:
    (prepared / f"{PLACE}.restored.part").write_bytes(b"half of a page" * 100)
    log = (prepared / f"{PLACE}-wal").read_bytes()
    (prepared / f"{PLACE}.restored.part-wal").write_bytes(log)
    assert run("restore", BACKUP).returncode == 0
    assert names(prepared / PLACE) == ["first"]


@pytest.mark.parametrize("command", ["serve --port=0 --metrics-port=0", "partners list", "migrate"])
def test_the_log_of_another_file_is_not_applied_to_a_copy(
    run: Run, prepared: Path, command: str
) -> None:
    """The copy is correct, but its log would make it the database before the restore."""
    (prepared / PLACE).write_bytes((prepared / BACKUP).read_bytes())
    before = contents(prepared)
    line = refused(run(*command.split()))
    assert f"{PLACE}-wal" in line and "esim-service restore" in line
    after = contents(prepared)
    assert {name: after[name] for name in (PLACE, f"{PLACE}-wal")} == {
        name: before[name] for name in (PLACE, f"{PLACE}-wal")
    }
    assert run("restore", BACKUP).returncode == 0
    assert names(prepared / PLACE) == ["first"]


async def test_after_a_kill_a_corrupt_database_is_not_opened(prepared: Path) -> None:
    path = prepared / PLACE
    with closing(sqlite3.connect(path)) as connection:
        offset = page_of(connection, "orders")
        file, log = path.read_bytes(), path.with_name(f"{PLACE}-wal").read_bytes()
    spoiled = file[:offset] + b"\xff" * 512 + file[offset + 512 :]
    path.write_bytes(spoiled)
    path.with_name(f"{PLACE}-wal").write_bytes(log)
    with pytest.raises(OperatorError, match=r"is corrupt .*esim-service restore"):
        SqliteDatabase(path)
    # It is left as it was, for whoever examines it.
    assert path.read_bytes() == spoiled
    assert path.with_name(f"{PLACE}-wal").read_bytes() == log


async def test_a_copy_over_a_file_in_use_is_noticed(prepared: Path) -> None:
    opened = SqliteDatabase(prepared / PLACE)
    await opened.check(0)
    sql = (
        "INSERT INTO partners (partner_id, name, status, created_at) VALUES ('p', 'p', 'active', 1)"
    )
    await opened.write(partial(execute, sql))
    (prepared / PLACE).write_bytes((prepared / BACKUP).read_bytes())
    with pytest.raises((OperatorError, UnavailableError), match="esim-service restore"):
        await opened.check(0)
    await opened.close()


def test_a_service_on_a_corrupt_file_is_not_ready_and_says_what_to_do(tmp_path: Path) -> None:
    with serving(PLACE, tmp_path) as running:
        key = running.key()
        with running.client(key) as client:
            client.orders.create(plan_id="pln_jp-5gb-30d", reference="r")
        assert running.stop() == 0
    destroy(tmp_path / PLACE, "orders", "orders_of_account")
    with serving(PLACE, tmp_path) as running:
        headers = {"Authorization": f"Bearer {key}"}
        with httpx2.Client(base_url=running.base_url, headers=headers, timeout=DEADLINE) as http:
            answer = http.get("/orders")
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
            # From then on nothing is written to it.
            assert http.get("/balance").status_code == 503
        ready = httpx2.get(f"{running.operations}/readyz")
        assert ready.status_code == 503
        assert "is corrupt" in ready.text and "esim-service restore" in ready.text
        lines = eventually(lambda: [e for e in running.log() if "is corrupt" in str(e["event"])])
        assert [line["level"] for line in lines].count("error") == 1
        assert "esim-service restore" in str(lines[0]["event"])


def test_backups_in_a_directory_are_kept_by_age(run: Run, tmp_path: Path) -> None:
    partner(run, "first")
    directory = tmp_path / "backups"
    directory.mkdir()
    recent = dated_backups.name(directory, Path(PLACE), SystemClock().now() - DAY // 2).name
    names_before = {
        "esim-20200101T000000Z.sqlite3": False,
        "esim-20261301T000000Z.sqlite3": True,
        "esim-live-20200101T000000Z.sqlite3": True,
        "other-20200101T000000Z.sqlite3": True,
        "esim.sqlite3": True,
        "esim-20200101T000000Z.sqlite3.gz": True,
        recent: True,
    }
    for name in names_before:
        (directory / name).touch()
    made, removed = run("backup", "backups", "--keep", "1d").stdout.splitlines()
    assert removed == "removed 1 older backups"
    kept = {path.name for path in directory.iterdir()}
    new = Path(made.removeprefix("copied to "))
    assert kept == {new.name, *(name for name, is_kept in names_before.items() if is_kept)}
    partner(run, "second")
    assert run("restore", str(new)).returncode == 0
    assert names(tmp_path / PLACE) == ["first"]


def test_old_backups_are_removed_only_after_a_new_one_is_made(run: Run, tmp_path: Path) -> None:
    partner(run, "first")
    old = tmp_path / "backups" / "esim-20200101T000000Z.sqlite3"
    old.parent.mkdir()
    old.touch()
    destroy(tmp_path / PLACE, "partners")
    assert "is corrupt" in refused(run("backup", "backups", "--keep", "1d"))
    assert [path.name for path in old.parent.iterdir()] == [old.name]
    assert "is not a directory" in refused(run("backup", "x.db", "--keep", "1d"))


def test_the_name_of_a_backup_is_its_time(clock: ManualClock) -> None:
    made = dated_backups.name(Path("there"), Path("esim.sqlite3"), clock.now())
    assert made == Path(f"there/esim-{moment(clock.now()):%Y%m%dT%H%M%SZ}.sqlite3")


async def test_postgresql_has_tools_of_its_own(run: Run, prepared: Path, postgres_url: str) -> None:
    line = refused(run("restore", BACKUP, "--database", postgres_url))
    for word in ("pg_restore", "esim-service expire-cursors", "esim-service doctor"):
        assert word in line
    done = run("expire-cursors", "--database", postgres_url)
    assert done.stdout == "all cursors of the event feed have expired\n"


def test_a_machine_that_dies_twice_in_a_restore_loses_nothing(prepared: Path) -> None:
    command = [sys.executable, dying_machine.__file__, str(prepared), BACKUP, PLACE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    directories = [Path(line) for line in done.stdout.splitlines()]
    assert len(directories) > 100
    for directory in directories:
        # What opens the file is told to wait, or there is one of the two databases.
        if not (directory / f"{PLACE}.restored").exists():
            assert names(directory / PLACE) in (["first"], ALL)
        put_in_place(directory / BACKUP, directory / PLACE, lambda copied: None)
        assert names(directory / PLACE) == ["first"]
        assert ALL in [names(path) for path in directory.glob(f"{PLACE}.2*Z")]
        assert [path.name for path in directory.iterdir() if ".restored" in path.name] == []
