"""Conversion between JSON and models, which operations refer to by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, Literal, TypeGuard, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import (
    CoreSchema,
    PydanticSerializationError,
    SchemaSerializer,
    SchemaValidator,
)

from .checking import Schema, checked, shaped
from .free_json import BYTE_ORDER_MARK, refuse_unwritable
from .media.medium import Converter
from .strict_json import scan
from .types import Nullable

T = TypeVar("T")

_MAX_PLACE = 200
_MAX_PROBLEMS = 20
# Beyond it, problems are only counted: a list of them takes hundreds of times the memory of the
# value.
MAX_LISTED = 10_000


class Codec:
    """Reads and writes values of one model or type alias.

    Attributes:
        validator: validates against the full schema of the document, and creates models.
    """

    def __init__(
        self,
        schema: Schema,
        reader: SchemaValidator,
        serializer: SchemaSerializer,
        fields: Mapping[str, FieldInfo],
    ) -> None:
        self._schema = schema
        self._fields = fields
        self._reader = reader
        self._serializer = serializer

    @cached_property
    def validator(self) -> SchemaValidator:
        # Without the prebuilt validators of models, which only check the shape.
        return SchemaValidator(cast("CoreSchema", checked(self._schema)), _use_prebuilt=False)

    def read(self, data: bytes) -> Any:
        """Return the value of a JSON document after checking only its shape.

        Raises:
            pydantic.ValidationError: the document is not JSON or has another shape.
        """
        text = data.removeprefix(BYTE_ORDER_MARK)
        return self._reader.validate_json(text, by_alias=True, by_name=False)

    def decode(self, data: bytes) -> Any:
        """Return the value of a JSON document after full validation.

        Raises:
            pydantic.ValidationError: the document is not JSON or breaks the schema.
        """
        try:
            return self.validator.validate_json(data, by_alias=True, by_name=False)
        except ValidationError:
            # `10.0` is an integer in JSON Schema (2020-12, 6.1.1), but not in Pydantic.
            rewritten = _rewritten(data)
            if rewritten is None:
                raise
            return self.validator.validate_json(rewritten, by_alias=True, by_name=False)

    def encode(self, value: object) -> bytes:
        """Return a value, or the input for a model, as JSON that conforms to the schema.

        Raises:
            pydantic.ValidationError: the value breaks the schema, or cannot be written as JSON.
            pydantic_core.PydanticSerializationError: a field of a model has a wrong value.
        """
        data = self.dump(self._reader.validate_python(value, by_alias=True, by_name=True))
        self.validator.validate_json(data, by_alias=True, by_name=False)
        return data

    @property
    def names(self) -> frozenset[str]:
        """The JSON names of the fields; empty if the type is not a model."""
        return frozenset(field.alias or name for name, field in self._fields.items())

    def client(self, named: Callable[[str | None], Converter]) -> Converter:
        """Return the converter for clients: full validation when sending, else of the shape.

        Args:
            named: returns the converter of another type.
        """
        build = self._reader.validate_python
        return Converter(self.encode, self.read, self.members, build, named)

    def server(self, named: Callable[[str | None], Converter]) -> Converter:
        """Return the converter for servers: full validation when reading.

        Args:
            named: returns the converter of another type.
        """
        return Converter(self.dump, self.decode, self.members, self._make, named)

    def members(self, value: object) -> dict[str, Any]:
        """Return the members of an object, or of the input for a model, by JSON name.

        Raises:
            ValueError: the value is not an object.
            pydantic.ValidationError: the value has another shape.
        """
        model = self._reader.validate_python(value, by_alias=True, by_name=True)
        if isinstance(model, BaseModel):
            names = {name: field.alias or name for name, field in self._fields.items()}
            members = {**vars(model), **(model.__pydantic_extra__ or {})}
            return {names.get(n, n): members[n] for n in members if n in model.model_fields_set}
        if isinstance(model, dict):
            return dict(cast("dict[str, Any]", model))
        raise ValueError("Input should be an object")

    def leaves_out(self, name: str) -> bool:
        """Return whether a field with the value None is omitted."""
        field = self._fields.get(name)
        return (
            field is not None
            and not field.is_required()
            and not any(isinstance(mark, Nullable) for mark in field.metadata)
        )

    def _make(self, members: dict[str, Any]) -> Any:
        return self.validator.validate_python(members, by_alias=True, by_name=False)

    def dump(self, value: object) -> bytes:
        """Return a value as JSON without its unset fields, and without validation.

        Raises:
            pydantic.ValidationError: the value cannot be written as JSON; it names the place.
            pydantic_core.PydanticSerializationError: a field of a model has a wrong value.
        """
        options: Any = {"by_alias": True, "exclude_unset": True}
        try:
            return self._serializer.to_json(value, **options, warnings="error")
        except PydanticSerializationError:
            refuse_unwritable(self._serializer.to_python(value, **options, warnings=False))
            written = self._serializer.to_json(value, **options, warnings=False)
            self.validator.validate_json(written, by_alias=True, by_name=False)
            raise


class Checker(Generic[T]):
    """Validates JSON against the full schema, as the server stub validates bodies.

    Args:
        kind: a model, or a class or type composed of models.
    """

    def __init__(self, kind: type[T]) -> None:
        self._validator = codec_of(kind).validator

    def validate_json(
        self, data: bytes | str, *, extra: Literal["allow", "ignore", "forbid"] | None = None
    ) -> T:
        """Return the value of a JSON document.

        Raises:
            pydantic.ValidationError: the document is not JSON or breaks the schema.
        """
        return cast("T", self._validator.validate_json(data, extra=extra))

    def accepts(self, data: bytes) -> bool:
        """Return whether a JSON document conforms to the schema."""
        try:
            self._validator.validate_json(data)
        except ValidationError:
            return False
        return True


class Codecs:
    """The codecs of a package's models by name, each built on first use.

    Args:
        module: import name of the models, which are imported on first use.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._built: dict[str | None, Codec] = {}

    def model(self, name: str) -> Any:
        """Return the model or type called `name`."""
        return getattr(import_module(self._module), name)

    @cached_property
    def member_names(self) -> frozenset[str]:
        """The JSON names of the members of all models."""
        values = vars(import_module(self._module)).values()
        fields = (model.model_fields.items() for model in values if _is_model(model))
        return frozenset(field.alias or name for items in fields for name, field in items)

    def __getitem__(self, name: str | None) -> Codec:
        """Return the codec of the model `name`; None accepts any value."""
        codec = self._built.get(name)
        if codec is None:
            model = object if name is None else self.model(name)
            codec = self._built[name] = codec_of(model)
        return codec

    def client(self, name: str | None) -> Converter:
        """Return the converter for clients of the model `name`; None accepts any value."""
        return self[name].client(self.client)

    def server(self, name: str | None) -> Converter:
        """Return the converter for servers of the model `name`; None accepts any value."""
        return self[name].server(self.server)


