"""The shop of examples/fastapi_shop: its document, as FastAPI writes it, gives client and stub."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.serving import Server

EXAMPLE = Path(__file__).parents[2] / "examples" / "fastapi_shop" / "app.py"
PAGES = {
    "list_items": {"offset": "skip", "limit": "limit", "items": ""},
    "list_orders": {"page": "page", "items": "/items", "total": "/total"},
}


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("fastapi_shop", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def served(shop: ModuleType) -> Iterator[Server]:
    with Server(shop.app) as running:
        yield running


@pytest.fixture
def sdk(package: Generate, shop: ModuleType) -> ModuleType:
    return package(shop.app.openapi(), pagination=PAGES)


def operations(shop: ModuleType) -> set[str]:
    paths = shop.app.openapi()["paths"].values()
    return {operation["operationId"] for item in paths for operation in item.values()}


def signed_in(sdk: ModuleType, served: Server) -> Any:
    with sdk.Client(base_url=served.url) as anyone:
        token = anyone.account.log_in(username="ann", password="secret of Ann")
    return sdk.Client(token.access_token, base_url=served.url)


def test_every_operation_can_be_called(
    sdk: ModuleType, served: Server, shop: ModuleType, tmp_path: Path
) -> None:
    picture = tmp_path / "lamp.png"
    picture.write_bytes(bytes(100_000))
    with signed_in(sdk, served) as client:
        assert client.account.who_am_i() == {"name": "ann"}
        for number in range(23):
            client.items.create_item(name=f"Lamp {number}", price=4.5)
        assert [item.id for item in client.items.list_items()] == list(range(1, 24))
        assert client.items.get_item(1).name == "Lamp 0"
        assert client.items.replace_item(1, name="Desk lamp", price=5).price == 5
        assert client.items.change_item(1, price=6).name == "Desk lamp"
        assert client.items.delete_item(23) is None
        uploaded = client.items.set_picture(1, picture=picture)
        assert (uploaded.filename, uploaded.size) == ("lamp.png", 100_000)
        attached = client.items.attach(1, files=[b"1", sdk.File(b"22", "b.txt")], note="Two.")
        assert [(each.filename, each.size) for each in attached] == [("file-1", 1), ("b.txt", 2)]
        assert client.items.restock(1, count=3) == {"count": 3}
        assert client.items.tags_of(1, only=["a", "b c"]) == {"tags": ["a", "b c"]}
        for _ in range(5):
            client.orders.create_order(item_id=1)
        assert [order.id for order in client.orders.list_orders()] == [1, 2, 3, 4, 5]
        assert client.orders.get_order(1).status == "open"
        assert client.orders.cancel_order(1, x_reason="too late").status == "too late"
        with client.orders.watch_order(1) as events:
            assert [event.percent for event in events] == [0, 50, 100]
        assert client.orders.invoice(1) == b"%PDF-1.7"
        assert client.reports.report(accept="text/csv").startswith("id,name,price\n1,Desk lamp,6")
        assert client.reports.health() == {"healthy": True}
        groups = (client.account, client.items, client.orders, client.reports)
        methods = {name for group in groups for name in dir(group) if not name.startswith("_")}
    assert methods == operations(shop)


def test_asynchronous_calls_are_the_same(sdk: ModuleType, served: Server) -> None:
    async def calls() -> None:
        async with sdk.AsyncClient("token of ann", base_url=served.url) as client:
            made = await client.items.create_item(name="Lamp", price=1)
            assert [item.id async for item in client.items.list_items()] == [made.id]
            await client.orders.create_order(item_id=made.id)
            async with await client.orders.watch_order(1) as events:
                assert [event.percent async for event in events] == [0, 50, 100]

    asyncio.run(calls())


def test_errors_say_what_is_wrong(sdk: ModuleType, served: Server) -> None:
    with sdk.Client(base_url=served.url) as anyone:
        with pytest.raises(sdk.errors.AuthenticationError, match=r"Name or password are wrong\."):
            anyone.account.log_in(username="ann", password="guess")
        with pytest.raises(sdk.errors.InvalidArgumentError, match="token"):
            anyone.account.who_am_i()
        with pytest.raises(sdk.errors.NotFoundError, match=r"There is no such item\.") as missing:
            anyone.items.get_item(7)
        assert missing.value.body.detail == "There is no such item."
    with signed_in(sdk, served) as client:
        # This one is not declared.
        with pytest.raises(sdk.errors.NotFoundError, match=r"There is no such order\."):
            client.orders.get_order(7)
        with pytest.raises(sdk.errors.InvalidArgumentError, match="price"):
            client.items.create_item(name="Lamp", price=-1)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/items/", {"name": "", "price": "much"}),
        ("POST", "/items/", {}),
        ("GET", "/items/?limit=101&skip=x", None),
        ("GET", "/items/0", None),
    ],
)
def test_a_stub_refuses_what_the_application_refuses(
    sdk: ModuleType, served: Server, method: str, path: str, body: Any
) -> None:
    async def anybody(credential: str, request: Any) -> object:
        return credential

    content = None if body is None else json.dumps(body).encode()
    with Server(sdk.server.create_app(authenticate=anybody, unimplemented="501")) as stub:
        answers = [
            server.send(method, path, content, key="token of ann", Content_Type="application/json")
            for server in (stub, served)
        ]
    ours, theirs = answers
    assert (ours.status, theirs.status) == (422, 422)
    places = [sorted(fault["loc"] for fault in answer.json["detail"]) for answer in answers]
    assert places[0] == places[1]
