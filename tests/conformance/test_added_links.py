"""Links of the settings: ids are used where the document alone does not show that they belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from fastapi import Body, FastAPI, HTTPException

from specwright.config import AddedLink, read_config
from specwright.conformance.checks.requests.explore import takes_everything
from specwright.conformance.contract.added_links import with_links
from specwright.conformance.contract.contract import Contract
from specwright.document.sources.load import load
from specwright.errors import InputError
from tests.conformance.fastapi_apps import driver_of
from tests.conformance.shop import serving
from tests.conftest import Run

BOXES = """
[[tool.specwright.test.links]]
from = "POST /tokens"
to = "GET /boxes/{box}"
parameters = {box = "$response.body#/words"}

[[tool.specwright.test.links]]
from = "open_tokens_post"
to = "POST /runs"
parameters = {"query.of" = "$response.body#/words"}
body = {flow = "$response.body#/words"}
"""


def app() -> FastAPI:
    app, words = FastAPI(), list[str]()

    @app.post("/tokens", status_code=201)
    def open() -> dict[str, str]:
        words.append(f"word-{len(words)}")
        return {"words": words[-1]}

    @app.get("/boxes/{box}")
    def box(box: str) -> dict[str, str]:
        return {"box": known(box)}

    @app.post("/runs")
    def run(of: str, flow: Annotated[str, Body(embed=True)]) -> dict[str, str]:
        return {"run": known(flow), "of": known(of)}

    def known(word: str) -> str:
        if word not in words:
            raise HTTPException(404)
        return word

    return app


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(app().openapi()), "utf-8")
    return path


def links(tmp_path: Path, text: str) -> tuple[AddedLink, ...]:
    file = tmp_path / "pyproject.toml"
    file.write_text(text, "utf-8")
    return read_config(file).test.links


@pytest.mark.parametrize("setting", ["", BOXES])
def test_an_operation_is_reached_by_a_link_of_the_settings(
    specwright: Run, document: Path, setting: str
) -> None:
    (document.parent / "pyproject.toml").write_text(
        f'[tool.specwright]\ndocument = "openapi.json"\n{setting}', "utf-8"
    )
    outer = FastAPI()
    outer.mount("/v1", app())
    with serving(outer) as url:
        done = specwright("test", url, "--max-time", "60", cwd=document.parent)
    assert ("2 of 3 operations never succeeded" in done.stdout) is (setting == "")
    assert ("never succeeded" in done.stdout) is (setting == "")


def test_the_document_has_the_links_afterwards(tmp_path: Path, document: Path) -> None:
    before = load(document)
    after = with_links(before, links(tmp_path, BOXES))
    response = after.data["paths"]["/tokens"]["post"]["responses"]["201"]
    assert response["links"] == {
        "setting-1": {
            "operationRef": "#/paths/~1boxes~1{box}/get",
            "parameters": {"box": "$response.body#/words"},
        },
        "setting-2": {
            "operationRef": "#/paths/~1runs/post",
            "parameters": {"query.of": "$response.body#/words"},
            "requestBody": {"flow": "$response.body#/words"},
        },
    }
    assert "links" not in json.dumps(before.data)
    assert with_links(before, ()) is before


@pytest.mark.parametrize(
    ("link", "said", "hint"),
    [
        ({"source": "POST /token"}, "names 'POST /token', which is not", "'POST /tokens'"),
        ({"target": "GET /box"}, "names 'GET /box', which is not an operation", ""),
        ({"parameters": {"bix": 1}}, "names the parameter 'bix'", "'box'"),
        ({"body": {"a": "$body"}}, "has '$body', which is not a runtime expression", "$response"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(
    document: Path, link: dict[str, Any], said: str, hint: str
) -> None:
    right = {"source": "POST /tokens", "target": "GET /boxes/{box}"}
    with pytest.raises(InputError, match=f"a link of the settings {said[:5]}") as refused:
        with_links(load(document), [AddedLink(**{**right, **link})])
    assert said in str(refused.value)
    assert hint in (refused.value.hint or "")


def test_what_a_link_begins_at_makes_something(document: Path) -> None:
    data = json.loads(document.read_text("utf-8"))
    post = data["paths"]["/tokens"]["post"]
    post["responses"] = {"200": post["responses"].pop("201")}
    document.write_text(json.dumps(data), "utf-8")
    link = AddedLink(source="POST /tokens", target="GET /boxes/{box}")
    for links, is_reset in (((), True), ((link,), False)):
        contract = Contract(with_links(load(document), links))
        assert takes_everything(contract, contract.operations["/paths/~1tokens/post"]) is is_reset


def test_a_link_from_an_operation_that_cannot_succeed_is_refused(tmp_path: Path) -> None:
    data = app().openapi()
    data["paths"]["/tokens"]["post"]["responses"] = {"422": {"description": "Never."}}
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(data), "utf-8")
    link = AddedLink(source="POST /tokens", target="GET /boxes/{box}")
    with pytest.raises(InputError, match="'POST /tokens', which declares no 2xx response"):
        with_links(load(path), [link])


@pytest.mark.parametrize(
    "written",
    [
        'links = {from = "a", to = "b"}',
        "links = [1]",
        'links = [{from = "a"}]',
        'links = [{from = "a", to = 1}]',
        'links = [{from = "a", to = "b", then = "c"}]',
        "link = []",
    ],
)
def test_settings_that_mean_nothing(tmp_path: Path, written: str) -> None:
    with pytest.raises(InputError, match="the setting 'test' "):
        links(tmp_path, f"[tool.specwright.test]\n{written}\n")


def test_a_bench_prefers_what_links_say_to_what_names_say(tmp_path: Path) -> None:
    shop, made = FastAPI(), list[str]()

    @shop.post("/flows")
    def flow() -> dict[str, str]:
        made.append(f"f{len(made)}")
        return {"flow_id": "of names", "other": made[-1]}

    @shop.post("/runs")
    def run(flow_id: Annotated[str, Body(embed=True)]) -> dict[str, bool]:
        return {"is_linked": flow_id in made}

    told = {"flow_id": "$response.body#/other"}
    link = AddedLink(source="POST /flows", target="POST /runs", body=told)
    with driver_of(shop, tmp_path, link) as driver:
        source, target = (f"/paths/~1{each}/post" for each in ("flows", "runs"))
        for pointer in (source, target):
            driver.first_success(driver.contract.operations[pointer])
        assert driver.successes[target][1].response is not None
        assert driver.successes[target][1].response.json_or_none == {"is_linked": True}


PAGES = """
[tool.specwright]
document = "openapi.json"

