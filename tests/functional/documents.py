"""Small documents for tests, as short as each test allows."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def document(paths: Json | None = None, schemas: Json | None = None, **members: Any) -> Json:
    """A document of OpenAPI 3.1 with these paths and component schemas."""
    return {
        "openapi": "3.1.1",
        "info": {"title": "Small API", "version": "1.0.0"},
        "servers": [{"url": "http://127.0.0.1:1/api"}],
        "paths": paths or {},
        "components": {"schemas": schemas or {}, **members.pop("components", {})},
        **members,
    }


def operation(result: Json | None = None, **members: Any) -> Json:
    """An operation that answers 200 with this schema, or 204 without one."""
    answer = {"200": {"description": "Done.", **content(result)}} if result else {}
    nothing = {} if result else {"204": {"description": "Done."}}
    return {"tags": ["things"], "responses": {**answer, **nothing}, **members}


def content(schema: Json) -> Json:
    """The content of a body or response with this JSON schema."""
    return {"content": {"application/json": {"schema": schema}}}


def ref(name: str) -> Json:
    """A reference to a component schema."""
    return {"$ref": f"#/components/schemas/{name}"}


THING: Json = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string"}, "size": {"type": "integer"}},
}
