"""The commands for the eSIMs of all partners."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import get_args

import click

from ..domain import esims
from ..domain.stamp import account_change
from ..store.changes.database import Database, OperatorError
from ..store.drivers.migrate import require_current
from ..store.tables import esims as store
from ..store.tables.esims import EsimFilter
from ..values.entities import Esim, EsimStatus
from .options import (
    database_option,
    explains_mistakes,
    json_option,
    read_from,
    stamp,
    time,
    with_database,
)


@click.group("esims")
def esims_group() -> None:
    """The eSIMs of all partners."""


@esims_group.command("list")
@database_option
@click.option("--iccid", help="Only the one with this ICCID.")
@click.option("--partner", help="Only those of the partner with this name.")
@click.option("--status", type=click.Choice(get_args(EsimStatus)), help="Only those in this state.")
@click.option("--profile-status", help="Only those whose profile is in this state, such as error.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
@explains_mistakes
def esims_list(
    database: str | None,
    iccid: str | None,
    partner: str | None,
    status: EsimStatus | None,
    profile_status: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List eSIMs, newest first.

    Columns, separated by tabs: ICCID, status, status of the profile, partner, mode, order, end of
    its validity.

    \b
    Examples:
      esim-service esims list --profile-status error
      esim-service esims list --partner acme --status active --json | jq -r .iccid
    """
    wanted = EsimFilter(iccid, partner, status, profile_status)
    for esim, name in read_from(database, partial(store.newest, wanted, limit)):
        shown = _object(esim, name)
        click.echo(json.dumps(shown) if as_json else "\t".join(shown.values()))


@esims_group.command("revoke")
@click.argument("iccid")
@database_option
@explains_mistakes
def esims_revoke(iccid: str, database: str | None) -> None:
    """Revoke the eSIM with the number ICCID for good, without a refund.

    Partners see the status `revoked`; the contract has no event for it. First revoke it at the
    carrier, which is not asked about it again. A carrier that reports the revocation itself has the
    same effect.

    \b
    Examples:
      esim-service esims revoke 8900000000000000012
    """

    async def revoke(opened: Database) -> bool:
        await require_current(opened)
        known = await opened.read(partial(store.newest, EsimFilter(iccid=iccid), 1))
        if not known:
            raise OperatorError(f"there is no eSIM {iccid}: see `esim-service esims list`")
        [(esim, _)] = known
        rule = partial(esims.revoke, esim.esim_id)
        return await opened.change(account_change(esim.scope, esim.esim_id, rule, stamp()))

    if not with_database(database, revoke):
        raise OperatorError(f"{iccid} has been revoked before")
    click.echo(f"{iccid} is revoked")


def _object(esim: Esim, partner: str) -> Mapping[str, str]:
    return {
        "iccid": esim.profile.iccid,
        "status": esim.status,
        "profile_status": esim.profile_status,
        "partner": partner,
        "mode": esim.scope.mode,
        "order_id": esim.order_id,
        "expires_at": time(esim.expires_at),
    }
