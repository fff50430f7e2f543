"""`specwright check-traffic`: recordings are checked against the document and HAR 1.2."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.recording import har
from specwright.document.sources.load import load
from tests.conformance.shop import DOCUMENT, KEYS
from tests.conformance.test_scenarios import run
from tests.conftest import Run

Har = dict[str, Any]
Change = Callable[[Har], object]


@pytest.fixture(scope="module")
def recorded() -> tuple[str, str]:
    """The traffic of a run against the right shop, and its base URL."""
    done = run()
    return json.dumps(har.render(done.record.exchanges)), done.target.base_url


@pytest.fixture
def check(specwright: Run, recorded: tuple[str, str], tmp_path: Path) -> Callable[..., Any]:
    text, base_url = recorded

    def checked(change: Change = lambda value: None, *options: str) -> Any:
        value = json.loads(text)
        change(value)
        path = tmp_path / "traffic.har"
        path.write_text(json.dumps(value), "utf-8")
        given = ("--document", str(DOCUMENT), "--base-url", base_url, *options)
        return specwright("check-traffic", str(path), *given)

    return checked


def answers(value: Har, method: str, status: int) -> list[dict[str, Any]]:
    entries = value["log"]["entries"]
    found = [entry for entry in entries if entry["request"]["method"] == method]
    return [each["response"] for each in found if each["response"]["status"] == status]


def test_traffic_of_a_right_implementation_has_no_finding(check: Callable[..., Any]) -> None:
    done = check()
    assert (done.returncode, done.stderr) == (0, "")
    assert "no findings" in done.stdout


def test_a_wrong_answer_is_found_with_its_request(check: Callable[..., Any]) -> None:
    def break_one(value: Har) -> None:
        created = answers(value, "POST", 201)[0]["content"]
        created["text"] = json.dumps({**json.loads(created["text"]), "quantity": "two"})

    done = check(break_one, "--format", "json")
    assert done.returncode == 1
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["rule"] == "response-schema"
    assert any("curl --request POST" in each["text"] for each in finding["evidence"])
    assert not any(key in done.stdout for key in KEYS)


def asked(value: Har, method: str, path: str, **answer: Any) -> Har:
    """Add a request that was answered with JSON and 200, or otherwise, to a recording."""
    first = value["log"]["entries"][0]
    base = first["request"]["url"].partition("/v1/")[0]
    response = {"status": 200, "headers": [], "content": {"size": 2, "text": "{}"}, **answer}
    request = {"method": method, "url": f"{base}/v1{path}", "headers": []}
    entry = {**first, "request": request, "response": response}
    value["log"]["entries"].append(entry)
    return entry


def found_in(done: Any, rule: str) -> list[dict[str, Any]]:
    return [finding for finding in json.loads(done.stdout)["findings"] if finding["rule"] == rule]


def test_what_answers_and_is_not_in_the_document_is_found(check: Callable[..., Any]) -> None:
    html = [{"name": "Content-Type", "value": "text/html; charset=utf-8"}]

    def use_others(value: Har) -> None:
        for path in ("/shadow/7?x=1", "/shadow/12", "/shadow/0b6c1f8e-6e3b-4d2a-9d43-1f0f8b1f1f10"):
            asked(value, "GET", path)
        asked(value, "PATCH", "/orders/7")
        asked(value, "GET", "/docs", headers=html)
        asked(value, "OPTIONS", "/orders")
        asked(value, "HEAD", "/orders")
        asked(value, "GET", "/nothing", status=404)

    done = check(use_others, "--format", "json")
    found = found_in(done, "undocumented-operation")
    assert {each["level"] for each in found} == {"warning"}
    assert sorted(each["message"] for each in found) == [
        "GET /v1/shadow/{id} was answered 200",
        "PATCH /orders/{order_id} was answered 200",
    ]
    assert {each["pointer"] for each in found} == {"/paths", "/paths/~1orders~1{order_id}"}


@pytest.mark.parametrize(
    ("posted", "message"),
    [
        ({"text": '{"item": 7}'}, "POST /orders accepted"),
        ({"text": "{"}, "POST /orders accepted a body that is not JSON: 201"),
        (None, "POST /orders accepted a request without its body: 201"),
    ],
)
def test_a_request_that_breaks_its_schema_and_is_accepted_is_found(
    check: Callable[..., Any], posted: dict[str, str] | None, message: str
) -> None:
    def break_request(value: Har) -> None:
        entries = value["log"]["entries"]
        created = next(e for e in entries if e["response"]["status"] == 201)["request"]
        if posted is None:
            del created["postData"]
            named = [e for e in created["headers"] if e["name"].lower() != "content-type"]
            created["headers"] = named
        else:
            created["postData"]["text"] = posted["text"]

    (found,) = found_in(check(break_request, "--format", "json"), "invalid-accepted")
    assert message in found["occurrences"][0]["message"]


def test_a_body_that_was_not_recorded_is_not_judged(check: Callable[..., Any]) -> None:
    def forget(value: Har) -> None:
        for entry in value["log"]["entries"]:
            entry["request"].get("postData", {}).pop("text", None)

    done = check(forget)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no findings" in done.stdout


def test_an_answer_in_base64_is_read(check: Callable[..., Any]) -> None:
    def encode(value: Har) -> None:
        for method, status in (("GET", 200), ("POST", 201)):
            for response in answers(value, method, status):
                content = response["content"]
                content["text"] = b64encode(content["text"].encode()).decode()
                content["encoding"] = "base64"

    done = check(encode)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_went_elsewhere_or_is_not_whole_is_counted(check: Callable[..., Any]) -> None:
    def lose(value: Har) -> None:
        first, second, third, *_ = value["log"]["entries"]
        first["request"]["url"] = "https://elsewhere.example/v1/items"
        del second["response"]["content"]["text"]
        third["response"]["status"] = 0

    done = check(lose, "--format", "json")
    assert done.returncode == 0
    facts = {fact["label"]: fact["value"] for fact in json.loads(done.stdout)["facts"]}
    assert facts["Elsewhere"] == "1"
    assert facts["Without a complete response"] == "2"


def test_traffic_of_another_server_is_refused(check: Callable[..., Any]) -> None:
    done = check(lambda value: None, "--base-url", "https://elsewhere.example/v1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "has no request to https://elsewhere.example/v1" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "log.entries is missing"),
        ("\x00", "log.entries is missing"),
        ("[" * 100_000, "log.entries is missing"),
        ('{"log": {"entries": {}}}', "log.entries is missing"),
        ('{"log": {"entries": [7]}}', "log.entries[0]"),
        ('{"log": {"entries": [{"request": null}]}}', "log.entries[0]"),
    ],
)
def test_a_file_that_is_no_har_is_refused(
    specwright: Run, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "traffic.har"
    path.write_text(text, "utf-8")
    place = ("--document", str(DOCUMENT), "--base-url", "http://127.0.0.1")
    done = specwright("check-traffic", str(path), *place)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not a HAR" in done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_written_is_har_1_2(recorded: tuple[str, str]) -> None:
    log = json.loads(recorded[0])["log"]
    assert log["version"] == "1.2"
    assert log["creator"]["name"] == "specwright"
    for entry in log["entries"]:
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
        assert entry["startedDateTime"].endswith("Z")
        assert {"method", "url", "httpVersion", "headers", "queryString"} <= set(entry["request"])
        assert {"status", "statusText", "headers", "content"} <= set(entry["response"])
        assert {"size", "mimeType"} <= set(entry["response"]["content"])


def test_what_is_written_is_read_again(recorded: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "traffic.har"
    path.write_text(recorded[0], "utf-8")
    found = har.read(path)
    assert found.incomplete == 0
    entries = json.loads(recorded[0])["log"]["entries"]
    assert [exchange.request.url for exchange in found.exchanges] == [
        e["request"]["url"] for e in entries
    ]
    assert [e["response"]["status"] for e in entries] == [
        exchange.response.status for exchange in found.exchanges if exchange.response
    ]


def test_a_request_is_for_the_path_without_variables_first() -> None:
    routes = ContractRoutes(Contract(load(DOCUMENT)), "http://127.0.0.1/v1")
    found = routes.operation("GET", "http://127.0.0.1/v1/orders/7?x=1")
    assert found is not None
    assert found.name == "GET /orders/{order_id}"
    assert routes.operation("PATCH", "http://127.0.0.1/v1/orders/7") is None


def test_an_operation_that_the_document_gets_wrong_is_named(
    check: Callable[..., Any], tmp_path: Path
) -> None:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    document["paths"]["/credit"]["get"]["responses"]["200"]["content"] = "none"
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(document, indent=1), "utf-8")
    report = json.loads(
        check(lambda value: None, "--document", str(path), "--format", "json").stdout
    )
    (table,) = [table for table in report["tables"] if table["title"] == "Left out"]
    # Those whose declarations refer to it are not tested either.
    operations = {operation for operation, _, _ in table["rows"]}
    assert operations == {"GET /credit", "POST /orders", "POST /reset"}
    assert all(place.startswith(f"{path}:") for _, place, _ in table["rows"])
