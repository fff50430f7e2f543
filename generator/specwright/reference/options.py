"""The choices of a project for its reference."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReferenceOptions:
    """The choices of a project for its reference.

    Attributes:
        is_site: whether each group of operations has a page of its own; otherwise, everything is
            in `index.html`.
        has_download: whether readers can download the document.
    """

    is_site: bool = False
    has_download: bool = True
