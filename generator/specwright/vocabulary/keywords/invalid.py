"""The error code of a property for values of invalid form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from specwright.vocabulary.keyword import SERVED, Keyword, Place
from specwright.vocabulary.policy import ChangePolicy, changed
from specwright.vocabulary.reference import Names, Target
from specwright.vocabulary.types import Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid:
    """The error code for values of this property with an invalid form, instead of the code of the
    general condition.
    """

    code: Annotated[Name, Names(Target.ERROR_CODE), "A code listed in `x-contract-error`."]


INVALID = Keyword[Invalid](
    "x-contract-invalid",
    (Place.PROPERTY,),
    # Without it, requests get the code of the general condition.
    Annotated[Invalid, ChangePolicy(changed)],
    {"code": "invalid_url"},
    SERVED,
)
