"""Declarations of a document, which may be invalid."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

import jsonschema_rs

from specwright.json_values import JsonValue
from specwright.vocabulary.keyword import Keyword

T = TypeVar("T")


@cache
def validator(keyword: Keyword[JsonValue]) -> jsonschema_rs.Validator:
    """Return the validator of the shape of a declaration."""
    return jsonschema_rs.Draft202012Validator(keyword.schema(), mask="this")


def declared(keyword: Keyword[T], holder: Mapping[str, JsonValue]) -> T | None:
    """Return the declaration of an object; None also for an invalid shape, which is a finding."""
    if keyword.name in holder and validator(keyword).is_valid(holder[keyword.name]):
        return keyword.read(holder)
    return None
