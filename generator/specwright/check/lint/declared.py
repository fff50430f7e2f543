"""Declarations of a document that may be wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import jsonschema_rs

from specwright.vocabulary.keyword import Keyword

T = TypeVar("T")


@cache
def validator(keyword: Keyword[Any]) -> jsonschema_rs.Validator:
    """Return what decides whether a declaration has its shape."""
    return jsonschema_rs.Draft202012Validator(keyword.schema(), mask="this")


def declared(keyword: Keyword[T], holder: Mapping[str, Any]) -> T | None:
    """Return what an object declares; None also for the wrong shape, which is a finding."""
    if keyword.name in holder and validator(keyword).is_valid(holder[keyword.name]):
        return keyword.read(holder)
    return None
