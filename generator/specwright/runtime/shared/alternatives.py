"""Unions with exactly one alternative per value (`oneOf`, JSON Schema 2020-12, 10.2.1.3)."""

from __future__ import annotations

from functools import cached_property
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, SchemaSerializer, core_schema

from .checking import TEST, noted
from .codec import Checker

T = TypeVar("T")
_ANYTHING = SchemaSerializer(core_schema.any_schema())


class OneOf:
    """Marks a union that rejects values matching several alternatives when they are sent.

    Such values are accepted when received: alternatives may become similar over time.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        if get_origin(source) not in (Union, UnionType):
            return schema
        members = [argument for argument in get_args(source) if argument is not NoneType]
        return cast("CoreSchema", noted(dict(schema), TEST, _Alternatives(members).test))


class _Alternatives:
    def __init__(self, members: list[Any]) -> None:
        self._members = members

    @cached_property
    def _checkers(self) -> list[Checker[Any]]:
        return [Checker(member) for member in self._members]

    def test(self, value: T) -> T:
        data = _ANYTHING.to_json(value, by_alias=True, exclude_unset=True)
        if sum(checker.accepts(data) for checker in self._checkers) > 1:
            raise PydanticCustomError("one_of", "Input matches more than one alternative")
        return value
