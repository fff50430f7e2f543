"""The orders of a list that a query parameter chooses from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.keywords.order import OrderContract
from specwright.vocabulary.policy import DEFAULT
from specwright.vocabulary.types import Limits, Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """The query parameter chooses the order of the items of a list, in place of
    `x-contract-order`.
    """

    orders: Annotated[
        Mapping[Name, Annotated[OrderContract, DEFAULT]],
        Limits(minProperties=1),
        "The order for each value of the parameter.",
    ]


SORT = Keyword[Sort](
    "x-contract-sort",
    (Place.PARAMETER,),
    Sort,
    {
        "orders": {
            "price": {"by": "/price", "direction": "ascending"},
            "-price": {"by": "/price", "direction": "descending"},
        }
    },
    OBSERVED,
)
