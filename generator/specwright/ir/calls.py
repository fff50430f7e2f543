"""Example calls of the client: the first one of each group, and that of each operation."""

from __future__ import annotations

import datetime
import json
import re
import uuid
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import NamedTuple

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.ir.examples import Examples
from specwright.ir.model.api import Argument, Call, OperationGroup
from specwright.ir.model.operations import OperationDefinition
from specwright.ir.model.parameters import ParameterDefinition
from specwright.ir.model.values import BodyField, Default
from specwright.json_values import JsonValue
from specwright.pointer import join

# Types with values that JSON and Python write alike.
_PLAIN = re.compile(r"str|int|float|bool|Literal\[[^\[\]]*\]")
_LIST = re.compile(r"Sequence\[(.*)\]")
_MODEL = re.compile(r"models\.(\w+)")
_CONSTRUCTORS: Mapping[str, Callable[[str], object]] = {
    "datetime.datetime.fromisoformat": datetime.datetime.fromisoformat,
    "datetime.date.fromisoformat": datetime.date.fromisoformat,
    "uuid.UUID": uuid.UUID,
    "decimal.Decimal": Decimal,
}
# A README of more groups, and a call with a longer value, are not read.
_MOST_GROUPS = 20
_LONGEST = 300
# Values of large schemas take long to find.
_TRIED_OPERATIONS = 5
_TRIED_VALUES = 3


class _Form(NamedTuple):
    """How values of a type are written: by a constructor, or as they are."""

    constructor: str
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls with the examples of a document as arguments.

    Attributes:
        classes: the names of the classes of the models.
    """

    document: Document
    examples: Examples
    classes: Container[str]

    def first(self, groups: Sequence[OperationGroup]) -> tuple[Call, ...]:
        """Return a call for each of the first groups: a read of one thing, if it has one."""
        calls = (self._first(group) for group in groups[:_MOST_GROUPS])
        return tuple(call for call in calls if call is not None)

    def _first(self, group: OperationGroup) -> Call | None:
        operations = [operation for operation in group.operations if not operation.deprecated]
        best = sorted(operations, key=_rank)[:_TRIED_OPERATIONS]
        calls = (self.of(group, operation) for operation in best)
        return next((call for call in calls if call.is_complete), None)

    def of(self, group: OperationGroup, operation: OperationDefinition) -> Call:
        """Return a call with the required arguments of an operation."""
        return Call(group, operation, tuple(self._arguments(operation)))

    def _arguments(self, operation: OperationDefinition) -> Iterator[Argument]:
        for parameter in _required(operation):
            holder = self._site(parameter.pointer)
            name = "" if parameter.location == "path" else parameter.name
            yield self._argument(name, parameter.type.annotation, self.examples.valid(holder))
        if operation.body is not None:
            content = sites.json_content(self.document, self._site(operation.body.pointer))
            if operation.body.fields is None and operation.body.required:
                values = iter(()) if content is None else self.examples.valid(content)
                yield self._argument("body", operation.body.annotation, values)
            for field in operation.body.fields or ():
                if field.required and content is not None:
                    values = self._values(content, field)
                    yield self._argument(field.name, field.annotation, values)

    def _argument(self, name: str, annotation: str, values: Iterator[JsonValue]) -> Argument:
        form = self._form(annotation)
        if form is not None:
            for value in islice(values, _TRIED_VALUES):
                if _is_written(value, form):
                    return Argument(name, Default(value), form.constructor, form.is_list)
        return Argument(name, None)

    def _form(self, annotation: str) -> _Form | None:
        """Return how values of a type are written; None for types without a short form."""
        type_ = annotation.removesuffix(" | None")
        if _PLAIN.fullmatch(type_):
            return _Form("")
        if (model := _MODEL.fullmatch(type_)) and model[1] in self.classes:
            return _Form(f"{type_}.model_validate")
        if items := _LIST.fullmatch(type_):
            item = self._form(items[1])
            return _Form(item.constructor, is_list=True) if item and not item.is_list else None
        constructors = (type_, f"{type_}.fromisoformat")
        return next((_Form(name) for name in constructors if name in _CONSTRUCTORS), None)

    def _values(self, content: Site, field: BodyField) -> Iterator[JsonValue]:
        name = field.wire.raw
        for _, value in sites.examples(self.document, content):
            if isinstance(value, dict) and name in value:
                yield value[name]
        schema = sites.schema(self.document, content)
        yield from self.examples.witnesses.of(schema.pointer + join("properties", name))

    def _site(self, pointer: str) -> Site:
        return sites.at(self.document, pointer)


def _rank(operation: OperationDefinition) -> tuple[bool, bool]:
    return operation.method != "GET", not _required(operation)


def _required(operation: OperationDefinition) -> list[ParameterDefinition]:
    return [parameter for parameter in operation.parameters if parameter.required]


def _is_written(value: JsonValue, form: _Form) -> bool:
    """Return whether a value is short, and its constructor accepts it."""
    if len(json.dumps(value)) > _LONGEST or (form.is_list and not isinstance(value, list)):
        return False
    construct = _CONSTRUCTORS.get(form.constructor)
    try:
        for item in value if form.is_list and isinstance(value, list) else [value]:
            if construct is not None:
                construct(item if isinstance(item, str) else "")
            elif form.constructor and not isinstance(item, dict):
                return False
    except (ValueError, InvalidOperation):
        return False
    return True
