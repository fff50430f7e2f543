"""What one part of a schema says, arguments, models and findings know alike.

Each document has one operation that sends and receives `V`. A valid value goes through the
signature of its method and is read back; an invalid one is refused, or a finding says that models
do not check it. There is no finding where it is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from specwright.check.checks import check
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.policy import Settings
from tests.functional.conftest import Generate
from tests.functional.documents import Json, content, document, operation, ref

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "integer"}
BASE: Json = {
    "type": "object",
    "properties": {
        "y": TEXT,
        "k": NUMBER,
        "l": {"type": "array"},
        "n": {"type": "array", "items": NUMBER},
    },
    "required": ["y"],
}


@dataclass(frozen=True)
class Case:
    """A schema, with values that it accepts and refuses.

    Attributes:
        unchecked: the keyword that models do not check: they accept the invalid values.
    """

    schema: Json
    valid: tuple[Json, ...]
    invalid: tuple[Json, ...] = ()
    unchecked: str = ""


CASES = {
    "a required property that nothing declares": Case(
        {"allOf": [ref("B")], "required": ["kind"]},
        ({"y": "a", "kind": 1}, {"y": "a", "kind": None}),
        ({"y": "a"},),
    ),
    "a required property of an alternative that nothing declares": Case(
        {
            "type": "object",
            "properties": {"x": {"anyOf": [{"properties": {"a": TEXT}, "required": ["b"]}]}},
        },
        ({"x": {"a": "a", "b": 1}},),
        ({"x": {"a": "a"}},),
    ),
    "no unevaluated properties": Case(
        {"type": "object", "properties": {"a": NUMBER}, "unevaluatedProperties": False},
        ({"a": 1}, {}),
        ({"b": 1},),
    ),
    "no unevaluated properties of alternatives": Case(
        {
            "type": "object",
            "properties": {
                "x": {
                    "oneOf": [
                        {"properties": {"a": NUMBER}, "required": ["a"]},
                        {"properties": {"b": NUMBER}, "required": ["b"]},
                    ],
                    "unevaluatedProperties": False,
                }
            },
        },
        ({"x": {"a": 1}}, {"x": {"b": 1}}),
        ({"x": {"a": 1, "c": 1}}, {"x": {"a": 1, "b": 1}}, {"x": {}}),
    ),
    "required beside alternatives": Case(
        {
            "type": "object",
            "properties": {
                "x": {
                    "type": "object",
                    "required": ["mode"],
                    "oneOf": [
                        {"properties": {"mode": {"enum": ["all", "none"]}}},
                        {
                            "properties": {"mode": {"const": "some"}, "values": NUMBER},
                            "required": ["values"],
                        },
                        {"properties": {"other": TEXT}, "required": ["other"]},
                    ],
                }
            },
        },
        (
            {"x": {"mode": "all"}},
            {"x": {"mode": "some", "values": 1}},
            {"x": {"mode": 1, "other": "a"}},
        ),
        ({"x": {}}, {"x": {"values": 1}}, {"x": {"mode": "some"}}, {"x": {"other": "a"}}),
    ),
    "required beside alternatives and properties": Case(
        {
            "type": "object",
            "properties": {
                "x": {
                    "properties": {"mode": TEXT},
                    "required": ["mode"],
                    "oneOf": [
                        {"properties": {"a": NUMBER}, "required": ["a"]},
                        {"properties": {"b": NUMBER}, "required": ["b"]},
                    ],
                }
            },
        },
        ({"x": {"mode": "m", "a": 1}}, {"x": {"mode": "m", "b": 1}}),
        ({"x": {"a": 1}}, {"x": {"mode": 1, "a": 1}}),
    ),
    "any text but one": Case(
        {
            "type": "object",
            "properties": {"c": {"allOf": [TEXT, {"not": {"const": "a"}}]}},
        },
        ({"c": "b"},),
        ({"c": "a"},),
        unchecked="not",
    ),
    "listed values without some of them": Case(
        {
            "type": "object",
            "properties": {
                "c": {"allOf": [{"enum": ["a", "b", "c"]}, {"not": {"enum": ["b", "c"]}}]},
                "d": {"enum": [1, 2], "not": {"const": 2}},
            },
        },
        ({"c": "a"}, {"d": 1}),
        ({"c": "b"}, {"d": 2}),
    ),
    "a property that a part has, too": Case(
        {
            "allOf": [{"properties": {"o": {"type": "string", "minLength": 1}}, "required": ["o"]}],
            "properties": {"o": {"maxLength": 3}, "p": NUMBER},
        },
        ({"o": "abc"}, {"o": "abc", "p": 1}),
        ({"o": "abcd"}, {"o": ""}, {"p": 1}, {"o": "abc", "p": "1"}),
    ),
    "an inherited object with more properties": Case(
        {
            "allOf": [{"properties": {"o": {"properties": {"a": NUMBER}, "required": ["a"]}}}],
            "properties": {"o": {"type": "object", "properties": {"b": NUMBER}}},
        },
        ({"o": {"a": 1, "b": 2}}, {"o": {"a": 1}}),
        ({"o": {"b": 2}}, {"o": {"a": 1, "b": "2"}}, {"o": {"a": "1"}}),
    ),
    "properties beside allOf": Case(
        {"allOf": [ref("B")], "properties": {"z": NUMBER}, "required": ["z"]},
        ({"y": "a", "z": 1}, {"y": "a", "z": 1, "k": 2}),
        ({"z": 1}, {"y": "a"}, {"y": "a", "z": "1"}),
    ),
    "properties beside $ref": Case(
        {**ref("B"), "properties": {"z": NUMBER}}, ({"y": "a"}, {"y": "a", "z": 1}), ({"z": 1},)
    ),
    "required beside $ref": Case(
        {**ref("B"), "required": ["k"]}, ({"y": "a", "k": 1},), ({"y": "a"},)
    ),
    "properties in a part": Case(
        {"allOf": [ref("B"), {"type": "object", "properties": {"z": NUMBER}}]},
        ({"y": "a", "z": 1, "k": 2},),
        ({"y": "a", "z": "1"},),
    ),
    "items of an inherited array": Case(
        {"allOf": [ref("B"), {"properties": {"l": {"items": NUMBER}}}]},
        ({"y": "a", "l": [1]},),
        ({"y": "a", "l": ["x"]},),
    ),
    "items of two arrays": Case(
        {"allOf": [ref("B"), {"properties": {"n": {"items": {"minimum": 5}}}}]},
        ({"y": "a", "n": [5]},),
        ({"y": "a", "n": [4]}, {"y": "a", "n": ["5"]}),
    ),
    "length of an inherited text": Case(
        {"allOf": [ref("B")], "properties": {"y": {"maxLength": 2}}},
        ({"y": "ab"},),
        ({"y": "abc"}, {"y": 1}),
    ),
    "bound of an inherited number": Case(
        {"allOf": [ref("B"), {"properties": {"k": {"minimum": 5}}}]},
        ({"y": "a", "k": 5},),
        ({"y": "a", "k": 4}, {"y": "a", "k": "5"}),
    ),
    "bound beside $ref": Case(
        {**ref("B"), "properties": {"k": {"minimum": 5}}},
        ({"y": "a", "k": 5},),
        ({"y": "a", "k": 4},),
    ),
    "values of an inherited text": Case(
        {"allOf": [ref("B"), {"properties": {"y": {"enum": ["a", "b"]}}}]},
        ({"y": "a"},),
        ({"y": "c"},),
    ),
    "a constant without a type": Case(
        {"type": "object", "properties": {"s": {"const": "a"}, "i": {"const": 1}}},
        ({"s": "a"}, {"i": 1}),
        ({"s": "b"}, {"i": 2}, {"i": "1"}),
    ),
    "a constant that no literal type names": Case(
        {"type": "object", "properties": {"f": {"const": 1.5}, "o": {"const": {"a": 1}}}},
        ({"f": 1.5}, {"o": {"a": 1}}),
        ({"f": 2.5}, {"o": {"a": 2}}),
        "const",
    ),
    "names of properties": Case(
        {
            "type": "object",
            "propertyNames": {"pattern": "^[a-z]+$"},
            "additionalProperties": NUMBER,
        },
        ({"body": {"a": 1}},),
        ({"body": {"A": 1}}, {"body": {"a": "1"}}),
    ),
    "one pattern of names": Case(
        {"type": "object", "patternProperties": {"^s_": TEXT}, "additionalProperties": False},
        ({"body": {"s_a": "x"}},),
        ({"body": {"q": "x"}}, {"body": {"s_a": 1}}),
    ),
    "names and types of other properties": Case(
        {"type": "object", "properties": {"id": TEXT}, "additionalProperties": NUMBER},
        ({"body": {"id": "a", "n": 1}},),
        ({"body": {"id": "a", "n": "1"}},),
    ),
    "one pattern among other names": Case(
        {"type": "object", "patternProperties": {"^s_": TEXT}},
        ({"body": {"s_a": "x"}}, {"body": {"o": [1]}}),
        ({"body": {"s_a": 1}},),
        "patternProperties",
    ),
    "two patterns of names": Case(
        {
            "type": "object",
            "patternProperties": {"^s_": TEXT, "^i_": NUMBER},
            "additionalProperties": False,
        },
        ({"body": {"s_a": "x", "i_a": 1}},),
        ({"body": {"s_a": 1}}, {"body": {"q": 1}}),
        "patternProperties",
    ),
    "patterns beside properties": Case(
        {"type": "object", "properties": {"id": TEXT}, "patternProperties": {"^s_": TEXT}},
        ({"body": {"id": "a"}}, {"body": {"id": "a", "s_a": "x"}}),
        ({"body": {"s_a": 1}},),
        "patternProperties",
    ),
    "a property that is refined inside another one": Case(
        {
            "allOf": [ref("Outer")],
            "properties": {"x": {"allOf": [ref("Inner")], "properties": {"y": {"maxLength": 3}}}},
        },
        ({"x": {"y": "abc"}},),
        ({"x": {"y": "abcd"}}, {"x": {"y": 1}}),
    ),
    "a property that is refined inside an array that is refined": Case(
        {
            "allOf": [ref("Listed")],
            "properties": {
                "l": {"items": {"allOf": [ref("Inner")], "properties": {"y": {"maxLength": 3}}}}
            },
        },
        ({"l": [{"y": "abc"}]},),
        ({"l": [{"y": "abcd"}]}, {"l": [{"y": 1}]}, {"l": 1}),
    ),
    "a property without a limit that is beside an inherited $ref": Case(
        {
            "allOf": [ref("Needed")],
            "properties": {"x": {"allOf": [ref("Inner")], "properties": {"y": {"maxLength": 3}}}},
        },
        ({"x": {"y": "abc"}},),
        ({"x": {}},),
        "x",
    ),
    "a property that is false": Case(
        {"allOf": [ref("B")], "properties": {"k": False}}, ({"y": "a"},), ({"y": "a", "k": 1},)
    ),
    "alternatives that share the values of their tag": Case(
        {
            "oneOf": [ref("First"), ref("Second")],
            "discriminator": {
                "propertyName": "v",
                "mapping": {"v1": "First", "v2": "#/components/schemas/Second"},
            },
        },
        ({"body": {"v": "v1", "a": "x"}}, {"body": {"v": "v2"}}, {"body": {"v": "v2", "b": 1}}),
        ({"body": {"v": "v2", "b": "x"}}, {"body": {"v": "v1", "a": 1}}),
    ),
    "heirs of the schema with a discriminator": Case(
        {"type": "object", "required": ["pet"], "properties": {"pet": ref("Pet")}},
        (
            {"pet": {"kind": "Cat", "lives": 9}},
            {"pet": {"kind": "Kitten", "lives": 9, "toys": ["mouse"]}},
            {"pet": {"kind": "dog", "friend": {"kind": "Cat", "lives": 1}}},
            {"pet": {"kind": "Pet", "name": "Rex"}},
        ),
        (
            {"pet": {"kind": "Cat"}},
            {"pet": {"kind": "Kitten", "lives": 9, "toys": "mouse"}},
            {"pet": {"kind": "dog", "friend": {"kind": "Cat"}}},
        ),
    ),
    "constants and enums that are equal in Python": Case(
        {
            "type": "object",
            "properties": {
                "i": {"const": 1},
                "t": {"const": True},
                "e": {"enum": [0, 1]},
                "u": {"oneOf": [{"const": 1}, {"const": True}]},
            },
        },
        ({"i": 1, "t": True, "e": 0}, {"u": 1}, {"u": True}),
        ({"i": True}, {"t": 1}, {"e": False}, {"e": 2}, {"u": 2}),
    ),
    "components that are true or false": Case(
        {"type": "object", "properties": {"t": ref("T"), "n": ref("N"), "s": TEXT}},
        ({"t": 1}, {"t": None}, {"s": "a"}),
        ({"s": 1}, {"n": 1}),
    ),
}
COMPONENTS: Json = {
    "B": BASE,
    "Inner": {"type": "object", "properties": {"y": TEXT}},
    "Listed": {"type": "object", "properties": {"l": {"type": "array", "items": ref("Inner")}}},
    "Needed": {"type": "object", "properties": {"x": {**ref("Inner"), "required": ["y"]}}},
    "Outer": {"type": "object", "properties": {"x": ref("Inner")}},
    "T": True,
    "N": False,
    "Shared": {
        "type": "object",
        "required": ["v"],
        "properties": {"v": {"type": "string", "enum": ["v1", "v2"]}},
    },
    "First": {"allOf": [ref("Shared")], "properties": {"a": TEXT}},
    "Second": {"allOf": [ref("Shared")], "properties": {"b": NUMBER}},
    "Pet": {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": TEXT, "name": TEXT, "friend": ref("Pet")},
        "discriminator": {"propertyName": "kind", "mapping": {"dog": "Dog"}},
    },
    "Cat": {
        "allOf": [ref("Pet"), {"required": ["lives"], "properties": {"lives": NUMBER}}],
    },
    "Kitten": {
        "allOf": [ref("Cat")],
        "properties": {"toys": {"type": "array", "items": TEXT}},
    },
    "Dog": {"allOf": [ref("Pet")], "properties": {"bark": TEXT}},
}


def api(schema: Json) -> Json:
    body = {"required": True, **content(ref("V"))}
    paths = {"/v": {"post": operation(ref("V"), operationId="send", requestBody=body)}}
    return document(paths, {**COMPONENTS, "V": schema})


def sent(package: ModuleType, arguments: Json) -> tuple[Any, Any]:
    """The body of a call with these arguments, and what is read if the server returns it."""
    transport = package.testing.FakeTransport(
        lambda request: package.testing.response(request.content)
    )
    result = package.Client(transport=transport).things.send(**arguments)
    written = (
        result.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if hasattr(result, "model_dump")
        else result
    )
    return json.loads(transport.requests[0].content), written


def body_of(arguments: Json) -> Any:
    return arguments.get("body", arguments)


@pytest.mark.parametrize("name", CASES)
def test_a_valid_value_goes_through_the_signature(package: Generate, name: str) -> None:
    made = package(api(CASES[name].schema))
    for value in CASES[name].valid:
        assert sent(made, value) == (body_of(value), body_of(value))


@pytest.mark.parametrize("name", CASES)
def test_an_invalid_value_is_refused_or_a_finding_says_why_not(
    package: Generate, name: str, tmp_path: Path
) -> None:
    case = CASES[name]
    made, path = package(api(case.schema)), tmp_path / "api.json"
    path.write_text(json.dumps(api(case.schema)))
    findings = check(upgrade(load(path)), Settings()).findings
    unchecked = {
        (finding.pointer or "").split("/")[-1]
        for finding in findings
        if finding.rule.startswith("unsupported-")
    }
    assert unchecked == ({case.unchecked} if case.unchecked else set())
    for value in case.invalid:
        if case.unchecked:
            sent(made, value)
        else:
            with pytest.raises((TypeError, made.InvalidArgumentError)):
                sent(made, value)


def test_no_argument_moves_to_another_place(package: Generate) -> None:
    parameters = [{"name": "name", "in": "query", "schema": TEXT}]
    for properties in ({"q": TEXT}, {"q": TEXT, "name": TEXT}):
        spec = api({"type": "object", "properties": properties})
        spec["paths"]["/v"]["post"]["parameters"] = parameters
        made = package(spec)
        transport = made.testing.FakeTransport()
        send = made.Client(transport=transport).things.send
        if "name" not in properties:
            send(name="F")
            assert transport.requests[0].url.endswith("?name=F")
            continue
        with pytest.raises(TypeError, match="'name'"):
            send(name="F")
        send(query_name="F", body_name="G")
        assert transport.requests[0].url.endswith("?name=F")
        assert json.loads(transport.requests[0].content) == {"name": "G"}


def test_a_constant_has_its_type_in_the_signature(package: Generate) -> None:
    made = package(api(CASES["a constant without a type"].schema))
    annotations = import_module(f"{made.__name__}.client").Things.send.__annotations__
    assert (annotations["s"], annotations["i"]) == ("Literal['a'] | None", "Literal[1] | None")


def test_a_property_that_is_false_is_no_argument(package: Generate) -> None:
    made = package(api(CASES["a property that is false"].schema))
    assert "k" not in import_module(f"{made.__name__}.client").Things.send.__annotations__


def test_a_limit_of_a_base_without_a_type_is_reported(tmp_path: Path) -> None:
    schemas = {
        "Base": {"type": "object", "properties": {"n": {"minimum": 5}}},
        "Heir": {"allOf": [ref("Base"), {"properties": {"n": NUMBER}}]},
    }
    path = tmp_path / "api.json"
    path.write_text(json.dumps(document({}, schemas)))
    findings = check(upgrade(load(path)), Settings()).findings
    places = {finding.pointer for finding in findings if finding.rule == "unsupported-schema"}
    assert places == {"/components/schemas/Base/properties/n/minimum"}


def test_a_limit_beside_a_reference_to_a_list_of_itself_is_reported(
    package: Generate, tmp_path: Path
) -> None:
    tree = {"type": "array", "items": {**ref("Tree"), "maxItems": 3}}
    spec = api({"type": "object", "properties": {"k": ref("Tree")}})
    spec["components"]["schemas"]["Tree"] = tree
    path = tmp_path / "api.json"
    path.write_text(json.dumps(spec))
    findings = check(upgrade(load(path)), Settings()).findings
    places = {finding.pointer for finding in findings if finding.rule == "unsupported-schema"}
    assert places == {"/components/schemas/Tree/items"}
    value = package(spec).models.V.model_validate({"k": [[[], [], [], []]]})
    assert value.k == [[[], [], [], []]]


def test_a_constant_that_no_literal_type_names_may_be_left_out(package: Generate) -> None:
    models = package(api(CASES["a constant that no literal type names"].schema)).models
    number, object_ = (models.V.model_fields[name].annotation for name in ("f", "o"))
    assert type(None) in get_args(number)
    assert type(None) in get_args(object_)
    with pytest.raises(ValidationError):
        models.V(f="1.5")


def test_a_tag_selects_the_class_of_its_alternative(package: Generate) -> None:
    made = package(api(CASES["alternatives that share the values of their tag"].schema))
    transport = made.testing.FakeTransport(lambda request: made.testing.response(request.content))
    send = made.Client(transport=transport).things.send
    assert type(send(body={"v": "v2"})) is made.models.Second
    with pytest.raises(made.InvalidArgumentError):
        send(body=made.models.First(v="v2"))


def test_a_base_is_read_as_its_heir(package: Generate) -> None:
    made = package(api(CASES["heirs of the schema with a discriminator"].schema))
    value = made.models.V.model_validate({"pet": {"kind": "Kitten", "lives": 1}})
    assert type(value.pet) is made.models.Kitten
    later = made.models.V.model_validate({"pet": {"kind": "Snake", "length": 3}})
    assert later.pet == {"kind": "Snake", "length": 3}


@pytest.mark.parametrize("keyword", [{"contentEncoding": "base64"}, {"format": "byte"}], ids=str)
def test_a_text_with_bytes_says_its_encoding(package: Generate, keyword: dict[str, str]) -> None:
    made = package(api({"type": "object", "properties": {"b": {**TEXT, **keyword}}}))
    source = Path(str(made.models.__file__)).read_text("utf-8")
    assert '    b: StrictStr | None = None\n    """Text in base64."""\n' in source


def test_a_parameter_that_is_left_out_has_one_finding(tmp_path: Path) -> None:
    spec = api({})
    form = {"application/xml": {"schema": {"type": "object"}}}
    spec["openapi"] = "3.2.0"
    spec["paths"]["/v"]["post"]["parameters"] = [
        {"name": "q", "in": "querystring", "content": form}
    ]
    path = tmp_path / "api.json"
    path.write_text(json.dumps(spec))
    findings = check(upgrade(load(path)), Settings()).findings
    messages = [f.message for f in findings if f.rule == "unsupported-parameter"]
    assert messages == [
        "left out: application/xml is neither a form nor JSON, and the schema not of a string"
    ]
