"""Validation of values against the schemas of a document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote

import jsonschema_rs

from specwright.document.model import Document
from specwright.document.schemas.applicators import UNIONS
from specwright.document.schemas.validators import UNUSABLE, Formats, Keywords, SchemaValidators
from specwright.findings import values_of
from specwright.json_values import JsonObject
from specwright.pointer import Pointer, join
from specwright.text import shorten

_BASE = "document:/"
_LONGEST_LIMIT = 40
_OF_TEXTS = ("format", "contentEncoding", "contentMediaType", "contentSchema")


@dataclass(frozen=True, slots=True)
class SchemaMismatch:
    """The reason why a value does not fit a schema, and the place in the value.

    Attributes:
        missing: the property that it lacks.
        keyword: the keyword of the schema that it breaks.
        limit: the keyword with its value, such as `minimum 0`; empty if that is long.
        unexpected: the properties that it may not have.
        is_ambiguous: whether it fits more than one alternative of a `oneOf`.
    """

    pointer: Pointer
    message: str
    missing: str | None = None
    keyword: str = ""
    limit: str = ""
    unexpected: tuple[str, ...] = ()
    is_ambiguous: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """Its place, the keyword and the property, which identify it for one value."""
        return values_of(self.pointer, self.keyword, self.missing)


class Instances:
    """The validators of a document's schemas, each compiled on first use.

    Args:
        keywords, formats: those that are enforced in addition to JSON Schema.
    """

    def __init__(
        self,
        document: Document,
        keywords: Keywords = MappingProxyType({}),
        formats: Formats = MappingProxyType({}),
    ) -> None:
        self.document = document
        self._validators = SchemaValidators(
            {_BASE: document.data}, keywords, formats, validate_formats=True, mask="the value"
        )
        self._known: dict[Pointer, jsonschema_rs.Validator | None] = {}

    def problems(self, schema: Pointer, value: object) -> Iterator[SchemaMismatch]:
        """Yield the reasons why a value does not fit the schema at a pointer."""
        validator = self._validator(schema)
        if validator is not None and not validator.is_valid(value):
            whole = self._validators.whole(_reference(schema))
            yield from _causes(_spelt([*map(_problem, whole.iter_errors(value))]))

    def _validator(self, schema: Pointer) -> jsonschema_rs.Validator | None:
        if schema not in self._known:
            # One that cannot be compiled is a finding of the official schema, not of a value.
            try:
                self._known[schema] = self._validators.validator(_reference(schema))
            except UNUSABLE:
                self._known[schema] = None
        return self._known[schema]


def _reference(schema: Pointer) -> JsonObject:
    return {"$ref": f"{_BASE}#{quote(schema)}"}


def _spelt(problems: Sequence[SchemaMismatch]) -> list[SchemaMismatch]:
    """Return the problems, with one for a property that is misspelt, and so missing, too."""
    meant: dict[Pointer, list[str]] = {}
    for problem in problems:
        if problem.unexpected:
            beside = [other for other in problems if other.pointer == problem.pointer]
            missing = [other.missing for other in beside if other.missing]
            meant[problem.pointer] = [
                match for name in problem.unexpected for match in _near(name, missing)
            ]
    return [
        replace(problem, message=f"{problem.message}: did you mean '{meant[problem.pointer][0]}'?")
        if problem.unexpected and meant[problem.pointer]
        else problem
        for problem in problems
        if problem.missing not in meant.get(problem.pointer, ())
    ]


def _near(name: str, known: Sequence[str]) -> list[str]:
    # Imported here: only mistakes need it.
    from difflib import get_close_matches

    return get_close_matches(name, known, 1) if known else []


def _causes(problems: Sequence[SchemaMismatch]) -> Iterator[SchemaMismatch]:
    """Yield one problem for each cause.

    A value of the wrong type, such as null in an enumeration, has no other problem, and a text
    that is encoded wrongly has no content to judge.
    """
    of_type = {problem.pointer for problem in problems if problem.keyword == "type"}
    seen = set[Pointer]()
    for problem in problems:
        is_first = problem.pointer not in seen
        if problem.pointer in of_type:
            is_cause = problem.keyword == "type" and is_first
        else:
            is_cause = problem.keyword not in _OF_TEXTS or is_first
        if is_cause:
            yield problem
        if is_cause and problem.keyword in ("type", *_OF_TEXTS):
            seen.add(problem.pointer)


def _problem(error: jsonschema_rs.ValidationError) -> SchemaMismatch:
    """Return the most specific of an error and the errors of the alternatives inside it."""
    while error.kind.name in UNIONS and not _is_ambiguous(error):
        branches = [branch for branch in getattr(error.kind, "context", []) if branch]
        if not branches:
            break
        # The alternative that the author meant got furthest into the value.
        best = max(
            (min(branch, key=lambda each: len(each.instance_path)) for branch in branches),
            key=lambda each: (len(each.instance_path), each.kind.name != "type"),
        )
        if len(best.instance_path) <= len(error.instance_path) and best.kind.name == "type":
            break
        error = best
    missing = getattr(error.kind, "property", None) if error.kind.name == "required" else None
    keyword = error.kind.name
    unexpected = getattr(error.kind, "unexpected", ())
    return SchemaMismatch(
        join(*error.instance_path),
        shorten(error.message),
        missing,
        keyword,
        _limit(error),
        tuple(map(str, unexpected)),
        _is_ambiguous(error),
    )


def is_only_ambiguous(errors: Iterable[jsonschema_rs.ValidationError]) -> bool:
    """Return whether the only fault of a value is that it fits several alternatives of a `oneOf`.

    Args:
        errors: those of the value.
    """
    return all(_problem(error).is_ambiguous for error in errors)


def _is_ambiguous(error: jsonschema_rs.ValidationError) -> bool:
    return isinstance(error.kind, jsonschema_rs.ValidationErrorKind.OneOfMultipleValid)


def _limit(error: jsonschema_rs.ValidationError) -> str:
    value = getattr(error.kind, "value", None)
    if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Custom):
        # It has the message here.
        return ""
    parts = value if isinstance(value, list) else [value]
    # For some keywords this is the value found inside.
    if not all(part is None or isinstance(part, str | int | float) for part in parts):
        return ""
    if error.kind.name == "type" and isinstance(value, list):
        return f"type {' or '.join(map(str, value))}"
    written = value if isinstance(value, str) else json.dumps(value)
    return f"{error.kind.name} {written}" if len(written) <= _LONGEST_LIMIT else ""
