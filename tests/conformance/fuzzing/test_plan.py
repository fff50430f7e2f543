"""The input of the processes: no other servers, no keys, and ids that are known to exist."""

from __future__ import annotations

import json
import tomllib
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.checks.requests.validity import RequestJudge
from specwright.conformance.contract.calls import OperationCall
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.fuzzing.plan import (
    configuration,
    derive,
    environment,
    idempotency_keys,
    shards_of,
)
from specwright.conformance.fuzzing.profile import FULL
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record
from specwright.document.model import Document
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from tests.conformance.fuzzing.widgets import DOCUMENT, KEY

BASE = "http://127.0.0.1:1/v1"
GET = "/paths/~1widgets~1{id}/get"
ELSEWHERE = [{"url": "https://production.example.com"}]


@pytest.fixture
def contract(tmp_path: Path) -> Document:
    made = deepcopy(DOCUMENT)
    made["paths"]["/widgets"]["servers"] = ELSEWHERE
    made["paths"]["/widgets"]["post"]["servers"] = ELSEWHERE
    links = made["paths"]["/widgets"]["post"]["responses"]["201"]["links"]
    links["get"]["server"] = ELSEWHERE[0]
    place = tmp_path / "widgets.json"
    place.write_text(json.dumps(made))
    return upgrade(load(place))


def exchange(url: str, status: int) -> Exchange:
    request, response = HttpRequest("GET", BASE + url, ()), HttpResponse(status, (), b"")
    return Exchange(1, "scenarios", MAIN, GET, request, response, None, 1.0, 0.1)


def test_no_request_can_go_to_another_server(contract: Document) -> None:
    derived = derive(Contract(contract), ContractRoutes(Contract(contract), BASE), [], 2)
    assert "production" in json.dumps(contract.data)
    assert "production" not in json.dumps(derived)
    links = derived["paths"]["/widgets"]["post"]["responses"]["201"]["links"]
    assert links["get"]["operationId"] == "getWidget"


def test_operations_are_shared_out_by_what_there_is_to_vary(contract: Document) -> None:
    paths = derive(Contract(contract), ContractRoutes(Contract(contract), BASE), [], 2)["paths"]
    shares = {
        (path, method): operation["tags"]
        for path, item in paths.items()
        for method, operation in item.items()
        if method in ("get", "post", "delete")
    }
    assert shares == {
        ("/widgets", "get"): ["specwright-0"],
        ("/widgets", "post"): ["specwright-1"],
        ("/widgets/{id}", "get"): ["specwright-1"],
        ("/widgets/{id}", "delete"): ["specwright-1"],
    }


