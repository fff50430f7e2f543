"""The SARIF 2.1.0 rules for the objects that we write, and no other members."""

import json
from typing import Any

import jsonschema_rs

from tests.report.published import closed

_SCHEMA: dict[str, Any] = {
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "items": {
                "required": ["tool"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id"],
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": {"$ref": "#/$defs/message"},
                                                "help": {"$ref": "#/$defs/message"},
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"items": {"$ref": "#/$defs/result"}},
                },
            }
        },
    },
    "$defs": {
        "headers": {"type": "object", "additionalProperties": {"type": "string"}},
        "content": {"properties": {"text": {"type": "string"}, "binary": {"type": "string"}}},
        "message": {
            "required": ["text"],
            "properties": {"text": {"type": "string"}},
        },
        "result": {
            "required": ["message"],
            "properties": {
                "ruleId": {"type": "string"},
                "level": {"enum": ["none", "note", "warning", "error"]},
                "message": {"$ref": "#/$defs/message"},
                "webRequest": {
                    "properties": {
                        "protocol": {"type": "string"},
                        "version": {"type": "string"},
                        "target": {"type": "string"},
                        "method": {"type": "string"},
                        "headers": {"$ref": "#/$defs/headers"},
                        "body": {"$ref": "#/$defs/content"},
                    },
                },
                "webResponse": {
                    "properties": {
                        "protocol": {"type": "string"},
                        "version": {"type": "string"},
                        "statusCode": {"type": "integer"},
                        "headers": {"$ref": "#/$defs/headers"},
                        "body": {"$ref": "#/$defs/content"},
                    },
                },
                "locations": {"items": {"$ref": "#/$defs/location"}},
                "relatedLocations": {"uniqueItems": True, "items": {"$ref": "#/$defs/location"}},
                "partialFingerprints": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                },
                "suppressions": {
                    "uniqueItems": True,
                    "items": {
                        "required": ["kind"],
                        "properties": {
                            "kind": {"enum": ["inSource", "external"]},
                            "justification": {"type": "string"},
                        },
                    },
                },
            },
        },
        "location": {
            "properties": {
                "physicalLocation": {
                    "properties": {
                        "artifactLocation": {
                            "properties": {"uri": {"type": "string", "format": "uri-reference"}}
                        },
                        "region": {
                            "properties": {
                                "startLine": {"type": "integer", "minimum": 1},
                                "startColumn": {"type": "integer", "minimum": 1},
                            }
                        },
                    }
                },
                "logicalLocations": {
                    "uniqueItems": True,
                    "items": {"properties": {"fullyQualifiedName": {"type": "string"}}},
                },
            }
        },
    },
}
_VALIDATOR = jsonschema_rs.Draft202012Validator(closed(_SCHEMA), validate_formats=True)


def read(log: str) -> Any:
    """The data of a log that fits the schema."""
    data = json.loads(log)
    _VALIDATOR.validate(data)
    return data
