"""Calls of a generated client with values that its document allows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from lab.wire.judge import Meant, difference
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Site
from specwright.ir.model.api import Api, OperationGroup
from specwright.ir.model.bodies import RequestBody
from specwright.ir.model.operations import OperationDefinition
from specwright.ir.model.parameters import ParameterDefinition
from specwright.mock.responses import MOST, Bodies
from specwright.pointer import join, resolve

ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


@dataclass(slots=True)
class Call:
    """A call, and the request that it is to become.

    Attributes:
        arguments: of the method, as a program gives them.
        turned: models that are not the values that they were made of.
    """

    group: OperationGroup
    operation: OperationDefinition
    arguments: dict[str, Any]
    meant: Meant
    turned: list[str] = field(default_factory=list)

    def streamed(self, is_on: bool) -> Call:
        """The same call that asks for items one by one, or for one value, if it can ask so."""
        switch, told, body = self.operation.stream, dict(self.meant.arguments), self.meant.body
        if switch is None:
            return self
        for parameter in self.operation.parameters:
            if parameter.name == switch.name:
                told[str(parameter.location), parameter.wire.raw] = is_on
        for field_ in (self.operation.body.fields or ()) if self.operation.body else ():
            if field_.name == switch.name:
                body = {**body, field_.wire.raw: is_on}
        arguments = {**self.arguments, switch.name: is_on}
        return replace(
            self, arguments=arguments, meant=replace(self.meant, arguments=told, body=body)
        )


class NoValueError(Exception):
    """No value was found for a part of a call."""


class Calls:
    """The calls of a package."""

    def __init__(self, document: Document, api: Api, package: ModuleType) -> None:
        self._document = document
        self._bodies = Bodies(document)
        plans = vars(import_module(f"{package.__name__}._operations"))
        self._codecs = plans["CODECS"]
        self._plans = {
            (group.name, operation.constant): plans[operation.constant]
            for group in api.groups
            for operation in group.operations
        }

    def of(self, group: OperationGroup, operation: OperationDefinition) -> Iterator[Call]:
        """Yield calls with all that an operation takes, then with the least.

        Raises:
            NoValueError: something that is required has no value.
        """
        forms: list[Any] = [*operation.body.choices] if operation.body else [None]
        if operation.body and not operation.body.required:
            forms.append(None)
        for form in forms:
            for is_full in (True, False):
                yield self._call(group, operation, form, is_full)

    def _call(
        self, group: OperationGroup, operation: OperationDefinition, form: Any, is_full: bool
    ) -> Call:
        plan = self._plans[group.name, operation.constant]
        arguments: dict[str, Any] = {}
        told: dict[tuple[str, str], Any] = {}
        turned: list[str] = []
        for parameter, planned in zip(operation.parameters, plan.parameters, strict=True):
            values = list(self._values_of(parameter))
            if not values and parameter.required:
                raise NoValueError(f"{parameter.location} {parameter.wire.raw}")
            if not values or not (is_full or parameter.required):
                continue
            value = values[0 if is_full else -1]
            arguments[parameter.name] = self._model(planned.model, value, turned)
            told[str(parameter.location), parameter.wire.raw] = value
        meant = Meant(operation.path.raw, operation.method, told)
        if form is not None and operation.body is not None:
            body, media_type = self._body(operation.body, form, is_full), form.media_type.raw
            content = next(form for form in plan.body if form.media_type == media_type)
            arguments |= self._of_body(operation, content, body, turned)
            meant = Meant(meant.path, meant.method, told, media_type, body)
            if operation.content_type and form != operation.body.usual:
                arguments[operation.content_type] = media_type
        return Call(group, operation, arguments, meant, turned)

    def _values_of(self, parameter: ParameterDefinition) -> Iterator[Any]:
        """The values of a parameter that can travel, the fullest first."""
        site = Site(parameter.pointer, resolve(self._document.data, parameter.pointer))
        content = site.value.get("content")
        if isinstance(content, dict) and content:
            site = Site(site.pointer + join("content", next(iter(content))), *content.values())
        if "schema" not in site.value:
            yield "text"
            return
        values = islice(self._bodies.examples.valid(site), 2 * MOST)
        yield from (value for value in values if _travels(parameter, value))

    def _body(self, body: RequestBody, form: Any, is_full: bool) -> Any:
        holder = Site(body.pointer, resolve(self._document.data, body.pointer))
        for media_type, content in sites.contents(self._document, holder):
            if sites.concrete(self._document, media_type, content) == form.media_type.raw:
                values = self._bodies.values(form.media_type.raw, content)
                if values:
                    return values[0 if is_full else -1]
        raise NoValueError(f"body {form.media_type.raw}")

    def _of_body(
        self, operation: OperationDefinition, content: Any, body: Any, turned: list[str]
    ) -> dict[str, Any]:
        """The body as arguments."""
        fields = operation.body.fields if operation.body else None
        if isinstance(body, tuple):
            return {"body": [self._model(content.model, item, turned) for item in body]}
        if fields is None:
            return {"body": self._model(content.model, body, turned)}
        if body is None:
            # Arguments have no way to say that the whole body is null.
            raise NoValueError("a body that is null, in place of its properties")
        model = self._model(content.model, body, turned)
        if isinstance(model, dict):
            return {field.name: body[field.wire.raw] for field in fields if field.wire.raw in body}
        extra = {n: v for n, v in body.items() if n in (model.model_extra or {})}
        given = {
            field.name: getattr(model, field.attribute)
            for field in fields
            if field.attribute in model.model_fields_set
        }
        return given | ({"request_options": {"extra_body": extra}} if extra else {})

    def _model(self, name: str | None, value: Any, turned: list[str]) -> Any:
        """A value as the model of its schema, which must be the same value again."""
        if name is None or isinstance(value, bytes):
            return value
        codec = self._codecs[name]
        try:
            model = codec.read(json.dumps(value).encode())
        except ValidationError as error:
            (problem, *_) = error.errors(include_url=False, include_input=False)
            turned.append(f"{name} /{'/'.join(map(str, problem['loc']))}: {problem['msg']}")
            return value
        again = dumped(model)
        if differs := difference(again, value):
            turned.append(f"{name} {differs}")
        elif codec.read(json.dumps(again).encode()) != model:
            turned.append(f"{name}: reads otherwise what it writes")
        return model


def dumped(value: Any) -> Any:
    """A value of models as JSON."""
    if isinstance(value, bytes):
        return value
    if type(value).__module__.endswith(".shared.files"):
        return value.read().decode()
    return json.loads(ANYTHING.dump_json(value, by_alias=True, exclude_unset=True))


def _travels(parameter: ParameterDefinition, value: Any) -> bool:
    """Whether a value can stand at the place of a parameter, and be told from no value."""
    parts = [*value.values()] if isinstance(value, dict) else value
    if isinstance(parts, list):
        flat = parameter.style in ("deepObject", "content") or not any(
            isinstance(part, list | dict) or part is None for part in parts
        )
        return bool(parts) and flat and all(_travels(parameter, part) for part in parts)
    if value is None or (value == "" and parameter.location != "query"):
        return False
    text = str(value)
    if parameter.location == "path":
        return text not in (".", "..") and "/" not in text
    return parameter.location == "query" or (text.isascii() and text == text.strip())
