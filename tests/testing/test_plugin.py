"""The pytest plugin and the library call, in projects of their own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from flask import Flask, jsonify

from specwright.errors import InputError
from specwright.testing import check

APP = """
import itertools
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import APIKeyHeader
from pydantic import BaseModel


class Item(BaseModel):
    name: str


def user(key: Annotated[str, Depends(APIKeyHeader(name="X-Key"))]) -> None:
    if key != "test-key":
        raise HTTPException(401)


refusals = {{status: {{}} for status in (400, 401, 404)}}
app = FastAPI(dependencies=[Depends(user)], responses=refusals)
items, ids = {{}}, itertools.count(1)


@app.post("/items", status_code=201)
def make(item: Item) -> dict[str, int]:
    id = next(ids)
    items[id] = item
    return {{"id": id}}


@app.get("/items/{{id}}")
def read(id: int) -> Item:
    if id not in items:
        raise {error}
    return items[id]
"""
RIGHT, WRONG = "HTTPException(404)", "KeyError"


def project(directory: Path, error: str, **files: str) -> Path:
    (directory / "shop.py").write_text(APP.format(error=error), "utf-8")
    for name, text in files.items():
        (directory / f"{name}.py").write_text(text, "utf-8")
    return directory


def pytest_in(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:schemathesis", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "-rA", *arguments],
        cwd=directory,
        env={"KEY": "test-key", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=False,
    )


NO_OTHERS = "def test_other(): pass\n"


def test_nothing_happens_unless_it_is_asked_for(tmp_path: Path) -> None:
    done = pytest_in(project(tmp_path, RIGHT, test_other=NO_OTHERS))
    assert "1 passed" in done.stdout
    assert "contract" not in done.stdout


def test_the_plugin_imports_nothing_of_the_toolkit_before() -> None:
    code = (
        "import sys, specwright.pytest_plugin\n"
        "print([each for each in sys.modules if each.startswith('specwright.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['specwright.pytest_plugin']"


MOUNTED = """
import json, pathlib
from fastapi import FastAPI
from shop import app as inner

document = inner.openapi()
document["servers"] = [{"url": "%s"}]
pathlib.Path("openapi.json").write_text(json.dumps(document))
site = FastAPI()
site.mount("/api/v1", inner)
"""


def mounted(directory: Path, *options: str, server: str = "https://shop.example/api/v1") -> str:
    """Return the output of pytest for an application that has its API below a path."""
    project(directory, RIGHT, site_=MOUNTED % server)
    subprocess.run([sys.executable, "-c", "import site_"], cwd=directory, check=True)
    given = ("--specwright-app=site_:site", "--specwright-document=openapi.json")
    return pytest_in(directory, *given, "--specwright-api-key-env=KEY", *options).stdout


def test_an_application_may_have_the_api_below_a_path(tmp_path: Path) -> None:
    elsewhere = "https://shop.example/other"
    assert "3 passed" in mounted(tmp_path, "--specwright-base-path=/api/v1/", server=elsewhere)


def test_the_path_of_the_api_is_that_of_a_declared_server(tmp_path: Path) -> None:
    assert "3 passed" in mounted(tmp_path)


def test_a_path_that_is_named_is_not_replaced_by_a_declared_one(tmp_path: Path) -> None:
    said = mounted(tmp_path, "--specwright-base-path=/api")
    assert "/api returns 404 for every read" in said
    assert re.search(r"the API is found below http://127\.0\.0\.1:\d+/api/v1", said)


@pytest.mark.parametrize(("path", "is_found"), [("/api/v1", True), ("/other", False)])
def test_only_a_declared_path_is_taken(path: str, is_found: bool) -> None:
    app = Flask(__name__)
    app.get("/api/v1/time")(lambda: jsonify(12))
    declared = {"200": {"description": "", "content": {"application/json": {"schema": {}}}}}
    document = {
        "openapi": "3.1.1",
        "info": {"title": "Clock", "version": "1"},
        "servers": [{"url": f"https://clock.example{path}"}],
        "paths": {"/time": {"get": {"responses": declared}}},
    }
    if is_found:
        assert check(app, document).operations["GET /time"].is_right
    else:
        with pytest.raises(InputError, match=r"found below http://127\.0\.0\.1:\d+/api/v1"):
            check(app, document)


def test_an_operation_that_is_wrong_fails_with_its_request(tmp_path: Path) -> None:
    done = pytest_in(
        project(tmp_path, WRONG, test_other=NO_OTHERS),
        *("--specwright-app", "shop:app", "--specwright-api-key-env", "KEY"),
    )
    assert "PASSED contract::test_operation[POST /items]" in done.stdout
    assert "FAILED contract::test_operation[GET /items/{id}]" in done.stdout
    assert "server-error: " in done.stdout
    assert "curl --request GET http://127.0.0.1" in done.stdout
    assert "PASSED test_other.py::test_other" in done.stdout
    assert "test-key" not in done.stdout


ELSEWHERE = """

