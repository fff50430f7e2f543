"""Partners of a database with enough money, and a key without limits for each.

A process of its own, so that each version of the service prepares its own database: it prints the
keys as JSON, given the database and the number of partners.
"""

import asyncio
import json
import sys

from esim_service.domain import partners
from esim_service.domain.stamp import Stamp
from esim_service.keys import auth
from esim_service.store.drivers.migrate import migrate
from esim_service.store.drivers.open import open_database
from esim_service.store.statements.unit import Unit
from esim_service.values.clock import SystemClock
from esim_service.values.entities import Scope
from esim_service.values.ids import Ids

_CREDIT = 10_000_000 * 10_000
_NO_LIMIT = 1_000_000_000


async def issue(place: str, count: int) -> list[str]:
    """Set up a database with some partners; return their keys."""
    clock = SystemClock()
    stamp = Stamp(clock.now(), Ids(clock))
    texts = [auth.new_key("test") for _ in range(count)]

    def make() -> Unit[None]:
        for text in texts:
            partner = yield from partners.ensure(f"bench {text[-12:]}", stamp)
            scope = Scope(partner.partner_id, "test")
            yield from partners.credit(scope, _CREDIT, stamp)
            yield from partners.issue_key(
                scope,
                auth.digest(text),
                text[-4:],
                stamp,
                read_limit=_NO_LIMIT,
                write_limit=_NO_LIMIT,
            )

    async with open_database(place) as database:
        await migrate(database)
        await database.write(make)
    return texts


if __name__ == "__main__":
    print(json.dumps(asyncio.run(issue(sys.argv[1], int(sys.argv[2])))))
