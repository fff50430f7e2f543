"""Secrets under well-known names are in no report, and everything else stays as it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.hidden import conceal
from specwright.conformance.driver.roles import MAIN
from specwright.conformance.outcome.evidence import judged
from specwright.conformance.recording import har
from specwright.conformance.recording.concealment import Concealment, is_secret
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.recording.record import Record, Violation
from specwright.document.sources.load import load
from specwright.findings import Report
from specwright.http_messages import Headers
from specwright.report.formats import FILES, FORMATS
from tests.conformance.test_command import Exchange as Answering
from tests.conformance.test_command import playing
from tests.conftest import Run

JSON: Headers = (("Content-Type", "application/json"),)
FORM: Headers = (("Content-Type", "application/x-www-form-urlencoded"),)
MULTIPART: Headers = (("Content-Type", "multipart/form-data; boundary=b"),)
PUBLISHED = "published-in-the-document"


def exchange(
    source: str = "scenarios",
    url: str = "http://127.0.0.1/things",
    sent: Headers = (),
    body: bytes | None = None,
    answered: Headers = (),
    answer: bytes = b"",
) -> Exchange:
    request, response = HttpRequest("POST", url, sent, body), HttpResponse(200, answered, answer)
    return Exchange(1, source, MAIN, None, request, response, None, 0, 0)


def concealed(given: Exchange) -> tuple[str, set[str]]:
    """All texts of an exchange, and the values that were found."""
    concealment = Concealment(PUBLISHED.__eq__)
    changed = concealment(given)
    assert changed.response is not None
    shown = (changed.request, changed.request.headers, changed.request.body)
    return f"{shown} {changed.response.headers} {changed.response.body!r}", concealment.values


SECRET = "canary-4f1c90d2"
PLACES: dict[str, Exchange] = {
    "a cookie that is set": exchange(answered=(("Set-Cookie", f"sid={SECRET}; Path=/"),)),
    "a cookie that is sent": exchange(sent=(("cookie", f"theme=dark; sid={SECRET}"),)),
    "a token header": exchange(answered=(("X-Auth-Token", SECRET),)),
    "credentials": exchange(sent=(("Authorization", f"Bearer {SECRET}"),)),
    "a place to go to": exchange(answered=(("Location", f"/a?x=1#access_token={SECRET}&y=2"),)),
    "a query": exchange("traffic", url=f"http://127.0.0.1/a?x=1&api_key={SECRET}&y=2"),
    "a form": exchange("traffic", sent=FORM, body=f"grant=x&client_secret={SECRET}".encode()),
    "a field": exchange(
        "traffic",
        sent=MULTIPART,
        body=(
            b'--b\r\nContent-Disposition: form-data; name="password"\r\n'
            b"Content-Type: text/plain\r\n\r\n" + SECRET.encode() + b"\r\n--b--\r\n"
        ),
    ),
    "a body": exchange("traffic", sent=JSON, body=json.dumps({"password": SECRET}).encode()),
    "an answer": exchange(answered=JSON, answer=json.dumps({"access_token": SECRET}).encode()),
    "an answer of no known type": exchange(answer=json.dumps({"idToken": SECRET}).encode()),
    "a list in a list": exchange(answer=json.dumps([[{"refresh-token": [SECRET]}]]).encode()),
    "a member of a secret": exchange(answer=json.dumps({"token": {"jwt": SECRET}}).encode()),
    "lines of JSON": exchange(answer=f'{{"a": 1}}\n{{"jwt":"{SECRET}"}}\n'.encode()),
    "JSON that is too deep": exchange(
        answer=f'{{"token": "{SECRET}", "a": {"[" * 9_000}{"]" * 9_000}}}'.encode()
    ),
    "a body that is not UTF-8": exchange(
        answer=b'{"jwt": "' + SECRET.encode() + b'", "b": "\xff"}'
    ),
    "a delivery": exchange("webhooks", body=json.dumps({"secret": SECRET}).encode()),
}


@pytest.mark.parametrize("given", PLACES.values(), ids=PLACES)
def test_a_secret_is_found_by_its_name(given: Exchange) -> None:
    shown, found = concealed(given)
    assert SECRET not in shown
    assert "[redacted]" in shown
    assert SECRET in found


def test_what_stands_beside_a_secret_stays() -> None:
    changed = Concealment(PUBLISHED.__eq__)
    cookie = changed(PLACES["a cookie that is set"]).response
    assert cookie is not None and cookie.header("set-cookie") == "sid=[redacted]; Path=/"
    assert changed(PLACES["a query"]).request.url == (
        "http://127.0.0.1/a?x=1&api_key=[redacted]&y=2"
    )
    assert changed(PLACES["a form"]).request.body == b"grant=x&client_secret=[redacted]"
    credentials = changed(PLACES["credentials"]).request
    assert credentials.header("authorization") == "Bearer [redacted]"


@pytest.mark.parametrize(
    "body",
    [b'{"a" : "\xc3\xa9",\n "password_hint": 1.50}', b'{"password": null}', b"\xff\x00", b"x=1"],
)
def test_a_body_without_secrets_keeps_its_bytes(body: bytes) -> None:
    given = exchange("traffic", sent=JSON, body=body, answered=JSON, answer=body)
    assert Concealment(PUBLISHED.__eq__)(given) == given


def test_a_value_that_the_test_makes_up_stays_in_what_it_sends() -> None:
    body = json.dumps({"password": "x" * 73}).encode()
    url = "http://127.0.0.1/a?token=%00"
    for source in ("scenarios", "fuzzing"):
        given = exchange(source, url, JSON, body)
        assert Concealment(PUBLISHED.__eq__)(given) == given


@pytest.mark.parametrize(
    ("source", "is_own"), [("scenarios", True), ("fuzzing", True), ("traffic", False)]
)
def test_a_value_that_the_test_makes_up_is_no_secret_where_a_server_returns_it(
    source: str, is_own: bool
) -> None:
    value = "a made-up session"
    echo = {"sessionId": value}
    answer = json.dumps({"context": echo, "token": SECRET}).encode()
    given = exchange(source, sent=JSON, body=json.dumps(echo).encode(), answer=answer)
    shown, found = concealed(given)
    assert SECRET not in shown
    assert found == ({SECRET} if is_own else {SECRET, value})
    assert shown.count(value) == (2 if is_own else 0)


def test_a_secret_that_stands_in_the_document_is_hidden_where_it_is_one_and_nowhere_else() -> None:
    shown, found = concealed(exchange(sent=JSON, body=json.dumps({"password": PUBLISHED}).encode()))
    assert PUBLISHED not in shown
    assert not found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((each, True) for each in ("X-Auth-Token", "accessToken", "refresh_token", "PASSWORD")),
        *((each, False) for each in ("next_page_token", "tokens", "author", "secretary", "id")),
    ],
)
def test_names_are_known_in_every_spelling_and_as_a_whole(name: str, expected: bool) -> None:
    assert is_secret(name) is expected


# --- all outputs -----------------------------------------------------------------------------

SIX = {
    "session": "canary-session-71c0",
    "header": "canary-header-0b5e",
    "access": "canary-access-93aa",
    "refresh": "canary-refresh-6d14",
    "identity": "canary-identity-58f2",
    "password": "canary-password-2e07",
}
BODY = {
    "user": {"access_token": SIX["access"], "refresh_token": SIX["refresh"]},
    "all": [{"id_token": SIX["identity"]}],
    "password": SIX["password"],
    # What has no such name, and repeats one.
    "note": f"your session is {SIX['session']}",
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Sessions", "version": "1"},
    "paths": {
        "/session": {
            "get": {
                "operationId": "getSession",
                "responses": {
                    "200": {
                        "description": "…",
                        "content": {"application/json": {"schema": {"required": ["missing"]}}},
                    }
                },
            }
        }
    },
}


def respond(exchange: Answering) -> None:
    exchange.answer(
        200,
        json.dumps(BODY).encode(),
        set_cookie=f"sid={SIX['session']}; HttpOnly",
        x_auth_token=SIX["header"],
    )


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return path


def shown(text: str) -> Iterator[str]:
    return (name for name, secret in SIX.items() if secret in text)


def test_none_of_six_secrets_is_in_what_a_run_writes(
    specwright: Run, document: Path, tmp_path: Path
) -> None:
    reports = tmp_path / "reports"
    with playing(respond) as port:
        url = f"http://127.0.0.1:{port}"
        place = ("--document", str(document), "--report-dir", str(reports), "--seed", "1")
        run = specwright("test", url, *place, "--format", "github")
    assert run.returncode == 1, run.stdout + run.stderr
    files = {path.name: path.read_text("utf-8") for path in reports.iterdir()}
    assert len(files) == len(FILES) + 2
    outputs = {**files, "stdout": run.stdout, "stderr": run.stderr}
    assert {name: each for name, text in outputs.items() if (each := list(shown(text)))} == {}
    # They were there to be found.
    for name in ("report.har", "report.html", "report.md", "report.sarif", "stdout"):
        assert "redacted" in outputs[name], name


RENDER: dict[str, Callable[[Report], str]] = dict(FORMATS)


@pytest.mark.parametrize("render", RENDER.values(), ids=RENDER)
def test_none_of_six_secrets_is_in_any_format(
    render: Callable[[Report], str], document: Path
) -> None:
    contract, record = Contract(load(document)), Record()
    answered = (("Set-Cookie", f"sid={SIX['session']}"), ("X-Auth-Token", SIX["header"]))
    given = record.add(exchange(answered=answered, answer=json.dumps(BODY).encode()))
    record.violate(Violation("order", "/paths", f"said {SIX['access']}", (given,)))
    redaction = conceal(contract, record, ())
    report = redaction.report(Report("openapi.json", judged(contract, record).findings))
    assert list(shown(render(report))) == []
    assert list(shown(json.dumps(redaction.value(har.render(record.exchanges))))) == []
