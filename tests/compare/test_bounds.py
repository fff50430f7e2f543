"""Cycles, deep nesting and hostile patterns end in findings quickly."""

from pathlib import Path
from typing import Any

import pytest

from specwright.compare.proofs import judgements
from specwright.compare.table import BY_ID
from specwright.findings import Level
from specwright.isolation import TaskLimits
from tests.validate.documents import whole

from .documents import PLACES, affected, breaking, changes, everywhere, report


@pytest.fixture(scope="module", autouse=True)
def tasks_in_this_process() -> None:
    """They run in copies of this process, which limits end."""


REF = {"$ref": "#/components/schemas/Node"}


def holding(schema: Any) -> dict[str, Any]:
    """A document with a schema of this name at every kind of place."""
    return everywhere(REF) | {"components": {"schemas": {"Node": schema}}}


@pytest.mark.parametrize(
    "circle",
    [
        {"type": "object", "properties": {"next": REF, "count": {"type": "integer"}}},
        {"allOf": [REF, {"properties": {"count": {"type": "integer"}}}]},
        {"anyOf": [REF, {"type": "null"}]},
        {"oneOf": [{"type": "array", "items": REF}, {"type": "integer"}]},
        {"properties": {"a": {"allOf": [REF, {"properties": {"b": REF}}]}}},
        {"not": REF},
    ],
    ids=lambda circle: next(iter(circle)),
)
def test_a_circle_ends(circle: Any, tmp_path: Path) -> None:
    changed = {**circle, "minProperties": 1}
    found = report(tmp_path, holding(circle), holding(changed))
    assert changes(found)
    assert not changes(report(tmp_path, holding(circle), holding(circle)))


def test_a_change_far_down_is_found(tmp_path: Path) -> None:
    def nested(innermost: Any) -> Any:
        schema = innermost
        for _ in range(60):
            schema = {"type": "object", "properties": {"a": schema}}
        return schema

    found = breaking(
        report(
            tmp_path,
            holding(nested({"type": "string"})),
            holding(nested({"type": "integer"})),
        ).findings
    )
    assert affected(found) == set(PLACES)


def test_a_change_of_a_component_is_one_finding_for_each_direction(tmp_path: Path) -> None:
    found = breaking(
        report(tmp_path, holding({"type": "string"}), holding({"type": "integer"})).findings
    )
    assert sorted(finding.rule for finding in found) == ["type-narrowed", "type-widened"]


def test_a_pattern_that_takes_for_ever_is_not_waited_for(tmp_path: Path) -> None:
    pattern = r"^(([a-z])+.)+[A-Z]([a-z])+$(?=x)\1"
    schema = {"type": "string", "examples": ["a" * 5000]}
    found = report(tmp_path, holding(schema), holding({**schema, "pattern": pattern}))
    assert breaking(found.findings)


def test_a_proof_that_is_stopped_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(tasks: list[Any], limits: TaskLimits) -> Any:
        return (judgements.Stopped.TIME for _ in tasks)

    monkeypatch.setattr(judgements, "isolated", stopped)
    found = changes(report(tmp_path, holding({"type": "string"}), holding({"type": "integer"})))
    assert {finding.rule for finding in found} == {"diff-unproven"}
    assert "type-narrowed is not proven: it takes too long" in found[0].message


def test_more_pairs_than_anybody_writes_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specwright.compare.schemas.walk.MOST_PAIRS", 1)
    found = changes(report(tmp_path, holding({"type": "string"}), holding({"type": "integer"})))
    [incomplete] = [each for each in found if each.rule == "diff-incomplete"]
    assert (incomplete.pointer, Path(incomplete.location.file).name) == ("", "revision.json")


@pytest.mark.parametrize(("most", "is_complete"), [(2, False), (3, True), (4, True)])
def test_as_many_pairs_as_may_be_are_all_compared(
    most: int, is_complete: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sides differ in an object and in two of its properties."""

    def document(maximum: int) -> dict[str, Any]:
        members = {name: {"type": "integer", "maximum": maximum} for name in ("a", "b")}
        content = {"application/json": {"schema": {"properties": members}}}
        operation = {"requestBody": {"content": content}, "responses": {}}
        return whole("{}") | {"paths": {"/a": {"post": operation}}}

    monkeypatch.setattr("specwright.compare.schemas.walk.MOST_PAIRS", most)
    found = [change.rule for change in changes(report(tmp_path, document(9), document(8)))]
    assert ("diff-incomplete" not in found) == is_complete
    assert found.count("range-narrowed") == min(most, 3) - 1


def test_an_operation_of_the_wrong_shape_is_said_and_the_others_are_compared(
    tmp_path: Path,
) -> None:
    base, revision = holding({"type": "string"}), holding({"type": "integer"})
    for document in (base, revision):
        document["paths"]["/odd"] = {"get": {"security": [{"key": 3}], "responses": {}}}
    found = changes(report(tmp_path, base, revision))
    assert {"diff-incomplete", "type-narrowed"} <= {finding.rule for finding in found}


def test_shapes_that_break_every_assumption_end_in_a_report(tmp_path: Path) -> None:
    odd: list[dict[str, Any]] = [
        {"paths": {"/a": {"get": {"parameters": 3, "responses": [], "tags": {}}}}},
        {"paths": {"/a": {"get": {"requestBody": {"content": {"a/b": 3}}, "responses": 3}}}},
        {"paths": {"/a": {"get": {"responses": {"200": {"headers": {"a": {"schema": 3}}}}}}}},
        {"servers": 3, "security": 3, "tags": 3, "x-contract-error": {"codes": [1]}},
        {"components": {"securitySchemes": {"a": {"scheme": [], "type": 3}}}},
    ]
    for first in odd:
        for second in (whole("{paths: {/a: {get: {responses: {}}}}}"), *odd):
            report(tmp_path, whole("{}") | first, whole("{}") | second)


def test_odd_schemas_end_in_a_report(tmp_path: Path) -> None:
    odd = (
        3,
        [],
        {"type": 3},
        {"enum": 3},
        {"required": 3},
        {"allOf": 3},
        {"properties": []},
        {"minimum": "a"},
        {"pattern": "("},
        {"anyOf": [3]},
        {"items": [{}]},
        {"format": {}},
        {"contentEncoding": {}},
        {"type": "string", "contentEncoding": [], "contentMediaType": 3, "contentSchema": 3},
    )
    for schema in odd:
        assert changes(report(tmp_path, everywhere({"type": "string"}), everywhere(schema)))


def test_a_break_that_needs_no_proof_is_found_beside_what_cannot_be_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many choices that a proof about the whole schema takes too much time or memory."""
    monkeypatch.setattr("specwright.compare.proofs.judgements._SECONDS", 1.0)

    def some(n: int) -> dict[str, Any]:
        parts = (
            {"required": [f"a{n}"]},
            {"required": [f"b{n}"]},
            {"properties": {f"c{n}": {"minimum": n}}},
        )
        return {"not": {"anyOf": list(parts)}}

    amount = {"type": "object", "properties": {"amount": {"type": "integer"}, "note": {}}}
    base = holding({**amount, "required": ["amount"]})
    hiding = {"not": {"allOf": [some(n) for n in range(25)]}}
    revision = holding({**amount, "required": ["amount", "note"], **hiding})
    found = report(tmp_path, base, revision)
    assert "property-required" in {finding.rule for finding in breaking(found.findings)}
    assert found.has_errors


@pytest.mark.parametrize("rule", ["diff-unproven", "diff-incomplete"])
def test_what_is_not_known_fails_the_run(rule: str) -> None:
    assert BY_ID[rule].level is Level.ERROR
