"""A discriminator is followed where it can tell anything apart, and elsewhere does no harm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.document.tagging import tag_alternatives
from specwright.findings import Report
from specwright.pipeline import generate
from specwright.samples.witnesses import Witnesses
from tests.functional.documents import Json, document, ref
from tests.mutated_documents.judge import faults

KIND = {"propertyName": "kind"}
TEXT = {"type": "string"}


def tagged(value: str) -> Json:
    return {"type": "object", "required": ["kind"], "properties": {"kind": {"const": value}}}


PARTS = {
    "Cat": tagged("cat"),
    "Dog": tagged("dog"),
    "Old": {"allOf": [ref("Dog"), {"type": "object", "properties": {"age": TEXT}}]},
    "Bare": {"type": "object", "properties": {"size": {"type": "integer"}}},
}
PETS = [ref("Cat"), ref("Dog")]
MAPPED = {"cat": "Some", "dog": "Other"}
OPEN = {"x-extensible-enum": ["cat", "dog"]}
UNIONS: dict[str, Json] = {
    "of objects": {"oneOf": PETS, "discriminator": KIND},
    "of objects and null": {"oneOf": [*PETS, {"type": "null"}], "discriminator": KIND},
    "of objects and text": {"oneOf": [*PETS, TEXT], "discriminator": KIND},
    "of objects, one without the property": {
        "oneOf": [ref("Cat"), ref("Bare")],
        "discriminator": KIND,
    },
    "without the name of a property": {"oneOf": PETS, "discriminator": {"propertyName": ""}},
    "of nothing": {"type": "string", "discriminator": KIND},
    "open": {"oneOf": [ref("Cat"), ref("Old")], "discriminator": KIND, **OPEN},
    "open, of text": {"oneOf": [ref("Cat"), TEXT], "discriminator": KIND, **OPEN},
    "open, without the property": {"oneOf": [*PETS, ref("Bare")], "discriminator": KIND, **OPEN},
}


def made(tmp_path: Path, schemas: Json) -> list[str]:
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document({}, schemas)))
    for name, text in generate(load(path), PackageOptions(package="made")).items():
        target = tmp_path / "made" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
    return list(faults(tmp_path / "made", "made"))


@pytest.mark.parametrize("union", UNIONS.values(), ids=UNIONS)
def test_a_union_becomes_a_type_that_works(tmp_path: Path, union: Json) -> None:
    assert made(tmp_path, {**PARTS, "Pet": union}) == []


def test_a_member_may_say_its_tag_in_a_part(tmp_path: Path) -> None:
    made(tmp_path, {**PARTS, "Pet": UNIONS["open"]})
    assert "class UnknownPet(Model)" in (tmp_path / "made/made/models.py").read_text()


def test_tags_that_alternatives_share_tell_nothing_apart(tmp_path: Path) -> None:
    """As in a document with alternatives that all refer to one enumeration of their tags."""
    any_pet = {"type": "object", "properties": {"kind": {"enum": ["cat", "dog"]}}}
    union = {"oneOf": [ref("Some"), ref("Other")], "discriminator": KIND}
    mapping = {tag: f"#/components/schemas/{name}" for tag, name in MAPPED.items()}
    mapped = {**union, "discriminator": {**KIND, "mapping": mapping}}
    schemas = {"Some": any_pet, "Other": any_pet, "Pet": union, "Mapped": mapped}
    assert made(tmp_path, {**schemas}) == []
    models = (tmp_path / "made/made/models.py").read_text()
    assert 'kind: Literal["cat"]' in models
    assert (
        'Mapped: TypeAlias = Annotated[Some | Other | UnknownMapped, TaggedUnion("kind")]' in models
    )


@pytest.mark.parametrize("value", [[1], {"a": 1}, 3, None])
def test_a_tag_that_is_not_a_text_names_no_class(tmp_path: Path, value: object) -> None:
    """As `on: {enum: [[opened], [closed]]}`, which no class can be called."""
    base = {"type": "object", "properties": {"kind": {"enum": ["Cat", value]}}}
    below = {"allOf": [ref("Base"), {"type": "object", "properties": {"at": TEXT}}]}
    union = {"oneOf": [ref("Base"), ref("Cat")], "discriminator": KIND}
    schemas = {"Base": {**base, "discriminator": KIND}, "Cat": below, "Union": union}
    assert made(tmp_path, {**schemas, "All": {"type": "array", "items": ref("Base")}}) == []
    assert "list[Base]" in (tmp_path / "made" / "made" / "models.py").read_text("utf-8")


@pytest.mark.parametrize("discriminator", [{}, {"mapping": {}}, {"propertyName": 5}])
def test_a_discriminator_without_a_property_is_left_out(tmp_path: Path, discriminator: Any) -> None:
    nested = {"type": "object", "properties": {"pet": {"discriminator": discriminator}}}
    assert made(tmp_path, {"Nested": nested}) == []


def test_a_circle_of_parts_costs_itself_alone(tmp_path: Path) -> None:
    union = {"oneOf": [ref("Loop"), ref("Cat")], "discriminator": KIND, **OPEN}
    path, reports = tmp_path / "api.json", list[Report]()
    schemas = {**PARTS, "Loop": {"allOf": [ref("Loop")]}, "Pet": union}
    path.write_text(json.dumps(document({}, schemas)))
    files = generate(load(path), PackageOptions(package="made"), tell=reports.append)
    [finding] = [finding for report in reports for finding in report.findings]
    assert (finding.rule, finding.pointer) == ("internal-error", "/components/schemas/Loop")
    assert finding.message.startswith("models cannot be generated")
    assert finding.message.endswith("models allow any value here")
    assert b"class Cat(" in files["made/models.py"]


@pytest.mark.parametrize(
    ("values", "expected"), [(["Day", "Week"], "Day | Week"), (["Day", "night"], "Day | PlainRule")]
)
def test_a_base_is_an_alternative_where_a_value_names_none_below_it(
    tmp_path: Path, values: list[str], expected: str
) -> None:
    rule = {"type": "object", "properties": {"kind": {"type": "string", "enum": values}}}
    below = {"allOf": [ref("Rule"), {"type": "object", "properties": {"at": TEXT}}]}
    schemas = {
        "Rule": {**rule, "required": ["kind"], "discriminator": KIND},
        "Day": below,
        "Week": below,
        "Rules": {"type": "array", "items": ref("Rule")},
    }
    assert made(tmp_path, schemas) == []
    assert f"AnyRule: TypeAlias = Annotated[{expected}" in (
        tmp_path / "made" / "made" / "models.py"
    ).read_text("utf-8")


def test_an_heir_inherits_the_fields_of_its_base_and_has_samples(tmp_path: Path) -> None:
    """Also where the base lists the tags of all, and where an heir is a base itself."""
    kinds = {"type": "string", "enum": ["Rule", "Day", "Monday"]}
    base = {"type": "object", "required": ["kind"], "properties": {"kind": kinds, "at": TEXT}}

    def below(name: str, **properties: Json) -> Json:
        return {"allOf": [ref(name), {"type": "object", "properties": properties}]}

    schemas = {
        "Rule": {**base, "discriminator": KIND},
        "Day": below("Rule", hour=TEXT),
        "Monday": below("Day", week=TEXT),
        "Rules": {"type": "array", "items": ref("Rule")},
    }
    assert made(tmp_path, schemas) == []
    models = (tmp_path / "made" / "made" / "models.py").read_text("utf-8")
    assert "AnyRule: TypeAlias = Annotated[PlainDay | Monday | PlainRule" in models
    for heir in ("Day(Rule)", "Monday(Day)", "PlainRule(Rule)", "PlainDay(Day)"):
        assert f"class {heir}:" in models
    tagged_rules = tag_alternatives(load(tmp_path / "api.json"))
    witnesses = Witnesses(tagged_rules)
    for name in ("Rule", "Day", "Monday", "PlainRule", "PlainDay", "AnyRule"):
        assert witnesses.of(f"/components/schemas/{name}")
