"""A document with each kind of thing that a reference shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.pipeline import reference
from specwright.reference.options import ReferenceOptions


def shop(**changes: Any) -> dict[str, Any]:
    """The document; its members can be replaced."""
    item = {"$ref": "#/components/schemas/Item"}
    failed = {"$ref": "#/components/responses/Failed"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Shop",
            "version": "1.2.0",
            "description": "Sells [things](https://shop.example/about).\n\n## Keys\n\nAsk for one.",
        },
        "servers": [{"url": "https://shop.example/api"}],
        "tags": [{"name": "items", "description": "Things to buy."}],
        "security": [{"key": []}],
        "x-contract-rate-limit": {
            "classes": {"read": {"limit": 60, "window_seconds": 30, "scope": "key"}}
        },
        "x-contract-error": {
            "schema": "#/components/schemas/Problem",
            "code": "/code",
            "message": "/detail",
            "codes": {
                "bad_json": {"status": 400, "type": "invalid", "condition": "invalid_json"},
                "sold_out": {"status": 400, "type": "invalid"},
            },
        },
        "paths": {
            "/items/{id}": {
                "get": {
                    "operationId": "getItem",
                    "tags": ["items"],
                    "summary": "Get an item",
                    "description": "The price is *fixed*.",
                    "x-contract-rate-limit": {"class": "read"},
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "example": "it 1",
                            "schema": {"$ref": "#/components/schemas/ItemId"},
                        },
                        {
                            "name": "fields",
                            "in": "query",
                            "description": "The members to return.",
                            "schema": {"type": "array", "items": {"type": "string"}},
                        },
                    ],
                    "responses": {
                        "200": {
                            "description": "The item.",
                            "content": {"application/json": {"schema": item}},
                        },
                        "400": failed,
                    },
                }
            },
            "/items": {
                "post": {
                    "operationId": "createItem",
                    "tags": ["items"],
                    "deprecated": True,
                    "requestBody": {
                        "required": True,
                        "content": {
                            "application/json": {
                                "schema": {"$ref": "#/components/schemas/NewItem"},
                                "example": {"name": "it's a cup"},
                            }
                        },
                    },
                    "responses": {
                        "201": {
                            "description": "Created.",
                            "content": {"application/json": {"schema": item}},
                        },
                        "400": failed,
                    },
                }
            },
        },
        "webhooks": {
            "item.sold": {
                "post": {
                    "operationId": "onItemSold",
                    "summary": "An item is sold",
                    "security": [],
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": item}},
                    },
                    "responses": {"204": {"description": "Received."}},
                }
            }
        },
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "Yours."}
            },
            "responses": {
                "Failed": {
                    "description": "The request is wrong.",
                    "headers": {"X-Trace": {"schema": {"type": "string"}}},
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Problem"},
                            "examples": {
                                "sold_out": {
                                    "summary": "The item is sold out",
                                    "value": {"code": "sold_out", "detail": "Too late."},
                                }
                            },
                        }
                    },
                }
            },
            "schemas": {
                "ItemId": {"type": "string", "maxLength": 20},
                "Item": {
                    "type": "object",
                    "required": ["id"],
                    "properties": {
                        "id": {"$ref": "#/components/schemas/ItemId"},
                        "state": {"type": "string", "x-extensible-enum": ["new", "sold"]},
                        "size": {
                            "type": "object",
                            "properties": {"height": {"type": "number", "minimum": 0}},
                        },
                        "parts": {"type": "array", "items": item},
                    },
                },
                "NewItem": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
                },
                "Problem": {
                    "type": "object",
                    "required": ["code", "detail"],
                    "properties": {"code": {"type": "string"}, "detail": {"type": "string"}},
                },
            },
        },
        **changes,
    }


def write(directory: Path, document: dict[str, Any]) -> Path:
    """Write a document to a directory."""
    path = directory / "openapi.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def pages(directory: Path, document: dict[str, Any], *, is_site: bool = False) -> dict[str, str]:
    """The pages of a document; a command would start a process for the models of each."""
    source = load_in_part(write(directory, document))
    files = reference(source, PackageOptions(), ReferenceOptions(is_site))
    return {name: text.decode() for name, text in files.items() if name.endswith(".html")}


def page(directory: Path, document: dict[str, Any]) -> str:
    """The page of a document."""
    return pages(directory, document)["index.html"]
