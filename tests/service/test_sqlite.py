"""SQLite in one process: the lock, a full disk, a killed process, a backup."""

import asyncio
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from esim_service.store.changes.database import OperatorError, UnavailableError
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.sqlite import SqliteDatabase
from esim_service.store.statements.unit import Unit, execute, rows

pytestmark = pytest.mark.anyio

INSERT = "INSERT INTO partners (partner_id, name, status, created_at) VALUES ($1, $2, 'active', 1)"


def add(name: str) -> Unit[None]:
    yield from execute(INSERT, name, name)


def names() -> Unit[list[str]]:
    found = yield from rows("SELECT name FROM partners ORDER BY name")
    return [row["name"] for row in found]


def setting(sql: str) -> Unit[object]:
    found: Any = yield from rows(sql)
    return found[0][0]


async def test_commits_reach_the_disk(sqlite: SqliteDatabase) -> None:
    assert await sqlite.write(partial(setting, "PRAGMA synchronous")) == 2
    assert await sqlite.read(partial(setting, "PRAGMA journal_mode")) == "wal"


async def test_many_requests_share_commits(sqlite: SqliteDatabase) -> None:
    # A connection sees its `data_version` change once for every commit of another one.
    before = await sqlite.read(partial(setting, "PRAGMA data_version"))
    await asyncio.gather(*(sqlite.write(partial(add, f"n{number}")) for number in range(300)))
    after = await sqlite.read(partial(setting, "PRAGMA data_version"))
    assert len(await sqlite.read(names)) == 300
    assert isinstance(before, int)
    assert isinstance(after, int)
    assert after - before < 100


def add_and_fail(name: str) -> Unit[None]:
    yield from add(name)
    yield from execute("CREATE TABLE left_behind (name TEXT)")
    raise ValueError(name)


async def test_of_a_commit_only_what_fails_is_undone(sqlite: SqliteDatabase) -> None:
    """Each change in a shared commit is atomic, even if the others fail."""
    wanted = [
        partial(add_and_fail if number % 10 == 9 else add, f"n{number:02}") for number in range(60)
    ]
    answers = await asyncio.gather(*map(sqlite.write, wanted), return_exceptions=True)
    assert [str(answer) for answer in answers if answer] == [
        f"n{number}9" for number in ["0", *"12345"]
    ]
    assert await sqlite.read(names) == [f"n{number:02}" for number in range(60) if number % 10 < 9]
    tables = await sqlite.read(partial(rows, "SELECT * FROM sqlite_master WHERE name LIKE 'left%'"))
    assert not tables


async def test_one_that_fails_alone_writes_nothing(sqlite: SqliteDatabase) -> None:
    with pytest.raises(ValueError, match="only"):
        await sqlite.write(partial(add_and_fail, "only"))
    with pytest.raises(ValueError, match="only"):
        await sqlite.write(partial(add_and_fail, "only"))
    assert await sqlite.read(names) == []


async def test_a_second_process_is_refused(sqlite: SqliteDatabase) -> None:
    with pytest.raises(OperatorError, match="in use by another process"):
        SqliteDatabase(sqlite.path)


async def test_the_file_is_free_after_close(tmp_path: Path) -> None:
    for _ in range(2):
        opened = SqliteDatabase(tmp_path / "service.db")
        await opened.close()
    with pytest.raises(UnavailableError):
        await opened.read(names)


@pytest.mark.parametrize("content", [b"this is no database, but it is long enough to be one" * 20])
async def test_a_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(OperatorError, match=r"notes\.txt cannot be used as a database"):
        SqliteDatabase(path)
    assert path.read_bytes() == content


async def test_a_directory_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"missing/service\.db\.lock cannot be written"):
        SqliteDatabase(tmp_path / "missing" / "service.db")


async def test_a_full_disk_refuses_writes_and_recovers(sqlite: SqliteDatabase) -> None:
    await sqlite.write(partial(add, "before"))
    pages = await sqlite.write(partial(setting, "PRAGMA page_count"))
    await sqlite.write(partial(setting, f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(UnavailableError, match="the disk is full"):
        for number in range(100):
            await sqlite.write(partial(add, f"{number}" + "x" * 1000))
    kept = await sqlite.read(names)
    assert "before" in kept
    await sqlite.write(partial(setting, "PRAGMA max_page_count = 1000000"))
    await sqlite.write(partial(add, "after"))
    assert await sqlite.read(names) == sorted([*kept, "after"])


async def test_a_full_disk_acknowledges_nothing_that_is_lost(sqlite: SqliteDatabase) -> None:
    pages = await sqlite.write(partial(setting, "PRAGMA page_count"))
    await sqlite.write(partial(setting, f"PRAGMA max_page_count = {pages}"))
    wanted = [f"{number}" + "x" * 500 for number in range(200)]
    answers = await asyncio.gather(
        *(sqlite.write(partial(add, name)) for name in wanted), return_exceptions=True
    )
    done = [name for name, answer in zip(wanted, answers, strict=True) if answer is None]
    assert any(isinstance(answer, UnavailableError) for answer in answers)
    assert await sqlite.read(names) == sorted(done)


async def test_a_backup_is_complete_while_others_write(
    sqlite: SqliteDatabase, tmp_path: Path
) -> None:
    await sqlite.write(partial(add, "before"))
    target = tmp_path / "copy.db"
    await asyncio.gather(
        sqlite.backup(target), *(sqlite.write(partial(add, f"n{number}")) for number in range(50))
    )
    copy = SqliteDatabase(target)
    assert await migrate(copy) == []
    assert "before" in await copy.read(names)
    await copy.close()


async def test_a_backup_that_fails_leaves_no_file(sqlite: SqliteDatabase, tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot be written"):
        await sqlite.backup(tmp_path / "missing" / "copy.db")
    assert not list(tmp_path.glob("**/*.part"))


async def test_a_file_that_is_away_takes_no_writes(sqlite: SqliteDatabase, tmp_path: Path) -> None:
    await sqlite.write(partial(add, "before"))
    away = sqlite.path.rename(tmp_path / "away.db")
    with pytest.raises(UnavailableError, match="removed or replaced"):
        await sqlite.write(partial(add, "lost"))
    away.rename(sqlite.path)
    assert await sqlite.read(names) == ["before"]


KILLED = """
import asyncio, sys
from functools import partial
from pathlib import Path
from typing import Any
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.sqlite import SqliteDatabase
from tests.service.test_sqlite import add

async def main() -> None:
    database = SqliteDatabase(Path(sys.argv[1]))
    await migrate(database)
    for number in range(100_000):
        await database.write(partial(add, f"n{number:06}"))
        print(f"n{number:06}", flush=True)

asyncio.run(main())
"""


async def test_what_was_answered_survives_kill_9(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "service.db"
    for _ in range(3):
        path.unlink(missing_ok=True)
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, path], cwd=root, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            answered = [process.stdout.readline().strip() for _ in range(20)]
            process.send_signal(signal.SIGKILL)
            answered += [line.strip() for line in process.stdout if line.endswith("\n")]
        database = SqliteDatabase(path)
        assert set(answered) <= set(await database.read(names))
        await database.close()
        for rest in tmp_path.glob("service.db*"):
            rest.unlink()
