"""The published schema of the JSON report, and no member beyond it."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json"


def closed(schema: Any) -> Any:
    """The same schema for objects that hold nothing else."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    members = {name: closed(value) for name, value in schema.items()}
    return {**members, "additionalProperties": False} if "properties" in members else members


_VALIDATOR = jsonschema_rs.Draft202012Validator(closed(json.loads(SCHEMA.read_text("utf-8"))))


def read(report: str) -> Any:
    """The data of a JSON report that fits the schema."""
    data = json.loads(report)
    _VALIDATOR.validate(data)
    return data
