"""Schemas that refer to one with a discriminator by `allOf` are its alternatives (OAS 3.0.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specwright.findings import Level

from .documents import breaking, changes, report
from .test_wire import TEXT, holding, req, resp

NUMBER = {"type": "integer"}
PET = {**holding(["kind"], kind=TEXT), "discriminator": {"propertyName": "kind"}}
REF = {"$ref": "#/components/schemas/Pet"}


def child(**properties: Any) -> dict[str, Any]:
    return {"allOf": [REF, holding([], **properties)]}


def mapped(**tags: str) -> dict[str, Any]:
    targets = {tag: f"#/components/schemas/{name}" for tag, name in tags.items()}
    return {**PET, "discriminator": {"propertyName": "kind", "mapping": targets}}


CAT, DOG = child(a=TEXT), child(b=TEXT)
# The places of a parent in a body.
PLACES: dict[str, Any] = {
    "the body": REF,
    "items": {"type": "array", "items": REF},
    "a property": holding([], pet=REF),
    "an alternative to null": {"anyOf": [REF, {"type": "null"}]},
    "a part with a description": {"allOf": [REF], "description": "The pet."},
}


def api(make: Any, place: str = "the body", pet: Any = None, **schemas: Any) -> dict[str, Any]:
    return make(PLACES[place]) | {"components": {"schemas": {"Pet": pet or PET, **schemas}}}


BOTH = {"Cat": CAT, "Dog": DOG}
# Whether clients or the API send it; the schemas before and after; rule, level and words.
EDITS: dict[str, tuple[Any, Any, Any, tuple[str, Level, str]]] = {
    "clients send one that is gone": (
        req,
        BOTH,
        {"Cat": CAT},
        ("union-narrowed", Level.ERROR, "the discriminator loses Dog"),
    ),
    "clients may send one more": (
        req,
        {"Cat": CAT},
        BOTH,
        ("schema-compatible", Level.INFO, "the discriminator gains Dog"),
    ),
    "the API sends one more": (
        resp,
        {"Cat": CAT},
        BOTH,
        ("union-widened", Level.ERROR, "the discriminator gains Dog"),
    ),
    "the API sends one less": (
        resp,
        BOTH,
        {"Cat": CAT},
        ("schema-compatible", Level.INFO, "the discriminator loses Dog"),
    ),
    "one has another name": (
        req,
        {"Cat": CAT},
        {"Kitty": CAT},
        (
            "discriminator-changed",
            Level.ERROR,
            "the tag of Kitty in the discriminator: Cat -> Kitty",
        ),
    ),
    "one leaves the family": (
        req,
        BOTH,
        {"Cat": CAT, "Dog": holding([], kind=TEXT, b=TEXT)},
        ("union-narrowed", Level.ERROR, "the discriminator loses Dog"),
    ),
    "one changes, as the API sends it": (
        resp,
        BOTH,
        {"Cat": child(a=NUMBER), "Dog": DOG},
        ("type-widened", Level.ERROR, "type string -> integer"),
    ),
    "one changes, as clients send it": (
        req,
        BOTH,
        {"Cat": child(a=NUMBER), "Dog": DOG},
        ("type-narrowed", Level.ERROR, "type string -> integer"),
    ),
    "a child of a child": (
        req,
        {
            "Cat": CAT,
            "Lion": {"allOf": [{"$ref": "#/components/schemas/Cat"}, holding([], m=TEXT)]},
        },
        {"Cat": CAT},
        ("union-narrowed", Level.ERROR, "the discriminator loses Lion"),
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("make", "before", "after", "expected"), EDITS.values(), ids=EDITS)
def test_a_child_is_an_alternative_wherever_its_parent_is(
    make: Any, before: Any, after: Any, expected: tuple[str, Level, str], place: str, tmp_path: Path
) -> None:
    found = changes(report(tmp_path, api(make, place, **before), api(make, place, **after)))
    assert [(each.rule, each.level, each.message) for each in found] == [expected]
    assert [each.operations for each in found] == [("POST /a",)]


MAPPED: dict[str, tuple[Any, Any, set[str]]] = {
    "a tag that is gone": (
        mapped(cat="Cat", dog="Dog"),
        mapped(cat="Cat"),
        {"discriminator-changed"},
    ),
    "one of two tags": (
        mapped(cat="Cat", tom="Cat", dog="Dog"),
        mapped(cat="Cat", dog="Dog"),
        {"discriminator-changed"},
    ),
    "a tag in other letters": (
        mapped(cat="Cat", dog="Dog"),
        mapped(cat="Cat", hound="Dog"),
        {"discriminator-changed"},
    ),
    "swapped tags": (
        mapped(cat="Cat", dog="Dog"),
        mapped(cat="Dog", dog="Cat"),
        {"discriminator-changed"},
    ),
    "a second tag": (
        mapped(cat="Cat", dog="Dog"),
        mapped(cat="Cat", dog="Dog", hound="Dog"),
        set(),
    ),
    "a tag of the parent": (
        mapped(pet="Pet", cat="Cat"),
        mapped(animal="Pet", cat="Cat"),
        {"discriminator-changed"},
    ),
    "the name that counts in any case": (mapped(), mapped(Dog="Dog"), set()),
}


@pytest.mark.parametrize(("before", "after", "rules"), MAPPED.values(), ids=MAPPED)
def test_tags_of_children_may_be_mapped(
    before: Any, after: Any, rules: set[str], tmp_path: Path
) -> None:
    found = changes(report(tmp_path, api(req, pet=before, **BOTH), api(req, pet=after, **BOTH)))
    assert {each.rule for each in breaking(found)} == rules


# A document, and the tag of Cat in it.
TAGGED: dict[str, tuple[Any, str]] = {
    "the name of a child": (api(req, **BOTH), "Cat"),
    "a tag of a mapping": (api(req, pet=mapped(cat="Cat"), **BOTH), "cat"),
    "a list of alternatives": (
        req(
            {
                "oneOf": [
                    {"$ref": "#/components/schemas/Cat"},
                    {"$ref": "#/components/schemas/No"},
                ],
                "discriminator": {"propertyName": "kind"},
            }
        )
        | {
            "components": {
                "schemas": {
                    "Cat": holding(["kind"], kind=TEXT, a=TEXT),
                    "No": holding(["b"], b=TEXT),
                }
            }
        },
        "Cat",
    ),
}


@pytest.mark.parametrize(("base", "tag"), TAGGED.values(), ids=TAGGED)
def test_a_counterexample_has_the_tag_of_its_schema(base: Any, tag: str, tmp_path: Path) -> None:
    """Any other value is none of the alternative for receivers that read tags."""
    schemas = base["components"]["schemas"]
    schemas = {**schemas, "Cat": {**schemas["Cat"], "required": ["kind", "a"]}}
    revision = {**base, "components": {"schemas": schemas}}
    [found] = changes(report(tmp_path, base, revision))
    assert (found.rule, found.message) == ("property-required", "property 'a' is now required")
    assert json.loads(found.counterexample or "") == {"kind": tag}


def test_a_counterexample_of_a_base_has_any_tag(tmp_path: Path) -> None:
    base, revision = (api(req, pet=PET | {"minProperties": least}, **BOTH) for least in (1, 2))
    found = changes(report(tmp_path, base, revision))
    assert {finding.counterexample for finding in found} == {'{"kind": "a"}'}


def test_an_edit_of_the_parent_is_one_finding(tmp_path: Path) -> None:
    """The parent is a part of every child, with another value that breaks each of them."""
    new = {**PET, "properties": {**PET["properties"], "age": NUMBER}, "required": ["kind", "age"]}
    found = changes(report(tmp_path, api(req, **BOTH), api(req, pet=new, **BOTH)))
    assert [each.rule for each in found] == ["property-required"]


def test_a_parent_that_is_renamed_is_the_same_family(tmp_path: Path) -> None:
    ref = {"$ref": "#/components/schemas/Animal"}
    renamed = {"allOf": [ref, holding([], a=TEXT)]}
    revision = req(ref) | {"components": {"schemas": {"Animal": PET, "Cat": renamed}}}
    assert breaking(changes(report(tmp_path, api(req, Cat=CAT), revision))) == []


def test_a_child_alone_has_no_brothers(tmp_path: Path) -> None:
    """A body of one child is not affected by another one."""
    base, revision = (
        req({"$ref": "#/components/schemas/Cat"}) | {"components": {"schemas": {"Pet": PET, **one}}}
        for one in (BOTH, {"Cat": CAT})
    )
    assert changes(report(tmp_path, base, revision)) == []


P, Q = (holding(["t", name], t=TEXT, **{name: TEXT}) for name in ("p", "q"))


def union(keyword: str = "oneOf", *, tagged: bool = True, **discriminator: Any) -> dict[str, Any]:
    refs = [{"$ref": f"#/components/schemas/{name}"} for name in ("P", "Q")]
    tag = {"discriminator": {"propertyName": "t", **discriminator}} if tagged else {}
    return {keyword: refs, **tag}


def both(make: Any, schema: Any, p: Any = P, q: Any = Q) -> dict[str, Any]:
    return make(schema) | {"components": {"schemas": {"P": p, "Q": q}}}


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
@pytest.mark.parametrize(
    "mapping", [{}, {"mapping": {"p": "P", "q": "Q"}}], ids=["named", "mapped"]
)
@pytest.mark.parametrize(
    "wrap", [lambda s: s, lambda s: {"type": "array", "items": s}], ids=["body", "items"]
)
def test_clients_miss_a_discriminator_that_is_gone(
    keyword: str, mapping: Any, wrap: Any, tmp_path: Path
) -> None:
    base = both(resp, wrap(union(keyword, **mapping)))
    revision = both(resp, wrap(union(keyword, tagged=False)))
    found = changes(report(tmp_path, base, revision))
    assert [(each.rule, each.level, each.message) for each in found] == [
        ("discriminator-changed", Level.ERROR, "the discriminator is no longer t")
    ]


@pytest.mark.parametrize(
    ("make", "before", "after", "rules"),
    [
        # The names of components are tags beside every mapping, which receivers know.
        (resp, {"p": "P", "q": "Q"}, {}, set()),
        (req, {"p": "P", "q": "Q"}, {}, {"discriminator-changed"}),
        (resp, {}, {"p": "P", "q": "Q"}, {"discriminator-changed"}),
        (req, {}, {"p": "P", "q": "Q"}, set()),
    ],
)
def test_a_mapping_as_a_whole_comes_or_goes(
    make: Any, before: Any, after: Any, rules: set[str], tmp_path: Path
) -> None:
    base, revision = (both(make, union(mapping=mapping)) for mapping in (before, after))
    found = changes(report(tmp_path, base, revision))
    assert len(found) == 1
    assert {finding.rule for finding in breaking(found)} == rules


@pytest.mark.parametrize("make", [req, resp])
def test_a_mapping_of_the_names_that_count_anyway_is_no_change(make: Any, tmp_path: Path) -> None:
    base, revision = both(make, union()), both(make, union(mapping={"P": "P", "Q": "Q"}))
    assert changes(report(tmp_path, base, revision)) == []
    assert changes(report(tmp_path, revision, base)) == []


def test_nobody_misses_a_discriminator_that_the_schemas_stand_in_for(tmp_path: Path) -> None:
    p, q = (holding(["t"], t={"const": name}, **{name: TEXT}) for name in ("p", "q"))
    base, revision = (both(resp, union(tagged=tagged), p, q) for tagged in (True, False))
    assert breaking(changes(report(tmp_path, base, revision))) == []


@pytest.mark.parametrize(("make", "rules"), [(req, set()), (resp, {"discriminator-changed"})])
def test_a_server_that_tells_alternatives_apart_otherwise_breaks_nobody(
    make: Any, rules: set[str], tmp_path: Path
) -> None:
    base, revision = (both(make, union(tagged=tagged)) for tagged in (True, False))
    assert {each.rule for each in breaking(changes(report(tmp_path, base, revision)))} == rules


def test_an_alternative_is_gone_for_a_receiver_that_reads_tags(tmp_path: Path) -> None:
    """By its schema alone, another alternative accepts the values of the one that is gone."""
    cat, dog = ({"$ref": f"#/components/schemas/{name}"} for name in BOTH)
    tag = {"discriminator": {"propertyName": "kind"}}
    for left in ([cat], [cat, cat]):
        base, revision = (
            req({"oneOf": members, **tag}) | {"components": {"schemas": {"Pet": PET, **BOTH}}}
            for members in ([*left, dog], left)
        )
        rules = [each.rule for each in changes(report(tmp_path, base, revision))]
        assert rules == ["union-narrowed"]


DEFAULTS: dict[str, tuple[Any, dict[str, str], dict[str, str], set[str]]] = {
    "clients rely on it": (req, {"defaultMapping": "P"}, {}, {"discriminator-changed"}),
    "clients get another one": (
        req,
        {"defaultMapping": "P"},
        {"defaultMapping": "Q"},
        {"discriminator-changed"},
    ),
    "clients may rely on it": (req, {}, {"defaultMapping": "P"}, set()),
    "the API may send other tags": (resp, {}, {"defaultMapping": "P"}, {"discriminator-changed"}),
    "the API always sends a tag": (resp, {"defaultMapping": "P"}, {}, set()),
}


@pytest.mark.parametrize(("make", "before", "after", "rules"), DEFAULTS.values(), ids=DEFAULTS)
def test_values_without_a_known_tag_have_a_schema(
    make: Any, before: Any, after: Any, rules: set[str], tmp_path: Path
) -> None:
    base, revision = (
        {**both(make, union(**fields)), "openapi": "3.2.0"} for fields in (before, after)
    )
    found = changes(report(tmp_path, base, revision))
    assert {each.rule for each in breaking(found)} == rules
    assert ["default of the discriminator" in each.message for each in found] == [True]


def test_a_receiver_with_a_default_reads_unknown_tags(tmp_path: Path) -> None:
    pet = {**PET, "discriminator": {"propertyName": "kind", "defaultMapping": "Cat"}}
    base, revision = (
        {**api(req, pet=pet, **children), "openapi": "3.2.0"} for children in (BOTH, {"Cat": CAT})
    )
    found = changes(report(tmp_path, base, revision))
    assert [(each.rule, each.level) for each in found] == [("schema-compatible", Level.INFO)]


def test_a_step_that_is_proven_for_one_schema_is_proven_for_all(tmp_path: Path) -> None:
    """Circular schemas cannot be proven, but a part of one is a schema of its own elsewhere."""

    def circular(required: list[str]) -> dict[str, Any]:
        names = ("Base", "A", "B", "C")
        base, a, b, c = ({"$ref": f"#/components/schemas/{name}"} for name in names)
        schemas = (
            holding(required, x=TEXT),
            {"allOf": [base, {"oneOf": [b, c]}]},
            *({"allOf": [a, holding([], **{name: TEXT})]} for name in ("b", "c")),
        )
        other = {"post": req(base)["paths"]["/a"]["post"]}
        whole = req(a) | {"components": {"schemas": dict(zip(names, schemas, strict=True))}}
        return whole | {"paths": {**whole["paths"], "/b": other}}

    (found,) = changes(report(tmp_path, circular([]), circular(["x"])))
    assert (found.rule, found.counterexample) == ("property-required", "{}")
    assert set(found.operations) == {"POST /a", "POST /b"}
