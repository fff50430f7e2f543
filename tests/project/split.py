"""A document of forty files, written by a few loops: cyclic, and with parts above its directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
# The operations, and as many schemas, each of which refers to the next one.
COUNT = 16
VERSIONS = ("3.0.3", "3.1.0")


def nullable(version: str, schema: Json) -> Json:
    if version.startswith("3.0"):
        return {**schema, "nullable": True}
    return {**schema, "type": [schema["type"], "null"]}


def record(version: str, number: int) -> Json:
    """A schema with the next one, which at the end is the first one again."""
    following = {"$ref": f"./Record{(number + 1) % COUNT}.yaml"}
    return {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {"type": "string", "minLength": 1},
            "note": nullable(version, {"type": "string"}),
            "price": {"$ref": "../../shared/Money.yaml"},
            "next": following,
            "all": {"type": "array", "items": {"$ref": "more.json#/definitions/Leaf"}},
        },
    }


def path_item(number: int) -> Json:
    schema = {"$ref": f"../schemas/Record{number}.yaml"}
    return {
        "parameters": [{"$ref": "../parameters.yaml#/id"}],
        "get": {
            "operationId": f"getRecord{number}",
            "summary": f"Get record {number}",
            "tags": ["records"],
            "responses": {
                "200": {
                    "description": "The record.",
                    "headers": {"X-Total": {"$ref": "../headers.yaml#/total"}},
                    "content": {
                        "application/json": {
                            "schema": schema,
                            "examples": {"one": {"$ref": "../examples/one.json"}},
                        }
                    },
                },
                "404": {"$ref": "../../shared/responses.yaml#/missing"},
            },
        },
    }


def files(version: str, title: str = "Records") -> dict[str, Json]:
    """Return the content of each file by its path; `shared` is above the document's directory."""
    paths = {
        f"/records{number}/{{id}}": {"$ref": f"./paths/record{number}.yaml"}
        for number in range(COUNT)
    }
    root = {
        "openapi": version,
        "info": {"title": title, "version": "1.0.0"},
        "servers": [{"url": "https://records.example"}],
        "security": [],
        "tags": [{"name": "records", "description": "Records."}],
        "paths": paths,
    }
    problem = {"type": "object", "properties": {"title": {"type": "string"}}}
    return {
        "openapi.yaml": root,
        **{f"paths/record{number}.yaml": path_item(number) for number in range(COUNT)},
        **{f"schemas/Record{number}.yaml": record(version, number) for number in range(COUNT)},
        "schemas/more.json": {
            "definitions": {
                "Leaf": {"type": "object", "properties": {"of": {"$ref": "Record0.yaml"}}}
            }
        },
        "parameters.yaml": {
            "id": {
                "name": "id",
                "in": "path",
                "required": True,
                "description": "The record.",
                "schema": {"$ref": "schemas/Id.yaml"},
            }
        },
        "schemas/Id.yaml": {"type": "string", "minLength": 1, "example": "r1"},
        "headers.yaml": {"total": {"description": "All.", "schema": {"type": "integer"}}},
        "examples/one.json": {"summary": "One", "value": {"id": "r1", "all": [{}]}},
        "../shared/Money.yaml": {
            "type": "object",
            "required": ["amount"],
            "properties": {"amount": {"type": "integer"}, "unit": {"type": "string"}},
        },
        "../shared/responses.yaml": {
            "missing": {
                "description": "There is no such record.",
                "content": {"application/json": {"schema": problem}},
            }
        },
    }


def write(place: Path, version: str, title: str = "Records") -> Path:
    """Write the files into a directory, and the shared ones beside it; return the document."""
    for path, content in files(version, title).items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        is_json = file.suffix == ".json"
        text = json.dumps(content, indent=2) + "\n" if is_json else yaml.safe_dump(content)
        file.write_text(text, "utf-8")
    return place / "openapi.yaml"
