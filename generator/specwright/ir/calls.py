"""Example calls of the client: the first one in a README, and that of each operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
_PLAIN = re.compile(r"(str|int|float|bool|Literal\[.*\])( \| None)?")


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls with the examples of a document as arguments."""

    document: Document
    examples: Examples

    def first(self, groups: Sequence[OperationGroup]) -> Call | None:
        """Return the first read of one thing, else the first call with presentable arguments."""
        operations = [(group, operation) for group in groups for operation in group.operations]
        operations.sort(key=lambda pair: _rank(pair[1]))
        calls = (
            self.of(group, operation) for group, operation in operations if _is_plain(operation)
        )
        return next((call for call in calls if call.is_complete), None)

    def of(self, group: OperationGroup, operation: OperationDefinition) -> Call:
        """Return a call with the required arguments of an operation."""
        return Call(group, operation, tuple(self._arguments(operation)))

    def _arguments(self, operation: OperationDefinition) -> Iterator[Argument]:
        for parameter in _required(operation):
            holder = self._site(parameter.pointer)
            name = "" if parameter.location == "path" else parameter.name
            yield _argument(name, parameter.type.annotation, self.examples.of(holder))
        if operation.body is not None:
            content = sites.json_content(self.document, self._site(operation.body.pointer))
            if operation.body.fields is None and operation.body.required:
                yield Argument("body", None)
            for field in operation.body.fields or ():
                if field.required and content is not None:
                    yield _argument(field.name, field.annotation, self._values(content, field))

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


def _is_plain(operation: OperationDefinition) -> bool:
    return not operation.deprecated and not (operation.body and operation.body.fields is None)


def _argument(name: str, annotation: str, values: Iterator[JsonValue]) -> Argument:
    defaults = map(Default, values) if _PLAIN.fullmatch(annotation) else iter(())
    return Argument(name, next(defaults, None))