def problems_of(value: str, error: ValidationError) -> str:
    """Return the errors of a value as text, without the value, which may be secret."""
    if error.error_count() > MAX_LISTED:
        return f"{value}: {error.error_count()} parts of it are invalid"
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    texts = [
        f"{shortened('.'.join(map(str, (value, *problem['loc']))))}: {problem['msg']}"
        for problem in problems[:_MAX_PROBLEMS]
    ]
    more = len(problems) - len(texts)
    return "; ".join([*texts, *([f"and {more} more"] if more else [])])


def shortened(text: str, most: int = _MAX_PLACE) -> str:
    """Return a text that can be written, or the beginning and the end of a long one."""
    written = text.encode("utf-8", "backslashreplace").decode()
    if len(written) <= most:
        return written
    return f"{written[: most // 2]}…{written[-most // 2 :]}"


def codec_of(model: object) -> Codec:
    """Return the codec of a model, or of any other type."""
    if _is_model(model):
        model.model_rebuild()
        validator = cast("SchemaValidator", model.__pydantic_validator__)
        schema = cast("Schema", model.__pydantic_core_schema__)
        return Codec(schema, validator, model.__pydantic_serializer__, model.model_fields)
    adapter: TypeAdapter[Any] = TypeAdapter(cast("Any", model))
    schema = shaped(cast("Schema", adapter.core_schema))
    serializer = SchemaSerializer(adapter.core_schema, {"ser_json_inf_nan": "constants"})
    return Codec(schema, SchemaValidator(cast("CoreSchema", schema)), serializer, {})


def _is_model(value: object) -> TypeGuard[type[BaseModel]]:
    return inspect.isclass(value) and issubclass(value, BaseModel)


def _rewritten(data: bytes) -> bytes | None:
    try:
        rewritten = scan(data)
    except ValueError:
        return None
    return None if rewritten == data else rewritten
