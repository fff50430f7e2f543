"""Custom examples, which replace those of the document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from jsonschema_rs.canonical.schema import clone

from specwright.config import parse_toml
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Direction, OperationSite, Site
from specwright.errors import InputError, did_you_mean
from specwright.files import read_argument, why_not_read
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import resolve


class Example(TypedDict, total=False):
    """The parts of a request: values of parameters by name, and a body."""

    parameters: Mapping[str, JsonValue]
    body: JsonValue


# By operation, named as `POST /items` or by its operationId.
Data = Mapping[str, Example]


def read_data(path: Path) -> Data:
    """Read examples from a TOML file with a table for each operation.

    Raises:
        InputError: the file cannot be read or is invalid.
    """
    try:
        content = read_argument(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {why_not_read(error)}") from None
    _, data = parse_toml(path, content)
    examples: dict[str, Example] = {}
    for name, table in data.items():
        if not isinstance(table, dict) or not table.keys() <= Example.__annotations__.keys():
            raise InputError(f"{path}: {name!r} must be a table of `parameters` and `body`")
        if not isinstance(table.get("parameters", {}), dict):
            raise InputError(f"{path}: the parameters of {name!r} must be a table")
        examples[name] = example = Example()
        if "parameters" in table:
            example["parameters"] = table["parameters"]
        if "body" in table:
            example["body"] = table["body"]
    return examples


def with_data(document: Document, data: Data) -> Document:
    """Return the document with the given examples in place of its own.

    Raises:
        InputError: an operation, a parameter or a body does not exist.
    """
    changed = document.with_data(clone(document.data))
    operations = {
        name: operation
        for operation in sites.operations(changed)
        if operation.direction is Direction.PATH
        for name in (f"{operation.method} {operation.key}", operation.id)
        if name is not None
    }
    for name, example in data.items():
        if name not in operations:
            hint = did_you_mean(
                name, operations, "use a name such as `POST /items`, or an operationId"
            )
            raise InputError(f"there is no operation {name!r}", hint=hint)
        _give(changed, operations[name], example)
    return changed


def _give(document: Document, operation: OperationSite, example: Example) -> None:
    """Write examples into the operation itself, as other operations may share its parts."""
    written = mapping(resolve(document.data, operation.pointer))
    slots = {
        str(parameter.value["name"]): parameter
        for parameter in sites.parameters(document, operation).values()
    }
    for name, value in example.get("parameters", {}).items():
        if name not in slots:
            hint = did_you_mean(
                name, slots, "it has no parameters" if not slots else "see the document"
            )
            raise InputError(f"{operation.name} has no parameter {name!r}", hint=hint)
        slots[name] = Site("", _with_example(slots[name], value))
    if "parameters" in example:
        written["parameters"] = [slot.value for slot in slots.values()]
    body = sites.request_body(document, operation)
    if "body" in example:
        if body is None:
            raise InputError(f"{operation.name} has no body")
        contents: JsonObject = {
            media_type: _with_example(content, example["body"])
            for media_type, content in sites.contents(document, body)
        }
        written["requestBody"] = {**body.value, "content": contents}


def _with_example(holder: Site, value: JsonValue) -> JsonObject:
    kept = {name: each for name, each in holder.value.items() if name != "examples"}
    return {**kept, "example": value}
