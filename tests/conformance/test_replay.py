"""A failure is judged by its rule on a server that is fixed, still broken, or restarted."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from specwright.cli import cli
from specwright.conformance.checks.access.ignored_credentials import CREDENTIALS_IGNORED
from specwright.conformance.checks.access.isolation import ISOLATION
from specwright.conformance.checks.access.permission import PERMISSION
from specwright.conformance.checks.lifecycle.deletion import DELETED_IS_GONE
from specwright.conformance.checks.limits.rate_limits import OVER_RATE_LIMIT
from specwright.conformance.checks.lists.collections import CREATED_IS_FOUND
from specwright.conformance.checks.lists.paging import PAGE_SEQUENCE
from specwright.conformance.checks.requests.accepted import INVALID_ACCEPTED
from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.checks.requests.validation import VALID_REFUSED
from specwright.conformance.checks.responses.bodies import RESPONSE_SCHEMA
from specwright.conformance.checks.responses.statuses import UNDECLARED_STATUS
from specwright.conformance.checks.verdicts import Repetition
from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.driver import Driver
from specwright.conformance.driver.roles import OTHER_TENANT
from specwright.conformance.driver.target import TargetServer
from specwright.conformance.outcome.replay import in_body, in_path, judge
from specwright.conformance.outcome.result import FILE, render
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.origins import Origins, renamed
from specwright.conformance.recording.record import Record, Violation
from specwright.conformance.run import RunProfile, begin
from specwright.document.operations.security import Credential
from specwright.document.sources.load import load
from tests.conformance.test_command import Exchange as Answering
from tests.conformance.test_command import playing

KEY = "test-key-of-anna-00000001"
ITEM = {
    "type": "object",
    "required": ["id", "price"],
    "properties": {"id": {"type": "string"}, "price": {"type": "integer"}},
}


def answer(schema: object = None, **headers: object) -> dict[str, Any]:
    content = {"content": {"application/json": {"schema": schema}}} if schema else {}
    return {"description": "…", "headers": headers, **content}


PLACE = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
LOCATION = {"required": True, "schema": {"type": "string"}}
PRICE = {"type": "object", "required": ["price"], "properties": {"price": {"type": "integer"}}}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Items", "version": "1"},
    "security": [{"key": []}],
    "paths": {
        "/items": {
            "post": {
                "operationId": "createItem",
                "requestBody": {
                    "content": {"application/json": {"schema": PRICE, "example": {"price": 1}}}
                },
                "responses": {"201": answer(ITEM, Location=LOCATION), "422": answer()},
            }
        },
        "/items/{id}": {
            "get": {
                "operationId": "getItem",
                "parameters": [PLACE],
                "responses": {"200": answer(ITEM), "404": answer(), "401": answer()},
            },
            "delete": {
                "operationId": "deleteItem",
                "parameters": [PLACE],
                "responses": {"204": answer(), "404": answer()},
            },
        },
    },
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
}


class Items:
    """A server of items; each start gives other ids. `bugs` are its mistakes."""

    def __init__(self, start: str, *bugs: str) -> None:
        self.start, self.bugs = start, bugs
        self.items: dict[str, object] = {}
        self.numbers = count(1)

    def respond(self, exchange: Answering) -> None:
        identifier = exchange.path.rpartition("/")[2]
        if exchange.headers["x-key"] != KEY and "no authentication" not in self.bugs:
            exchange.answer(401)
        elif exchange.command == "POST":
            if "full" in self.bugs:
                exchange.answer(422)
                return
            made = f"itm-{self.start}-{next(self.numbers)}"
            self.items[made] = {"id": made, "price": "1" if "text" in self.bugs else 1}
            place = {} if "no location" in self.bugs else {"location": f"/items/{made}"}
            exchange.answer(201, json.dumps(self.items[made]).encode(), **place)
        elif identifier not in self.items:
            exchange.answer(404)
        elif exchange.command == "DELETE":
            del self.items[identifier]
            exchange.answer(204, b"")
        elif "fails" in self.bugs:
            exchange.answer(500)
        else:
            exchange.answer(200, json.dumps(self.items[identifier]).encode())


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return path


def after_a_run(document: Path, *bugs: str) -> tuple[Path, dict[str, str]]:
    """The result of a run, and its failures by rule and method."""
    contract = Contract(load(document))
    with playing(Items("first", *bugs).respond) as port:
        keys = {"main": KEY}
        url = f"http://127.0.0.1:{port}"
        with TargetServer(url, Credential.of(contract.document), Record(), keys) as target:
            run = begin(contract, target, RunProfile.QUICK, 1)
            explore(Driver(contract, target, "scenarios"))
    path = document.with_name(FILE)
    path.write_text(json.dumps(render(run, [])), "utf-8")
    return path, {
        f"{failure['rule']} {failure['requests'][-1]['method']}": failure["id"]
        for failure in json.loads(path.read_text("utf-8"))["failures"]
    }


def replayed(result: Path, failure: str, server: Items | Orders, *arguments: str) -> Result:
    """Return the result of replaying a failure on another server."""
    with playing(server.respond) as port:
        value = json.loads(result.read_text("utf-8")) | {"target": f"http://127.0.0.1:{port}"}
        result.write_text(json.dumps(value), "utf-8")
        command = ["replay", str(result), failure, "--api-key-env", "KEY", *arguments]
        return CliRunner().invoke(cli, command, env={"KEY": KEY})


HEADER, SCHEMA, FAILS = "response-header POST", "response-schema GET", "server-error GET"


@pytest.mark.parametrize(
    ("bug", "failure", "expected"),
    [
        ("no location", HEADER, "fixed: the response is as declared (201)"),
        ("text", SCHEMA, "fixed: the response is as declared (200)"),
        ("fails", FAILS, "fixed: the status is a declared one (200)"),
    ],
)
def test_a_failure_is_fixed_on_a_server_that_was_mended_and_started_again(
    document: Path, bug: str, failure: str, expected: str
) -> None:
    result, failures = after_a_run(document, bug)
    done = replayed(result, failures[failure], Items("second"))
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == expected


@pytest.mark.parametrize(
    ("bug", "failure"), [("no location", HEADER), ("text", SCHEMA), ("fails", FAILS)]
)
def test_a_failure_is_still_there_after_a_mere_start(
    document: Path, bug: str, failure: str
) -> None:
    result, failures = after_a_run(document, bug)
    done = replayed(result, failures[failure], Items("second", bug))
    assert done.exit_code == 1, done.output
    assert done.output.splitlines()[-1].startswith("still broken: ")


def test_what_the_failure_needs_is_made_and_the_answers_are_shown_beside_each_other(
    document: Path,
) -> None:
    result, failures = after_a_run(document, "text")
    lines = replayed(result, failures[SCHEMA], Items("second")).output.splitlines()
    assert lines[1].startswith("first POST http://127.0.0.1:")
    assert lines[1].endswith("/items: 201")
    assert lines[2].endswith("/items/itm-second-1")
    before, now = lines.index("  before:"), lines.index("  now:")
    assert '    {"id": "itm-first-1", "price": "1"}' in lines[before:now]
    assert '    {"id": "itm-second-1", "price": 1}' in lines[now:]
    assert KEY not in "".join(lines)


def test_what_cannot_be_made_leaves_the_failure_unjudged(document: Path) -> None:
    result, failures = after_a_run(document, "text")
    done = replayed(result, failures[SCHEMA], Items("second", "full"))
    assert done.exit_code == 2
    last = done.output.splitlines()[-1]
    assert last == "cannot be judged: POST /items, which creates a prerequisite: 422"


def test_a_key_that_is_refused_judges_nothing(document: Path) -> None:
    result, failures = after_a_run(document, "no location")
    with playing(lambda exchange: exchange.answer(401)) as port:
        value = json.loads(result.read_text("utf-8")) | {"target": f"http://127.0.0.1:{port}"}
        result.write_text(json.dumps(value), "utf-8")
        command = ["replay", str(result), failures[HEADER], "--api-key-env", "KEY"]
        done = CliRunner().invoke(cli, command, env={"KEY": KEY})
    assert done.exit_code == 2, done.output
    assert "refused because of its key (401)" in done.output.splitlines()[-1]


def test_the_document_of_the_run_may_have_moved(document: Path) -> None:
    result, failures = after_a_run(document, "text")
    moved = document.rename(document.with_name("moved.json"))
    done = CliRunner().invoke(
        cli, ["replay", str(result), failures[SCHEMA], "--api-key-env", "KEY"], env={"KEY": KEY}
    )
    assert done.exit_code == 2
    assert "openapi.json" in done.output
    done = replayed(result, failures[SCHEMA], Items("second"), "--document", str(moved))
    assert done.exit_code == 0, done.output


# --- repeated requests with a key ------------------------------------------------------------

REPLAY = {"status": 201, "header": "Replayed", "value": "true"}
BY_HEADER = {"header": "Request-Key", "replay": REPLAY, "scope": ["account"]}
BY_MEMBER = {"key": "/reference", "replay": {"status": 201}, "scope": ["account"]}
TEXT = {"type": "string"}


def orders(idempotency: dict[str, Any]) -> dict[str, Any]:
    """Return a document whose orders are created once for each key."""
    reference = {"reference": TEXT} if "key" in idempotency else {}
    properties = {"price": {"type": "integer"}, **reference}
    order = {"type": "object", "required": list(properties), "properties": properties}
    made = {"type": "object", "required": ["id"], "properties": {"id": TEXT}}
    header = idempotency.get("header")
    return {
        "openapi": "3.1.0",
        "info": {"title": "Orders", "version": "1"},
        "paths": {
            "/orders": {
                "post": {
                    "operationId": "createOrder",
                    "x-contract-idempotency": idempotency,
                    "parameters": [{"name": header, "in": "header", "schema": TEXT}]
                    if header
                    else [],
                    "requestBody": {"content": {"application/json": {"schema": order}}},
                    "responses": {"201": answer(made, Replayed={"schema": TEXT}), "422": answer()},
                }
            }
        },
    }


class Orders:
    """A server of orders, which may forget the keys of requests."""

    def __init__(self, *, forgets: bool) -> None:
        self.forgets, self.made, self.numbers = forgets, dict[str, bytes](), count(1)

    def respond(self, exchange: Answering) -> None:
        try:
            body = json.loads(exchange.sent)
            price, key = body["price"], body.get("reference") or exchange.headers["request-key"]
        except (ValueError, KeyError, TypeError, AttributeError):
            price, key = None, None
        if exchange.command != "POST":
            exchange.answer(405, allow="POST")
        elif type(price) is not int or (key is not None and not isinstance(key, str)):
            exchange.answer(422)
        elif key in self.made and not self.forgets:
            exchange.answer(201, self.made[key], replayed="true")
        else:
            order = json.dumps({"id": f"order-{next(self.numbers)}"}).encode()
            self.made[str(key)] = order
            exchange.answer(201, order)


@pytest.fixture(scope="module", params=[BY_HEADER, BY_MEMBER], ids=["header", "member"])
def forgotten(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """The result of a run of `specwright test`, and its failure about a forgotten key."""
    directory = tmp_path_factory.mktemp("run")
    document = directory / "openapi.json"
    document.write_text(json.dumps(orders(request.param)), "utf-8")
    with playing(Orders(forgets=True).respond) as port:
        command = ["test", f"http://127.0.0.1:{port}", "--document", str(document)]
        command += ["--report-dir", str(directory), "--max-time", "4"]
        run = CliRunner().invoke(cli, command)
    assert run.exit_code == 1, run.output
    failures = json.loads((directory / FILE).read_text("utf-8"))["failures"]
    failure = next(each["id"] for each in failures if each["rule"] == "idempotency-replay")
    return directory / FILE, failure


@pytest.mark.parametrize(
    ("forgets", "exit_code", "verdict"),
    [
        (False, 0, "fixed: the repeated request gets the first response"),
        (True, 1, "still broken: the repeated request gets a different response"),
    ],
)
def test_a_repeated_request_is_judged_by_its_own_declaration(
    forgotten: tuple[Path, str], forgets: bool, exit_code: int, verdict: str
) -> None:
    done = replayed(*forgotten, Orders(forgets=forgets))
    assert done.exit_code == exit_code, done.exception or done.output
    assert done.output.splitlines()[-1].startswith(verdict)


# --- single rules ----------------------------------------------------------------------------


def exchange(status: int, role: str = "main", body: bytes = b"{}", url: str = "/a") -> Exchange:
    request = HttpRequest("GET", f"http://127.0.0.1{url}", ())
    return Exchange(1, "scenarios", role, None, request, HttpResponse(status, (), body), None, 0, 0)


@pytest.mark.parametrize(
    ("rule", "before", "now", "is_fixed"),
    [
        (INVALID_ACCEPTED, 201, 422, True),
        (INVALID_ACCEPTED, 201, 200, False),
        (INVALID_ACCEPTED, 201, 404, None),
        (INVALID_ACCEPTED, 201, 429, None),
        (INVALID_ACCEPTED, 201, 403, None),
        (VALID_REFUSED, 422, 201, True),
        (VALID_REFUSED, 422, 422, False),
        (VALID_REFUSED, 422, 409, None),
        (DELETED_IS_GONE, 200, 404, True),
        (DELETED_IS_GONE, 200, 200, False),
        (CREATED_IS_FOUND, 404, 200, True),
        (CREATED_IS_FOUND, 404, 404, False),
        (CREDENTIALS_IGNORED, 200, 401, True),
        (CREDENTIALS_IGNORED, 200, 403, False),
        (PERMISSION, 200, 403, True),
        (UNDECLARED_STATUS, 418, 200, True),
        (UNDECLARED_STATUS, 418, 404, None),
        (RESPONSE_SCHEMA, 200, 404, None),
        (RESPONSE_SCHEMA, 404, 404, True),
        (PAGE_SEQUENCE, 200, 200, None),
        (OVER_RATE_LIMIT, 200, 200, None),
    ],
)
def test_each_rule_is_judged_by_what_it_asks_for(
    document: Path, rule: str, before: int, now: int, is_fixed: bool | None
) -> None:
    given = (rule, "/paths", [HttpResponse(before, (), b"{}")], [exchange(now)], Record())
    verdict = judge(Repetition(Contract(load(document)), *given))
    assert verdict.is_fixed is is_fixed, verdict.words
    assert verdict.words


@pytest.mark.parametrize(
    ("now", "is_fixed"),
    [
        (exchange(404, OTHER_TENANT, url="/items/itm-2"), True),
        (exchange(200, OTHER_TENANT, url="/items/itm-2"), False),
        (exchange(200, OTHER_TENANT, b'[{"id": "itm-2"}]'), False),
        (exchange(200, OTHER_TENANT, b"[]"), True),
    ],
)
def test_what_was_made_again_is_looked_for_in_what_another_partner_gets(
    document: Path, now: Exchange, is_fixed: bool
) -> None:
    before = [HttpResponse(200, (), b"{}")]
    contract = Contract(load(document))
    rule = ISOLATION
    made = Repetition(contract, rule, "/paths", before, [now], Record(), frozenset({"itm-2"}))
    assert judge(made).is_fixed is is_fixed
    assert judge(Repetition(contract, rule, "/paths", before, [now], Record())).is_fixed is None


def test_a_violation_of_the_rule_that_the_monitors_see_is_the_failure(document: Path) -> None:
    record = Record()
    again = record.add(exchange(200))
    record.violate(Violation("response-schema", "/paths", "no id", (again,)))
    given = ("response-schema", "/paths", [HttpResponse(200, (), b"{}")], [again], record)
    verdict = judge(Repetition(Contract(load(document)), *given))
    assert (verdict.is_fixed, verdict.words) == (False, "no id")


# --- what made a value -----------------------------------------------------------------------


def sent(number: int, method: str, path: str, body: object, answered: object) -> Exchange:
    request = HttpRequest(method, f"http://127.0.0.1{path}", (), json.dumps(body).encode())
    response = HttpResponse(201, (), json.dumps(answered).encode())
    return Exchange(number, "scenarios", "main", None, request, response, None, 0, 0)


def test_makers_come_in_their_order_and_none_that_is_not_needed() -> None:
    user = sent(1, "POST", "/users", {}, {"data": {"id": 7, "age": 9}})
    other = sent(2, "POST", "/users", {}, {"data": {"id": 8}})
    post = sent(3, "POST", "/posts", {"user_id": 7}, {"post": "p-00001"})
    deleted = sent(4, "DELETE", "/posts/p-00001", None, None)
    read = sent(5, "GET", "/posts/p-00001", None, None)
    later = sent(6, "POST", "/posts", {}, {"post": "p-00001"})
    origins = Origins([user, other, post, deleted, read, later], {"", "users", "posts"})
    assert origins.of([deleted, read]) == (user, post)
    assert origins.of([sent(7, "GET", "/nothing/9", None, None)]) == ()


def test_the_ten_nearest_makers_are_enough() -> None:
    chain = [
        sent(number, "POST", f"/parts/part-{number - 1:04}", None, {"id": f"part-{number:04}"})
        for number in range(1, 16)
    ]
    makers = Origins(chain, {"parts"}).of(chain[-1:])
    assert [maker.number for maker in makers] == list(range(5, 15))


def test_new_values_take_the_places_of_old_ones_and_of_nothing_else() -> None:
    before = HttpResponse(
        201, (("Location", "/a/x-000001"),), b'{"id": 1, "n": 1, "at": "2026-01-01"}'
    )
    now = HttpResponse(
        201, (("Location", "/a/x-000002"),), b'{"id": 2, "n": 3, "at": "2026-01-02"}'
    )
    names = renamed(before, now)
    assert names == {"x-000001": "x-000002", "1": "2", "2026-01-01": "2026-01-02"}
    assert in_path("/a/1/b/x-000001/11?c=1&at=2026-01-01", names) == (
        "/a/2/b/x-000002/11?c=2&at=2026-01-02"
    )
    assert json.loads(in_body(b'{"item_id": 1, "count": 1, "to": "/a/x-000001"}', names)) == {
        "item_id": 2,
        "count": 1,
        "to": "/a/x-000002",
    }
    assert in_body(b'{"a" : 1}', names) == b'{"a" : 1}'
