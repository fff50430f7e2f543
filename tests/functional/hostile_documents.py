"""Documents with one text in every place that authors may fill."""

from __future__ import annotations

from tests.functional.documents import Json, content, ref

# Text that becomes code sets this name in `builtins`.
CANARY = "PWNED_BY_A_DOCUMENT"
RUN = f"__import__('builtins').{CANARY} = 1"


def hostile(text: str) -> Json:
    """A document with `text` at every place that may hold any text."""
    name = text or "x"
    return {
        "openapi": "3.1.1",
        "info": {
            "title": f"T {text}",
            "version": name,
            "summary": text,
            "description": text,
            "x-other": {name: text},
        },
        "servers": [{"url": "http://127.0.0.1:1", "description": text}],
        "tags": [{"name": f"tag {text}", "description": text}],
        "security": [{"key": []}],
        "paths": {
            "/things/{id}": {
                "get": {
                    "operationId": f"getThing {text}",
                    "tags": [f"tag {text}"],
                    "summary": text,
                    "description": text,
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "description": text,
                            "schema": {"type": "string"},
                        },
                        {
                            "name": f"q {text}",
                            "in": "query",
                            "description": text,
                            "schema": {"type": "string", "default": text, "description": text},
                        },
                        {
                            "name": "choice",
                            "in": "query",
                            "schema": {"type": "string", "enum": [name, "other"]},
                        },
                    ],
                    "responses": {
                        "200": {
                            "description": text,
                            "headers": {
                                "X-One": {"description": text, "schema": {"type": "string"}}
                            },
                            **content(ref("Thing")),
                        },
                        "404": {"description": text, **content(ref("Error"))},
                    },
                    "x-contract-requires-one-of": {
                        "parameters": [f"q {text}", "choice"],
                        "code": name,
                    },
                },
                "put": {
                    "operationId": "putThing",
                    "tags": ["other"],
                    "parameters": [
                        {
                            "name": "id",
                            "in": "path",
                            "required": True,
                            "schema": {"type": "string"},
                        }
                    ],
                    "requestBody": {
                        "description": text,
                        "required": True,
                        **content(ref("Thing")),
                    },
                    "responses": {"204": {"description": text}},
                },
            }
        },
        "webhooks": {
            f"hook {text}": {
                "post": {
                    "operationId": f"hook {text}",
                    "summary": text,
                    "requestBody": {"required": True, **content(ref("Thing"))},
                    "responses": {"204": {"description": text}},
                }
            }
        },
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": text}},
            "schemas": {
                "Thing": {
                    "type": "object",
                    "title": text,
                    "description": text,
                    "customTypePath": RUN,
                    "x-python-type": RUN,
                    "properties": {
                        "plain": {"type": "string"},
                        f"p {text}": {
                            "type": "string",
                            "title": text,
                            "description": text,
                            "default": text,
                            "examples": [text],
                            "$comment": text,
                            "customTypePath": f"os.{CANARY}",
                        },
                        "choice": {"type": "string", "enum": [name, "other"], "description": text},
                        "fixed": {"const": text, "description": text},
                        "open": {"type": "string", "x-extensible-enum": [name, "other"]},
                        "matched": {"type": "string", "pattern": _escaped(text)},
                        "amount": {
                            "type": "string",
                            "format": "decimal",
                            "pattern": _escaped(text),
                        },
                        "formatted": {"type": "string", "format": name},
                        "object": {"type": "object", "default": {name: text}},
                        "listed": {
                            "type": "array",
                            "items": {"type": "string", "enum": [name]},
                            "default": [name],
                        },
                    },
                },
                "Alias": {"type": "string", "description": text, "pattern": _escaped(text)},
                "Error": {
                    "type": "object",
                    "properties": {name: {"type": "string", "description": text}},
                },
            },
        },
        "x-contract-error": {
            "schema": "#/components/schemas/Error",
            "code": "/" + name.replace("~", "~0").replace("/", "~1"),
            "message": "/" + name.replace("~", "~0").replace("/", "~1"),
            "codes": {name: {"status": 404, "type": name}},
        },
    }


