"""The published document, and the few questions that tests ask of it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

from specwright.document.operations import sites
from specwright.document.operations.sites import Direction
from specwright.document.sources.load import load

DOCUMENT = load(Path(__file__).parents[2] / "spec/openapi.json")
CONTRACT = DOCUMENT.data


def dereference(value: Any) -> Any:
    return DOCUMENT.follow(value)


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for operation in sites.operations(DOCUMENT):
        if operation.direction is Direction.PATH:
            yield operation.method.lower(), operation.key, operation.value


BY_ID = {operation["operationId"]: operation for _, _, operation in operations()}


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    whole = {**schema, "components": CONTRACT["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True).is_valid(value)
