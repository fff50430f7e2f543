"""Findings from single responses: operation, field, value and status, and the right level."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.checks.requests.accepted import SentValue, accepted_value
from specwright.conformance.checks.responses.statuses import undeclared
from specwright.conformance.checks.responses.whole_numbers import WHOLE_NUMBER
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import ANONYMOUS, MAIN, OTHER_TENANT, UNKNOWN_KEY
from specwright.conformance.monitors import Monitors
from specwright.conformance.outcome.evidence import judged
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Level
from specwright.json_values import JsonValue

# Rules that the tests of this page see broken.
PROVEN = {
    "redirect",
    "unreadable-refusal",
    "undeclared-status",
    "undeclared-refusal",
    "coercion",
    "write-only",
    "whole-number",
    "ambiguous-value",
}
POST, GET = "/paths/~1items/post", "/paths/~1items~1{id}/get"
PUT = "/paths/~1items~1{id}/put"
BODY = f"{POST}/requestBody/content/application~1json/schema"
ITEM = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "price": {"type": "number", "minimum": 0},
        "count": {"type": "integer"},
        "sold": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["1", "b"]},
        "short": {"type": "object", "propertyNames": {"maxLength": 3}},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "at": {"type": "string", "format": "date-time"},
        "on": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "lasts": {"type": "string", "format": "duration"},
        "box": {"type": "object", "properties": {"width": {"type": "integer", "maximum": 9}}},
    },
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1"},
    "paths": {
        "/items": {
            "post": {
                "requestBody": {"content": {"application/json": {"schema": ITEM}}},
                "responses": {"201": {"description": "Made."}, "422": {"description": "No."}},
            }
        },
        "/items/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {"200": {"description": "It."}},
            },
            "put": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "requestBody": {"content": {"application/json": {"schema": ITEM}}},
                "responses": {"200": {"description": "It."}},
            },
        },
    },
}


@pytest.fixture
def contract(tmp_path: Path) -> Contract:
    path = tmp_path / "items.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return Contract(load(path))


def sent(contract: Contract, value: JsonValue) -> Violation:
    """Return the violation of a body that was accepted with 201."""
    request = HttpRequest("POST", "http://127.0.0.1/items", (), json.dumps(value).encode())
    answer = HttpResponse(201, (), b"{}")
    proof = Exchange(1, "scenarios", MAIN, POST, request, answer, None, 0, 0)
    return accepted_value(
        contract, contract.operations[POST], proof, SentValue("", BODY, BODY, value)
    )


@pytest.mark.parametrize(
    ("member", "said", "place"),
    [
        ({"price": -1}, "price = -1 (minimum 0)", "/properties/price"),
        ({"name": "longer"}, 'name = "longer" (maxLength 5)', "/properties/name"),
        ({"name": None}, "name = null (type string)", "/properties/name"),
        ({"kind": "z"}, 'kind = "z" (enum ["1", "b"])', "/properties/kind"),
        ({"box": {"width": 10}}, "box.width = 10 (maximum 9)", "/properties/box/properties/width"),
        ({"tags": [None]}, "tags.0 = null (type string)", "/properties/tags/items"),
        ({"other": 1}, "a body with unknown members", ""),
        ({"short": {"long": 1}}, 'short = {"long": 1}', "/properties/short"),
        ({"either": None}, "either = null", "/properties/either"),
        ({"name": ...}, "a body without name", ""),
    ],
)
def test_a_value_is_named_with_its_limit(
    contract: Contract, member: dict[str, Any], said: str, place: str
) -> None:
    members = {"name": "a", **member}
    found = sent(contract, {key: value for key, value in members.items() if value is not ...})
    assert found.message == f"POST /items accepted {said}: 201"
    assert (found.rule, found.pointer) == ("invalid-accepted", BODY + place)


@pytest.mark.parametrize(
    "member",
    [
        {"price": "17"},
        {"count": "17"},
        {"count": True},
        {"sold": 1},
        {"sold": "true"},
        {"name": 17},
        {"tags": [17]},
        {"count": "17", "sold": "no"},
        {"kind": 1},
        # Seconds since 1970, and seconds.
        {"at": 17},
        {"on": 86400},
        {"lasts": 17},
    ],
)
def test_what_a_server_may_convert_is_a_note(contract: Contract, member: dict[str, Any]) -> None:
    found = sent(contract, {"name": "a", **member})
    assert (found.rule, found.cause) == ("coercion", "a value of the wrong type is converted")


@pytest.mark.parametrize(
    "member",
    [
        {"price": "-1"},
        {"price": "much"},
        {"count": None},
        {"count": "1.5"},
        {"sold": 2},
        {"name": 123456},
        {"count": "17", "price": -1},
        {"tags": {}},
        {"kind": 2},
        {"at": 1e300},
        {"at": True},
        # It fits, as far as this schema can tell.
        {},
    ],
)
def test_what_no_conversion_mends_is_an_error(contract: Contract, member: dict[str, Any]) -> None:
    assert sent(contract, {"name": "a", **member}).rule == "invalid-accepted"


def test_two_limits_of_one_member_are_two_findings_and_two_values_are_one(
    contract: Contract,
) -> None:
    record = Record()
    for value in ({"name": "longer"}, {"name": "longest"}, {"name": None}):
        record.violate(sent(contract, value))
    said = [finding.message for finding in judged(contract, record).findings]
    assert sorted(said) == [
        'POST /items accepted name = "longer" (maxLength 5): 201',
        "POST /items accepted name = null (type string): 201",
    ]


def answered(
    contract: Contract, place: str, request: HttpRequest, status: int, **headers: str
) -> list[tuple[str, str]]:
    """Return the findings of the monitors on a response."""
    return observed(
        contract, "fuzzing", place, request, HttpResponse(status, tuple(headers.items()), b"")
    )


def observed(
    contract: Contract,
    source: str,
    place: str,
    request: HttpRequest,
    response: HttpResponse,
    role: str = MAIN,
) -> list[tuple[str, str]]:
    """Return the findings of the monitors on a response that a source got."""
    record = Record()
    record.monitors = (Monitors(contract, record),)
    record.add(Exchange(0, source, role, place, request, response, None, 0, 0))
    return [(str(violation.rule), violation.text) for violation in record.violations]


def test_an_undeclared_status_says_which_are_declared(contract: Contract) -> None:
    request = HttpRequest("POST", "http://127.0.0.1/items", JSON, b"{}")
    assert answered(contract, POST, request, 418) == [
        ("undeclared-status", "POST /items: status 418 is not declared (declared: 201, 422)")
    ]


JSON = (("Content-Type", "application/json"),)


@pytest.mark.parametrize(
    ("headers", "body", "status", "rule"),
    [
        (JSON, b"\xff\xfe", 400, "unreadable-refusal"),
        (JSON, b'{"a": ', 400, "unreadable-refusal"),
        ((("Content-Type", "text/odd"),), b"{}", 415, "unreadable-refusal"),
        # Without a boundary there is no way to tell its parts (RFC 2046, 5.1.1).
        ((("Content-Type", "multipart/form-data"),), None, 400, "unreadable-refusal"),
        ((("Content-Type", "multipart/form-data; Boundary=a"),), None, 400, "undeclared-status"),
        (JSON, b"null", 400, "undeclared-status"),
        (JSON, b"{}", 400, "undeclared-status"),
        (JSON, b"\xff\xfe", 302, "undeclared-status"),
    ],
)
def test_how_a_body_that_cannot_be_read_is_refused_is_a_note(
    contract: Contract,
    headers: tuple[tuple[str, str], ...],
    body: bytes | None,
    status: int,
    rule: str,
) -> None:
    request = HttpRequest("POST", "http://127.0.0.1/items", headers, body)
    assert [found for found, _ in answered(contract, POST, request, status)] == [rule]


def test_a_media_type_without_a_body_says_nothing_of_the_server(contract: Contract) -> None:
    headers = (("Content-Type", "multipart/form-data"),)
    request = HttpRequest("GET", "http://127.0.0.1/items/1", headers)
    place = "/paths/~1items~1{id}/get"
    assert answered(contract, place, request, 400) == []
    plain = HttpRequest("GET", "http://127.0.0.1/items/1", ())
    assert [rule for rule, _ in answered(contract, place, plain, 400)] == ["undeclared-status"]


@pytest.mark.parametrize(
    ("kind", "body", "rule"),
    [
        ("application/x-www-form-urlencoded", b"a=1", "undeclared-status"),
        ("text/csv; charset=utf-8", b"a", "undeclared-status"),
        ("application/json", b"{}", "unreadable-refusal"),
        ("text/plain", b"a", "undeclared-status"),
        ("image/png", b"a", "unreadable-refusal"),
    ],
)
def test_each_media_type_of_a_body_can_be_read(
    contract: Contract, kind: str, body: bytes, rule: str
) -> None:
    names = ("application/x-www-form-urlencoded", "text/*")
    operation = replace(contract.operations[POST], body=None, media_types=names)
    request = HttpRequest("POST", "http://127.0.0.1/items", (("Content-Type", kind),), body)
    response = HttpResponse(400, (), b"")
    exchange = Exchange(0, "fuzzing", MAIN, POST, request, response, None, 0, 0)
    assert undeclared(operation, exchange, response, is_foreign=False).rule == rule


def test_a_failure_of_no_operation_names_its_path(contract: Contract) -> None:
    request = HttpRequest("PUT", "http://127.0.0.1/odd", ())
    assert answered(contract, "", request, 500) == [("server-error", "PUT /odd: answered 500")]


@pytest.mark.parametrize(
    ("source", "place", "status", "rules"),
    [
        ("scenarios", GET, 404, ["undeclared-refusal"]),
        ("scenarios", GET, 410, ["undeclared-refusal"]),
        ("scenarios", GET, 409, ["undeclared-status"]),
        # Without a variable in its path, there is nothing that could be missing.
        ("scenarios", POST, 404, ["undeclared-status"]),
        # The fuzzer writes slashes into variables: another path, which does not exist.
        ("fuzzing", GET, 404, []),
        ("fuzzing", GET, 405, []),
        ("fuzzing", POST, 404, ["undeclared-status"]),
        # The document has an operation that the server does not.
        ("fuzzing", POST, 405, ["undeclared-status"]),
    ],
)
def test_an_undeclared_404_is_a_note_where_a_resource_may_be_missing(
    contract: Contract, source: str, place: str, status: int, rules: list[str]
) -> None:
    operation = contract.operations[place]
    request = HttpRequest(operation.method, "http://127.0.0.1/items", JSON, b"{}")
    found = observed(contract, source, place, request, HttpResponse(status, (), b""))
    assert [rule for rule, _ in found] == rules
    if rules == ["undeclared-refusal"]:
        said = f"status {status} is not declared for a resource that does not exist"
        assert found[0][1] == f"GET /items/{{id}}: {said} (declared: 200)"


@pytest.mark.parametrize(
    ("place", "headers", "body", "status", "rule"),
    [
        (POST, JSON, b"{}", 418, "undeclared-status"),
        (POST, JSON, b"\xff", 400, "unreadable-refusal"),
        (GET, JSON, None, 404, "undeclared-refusal"),
    ],
)
def test_the_declared_statuses_are_shown_beside_an_undeclared_one(
    contract: Contract,
    place: str,
    headers: tuple[tuple[str, str], ...],
    body: bytes | None,
    status: int,
    rule: str,
) -> None:
    operation = contract.operations[place]
    request = HttpRequest(operation.method, "http://127.0.0.1/items", headers, body)
    record = Record()
    record.monitors = (Monitors(contract, record),)
    response = HttpResponse(status, (), b"")
    record.add(Exchange(0, "scenarios", MAIN, place, request, response, None, 0, 0))
    [finding] = judged(contract, record).findings
    assert finding.rule == rule
    shown = [each.text for each in finding.evidence if each.label == "expected"]
    assert shown == [f"one of the statuses {', '.join(operation.responses)}"]


ACCOUNT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "password": {"type": ["string", "null"], "writeOnly": True},
        "pin": {"$ref": "#/components/schemas/Pin"},
        "kind": {"oneOf": [{"type": "string", "writeOnly": True}, {"type": "integer"}]},
    },
}
KNOWN, NEW = (
    {"type": "object", "properties": {"code": {"type": "string", "writeOnly": is_secret}}}
    for is_secret in (False, True)
)


@pytest.mark.parametrize(
    ("schema", "value", "found"),
    [
        (ACCOUNT, {"name": "a"}, []),
        (ACCOUNT, {"password": None}, []),
        (ACCOUNT, {"password": "**********"}, []),
        (ACCOUNT, {"password": "*a*"}, ["/password"]),
        (ACCOUNT, {"password": "[redacted]"}, []),
        (ACCOUNT, {"password": "x", "name": "a"}, ["/password"]),
        (ACCOUNT, {"pin": 1}, ["/pin"]),
        ({"type": "array", "items": ACCOUNT}, [{"pin": 1}, {"pin": 2}], ["/*/pin"]),
        # Items are not left out.
        ({"type": "array", "items": {"type": "string", "writeOnly": True}}, ["a"], []),
        # More of the same does not hide another one.
        (
            {"type": "array", "items": ACCOUNT},
            [{"password": "x"}, *({"pin": each} for each in range(9))],
            ["/*/password", "/*/pin"],
        ),
        ({"allOf": [ACCOUNT, {"required": ["name"]}]}, {"name": "a", "pin": 0}, ["/pin"]),
        # Nothing tells which of the two it is.
        ({"anyOf": [KNOWN, NEW]}, {"code": "a"}, []),
        ({"anyOf": [NEW, {"type": "null"}]}, {"code": "a"}, ["/code"]),
    ],
)
def test_a_member_that_is_only_for_requests_is_not_in_a_response(
    tmp_path: Path, schema: dict[str, Any], value: JsonValue, found: list[str]
) -> None:
    content = {"application/json": {"schema": schema}}
    document = {
        **DOCUMENT,
        "paths": {
            "/items": {"get": {"responses": {"200": {"description": "…", "content": content}}}}
        },
        "components": {"schemas": {"Pin": {"type": "integer", "writeOnly": True}}},
    }
    path = tmp_path / "accounts.json"
    path.write_text(json.dumps(document), "utf-8")
    contract = Contract(load(path))
    request = HttpRequest("GET", "http://127.0.0.1/items", ())
    response = HttpResponse(200, JSON, json.dumps(value).encode())
    said = observed(contract, "fuzzing", "/paths/~1items/get", request, response)
    begin = "GET /items: 200: a member that is only for requests at"
    assert {each for _, each in said} == {f"{begin} '{at}'" for at in found}
    assert {rule for rule, _ in said} <= {"write-only"}


def of_pets(form: str, **members: Any) -> dict[str, Any]:
    """Pets of two kinds, with a discriminator as a form of the document has it."""
    components = "#/components/schemas"
    parent = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": TEXT},
    }
    own = {"Cat": {"lives": {"type": "integer"}}, "Dog": {"barks": {"type": "boolean"}}}
    discriminator = {"propertyName": "kind", **members}
    if form == "inherited":
        parent |= {"discriminator": discriminator}
        pet: dict[str, Any] = parent
    else:
        parts = [{"$ref": f"{components}/{name}"} for name in own]
        pet = {form: parts, "discriminator": discriminator}
    base = {"$ref": f"{components}/Pet"} if form == "inherited" else parent
    children = {
        name: {"allOf": [base, {"properties": each, "required": list(each)}]}
        for name, each in own.items()
    }
    return {"Pet": pet, **children}


MAPPED = {"mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}}
CAT, DOG = {"kind": "Cat", "lives": 9}, {"kind": "Dog", "barks": True}


@pytest.mark.parametrize(
    ("form", "members", "value", "said"),
    [
        *((form, {}, CAT, "") for form in ("inherited", "oneOf", "anyOf")),
        *((form, {}, DOG, "") for form in ("inherited", "oneOf", "anyOf")),
        *(
            (form, {}, {**CAT, "kind": "Bird"}, "'Bird' is not a tag of the discriminator")
            for form in ("inherited", "oneOf", "anyOf")
        ),
        ("inherited", {}, {"kind": "Cat"}, "where 'kind' is 'Cat'"),
        ("inherited", {}, {"kind": "Pet"}, ""),
        ("inherited", {}, {"kind": "Cat", "lives": "9"}, "where 'kind' is 'Cat'"),
        ("oneOf", {}, {**CAT, "kind": "Dog"}, "where 'kind' is 'Dog'"),
        ("oneOf", MAPPED, {**CAT, "kind": "cat"}, ""),
        # The name of the component counts beside a mapping.
        ("oneOf", MAPPED, CAT, ""),
        ("oneOf", MAPPED, {**CAT, "kind": "dog"}, "where 'kind' is 'dog'"),
        ("inherited", MAPPED, {"kind": "cat"}, "where 'kind' is 'cat'"),
    ],
)
@pytest.mark.parametrize("is_listed", [False, True])
def test_the_tag_of_a_response_names_its_schema(
    tmp_path: Path, form: str, members: dict[str, Any], value: JsonValue, said: str, is_listed: bool
) -> None:
    pet = {"$ref": "#/components/schemas/Pet"}
    listed = {"type": "object", "properties": {"pets": {"type": "array", "items": pet}}}
    schemas = of_pets(form, **members)
    path = tmp_path / "pets.json"
    contract = of_response(path, listed if is_listed else pet, "3.1.0", **schemas)
    messages = answers(contract, {"pets": [DOG, value]} if is_listed else value)
    assert [rule for rule, _ in messages] == (["response-schema"] if said else [])
    assert all(said in message for _, message in messages)
    assert all(("/pets/*" in message) == is_listed for _, message in messages)


@pytest.mark.parametrize(
    ("value", "rules"),
    [
        ({"kind": "Cat"}, ["ambiguous-value"]),
        ({"kind": "Cat", "lives": "9"}, ["response-schema"]),
        ({"kind": "Bird"}, ["ambiguous-value", "response-schema"]),
        ({"lives": 9}, ["response-schema"]),
    ],
)
def test_a_value_that_fits_several_alternatives_is_no_fault_of_the_server(
    tmp_path: Path, value: JsonValue, rules: list[str]
) -> None:
    schemas = of_pets("oneOf", mapping={"Cow": "#/components/schemas/Cow"})
    for name in ("Cat", "Dog"):
        del schemas[name]["allOf"][1]["required"]
    cow = {"type": "object", "required": ["milk"], "properties": {"milk": {"type": "number"}}}
    schemas |= {"Cow": cow}
    schemas["Pet"]["oneOf"].append({"$ref": "#/components/schemas/Cow"})
    pet = {"$ref": "#/components/schemas/Pet"}
    messages = answers(of_response(tmp_path / "pets.json", pet, "3.1.0", **schemas), value)
    assert [rule for rule, _ in messages] == rules
    for rule, message in messages:
        assert ("more than one" in message) == (rule == "ambiguous-value")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"kind": "Bird", "lives": 9}, ""),
        ({"kind": "Bird"}, "where 'kind' is 'Bird'"),
        ({"kind": "Dog", "barks": True}, ""),
    ],
)
def test_a_value_with_another_tag_fits_the_default_of_the_discriminator(
    tmp_path: Path, value: JsonValue, said: str
) -> None:
    schemas = of_pets("inherited", defaultMapping="Cat")
    pet = {"$ref": "#/components/schemas/Pet"}
    messages = answers(of_response(tmp_path / "pets.json", pet, "3.2.0", **schemas), value)
    assert bool(messages) == bool(said)
    assert all(said in message for _, message in messages)


def test_a_value_of_an_alternative_without_a_tag_has_any(tmp_path: Path) -> None:
    schemas = of_pets("oneOf")
    inline = {"type": "object", "required": ["wings"], "properties": {"wings": {"type": "integer"}}}
    schemas["Pet"]["oneOf"].append(inline)
    contract = of_response(
        tmp_path / "pets.json", {"$ref": "#/components/schemas/Pet"}, "3.1.0", **schemas
    )
    assert answers(contract, {"kind": "Bird", "wings": 2}) == []


NUMBER, TEXT = {"type": "number"}, {"type": "string"}
EMBEDDED = {**TEXT, "contentMediaType": "application/json", "contentSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("schema", "right", "wrong", "said"),
    [
        ({"type": "integer", "format": "int32"}, 2**31 - 1, 2**31, "greater than the maximum"),
        ({"type": "integer", "format": "int32"}, -(2**31), -(2**31) - 1, "less than the minimum"),
        ({"type": "integer", "format": "int64"}, 2**63 - 1, 2**63, "greater than the maximum"),
        ({"type": "integer", "format": "uint8"}, 255, 256, "greater than the maximum"),
        ({"type": "integer", "format": "uint8"}, 0, -1, "less than the minimum"),
        ({**NUMBER, "format": "float"}, 3.4e38, 1e39, "greater than the maximum"),
        ({**NUMBER, "format": "int32", "maximum": 9}, 9, 10, "maximum of 9"),
        ({**TEXT, "format": "byte"}, "YQ==", "***", 'not a "byte"'),
        ({**TEXT, "contentEncoding": "base64"}, "YQ==", "***", "not encoded as base64"),
        ({**TEXT, "contentEncoding": "base64url"}, "_-8", "/+8=", "not encoded as base64url"),
        ({**TEXT, "contentMediaType": "application/json"}, "[1]", "[1", "not JSON"),
        (EMBEDDED, '{"a": 1}', "[]", "its content does not fit"),
        ({**TEXT, "format": "of-my-own", "contentEncoding": "base32"}, "!", None, ""),
        ({"anyOf": [{"type": "integer", "format": "int32"}, NUMBER]}, 2**31, None, ""),
    ],
)
def test_formats_of_numbers_and_encodings_of_texts_are_checked(
    tmp_path: Path, schema: dict[str, Any], right: JsonValue, wrong: JsonValue, said: str
) -> None:
    contract = of_response(tmp_path / "numbers.json", schema, "3.1.0")
    assert answers(contract, right) == []
    if wrong is not None:
        [(rule, message)] = answers(contract, wrong)
        assert rule == "response-schema"
        assert said in message


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        *((text, True) for text in ("P1D", "P4W", "PT0S", "P1Y2M3DT4H5M6S", "PT36H")),
        # As Pydantic and java.time write half a second, 800 days, and five seconds ago.
        *((text, True) for text in ("PT0.5S", "P1DT1H1M1.25S", "P2Y70D", "-PT5S", "PT-5S")),
        *((text, False) for text in ("", "P", "PT", "P1", "1D", "P1DT", "PT1D", "P1H", "p1d")),
        *((text, False) for text in ("PT0.5H", "PT.5S", "P1D ", "P1W2D", "0:00:05", "1 day")),
    ],
)
def test_a_duration_may_be_as_serializers_write_it(
    tmp_path: Path, text: str, is_right: bool
) -> None:
    contract = of_response(tmp_path / "times.json", {**TEXT, "format": "duration"}, "3.1.0")
    rules = [rule for rule, _ in answers(contract, text)]
    assert rules == ([] if is_right else ["response-schema"])


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_byte_is_base64_in_every_version(tmp_path: Path, version: str) -> None:
    contract = of_response(tmp_path / "bytes.json", {**TEXT, "format": "byte"}, version)
    assert answers(contract, "YQ==") == []
    assert [rule for rule, _ in answers(contract, "***")] == ["response-schema"]


def test_a_number_that_was_sent_may_come_back_beyond_its_format(tmp_path: Path) -> None:
    schema = {"type": "integer", "format": "int64"}
    contract = of_response(tmp_path / "numbers.json", schema, "3.1.0")
    request = HttpRequest("GET", "http://127.0.0.1/it", (), b"9223372036854775808")
    for number, rules in ((2**63, []), (2**63 + 1, ["response-schema"])):
        response = HttpResponse(200, JSON, json.dumps(number).encode())
        said = observed(contract, "fuzzing", "/paths/~1it/get", request, response)
        assert [rule for rule, _ in said] == rules


def test_an_integer_that_was_sent_with_a_decimal_point_may_come_back(tmp_path: Path) -> None:
    contract = of_response(tmp_path / "integers.json", INTEGERS, "3.1.0")
    request = HttpRequest("GET", "http://127.0.0.1/it", (), b'{"count": 274.0}')
    # It may also have been added to another number.
    for count in (274.0, 548.0):
        response = HttpResponse(200, JSON, json.dumps({"count": count}).encode())
        assert observed(contract, "fuzzing", "/paths/~1it/get", request, response) == []


def test_a_failure_is_known_by_its_place_and_not_by_figures(tmp_path: Path) -> None:
    """The number of the item, the value and its size differ in every run."""
    schema = {"type": "array", "items": {**TEXT, "maxLength": 5}}
    known = list[list[str]]()
    for number, value in enumerate(("longer", "longest", "the longest")):
        contract = of_response(tmp_path / "texts.json", schema, "3.1.0")
        record = Record()
        record.monitors = (Monitors(contract, record),)
        request = HttpRequest("GET", "http://127.0.0.1/it", ())
        body = json.dumps([*(["a"] * number), value]).encode()
        response = HttpResponse(200, JSON, body)
        at = 10.0**number
        record.add(Exchange(0, "fuzzing", MAIN, "/paths/~1it/get", request, response, None, at, at))
        known.append([finding.fingerprint for finding in judged(contract, record).findings])
    assert len(known[0]) == 1
    assert known[0] == known[1] == known[2]


INTEGERS = {"type": "object", "properties": {"count": {"type": ["integer", "null"]}, "of": NUMBER}}


@pytest.mark.parametrize(
    ("schema", "value", "places"),
    [
        (INTEGERS, {"count": 274.0}, ["/count"]),
        (INTEGERS, {"count": 274, "of": 1.0}, []),
        ({"type": "array", "items": INTEGERS}, [{"count": 1.0}, {"count": 2.0}], ["/*/count"]),
        ({"type": ["integer", "number"]}, 1.0, []),
    ],
)
def test_an_integer_with_a_decimal_point_is_a_note(
    tmp_path: Path, schema: dict[str, Any], value: JsonValue, places: list[str]
) -> None:
    contract = of_response(tmp_path / "integers.json", schema, "3.1.0")
    begin = "GET /it: 200: an integer with a decimal point at"
    assert answers(contract, value) == [("whole-number", f"{begin} '{at}'") for at in places]
    assert WHOLE_NUMBER.description.recommended is Level.INFO


def of_response(path: Path, schema: dict[str, Any], version: str, **schemas: Any) -> Contract:
    """A contract with one operation, whose response has a schema."""
    responses = {"200": {"description": "It.", "content": {"application/json": {"schema": schema}}}}
    document = {
        "openapi": version,
        "info": {"title": "One", "version": "1"},
        "paths": {"/it": {"get": {"responses": responses}}},
        "components": {"schemas": {"User": USER, "Password": PASSWORD, **schemas}},
    }
    path.write_text(json.dumps(document), "utf-8")
    return Contract(upgrade(load(path)))


def answers(contract: Contract, value: JsonValue) -> list[tuple[str, str]]:
    """The findings of the monitors on a response of that operation."""
    request = HttpRequest("GET", "http://127.0.0.1/it", ())
    response = HttpResponse(200, JSON, json.dumps(value).encode())
    return observed(contract, "fuzzing", "/paths/~1it/get", request, response)


PASSWORD = {"type": "string", "writeOnly": True}
USER = {
    "type": "object",
    "required": ["id", "password"],
    "properties": {
        "id": {"type": "string"},
        "password": {"$ref": "#/components/schemas/Password"},
    },
}
REFERENCE = {"$ref": "#/components/schemas/User"}


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0", "3.2.0"])
@pytest.mark.parametrize(
    ("schema", "around"),
    [
        (USER, lambda user: user),
        (REFERENCE, lambda user: user),
        ({"allOf": [REFERENCE, {"type": "object"}]}, lambda user: user),
        # Another part requires what the base declares.
        ({"allOf": [{"required": ["id", "password"]}, REFERENCE]}, lambda user: user),
        ({"type": "object", "properties": {"user": REFERENCE}}, lambda user: {"user": user}),
        ({"type": "array", "items": REFERENCE}, lambda user: [user, user]),
        ({"oneOf": [REFERENCE, {"type": "array"}]}, lambda user: user),
    ],
)
def test_no_response_has_a_member_that_is_only_for_requests_even_if_it_is_required(
    tmp_path: Path, version: str, schema: dict[str, Any], around: Callable[[JsonValue], JsonValue]
) -> None:
    contract = of_response(tmp_path / "users.json", schema, version)
    users: list[tuple[JsonValue, set[str]]] = [
        ({"id": "1"}, set()),
        ({"id": "1", "password": "secret"}, {"write-only"}),
        ({"id": 1}, {"response-schema"}),
        ({}, {"response-schema"}),
    ]
    for user, rules in users:
        assert {rule for rule, _ in answers(contract, around(user))} == rules, user


@pytest.mark.parametrize(
    ("role", "status", "rule"),
    [
        (ANONYMOUS, 401, "undeclared-refusal"),
        (UNKNOWN_KEY, 403, "undeclared-refusal"),
        (OTHER_TENANT, 403, "undeclared-refusal"),
        (OTHER_TENANT, 401, "undeclared-status"),
        (MAIN, 401, "undeclared-status"),
        (ANONYMOUS, 400, "undeclared-status"),
    ],
)
def test_how_a_caller_who_is_not_allowed_is_refused_is_a_note(
    contract: Contract, role: str, status: int, rule: str
) -> None:
    request, response = (
        HttpRequest("POST", "http://127.0.0.1/items", JSON, b"{}"),
        HttpResponse(status, (), b""),
    )
    [(found, said)] = observed(contract, "scenarios", POST, request, response, role)
    assert found == rule
    assert (" for a caller who is not allowed (" in said) is (rule == "undeclared-refusal")


def test_a_resource_is_missing_whether_or_not_the_body_can_be_read(contract: Contract) -> None:
    request = HttpRequest("PUT", "http://127.0.0.1/items/7", JSON, b"\xff")
    found = observed(contract, "scenarios", PUT, request, HttpResponse(404, (), b""))
    assert [rule for rule, _ in found] == ["undeclared-refusal"]


@pytest.mark.parametrize(
    ("place", "rule"),
    [
        ("/items/7/", "redirect"),
        ("http://127.0.0.1/items/7/", "redirect"),
        ("/items/7", "undeclared-status"),
        ("/login", "undeclared-status"),
        ("http://[", "undeclared-status"),
    ],
)
def test_a_redirect_to_the_slash_is_said_with_a_hint(
    contract: Contract, place: str, rule: str
) -> None:
    request = HttpRequest("GET", "http://127.0.0.1/items/7", ())
    [(found, said)] = answered(contract, GET, request, 307, Location=place)
    assert found == rule
    if rule == "redirect":
        assert said.startswith("GET /items/{id} is redirected to /items/7/: 307.")
