"""The official OpenAPI schema, Schema Objects included, applied with jsonschema-rs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import jsonschema_rs

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS
from specwright.document.schemas.instances import SchemaMismatch
from specwright.document.shape import Node, shape_of, walk
from specwright.errors import did_you_mean
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, parents, resolve, split
from specwright.text import shorten

DRAFT = "https://json-schema.org/draft/2020-12/schema"
# OpenAPI's own dialects, and plain JSON Schema: Schema Objects are checked against these.
_KNOWN_DIALECTS = ("https://spec.openapis.org/oas/", DRAFT)
_VOCABULARY = "https://spec.openapis.org/oas/3.2/meta/2025-09-17"


@dataclass(frozen=True, slots=True)
class Patch:
    """A correction to the published iteration that we load, as later iterations made it.

    Attributes:
        value: the new value; None removes the old one.
    """

    pointer: str
    value: JsonValue
    why: str


# Sections of shared objects that later versions have. Targets in other files are brought there
# in a document of any version.
_LATER_SECTIONS: dict[str, tuple[Pointer, ...]] = {
    "2.0": ("/pathItems",),
    "3.0": ("/components/pathItems", "/components/mediaTypes"),
    "3.1": ("/components/mediaTypes",),
    "3.2": (),
}

_BROUGHT = "targets in other files are brought to this section"
_SECTIONS = "schemas|responses|parameters|examples|requestBodies|headers|securitySchemes|links"
_NAMES = f"/$defs/components/patternProperties/^({_SECTIONS}|callbacks|pathItems)$/propertyNames"
_NAMES_3_2 = (
    f"/$defs/components/patternProperties/^(?:{_SECTIONS}|callbacks|pathItems|mediaTypes)$"
    "/propertyNames"
)
_NAMED = "the rule `component-name` reports names of components in every version, at their place"
_PATCHES: dict[str, tuple[Patch, ...]] = {
    "2.0": (
        Patch(
            "/properties/pathItems",
            {"type": "object", "additionalProperties": {"$ref": "#/definitions/pathItem"}},
            _BROUGHT,
        ),
    ),
    "3.0": (
        Patch(
            "/definitions/Components/properties/pathItems",
            {"type": "object", "additionalProperties": {"$ref": "#/definitions/PathItem"}},
            _BROUGHT,
        ),
        Patch(
            "/definitions/Components/properties/mediaTypes",
            {"type": "object", "additionalProperties": {"$ref": "#/definitions/MediaType"}},
            _BROUGHT,
        ),
    ),
    "3.1": (
        Patch(
            "/$defs/components/properties/mediaTypes",
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/media-type"}},
            _BROUGHT,
        ),
        Patch(
            "/$defs/link/properties/body",
            None,
            "the field of a link is called 'server'; 'body' was a slip",
        ),
        Patch("/$defs/link/properties/server", {"$ref": "#/$defs/server"}, "see above"),
        Patch(
            "/$defs/examples/not",
            {"required": ["example", "examples"]},
            "the two fields exclude each other",
        ),
        Patch(
            "/$defs/reference/unevaluatedProperties",
            None,
            "other fields beside a reference are ignored, not forbidden",
        ),
        Patch(
            "/$defs/path-item-or-reference",
            {"$ref": "#/$defs/path-item"},
            "a path item has a field $ref of its own and may have others beside it",
        ),
        Patch(
            "/$defs/path-item/properties/$ref",
            {"type": "string", "format": "uri-reference"},
            "see above",
        ),
        Patch(
            "/$defs/parameter/dependentSchemas/schema/$defs/styles-for-path"
            "/then/properties/name/pattern",
            "^[^{}]+$",
            "a name in a path template may hold anything but braces",
        ),
        Patch(
            "/$defs/media-type/properties/itemSchema",
            {"$dynamicRef": "#meta"},
            "FastAPI writes this field of 3.2 in documents of 3.1; the rule `later-field` tells",
        ),
        Patch(_NAMES, None, _NAMED),
    ),
    "3.2": (Patch(_NAMES_3_2, None, _NAMED),),
}
_VOCABULARY_PATCHES = (
    Patch(
        "/$defs/discriminator/required",
        ["propertyName"],
        "the specification requires it (OAS 3.2.0, 4.25.1)",
    ),
)

# The schemas of these versions describe Schema Objects themselves.
_WITH_SCHEMA_OBJECTS = ("2.0", "3.0")
# Follow-up errors: reported for a whole object because something inside it is wrong.
_CONSEQUENCES = frozenset({"unevaluatedProperties", "unevaluatedItems"})

_UNKNOWN_FIELD = "additionalProperties"
_UNKNOWN = frozenset({_UNKNOWN_FIELD, "unevaluatedProperties"})


def check_schema(document: Document) -> list[SchemaMismatch]:
    """Return the violations of the specification in the version that the document is written in."""
    written = document.original
    data, version, shape = written.data, written.version[:3], shape_of(written.data)
    validator = (
        _complete_validator(version)
        if version in _WITH_SCHEMA_OBJECTS
        else _validator(version, _has_known_dialect(data))
    )
    later = list(_later_sections(written))
    if not later and validator.is_valid(data):
        return []
    nodes = {node.pointer: node for node in walk(data, shape=shape)}
    wording = _Wording(version, _official(version), shape.objects, nodes)
    violations = [wording.unknown_field(place) for place in later]
    for error in _without_consequences(list(validator.iter_errors(data)), wording):
        violations.extend(wording.of(error))
    # The fields of an unknown field are unknown, too; so one of them is known after all.
    above = {place for violation in violations for place in parents(violation.pointer)}
    return [
        violation
        for violation in violations
        if violation.keyword != _UNKNOWN_FIELD or violation.pointer not in above
    ]


def _later_sections(document: Document) -> Iterator[Pointer]:
    """Yield the sections of later versions that the author has written."""
    for place in _LATER_SECTIONS[document.version[:3]]:
        members = resolve(document.data, place) if document.has(place) else None
        # Something else than an object breaks the schema itself.
        if isinstance(members, dict):
            brought = [place + join(name) in document.grafts for name in members]
            if not brought or not all(brought):
                yield place


def unknown_dialect(document: Document) -> str | None:
    """Return the dialect of Schema Objects, if it is one that cannot be checked."""
    return None if _has_known_dialect(document.data) else str(document.data["jsonSchemaDialect"])


def _has_known_dialect(data: JsonObject) -> bool:
    dialect = data.get("jsonSchemaDialect", DRAFT)
    return isinstance(dialect, str) and dialect.startswith(_KNOWN_DIALECTS)


@cache
def _official(version: str) -> JsonObject:
    schema = _read("openapi_spec_validator", f"resources/schemas/v{version}/schema.json")
    for patch in _PATCHES[version]:
        _apply(schema, patch)
    return schema


@cache
def _complete_validator(version: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.Draft4Validator(_official(version), offline=True, mask="this")


@cache
def _validator(version: str, with_schema_objects: bool) -> jsonschema_rs.Validator:
    schema = _official(version)
    if with_schema_objects:
        # The published schema leaves this open for a dialect to fill in.
        definitions = dict(mapping(schema["$defs"]))
        dialect: list[JsonValue] = [{"$ref": DRAFT}, {"$ref": _VOCABULARY}]
        definitions["schema"] = {**mapping(definitions["schema"]), "allOf": dialect}
        schema = {**schema, "$defs": definitions}
    vocabulary = _read("openapi_schema_validator", "schemas/oas3.2/meta/2025-09-17.json")
    for patch in _VOCABULARY_PATCHES:
        _apply(vocabulary, patch)
    registry = jsonschema_rs.Registry([(_VOCABULARY, vocabulary)])
    return jsonschema_rs.Draft202012Validator(schema, registry=registry, offline=True, mask="this")


def _read(package: str, path: str) -> JsonObject:
    # Located without importing the package, which takes longer than the whole check.
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{package} is not installed", name=package)
    content: JsonObject = json.loads((Path(spec.origin).parent / path).read_text("utf-8"))
    return content


def _apply(schema: JsonObject, patch: Patch) -> None:
    *parents, name = split(patch.pointer)
    target = schema
    for token in parents:
        target = mapping(target[token])
    if patch.value is None:
        del target[name]
    else:
        target[name] = patch.value


def _without_consequences(
    errors: list[jsonschema_rs.ValidationError], wording: _Wording
) -> Iterator[jsonschema_rs.ValidationError]:
    certain = [error for error in errors if error.kind.name not in _CONSEQUENCES]
    leaves = [leaf for error in certain for leaf in _leaves(error)]
    causes = [leaf for leaf in leaves if not wording.is_consequence(leaf)]
    # All prefixes: an object that contains a cause has no error of its own.
    blamed = {
        tuple(cause.instance_path[:length])
        for cause in causes
        for length in range(len(cause.instance_path) + 1)
    }
    yield from causes
    for error in errors:
        if error.kind.name in _CONSEQUENCES and tuple(error.instance_path) not in blamed:
            yield error


@dataclass(frozen=True, slots=True)
class _Wording:
    """The violations of a document in words.

    Attributes:
        version: the version of OpenAPI, such as `3.1`.
        official: its official schema.
        objects: its objects with their fields.
        nodes: the objects of the document by their places.
    """

    version: str
    official: JsonObject
    objects: Mapping[str, Mapping[str, str]]
    nodes: Mapping[Pointer, Node]

    def of(self, error: jsonschema_rs.ValidationError) -> Iterator[SchemaMismatch]:
        """Yield an error of the validator; one about several fields is several."""
        place, keyword = join(*error.instance_path), error.kind.name
        if keyword in _UNKNOWN:
            for name in getattr(error.kind, "unexpected", []):
                yield self.unknown_field(place + join(name))
        else:
            missing = getattr(error.kind, "property", None)
            yield SchemaMismatch(place, self._sentence(error, place), missing, keyword)

    def is_consequence(self, error: jsonschema_rs.ValidationError) -> bool:
        """Return whether a field is missing only because its name is misspelt."""
        node = self.nodes.get(join(*error.instance_path))
        missing = _alternatives(error) or [getattr(error.kind, "property", "")]
        if missing == [""] or node is None:
            return False
        unknown = node.value.keys() - self.objects[node.kind].keys()
        # Of statuses, the schema requires any one.
        return node.kind == "responses" or any(get_close_matches(name, unknown) for name in missing)

    def unknown_field(self, pointer: Pointer) -> SchemaMismatch:
        """Return the violation of an object with a field that it may not have."""
        holder, name = pointer.rpartition("/")[0], split(pointer)[-1]
        node = self.nodes.get(holder)
        return SchemaMismatch(
            pointer, self._why_unknown(name, node.kind if node else ""), keyword=_UNKNOWN_FIELD
        )

    def _why_unknown(self, name: str, kind: str) -> str:
        if kind == "responses":
            if self.version == "2.0":
                return f"'{name}' is not a status: write three digits, or default"
            others = "three digits from 100 to 599, a range such as 4XX, or default"
            is_range = re.fullmatch("[1-5]XX", name.upper())
            return f"'{name}' is not a status: write {name.upper() if is_range else others}"
        if kind == "paths":
            return f"the path '{name}' does not begin with '/'"
        fields, unknown = self.objects.get(kind, {}), f"'{name}' is not a field of this object"
        if name in fields:
            return f"{unknown} in {self._language}"
        hint = did_you_mean(name, [field for field in fields if field != "*"], "")
        return f"{unknown}: {hint}" if hint else unknown

    @property
    def _language(self) -> str:
        return f"{'Swagger' if self.version == '2.0' else 'OpenAPI'} {self.version}"

    def _sentence(self, error: jsonschema_rs.ValidationError, place: Pointer) -> str:
        missing = getattr(error.kind, "property", "")
        node, holder = self.nodes.get(place), self.nodes.get(place.rpartition("/")[0])
        is_of_parameter = holder is not None and holder.kind == "parameter"
        if missing == "required" or (is_of_parameter and place.endswith("/required")):
            return "a path parameter is always required: write 'required: true'"
        if error.kind.name == "required" and missing:
            return f"'{missing}' is missing"
        if self.version == "2.0" and is_of_parameter and place.endswith("/in"):
            return "'in' must be body, formData, header, path or query"
        if node is not None and node.kind == "responses" and error.kind.name == "minProperties":
            return "no response is described"
        if alternatives := _alternatives(error):
            return f"one of {', '.join(map(repr, alternatives))} is required"
        options = getattr(error.kind, "options", None)
        if isinstance(options, list) and isinstance(error.instance, str):
            return _unlisted(error.instance, options)
        if error.kind.name == "type" and _is_unquoted(error):
            return f"{shorten(error.message)}: write it in quotes"
        excluded = self._excluded(error)
        if len(excluded) > 1:
            return f"{' and '.join(repr(name) for name in excluded)} exclude each other"
        return shorten(error.message)

    def _excluded(self, error: jsonschema_rs.ValidationError) -> list[JsonValue]:
        """Return the fields that exclude each other, if an error is about such fields."""
        place = [str(token) for token in error.schema_path]
        if error.kind.name == "not":
            others = sequence(getattr(error.kind, "schema", {}).get("required"))
            return [*(place[-2:-1] if place[-3:-2] == ["dependentSchemas"] else ()), *others]
        if error.kind.name == "oneOf":
            alternatives = sequence(resolve(self.official, join(*place)))
            required = [sequence(mapping(choice).get("required")) for choice in alternatives]
            return [names[0] for names in required if len(names) == 1]
        return []


def _alternatives(error: jsonschema_rs.ValidationError) -> list[str]:
    """Return the names of fields of which an object needs one; empty for other errors."""
    branches = getattr(error.kind, "context", ()) if error.kind.name in UNIONS else ()
    causes = [branch[0].kind for branch in branches if len(branch) == 1]
    names = [str(name) for cause in causes if (name := getattr(cause, "property", ""))]
    return names if len(names) == len(branches) else []


def _unlisted(value: str, options: list[JsonValue]) -> str:
    names = [option for option in options if isinstance(option, str)]
    listed = f"write {', '.join(names)}"
    return f"'{shorten(value)}' is not known here: {did_you_mean(value, names, listed)}"


def _is_unquoted(error: jsonschema_rs.ValidationError) -> bool:
    """Return whether a text was expected where YAML reads a number or a truth value."""
    types = getattr(error.kind, "types", ())
    return "string" in types and isinstance(error.instance, int | float)


def _leaves(error: jsonschema_rs.ValidationError) -> Iterator[jsonschema_rs.ValidationError]:
    """Yield the most specific errors inside alternatives, or the error itself."""
    if error.kind.name not in UNIONS:
        yield error
        return
    branches = [branch for branch in getattr(error.kind, "context", []) if branch]
    wrong = [{tuple(cause.instance_path) for cause in branch} for branch in branches]
    # What is wrong for every alternative does not distinguish them.
    shared = set[tuple[str | int, ...]]().union(*wrong[:1]).intersection(*wrong)
    meant = [branch for branch in branches if not _is_for_others(branch, error, shared)]
    if len(meant) == 1 < len(branches):
        for cause in meant[0]:
            yield from _leaves(cause)
        return
    deep = [
        cause
        for branch in branches
        for cause in branch
        if len(cause.instance_path) > len(error.instance_path)
    ]
    # It is of none of the types that it may have.
    first = branches[0][0] if branches and shared == {tuple(error.instance_path)} else error
    is_other_type = first.kind.name == "type"
    yield max(
        deep, key=lambda each: len(each.instance_path), default=first if is_other_type else error
    )


def _is_for_others(
    branch: list[jsonschema_rs.ValidationError],
    error: jsonschema_rs.ValidationError,
    shared: Set[tuple[str | int, ...]],
) -> bool:
    """Return whether an alternative is for references, or objects of another type or place.

    Args:
        shared: the places that are wrong for every alternative.
    """
    return any(
        getattr(cause.kind, "property", None) == "$ref"
        or (cause.kind.name == "enum" and tuple(cause.instance_path) not in shared)
        or (cause.kind.name == "type" and cause.instance_path == error.instance_path)
        for cause in branch
    )
