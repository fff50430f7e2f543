"""eSIMs and their top-ups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...values.entities import Esim, Profile, Scope, Topup
from ..statements.unit import Row, Unit, Value, execute, row, rows
from . import epochs
from .epochs import OF_ACCOUNT


@dataclass(frozen=True, slots=True)
class EsimFilter:
    """A filter for the eSIMs of all partners; None matches all."""

    iccid: str | None = None
    partner: str | None = None
    status: str | None = None
    profile_status: str | None = None


def add(esim: Esim) -> Unit[None]:
    """Store a new eSIM."""
    profile = esim.profile
    yield from epochs.insert(
        "esims",
        esim.scope,
        esim_id=esim.esim_id,
        iccid=profile.iccid,
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
    record = yield from row(
        f"SELECT * FROM esims WHERE {OF_ACCOUNT} AND iccid = $3",
        *(scope.partner_id, scope.mode, iccid),
    )
    return None if record is None else _esim(record)


def known(scope: Scope, esim_id: str) -> Unit[Esim | None]:
    """Find an eSIM of a partner by its id, which partners do not use."""
    record = yield from row(
        f"SELECT * FROM esims WHERE {OF_ACCOUNT} AND esim_id = $3",
        *(scope.partner_id, scope.mode, esim_id),
    )
    return None if record is None else _esim(record)


def page(scope: Scope, order_id: str | None, before: str, count: int) -> Unit[Sequence[Esim]]:
    """Return the eSIMs of a partner that are older than an id, newest first."""
    result = yield from rows(
        f"SELECT * FROM esims WHERE {OF_ACCOUNT} AND esim_id < $3"
        + (" AND order_id = $5" if order_id is not None else "")
        + " ORDER BY esim_id DESC LIMIT $4",
        *(scope.partner_id, scope.mode, before, count),
        *([order_id] if order_id is not None else []),
    )
    return [_esim(record) for record in result]


def newest(wanted: EsimFilter, count: int) -> Unit[Sequence[tuple[Esim, str]]]:
    """Return eSIMs with the names of their partners, newest first."""
    values: Mapping[str, Value] = {
        "e.iccid": wanted.iccid,
        "p.name": wanted.partner,
        "e.status": wanted.status,
        "e.profile_status": wanted.profile_status,
    }
    columns = [column for column, value in values.items() if value is not None]
    where = "".join(f" AND {column} = ${number}" for number, column in enumerate(columns, start=2))
    result = yield from rows(
        "SELECT e.*, p.name FROM esims e JOIN partners p ON p.partner_id = e.partner_id"
        " JOIN accounts o ON o.partner_id = e.partner_id AND o.epoch = e.mode"
        f" WHERE TRUE{where} ORDER BY e.esim_id DESC LIMIT $1",
        *(count, *(values[column] for column in columns)),
    )
    return [(_esim(record), record["name"]) for record in result]


def add_topup(topup: Topup) -> Unit[None]:
    """Store a new top-up."""
    yield from epochs.insert(
        "topups",
        topup.scope,
        topup_id=topup.topup_id,
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


def find_topup(scope: Scope, topup_id: str) -> Unit[Topup | None]:
    """Find a top-up of a partner."""
    record = yield from row(
        f"SELECT * FROM topups WHERE {OF_ACCOUNT} AND topup_id = $3",
        *(scope.partner_id, scope.mode, topup_id),
    )
    return None if record is None else _topup(record)


def finish_topup(topup: Topup) -> Unit[None]:
    """Store the outcome of a top-up."""
    yield from execute(
        "UPDATE topups SET status = $2, completed_at = $3 WHERE topup_id = $1",
        *(topup.topup_id, topup.status, topup.completed_at),
    )


def _flag(value: bool | None) -> int | None:
    return None if value is None else int(value)


def _esim(record: Row) -> Esim:
    supported = record["topup_supported"]
    return Esim(
        esim_id=record["esim_id"],
        scope=epochs.scope_of(record),
        order_id=record["order_id"],
        plan_id=record["plan_id"],
        scenario=record["scenario"],
        status=record["status"],
        profile=Profile(
            iccid=record["iccid"],
            smdp_address=record["smdp_address"],
            matching_id=record["matching_id"],
            confirmation_required=bool(record["confirmation_required"]),
            ios_install_url=record["ios_install_url"],
        ),
        profile_status=record["profile_status"],
        total_bytes=record["total_bytes"],
        used_bytes=record["used_bytes"],
        observed_at=record["observed_at"],
        activated_at=record["activated_at"],
        validity_days=record["validity_days"],
        expires_at=record["expires_at"],
        topup_supported=None if supported is None else bool(supported),
        usage_reported=record["usage_reported"],
        expiring_reported=bool(record["expiring_reported"]),
        created_at=record["created_at"],
        updated_at=record["updated_at"],
    )


def _topup(record: Row) -> Topup:
    return Topup(
        topup_id=record["topup_id"],
        scope=epochs.scope_of(record),
        esim_id=record["esim_id"],
        iccid=record["iccid"],
        topup_plan_id=record["topup_plan_id"],
        reference=record["reference"],
        status=record["status"],
        days=record["days"],
        price=record["price"],
        total=record["total"],
        data_bytes=record["data_bytes"],
        validity_days=record["validity_days"],
        balance_after=record["balance_after"],
        created_at=record["created_at"],
        completed_at=record["completed_at"],
    )
