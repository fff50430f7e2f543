"""Parts that both services share: work after a response, streams, and a page beside the API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from store import Row, Store

logger = logging.getLogger("helpdesk")


def notify(ticket_id: int, subject: str) -> None:
    """Tell the agents; a real one sends a message."""
    logger.info("ticket %s: %s", ticket_id, subject)


def make_report(store: Store, report_id: int) -> None:
    with store.begin() as tables:
        tables.make_report(report_id)


async def follow(store: Store, ticket_id: int) -> AsyncIterator[Row]:
    """Yield the changes of a ticket until it is closed or deleted."""
    last = 0
    while True:
        rows = await asyncio.to_thread(_changes, store, ticket_id, last)
        for row in rows:
            last = row["id"]
            yield {"kind": row["kind"], "at": row["at"]}
        if not await asyncio.to_thread(_is_open, store, ticket_id):
            return
        await asyncio.sleep(0.2)


def _changes(store: Store, ticket_id: int, after: int) -> list[Row]:
    with store.begin() as tables:
        return tables.changes(ticket_id, after)


def _is_open(store: Store, ticket_id: int) -> bool:
    with store.begin() as tables:
        return tables.is_open(ticket_id)


def disposition(name: str) -> dict[str, str]:
    """Return the header for a download with this name."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}


def page(request: Request) -> Response:
    return PlainTextResponse("Helpdesk: the API is at /api.")
