"""The effects of an observation of an eSIM: its new state, events, and the next check."""

from __future__ import annotations

from ..store.statements.unit import Unit
from ..store.tables import esims, jobs
from ..values.entities import Account, Job
from . import bodies, events, lifecycle
from .lifecycle import NextReport, Observation
from .stamp import Stamp


def follow(
    job: Job,
    report: Observation | None,
    attempts: int,
    next_report: NextReport,
    account: Account,
    stamp: Stamp,
) -> Unit[tuple[Account, bool]]:
    """Apply a report, or without one the passing of time alone, and schedule the job again.

    Returns the account, and whether the eSIM has expired without an announcement.

    Args:
        job: the claimed job that follows the eSIM; it ends with the eSIM.
        attempts: the failed requests to the carrier since its last response.
    """
    esim = yield from esims.known(account.scope, job.subject_id)
    now = stamp.now
    if esim is None:
        # A reset has ended its epoch, with which the job is removed as well.
        return account, False
    after, happened = (
        lifecycle.elapse(esim, now) if report is None else lifecycle.observe(esim, report, now)
    )
    # Checked before it is stored: an eSIM that the contract does not allow must not be stored.
    data = bodies.checked_esim(after)
    if after != esim:
        yield from esims.save(after)
    due_at = lifecycle.next_look(after, now, next_report)
    if due_at is None:
        yield from jobs.remove("observe", job.subject_id)
    else:
        yield from jobs.postpone(job, due_at, attempts)
    for event in happened:
        account = yield from events.emit(
            account, event.type, data, stamp, threshold=event.threshold_percent
        )
    return account, lifecycle.EXPIRED in happened and not after.expiring_reported
