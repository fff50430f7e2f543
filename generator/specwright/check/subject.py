"""A document prepared for checking: its objects by kind, its operations, its validators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any
from urllib.parse import quote

import jsonschema_rs

from specwright.check.semantics import Semantic, check_semantics
from specwright.document.model import Document
from specwright.document.shape import METHODS, Node, walk
from specwright.errors import InputError
from specwright.pointer import Pointer, join

_BASE = "document:/"
_BRANCHING = ("anyOf", "oneOf")
MAX_MESSAGE = 200


class Direction(StrEnum):
    """Who sends the request."""

    INBOUND = "path"
    WEBHOOK = "webhook"
    CALLBACK = "callback"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation where it stands, with the path item around it."""

    pointer: Pointer
    path: str
    method: str
    direction: Direction
    value: dict[str, Any]
    item: dict[str, Any]
    item_pointer: Pointer

    @property
    def id(self) -> str | None:
        found = self.value.get("operationId")
        return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a value does not fit a schema: where in the value, and what; the property it lacks."""

    pointer: Pointer
    message: str
    missing: str | None = None


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else nothing: shapes are the official schema's concern."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value if it is an array, else nothing."""
    return value if isinstance(value, list) else []


class Subject:
    """What rules look at; everything expensive is made once and when first asked for."""

    def __init__(self, document: Document) -> None:
        self.document = document
        # What could not be checked to the end, and why.
        self.unfinished: list[str] = []
        self._validators: dict[Pointer, jsonschema_rs.Validator | None] = {}

    @cached_property
    def nodes(self) -> list[Node]:
        return list(walk(self.document.data))

    @cached_property
    def _by_kind(self) -> dict[str, list[Node]]:
        grouped: dict[str, list[Node]] = defaultdict(list)
        for node in self.nodes:
            grouped[node.kind].append(node)
        return grouped

    def of_kind(self, *kinds: str) -> list[Node]:
        """All objects of these kinds that are written out here, and references to them."""
        return [node for kind in kinds for node in self._by_kind.get(kind, [])]

    @cached_property
    def components(self) -> dict[str, Any]:
        return mapping(self.document.data.get("components"))

    @cached_property
    def operations(self) -> list[Operation]:
        """Operations of paths, webhooks and callbacks, each where it is written."""
        return [
            operation
            for node in self.of_kind("pathItem")
            if node.ref is None
            for operation in _operations(node)
        ]

    def by_operation_id(self, operation_id: str) -> Operation | None:
        return self._operation_ids.get(operation_id)

    @cached_property
    def _operation_ids(self) -> dict[str, Operation]:
        found: dict[str, Operation] = {}
        for operation in self.operations:
            if operation.id is not None:
                found.setdefault(operation.id, operation)
        return found

    @cached_property
    def operations_by_pointer(self) -> dict[Pointer, Operation]:
        return {operation.pointer: operation for operation in self.operations}

    @cached_property
    def operations_by_part(self) -> dict[int, list[Operation]]:
        """The operations that an operation object or a parameter object belongs to, by identity."""
        found: dict[int, list[Operation]] = defaultdict(list)
        for operation in self.operations:
            found[id(operation.value)].append(operation)
            for parameter in self.parameters(operation).values():
                found[id(parameter)].append(operation)
        return found

    @cached_property
    def semantics(self) -> tuple[Semantic, ...]:
        """What openapi-spec-validator found; three rules share one run of it."""
        outcome = check_semantics(self.document)
        if outcome.stopped_by is not None:
            self.unfinished.append(f"openapi-spec-validator stopped: {outcome.stopped_by}")
        return outcome.found

    def follow(self, value: Any) -> dict[str, Any]:
        """The object that a value is or refers to; nothing if it leads away."""
        try:
            return mapping(self.document.follow(value))
        except InputError:
            return {}

    def parameters(self, operation: Operation) -> dict[tuple[str, str], dict[str, Any]]:
        """The parameters of an operation and its path item by (in, name), references followed."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        for each in (
            *sequence(operation.item.get("parameters")),
            *sequence(operation.value.get("parameters")),
        ):
            parameter = self.follow(each)
            found[str(parameter.get("in")), str(parameter.get("name"))] = parameter
        return found

    @cached_property
    def registry(self) -> jsonschema_rs.Registry:
        return jsonschema_rs.Registry(
            [(_BASE, self.document.data)], draft=jsonschema_rs.Draft202012
        )

    def problems(self, schema: Pointer, value: Any) -> Iterator[Problem]:
        """Why a value does not fit the schema at a pointer."""
        validator = self._validator(schema)
        if validator is not None and not validator.is_valid(value):
            for error in validator.iter_errors(value):
                yield _problem(error)

    def _validator(self, schema: Pointer) -> jsonschema_rs.Validator | None:
        if schema not in self._validators:
            self._validators[schema] = self._compile(schema)
        return self._validators[schema]

    def _compile(self, schema: Pointer) -> jsonschema_rs.Validator | None:
        # A schema that cannot be compiled is a finding of the official schema, not of its examples.
        try:
            return jsonschema_rs.Draft202012Validator(
                {"$ref": f"{_BASE}#{quote(schema)}"},
                registry=self.registry,
                validate_formats=True,
                offline=True,
                mask="the value",
            )
        except (ValueError, jsonschema_rs.ReferencingError):
            return None


def _operations(node: Node) -> Iterator[Operation]:
    parts = node.pointer.split("/")
    if parts[1] == "webhooks":
        direction = Direction.WEBHOOK
    elif "callbacks" in parts[1:]:
        direction = Direction.CALLBACK
    else:
        direction = Direction.INBOUND
    path = parts[-1].replace("~1", "/").replace("~0", "~")
    below: list[tuple[tuple[str, ...], str]] = [
        ((method,), method) for method in METHODS if method in node.value
    ]
    below += [
        (("additionalOperations", method), method)
        for method in mapping(node.value.get("additionalOperations"))
    ]
    for tokens, method in below:
        value: Any = node.value
        for token in tokens:
            value = value[token]
        if isinstance(value, dict):
            pointer = node.pointer + join(*tokens)
            yield Operation(pointer, path, method, direction, value, node.value, node.pointer)


def _problem(error: jsonschema_rs.ValidationError) -> Problem:
    """The most telling of an error and those of the alternatives inside it."""
    while error.kind.name in _BRANCHING:
        branches = [branch for branch in getattr(error.kind, "context", []) if branch]
        if not branches:
            break
        # The alternative that the writer meant got furthest into the value.
        best = max(
            (min(branch, key=lambda each: len(each.instance_path)) for branch in branches),
            key=lambda each: (len(each.instance_path), each.kind.name != "type"),
        )
        if len(best.instance_path) <= len(error.instance_path) and best.kind.name == "type":
            break
        error = best
    missing = getattr(error.kind, "property", None) if error.kind.name == "required" else None
    return Problem(join(*error.instance_path), shorten(error.message), missing)


def shorten(message: str) -> str:
    """The message, or as much of it as one line should hold."""
    return message if len(message) <= MAX_MESSAGE else message[: MAX_MESSAGE - 1] + "…"
