"""eSIMs and their top-ups."""

from __future__ import annotations

from collections.abc import Sequence

from ...values.entities import Esim, Profile, Scope, Topup
from ..statements.unit import Row, Unit, execute, insert, row, rows


def add(esim: Esim) -> Unit[None]:
    """Store a new eSIM."""
    profile = esim.profile
    yield from insert(
        "esims",
        esim_id=esim.esim_id,
        iccid=profile.iccid,
        partner_id=esim.scope.partner_id,
        mode=esim.scope.mode,
        order_id=esim.order_id,
        plan_id=esim.plan_id,
        scenario=esim.scenario,
        status=esim.status,
        profile_status=esim.profile_status,
        smdp_address=profile.smdp_address,
        matching_id=profile.matching_id,
        confirmation_required=int(profile.confirmation_required),
        ios_install_url=profile.ios_install_url,
        total_bytes=esim.total_bytes,
        used_bytes=esim.used_bytes,
        observed_at=esim.observed_at,
        activated_at=esim.activated_at,
        validity_days=esim.validity_days,
        expires_at=esim.expires_at,
        topup_supported=_flag(esim.topup_supported),
        usage_reported=esim.usage_reported,
        expiring_reported=int(esim.expiring_reported),
        created_at=esim.created_at,
        updated_at=esim.updated_at,
    )


def save(esim: Esim) -> Unit[None]:
    """Store the state and the usage of an eSIM."""
    yield from execute(
        "UPDATE esims SET status = $2, profile_status = $3, total_bytes = $4, used_bytes = $5,"
        " observed_at = $6, activated_at = $7, validity_days = $8, expires_at = $9,"
        " usage_reported = $10, expiring_reported = $11, updated_at = $12 WHERE esim_id = $1",
        esim.esim_id,
        esim.status,
        esim.profile_status,
        esim.total_bytes,
        esim.used_bytes,
        esim.observed_at,
        esim.activated_at,
        esim.validity_days,
        esim.expires_at,
        esim.usage_reported,
        int(esim.expiring_reported),
        esim.updated_at,
    )


def find(scope: Scope, iccid: str) -> Unit[Esim | None]:
    """Find an eSIM of a partner."""
    found = yield from row(
        "SELECT * FROM esims WHERE iccid = $1 AND partner_id = $2 AND mode = $3",
        *(iccid, scope.partner_id, scope.mode),
    )
    return None if found is None else _esim(found)


def known(esim_id: str) -> Unit[Esim | None]:
    """Find an eSIM of any partner."""
    found = yield from row("SELECT * FROM esims WHERE esim_id = $1", esim_id)
    return None if found is None else _esim(found)


def page(scope: Scope, order_id: str | None, before: str, count: int) -> Unit[Sequence[Esim]]:
    """Return the eSIMs of a partner that are older than an id, newest first."""
    found = yield from rows(
        "SELECT * FROM esims WHERE partner_id = $1 AND mode = $2 AND esim_id < $3"
        + (" AND order_id = $5" if order_id is not None else "")
        + " ORDER BY esim_id DESC LIMIT $4",
        *(scope.partner_id, scope.mode, before, count),
        *([order_id] if order_id is not None else []),
    )
    return [_esim(each) for each in found]


def add_topup(topup: Topup) -> Unit[None]:
    """Store a new top-up."""
    yield from insert(
        "topups",
        topup_id=topup.topup_id,
        partner_id=topup.scope.partner_id,
        mode=topup.scope.mode,
        esim_id=topup.esim_id,
        iccid=topup.iccid,
        topup_plan_id=topup.topup_plan_id,
        reference=topup.reference,
        status=topup.status,
        days=topup.days,
        price=topup.price,
        total=topup.total,
        data_bytes=topup.data_bytes,
        validity_days=topup.validity_days,
        balance_after=topup.balance_after,
        created_at=topup.created_at,
        completed_at=topup.completed_at,
    )


def find_topup(topup_id: str) -> Unit[Topup | None]:
    """Find a top-up."""
    found = yield from row("SELECT * FROM topups WHERE topup_id = $1", topup_id)
    return None if found is None else _topup(found)


def finish_topup(topup: Topup) -> Unit[None]:
    """Store the outcome of a top-up."""
    yield from execute(
        "UPDATE topups SET status = $2, completed_at = $3 WHERE topup_id = $1",
        *(topup.topup_id, topup.status, topup.completed_at),
    )


def _flag(value: bool | None) -> int | None:
    return None if value is None else int(value)


def _esim(found: Row) -> Esim:
    supported = found["topup_supported"]
    return Esim(
        esim_id=found["esim_id"],
        scope=Scope(found["partner_id"], found["mode"]),
        order_id=found["order_id"],
        plan_id=found["plan_id"],
        scenario=found["scenario"],
        status=found["status"],
        profile=Profile(
            iccid=found["iccid"],
            smdp_address=found["smdp_address"],
            matching_id=found["matching_id"],
            confirmation_required=bool(found["confirmation_required"]),
            ios_install_url=found["ios_install_url"],
        ),
        profile_status=found["profile_status"],
        total_bytes=found["total_bytes"],
        used_bytes=found["used_bytes"],
        observed_at=found["observed_at"],
        activated_at=found["activated_at"],
        validity_days=found["validity_days"],
        expires_at=found["expires_at"],
        topup_supported=None if supported is None else bool(supported),
        usage_reported=found["usage_reported"],
        expiring_reported=bool(found["expiring_reported"]),
        created_at=found["created_at"],
        updated_at=found["updated_at"],
    )


def _topup(found: Row) -> Topup:
    return Topup(
        topup_id=found["topup_id"],
        scope=Scope(found["partner_id"], found["mode"]),
        esim_id=found["esim_id"],
        iccid=found["iccid"],
        topup_plan_id=found["topup_plan_id"],
        reference=found["reference"],
        status=found["status"],
        days=found["days"],
        price=found["price"],
        total=found["total"],
        data_bytes=found["data_bytes"],
        validity_days=found["validity_days"],
        balance_after=found["balance_after"],
        created_at=found["created_at"],
        completed_at=found["completed_at"],
    )
