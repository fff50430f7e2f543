"""A property that one direction loses or gains by `readOnly` or `writeOnly` is removed or added."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Finding, Level

from .documents import changes, report
from .test_wire import TEXT, holding, req, resp

MARKS = {"readOnly": req, "writeOnly": resp}
NAME = {"title": "Name", **TEXT}


def marked(mark: str) -> dict[str, Any]:
    return {**TEXT, mark: True}


def whole(make: Any, schema: Any, *, way: str, version: str) -> dict[str, Any]:
    """A document with a schema in place, or in a component, of a version."""
    if way == "inline":
        return {**make(schema), "openapi": version}
    components = {"schemas": {"T": schema, "Name": NAME}}
    return {**make({"$ref": "#/components/schemas/T"}), "components": components} | {
        "openapi": version
    }


def told(found: list[Finding]) -> set[tuple[str, Level, str, str]]:
    return {
        (finding.rule, finding.level, finding.message, (finding.pointer or "").rpartition("/")[2])
        for finding in found
    }


@pytest.mark.parametrize("version", ["3.0.3", "3.1.1"])
@pytest.mark.parametrize("way", ["inline", "component"])
@pytest.mark.parametrize("mark", MARKS)
def test_what_a_direction_lacks_from_now_on_was_removed_from_it(
    mark: str, way: str, version: str, tmp_path: Path
) -> None:
    make, place = MARKS[mark], {"way": way, "version": version}
    base = whole(make, holding([], n=TEXT, id=TEXT), **place)
    removed = changes(report(tmp_path, base, whole(make, holding([], n=TEXT), **place)))
    left_out = changes(
        report(tmp_path, base, whole(make, holding([], n=TEXT, id=marked(mark)), **place))
    )
    assert [(each.rule, each.level) for each in removed] == [("property-removed", Level.ERROR)]
    assert told(left_out) == {
        ("property-removed", Level.ERROR, f"property 'id' is now {mark}", mark)
    }
    assert left_out[0].affected == removed[0].affected


@pytest.mark.parametrize(
    ("mark", "rule"), [("readOnly", "property-removed"), ("writeOnly", "property-not-sent")]
)
def test_a_required_property_that_a_direction_lacks_from_now_on(
    mark: str, rule: str, tmp_path: Path
) -> None:
    make = MARKS[mark]
    base, revision = (make(holding(["id"], id=schema)) for schema in (TEXT, marked(mark)))
    found = changes(report(tmp_path, base, revision))
    assert told(found) == {(rule, Level.ERROR, f"property 'id' is now {mark}", mark)}


BACK: dict[str, tuple[str, list[str], tuple[str, Level, str]]] = {
    "clients have to send it": (
        "readOnly",
        ["id"],
        ("property-required", Level.ERROR, "property 'id' is no longer readOnly, and required"),
    ),
    "clients may send it": (
        "readOnly",
        [],
        ("schema-compatible", Level.INFO, "property 'id' is no longer readOnly"),
    ),
    "the API sends it": (
        "writeOnly",
        ["id"],
        ("schema-compatible", Level.INFO, "property 'id' is no longer writeOnly, and required"),
    ),
}


@pytest.mark.parametrize(("mark", "required", "expected"), BACK.values(), ids=BACK)
def test_a_direction_gets_a_property_that_it_lacked(
    mark: str, required: list[str], expected: tuple[str, Level, str], tmp_path: Path
) -> None:
    make = MARKS[mark]
    base, revision = (make(holding(required, id=schema)) for schema in (marked(mark), TEXT))
    (found,) = changes(report(tmp_path, base, revision))
    assert (found.rule, found.level, found.message) == expected


def test_a_closed_object_declares_what_its_senders_may_leave_out(tmp_path: Path) -> None:
    base, revision = (
        req({**holding([], id=schema), "additionalProperties": False})
        for schema in (TEXT, marked("readOnly"))
    )
    assert [each.rule for each in changes(report(tmp_path, base, revision))] == ["property-removed"]


def test_a_mark_behind_a_reference_is_the_place_of_the_change(tmp_path: Path) -> None:
    schema = holding([], id={"$ref": "#/components/schemas/Name"})
    base, revision = (
        {**req(schema), "components": {"schemas": {"Name": name}}}
        for name in (NAME, {**NAME, "readOnly": True})
    )
    (found,) = changes(report(tmp_path, base, revision))
    assert (found.rule, found.pointer) == (
        "property-removed",
        "/components/schemas/Name/readOnly",
    )


def test_what_the_other_direction_has_alone_is_no_change_of_this_one(tmp_path: Path) -> None:
    base, revision = (req(holding([], n=TEXT, **more)) for more in ({"id": marked("readOnly")}, {}))
    assert changes(report(tmp_path, base, revision)) == []
