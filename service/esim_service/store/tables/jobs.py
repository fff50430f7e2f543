"""Jobs that wait for the carrier, or for a point in the lifecycle of an eSIM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, count
from typing import get_args

from ...values.entities import Job, JobKind
from ..statements.unit import Unit, execute, rows
from . import epochs

# The index of due jobs begins with the kind.
_ANY_KIND = ", ".join(f"'{kind}'" for kind in get_args(JobKind))


def add(job: Job) -> Unit[None]:
    """Queue a job; there is at most one of a kind per subject."""
    yield from epochs.insert(
        "jobs",
        job.scope,
        job_id=job.job_id,
        kind=job.kind,
        subject_id=job.subject_id,
        attempts=job.attempts,
        due_at=job.due_at,
    )


def remove(kind: JobKind, subject_id: str) -> Unit[None]:
    """Remove the job of a kind for a subject."""
    yield from execute("DELETE FROM jobs WHERE subject_id = $1 AND kind = $2", subject_id, kind)


def take(now: int, room: Mapping[JobKind, int], lease_until: int) -> Unit[Sequence[Job]]:
    """Claim due jobs that no other worker is claiming, the oldest of each kind, up to its room."""
    # One statement, as an idle process sends nothing else.
    oldest = (
        "SELECT job_id FROM (SELECT job_id FROM jobs WHERE"
        f" kind = ${place} AND due_at <= $2 ORDER BY due_at LIMIT ${place + 1}"
        f" FOR UPDATE SKIP LOCKED) AS {kind}"
        for place, kind in zip(count(3, 2), room, strict=False)
    )
    result = yield from rows(
        f"WITH oldest AS MATERIALIZED ({' UNION ALL '.join(oldest)})"
        " UPDATE jobs SET due_at = $1 WHERE job_id IN (SELECT job_id FROM oldest) RETURNING *",
        lease_until,
        now,
        *chain.from_iterable(room.items()),
    )
    return [
        Job(
            job_id=row["job_id"],
            scope=epochs.scope_of(row),
            kind=row["kind"],
            subject_id=row["subject_id"],
            attempts=row["attempts"],
            due_at=row["due_at"],
        )
        for row in result
    ]


def postpone(job: Job, due_at: int, attempts: int) -> Unit[None]:
    """Postpone a claimed job, unless its lease has ended and another worker has claimed it."""
    yield from execute(
        "UPDATE jobs SET due_at = $3, attempts = $4 WHERE job_id = $1 AND due_at = $2",
        *(job.job_id, job.due_at, due_at, attempts),
    )


def release(job: Job, due_at: int) -> Unit[None]:
    """Change the due time of a claimed job, unless it is being changed or removed.

    A caller that releases several jobs holds some while it gets to others, and so must not wait.
    """
    yield from execute(
        "UPDATE jobs SET due_at = $3 WHERE job_id IN (SELECT job_id FROM jobs"
        " WHERE job_id = $1 AND due_at = $2 FOR UPDATE SKIP LOCKED)",
        *(job.job_id, job.due_at, due_at),
    )


def make_due(job_id: str, now: int) -> Unit[bool]:
    """Make a job due at once; return False if it has ended."""
    result = yield from rows(
        "UPDATE jobs SET due_at = $2 WHERE job_id = $1 RETURNING job_id", *(job_id, now)
    )
    return bool(result)


def take_over(now: int) -> Unit[None]:
    """Make claimed orders and top-ups due, after the process that claimed them has ended."""
    yield from execute(
        "UPDATE jobs SET due_at = $1 WHERE kind IN ('provision', 'topup')"
        " AND attempts = 0 AND due_at > $1",
        now,
    )


def count_due(now: int) -> Unit[Mapping[str, int]]:
    """Return the number of due jobs of each kind."""
    result = yield from rows(
        f"SELECT kind, COUNT(*) AS due FROM jobs WHERE kind IN ({_ANY_KIND}) AND due_at <= $1"
        " GROUP BY kind",
        now,
    )
    return {record["kind"]: record["due"] for record in result}
