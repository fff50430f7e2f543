"""`specwright test` of servers that require Digest, or say that they do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse

from tests.conftest import Run
from tests.functional.digest_server import PASSWORD, USER, DigestServer
from tests.serving import Server

DOCUMENT = {
    "openapi": "3.1.1",
    "info": {"title": "Things", "version": "1"},
    "paths": {
        "/things": {
            "get": {
                "operationId": "getThings",
                "security": [{"user": []}],
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
                "responses": {
                    "200": {
                        "description": "The things.",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    },
                    "401": {"description": "No."},
                },
            }
        }
    },
    "components": {"securitySchemes": {"user": {"type": "http", "scheme": "digest"}}},
}


class Things(DigestServer):
    """Serves the only operation of the document."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] != "/things":
            await JSONResponse({}, 404)(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await JSONResponse({}, 405, {"allow": "GET, HEAD"})(scope, receive, send)
        else:
            await self.served(scope, receive, send)

    async def served(self, scope: Any, receive: Any, send: Any) -> None:
        await super().__call__(scope, receive, send)


class Careless(Things):
    """Asks for an answer, and accepts every one."""

    def _is_right(self, request: Any, params: dict[str, Any]) -> bool:
        return True


class Open(Things):
    """Accepts every request."""

    async def served(self, scope: Any, receive: Any, send: Any) -> None:
        await JSONResponse({})(scope, receive, send)


@pytest.fixture
def tested(specwright: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run `specwright test` against an application."""

    def test(app: Any, *options: str, key: str = f"{USER}:{PASSWORD}") -> tuple[int, str, Any]:
        (tmp_path / "openapi.json").write_text(json.dumps(DOCUMENT))
        monkeypatch.setenv("KEY", key)
        with Server(app) as server:
            result = specwright(
                *("test", server.url, "openapi.json", "--api-key-env", "KEY", *options),
                *("--report-dir", "out", "--format", "json"),
                cwd=tmp_path,
            )
        return result.returncode, result.stdout or result.stderr, tmp_path / "out"

    return test


def rules(output: str) -> set[str]:
    return {each["rule"] for each in json.loads(output)["findings"]}


def test_a_server_that_requires_digest_passes(tested: Callable[..., Any]) -> None:
    server = Things(uses=7)
    code, output, report = tested(server)
    assert (code, rules(output)) == (0, set()), output
    given = [params for _, params in server.seen]
    # Without credentials, with wrong ones, and with the right ones in requests of the fuzzer, too.
    assert {params.get("username") for params in given} == {None, USER}
    assert sum(bool(params) for params in given) > len(given) / 2
    kept = [path.read_text("utf-8") for path in report.iterdir() if path.is_file()]
    assert kept
    assert not [text for text in kept if PASSWORD in text]
    assert not [text for text in kept if given[-1].get("response", "-") in text]


@pytest.mark.parametrize("kind", [Careless, Open])
def test_a_server_that_ignores_credentials_does_not(
    tested: Callable[..., Any], kind: type[DigestServer]
) -> None:
    code, output, _ = tested(kind())
    assert (code, rules(output)) == (1, {"credentials-ignored"}), output


def test_a_wrong_password_is_said(tested: Callable[..., Any]) -> None:
    code, output, _ = tested(Things(), key=f"{USER}:wrong-password")
    assert code == 2
    assert "refuses the key with 401" in output
