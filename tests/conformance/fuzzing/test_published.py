"""Documents of others, without x-contract-*: correct servers are not accused, faults are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.fuzzing.profile import FuzzingLimits
from specwright.conformance.fuzzing.source import fuzz
from specwright.conformance.recording.record import Record
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from tests.serving import Server

pytestmark = pytest.mark.published

KEY = "sk_test_77aa"
Answer = Callable[[Request], Response]


def app(routes: Mapping[str, Mapping[str, Answer]]) -> Starlette:
    """An application of plain functions, each with the body at hand."""

    def endpoint(methods: Mapping[str, Answer]) -> Callable[[Request], object]:
        async def answer(request: Request) -> Response:
            await request.body()
            return methods[request.method.replace("HEAD", "GET")](request)

        return answer

    return Starlette(
        routes=[
            Route(path, endpoint(methods), methods=list(methods))
            for path, methods in routes.items()
        ]
    )


def body(request: Request) -> bytes:
    found: bytes = request._body
    return found


def of(found: object) -> Response:
    return PlainTextResponse("no such thing", 404) if found is None else JSONResponse(found)


# Repositories of one user, with links from each operation to the next.
ADA = {"username": "ada", "uuid": "u1"}
ENGINE = {"slug": "engine", "owner": ADA}
PULL = {"id": 1, "title": "Bernoulli", "repository": ENGINE, "author": ADA}


def owned(request: Request, found: object) -> object:
    sent = request.path_params
    known = {"username": "ada", "slug": "engine", "pid": "1"}
    return found if all(known[name] == value for name, value in sent.items()) else None


def pulls(request: Request) -> Response:
    if request.query_params.get("state", "open") not in ("open", "merged", "declined"):
        return PlainTextResponse("no such state", 400)
    return of(owned(request, [PULL]))


def all_pulls(request: Request) -> Response:
    return of(owned(request, [PULL]))


def merge(request: Request) -> Response:
    return Response(status_code=204) if owned(request, PULL) else of(None)


def repositories(listing: Answer) -> Starlette:
    base = "/2.0/repositories/{username}"
    return app(
        {
            "/2.0/users/{username}": {"GET": lambda sent: of(owned(sent, ADA))},
            base: {"GET": lambda sent: of(owned(sent, [ENGINE]))},
            f"{base}/{{slug}}": {"GET": lambda sent: of(owned(sent, ENGINE))},
            f"{base}/{{slug}}/pullrequests": {"GET": listing},
            f"{base}/{{slug}}/pullrequests/{{pid}}": {"GET": lambda sent: of(owned(sent, PULL))},
            f"{base}/{{slug}}/pullrequests/{{pid}}/merge": {"POST": merge},
        }
    )


# One data set, which is searched with a form.
def search(request: Request) -> Response:
    if request.path_params != {"dataset": "oa_citations", "version": "v1"}:
        return Response(status_code=404)
    sent = parse_qs(body(request).decode(), keep_blank_values=True)
    numbers = [value for name in ("start", "rows") for value in sent.get(name, [])]
    if "criteria" not in sent or not all(number.lstrip("-").isdecimal() for number in numbers):
        return Response(status_code=422)
    return JSONResponse([])


def fields(request: Request) -> Response:
    known = request.path_params == {"dataset": "oa_citations", "version": "v1"}
    return JSONResponse("title,year") if known else JSONResponse("unknown", 404)


def datasets() -> Starlette:
    return app(
        {
            "/": {"GET": lambda _: JSONResponse({"total": 0, "apis": []})},
            "/{dataset}/{version}/fields": {"GET": fields},
            "/{dataset}/{version}/records": {"POST": search},
        }
    )


# A board that a key may read; its squares require a token that no client here has.
def board(request: Request) -> Response:
    if request.headers.get("api-key") != KEY:
        return PlainTextResponse("no key", 401)
    return JSONResponse({"winner": ".", "board": [["."] * 3] * 3})


def square(request: Request) -> Response:
    return PlainTextResponse("no token", 401)


def open_square(request: Request) -> Response:
    coordinates = request.path_params.values()
    if any(value not in ("1", "2", "3") for value in coordinates):
        return PlainTextResponse("Illegal coordinates", 400)
    return JSONResponse(".")


def game(look: Answer) -> Starlette:
    squares: Mapping[str, Answer] = {"GET": look, "PUT": square}
    return app({"/board": {"GET": board}, "/board/{row}/{column}": squares})


SQUARE = "/paths/~1board~1{row}~1{column}/get"
PULLS = "/paths/~12.0~1repositories~1{username}~1{slug}~1pullrequests/get"


@pytest.mark.parametrize(
    ("name", "server", "expected"),
    [
        ("oas-link-example-3.0.yaml", repositories(pulls), set()),
        (
            "oas-link-example-3.0.yaml",
            repositories(all_pulls),
            {("invalid-accepted", f"{PULLS}/parameters/2")},
        ),
        ("oas-uspto-3.0.yaml", datasets(), set()),
        ("oas-tictactoe-3.1.yaml", game(square), set()),
        # Of several schemes each operation is asked with its own.
        ("oas-tictactoe-3.1.yaml", game(open_square), {("credentials-ignored", SQUARE)}),
    ],
)
def test_what_is_proved_is_what_is_wrong(
    corpus: Path, name: str, server: Starlette, expected: set[tuple[str, str]]
) -> None:
    document = upgrade(load(corpus / "specs" / name))
    record = Record()
    with (
        Server(server) as served,
        TargetServer(served.url, Credential.of(document), record, {MAIN: KEY}) as target,
    ):
        # What was found before has the ids that are there; this document has none.
        for path in ("/2.0/repositories/ada/engine/pullrequests", "/unknown"):
            target.send(target.request("GET", path), "scenarios", PULLS)
        fuzz(Contract(document), target, FuzzingLimits(60, 10, processes=1), 1)
    assert {(violation.rule, violation.pointer) for violation in record.violations} == expected
    assert not record.skips
    made_up = [exchange for exchange in record.exchanges if exchange.source == "fuzzing"]
    assert any(each.response and each.response.is_success for each in made_up)
