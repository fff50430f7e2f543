"""What new records are stamped with: an id and the time."""

from __future__ import annotations

from dataclasses import dataclass

from ..values.ids import Ids, Prefix


@dataclass(frozen=True, slots=True)
class Stamp:
    """The time of one unit of work, and ids for what it makes."""

    now: int
    ids: Ids

    def new(self, prefix: Prefix) -> str:
        """Return a new id of this time: ids stand in the order of the times beside them."""
        return self.ids.at(self.now, prefix)
