"""The structure of documents: tables of objects, fields and their contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer, escape

# Object -> its fields in the order in which the specification lists them (for schemas, which it
# leaves to JSON Schema: identity, annotations, constraints, contents). A field holds a plain
# value (""), an object ("info"), a list ("server[]") or a map ("schema{}") of objects. The field
# "*" means all names that are not listed.
OBJECTS: dict[str, dict[str, str]] = {
    "document": {
        "openapi": "",
        "$self": "",
        "info": "info",
        "jsonSchemaDialect": "",
        "servers": "server[]",
        "paths": "paths",
        "webhooks": "pathItem{}",
        "components": "components",
        "security": "securityRequirement[]",
        "tags": "tag[]",
        "externalDocs": "externalDocs",
    },
    "info": {
        "title": "",
        "summary": "",
        "description": "",
        "termsOfService": "",
        "contact": "contact",
        "license": "license",
        "version": "",
    },
    "contact": {"name": "", "url": "", "email": ""},
    "license": {"name": "", "identifier": "", "url": ""},
    "server": {"url": "", "name": "", "description": "", "variables": "serverVariable{}"},
    "serverVariable": {"enum": "", "default": "", "description": ""},
    "components": {
        "schemas": "schema{}",
        "responses": "response{}",
        "parameters": "parameter{}",
        "examples": "example{}",
        "requestBodies": "requestBody{}",
        "headers": "header{}",
        "securitySchemes": "securityScheme{}",
        "links": "link{}",
        "callbacks": "callback{}",
        "pathItems": "pathItem{}",
        "mediaTypes": "mediaType{}",
    },
    "paths": {"*": "pathItem"},
    "pathItem": {
        "$ref": "",
        "summary": "",
        "description": "",
        "get": "operation",
        "put": "operation",
        "post": "operation",
        "delete": "operation",
        "options": "operation",
        "head": "operation",
        "patch": "operation",
        "trace": "operation",
        "query": "operation",
        "additionalOperations": "operation{}",
        "servers": "server[]",
        "parameters": "parameter[]",
    },
    "operation": {
        "tags": "",
        "summary": "",
        "description": "",
        "externalDocs": "externalDocs",
        "operationId": "",
        "parameters": "parameter[]",
        "requestBody": "requestBody",
        "responses": "responses",
        "callbacks": "callback{}",
        "deprecated": "",
        "security": "securityRequirement[]",
        "servers": "server[]",
    },
    "externalDocs": {"description": "", "url": ""},
    "parameter": {
        "$ref": "",
        "name": "",
        "in": "",
        "summary": "",
        "description": "",
        "required": "",
        "deprecated": "",
        "allowEmptyValue": "",
        "style": "",
        "explode": "",
        "allowReserved": "",
        "schema": "schema",
        "example": "",
        "examples": "example{}",
        "content": "mediaType{}",
    },
    "requestBody": {
        "$ref": "",
        "summary": "",
        "description": "",
        "content": "mediaType{}",
        "required": "",
    },
    "mediaType": {
        "$ref": "",
        "summary": "",
        "description": "",
        "schema": "schema",
        "itemSchema": "schema",
        "example": "",
        "examples": "example{}",
        "encoding": "encoding{}",
        "prefixEncoding": "encoding[]",
        "itemEncoding": "encoding",
    },
    "encoding": {
        "contentType": "",
        "headers": "header{}",
        "encoding": "encoding{}",
        "prefixEncoding": "encoding[]",
        "itemEncoding": "encoding",
        "style": "",
        "explode": "",
        "allowReserved": "",
    },
    "responses": {"default": "response", "*": "response"},
    "response": {
        "$ref": "",
        "summary": "",
        "description": "",
        "headers": "header{}",
        "content": "mediaType{}",
        "links": "link{}",
    },
    "callback": {"$ref": "", "summary": "", "description": "", "*": "pathItem"},
    "example": {
        "$ref": "",
        "summary": "",
        "description": "",
        "dataValue": "",
        "serializedValue": "",
        "value": "",
        "externalValue": "",
    },
    "link": {
        "$ref": "",
        "summary": "",
        "operationRef": "",
        "operationId": "",
        "parameters": "",
        "requestBody": "",
        "description": "",
        "server": "server",
    },
    "header": {
        "$ref": "",
        "summary": "",
        "description": "",
        "required": "",
        "deprecated": "",
        "allowEmptyValue": "",
        "style": "",
        "explode": "",
        "allowReserved": "",
        "schema": "schema",
        "example": "",
        "examples": "example{}",
        "content": "mediaType{}",
    },
    "tag": {
        "name": "",
        "summary": "",
        "description": "",
        "externalDocs": "externalDocs",
        "parent": "",
        "kind": "",
    },
    "schema": {
        "$schema": "",
        "$id": "",
        "$anchor": "",
        "$dynamicAnchor": "",
        "$vocabulary": "",
        "$ref": "",
        "$dynamicRef": "",
        "$comment": "",
        "title": "",
        "type": "",
        "format": "",
        "contentEncoding": "",
        "contentMediaType": "",
        "contentSchema": "schema",
        "summary": "",
        "description": "",
        "nullable": "",
        "const": "",
        "enum": "",
        "multipleOf": "",
        "maximum": "",
        "exclusiveMaximum": "",
        "minimum": "",
        "exclusiveMinimum": "",
        "maxLength": "",
        "minLength": "",
        "pattern": "",
        "maxItems": "",
        "minItems": "",
        "uniqueItems": "",
        "prefixItems": "schema[]",
        "items": "schema",
        "additionalItems": "schema",
        "contains": "schema",
        "maxContains": "",
        "minContains": "",
        "unevaluatedItems": "schema",
        "maxProperties": "",
        "minProperties": "",
        "properties": "schema{}",
        "patternProperties": "schema{}",
        "required": "",
        "dependentRequired": "",
        "dependentSchemas": "schema{}",
        "additionalProperties": "schema",
        "propertyNames": "schema",
        "unevaluatedProperties": "schema",
        "allOf": "schema[]",
        "oneOf": "schema[]",
        "anyOf": "schema[]",
        "not": "schema",
        "if": "schema",
        "then": "schema",
        "else": "schema",
        "discriminator": "discriminator",
        "default": "",
        "readOnly": "",
        "writeOnly": "",
        "deprecated": "",
        "xml": "xml",
        "externalDocs": "externalDocs",
        "example": "",
        "examples": "",
        "$defs": "schema{}",
        "definitions": "schema{}",
    },
    "discriminator": {"propertyName": "", "mapping": "", "defaultMapping": ""},
    "xml": {
        "nodeType": "",
        "name": "",
        "namespace": "",
        "prefix": "",
        "attribute": "",
        "wrapped": "",
    },
    "securityScheme": {
        "$ref": "",
        "summary": "",
        "type": "",
        "description": "",
        "name": "",
        "in": "",
        "scheme": "",
        "bearerFormat": "",
        "flows": "oauthFlows",
        "openIdConnectUrl": "",
        "oauth2MetadataUrl": "",
        "deprecated": "",
    },
    "oauthFlows": {
        "implicit": "oauthFlow",
        "password": "oauthFlow",
        "clientCredentials": "oauthFlow",
        "authorizationCode": "oauthFlow",
        "deviceAuthorization": "oauthFlow",
    },
    "oauthFlow": {
        "authorizationUrl": "",
        "deviceAuthorizationUrl": "",
        "tokenUrl": "",
        "refreshUrl": "",
        "scopes": "",
    },
    "securityRequirement": {"*": ""},
}

# Objects that may be written as a reference -> the place of shared ones in `components`.
SECTIONS: dict[str, str] = {
    spec.removesuffix("{}"): section for section, spec in OBJECTS["components"].items()
}
# The keywords of schemas that bound a value -> the choice among several bounds that all apply.
BOUNDS: dict[str, Callable[[float, float], float]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
METHODS = tuple(name for name, kind in OBJECTS["pathItem"].items() if kind == "operation")

# The keywords of Swagger 2.0 about a single value, which parameters, headers and items have.
_OF_VALUES = {
    "type": "",
    "format": "",
    "allowEmptyValue": "",
    "items": "items",
    "collectionFormat": "",
    "default": "",
    **dict.fromkeys(("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"), ""),
    **dict.fromkeys(("maxLength", "minLength", "pattern", "maxItems", "minItems"), ""),
    **dict.fromkeys(("uniqueItems", "enum", "multipleOf"), ""),
}
# The same table for Swagger 2.0. Objects that have the same name above mean the same.
SWAGGER_OBJECTS: dict[str, dict[str, str]] = {
    "document": {
        "swagger": "",
        "info": "info",
        "host": "",
        "basePath": "",
        "schemes": "",
        "consumes": "",
        "produces": "",
        "paths": "paths",
        "definitions": "schema{}",
        "parameters": "parameter{}",
        "responses": "response{}",
        # No field of Swagger, but where targets in other files are brought to.
        "pathItems": "pathItem{}",
        "securityDefinitions": "securityScheme{}",
        "security": "securityRequirement[]",
        "tags": "tag[]",
        "externalDocs": "externalDocs",
    },
    "info": {name: held for name, held in OBJECTS["info"].items() if name != "summary"},
    "contact": OBJECTS["contact"],
    "license": {"name": "", "url": ""},
    "paths": OBJECTS["paths"],
    "pathItem": {
        "$ref": "",
        **dict.fromkeys(("get", "put", "post", "delete", "options", "head", "patch"), "operation"),
        "parameters": "parameter[]",
    },
    "operation": {
        "tags": "",
        "summary": "",
        "description": "",
        "externalDocs": "externalDocs",
        "operationId": "",
        "consumes": "",
        "produces": "",
        "parameters": "parameter[]",
        "responses": "responses",
        "schemes": "",
        "deprecated": "",
        "security": "securityRequirement[]",
    },
    "externalDocs": OBJECTS["externalDocs"],
    "parameter": {
        "$ref": "",
        "name": "",
        "in": "",
        "description": "",
        "required": "",
        "schema": "schema",
        **_OF_VALUES,
    },
    "items": _OF_VALUES,
    "responses": OBJECTS["responses"],
    "response": {
        "$ref": "",
        "description": "",
        "schema": "schema",
        "headers": "header{}",
        "examples": "",
    },
    "header": {"description": "", **_OF_VALUES},
    "tag": {"name": "", "description": "", "externalDocs": "externalDocs"},
    # Later keywords that an author writes nevertheless are read as they are meant.
    "schema": {**OBJECTS["schema"], "discriminator": ""},
    "xml": {name: "" for name in OBJECTS["xml"] if name != "nodeType"},
    "securityScheme": {
        "type": "",
        "description": "",
        "name": "",
        "in": "",
        "flow": "",
        "authorizationUrl": "",
        "tokenUrl": "",
        "scopes": "",
    },
    "securityRequirement": OBJECTS["securityRequirement"],
}

# The fields of each object that hold other objects, split for the walk: (kind, is list, is map).
_Branch = tuple[str, bool, bool]


def _branch(spec: str) -> _Branch:
    return spec.rstrip("[]{}"), spec.endswith("[]"), spec.endswith("{}")


_Objects = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class DocumentShape:
    """The objects of OpenAPI 3, or of Swagger 2.0.

    Attributes:
        objects: their fields, as above.
        holder: the object with the sections of shared objects.
        sections: the places of these sections, by the kind of their objects.
        branches: the fields of each object that hold objects.
    """

    objects: _Objects
    holder: str
    sections: Mapping[str, Pointer]
    branches: Mapping[str, Mapping[str, _Branch]]

    @classmethod
    def of(cls, objects: _Objects, holder: str, at: Pointer) -> DocumentShape:
        """Return the shape of documents with shared objects in one object of a table.

        Args:
            at: the place of this object.
        """
        fields = objects[holder]
        maps = {name: spec.removesuffix("{}") for name, spec in fields.items() if spec[-2:] == "{}"}
        branches = {
            kind: {name: _branch(spec) for name, spec in fields.items() if spec}
            for kind, fields in objects.items()
        }
        sections = {kind: f"{at}/{name}" for name, kind in maps.items()}
        return cls(objects, holder, sections, branches)


OPENAPI = DocumentShape.of(OBJECTS, "components", "/components")
SWAGGER = DocumentShape.of(SWAGGER_OBJECTS, "document", "")


def is_swagger(data: JsonObject) -> bool:
    """Return whether a document is written in Swagger 2.0."""
    return "swagger" in data and "openapi" not in data


def shape_of(data: JsonObject) -> DocumentShape:
    """Return the shape that a document has before it is upgraded."""
    return SWAGGER if is_swagger(data) else OPENAPI


class Node(NamedTuple):
    """One OpenAPI object, or a reference in place of it, in a document."""

    kind: str
    pointer: str
    value: JsonObject

    @property
    def ref(self) -> str | None:
        """The reference, if this kind of object may be one."""
        ref = self.value.get("$ref") if self.kind in SECTIONS else None
        return ref if isinstance(ref, str) else None


def walk(
    value: JsonValue, kind: str = "document", pointer: str = "", shape: DocumentShape = OPENAPI
) -> Iterator[Node]:
    """Yield all OpenAPI objects below a value, parents first, in document order.

    References are not followed; examples, defaults, enums and extensions are not entered. Objects
    of the wrong type are left out: the official schema reports them.
    """
    stack: list[tuple[str, str, JsonValue]] = [(kind, pointer, value)]
    while stack:
        kind, pointer, value = stack.pop()
        if type(value) is not dict:
            continue
        yield Node(kind, pointer, value)
        branches = shape.branches[kind]
        rest = branches.get("*")
        pending: list[tuple[str, str, JsonValue]] = []
        for name, inner in value.items():
            branch = branches.get(name)
            if branch is None:
                if rest is None or name[:2] == "x-" or name in shape.objects[kind]:
                    continue
                branch = rest
            inner_kind, is_list, is_map = branch
            below = f"{pointer}/{escape(name)}"
            if is_map:
                if type(inner) is dict:
                    pending.extend(
                        (inner_kind, f"{below}/{escape(key)}", item) for key, item in inner.items()
                    )
            elif is_list:
                if type(inner) is list:
                    pending.extend(
                        (inner_kind, f"{below}/{index}", item) for index, item in enumerate(inner)
                    )
            else:
                pending.append((inner_kind, below, inner))
        pending.reverse()
        stack.extend(pending)
