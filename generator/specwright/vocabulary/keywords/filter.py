"""The items of a list that a query parameter keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Choice, InstancePointer


class Match(Choice):
    """The comparison that a filter makes; of a list, with each of its members."""

    EQUALS = "equals", "the property, or a member of it, is the value"
    EQUALS_IGNORE_CASE = "equals_ignore_case", "the same in lower or upper case"
    CONTAINS = "contains", "the value is a part of the text, or a member of the list"
    CONTAINS_IGNORE_CASE = "contains_ignore_case", "the same in lower or upper case"
    STARTS_WITH = "starts_with", "the text begins with the value"
    STARTS_WITH_IGNORE_CASE = "starts_with_ignore_case", "the same in lower or upper case"
    AT_LEAST = "at_least", "the number or the time is the value, or more"
    MORE_THAN = "more_than", "the number or the time is more than the value"
    AT_MOST = "at_most", "the number or the time is the value, or less"
    LESS_THAN = "less_than", "the number or the time is less than the value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The query parameter keeps only the items with a property that matches it."""

    property: Annotated[
        InstancePointer, Names(Target.ITEM), "The field of an item that is compared."
    ]
    match: Annotated[Match, "The comparison of that field with the value of the parameter."]


FILTER = Keyword[Filter](
    "x-contract-filter",
    (Place.PARAMETER,),
    Filter,
    {"property": "/status", "match": "equals"},
    OBSERVED,
)
