"""A service to try out: a key, and lines to copy into a shell."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

from ..domain import partners
from ..domain.stamp import Stamp
from ..http import document
from ..keys import auth
from ..settings import ServiceSettings
from ..store.changes.database import OperatorError
from ..store.drivers.open import open_database
from ..store.statements.unit import Unit
from ..values.clock import SystemClock
from ..values.entities import PartnerKey, Scope
from ..values.ids import Ids

PARTNER = "demo"
_PLAN = "pln_jp-5gb-30d"
_PROGRAM = (
    "from partner_esim import EsimClient; "
    f'print(EsimClient().orders.create(plan_id="{_PLAN}", reference="first"))'
)


def reaching_receiver(settings: ServiceSettings) -> ServiceSettings:
    """Return settings with which `specwright listen` gets webhooks, unless they are set already.

    Raises:
        OperatorError: the user has no home directory.
    """
    if settings.webhook_allow_cidr or settings.webhook_ca_file:
        return settings
    try:
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise OperatorError("there is no home directory: set XDG_CACHE_HOME") from None
    # The file exists once that command has created it.
    authority = Path(caches, "esim-service", "receiver", "authority.pem").absolute()
    reach = {"webhook_allow_cidr": (ip_network("127.0.0.1"),), "webhook_ca_file": authority}
    return settings.model_copy(update=reach)


async def issue_key(place: str) -> str:
    """Issue a test key next to the service that has the database open, and return it."""
    text = auth.new_key("test")
    clock = SystemClock()

    def make() -> Unit[PartnerKey]:
        stamp = Stamp(clock.now(), Ids(clock))
        owner = yield from partners.ensure(PARTNER, stamp)
        scope = Scope(owner.partner_id, "test")
        return (yield from partners.issue_key(scope, auth.digest(text), text[-4:], stamp))

    async with open_database(place, exclusive=False) as database:
        await database.write(make)
    return text


def lines(key: str, base_url: str, authority: Path | None) -> Iterator[str]:
    """Yield the lines to copy; the last one runs until it is interrupted.

    Args:
        authority: the CA file of webhook receivers, if any.
    """
    python = shlex.quote(sys.executable)
    yield f"export PARTNER_ESIM_API_KEY={key} PARTNER_ESIM_BASE_URL={shlex.quote(base_url)}"
    yield (
        'curl --header "Authorization: Bearer $PARTNER_ESIM_API_KEY" '
        '"$PARTNER_ESIM_BASE_URL/plans?country=JP"'
    )
    yield f"{python} -c {shlex.quote(_PROGRAM)}"
    if authority is not None:
        beside = Path(sys.executable).with_name("specwright")
        command = shlex.quote(str(beside)) if beside.is_file() else beside.name
        yield (
            f'{command} listen "$PARTNER_ESIM_BASE_URL" --api-key-env PARTNER_ESIM_API_KEY '
            f"--document {shlex.quote(str(document.FILE))} "
            f"--receiver-authority {shlex.quote(str(authority.parent))}"
        )
