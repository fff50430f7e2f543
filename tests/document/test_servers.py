"""The base URLs of operations with servers of their own, where an instance for tests runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from specwright.document.operations.servers import base_urls
from specwright.document.sources.load import load

OK = {"200": {"description": "It."}}
API = "https://api.example"
HERE = "http://127.0.0.1:8000"


def bases(url: str, servers: list[Any], *own: Any) -> dict[str, str | None]:
    """The base URLs of an operation without servers, and of one with servers of its own."""
    paths = {"/usual": {"get": {"responses": OK}}, "/own": {"get": {"responses": OK}}}
    paths["/own"]["servers"] = [each if isinstance(each, dict) else {"url": each} for each in own]
    data = {
        "openapi": "3.1.0",
        "info": {"title": "Places", "version": "1"},
        "servers": [{"url": server} for server in servers],
        "paths": paths,
    }
    content = json.dumps(data).encode()
    return dict(base_urls(load("openapi.json", read=lambda _: content), url))


REGION = {"region": {"default": "eu", "enum": ["eu", "us"]}}


@pytest.mark.parametrize(
    ("url", "servers", "own", "expected"),
    [
        (HERE, [], "/files", f"{HERE}/files"),
        (HERE, ["/"], "/files/", f"{HERE}/files"),
        (HERE, ["/"], "/", HERE),
        (HERE, [], "files", f"{HERE}/files"),
        (f"{HERE}/v1", ["/v1"], "/files", f"{HERE}/files"),
        # An application that is mounted below a path.
        (f"{HERE}/mounted", [], "/files", f"{HERE}/mounted/files"),
        (f"{HERE}/mounted/v1", ["/v1"], "/files", f"{HERE}/mounted/files"),
        # An instance that lacks the prefix of the usual server.
        (HERE, [f"{API}/v1"], f"{API}/files", f"{HERE}/files"),
        (f"{HERE}/v2", [f"{API}/v1", f"{API}/v2"], f"{API}/files", f"{HERE}/files"),
        (f"{HERE}/v1", [f"{API}/v1"], "https://upload.example/v1", None),
        (
            "https://upload.example",
            [f"{API}/v1"],
            "https://upload.example",
            "https://upload.example",
        ),
        (HERE, [], "//upload.example/files", None),
        (HERE, [], "https://[", None),
        (HERE, [], {"url": "/{region}/files", "variables": REGION}, f"{HERE}/eu/files"),
        (
            HERE,
            ["https://us.api.example"],
            {"url": "https://{region}.api.example/files", "variables": REGION},
            f"{HERE}/files",
        ),
    ],
)
def test_the_base_url_of_an_operation_with_a_server(
    url: str, servers: list[str], own: Any, expected: str | None
) -> None:
    assert bases(url, servers, own) == {"/paths/~1own/get": expected}


def test_the_first_server_on_the_host_is_used() -> None:
    own = ("https://upload.example", "/files", "/others")
    assert bases(HERE, [], *own) == {"/paths/~1own/get": f"{HERE}/files"}


def test_an_empty_list_of_servers_is_none_of_its_own() -> None:
    assert bases(HERE, []) == {}