@app.post("/uploads", openapi_extra={{"servers": [{{"url": "https://upload.example"}}]}})
def upload() -> None:
    raise NotImplementedError
"""


def test_an_operation_on_another_host_is_skipped(tmp_path: Path) -> None:
    files = project(tmp_path, RIGHT)
    with (files / "shop.py").open("a", encoding="utf-8") as shop:
        shop.write(ELSEWHERE.format())
    arguments = ("--specwright-app", "shop:app", "--specwright-api-key-env", "KEY")
    done = pytest_in(files, *arguments)
    assert "PASSED contract::test_operation[POST /items]" in done.stdout
    assert "POST /uploads has servers of its own, on another host" in done.stdout


CONFTEST = """
import pytest
from shop import app, items


@pytest.fixture(scope="session")
def specwright_target():
    items[1_000_000] = {"name": "kept"}
    yield app
    print("cleaned", len(items) > 0)


@pytest.fixture(scope="session")
def specwright_keys():
    return {"main": "test-key"}


@pytest.fixture(scope="session")
def specwright_data():
    return {"POST /items": {"body": {"name": "of my own"}}}
"""
TESTS = """
from shop import items


def test_contract(specwright_operation):
    assert specwright_operation.is_right, str(specwright_operation)


def test_it_was_made_of_my_data(specwright_outcome):
    assert any(getattr(each, "name", "") == "of my own" for each in items.values())
"""


def test_a_project_brings_its_own_target_keys_data_and_tests(tmp_path: Path) -> None:
    files = project(tmp_path, RIGHT, conftest=CONFTEST, test_shop=TESTS)
    export = "import json, shop; print(json.dumps(shop.app.openapi()))"
    made = subprocess.run(
        [sys.executable, "-c", export], cwd=files, capture_output=True, check=True
    )
    (tmp_path / "openapi.json").write_bytes(made.stdout)
    done = pytest_in(files, "--specwright-document", "openapi.json")
    assert "PASSED test_shop.py::test_contract[POST /items]" in done.stdout
    assert "PASSED test_shop.py::test_contract[GET /items/{id}]" in done.stdout
    assert "PASSED test_shop.py::test_it_was_made_of_my_data" in done.stdout
    assert "contract::" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--specwright-app", "shop:nothing"], "--specwright-app shop:nothing: module 'shop' has"),
        (["--specwright-app", "nowhere:app"], "No module named 'nowhere'"),
        (["--specwright-document", "nowhere.json"], "no such file"),
        (["--specwright-url", "http://127.0.0.1:1"], "there is no document here"),
        (
            ["--specwright-other-api-key-env", "KEY"],
            "--specwright-other-api-key-env is now called --specwright-other-tenant-api-key-env",
        ),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = pytest_in(project(tmp_path, RIGHT), *arguments)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
