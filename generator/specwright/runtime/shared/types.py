"""Types of generated models: what JSON Schema says where Pydantic's own types say more or less."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import PydanticCustomError, core_schema
from pydantic_core.core_schema import CoreSchema


@dataclass(frozen=True, slots=True)
class Once:
    """Marks a value that one response shows and no other (`x-contract-once`)."""


@dataclass(frozen=True, slots=True)
class Sensitive:
    """Marks a value that is not for everybody's eyes (`x-contract-sensitive`)."""


class Model(BaseModel):
    """The class that all generated models derive from."""

    # Schemas are built when a model is first used: an import builds none.
    model_config = ConfigDict(
        defer_build=True, validate_by_name=True, validate_by_alias=True, protected_namespaces=()
    )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Hide values that are shown only once, or sensitive."""
        fields = type(self).model_fields
        for name, value in super().__repr_args__():
            field = fields.get(name or "")
            if field is not None and any(isinstance(m, Once | Sensitive) for m in field.metadata):
                value = "**********"
            yield name, value


@dataclass(frozen=True, slots=True)
class _Strict:
    """Takes the JSON string alone, where Pydantic would take a number of seconds, too."""

    schema: Callable[[], CoreSchema]

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return self.schema()


_aware = partial(core_schema.datetime_schema, strict=True, tz_constraint="aware")
AwareDatetime = Annotated[datetime.datetime, _Strict(_aware)]
date = Annotated[datetime.date, _Strict(partial(core_schema.date_schema, strict=True))]
time = Annotated[datetime.time, _Strict(partial(core_schema.time_schema, strict=True))]


@dataclass(frozen=True, slots=True)
class DecimalString:
    """A `Decimal` that travels as a JSON string of the given pattern (`format: decimal`)."""

    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.str_schema(
            strict=True,
            pattern=self.pattern,
            min_length=self.min_length,
            max_length=self.max_length,
        )
        read = core_schema.chain_schema([text, core_schema.decimal_schema()])
        return core_schema.json_or_python_schema(
            read,
            core_schema.no_info_before_validator_function(_plain, read),
            serialization=core_schema.plain_serializer_function_ser_schema(
                _plain, when_used="json"
            ),
        )


def _plain(value: Any) -> Any:
    return f"{value:f}" if isinstance(value, decimal.Decimal) else value


@dataclass(frozen=True, slots=True)
class OpenUnion:
    """A union of models told apart by one property, open to values of it that come later.

    A known value selects its model, whose errors are then final; any other value selects the
    last model of the union.
    """

    discriminator: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        *known, unknown = get_args(source)
        choices = {
            tag: handler.generate_schema(model) for model in known for tag in self._tags(model)
        }
        return core_schema.union_schema(
            [
                core_schema.tagged_union_schema(choices, self.discriminator),
                core_schema.no_info_after_validator_function(
                    self._guard(frozenset(choices)), handler.generate_schema(unknown)
                ),
            ],
            mode="left_to_right",
        )

    def _tags(self, model: type[BaseModel]) -> Sequence[str]:
        for name, field in model.model_fields.items():
            if (field.alias or name) == self.discriminator:
                return get_args(field.annotation)
        raise TypeError(f"{model.__name__} has no property {self.discriminator!r}")

    def _guard(self, known: frozenset[str]) -> Any:
        def guard(value: BaseModel) -> BaseModel:
            if getattr(value, self.discriminator) in known:
                raise PydanticCustomError(
                    "known_tag", "Input has a known type but breaks its schema"
                )
            return value

        return guard
