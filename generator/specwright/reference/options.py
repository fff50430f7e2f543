"""The choices of a project for its reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specwright.compare.changelog import ChangelogEntry


# The sample that calls the generated client.
CLIENT = "client"


@dataclass(frozen=True, slots=True)
class ReferenceOptions:
    """The choices of a project for its reference.

    Attributes:
        is_site: whether each group of operations has a page of its own; otherwise, everything is
            in `index.html`.
        has_download: whether readers can download the document.
        changes: the changes of versions, the newest first.
        samples: the samples of each operation: `CLIENT`, or names of programs.
    """

    is_site: bool = False
    has_download: bool = True
    changes: Sequence[ChangelogEntry] = ()
    samples: Sequence[str] = ("curl", CLIENT, "javascript")
