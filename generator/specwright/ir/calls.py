"""The first call in a README."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from specwright.document import sites
from specwright.document.model import Document
from specwright.document.sites import Site
from specwright.ir.examples import Examples
from specwright.ir.model.api import Argument, Call, Group
from specwright.ir.model.operations import Operation
from specwright.ir.model.values import Default, Field, Parameter
from specwright.pointer import join, resolve

# Types with values that JSON and Python write alike.
_PLAIN = re.compile(r"(str|int|float|bool|Literal\[.*\])( \| None)?")


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls with the examples of a document as arguments."""

    document: Document
    examples: Examples

    def first(self, groups: Sequence[Group]) -> Call | None:
        """Return the first read of one thing, else the first call with presentable arguments."""
        found = [(group, operation) for group in groups for operation in group.operations]
        found.sort(key=lambda each: _rank(each[1]))
        calls = (self._call(group, operation) for group, operation in found)
        return next((call for call in calls if call is not None), None)

    def _call(self, group: Group, operation: Operation) -> Call | None:
        if operation.deprecated or (operation.body and operation.body.fields is None):
            return None
        arguments = tuple(self._arguments(operation))
        shown = tuple(each for each in arguments if each is not None)
        return Call(group, operation, shown) if len(shown) == len(arguments) else None

    def _arguments(self, operation: Operation) -> Iterator[Argument | None]:
        for parameter in _required(operation):
            holder = self._site(parameter.pointer)
            name = "" if parameter.location == "path" else parameter.name
            yield _argument(name, parameter.type.annotation, self.examples.of(holder))
        if operation.body is not None:
            content = sites.json_content(self.document, self._site(operation.body.pointer))
            for field in operation.body.fields or ():
                if field.required and content is not None:
                    yield _argument(field.name, field.annotation, self._values(content, field))

    def _values(self, content: Site, field: Field) -> Iterator[Any]:
        name = field.wire.raw
        for _, value in sites.examples(self.document, content):
            if isinstance(value, dict) and name in value:
                yield value[name]
        schema = sites.schema(self.document, content)
        yield from self.examples.witnesses.of(schema.pointer + join("properties", name))

    def _site(self, pointer: str) -> Site:
        return Site(pointer, resolve(self.document.data, pointer))


def _rank(operation: Operation) -> tuple[bool, bool]:
    return operation.method != "GET", not _required(operation)


def _required(operation: Operation) -> list[Parameter]:
    return [parameter for parameter in operation.parameters if parameter.required]


def _argument(name: str, annotation: str, values: Iterator[Any]) -> Argument | None:
    if not _PLAIN.fullmatch(annotation):
        return None
    return next((Argument(name, Default(value)) for value in values), None)
