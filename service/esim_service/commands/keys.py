"""The commands for API keys."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from .. import settings
from ..domain import partners
from ..keys import auth
from ..process.live_mode import require_live
from ..store.changes.database import Database, OperatorError
from ..store.drivers.migrate import migrate_new, require_current
from ..store.statements.unit import Unit
from ..store.tables import partners as store
from ..values.clock import SECOND
from ..values.entities import Mode, PartnerKey, Scope
from .options import (
    DurationType,
    database_option,
    explains_mistakes,
    read_from,
    stamp,
    time,
    with_database,
    write_to,
)

_LIMIT = click.IntRange(0, 1_000_000_000)


class TimeType(click.ParamType[int]):
    """A point in time, in milliseconds since 1970."""

    name = "moment"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the milliseconds of a text like `2027-01-31T00:00:00Z`."""
        try:
            parsed = datetime.fromisoformat(str(value))
            if parsed.tzinfo is not None:
                return int(parsed.astimezone(UTC).timestamp()) * SECOND
        except (ValueError, OverflowError):
            pass
        self.fail(f"{value} is not a time with a time zone like 2027-01-31T00:00:00Z", param, ctx)


@click.group("keys")
def keys_group() -> None:
    """The keys that partners send with each request."""


@keys_group.command("create")
@database_option
@click.option("--partner", required=True, help="The name of the partner, created if missing.")
@click.option("--mode", type=click.Choice(["test", "live"]), required=True)
@click.option("--read-limit", type=_LIMIT, help="Reads per minute, instead of the default.")
@click.option("--write-limit", type=_LIMIT, help="Writes per minute, instead of the default.")
@click.option(
    "--expires-in", type=DurationType(), help="How long the key is in force, such as 90d or 12h."
)
@click.option(
    "--expires-at", type=TimeType(), help="When it expires, such as 2027-01-31T00:00:00Z."
)
@click.option("--plain", is_flag=True, help="Print the key and nothing else.")
@explains_mistakes
def keys_create(
    database: str | None,
    partner: str,
    mode: Mode,
    read_limit: int | None,
    write_limit: int | None,
    expires_in: int | None,
    expires_at: int | None,
    plain: bool,
) -> None:
    """Create a key and show it once.

    A partner starts with 1000.00 USD in test mode and with nothing in live mode: see
    `esim-service partners credit`. A key is in force until it is revoked, unless an option sets
    an expiry.

    \b
    Examples:
      esim-service keys create --partner acme --mode test
      esim-service keys create --partner acme --mode test --expires-in 90d
      KEY=$(esim-service keys create --partner acme --mode test --plain)
      esim-service keys create --partner load --mode test --read-limit 100000 --write-limit 100000
    """
    if mode == "live":
        require_live(settings.load())
    text = auth.new_key(mode)
    name = partner.strip()
    if not name:
        raise click.BadParameter("must not be empty", param_hint="--partner")
    if not name.isprintable():
        raise click.BadParameter("must have no control characters", param_hint="--partner")

    if expires_in is not None and expires_at is not None:
        raise click.UsageError("--expires-in and --expires-at are mutually exclusive")
    made_at = stamp()
    if expires_in is not None:
        expires_at = made_at.now + expires_in
    if expires_at is not None and expires_at <= made_at.now:
        raise click.BadParameter("is in the past", param_hint="--expires-at")

    def make() -> Unit[PartnerKey]:
        owner = yield from partners.ensure(name, made_at)
        return (
            yield from partners.issue_key(
                Scope(owner.partner_id, mode),
                auth.digest(text),
                text[-4:],
                made_at,
                read_limit=read_limit,
                write_limit=write_limit,
                expires_at=expires_at,
            )
        )

    async def issue(opened: Database) -> PartnerKey:
        await migrate_new(opened)
        await require_current(opened)
        return await opened.write(make)

    key = with_database(database, issue, creates=True)
    if not plain:
        click.echo(f"{key.key_id} for {name}, {mode} mode. It is not shown again:")
    click.echo(text)


@keys_group.command("list")
@database_option
@explains_mistakes
def keys_list(database: str | None) -> None:
    """List all keys: id, partner, mode, last four characters, state, limits, separated by tabs.

    \b
    Examples:
      esim-service keys list
      esim-service keys list --database esim.sqlite3 | grep acme
    """

    def read() -> Unit[list[str]]:
        names = {partner.partner_id: partner.name for partner in (yield from store.all_partners())}
        now = stamp().now
        return [_line(key, names[key.scope.partner_id], now) for key in (yield from store.keys())]

    for line in read_from(database, read):
        click.echo(line)


@keys_group.command("revoke")
@click.argument("key_id")
@database_option
@explains_mistakes
def keys_revoke(key_id: str, database: str | None) -> None:
    """Revoke the key with the id KEY_ID; running services reject it within a few seconds.

    To replace a key without downtime, create the new one first.

    \b
    Examples:
      esim-service keys revoke key_01kjpx8nh0aqdvgyy0jrsyegax
    """
    if not write_to(database, lambda: store.revoke_key(key_id, stamp().now)):
        raise OperatorError(f"there is no key {key_id} in force: see `esim-service keys list`")
    click.echo(f"revoked {key_id}")


def _line(key: PartnerKey, partner: str, now: int) -> str:
    limits = (key.read_limit, key.write_limit)
    own = "/".join("-" if limit is None else str(limit) for limit in limits)
    mode, hint = key.scope.mode, f"…{key.hint}"
    return "\t".join((key.key_id, partner, mode, hint, _state(key, now), own))


def _state(key: PartnerKey, now: int) -> str:
    if key.revoked_at is not None:
        return f"revoked {time(key.revoked_at)}"
    if key.expires_at is None:
        return "in force"
    return f"{'in force until' if now < key.expires_at else 'expired'} {time(key.expires_at)}"
