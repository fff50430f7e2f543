"""Random documents: schemas in schemas, parameters, bodies, security and servers."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

Json = dict[str, Any]
VERSIONS = ("3.0.3", "3.1.0", "3.2.0")
# Some of them are words of Python, classes of models, or names of others without their signs.
NAMES = ("id", "kind", "name", "n", "tags", "child", "Class", "_x")
_PARAMETERS = ("id", "name", "X-A", "limit", "class")
_MEDIA = (
    *("application/json",) * 8,
    *("application/merge-patch+json", "application/x-www-form-urlencoded", "multipart/form-data"),
    *("text/plain", "application/octet-stream", "*/*", "application/xml"),
)
_STYLES = {
    "query": ("form", "spaceDelimited", "pipeDelimited", "deepObject"),
    "header": ("simple",),
    "cookie": ("form",),
    "path": ("simple", "label", "matrix"),
}
_SECURITY: tuple[Any, ...] = (
    *([], [{}], [{"A": []}], [{}, {"A": []}], [{"A": []}, {"B": []}]),
    [{"A": [], "B": []}],
)
_SERVERS: tuple[Any, ...] = (
    [],
    [{"url": "/"}],
    [{"url": "https://{h}.t/v1", "variables": {"h": {"default": "a", "enum": ["a", "b"]}}}],
    [{"url": "https://a.t"}, {"url": "https://b.t", "description": "x"}],
)
_FORMATS = ("date", "date-time", "uuid", "byte", "binary", "email", "decimal")
_DEEPEST = 3


def document(seed: int) -> Json:
    """Return the document of a seed."""
    return _Author(Random(seed)).document()


@dataclass(slots=True)
class _Author:
    random: Random
    version: str = ""
    components: tuple[str, ...] = ()
    # Those that a schema may be a part or an alternative of; others would be circles.
    below: tuple[str, ...] = ()

    @property
    def is_old(self) -> bool:
        return self.version.startswith("3.0")

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def document(self) -> Json:
        random = self.random
        self.version = random.choice(VERSIONS)
        self.components = tuple(f"S{number}" for number in range(random.randint(2, 5)))
        schemas: Json = {}
        for number, name in enumerate(self.components):
            self.below = self.components[number + 1 :]
            schemas[name] = self.schema(_DEEPEST, is_part=True)
        self.below = self.components
        result: Json = {
            "openapi": self.version,
            "info": {"title": "Composed", "version": "1.0.0"},
            "paths": dict(self.path(*named) for named in enumerate(self.components)),
            "components": {"schemas": schemas},
        }
        if self.chance(0.9):
            key = {
                "type": "apiKey",
                "in": random.choice(["query", "header", "cookie"]),
                "name": "k",
            }
            schemes = {"A": {"type": "http", "scheme": "bearer"}, "B": key}
            result["components"]["securitySchemes"] = schemes
            for item in result["paths"].values():
                for operation in item.values():
                    operation |= {"security": random.choice(_SECURITY)} if self.chance(0.3) else {}
        else:
            result["security"] = [{}]
        if self.chance(0.4):
            result["servers"] = random.choice(_SERVERS)
        if not self.is_old and self.chance(0.25):
            received = {"requestBody": self.body(self.components[0]), "responses": self.responses()}
            result["webhooks"] = {"w": {"post": {"operationId": "hook", **received}}}
        return result

    def path(self, number: int, name: str) -> tuple[str, Json]:
        parameters = self.parameters()
        names = [each["name"] for each in parameters if each["in"] == "path"]
        operation: Json = {"operationId": f"send{number}", "responses": self.responses(name)}
        operation |= {"requestBody": self.body(name)} if self.chance(0.85) else {}
        operation |= {"parameters": parameters} if parameters else {}
        operation |= {"tags": [self.random.choice(["a", "b c"])]} if self.chance(0.3) else {}
        path = f"/v{number}" + "".join("/{" + each + "}" for each in names)
        return path, {self.random.choice(["post", "put", "patch"]): operation}

    def parameters(self) -> list[Json]:
        result: dict[tuple[str, str], Json] = {}
        for _ in range(self.random.choice([0, 0, 1, 2, 3])):
            place = self.random.choice(["query", "query", "header", "cookie", "path"])
            name = self.random.choice(_PARAMETERS)
            parameter: Json = {"name": name, "in": place, "schema": self.schema(1)}
            if place == "path" or self.chance(0.2):
                parameter["required"] = True
            if self.chance(0.3):
                parameter["style"] = self.random.choice(_STYLES[place])
                parameter["explode"] = self.chance(0.5)
            result[place, name] = parameter
        return list(result.values())

    def responses(self, name: str = "") -> Json:
        status = self.random.choice(["200", "201", "2XX", "default"])
        result = {status: self.response(name)}
        if self.chance(0.3):
            result["4XX"] = self.response(self.random.choice(self.components))
        return result

    def response(self, name: str) -> Json:
        result: Json = {"description": "It."}
        result |= {"content": self.media(name)} if name and self.chance(0.85) else {}
        result |= {"headers": {"X-H": {"schema": self.schema(1)}}} if self.chance(0.2) else {}
        return result

    def body(self, name: str) -> Json:
        return {"content": self.media(name), "required": self.chance(0.7)}

    def media(self, name: str) -> Json:
        schema = self.reference(name) if self.chance(0.7) else self.schema(2)
        result: Json = {self.random.choice(_MEDIA): {"schema": schema}}
        if self.chance(0.1):
            result["application/x-www-form-urlencoded"] = {"schema": schema}
        return result

    def reference(self, name: str = "") -> Json:
        return {"$ref": f"#/components/schemas/{name or self.random.choice(self.components)}"}

    def schema(self, depth: int, *, is_part: bool = False) -> Any:
        if not self.is_old and self.chance(0.015):
            return self.chance(0.5)
        kinds = [self.text, self.text, self.number, self.object, self.object, self.array]
        kinds += [self.whole, self.union] if depth else []
        kinds += [] if is_part else [self.referring, self.referring]
        result = self.random.choice(kinds if depth else [self.text, self.number])(depth)
        return {**result, **self.words(result)}

    def part(self, depth: int) -> Any:
        """Return a schema for the value of another one, which ends."""
        if self.below and self.chance(0.6):
            return self.reference(self.random.choice(self.below))
        return self.schema(depth - 1, is_part=True)

    def words(self, schema: Json) -> Json:
        result: Json = {}
        result |= {"description": "d\"'\\"} if self.chance(0.08) else {}
        mark = self.random.choice(["readOnly", "writeOnly", "deprecated"])
        result |= {mark: True} if self.chance(0.06) else {}
        result |= (
            {"default": self.random.choice([None, 1, "a", [], {}])} if self.chance(0.04) else {}
        )
        if self.chance(0.12) and self.is_old:
            result["nullable"] = True
            # It must be there (OAS 3.0.4, 4.7.24.3); without, readers differ about it.
            if "enum" in schema:
                result["enum"] = [*schema["enum"], None]
        elif self.chance(0.12) and isinstance(schema.get("type"), str) and not self.is_old:
            result["type"] = [schema["type"], "null"]
        return result

    def referring(self, depth: int) -> Json:
        has_more = not self.is_old and depth and self.chance(0.2)
        return {**self.reference(), **(self.beside(depth) if has_more else {})}

    def beside(self, depth: int) -> Json:
        choices: list[Json] = [
            {"required": [self.random.choice(NAMES)]},
            {"properties": {self.random.choice(NAMES): self.schema(depth - 1)}},
            {"minProperties": 1},
            {"maxItems": 3},
            {"additionalProperties": False},
        ]
        return self.random.choice(choices)

    def text(self, depth: int) -> Json:
        result: Json = {} if self.chance(0.1) else {"type": "string"}
        choices: list[Json] = [
            *({"enum": ["a", "b"]}, {"enum": ["A", "a", "a-b"]}, {"enum": ["1", "x y", ""]}),
            *({"minLength": 1}, {"maxLength": 5}, {"pattern": "^[a-z]*$"}),
            *({"format": name} for name in _FORMATS),
        ]
        if not self.is_old:
            choices += [{"const": each} for each in ("a", 1, True, None, {"a": 1}, [1], 1.5)]
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            result |= self.random.choice(choices)
        if not {"enum", "const", "pattern"}.isdisjoint(result):
            # Few texts of a format are among those.
            result.pop("format", None)
        return result

    def number(self, depth: int) -> Json:
        result: Json = {"type": self.random.choice(["integer", "number", "boolean"])}
        if result["type"] != "boolean" and self.chance(0.4):
            limits: list[Json] = [{"minimum": 0}, {"multipleOf": 2}, {"enum": [1, 2]}]
            result |= self.random.choice(limits)
        return result

    def object(self, depth: int) -> Json:
        names = self.random.sample(NAMES, self.random.randint(0, 4))
        result: Json = {"properties": {name: self.schema(max(depth - 1, 0)) for name in names}}
        result["type"] = "object"
        if names and self.chance(0.5):
            result["required"] = self.random.sample(names, self.random.randint(1, len(names)))
        if self.chance(0.3):
            other = self.schema(max(depth - 1, 0))
            result["additionalProperties"] = self.random.choice([True, False, other])
        if not self.is_old and self.chance(0.06):
            result["patternProperties"] = {"^x_": self.schema(0)}
        return result

    def array(self, depth: int) -> Json:
        result: Json = {"type": "array", "items": self.schema(max(depth - 1, 0))}
        limits: list[Json] = [{"minItems": 1}, {"maxItems": 3}, {"uniqueItems": True}]
        result |= self.random.choice(limits) if self.chance(0.4) else {}
        if not self.is_old and self.chance(0.08):
            result["prefixItems"] = [self.schema(0)]
        return result

    def whole(self, depth: int) -> Json:
        result: Json = {"allOf": [self.part(depth) for _ in range(self.random.randint(1, 3))]}
        result |= self.object(depth - 1) if self.chance(0.3) else {}
        return result

    def union(self, depth: int) -> Json:
        parts = [self.part(depth) for _ in range(self.random.randint(1, 3))]
        members = [part for n, part in enumerate(parts) if part not in parts[:n]]
        if not self.is_old and self.chance(0.1):
            members.append({"type": "null"})
        result: Json = {self.random.choice(["oneOf", "anyOf"]): members}
        if self.chance(0.35):
            refs = [each["$ref"] for each in members if isinstance(each, dict) and "$ref" in each]
            tags = {f"m{number}": ref for number, ref in enumerate(refs)}
            named: Json = {"propertyName": self.random.choice(["kind", "name"])}
            result["discriminator"] = {**named, **({"mapping": tags} if self.chance(0.5) else {})}
        return result
