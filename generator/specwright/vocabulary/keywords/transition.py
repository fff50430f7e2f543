"""The states of a resource in which an operation is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from specwright.json_values import JsonValue, declared_mapping
from specwright.vocabulary.keyword import OBSERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, changed
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import InstancePointer, Limits, Name


def _has_fewer(before: JsonValue, after: JsonValue) -> bool:
    """Return whether a move was removed, or its promise of a state; null promises none."""
    old, new = declared_mapping(before), declared_mapping(after)
    return after is None or any(
        state not in new or to not in (None, new[state]) for state, to in old.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """The operation, at or below the path of a resource, is refused in all but a few states."""

    read: Annotated[
        Name,
        Names(Target.OPERATION),
        # New, it refuses calls that nothing has refused before.
        ChangePolicy(changed),
        "The operationId of the GET that returns the resource; the path of the operation is its "
        "path, or begins with it.",
    ]
    at: Annotated[
        InstancePointer,
        Names(Target.RESPONSE_BODY, operation="read"),
        "The place of the state in that response.",
    ]
    moves: Annotated[
        Mapping[
            Name,
            Annotated[Name | None, "The state after a success; null if it may be one of several."],
        ],
        Limits(minProperties=1),
        ChangePolicy(_has_fewer),
        "The states in which the operation is allowed.",
    ]


TRANSITION = Keyword[Transition](
    "x-contract-transition",
    (Place.OPERATION,),
    Transition,
    {"read": "getOrder", "at": "/status", "moves": {"open": "paid"}},
    OBSERVED,
    methods=("POST", "PUT", "PATCH", "DELETE"),
)
