"""Routes: the operation of a contract that a request is for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.document.sources.load import load
from specwright.mock.routes import Routes

BASE = "http://127.0.0.1/v1"
# The general paths come first, as the order of a document is no rule.
PATHS = ("/orders/{id}", "/{kind}/{id}", "/orders/search", "/orders", "/orders/{id}.json")


@pytest.fixture
def routes(tmp_path: Path) -> ContractRoutes:
    operation = {"responses": {"200": {"description": "A response."}}}
    names = {path: [part[1:-1] for part in path.split("/") if part[:1] == "{"] for path in PATHS}
    paths = {
        path: {
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in names[path]
            ],
            "get": operation,
        }
        for path in PATHS
    }
    info = {"title": "Shop", "version": "1"}
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}), "utf-8")
    return ContractRoutes(Contract(load(file)), BASE)


@pytest.mark.parametrize(
    ("path", "key", "values"),
    [
        ("/orders/search", "/orders/search", []),
        ("/orders/search?id=7", "/orders/search", []),
        ("/orders/7", "/orders/{id}", ["7"]),
        ("/orders/a%2Fb", "/orders/{id}", ["a/b"]),
        ("/users/7", "/{kind}/{id}", ["users", "7"]),
        ("/orders", "/orders", []),
        ("/orders/7.json", "/orders/{id}.json", ["7"]),
        ("/orders/7%2Ejson", "/orders/{id}.json", ["7"]),
        ("/order%73/search", "/orders/search", []),
    ],
)
def test_the_most_specific_path_is_meant(
    routes: ContractRoutes, tmp_path: Path, path: str, key: str, values: list[str]
) -> None:
    operation = routes.operation("GET", f"{BASE}{path}")
    assert operation is not None
    assert operation.site.key == key
    assert routes.path(f"{BASE}{path}") == (key, values)
    # The mock responds with the same operation.
    assert (
        Routes(load(tmp_path / "openapi.json")).at(path.partition("?")[0])["GET"] == operation.site
    )


@pytest.mark.parametrize(
    ("method", "url"),
    [
        ("DELETE", f"{BASE}/orders"),
        ("GET", "http://127.0.0.1/orders"),
        ("GET", f"{BASE}/orders/7/items"),
    ],
)
def test_other_methods_and_paths_are_for_no_operation(
    routes: ContractRoutes, method: str, url: str
) -> None:
    assert routes.operation(method, url) is None


@pytest.mark.usefixtures("routes")
@pytest.mark.parametrize("base", ["{tenant}", "%7Btenant%7D", "a"])
def test_variables_of_a_server_are_none_of_an_operation(tmp_path: Path, base: str) -> None:
    contract = Contract(load(tmp_path / "openapi.json"))
    below = ContractRoutes(contract, f"http://127.0.0.1/{base}")
    url = "http://127.0.0.1/a/users/7"
    operation = below.operation("GET", url)
    assert operation is not None
    assert below.path(url) == ("/{kind}/{id}", ["users", "7"])
    assert below.path_values(operation.site, url) == {"kind": "users", "id": "7"}
