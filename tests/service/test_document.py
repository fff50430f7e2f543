"""`GET {base_url}/openapi.json`: the document of this repository with this server's address."""

import json
import tarfile
import zipfile
from pathlib import Path

import httpx2
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from starlette.applications import Starlette
from starlette.routing import Route

from esim_service.http.document import render
from esim_service.http.pages import StaticPage
from partner_esim.models import Error

REQUEST_ID = "req_01kjpx8nh0aqdvgyy0jrsyegax"
BASE_URL = "http://127.0.0.1:8000/api/v1"


def serving(base_url: str) -> httpx2.AsyncClient:
    """A client of an application that knows itself by this address."""
    endpoint = StaticPage(lambda: render(base_url), "application/json", lambda: REQUEST_ID)
    app = Starlette(routes=[Route("/api/v1/openapi.json", endpoint)])
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=base_url)


@pytest.fixture
def client() -> httpx2.AsyncClient:
    return serving(BASE_URL)


def test_the_document_is_in_a_wheel_even_of_an_sdist(root: Path, tmp_path: Path) -> None:
    [sdist] = SdistBuilder(str(root / "service")).build(directory=str(tmp_path))
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = sdist.removesuffix(".tar.gz")
    for place in (root / "service", unpacked):
        [wheel] = WheelBuilder(str(place)).build(directory=str(tmp_path), versions=["standard"])
        shipped = zipfile.ZipFile(wheel).read("esim_service/data/openapi.json")
        assert shipped == (root / "spec" / "openapi.json").read_bytes()


@pytest.mark.anyio
async def test_only_the_server_is_filled_in(client: httpx2.AsyncClient, root: Path) -> None:
    answer = await client.get("/openapi.json")
    wanted = json.loads((root / "spec" / "openapi.json").read_text("utf-8"))
    wanted["servers"][0]["variables"]["base_url"]["default"] = BASE_URL
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Request-Id"] == REQUEST_ID
    assert list(answer.json()) == list(wanted)
    assert answer.json() == wanted


@pytest.mark.anyio
async def test_a_client_that_has_it_is_told_so(client: httpx2.AsyncClient) -> None:
    etag = (await client.get("/openapi.json")).headers["ETag"]
    for sent in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = await client.get("/openapi.json", headers={"If-None-Match": sent})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == etag
    answer = await client.get("/openapi.json", headers={"If-None-Match": '"other"'})
    assert answer.status_code == 200


@pytest.mark.anyio
async def test_the_tag_changes_with_the_address(client: httpx2.AsyncClient) -> None:
    elsewhere = serving("https://x.example/api/v1")
    tags = {
        (await async_client.get("/openapi.json")).headers["ETag"]
        for async_client in (client, elsewhere)
    }
    assert len(tags) == 2


@pytest.mark.anyio
async def test_another_method_gets_the_error_of_the_contract(client: httpx2.AsyncClient) -> None:
    answer = await client.post("/openapi.json")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    error = Error.model_validate_json(answer.content).error
    assert (error.code, error.request_id) == ("method_not_allowed", REQUEST_ID)
    assert (await client.options("/openapi.json")).headers["Allow"] == "GET, HEAD, OPTIONS"
    head = await client.head("/openapi.json")
    assert (head.status_code, head.content) == (200, b"")
