"""Responses that break the contract, read as far as they fit their types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import to_json

from ..shared.codec import Codec, Codecs, codec_of
from ..shared.free_json import parsed
from ..shared.media.medium import Converter
from ..shared.types import TaggedUnion, constructed


def unchecked(
    codecs: Codecs, model: str | None, *, report: Callable[[ValidationError], None]
) -> Converter:
    """Return the converter of a type that reads any JSON value.

    Args:
        model: name of the type; None for any.
        report: is called with the errors of a value that does not fit.
    """
    converter = codecs.client(model)

    def read(data: bytes) -> object:
        try:
            return converter.read(data)
        except ValidationError as error:
            value = parsed(data)
            report(error)
        return value if model is None else _fitted(codecs.model(model), value)

    return replace(converter, read=read, named=partial(unchecked, codecs, report=report))


def _fitted(kind: Any, value: object) -> object:
    """Return a JSON value as a type, except for parts that do not fit."""
    try:
        return _codec(kind).read(to_json(value))
    except ValidationError:
        return _fitted_parts(kind, value)


def _fitted_parts(kind: Any, value: object) -> object:
    """Return a value that does not fit a type with the members and items that do."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _fitted_parts(_alternative(arguments[0], arguments[1:], value), value)
    if origin in (Union, UnionType):
        others = [argument for argument in arguments if argument is not NoneType]
        return _fitted_parts(others[0], value) if len(others) == 1 else value
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_fitted(arguments[0], item) for item in items] if origin is list else items
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        if origin is dict:
            return {name: _fitted(arguments[1], each) for name, each in members.items()}
        return _model(kind, members) if _is_model(kind) else members
    return value


def _is_model(kind: object) -> bool:
    return inspect.isclass(kind) and issubclass(kind, BaseModel)


def _model(model: type[BaseModel], members: dict[str, object]) -> BaseModel:
    """Return a model with its members as far as they fit their types, and None for missing ones."""
    kinds = {field.alias or name: name for name, field in model.model_fields.items()}
    instance = constructed(
        model,
        {
            key: _fitted(_type(model, kinds[key]), each) if key in kinds else each
            for key, each in members.items()
        },
    )
    for name in model.model_fields:
        vars(instance).setdefault(name, None)
    return instance


def _alternative(kind: Any, marks: Sequence[object], value: object) -> Any:
    """Return the alternative that the tag of an object selects, if the type has tags."""
    for union in marks:
        if isinstance(union, TaggedUnion) and isinstance(value, dict):
            tag = cast("dict[str, object]", value).get(union.discriminator)
            models = filter(_is_model, get_args(kind))
            return next((model for model in models if tag in [*union.tags(model)]), kind)
    return kind


@cache
def _type(model: type[BaseModel], name: str) -> Any:
    field = model.model_fields[name]
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


@cache
def _codec(kind: Any) -> Codec:
    return codec_of(kind)
