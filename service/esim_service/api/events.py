"""The operations on the event feed."""

from __future__ import annotations

from functools import partial
from typing import Any

from partner_esim import models
from partner_esim.server import Context, Events, Reply

from ..domain import events
from .backend import ApiBackend, list_body, scope_of


class EventGroup(Events):
    """The event feed."""

    def __init__(self, backend: ApiBackend) -> None:
        self._backend = backend

    async def list_events(
        self, *, type: models.EventTypeName | None, limit: int, cursor: str | None, context: Context
    ) -> Reply[models.EventList]:
        """List events, oldest first, with the cursor of the next page."""
        scope = scope_of(context)
        cursors, place = self._backend.cursors, ("events", scope.partner_id, scope.mode, type)
        after = None if cursor is None else _place(cursors.decode(cursor, *place))
        items, more, last = await self._backend.read(
            scope, partial(events.feed, scope, after, type, limit), limit
        )
        # The events keep the exact bytes that webhooks deliver.
        following = cursors.encode([last.sequence, last.event_id, last.epoch], *place)
        return Reply(list_body((event.body for event in items), more, following))


def _place(position: Any) -> events.FeedPosition:
    # Older cursors of the feed have no epoch, and the oldest are only a number.
    return events.FeedPosition(*position if isinstance(position, list) else (position, None))
