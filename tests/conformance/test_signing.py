"""Every kind of credential: operations get the ones they require, and no secret is shown."""

from __future__ import annotations

import json
import os
import subprocess
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.conformance.shop import serving
from tests.conftest import COMMAND, Run

# Requests for an operation, of which some have no credentials on purpose.
OFTEN = 20
SCHEMES = {
    "person": {"type": "http", "scheme": "basic"},
    "token": {"type": "http", "scheme": "bearer"},
    "query": {"type": "apiKey", "in": "query", "name": "api key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "session"},
    "admin": {"type": "apiKey", "in": "header", "name": "X-Admin-Key"},
}
SECRETS = {
    "person": "anna:one-password-0001",
    "token": "a-token-0002",
    "query": "a key & more-0003",
    "cookie": "a-session-0004",
    "admin": "an-admin-key-0005",
}


def basic(text: str) -> str:
    return f"Basic {b64encode(text.encode()).decode()}"


HELD: dict[str, Callable[[Request], bool]] = {
    "person": lambda request: request.headers.get("authorization") == basic(SECRETS["person"]),
    "token": lambda request: request.headers.get("authorization") == f"Bearer {SECRETS['token']}",
    "query": lambda request: request.query_params.get("api key") == SECRETS["query"],
    "cookie": lambda request: request.cookies.get("session") == SECRETS["cookie"],
    "admin": lambda request: request.headers.get("x-admin-key") == SECRETS["admin"],
}
# What lets in, by path.
WAYS: dict[str, list[list[str]]] = {
    "/person": [["person"]],
    "/token": [["token"]],
    "/query": [["query"]],
    "/cookie": [["cookie"]],
    "/admin": [["admin"]],
    "/both": [["token", "admin"]],
    "/either": [["person"], ["query"]],
    "/open": [],
}
ANSWERS = {status: {"description": "An answer."} for status in ("200", "401")}


class Doors:
    """An API with a way in for each path, which remembers how it was asked."""

    def __init__(self, held: dict[str, Callable[[Request], bool]] = HELD) -> None:
        self.held, self.seen = held, list[Request]()

    def app(self) -> Starlette:
        return Starlette(
            routes=[Route(f"/v1{path}", self._door(ways)) for path, ways in WAYS.items()]
        )

    def _door(self, ways: list[list[str]]) -> Any:
        async def door(request: Request) -> Response:
            self.seen.append(request)
            is_let_in = not ways or any(
                all(self.held[each](request) for each in way) for way in ways
            )
            return JSONResponse({}, 200 if is_let_in else 401)

        return door

    def opened(self, path: str) -> bool:
        """Whether some request to a path was let in."""
        return any(
            not WAYS[path]
            or any(all(self.held[name](request) for name in way) for way in WAYS[path])
            for request in self.seen
            if request.url.path == f"/v1{path}"
        )


def document(path: Path, schemes: dict[str, Any] = SCHEMES) -> Path:
    paths = {
        place: {
            "get": {
                "operationId": f"get{place[1:]}",
                "security": [{name: [] for name in way} for way in ways],
                "responses": ANSWERS,
            }
        }
        for place, ways in WAYS.items()
    }
    written = {
        "openapi": "3.1.1",
        "info": {"title": "Doors", "version": "1"},
        "paths": paths,
        "components": {"securitySchemes": schemes},
    }
    path.write_text(json.dumps(written), "utf-8")
    return path


def variable(name: str) -> str:
    return f"SECRET_{name.upper()}"


def named(*names: str) -> list[str]:
    return [part for name in names for part in ("--api-key-env", f"{name}={variable(name)}")]


TENANT = "tenant-of-anna-77"


@pytest.fixture(autouse=True)
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, secret in SECRETS.items():
        monkeypatch.setenv(variable(name), secret)
    monkeypatch.setenv("TENANT", TENANT)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Doors, str, Path]]:
    """An API that was tested with every credential, the output of the run, and the reports."""
    place = tmp_path_factory.mktemp("doors")
    doors, reports, api = Doors(), place / "reports", document(place / "openapi.json")
    held = {variable(name): secret for name, secret in SECRETS.items()}
    with serving(doors.app()) as url:
        done = subprocess.run(
            [
                *(COMMAND, "test", url, "--document", api, "--seed", "1"),
                *(*named(*SCHEMES), "--header-env", "X-Tenant=TENANT", "--report-dir", reports),
            ],
            env={**os.environ, **held, "TENANT": TENANT, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    files = [path.read_text("utf-8") for path in sorted(reports.iterdir())]
    yield doors, "\n".join([done.stdout, done.stderr, *files]), reports


Whole = tuple[Doors, str, Path]


def test_each_operation_gets_what_it_asks_for(whole: Whole) -> None:
    doors, _, _ = whole
    assert {path: doors.opened(path) for path in WAYS} == dict.fromkeys(WAYS, True)


def test_what_an_operation_does_not_ask_for_is_not_sent(whole: Whole) -> None:
    doors, _, _ = whole
    either = [each for each in doors.seen if each.url.path == "/v1/either"]
    assert any(HELD["person"](each) and not HELD["query"](each) for each in either)
    assert not any(request.headers.get("x-admin-key") for request in either)
    opened = [each for each in doors.seen if each.url.path == "/v1/open"]
    assert not any(is_held(request) for request in opened for is_held in HELD.values())


@pytest.mark.parametrize(
    "secret",
    [
        *(*SECRETS.values(), "one-password-0001", basic(SECRETS["person"])[6:]),
        *("a%20key%20%26%20more", TENANT),
    ],
)
def test_no_secret_is_shown(whole: Whole, secret: str) -> None:
    _, text, _ = whole
    assert "[redacted]" in text
    assert secret not in text


def test_fuzzing_gets_in_by_the_same_ways(whole: Whole) -> None:
    """Within its time: every operation that was called often has succeeded."""
    _, _, reports = whole
    entries = json.loads((reports / "report.har").read_text("utf-8"))["log"]["entries"]
    asked, reached = Counter[str](), set[str]()
    for entry in entries:
        if entry["comment"].endswith("fuzzing"):
            path = entry["request"]["url"].partition("?")[0].rpartition("/")[2]
            asked[path] += 1
            reached |= {path} if entry["response"]["status"] == 200 else set()
    guarded = {path[1:] for path in WAYS}
    assert reached
    assert {path for path in guarded if asked[path] >= OFTEN} <= reached <= guarded


def test_a_header_is_in_every_request(whole: Whole) -> None:
    doors, _, _ = whole
    assert {request.headers.get("x-tenant") for request in doors.seen} == {TENANT}


def test_a_key_for_all_schemes_is_sent_to_those_that_can_carry_it(
    specwright: Run, tmp_path: Path
) -> None:
    """A bearer token is not a user with a password where there is another way."""
    doors = Doors()
    api = document(tmp_path / "openapi.json")
    with serving(doors.app()) as url:
        run = specwright(
            *("test", url, "--document", str(api), "--seed", "1"),
            *("--api-key-env", variable("token"), *named("admin")),
        )
    assert doors.opened("/token")
    assert doors.opened("/both")
    assert run.returncode in (1, 3)


@pytest.mark.parametrize(
    ("former", "option"),
    [
        ("--other-api-key-env", "--other-tenant-api-key-env"),
        ("--other-mode-api-key-env", "--live-mode-api-key-env"),
    ],
)
@pytest.mark.parametrize("command", ["test", "replay"])
def test_a_renamed_option_is_an_error_with_its_new_name(
    command: str, former: str, option: str, specwright: Run
) -> None:
    result = specwright(command, "http://127.0.0.1:1", "F1", former, "KEY")
    assert result.returncode == 2
    assert f"{former} is now called {option}" in result.stderr
    assert former not in specwright(command, "--help").stdout


def test_a_key_for_a_scheme_that_is_not_there(specwright: Run, tmp_path: Path) -> None:
    api = document(tmp_path / "openapi.json")
    run = specwright(
        *("test", "http://127.0.0.1:1", "--document", str(api)),
        *("--api-key-env", f"amdin={variable('admin')}", *named("token")),
    )
    assert run.returncode == 2
    assert "did you mean 'admin'?" in run.stderr


def test_a_header_that_lets_in_is_left_out_where_nothing_is_to_let_in(
    specwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSION", f"session={SECRETS['cookie']}")
    doors = Doors()
    api = document(tmp_path / "openapi.json")
    with serving(doors.app()) as url:
        specwright(
            *("test", url, "--document", str(api), "--seed", "1"),
            *(*named("token"), "--header-env", "Cookie=SESSION"),
        )
    cookies = [each.cookies for each in doors.seen if each.url.path == "/v1/cookie"]
    assert {"session": SECRETS["cookie"]} in cookies
    assert {} in cookies


@pytest.mark.parametrize("written", ["X-Tenant", "=TENANT", "X Tenant=TENANT", "X-Tenant="])
def test_a_header_that_is_not_one(specwright: Run, tmp_path: Path, written: str) -> None:
    api = document(tmp_path / "openapi.json")
    run = specwright(
        *("test", "http://127.0.0.1:1", "--document", str(api)),
        *(*named("token"), "--header-env", written),
    )
    assert run.returncode == 2
    assert "hint: write HEADER=NAME" in run.stderr


def test_a_key_on_this_machine_need_not_look_like_one_for_tests(
    specwright: Run, tmp_path: Path
) -> None:
    api = document(tmp_path / "openapi.json")
    arguments = ("--document", str(api), *named("token"))
    run = specwright("test", "http://127.0.0.1:1", *arguments)
    assert "does not respond" in run.stderr
    run = specwright("test", "http://api.invalid", "--allow-host", "api.invalid", *arguments)
    assert "does not look like a test key" in run.stderr
