"""The published document, and the few questions that tests ask of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs

from specwright.pointer import resolve

CONTRACT = json.loads((Path(__file__).parents[2] / "spec/openapi.json").read_bytes())


METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def dereference(value: Any) -> Any:
    while isinstance(value, dict) and "$ref" in value:
        value = resolve(CONTRACT, value["$ref"].removeprefix("#"))
    return value


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in CONTRACT["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


BY_ID = {operation["operationId"]: operation for _, _, operation in operations()}


def is_valid(schema: dict[str, Any], value: Any) -> bool:
    whole = {**schema, "components": CONTRACT["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True).is_valid(value)
