"""Types of generated models, where JSON Schema differs from Pydantic's own types."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Self,
    TypeVar,
    Unpack,
    cast,
    get_args,
    get_origin,
)

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, Strict
from pydantic_core import (
    PydanticCustomError,
    PydanticKnownError,
    SchemaSerializer,
    SchemaValidator,
    core_schema,
)
from pydantic_core.core_schema import CoreSchema

from .checking import ABSENT, INSTEAD, KNOWN, TEST, noted, shaped

T = TypeVar("T")
_ANYTHING = SchemaSerializer(core_schema.any_schema())
# Types with values that are equal in Python but not in JSON.
_UNLIKE_JSON = (bool, decimal.Decimal, datetime.date, datetime.time)


@dataclass(frozen=True, slots=True)
class Once:
    """Marks a value that is shown in one response only (`x-contract-once`)."""


@dataclass(frozen=True, slots=True)
class Sensitive:
    """Marks a confidential value (`x-contract-sensitive`)."""


@dataclass(frozen=True, slots=True)
class Nullable:
    """Marks a field that may be omitted and may be null: an explicit None means null.

    For any other optional field, None means that it is omitted.
    """

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return cast("CoreSchema", noted(dict(handler(source)), "nullable", True))


class Model(BaseModel):
    """The base class of all generated models.

    A model checks only the types of the values that it receives or is given; limits and
    enumerations are checked when it is sent. Undeclared fields are kept.
    """

    # Schemas are built on the first use of a model, not on import.
    model_config = ConfigDict(
        defer_build=True,
        extra="allow",
        validate_by_name=True,
        validate_by_alias=True,
        protected_namespaces=(),
        # Not as null, which is another value: what is written is checked before it is sent.
        ser_json_inf_nan="constants",
    )

    # The limits of the number of properties. Pydantic would evaluate an annotation for each model.
    __counts__ = (0, math.inf)

    def __init_subclass__(
        cls,
        min_properties: int = 0,
        max_properties: float = math.inf,
        **config: Unpack[ConfigDict],
    ) -> None:
        """Set the allowed number of properties; the limits of a class also apply to subclasses."""
        super().__init_subclass__(**config)
        above = [base.__counts__ for base in cls.__bases__ if issubclass(base, Model)]
        least, most = zip((min_properties, max_properties), *above, strict=True)
        cls.__counts__ = (max(least), min(most))

    # Pydantic's own yields names and values, which would be mistaken for the items of a page.
    __iter__ = None  # type: ignore[assignment]  # pyright: ignore

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Reduce the schema to its shape."""
        schema = handler(source)
        model = cast("dict[str, Any]", handler.resolve_ref_schema(schema))
        _shape(model)
        if cls.__counts__ != Model.__counts__:
            model |= noted(model, TEST, cls._count_properties)
        return schema

    def _count_properties(self) -> Self:
        count = len(self.model_fields_set)
        about = {"field_type": "Object", "actual_length": count}
        least, most = self.__counts__
        if count < least:
            raise PydanticKnownError("too_short", {**about, "min_length": least})
        if count > most:
            raise PydanticKnownError("too_long", {**about, "max_length": most})
        return self

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Hide values that are shown only once or sensitive."""
        fields = type(self).model_fields
        for name, value in super().__repr_args__():
            field = fields.get(name or "")
            if field is not None and any(isinstance(m, Once | Sensitive) for m in field.metadata):
                value = "**********"
            yield name, value


def _shape(model: dict[str, Any]) -> None:
    """Change the schema of a model in place, where Pydantic looks for it."""
    fields = model["schema"]
    closed = model["config"].get("extra_fields_behavior") == "forbid"
    model["config"] = {**model["config"], "extra_fields_behavior": "allow"}
    if closed:
        fields = {**fields, "extra_behavior": "forbid"}
    fields = {"extras_schema": shaped({"type": "any"}), **shaped(fields)}
    model["schema"] = {**fields, "fields": {k: _field(v) for k, v in fields["fields"].items()}}


def _field(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field that, if optional, is omitted when None and rejects null in JSON."""
    schema = cast("dict[str, Any]", field["schema"])
    inner = cast("dict[str, Any]", schema.get("schema", {}))
    is_optional = "default" in schema and schema["default"] is None
    marks = cast("dict[str, Any]", inner.get("metadata") or {})
    if not is_optional or inner["type"] != "nullable" or "nullable" in marks:
        return field
    absent = {**schema, "schema": noted(inner, ABSENT, True)}
    return {**field, "schema": absent, "serialization_exclude_if": _is_none}