def referred(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with its path items among the components."""
    made = deepcopy(document)
    items = {f"item{n}": item for n, item in enumerate(made["paths"].values())}
    made["components"]["pathItems"] = items
    paths = zip(made["paths"], items, strict=True)
    made["paths"] = {path: {"$ref": f"#/components/pathItems/{name}"} for path, name in paths}
    return made


def contract_of(document: dict[str, Any], place: Path) -> Contract:
    place.write_text(json.dumps(document))
    return Contract(upgrade(load(place)))


def test_path_items_that_are_referred_to_are_fuzzed_as_others(tmp_path: Path) -> None:
    widgets = referred(DOCUMENT)
    post, get = "/components/pathItems/item0/post", "/components/pathItems/item1/get"
    # Without an id, a link names the place of the operation.
    del widgets["components"]["pathItems"]["item1"]["get"]["operationId"]
    del widgets["components"]["pathItems"]["item0"]["post"]["responses"]["201"]["links"]
    contract = contract_of(widgets, tmp_path / "widgets.json")
    made = replace(exchange("/widgets", 201), operation=post)
    made = replace(made, request=replace(made.request, method="POST", body=b"{}"))
    body = HttpResponse(201, (("Content-Type", "application/json"),), b'{"id": "w7"}')
    seen = [replace(exchange("/widgets/w7", 200), operation=get), replace(made, response=body)]
    derived = derive(contract, ContractRoutes(contract, BASE), seen, 2)
    paths = derived["paths"]
    assert shards_of(derived) == [0, 1]
    assert paths["/widgets/{id}"]["get"]["parameters"][0]["example"] == "w7"
    links = paths["/widgets"]["post"]["responses"]["201"]["links"].values()
    assert [link["operationRef"] for link in links if "operationRef" in link] == [
        "#/paths/~1widgets~1{id}/get"
    ]


def test_a_path_item_of_two_paths_is_changed_for_the_one_that_is_tested(tmp_path: Path) -> None:
    widgets = referred(DOCUMENT)
    widgets["paths"]["/gadgets"] = widgets["paths"]["/widgets"]
    contract = contract_of(widgets, tmp_path / "widgets.json")
    distant = {"/components/pathItems/item0/get"}
    paths = derive(contract, ContractRoutes(contract, BASE), [], 2, distant)["paths"]
    methods = {path: item.keys() & {"get", "post"} for path, item in paths.items()}
    assert methods == {"/widgets": {"post"}, "/widgets/{id}": {"get"}, "/gadgets": {"get", "post"}}


def test_no_process_is_for_a_shard_without_operations(contract: Document) -> None:
    routes = ContractRoutes(Contract(contract), BASE)
    assert shards_of(derive(Contract(contract), routes, [], 2)) == [0, 1]
    # What there is to vary is in one of the operations, and there is one place only.
    assert shards_of(derive(Contract(contract), routes, [], 9))[-1] == 8
    assert len(shards_of(derive(Contract(contract), routes, [], 9))) <= 4


def test_ids_of_requests_that_succeeded_are_examples(contract: Document) -> None:
    seen = [exchange("/widgets/w%207", 200), exchange("/widgets/w8", 404)]
    derived = derive(Contract(contract), ContractRoutes(Contract(contract), BASE), seen, 1)
    (parameter,) = derived["paths"]["/widgets/{id}"]["get"]["parameters"]
    assert parameter["example"] == "w 7"
    assert "parameters" not in derived["paths"]["/widgets/{id}"]["delete"]


def test_an_example_that_was_sent_under_another_key_is_left_out(contract: Document) -> None:
    bodies = [{"reference": f"example-{size}", "size": size} for size in (1, 2)]
    post = contract.data["paths"]["/widgets"]["post"]
    post["requestBody"]["content"]["application/json"]["examples"] = {
        f"of size {body['size']}": {"value": body} for body in bodies
    }
    tested = Contract(contract)
    sent = OperationCall(tested.by_id["createWidget"], {}, bodies[0] | {"reference": "fresh"})
    derived = derive(tested, ContractRoutes(tested, BASE), [], 1, slow=[sent])
    content = derived["paths"]["/widgets"]["post"]["requestBody"]["content"]["application/json"]
    assert content["examples"] == {"of size 2": {"value": bodies[1]}}
    elsewhere = replace(sent, operation=tested.by_id["listWidgets"])
    kept = derive(tested, ContractRoutes(tested, BASE), [], 1, slow=[elsewhere])
    content = kept["paths"]["/widgets"]["post"]["requestBody"]["content"]["application/json"]
    assert len(content["examples"]) == 2


def test_the_key_is_in_the_environment_only(
    contract: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://elsewhere.example.com")
    with TargetServer(BASE, Credential.of(contract), Record(), {MAIN: KEY}) as target:
        written = configuration(target, FULL, ["ignored_auth"], 0)
        given = environment(target, ContractRoutes(Contract(contract), BASE), {}, 1)
    assert KEY not in written
    assert [name for name, value in given.items() if KEY in value] == [
        "SPECWRIGHT_FUZZING_CREDENTIALS"
    ]
    assert "HTTPS_PROXY" not in given
    settings = tomllib.loads(written)
    assert settings["checks"] == {"enabled": False, "ignored_auth": {"enabled": True}}
    assert settings["max-redirects"] == 0
    assert [operation["include-tag"] for operation in settings["operations"]] == ["specwright-1"]


@pytest.mark.parametrize(
    ("described", "form"),
    [
        ({"type": "string", "maxLength": 12}, "{:012x}"),
        ({"type": "string", "format": "uuid"}, "00000000-0000-4000-8000-{:012x}"),
        ({"type": "string", "pattern": "^[0-9]{10}$"}, "{:010d}"),
        ({"type": "string", "pattern": "^key-[0-9]$"}, None),
    ],
)
def test_an_idempotency_key_that_is_used_once_fits_its_schema(
    contract: Document, described: dict[str, object], form: str | None
) -> None:
    record = Record()
    body = contract.data["components"]["schemas"]["WidgetCreate"]
    body["properties"]["reference"] = described
    routes = ContractRoutes(Contract(contract), BASE)
    found = idempotency_keys(routes, RequestJudge(contract, routes), record)
    expected = {"way": ("reference",), "form": form}
    assert found == ({"POST /widgets": expected} if form else {})
    assert [(skip.rule, skip.pointer) for skip in record.skips] == (
        [] if form else [("invalid-accepted", "/paths/~1widgets/post")]
    )
