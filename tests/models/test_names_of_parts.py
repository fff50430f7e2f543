"""Additions to a document rename no existing part."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.pipeline import generate
from tests.functional.documents import THING, Json, content, document, operation, ref

CARD: Json = {
    "type": "object",
    "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
    "required": ["kind", "number"],
}
BANK: Json = {
    "type": "object",
    "properties": {"iban": {"type": "string"}},
    "required": ["iban"],
}
PAY: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "source": {"oneOf": [CARD, BANK]},
        "item": {"type": "object", "properties": {"size": {"type": "integer"}}},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"sum": {"type": "integer"}}},
        },
    },
    "required": ["name"],
}
WORDS = ["id", "name", "pay", "item", "request", "response", "source", "lines", "card", "size"]


def base() -> Json:
    body = {"required": True, **content(PAY)}
    path_id = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    return document(
        paths={
            "/things/{id}": {
                "parameters": [path_id],
                "post": operation(PAY, operationId="pay", requestBody=body),
                "get": operation(ref("Thing"), operationId="read"),
            }
        },
        schemas={"Thing": THING, "Order": PAY},
    )


def surface(tmp_path: Path, written: Json) -> dict[str, set[str]]:
    """Each class with its fields, and each method with its arguments."""
    path = tmp_path / "api.json"
    path.write_text(json.dumps(written))
    files = generate(load(path), PackageOptions(package="small", short_method_names=False))
    found: dict[str, set[str]] = {}
    for name in ("models", "client"):
        for node in ast.walk(ast.parse(files[f"small/{name}.py"])):
            if isinstance(node, ast.ClassDef):
                fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
                found[node.name] = {ast.unparse(field.target) for field in fields}
            elif isinstance(node, ast.FunctionDef):
                arguments = [*node.args.args, *node.args.kwonlyargs]
                found[f"{node.name}()"] = {argument.arg for argument in arguments}
    return found


# Names that inline schemas would have if their words stood together.
RUN_TOGETHER = ["PayRequest", "PayResponseItem", "OrderItem", "OrderLinesItem", "OrderSourceCard"]


def add_component(grown: Json, word: str, other: str) -> None:
    key = RUN_TOGETHER[WORDS.index(word) % len(RUN_TOGETHER)]
    grown["components"]["schemas"].setdefault(key, THING)


def add_inline_object(grown: Json, word: str, other: str) -> None:
    inner = {"type": "object", "properties": {other: THING}}
    properties = grown["components"]["schemas"]["Order"]["properties"]
    properties.setdefault(word, inner)


def add_alternative(grown: Json, word: str, other: str) -> None:
    alternative = {"type": "object", "properties": {word: THING}, "required": [word]}
    body = grown["paths"]["/things/{id}"]["post"]["requestBody"]["content"]["application/json"]
    body["schema"]["properties"]["source"]["oneOf"].insert(0, alternative)


def add_body_property(grown: Json, word: str, other: str) -> None:
    body = grown["paths"]["/things/{id}"]["post"]["requestBody"]["content"]["application/json"]
    body["schema"]["properties"].setdefault(word, {"type": "object", "properties": {other: THING}})


def add_parameter(grown: Json, word: str, other: str) -> None:
    for method in ("post", "get"):
        parameters = grown["paths"]["/things/{id}"][method].setdefault("parameters", [])
        if all(parameter["name"] != word for parameter in parameters):
            parameters.append({"name": word, "in": "query", "schema": {"type": "string"}})


def add_operation(grown: Json, word: str, other: str) -> None:
    grown["paths"][f"/{word}/{other}"] = {
        "post": operation(
            PAY,
            operationId=f"{word}{other.title()}",
            requestBody={"required": True, **content(PAY)},
        )
    }


ADDITIONS = (
    add_component,
    add_inline_object,
    add_alternative,
    add_body_property,
    add_parameter,
    add_operation,
)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    return surface(tmp_path_factory.mktemp("before"), base())


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.sampled_from(ADDITIONS), st.sampled_from(WORDS), st.sampled_from(WORDS)),
        min_size=1,
        max_size=6,
    )
)
def test_what_is_added_renames_nothing(
    before: dict[str, set[str]],
    tmp_path_factory: pytest.TempPathFactory,
    additions: list[tuple[Callable[[Json, str, str], None], str, str]],
) -> None:
    grown = copy.deepcopy(base())
    for add, word, other in additions:
        add(grown, word, other)
    after = surface(tmp_path_factory.mktemp("after"), grown)
    lost = {name: each - after.get(name, set()) for name, each in before.items()}
    # A name that two places share from now on is gone, so that no call sends it elsewhere.
    lost["pay()"] -= {name for name in lost["pay()"] if f"body_{name}" in after["pay()"]}
    assert {name: each for name, each in lost.items() if each or name not in after} == {}
    assert not [name for name in after if name[-1].isdigit()]
    added = [key for key in grown["components"]["schemas"] if key in RUN_TOGETHER]
    assert all(after[key] == THING["properties"].keys() for key in added)


def test_schemas_are_named_by_their_places(tmp_path: Path) -> None:
    assert {
        "Thing",
        "Order",
        "Order_Item",
        "Order_Lines_Item",
        "Order_Source_Card",
        "Order_Source_WithIban",
        "Pay_Request",
        "Pay_Request_Source_Card",
        "Pay_Response_Item",
    } <= surface(tmp_path, base()).keys()


def test_arguments_of_one_name_say_where_they_go(tmp_path: Path) -> None:
    written = base()
    post = written["paths"]["/things/{id}"]["post"]
    post["parameters"] = [
        {"name": "name", "in": "query", "schema": {"type": "string"}},
        {"name": "name", "in": "header", "schema": {"type": "string"}},
        {"name": "created<", "in": "query", "schema": {"type": "string"}},
        {"name": "created>=", "in": "query", "schema": {"type": "string"}},
    ]
    paid = copy.deepcopy(PAY)
    paid["properties"] |= {"id": {"type": "string"}, "body": {"type": "string"}}
    post["requestBody"] = {"required": True, **content(paid)}
    assert {
        "id",
        "body_name",
        "body_id",
        "body_",
        "query_name",
        "header_name",
        "created_lt",
        "created_ge",
    } <= surface(tmp_path, written)["pay()"]


def test_definitions_of_a_schema_are_its_parts(tmp_path: Path) -> None:
    grown = base()
    line = {"type": "object", "properties": {"inner": THING}}
    grown["openapi"] = "3.1.0"
    grown["components"]["schemas"]["Box"] = {
        "type": "object",
        "$defs": {"line": line, "side": line},
        "properties": {
            "line": THING,
            "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Box/$defs/line"}},
            "side_of": {"$ref": "#/components/schemas/Box/$defs/side"},
        },
    }
    names = surface(tmp_path, grown)
    # The property keeps its name.
    assert names["Box_Line"] == THING["properties"].keys()
    assert {"Box_Line_Other", "Box_Line_Inner", "Box_Side", "Box_Side_Inner"} <= names.keys()
