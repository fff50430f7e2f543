"""Idempotency by reference: the same request gets the same response, forever."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import jobs
from ..store.tables import orders as store
from ..values.entities import Job, JobKind, Order, Scope
from ..values.ids import Prefix
from .stamp import Stamp

# Of the digests of payloads. It is stored beside them; one without a version has 0.
PAYLOAD_VERSION = 1


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """A request for an operation that is done once per reference.

    Attributes:
        payload: digest of the entire request.
        lease: how long its job is reserved for this process, in milliseconds.
        older_payloads: returns the digests in version 0 that differ from `payload`.
    """

    scope: Scope
    operation: str
    reference: str
    payload: bytes
    lease: int = 0
    older_payloads: Callable[[], Iterable[bytes]] = tuple

    @property
    def name(self) -> str:
        """The name that is held while the request is in progress."""
        return f"{self.scope.partner_id} {self.scope.mode} {self.operation} {self.reference}"


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The body of a success, and whether it is replayed from an earlier request.

    Attributes:
        job: the job that this process has already claimed, if any.
    """

    body: bytes
    is_replay: bool
    job: Job | None = None


def in_progress() -> Problem:
    """Return the problem of a reference with its first request still in progress."""
    return Problem(
        "reference_in_progress",
        "The first request with this reference is still in progress.",
        headers={"Retry-After": "1"},
    )


def replay(purchase: IdempotentRequest) -> Unit[StoredResponse | None]:
    """Return the stored response; None for an unused reference.

    Raises:
        Problem: the reference belongs to another payload.
    """
    known = yield from store.stored_response(purchase.scope, purchase.operation, purchase.reference)
    if known is None:
        return None
    payload, body, version = known
    older = purchase.older_payloads() if version < PAYLOAD_VERSION else ()
    if not any(hmac.compare_digest(payload, digest) for digest in (purchase.payload, *older)):
        raise Problem(
            "reference_reused", "This reference was used with another payload.", param="reference"
        )
    return StoredResponse(body, is_replay=True)


def store_response(purchase: IdempotentRequest, body: bytes) -> Unit[StoredResponse]:
    """Store the response for the reference, known to be unused under the account lock."""
    yield from store.add_response(
        purchase.scope,
        purchase.operation,
        purchase.reference,
        purchase.payload,
        PAYLOAD_VERSION,
        body,
    )
    return StoredResponse(body, is_replay=False)


def enqueue(
    purchase: IdempotentRequest,
    response: StoredResponse,
    kind: JobKind,
    subject_id: str,
    stamp: Stamp,
    order: Order | None = None,
) -> Unit[StoredResponse]:
    """Queue the job of the request, reserved for this process at first if it has a lease."""
    due_at = stamp.now + purchase.lease
    job = Job(stamp.new(Prefix.JOB), purchase.scope, kind, subject_id, 0, due_at, order)
    yield from jobs.add(job)
    return replace(response, job=job) if purchase.lease else response
