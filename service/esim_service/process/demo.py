"""A service to try out: a key, and lines to copy into a shell."""

from __future__ import annotations

import shlex
import sys
from ipaddress import ip_network

from ..domain import partners
from ..domain.record_stamp import Stamp
from ..keys import auth
from ..listener.identity import HOST, default_directory, identity
from ..settings import Settings
from ..store.drivers.open import open_database
from ..store.statements.unit import Unit
from ..values.clock import SystemClock
from ..values.entities import ApiKey, Scope
from ..values.ids import Ids

PARTNER = "demo"
_PLAN = "pln_jp-5gb-30d"
_PROGRAM = (
    "from partner_esim import EsimClient; "
    f'print(EsimClient().orders.create(plan_id="{_PLAN}", reference="first"))'
)


def reaching_listener(settings: Settings) -> Settings:
    """Return settings with which `esim-service listen` gets webhooks, unless others say how.

    Raises:
        OperatorError: there is no identity for it, and none can be made.
    """
    if settings.webhook_allow_cidr or settings.webhook_ca_file:
        return settings
    authority = identity(default_directory()).authority
    reach = {"webhook_allow_cidr": (ip_network(HOST),), "webhook_ca_file": authority}
    return settings.model_copy(update=reach)


async def issue_key(place: str) -> str:
    """Issue a test key beside the service that has the database open, and return it."""
    text = auth.new_key("test")
    clock = SystemClock()

    def make() -> Unit[ApiKey]:
        stamp = Stamp(clock.now(), Ids(clock))
        owner = yield from partners.ensure(PARTNER, stamp)
        scope = Scope(owner.partner_id, "test")
        return (yield from partners.issue_key(scope, auth.digest(text), text[-4:], stamp))

    async with open_database(place, alone=False) as database:
        await database.write(make)
    return text


def lines(key: str, base_url: str) -> tuple[str, ...]:
    """Return what to copy, line by line; the last one does not end by itself."""
    python, command = shlex.quote(sys.executable), shlex.quote(sys.argv[0])
    return (
        f"export PARTNER_ESIM_API_KEY={key} PARTNER_ESIM_BASE_URL={shlex.quote(base_url)}",
        'curl --header "Authorization: Bearer $PARTNER_ESIM_API_KEY" '
        '"$PARTNER_ESIM_BASE_URL/plans?country=JP"',
        f"{python} -c {shlex.quote(_PROGRAM)}",
        f"{command} listen",
    )
