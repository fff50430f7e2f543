"""The items of a list that a query parameter keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Choice, InstancePointer


class Match(Choice):
    """The comparison that a filter makes."""

    EQUALS = "equals"
    EQUALS_IGNORE_CASE = "equals_ignore_case"
    CONTAINS = "contains"
    CONTAINS_IGNORE_CASE = "contains_ignore_case"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The query parameter keeps only the items with a property that matches it."""

    property: Annotated[
        InstancePointer, Names(Target.ITEM), "The field of an item that is compared."
    ]
    match: Annotated[
        Match,
        "The comparison: with the whole value or, for a list, with one of its members; "
        "case-sensitive or not.",
    ]


FILTER = Keyword[Filter](
    "x-contract-filter",
    (Place.PARAMETER,),
    Filter,
    {"property": "/status", "match": "equals"},
    OBSERVED,
)
