"""eSIMs by ICCID, the number that partners use, and their revocation."""

from __future__ import annotations

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import esims as store
from ..store.tables import jobs
from ..values.entities import Account, Esim, Scope
from . import lifecycle
from .stamp import Stamp


def find(scope: Scope, iccid: str) -> Unit[Esim]:
    """Return an eSIM of a partner.

    Raises:
        Problem: no eSIM has this ICCID.
    """
    esim = yield from store.find(scope, iccid)
    if esim is None:
        raise Problem("resource_not_found", "There is no such eSIM.", param="path.iccid")
    return esim


def revoke(esim_id: str, account: Account, stamp: Stamp) -> Unit[tuple[Account, bool]]:
    """Revoke an eSIM, which the carrier is not asked about again; return False if it was before."""
    esim = yield from store.known(account.scope, esim_id)
    if esim is None or esim.status == "revoked":
        return account, False
    yield from store.save(lifecycle.revoke(esim, stamp.date))
    yield from jobs.remove("observe", esim_id)
    return account, True
