"""Turn JSON into models and back, as the operations' plans name them."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import SchemaSerializer, SchemaValidator

from .strict_json import scan


@dataclass(frozen=True, slots=True)
class Codec:
    """Validates and serialises values of one model or alias."""

    validator: SchemaValidator
    serializer: SchemaSerializer

    def decode(self, data: bytes) -> Any:
        """Validate a JSON document.

        Raises:
            pydantic.ValidationError: the document is not JSON or breaks the schema.
        """
        return self._decode(data, None)

    def read(self, data: bytes) -> Any:
        """Validate a JSON document that may have properties nobody knows yet; they are kept.

        Raises:
            pydantic.ValidationError: the document is not JSON or breaks the schema.
        """
        try:
            # Keeping what is unknown costs a third more, and mostly there is nothing unknown.
            return self.validator.validate_json(data, extra="forbid", by_alias=True, by_name=False)
        except ValidationError:
            return self._decode(data, "allow")

    def _decode(self, data: bytes, extra: Literal["allow"] | None) -> Any:
        try:
            return self.validator.validate_json(data, extra=extra, by_alias=True, by_name=False)
        except ValidationError:
            # JSON Schema calls `10.0` an integer (2020-12, 6.1.1), Pydantic does not.
            rewritten = _rewritten(data)
            if rewritten is None:
                raise
            return self.validator.validate_json(
                rewritten, extra=extra, by_alias=True, by_name=False
            )

    def check(self, value: object) -> Any:
        """Validate a Python value: a model, or what a model is made of.

        Raises:
            pydantic.ValidationError: the value breaks the schema.
        """
        return self.validator.validate_python(value, by_alias=True, by_name=True)

    def encode(self, value: object, *, exclude_unset: bool = False) -> bytes:
        """Write a value as JSON, without what only a default gave it when that is excluded.

        Raises:
            pydantic_core.PydanticSerializationError: a field of a model has a wrong value.
        """
        return self.serializer.to_json(
            value, by_alias=True, exclude_unset=exclude_unset, warnings="error"
        )

    def plain(self, value: object) -> Any:
        """Return a value as strings, numbers, booleans, lists and dictionaries."""
        return self.serializer.to_python(value, mode="json", by_alias=True)


class Codecs:
    """The codecs of a package's models by name, each built when it is first asked for."""

    def __init__(self, models: ModuleType) -> None:
        self._models = models
        self._built: dict[str, Codec] = {}

    def __getitem__(self, name: str) -> Codec:
        """Return the codec of the model `name`."""
        codec = self._built.get(name)
        if codec is None:
            codec = self._built[name] = _codec(getattr(self._models, name))
        return codec


def problems_of(value: str, error: ValidationError) -> str:
    """Say what is wrong with a value, without what it holds: that may be a secret."""
    return "; ".join(
        ".".join(map(str, (value, *problem["loc"]))) + ": " + problem["msg"]
        for problem in error.errors(include_url=False, include_context=False, include_input=False)
    )


def _codec(model: Any) -> Codec:
    if inspect.isclass(model) and issubclass(model, BaseModel):
        model.model_rebuild()
        validator = cast("SchemaValidator", model.__pydantic_validator__)
        return Codec(validator, model.__pydantic_serializer__)
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    return Codec(cast("SchemaValidator", adapter.validator), adapter.serializer)


def _rewritten(data: bytes) -> bytes | None:
    try:
        rewritten = scan(data)
    except ValueError:
        return None
    return None if rewritten == data else rewritten
