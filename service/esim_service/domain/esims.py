"""eSIMs by ICCID, the number that partners use."""

from __future__ import annotations

from partner_esim.server import Problem

from ..store.statements.unit import Unit
from ..store.tables import esims as store
from ..values.entities import Esim, Scope


def find(scope: Scope, iccid: str) -> Unit[Esim]:
    """Return an eSIM of a partner.

    Raises:
        Problem: no eSIM has this ICCID.
    """
    esim = yield from store.find(scope, iccid)
    if esim is None:
        raise Problem("resource_not_found", "There is no such eSIM.", param="path.iccid")
    return esim
