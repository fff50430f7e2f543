"""The content of a HAR recording, and the exchanges that belong to a base URL."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specwright.conformance.contract.contract import Contract
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.recording import har
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.conformance.traffic import credentials, watch
from specwright.document.sources.load import load
from specwright.http_messages import Headers
from tests.conformance.shop import DOCUMENT

BASE = "http://127.0.0.1/v1"
# Of a body that is kept.
LARGEST = 256 * 1024


def exchange(url: str = f"{BASE}/items", sent: Headers = (), body: bytes = b"{}") -> Exchange:
    answer = HttpResponse(200, (("Content-Type", "application/json"),), body)
    return Exchange(1, "traffic", "", None, HttpRequest("GET", url, sent), answer, None, 0.0, 0.5)


def entry(content: dict[str, Any], status: int = 200, **headers: str) -> dict[str, Any]:
    """An entry of a recording, as a browser writes it."""
    written = har.render([exchange()])["log"]["entries"][0]
    fields = [{"name": name.replace("_", "-"), "value": text} for name, text in headers.items()]
    written["response"] |= {"status": status, "content": content, "headers": fields}
    return dict(written)


def read(path: Path, *entries: dict[str, Any], mark: str = "") -> har.Recording:
    path.write_text(mark + json.dumps({"log": {"entries": entries}}), "utf-8")
    return har.read(path)


@pytest.mark.parametrize(
    ("content", "status", "body"),
    [
        ({"size": 2, "text": "{}"}, 200, b"{}"),
        ({"size": 2, "text": b64encode(b"\xff\n").decode(), "encoding": "base64"}, 200, b"\xff\n"),
        ({"size": 0}, 204, b""),
        ({}, 204, b""),
        ({"size": 2}, 200, None),
        ({"size": -1}, 200, None),
        # There was no answer.
        ({"size": 0, "text": ""}, 0, None),
    ],
)
def test_an_answer_is_whole_or_counted(
    content: dict[str, Any], status: int, body: bytes | None, tmp_path: Path
) -> None:
    found = read(tmp_path / "a.har", entry(content, status))
    assert found.incomplete == (body is None)
    assert [each.response and each.response.body for each in found.exchanges] == (
        [] if body is None else [body]
    )


def test_what_was_recorded_is_read_as_it_was(tmp_path: Path) -> None:
    written = har.render([exchange()])["log"]["entries"]
    assert read(tmp_path / "a.har", *written).exchanges == (replace(exchange(), number=0),)


@pytest.mark.parametrize("name", ["Content-Encoding", "content-encoding", "CONTENT-ENCODING"])
def test_a_body_is_recorded_as_it_was_before_it_was_packed(name: str, tmp_path: Path) -> None:
    headers = {name: "gzip", "Etag": "1"}
    found = read(tmp_path / "a.har", entry({"size": 2, "text": "{}"}, **headers))
    [response] = [each.response for each in found.exchanges]
    assert response is not None
    assert response.headers == (("Etag", "1"),)


def test_a_byte_order_mark_is_not_in_the_way(tmp_path: Path) -> None:
    assert len(read(tmp_path / "a.har", entry({}), mark="\ufeff").exchanges) == 1


@pytest.mark.parametrize("size", [0, 1, LARGEST, LARGEST + 1])
def test_a_body_is_kept_up_to_its_limit(size: int) -> None:
    [written] = har.render([exchange(body=b"x" * size)])["log"]["entries"]
    content = written["response"]["content"]
    assert content["size"] == size
    assert content.get("text") == ("x" * size if size <= LARGEST else None)
    assert ("comment" in content) == (size > LARGEST)


@pytest.mark.parametrize(
    ("url", "is_below"),
    [
        (f"{BASE}/items", True),
        (f"{BASE}/nothing/of/the/document", True),
        ("http://127.0.0.1/v10/items", False),
        ("http://127.0.0.1/items", False),
        ("http://127.0.0.1.example/v1/items", False),
        ("https://127.0.0.1/v1/items", False),
    ],
)
def test_only_requests_below_the_base_url_are_looked_at(url: str, is_below: bool) -> None:
    found = watch(Contract(load(DOCUMENT)), [BASE], [exchange(url)])
    assert (len(found.record.exchanges), found.others) == ((1, 0) if is_below else (0, 1))


@pytest.mark.parametrize(("sent", "role"), [((), ANONYMOUS), ((("x-key", "key-1"),), MAIN)])
def test_a_request_with_a_key_is_that_of_a_partner(sent: Headers, role: str) -> None:
    contract, one = Contract(load(DOCUMENT)), exchange(sent=sent)
    [kept] = watch(contract, [BASE], [one]).record.exchanges
    assert kept.role == role
    assert credentials(contract, [one]) == {value for _, value in sent}
