"""Members of requests that choose an item of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, declared
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFrom:
    """The property, in a request, is the id of an item of a list; any other id is refused."""

    list: Annotated[
        Name,
        Names(Target.OPERATION),
        "The operationId of the list, whose `x-contract-pagination` names the id of an item. Path "
        "parameters that it shares with the operation have the same value.",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredWhen:
    """The property is required for some of the items that a request can choose, and refused for
    all others.
    """

    of: Annotated[
        InstancePointer,
        Names(Target.CHOOSING_PROPERTY),
        "The place in the object that has the property of the member that chooses the item, by "
        "`x-contract-chosen-from`.",
    ]
    at: Annotated[InstancePointer, "The place of the compared value in the item."]
    values: Annotated[
        tuple[Name, ...],
        Limits(minItems=1, uniqueItems=True),
        "The values for which the property is required.",
    ]


CHOSEN_FROM = Keyword[ChosenFrom](
    "x-contract-chosen-from",
    (Place.PROPERTY,),
    Annotated[ChosenFrom, ChangePolicy(declared)],
    {"list": "listPlans"},
    OBSERVED,
)
REQUIRED_WHEN = Keyword[RequiredWhen](
    "x-contract-required-when",
    (Place.PROPERTY,),
    Annotated[RequiredWhen, ChangePolicy(declared)],
    {"of": "/plan_id", "at": "/billing", "values": ["monthly"]},
    OBSERVED,
)
