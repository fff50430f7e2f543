"""Alternatives of a `oneOf` that overlap: a value that one of them is likely to have fits another.

JSON Schema accepts no value that fits several alternatives (2020-12, core, 10.2.1.3). Where these
are values to expect, such as any text beside a list of texts, authors mean `anyOf`.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminator_object import DISCRIMINATOR
from specwright.json_values import JsonValue, mapping, sequence
from specwright.pointer import join
from specwright.samples.witnesses import Witnesses


class Overlap(NamedTuple):
    """A value that fits two alternatives, which are given by their positions."""

    value: JsonValue
    first: int
    second: int


def overlap(witnesses: Witnesses, union: Subschema) -> Overlap | None:
    """Return an overlap of a union's alternatives, which no discriminator tells apart."""
    schema = mapping(union.value)
    alternatives = sequence(schema.get("oneOf"))
    if DISCRIMINATOR in schema or len(alternatives) < 2:
        return None
    members = [union.pointer + join("oneOf", index) for index in range(len(alternatives))]
    for value in chain(*map(witnesses.of, members), [None]):
        if not witnesses.fits_beside(schema, "oneOf", value):
            continue
        fits = (index for index, member in enumerate(members) if witnesses.is_valid(member, value))
        first, second = next(fits, None), next(fits, None)
        if first is not None and second is not None:
            return Overlap(value, first, second)
    return None
