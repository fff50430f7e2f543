"""Turn JSON into models and back, as the operations' plans name them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import SchemaSerializer, SchemaValidator

Extra = Literal["allow", "forbid", "ignore"]


@dataclass(frozen=True, slots=True)
class Codec:
    """Validates and serialises values of one model or alias."""

    validator: SchemaValidator
    serializer: SchemaSerializer

    def decode(self, data: bytes, *, extra: Extra | None = None) -> Any:
        """Validate a JSON document.

        Args:
            data: the document as it came.
            extra: what to do with unknown properties in place of what the models say.

        Raises:
            pydantic.ValidationError: the document is not JSON or breaks the schema.
        """
        try:
            return self.validator.validate_json(data, extra=extra, by_alias=True, by_name=False)
        except ValidationError:
            rewritten = _with_integers(data)
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

    def encode(self, value: object) -> bytes:
        """Write a value as JSON."""
        return self.serializer.to_json(value, by_alias=True)

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


def _codec(model: Any) -> Codec:
    if isinstance(model, type) and issubclass(model, BaseModel):
        model.model_rebuild()
        return Codec(model.__pydantic_validator__, model.__pydantic_serializer__)
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    return Codec(adapter.validator, adapter.serializer)  # type: ignore[arg-type]


def _with_integers(data: bytes) -> bytes | None:
    """Write `10.0` as `10`, one integer to JSON Schema (2020-12, 6.1.1), two types to Python.

    Returns None when the document has no such number.
    """
    changed = False

    def number(text: str) -> int | float:
        nonlocal changed
        value = float(text)
        if value.is_integer():
            changed = True
            return int(value)
        return value

    try:
        parsed = json.loads(data, parse_float=number)
    except (ValueError, RecursionError):
        return None
    return json.dumps(parsed).encode() if changed else None
