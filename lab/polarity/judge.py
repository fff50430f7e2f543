"""The findings of the review on mutations, and a check of its counterexamples."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from lab.polarity.places import Place, replaced
from lab.polarity.structures import changes
from lab.polarity.wire import CHANGES, JSON, built
from specwright.compare.comparison import compare
from specwright.document.model import Document
from specwright.findings import Finding, Level
from specwright.pointer import resolve
from tests.compare.documents import TODAY

_AT_ONCE = 40
# Values that only a format or an encoding tells apart are for validators that know these.
_UNCHECKED = ("format-", "content-")


@dataclass(frozen=True)
class Mutant:
    """A change of a published document, and whether it breaks clients."""

    document: str
    name: str
    breaks: bool
    place: str
    base: Any
    revision: Any
    from_client: bool = True


@dataclass(frozen=True)
class Judged:
    """A mutant and the findings on it.

    Attributes:
        shown, confirmed: counterexamples, and those that the second validator finds right.
    """

    mutant: Mutant
    findings: tuple[Finding, ...]
    shown: int = 0
    confirmed: int = 0

    @property
    def is_right(self) -> bool:
        return self.mutant.breaks == any(finding.level is Level.ERROR for finding in self.findings)


def schema_mutants(name: str, document: Document, chosen: Iterable[Place]) -> Iterator[Mutant]:
    """Yield each change of each place, as bodies of an operation."""
    for place in chosen:
        for edit, broken, before, after in changes(place.schema, place.resolved):
            base, revision = (
                replaced(document, place.body, place.way, schema) for schema in (before, after)
            )
            way = "/".join(name or keyword for keyword, name in place.way)
            breaks = broken[0 if place.from_client else 1]
            yield Mutant(
                name, edit, breaks, f"{place.operation} {way}", base, revision, place.from_client
            )


def judged(document: Document, mutants: Sequence[Mutant]) -> Iterator[Judged]:
    """Yield the verdicts on changes of bodies, many in one comparison."""
    for start in range(0, len(mutants), _AT_ONCE):
        part = mutants[start : start + _AT_ONCE]
        sides = [
            _with_paths(
                document,
                {
                    f"/m{n}": _item(getattr(each, side), each.from_client)
                    for n, each in enumerate(part)
                },
            )
            for side in ("base", "revision")
        ]
        found = _by_path(compare(*sides, today=TODAY).findings)
        for number, mutant in enumerate(part):
            findings = found[f"/m{number}"]
            shown = [finding for finding in findings if _is_checkable(finding)]
            right = sum(
                is_confirmed(finding, sides, from_client=mutant.from_client) for finding in shown
            )
            yield Judged(mutant, tuple(findings), len(shown), right)


def wire_judged(name: str, document: Document) -> Iterator[Judged]:
    """Yield the verdicts on changes beside schemas."""
    for edit, (breaks, before, after) in CHANGES.items():
        sides = []
        for operation in (before, after):
            item, schemas, schemes = built("/m0", operation)
            data = _with_paths(document, {"/m0": item}).data
            components = {
                **data["components"],
                "schemas": {**data["components"]["schemas"], **schemas},
                "securitySchemes": schemes,
            }
            sides.append(document.with_data({**data, "components": components}))
        findings = [
            finding
            for finding in compare(*sides, today=TODAY).findings
            if not finding.rule.startswith("version-")
        ]
        yield Judged(Mutant(name, edit, breaks, "", before, after), tuple(findings))


def _item(schema: Any, from_client: bool) -> dict[str, Any]:
    content = {"content": {JSON: {"schema": schema}}}
    answer = {"description": "Done.", **({} if from_client else content)}
    return {
        "post": {"responses": {"200": answer}, **({"requestBody": content} if from_client else {})}
    }


def _with_paths(document: Document, paths: dict[str, Any]) -> Document:
    schemas = document.data.get("components", {}).get("schemas", {})
    return document.with_data(
        {
            "openapi": "3.1.1",
            "info": {"title": "Mutants", "version": "1.0.0"},
            "paths": paths,
            "components": {"schemas": schemas},
        }
    )


def _by_path(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for operation in finding.affected.operations if finding.affected else ():
            found[operation.removeprefix("POST ")].append(finding)
    return found


def _is_checkable(finding: Finding) -> bool:
    return finding.counterexample is not None and not finding.rule.startswith(_UNCHECKED)


def is_confirmed(finding: Finding, sides: Sequence[Document], *, from_client: bool) -> bool:
    """Whether a value is sent and not taken, by the schemas that a finding is about."""
    value = json.loads(finding.counterexample or "null")
    pointers = finding.related_pointer or finding.pointer or "", finding.pointer or ""
    hidden = "readOnly" if from_client else "writeOnly"
    base, revision = (
        list(_schemas(side, pointer, hidden)) for side, pointer in zip(sides, pointers, strict=True)
    )
    sent, taken = (base, revision) if from_client else (revision, base)
    return any(accepts(value) and not takes(value) for accepts in sent for takes in taken)


def _schemas(document: Document, pointer: str, hidden: str) -> Iterator[Callable[[object], bool]]:
    """Yield the schema that a place lies in, and those close around it, as validators."""
    if pointer.endswith("/required"):
        # Of a property that has no schema.
        yield lambda value: True
    data = _seen(document.data, hidden)
    registry: Any = Registry().with_resource("urn:document", DRAFT202012.create_resource(data))
    for _ in range(3):
        with suppress(KeyError, ValueError):
            if isinstance(resolve(data, pointer), dict | bool):
                schema = {"$ref": f"urn:document#{quote(pointer)}"}
                yield partial(_is_valid, Draft202012Validator(schema, registry=registry))
        pointer = pointer.rpartition("/")[0]


def _is_valid(validator: Draft202012Validator, value: object) -> bool:
    try:
        return bool(validator.evolve(format_checker=FormatChecker()).is_valid(value))
    except Exception:
        # A place between schemas, such as all properties of one.
        return False


def _seen(value: Any, hidden: str) -> Any:
    """The document without properties that only the other side sends."""
    if isinstance(value, list):
        return [_seen(item, hidden) for item in value]
    if not isinstance(value, dict):
        return value
    seen = {name: _seen(each, hidden) for name, each in value.items()}
    properties = value.get("properties")
    if isinstance(properties, dict) and isinstance(value.get("required"), list):
        gone = {
            name
            for name, each in properties.items()
            if isinstance(each, dict) and each.get(hidden) is True
        }
        seen["required"] = [name for name in value["required"] if name not in gone]
    return seen
