"""What an observation of an eSIM leaves behind: its new state, events, and the next moment."""

from __future__ import annotations

from ..store.statements.unit import Unit
from ..store.tables import esims, jobs
from ..values.entities import Account, Job
from . import bodies, events, lifecycle
from .lifecycle import NextReport, Observation
from .record_stamp import Stamp


def follow(
    job: Job,
    report: Observation | None,
    attempts: int,
    next_report: NextReport,
    account: Account,
    stamp: Stamp,
) -> Unit[tuple[Account, None]]:
    """Apply a report, or without one the time alone, and let the job be due again.

    Args:
        job: the claimed job that follows the eSIM; it ends with the eSIM.
        attempts: how often the carrier was asked in vain since its last answer.
    """
    esim = yield from esims.known(job.subject_id)
    now = stamp.now
    if esim is None:
        # What has removed it has removed the job as well.
        return account, None
    after, happened = (
        lifecycle.elapse(esim, now) if report is None else lifecycle.observe(esim, report, now)
    )
    # Shown before it is stored: what the contract cannot show must not be there.
    data = bodies.checked_esim(after)
    if after != esim:
        yield from esims.save(after)
    due_at = lifecycle.next_look(after, now, next_report)
    if due_at is None:
        yield from jobs.remove("observe", job.subject_id)
    else:
        yield from jobs.postpone(job, due_at, attempts)
    for each in happened:
        account = yield from events.emit(
            account, each.type, data, stamp, threshold=each.threshold_percent
        )
    return account, None