[tool.specwright.pagination]
"GET /boxes" = { limit = "limit", offset = "offset" }
"""


@pytest.mark.parametrize("settings", ["", PAGES])
def test_lists_are_judged_by_the_pagination_of_the_settings(
    specwright: Run, tmp_path: Path, settings: str
) -> None:
    app, made = FastAPI(), list[dict[str, int]]()

    @app.post("/boxes", status_code=201)
    def make() -> dict[str, int]:
        made.append({"id": len(made)})
        return made[-1]

    @app.get("/boxes")
    def list_all(limit: int = 10, offset: int = 0) -> list[dict[str, int]]:
        return made[offset:]

    (tmp_path / "openapi.json").write_text(json.dumps(app.openapi()), "utf-8")
    (tmp_path / "pyproject.toml").write_text(settings, "utf-8")
    outer = FastAPI()
    outer.mount("/v1", app)
    command = ("--document", "openapi.json", "--seed", "1", "--max-time", "60", "--format", "json")
    with serving(outer) as url:
        done = specwright("test", url, *command, "--report-dir", "r", cwd=tmp_path)
        found = {finding["rule"] for finding in json.loads(done.stdout)["findings"]}
        assert ("page-size" in found) is (settings != "")
        har = ("r/report.har", "--base-url", url, "--document", "openapi.json", "--format", "json")
        told = specwright("check-traffic", *har, cwd=tmp_path)
    again = {finding["rule"] for finding in json.loads(told.stdout)["findings"]}
    assert ("page-size" in again) is (settings != "")
