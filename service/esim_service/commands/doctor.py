"""The command that examines a database and its surroundings."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal, TypeAlias, get_args

import click

from .. import settings
from ..domain import endpoints
from ..process.live_mode import require_fit_for_keys
from ..settings import ServiceSettings
from ..store.changes.database import Database, OperatorError, UnavailableError
from ..store.drivers.migrate import require_current
from ..store.drivers.sqlite import SqliteDatabase
from ..store.drivers.sqlite_file import REMEDY
from ..store.encryption import SecretBox
from ..store.statements.unit import rows
from ..store.tables import dates, jobs, outbox, partners, purchases
from ..values.clock import DAY, MINUTE
from .options import database_option, explains_mistakes, stamp, with_database

State: TypeAlias = Literal["ok", "warning", "error"]
# As a monitoring plug-in of Nagios exits.
_EXIT_CODES: Mapping[State, int] = {state: code for code, state in enumerate(get_args(State))}
# Of work that is due: a process that is there takes it within seconds.
_LATE = 5 * MINUTE
# Below this, the log of changes cannot grow for long.
_LEAST_FREE = 100_000_000
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class DatabaseExamination:
    """The database to examine, with the settings for it and the time."""

    database: Database
    settings: ServiceSettings
    now: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of one check."""

    check: str
    state: State
    message: str


_Verdict: TypeAlias = tuple[State, str]
_Check: TypeAlias = Callable[[DatabaseExamination], Awaitable[_Verdict]]


@click.command()
@database_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
@explains_mistakes
def doctor(database: str | None, form: str) -> None:
    """Examine the database and its surroundings, also while it is served.

    Checks, one a line: the integrity of the file, the version of the schema, balances against the
    ledger, orders and top-ups in progress, late deliveries and jobs, dates and clocks, keys and
    secrets, and free space. Columns, separated by tabs: check, state, explanation.

    The exit code is 0 if all is well, 1 if there are warnings, and 2 if there is an error or the
    database cannot be examined.

    \b
    Examples:
      esim-service doctor --database esim.sqlite3
      esim-service doctor --format json | jq -r '.checks[] | select(.state != "ok") | .message'
    """
    chosen = settings.load()

    async def examine_opened(opened: Database) -> Sequence[Diagnosis]:
        return await examine(DatabaseExamination(opened, chosen, stamp().now))

    diagnoses = with_database(database, examine_opened)
    worst = max((diagnosis.state for diagnosis in diagnoses), key=_EXIT_CODES.__getitem__)
    if form == "json":
        shown = {"state": worst, "checks": [asdict(diagnosis) for diagnosis in diagnoses]}
        click.echo(json.dumps(shown))
    else:
        for diagnosis in diagnoses:
            click.echo(f"{diagnosis.check}\t{diagnosis.state}\t{diagnosis.message}")
    sys.exit(_EXIT_CODES[worst])


async def examine(examination: DatabaseExamination) -> Sequence[Diagnosis]:
    """Return the results of all checks, or of those up to the first without which none counts."""
    diagnoses = []
    for name, check in _CHECKS.items():
        try:
            state, message = await check(examination)
        except (OperatorError, UnavailableError) as error:
            state, message = "error", str(error)
        diagnoses.append(Diagnosis(name, state, message))
        if state == "error" and name in _REQUIRED:
            break
    return diagnoses


async def _integrity(examination: DatabaseExamination) -> _Verdict:
    await examination.database.check(examination.now)
    if not isinstance(examination.database, SqliteDatabase):
        return "ok", "PostgreSQL responds; `pg_amcheck` examines its files"
    faults = await examination.database.read(partial(rows, "PRAGMA integrity_check(1)"))
    [fault] = (record["integrity_check"] for record in faults)
    if fault == "ok":
        return "ok", "the file is sound"
    return "error", f"the file is corrupt ({' '.join(fault.split())}): {REMEDY}"


async def _schema(examination: DatabaseExamination) -> _Verdict:
    await require_current(examination.database)
    return "ok", "the schema is that of this service"


async def _ledger(examination: DatabaseExamination) -> _Verdict:
    wrong = await examination.database.read(partners.wrong_balances)
    if wrong:
        return "error", f"the balance is not the sum of the ledger: {_some(wrong)}"
    return "ok", "all balances are the sums of their ledgers"


async def _purchases(examination: DatabaseExamination) -> _Verdict:
    lost = await examination.database.read(purchases.without_jobs)
    if lost:
        return "error", f"in progress, but without a job that finishes them: {_some(lost)}"
    return "ok", "all orders and top-ups in progress have their jobs"


async def _late_work(examination: DatabaseExamination) -> _Verdict:
    before = examination.now - _LATE
    deliveries = await examination.database.read(partial(outbox.count_due, before))
    due = await examination.database.read(partial(jobs.count_due, before))
    if deliveries or due:
        text = f"{deliveries} deliveries and {sum(due.values())} jobs have been due for 5 minutes"
        return "warning", f"{text}: is a `serve` or `worker` running?"
    return "ok", "no delivery and no job is late"


async def _clock(examination: DatabaseExamination) -> _Verdict:
    ahead = await examination.database.read(partial(dates.count_ahead, examination.now + DAY))
    if ahead:
        return "warning", f"{ahead} accounts are dated more than a day ahead: run `correct-dates`"
    return "ok", "no account is dated ahead"


async def _keys(examination: DatabaseExamination) -> _Verdict:
    box = SecretBox(examination.settings.encryption_keys)
    await examination.database.read(partial(endpoints.check_secrets, box.decrypt))
    await require_fit_for_keys(examination.settings, examination.database, examination.now)
    return "ok", "the settings have what the keys and the signing secrets need"


async def _disk(examination: DatabaseExamination) -> _Verdict:
    if not isinstance(examination.database, SqliteDatabase):
        return "ok", "the space of PostgreSQL is not examined"
    path = examination.database.path
    free, size = shutil.disk_usage(path.parent).free, path.stat().st_size
    text = f"{free / 1e9:.1f} GB are free"
    if free < _LEAST_FREE:
        return "error", f"{text}: writes will soon fail"
    if free < size:
        return "warning", f"{text}, and a backup or a restore needs {size / 1e9:.1f} GB"
    return "ok", text


_CHECKS: Mapping[str, _Check] = {
    "integrity": _integrity,
    "schema": _schema,
    "ledger": _ledger,
    "purchases": _purchases,
    "outbox": _late_work,
    "clock": _clock,
    "keys": _keys,
    "disk": _disk,
}
_REQUIRED = ("integrity", "schema")


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
