"""The shape of a declaration's value in a document, from its type hints."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from keyword import iskeyword
from types import NoneType
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

from specwright.json_values import JsonObject
from specwright.pointer import Pointer, join
from specwright.text import Text
from specwright.vocabulary.policy import ANY, DEFAULT, ChangePolicy
from specwright.vocabulary.reference import Names, Reference
from specwright.vocabulary.types import Choice, Limits

Schema: TypeAlias = JsonObject
Members: TypeAlias = Mapping[str, Any]
# In a path, `policy.ANY` means every name of a map.
Path: TypeAlias = tuple[str, ...]


class Shape(ABC):
    """The values of one type."""

    @abstractmethod
    def schema(self) -> Schema:
        """Return the JSON Schema of the values, complete in itself."""

    @abstractmethod
    def read(self, value: Any) -> object:
        """Return the Python object for a value."""

    def references(self, value: Any, at: Pointer, beside: Members) -> Iterator[Reference]:
        """Yield the references in the value at this place, given the members beside it."""
        return iter(())

    def policies(self) -> Iterator[tuple[Path, ChangePolicy]]:
        """Yield the policies of the parts that are judged, by their paths in the value."""
        yield (), DEFAULT


@cache
def shape(hint: object) -> Shape:
    """Return the shape of the values of a type hint.

    Raises:
        TypeError: declarations hold no such values; for example, text is never a `str`.
    """
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _Annotated(shape(arguments[0]), arguments[1:])
    if NoneType in arguments:
        return _Nullable(shape(arguments[0]))
    if origin is tuple:
        return _Array(shape(arguments[0]))
    if origin is Mapping:
        return _Map(shape(arguments[0]), shape(arguments[1]))
    if isinstance(hint, type) and issubclass(hint, Choice):
        return _Word(hint)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _Object(hint)
    raise TypeError(f"a declaration holds no {hint}")


@dataclass(frozen=True)
class _Scalar(Shape):
    types: str | list[str]
    make: Callable[[Any], object]

    def schema(self) -> Schema:
        return {"type": self.types if isinstance(self.types, str) else [*self.types]}

    def read(self, value: Any) -> object:
        return self.make(value)


# Each converts to its own type: even where nothing was checked, text never becomes a `str`.
_SCALARS: Mapping[object, Shape] = {
    bool: _Scalar("boolean", bool),
    int: _Scalar("integer", int),
    Text: _Scalar("string", Text),
    Text | int: _Scalar(["string", "integer"], lambda v: Text(v) if isinstance(v, str) else int(v)),
}


@dataclass(frozen=True)
class _Word(Shape):
    choices: type[Choice]

    def schema(self) -> Schema:
        meanings = {choice.value: choice.meaning for choice in self.choices if choice.meaning}
        words: Schema = {"enum": [choice.value for choice in self.choices]}
        return {**words, "x-meanings": {**meanings}} if meanings else words

    def read(self, value: Any) -> object:
        return self.choices(value)


@dataclass(frozen=True)
class _Nullable(Shape):
    inner: Shape

    def schema(self) -> Schema:
        schema = self.inner.schema()
        # A choice that is not given is absent, never null.
        return {**schema, "type": [schema["type"], "null"]} if "type" in schema else schema

    def read(self, value: Any) -> object:
        return None if value is None else self.inner.read(value)

    def references(self, value: Any, at: Pointer, beside: Members) -> Iterator[Reference]:
        if value is not None:
            yield from self.inner.references(value, at, beside)

    def policies(self) -> Iterator[tuple[Path, ChangePolicy]]:
        return self.inner.policies()


@dataclass(frozen=True)
class _Annotated(Shape):
    inner: Shape
    notes: tuple[object, ...]

    def schema(self) -> Schema:
        schema = self.inner.schema()
        for note in self.notes:
            match note:
                case str():
                    schema["description"] = note
                case Limits():
                    schema |= note.keywords
        return schema

    def read(self, value: Any) -> object:
        return self.inner.read(value)

    def references(self, value: Any, at: Pointer, beside: Members) -> Iterator[Reference]:
        for note in self.notes:
            if isinstance(note, Names) and value is not None:
                yield note.reference(value, at, beside)
        yield from self.inner.references(value, at, beside)

    def policies(self) -> Iterator[tuple[Path, ChangePolicy]]:
        own = [note for note in self.notes if isinstance(note, ChangePolicy)]
        return iter([((), own[0])]) if own else self.inner.policies()


@dataclass(frozen=True)
class _Array(Shape):
    items: Shape

    def schema(self) -> Schema:
        return {"type": "array", "items": self.items.schema()}

    def read(self, value: Any) -> object:
        return tuple(map(self.items.read, value))

    def references(self, value: Any, at: Pointer, beside: Members) -> Iterator[Reference]:
        for index, item in enumerate(value):
            yield from self.items.references(item, at + join(index), beside)


@dataclass(frozen=True)
class _Map(Shape):
    names: Shape
    values: Shape

    def schema(self) -> Schema:
        return {
            "type": "object",
            "propertyNames": self.names.schema(),
            "additionalProperties": self.values.schema(),
        }

    def read(self, value: Any) -> object:
        return {self.names.read(name): self.values.read(member) for name, member in value.items()}

    def references(self, value: Any, at: Pointer, beside: Members) -> Iterator[Reference]:
        for name, member in value.items():
            yield from self.values.references(member, at + join(name), value)

    def policies(self) -> Iterator[tuple[Path, ChangePolicy]]:
        for path, policy in self.values.policies():
            yield (ANY, *path), policy


@dataclass(frozen=True)
class _Object(Shape):
    class_: type

    @cached_property
    def _members(self) -> Mapping[str, Shape]:
        hints = get_type_hints(self.class_, include_extras=True)
        return {name.removesuffix("_"): shape(hint) for name, hint in hints.items()}

    def schema(self) -> Schema:
        required = [
            field.name.removesuffix("_")
            for field in dataclasses.fields(self.class_)
            if field.default is dataclasses.MISSING
        ]
        return {
            "description": " ".join((self.class_.__doc__ or "").split()),
            "type": "object",
            "properties": {name: member.schema() for name, member in self._members.items()},
            "required": [*required],
            "additionalProperties": False,
        }

    def read(self, value: Any) -> object:
        members = self._members.items()
        read = {name: member.read(value[name]) for name, member in members if name in value}
        # `class` is a member of a document, but not a valid name of an attribute.
        return self.class_(**{f"{k}_" if iskeyword(k) else k: member for k, member in read.items()})

    def references(self, value: Any, at: Pointer, beside: Members) -> Iterator[Reference]:
        for name, member in self._members.items():
            if name in value:
                yield from member.references(value[name], at + join(name), value)

    def policies(self) -> Iterator[tuple[Path, ChangePolicy]]:
        for name, member in self._members.items():
            for path, policy in member.policies():
                yield (name, *path), policy
