"""Run every command on a document with a medium that this copy of the toolkit was given.

It is a process of its own, as the copy must be the only toolkit in it: PYTHONPATH begins with it.
"""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import httpx2
from click.testing import CliRunner

import specwright
from specwright.cli import cli
from tests.generate_cli.running import running
from tests.serving import Server

_ROWS: Any = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["code"],
        "properties": {"code": {"type": "string", "pattern": "^[A-Z]{2}$"}},
        "additionalProperties": False,
    },
}
_CONTENT: Any = {"text/csv": {"schema": _ROWS}}
DOCUMENT: Any = {
    "openapi": "3.1.0",
    "info": {"title": "Countries", "version": "1.0.0"},
    "paths": {
        "/countries": {
            "put": {
                "operationId": "replaceCountries",
                "tags": ["countries"],
                "requestBody": {"required": True, "content": _CONTENT},
                "responses": {
                    "200": {"description": "The countries.", "content": _CONTENT},
                    "4XX": {"description": "The request is not valid."},
                },
            }
        }
    },
}
BODY = b"code\r\nAT\r\nBE\r\n"


def command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, list(arguments), prog_name="specwright")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def changed() -> Any:
    """The document with a response that is not always sent, which breaks clients."""
    document = copy.deepcopy(DOCUMENT)
    put = document["paths"]["/countries"]["put"]
    del put["responses"]["200"]["content"]["text/csv"]["schema"]["items"]["required"]
    return document


def stub() -> Any:
    server = importlib.import_module("countries.server")

    class Countries(server.Countries):  # type: ignore[misc, name-defined]
        async def replace_countries(self, *, body: Any, context: Any) -> Any:
            return body

    return server.create_app(countries=Countries())


async def call_async(client_type: Any, url: str, rows: Any) -> Any:
    async with client_type(base_url=url) as client:
        return await client.countries.replace_countries(body=rows)


def put(url: str, body: bytes) -> tuple[int, str, str]:
    response = httpx2.put(url, content=body, headers={"content-type": "text/csv"})
    return response.status_code, response.headers["content-type"], response.text


def serve(found: dict[str, Any]) -> None:
    """Call the generated server, check it, and call it with the generated clients."""
    sys.path.insert(0, "generated")
    package = importlib.import_module("countries")
    rows = [package.models.ReplaceCountries_Request_Item(code=code) for code in ("AT", "BE")]
    with Server(stub()) as server:
        url = f"{server.url}/countries"
        found["server"] = put(url, BODY)
        found["server, invalid"] = put(url, BODY.lower())[0]
        with package.CountriesClient(base_url=server.url) as client:
            answers = client.countries.replace_countries(body=rows)
        found["client"] = [answer.code for answer in answers]
        answers = asyncio.run(call_async(package.AsyncCountriesClient, server.url, rows))
        found["async client"] = [answer.code for answer in answers]
        found["test"] = command(
            *("test", server.url, "--max-time", "3", "--seed", "1", "--report-dir", "report")
        )
        found["check-traffic"] = command(
            "check-traffic", "report/report.har", "--base-url", server.url
        )


def main() -> None:
    found: dict[str, Any] = {"toolkit": specwright.__file__}
    Path("api.json").write_text(json.dumps(DOCUMENT))
    Path("next.json").write_text(json.dumps(changed()))
    for name, arguments in {
        "fmt": ("fmt", "api.json"),
        "init": ("init", "api.json"),
        "validate": ("validate",),
        "generate": ("generate",),
        "docs": ("docs", "--output", "api.html"),
        "diff": ("diff", "api.json", "next.json"),
        "changelog": ("changelog", "api.json", "next.json"),
    }.items():
        found[name] = command(*arguments)
    serve(found)
    with running(Path.cwd(), "mock") as mock:
        url = mock.line().partition(" ")[0]
        found["mock"] = put(f"{url}/countries", BODY)
    print(json.dumps(found))


main()
