"""The commands about API keys."""

from __future__ import annotations

import click

from .. import settings
from ..domain import partners
from ..keys import auth
from ..process.safeguard import require_live
from ..store import partners as store
from ..store.database import Database, OperatorError
from ..store.migrate import migrate_new, require_current
from ..store.unit import Unit
from ..values.clock import moment
from ..values.entities import ApiKey, Mode, Scope
from .options import database_option, explains_mistakes, stamp, with_database

_LIMIT = click.IntRange(0, 1_000_000_000)


@click.group("keys")
def keys_group() -> None:
    """The keys that partners send with each request."""


@keys_group.command("create")
@database_option
@click.option("--partner", required=True, help="The name of the partner, who is made if need be.")
@click.option("--mode", type=click.Choice(["test", "live"]), required=True)
@click.option("--read-limit", type=_LIMIT, help="Reads per minute, in place of the contract's.")
@click.option("--write-limit", type=_LIMIT, help="Writes per minute, in place of the contract's.")
@click.option("--plain", is_flag=True, help="Print the key and nothing else.")
@explains_mistakes
def keys_create(
    database: str | None,
    partner: str,
    mode: Mode,
    read_limit: int | None,
    write_limit: int | None,
    plain: bool,
) -> None:
    """Make a key and show it, this once.

    A partner starts with 1000.00 USD in test mode and with nothing in live mode: see
    `esim-service partners credit`.

    \b
    Examples:
      esim-service keys create --partner acme --mode test
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

    def make() -> Unit[ApiKey]:
        now = stamp()
        owner = yield from partners.ensure(name, now)
        return (
            yield from partners.issue_key(
                Scope(owner.partner_id, mode),
                auth.digest(text),
                text[-4:],
                now,
                read_limit=read_limit,
                write_limit=write_limit,
            )
        )

    async def issue(opened: Database) -> ApiKey:
        await migrate_new(opened)
        await require_current(opened)
        return await opened.write(make)

    key = with_database(database, issue, makes=True)
    if not plain:
        click.echo(f"{key.key_id} for {name}, {mode} mode. It is not shown again:")
    click.echo(text)


@keys_group.command("list")
@database_option
@explains_mistakes
def keys_list(database: str | None) -> None:
    """List all keys: id, partner, mode, last four characters, state, limits, with tabs between.

    \b
    Examples:
      esim-service keys list
      esim-service keys list --database esim.sqlite3 | grep acme
    """

    def read() -> Unit[list[str]]:
        names = {each.partner_id: each.name for each in (yield from store.all_partners())}
        return [_line(key, names[key.scope.partner_id]) for key in (yield from store.keys())]

    async def work(opened: Database) -> list[str]:
        await require_current(opened)
        return await opened.read(read)

    for line in with_database(database, work):
        click.echo(line)


@keys_group.command("revoke")
@click.argument("key_id")
@database_option
@explains_mistakes
def keys_revoke(key_id: str, database: str | None) -> None:
    """Revoke the key with the id KEY_ID; running services refuse it within a few seconds.

    To replace a key without a break, create the new one first.

    \b
    Examples:
      esim-service keys revoke key_01kjpx8nh0aqdvgyy0jrsyegax
    """

    async def work(opened: Database) -> bool:
        await require_current(opened)
        return await opened.write(lambda: store.revoke_key(key_id, stamp().now))

    if not with_database(database, work):
        raise OperatorError(f"there is no key {key_id} in force: see `esim-service keys list`")
    click.echo(f"revoked {key_id}")


def _line(key: ApiKey, partner: str) -> str:
    revoked = key.revoked_at
    state = "in force" if revoked is None else f"revoked {moment(revoked):%Y-%m-%dT%H:%M:%SZ}"
    limits = (key.read_limit, key.write_limit)
    own = "/".join("-" if each is None else str(each) for each in limits)
    return "\t".join((key.key_id, partner, key.scope.mode, f"…{key.hint}", state, own))
