"""Documents that are written to take the toolkit down, or to make it disclose secrets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

DOCUMENT = "openapi.json"


def openapi(schemas: Json | None = None, *, paths: Json | None = None, **rest: Any) -> Json:
    return {
        "openapi": "3.1.1",
        "info": {"title": "Bomb", "version": "1"},
        "paths": {} if paths is None else paths,
        "components": {"schemas": schemas or {}},
        **rest,
    }


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def operation(name: str, schema: Json, **more: Any) -> Json:
    """An operation that answers with the schema."""
    content = {"application/json": {"schema": schema}}
    return {
        "operationId": name,
        "responses": {"200": {"description": "Fine.", "content": content}},
        **more,
    }


def used(schemas: Json, name: str) -> Json:
    """Return a document with one operation that takes and returns a schema."""
    body = {"content": {"application/json": {"schema": ref(name)}}}
    return openapi(schemas, paths={"/x": {"post": operation("doX", ref(name), requestBody=body)}})


def _chain(length: int, link: Callable[[Json], Json], end: Json) -> Json:
    """Return schemas that each hold the previous one."""
    return {"S0": end} | {f"S{n}": link(ref(f"S{n - 1}")) for n in range(1, length + 1)}


def _combination(keyword: str, times: int) -> Callable[[Json], Json]:
    return lambda previous: {keyword: [previous] * times}


def _property(previous: Json) -> Json:
    return {"type": "object", "properties": {"next": previous}}


def _twice(previous: Json) -> Json:
    return {"type": "object", "properties": {"left": previous, "right": previous}}


def refusals() -> Json:
    """A property with an error code of its own, in an exponential number of places."""
    refused = {"type": "string", "x-contract-invalid": {"code": "bad"}}
    schemas = _chain(30, _twice, {"type": "object", "properties": {"a": refused}})
    text = {"type": "string"}
    schemas["Error"] = {"type": "object", "properties": {"code": text, "message": text}}
    declared = {
        "schema": "#/components/schemas/Error",
        "code": "/code",
        "message": "/message",
        "codes": {"bad": {"status": 400, "type": "bad", "condition": "invalid_value"}},
    }
    return {**used(schemas, "S30"), "x-contract-error": declared}


def parameter_tree() -> Json:
    tree = {"type": "array", "items": ref("Tree")}
    union = {"oneOf": [ref("Union"), {"type": "string"}]}
    parameters = [
        {"name": "tree", "in": "query", "schema": ref("Tree")},
        {"name": "union", "in": "query", "schema": ref("Union")},
    ]
    found = operation("getX", ref("Tree"), parameters=parameters)
    return openapi({"Tree": tree, "Union": union}, paths={"/x": {"get": found}})


def alternatives(keyword: str, length: int, example: Any = "no") -> Json:
    schemas = _chain(length, _combination(keyword, 2), {"type": "integer"})
    schemas[f"S{length}"]["examples"] = [example]
    return used(schemas, f"S{length}")


def nested_alternatives(length: int) -> Json:
    """Alternatives that multiply with each level of the example."""
    schemas = _chain(
        length,
        lambda previous: {
            "type": "object",
            "properties": {"next": {"oneOf": [previous, previous]}},
        },
        {"type": "integer"},
    )
    example: Any = "no"
    for _ in range(length):
        example = {"next": example}
    schemas[f"S{length}"]["examples"] = [example]
    return used(schemas, f"S{length}")


def tree() -> Json:
    return used({"Tree": {"type": "array", "items": ref("Tree")}}, "Tree")


def nullable_tree() -> Json:
    return used(
        {"Tree": {"oneOf": [{"type": "null"}, {"type": "array", "items": ref("Tree")}]}}, "Tree"
    )


def recursive_map() -> Json:
    return used({"Map": {"type": "object", "additionalProperties": ref("Map")}}, "Map")


def circle_of_arrays() -> Json:
    schemas = {
        "A": {"type": "array", "items": ref("B")},
        "B": {"type": "object", "additionalProperties": ref("A")},
    }
    return used(schemas, "A")


def referring(target: str) -> Json:
    paths = {"/x": {"get": operation("getX", {"$ref": target})}}
    return openapi({"A": {"type": "object", "properties": {"a": {"$ref": target}}}}, paths=paths)


def item_referring(target: str) -> Json:
    return openapi(paths={"/x": {"$ref": target}})


def choices_in_a_circle() -> Json:
    """Unions that lead back to themselves by their members and their discriminators."""
    schemas = {
        name: {
            "oneOf": [ref(other), ref("Leaf")],
            "discriminator": {"propertyName": "kind", "mapping": {"a": other, "b": "Leaf"}},
            "examples": [{"kind": "a"}],
        }
        for name, other in (("A", "B"), ("B", "C"), ("C", "A"))
    }
    leaf = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}}}
    return used(schemas | {"Leaf": leaf}, "A")


def all_of_itself() -> Json:
    return used({"A": {"allOf": [ref("A"), {"type": "object"}], "examples": [{}]}}, "A")


def many_operations(count: int) -> Json:
    schemas = {"Thing": {"type": "object", "properties": {"name": {"type": "string"}}}}
    return openapi(
        schemas,
        paths={f"/x{n}": {"get": operation(f"getX{n}", ref("Thing"))} for n in range(count)},
    )


def many_parameters(count: int) -> Json:
    parameters = [
        {"name": f"p{n}", "in": "query", "schema": {"type": "string"}, "example": "x"}
        for n in range(count)
    ]
    return openapi(
        paths={"/x": {"get": operation("getX", {"type": "object"}, parameters=parameters)}}
    )


def many_tags(count: int) -> Json:
    return openapi(
        paths={"/x": {"get": operation("getX", {"type": "object"}, tags=["t0"])}},
        tags=[{"name": f"t{n}"} for n in range(count)],
    )


def wide(count: int) -> Json:
    return used(
        {
            "Wide": {
                "type": "object",
                "properties": {f"p{n}": {"type": "string"} for n in range(count)},
                "required": [f"p{n}" for n in range(count)],
            }
        },
        "Wide",
    )


def deep_arrays(depth: int) -> Json:
    schema: Json = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return used({"Deep": schema}, "Deep")


def deep_properties(depth: int) -> Json:
    schema: Json = {"type": "string"}
    for _ in range(depth):
        schema = _property(schema)
    return used({"Deep": schema}, "Deep")


def deep_combinations(depth: int) -> Json:
    schema: Json = {"type": "string"}
    for n in range(depth):
        schema = {("allOf", "anyOf", "oneOf")[n % 3]: [schema, {"type": "integer"}]}
    return used({"Deep": schema | {"examples": [1.5]}}, "Deep")


def numbers() -> Json:
    return used(
        {
            "Numbers": {
                "type": "object",
                "properties": {
                    "high": {"type": "number", "maximum": 1e308, "minimum": -1e308},
                    "many": {"type": "array", "items": {}, "minItems": 10**9, "examples": [[]]},
                    "long": {"type": "string", "maxLength": 10**18, "minLength": 10**15},
                    "huge": {"type": "integer", "enum": [10**400, -(10**400)]},
                    "fine": {"type": "number", "multipleOf": 1e-300, "examples": [1e300]},
                    "step": {"type": "integer", "multipleOf": 10**300, "default": 10**300},
                    "text": {"type": "string", "pattern": "^(a{1000}){1000}$"},
                },
            }
        },
        "Numbers",
    )


def thing(**schema: Any) -> Json:
    return used({"Thing": schema}, "Thing")


# A name that a test can speak of -> the document.
BOMBS: dict[str, Callable[[], Json]] = {
    "oneOf of two, 18 times": lambda: alternatives("oneOf", 18),
    "oneOf of two, 30 times": lambda: alternatives("oneOf", 30),
    "anyOf of two, 30 times": lambda: alternatives("anyOf", 30),
    "allOf of two, 30 times": lambda: alternatives("allOf", 30),
    "oneOf of two, 30 times, fitting": lambda: alternatives("oneOf", 30, 1),
    "oneOf of two in properties, 25 times": lambda: nested_alternatives(25),
    "two properties of the same, 30 times": lambda: used(
        _chain(30, _twice, {"type": "string"}), "S30"
    ),
    "two refusals of the same, 30 times": refusals,
    "arrays and maps of the same, 30 times": lambda: used(
        _chain(
            30,
            lambda each: {"type": ["array", "object"], "items": each, "additionalProperties": each},
            {"type": "string"},
        ),
        "S30",
    ),
    "a parameter that is a tree": parameter_tree,
    "1,500 schemas by properties": lambda: used(
        _chain(1_500, _property, {"type": "string"}), "S1500"
    ),
    "10,000 schemas by properties": lambda: used(
        _chain(10_000, _property, {"type": "string"}), "S10000"
    ),
    "1,500 schemas by items": lambda: used(
        _chain(1_500, lambda each: {"type": "array", "items": each}, {"type": "string"}), "S1500"
    ),
    "200 schemas by allOf": lambda: used(
        _chain(
            200,
            lambda each: {"allOf": [each, {"properties": {"a": {"type": "string"}}}]},
            {"type": "object"},
        ),
        "S200",
    ),
    "1,000 schemas by allOf": lambda: used(
        _chain(1_000, _combination("allOf", 1), {"type": "object"}), "S1000"
    ),
    "2,000 references in a row": lambda: used(
        _chain(2_000, lambda each: each, {"type": "string"}), "S2000"
    ),
    "20,000 references in a row": lambda: used(
        _chain(20_000, lambda each: each, {"type": "string"}), "S20000"
    ),
    "a schema of 1,000 alternatives": lambda: used(
        {f"S{n}": {"type": "object", "properties": {f"p{n}": {}}} for n in range(1_000)}
        | {"All": {"oneOf": [ref(f"S{n}") for n in range(1_000)], "examples": [{}]}},
        "All",
    ),
    "an enum of 200,000 values": lambda: thing(
        type="string", enum=[f"v{n}" for n in range(200_000)], default="v1", examples=["x"]
    ),
    "an enum of 200,000 numbers": lambda: thing(type="integer", enum=list(range(200_000))),
    "an enum of 100,000 values of the wrong type": lambda: thing(
        type="string", enum=list(range(100_000))
    ),
    "an enum of 2,000 objects": lambda: thing(enum=[{"a": n} for n in range(2_000)]),
    "a tree of arrays": tree,
    "a tree of arrays or null": nullable_tree,
    "a map of itself": recursive_map,
    "a circle of arrays and maps": circle_of_arrays,
    "a union in a circle": choices_in_a_circle,
    "allOf of itself": all_of_itself,
    "a reference to the document": lambda: referring("#"),
    "an empty reference": lambda: referring(""),
    "a reference to NUL": lambda: referring("%00"),
    "a reference to a NUL in the document": lambda: referring("#/%00"),
    "a reference that is a query": lambda: referring("?x#/y"),
    "a reference that is a broken address": lambda: referring("http://[::1/x"),
    "a reference to the components": lambda: referring("#/components"),
    "a reference to a number": lambda: referring("#/info/version"),
    "a reference with half a surrogate": lambda: referring("%ED%A0%80"),
    "a path item that is the document": lambda: item_referring("#"),
    "a path item that is an empty reference": lambda: item_referring(""),
    "10,000 operations": lambda: many_operations(10_000),
    "5,000 parameters": lambda: many_parameters(5_000),
    "100,000 tags": lambda: many_tags(100_000),
    "20,000 properties": lambda: wide(20_000),
    "10,000 schemas": lambda: openapi(
        {f"S{n}": {"type": "object", "properties": {"a": {}}} for n in range(10_000)}
    ),
    "arrays 60 deep": lambda: deep_arrays(60),
    "arrays 150 deep": lambda: deep_arrays(150),
    "properties 80 deep": lambda: deep_properties(80),
    "combinations 80 deep": lambda: deep_combinations(80),
    "numbers of every size": numbers,
    "a property name of 1 MB": lambda: thing(
        type="object", properties={"x" * 1_000_000: {"type": "string"}}
    ),
    "a schema name of 1 MB": lambda: used({"x" * 1_000_000: {"type": "string"}}, "x" * 1_000_000),
    "an operationId of 1 MB": lambda: openapi(
        paths={"/x": {"get": operation("x" * 1_000_000, {"type": "object"})}}
    ),
    "a path of 1 MB": lambda: openapi(
        paths={"/" + "{a}." * 250_000: {"get": operation("getX", {"type": "object"})}}
    ),
    "a path with 20,000 variables": lambda: openapi(
        paths={
            "/" + "/".join(f"{{a{n}}}" for n in range(20_000)): {
                "get": operation("getX", {"type": "object"})
            }
        }
    ),
    "a description of 25 MB": lambda: thing(type="object", description="word " * 5_000_000),
    "a description of one word of 10 MB": lambda: thing(
        type="object", description="x" * 10_000_000
    ),
    "a description of 1,000,000 lines": lambda: thing(type="object", description="x\n" * 1_000_000),
    "a pattern of 1 MB": lambda: thing(type="string", pattern="a" * 1_000_000, examples=["aaa"]),
    "a pattern of 100,000 groups": lambda: thing(
        type="string", pattern="(a)" * 100_000, examples=["aaa"]
    ),
    "a pattern of 100,000 brackets": lambda: thing(
        type="string", pattern="(" * 100_000 + ")" * 100_000, examples=["aaa"]
    ),
    "a pattern that backtracks": lambda: thing(
        type="string", pattern="^(?=a)(a+)+\\1$", examples=["a" * 40 + "b"]
    ),
    "2,000 patterns": lambda: thing(
        type="object", patternProperties={f"^(a|b){{{n}}}c": {} for n in range(1, 500)}
    ),
    "a title of 1 MB": lambda: openapi(info={"title": "word " * 200_000, "version": "1"}),
    "1,000 servers of 1,000 variables": lambda: openapi(
        servers=[
            {"url": "https://x.example/" + "{v}" * 1_000, "variables": {"v": {"default": "a"}}}
        ]
        * 1_000
    ),
    "10,000 webhooks": lambda: openapi(
        {"Thing": {"type": "object"}},
        webhooks={
            f"w{n}": {
                "post": operation(
                    f"w{n}",
                    {"type": "object"},
                    requestBody={"content": {"application/json": {"schema": ref("Thing")}}},
                )
            }
            for n in range(2_000)
        },
    ),
    "10,000 bodies without names": lambda: openapi(
        paths={
            f"/x{n}": {"get": operation(f"getX{n}", {"type": "object", "properties": {"a": {}}})}
            for n in range(3_000)
        }
    ),
    "1,000 links to 1,000 operations": lambda: openapi(
        paths={
            f"/x{n}": {
                "get": {
                    "operationId": f"getX{n}",
                    "responses": {
                        "200": {
                            "description": "Fine.",
                            "links": {f"l{m}": {"operationId": f"getX{m}"} for m in range(100)},
                        }
                    },
                }
            }
            for n in range(1_000)
        }
    ),
}


def write(directory: Path, document: Json) -> Path:
    path = directory / DOCUMENT
    path.write_text(json.dumps(document), "utf-8")
    return path