def _is_none(value: object) -> bool:
    return value is None


class UniqueItems:
    """Marks a list that must not have equal items when it is sent (`uniqueItems`)."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return _with_test(handler(source), _without_equals)


class Patterns:
    """Marks a text with additional patterns, checked when it is sent: mostly look-aheads.

    Args:
        like: patterns that it must match, in the syntax of Rust's linear-time engine.
        unlike: patterns that it must not match.
    """

    def __init__(self, *, like: Sequence[str] = (), unlike: Sequence[str] = ()) -> None:
        self._like, self._unlike = (
            [(p, _engine(p)) for p in patterns] for patterns in (like, unlike)
        )

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return _with_test(handler(source), self._test)

    def _test(self, text: T) -> T:
        for pattern, engine in self._like:
            if not engine.isinstance_python(text):
                raise PydanticKnownError("string_pattern_mismatch", {"pattern": pattern})
        for pattern, engine in self._unlike:
            if engine.isinstance_python(text):
                words = "String should not match pattern '{pattern}'"
                raise PydanticCustomError("string_pattern_match", words, {"pattern": pattern})
        return text


def _engine(pattern: str) -> SchemaValidator:
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))


def _with_test(schema: CoreSchema, test: Callable[[T], T]) -> CoreSchema:
    """Return a schema with a test of sent values, which null passes."""
    plain = cast("dict[str, Any]", schema)
    if plain["type"] == "nullable":
        return cast("CoreSchema", {**plain, "schema": noted(plain["schema"], TEST, test)})
    return cast("CoreSchema", noted(plain, TEST, test))


def _without_equals(items: T) -> T:
    # Files are not read: two are equal if they have the same bytes or the same path.
    data = _ANYTHING.to_python(items, by_alias=True, exclude_unset=True)
    compared = [_compared(item) for item in data]
    if len(compared) != len(set(compared)):
        raise PydanticCustomError("unique_items", "List items should be unique")
    return items


def _compared(data: Any) -> object:
    """Return a hashable value, equal if the JSON values are (JSON Schema 2020-12, 4.2.2)."""
    if isinstance(data, dict):
        members = cast("dict[str, Any]", data).items()
        return frozenset((name, _compared(each)) for name, each in members)
    if isinstance(data, list):
        return tuple(map(_compared, cast("Sequence[Any]", data)))
    # In JSON, unlike Python, true is not 1, and different texts of a decimal or time are unequal.
    return (type(data), str(data)) if isinstance(data, _UNLIKE_JSON) else data


@dataclass(frozen=True, slots=True)
class _Moment:
    """A date, a time or both, in JSON as a string and never as a number of seconds."""

    schema: Callable[..., CoreSchema]
    checked: tuple[tuple[str, str], ...] = ()

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        limits = dict(self.checked)
        # The members of a multipart form come with files, and not as JSON.
        texts = [core_schema.str_schema(strict=True), self.schema(**limits)]
        checked = core_schema.json_or_python_schema(
            self.schema(strict=True, **limits), core_schema.chain_schema(texts)
        )
        return core_schema.json_or_python_schema(
            self.schema(strict=True), self.schema(), metadata={INSTEAD: checked}
        )


AwareDatetime = Annotated[
    datetime.datetime, _Moment(core_schema.datetime_schema, (("tz_constraint", "aware"),))
]
date = Annotated[datetime.date, _Moment(core_schema.date_schema)]
time = Annotated[datetime.time, _Moment(core_schema.time_schema)]


@dataclass(frozen=True, slots=True)
class DecimalString:
    """A `Decimal`, in JSON as a string of the given pattern (`format: decimal`)."""

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
        return core_schema.decimal_schema(
            metadata={INSTEAD: core_schema.chain_schema([text, core_schema.decimal_schema()])},
            serialization=core_schema.plain_serializer_function_ser_schema(
                _plain, when_used="json"
            ),
        )


def _plain(value: Any) -> Any:
    return f"{value:f}" if isinstance(value, decimal.Decimal) else value


if TYPE_CHECKING:
    # Type checkers narrow a union by `==` and `match` if each of its members has a literal.
    UnknownTag = Literal["a value that is newer than this package"]
else:
    UnknownTag = Annotated[str, Strict()]


@dataclass(frozen=True, slots=True)
class TaggedUnion:
    """A union of models distinguished by one property.

    A known value of the property selects its model, whose errors are then final. Any other value
    selects the model that allows any value; without such a model, an object stays a dictionary.

    Attributes:
        open: whether other values may also be sent, not only received.
    """

    discriminator: str
    open: bool = False

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        members = [argument for argument in get_args(source) if argument is not NoneType]
        if not all(
            isinstance(member, type) and issubclass(member, BaseModel) for member in members
        ):
            return handler(source)
        tags = {member: self.tags(member) for member in members}
        known = {tag for tags_ in tags.values() for tag in tags_}
        unknown = [member for member in members if not tags[member]]
        if len(unknown) > 1 or not known:
            return handler(source)
        of_tag = {tag: [member for member in members if tag in tags[member]] for tag in known}
        choices = {
            tag: core_schema.union_schema([handler.generate_schema(model) for model in fitting])
            if len(fitting) > 1
            else handler.generate_schema(fitting[0])
            for tag, fitting in of_tag.items()
        }
        union = core_schema.union_schema(
            [
                (core_schema.tagged_union_schema(choices, self._names(members)), "known"),
                *((self._unknown(model, known, handler), "unknown") for model in unknown),
                (self._anything(unknown, known), "unknown"),
            ],
            mode="left_to_right",
            metadata={KNOWN: not self.open},
        )
        is_nullable = NoneType in get_args(source)
        return core_schema.nullable_schema(union) if is_nullable else union

    def tags(self, model: type[BaseModel]) -> frozenset[object]:
        """Return the values of the property that select a model."""
        for name, field in model.model_fields.items():
            if (field.alias or name) == self.discriminator:
                return frozenset(_literals(field.annotation))
        return frozenset()

    def _names(self, members: Sequence[type[BaseModel]]) -> Any:
        """Return the names of the property in JSON and in the models."""
        names = {self.discriminator: None}
        for member in members:
            for name, field in member.model_fields.items():
                if (field.alias or name) == self.discriminator:
                    names[name] = None
        return self.discriminator if len(names) == 1 else [[name] for name in names]

    def _unknown(
        self, model: type[BaseModel], known: set[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        fields = model.model_fields.items()
        name = next((n for n, f in fields if (f.alias or n) == self.discriminator), None)

        def refuse(value: BaseModel) -> BaseModel:
            extra = value.model_extra or {}
            tag = extra.get(self.discriminator) if name is None else getattr(value, name)
            return _refuse_known(tag, known, value)

        return core_schema.no_info_after_validator_function(refuse, handler.generate_schema(model))

    def _anything(self, models: list[type[BaseModel]], known: set[Any]) -> CoreSchema:
        """Return the schema of objects of a later type: one must not make a whole list invalid."""

        def read(value: dict[str, Any]) -> Any:
            tag = value.get(self.discriminator)
            if not isinstance(tag, str):
                raise PydanticCustomError("no_tag", "Input should have a type tag")
            _refuse_known(tag, known, value)
            return constructed(models[0], value) if models else value

        objects = cast("CoreSchema", shaped(dict(core_schema.dict_schema())))
        return core_schema.no_info_after_validator_function(read, objects)


def constructed(model: type[BaseModel], value: Mapping[str, object]) -> BaseModel:
    """Return a model with unvalidated members.

    They are not passed to `model_construct`: a member could have the name of one of its arguments.
    """
    names = {field.alias or name: name for name, field in model.model_fields.items()}
    instance = model.model_construct({names.get(key, key) for key in value})
    members = {names[key]: each for key, each in value.items() if key in names}
    vars(instance).update(members)
    # Received objects of closed models keep undeclared members, too.
    extra = {key: each for key, each in value.items() if key not in names}
    object.__setattr__(instance, "__pydantic_extra__", extra)
    return instance


def _refuse_known(tag: Any, known: set[Any], value: T) -> T:
    if tag in known:
        raise PydanticCustomError("known_tag", "Input does not match the schema of its type")
    return value


def _literals(annotation: Any) -> list[Any]:
    """Return the values of the literals in an annotation, in a union or alone."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [value for argument in get_args(annotation) for value in _literals(argument)]