def unchecked(text: str) -> Json:
    """The same document with `text` in places, too, where checks do not let any text pass."""
    document = hostile(text)
    document["info"] |= {"contact": {"name": text}, "license": {"name": text}}
    document["paths"][f"/more/{{id}}/{text.replace('{', '').replace('}', '')}"] = {
        "post": _operation(text)
    }
    event = _event(text)
    # Signed and delivered in another way, so that each has names of its own.
    another = event | {"operationId": f"another{text}"}
    for key in ("x-contract-signature", "x-contract-delivery"):
        another[key] = {
            name: f"{value}b" if value == text else value for name, value in event[key].items()
        }
    document["webhooks"] |= {f"w{text}": {"post": event}, f"v{text}": {"post": another}}
    document["components"]["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": text, "description": text}
    }
    thing = document["components"]["schemas"]["Thing"]
    thing |= {"required": ["kind"], "examples": [{"kind": text}], "default": {"kind": text}}
    thing["properties"] |= {
        "kind": {"const": text, "description": text},
        "nested": {"type": "object", "properties": {f"n{text}": {"title": text}}},
    }
    document["x-contract-error"] |= {
        "type": document["x-contract-error"]["code"],
        "request_id_header": text,
    }
    document["x-contract-rate-limit"] = {
        "classes": {text: {"limit": 1, "window_seconds": 1, "scope": text}},
        "headers": {"policy": text, "state": text, "retry": text},
    }
    return document


def _operation(text: str) -> Json:
    pointer = f"/k{text}".replace("~", "~0")
    return {
        "operationId": f"do{text}",
        "parameters": [
            {"name": "id", "in": "path", "required": True,
             "schema": {"type": "string", "default": text}},
            {"name": f"q{text}", "in": "query", "deprecated": True,
             "schema": {"type": "string", "enum": [text, "a"], "default": text, "title": text}},
            {"name": f"h{text}", "in": "header",
             "schema": {"type": "array", "items": {"type": "string"}}},
            {"name": f"c{text}", "in": "cookie", "schema": {"const": text}},
        ],
        "requestBody": {"required": True, **content(ref("Thing"))},
        "responses": {
            "200": {"description": text, **content(ref("Thing")),
                    "headers": {f"H{text}": {"schema": {}}}},
            "default": {"description": text, "content": {f"text/{text}": {}}},
        },
        "x-contract-idempotency": {
            "key": pointer,
            "replay": {"status": 200, "header": text, "value": text},
            "in_progress": {"status": 409, "code": text},
            "changed": {"status": 422, "code": text},
            "scope": [text],
        },
        "x-contract-rate-limit": {"class": text},
        "x-contract-capacity": {
            "limit": 1, "scope": text, "status": 409, "code": text, "release": text,
        },
        "x-contract-order": {"by": pointer, "direction": "ascending"},
        "x-contract-requires-one-of": {"parameters": [f"q{text}"], "code": text},
        f"x-{text}": text,
    }  # fmt: skip


def _event(text: str) -> Json:
    return {
        "operationId": f"on{text}",
        "requestBody": {"required": True, **content(ref("Thing"))},
        "responses": {"200": {"description": text}},
        "x-contract-signature": {
            "header": text, "template": f"t={{timestamp}},v1={{digest}}{text}",
            "payload": f"{{timestamp}}.{{body}}{text}", "algorithm": "hmac-sha256",
            "encoding": "hex", "tolerance_seconds": 300, "secret": "text",
        },
        "x-contract-delivery": {
            "retry_after_seconds": [1], "success": "2XX", "connect_timeout_seconds": 1,
            "timeout_seconds": 1, "event_id_header": text, "event_type_header": text,
        },
        "x-contract-trigger": {"operation": text, "scenario": text, "within_seconds": 1},
    }  # fmt: skip


def _escaped(text: str) -> str:
    """A pattern that matches `text` and means the same to JSON Schema and to Pydantic."""
    return "".join(c if c.isalnum() and c.isascii() else f"\\x{{{ord(c):x}}}" for c in text)
