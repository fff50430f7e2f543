"""Failed checks that are violations, and those that prove nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import schemathesis.cli
from schemathesis.checks import CHECKS as KNOWN

from specwright.conformance.checks.requests.validity import RequestVerdict
from specwright.conformance.contract.contract import Contract
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.driver.roles import ANONYMOUS, MAIN
from specwright.conformance.fuzzing.reports import CHECKS, FailedCheck, violation
from specwright.conformance.fuzzing.traffic import TrafficOracle
from specwright.conformance.recording.exchange import Exchange, HttpRequest, HttpResponse
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.pointer import join
from tests.conformance.fuzzing.widgets import DOCUMENT

ORIGIN = "http://127.0.0.1:1"
BASE = f"{ORIGIN}/v1"
DELETE = "/paths/~1widgets~1{id}/delete"


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "widgets.json"
    path.write_text(json.dumps(DOCUMENT), "utf-8")
    return upgrade(load(path))


def exchange(number: int, method: str, sent_at: float, status: int | None = 200) -> Exchange:
    """A request that is answered after a second."""
    response = None if status is None else HttpResponse(status, (), b"{}")
    request = HttpRequest(method, f"{BASE}/widgets/w1", ())
    return Exchange(number, "fuzzing", MAIN, DELETE, request, response, None, sent_at, 1.0)


def test_checks_have_the_names_that_schemathesis_has_for_them() -> None:
    # A name that it does not know turns nothing on, and it says nothing.
    assert schemathesis.cli
    assert CHECKS.keys() <= set(KNOWN.get_all_names())


def oracle(document: Document, exchanges: Sequence[Exchange]) -> TrafficOracle:
    contract = Contract(document)
    return TrafficOracle(contract, ContractRoutes(contract, BASE), exchanges)


def blamed(document: Document, check: str, *exchanges: Exchange) -> str | None:
    """The part of the document that the first exchange and the last one break."""
    operation = ContractRoutes(Contract(document), BASE).find("/widgets/{id}", "DELETE")
    assert operation is not None
    report = FailedCheck(check, exchanges[-1], operation, exchanges[0], RequestVerdict())
    found = violation(report, oracle(document, exchanges))
    return None if found is None else found.pointer


@pytest.mark.parametrize(
    ("between", "is_proof"),
    [
        (exchange(2, "GET", 11), True),
        (exchange(2, "POST", 11), False),
        (exchange(2, "POST", 11, None), False),
        (exchange(2, "POST", 11, 409), True),
        # Its answer came before the resource was deleted, or it was sent after the proof.
        (exchange(2, "POST", 8), True),
        (exchange(2, "POST", 9.5), False),
        (exchange(2, "POST", 13.5), False),
        (exchange(2, "POST", 14.5), True),
    ],
    ids=["read", "write", "unanswered", "refused", "before", "into it", "out of it", "after"],
)
def test_what_others_change_meanwhile_is_no_proof(
    document: Document, between: Exchange, is_proof: bool
) -> None:
    cause, proof = exchange(1, "DELETE", 10, 204), exchange(3, "GET", 13)
    found = blamed(document, "use_after_free", cause, between, proof)
    assert found == (DELETE if is_proof else None)


@pytest.mark.parametrize(
    ("check", "status", "is_proof"),
    [
        ("use_after_free", 200, True),
        ("use_after_free", 204, True),
        ("use_after_free", 202, False),
        ("use_after_free", 404, False),
        ("use_after_free", None, False),
        ("ensure_resource_availability", 201, True),
        ("ensure_resource_availability", 202, False),
    ],
)
def test_a_cause_tells_only_by_its_status(
    document: Document, check: str, status: int | None, is_proof: bool
) -> None:
    cause, proof = exchange(1, "DELETE", 10, status), exchange(2, "GET", 13)
    assert blamed(document, check, cause, proof) == (DELETE if is_proof else None)


@pytest.mark.parametrize(
    ("role", "status", "is_proof"),
    [
        *((ANONYMOUS, status, True) for status in (200, 204, 400, 404, 405)),
        *((ANONYMOUS, status, False) for status in (401, 403, 429, 500, None)),
        (MAIN, 200, False),
    ],
)
def test_a_request_without_credentials_is_refused_before_anything_else(
    document: Document, role: str, status: int | None, is_proof: bool
) -> None:
    sent = replace(exchange(1, "DELETE", 10, status), role=role)
    right = exchange(2, "DELETE", 12)
    assert blamed(document, "ignored_auth", right, sent) == (DELETE if is_proof else None)


def test_a_request_without_credentials_proves_nothing_where_none_succeeds(
    document: Document,
) -> None:
    sent = replace(exchange(1, "DELETE", 10, 404), role=ANONYMOUS)
    assert blamed(document, "ignored_auth", exchange(2, "DELETE", 12, 404), sent) is None


def answered(document: Document, status: int, code: str) -> bool:
    """Whether a request that fits, answered so, is called refused as malformed."""
    operation = ContractRoutes(Contract(document), BASE).find("/widgets", "POST")
    assert operation is not None
    body = json.dumps({"code": code}).encode()
    proof = replace(exchange(1, "POST", 10), response=HttpResponse(status, (), body))
    report = FailedCheck("positive_data_acceptance", proof, operation, None, RequestVerdict())
    doubtful = replace(report, verdict=RequestVerdict(doubtful=True))
    traffic = oracle(document, [proof])
    assert violation(doubtful, traffic) is None
    return violation(report, traffic) is not None


@pytest.mark.parametrize(
    ("declared", "is_blamed"),
    [(["400", "404"], False), (["4XX"], False), (["302"], True), (["default"], True)],
)
def test_an_operation_that_only_has_errors_refuses_nothing(
    document: Document, declared: list[str], is_blamed: bool
) -> None:
    operation = document.data["paths"]["/widgets"]["post"]
    changed = {**operation, "responses": {each: {"description": "It is."} for each in declared}}
    item = {**document.data["paths"]["/widgets"], "post": changed}
    paths = {**document.data["paths"], "/widgets": item}
    other = replace(document, data={**document.data, "paths": paths})
    assert answered(other, 400, "invalid") is is_blamed


@pytest.mark.parametrize(
    ("status", "code", "is_refused"),
    [
        (400, "invalid", True),
        (400, "malformed", True),
        (400, "no_filter", False),
        (400, "unheard_of", False),
        (422, "reused", False),
        (409, "in_progress", False),
    ],
)
def test_a_declared_code_says_whether_a_request_is_called_malformed(
    document: Document, status: int, code: str, is_refused: bool
) -> None:
    assert answered(document, status, code) == is_refused


@pytest.mark.parametrize(
    ("status", "is_refused"), [(400, True), (422, False), (409, False), (404, False)]
)
def test_without_codes_a_status_says_it_unless_a_declaration_gives_it_another_meaning(
    document: Document, status: int, is_refused: bool
) -> None:
    del document.data["x-contract-error"]
    assert answered(document, status, "invalid") == is_refused


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [("Idempotency-Key", False), ("idempotency-key", False), ("If-Match", True)],
)
def test_a_key_that_was_used_before_may_be_refused_with_422(
    document: Document, name: str, is_refused: bool
) -> None:
    """Without a declaration, the name of the header says it."""
    del document.data["x-contract-error"]
    operation = document.data["paths"]["/widgets"]["post"]
    del operation["x-contract-idempotency"]
    schema = {"type": "string"}
    operation.setdefault("parameters", []).append({"name": name, "in": "header", "schema": schema})
    assert answered(document, 422, "") == is_refused
    assert answered(document, 400, "")


@pytest.mark.parametrize(
    ("asked", "is_proof"),
    [
        ("/widgets/{id}", True),
        ("/widgets/{id}/image", False),
        ("/widgets/{id}/parts/{part}", False),
        # The list of what was made.
        ("/widgets", True),
        ("/owners/{owner}/widgets", True),
    ],
)
def test_a_resource_that_was_made_may_lack_a_part(
    document: Document, asked: str, is_proof: bool
) -> None:
    post, get = "/paths/~1widgets/post", f"{join('paths', asked)}/get"
    cause = replace(exchange(1, "POST", 1, 201), operation=post)
    proof = replace(exchange(2, "GET", 4, 404), operation=get)
    operation = ContractRoutes(Contract(document), BASE).operations[0]
    report = FailedCheck("ensure_resource_availability", proof, operation, cause, RequestVerdict())
    found = violation(report, oracle(document, [cause, proof]))
    assert (found is not None) is is_proof


@pytest.mark.parametrize(
    ("url", "body", "is_blamed"),
    [
        ("/widgets", {"parts": [{"id": "w1"}]}, False),
        ("/widgets", {"parts": [{"id": "w2"}]}, True),
        ("/widgets/w1/parts", {}, False),
        ("/widgets?of=w1", {}, False),
        ("/widgets?of=w", {}, True),
    ],
)
def test_a_request_with_a_deleted_id_may_be_refused(
    document: Document, url: str, body: dict[str, Any], is_blamed: bool
) -> None:
    operation = ContractRoutes(Contract(document), BASE).find("/widgets", "POST")
    assert operation is not None
    refused = HttpResponse(400, (), json.dumps({"code": "invalid"}).encode())
    request = HttpRequest("POST", f"{BASE}{url}", (), json.dumps(body).encode())
    proof = replace(exchange(2, "POST", 10), request=request, response=refused)
    report = FailedCheck("positive_data_acceptance", proof, operation, None, RequestVerdict())
    for deletion, is_found in (
        (exchange(1, "DELETE", 5, 204), is_blamed),
        (exchange(1, "DELETE", 5, 404), True),
        (exchange(3, "DELETE", 15, 204), True),
    ):
        seen = oracle(document, [deletion, proof])
        assert (violation(report, seen) is not None) is is_found


@pytest.mark.parametrize(
    ("url", "body", "is_blamed"),
    [
        ("/widgets", {"parts": [{"id": 1}]}, False),
        ("/widgets", {"size": {"widget_ids": [1]}}, False),
        ("/widgets", {"ownerId": "1"}, False),
        ("/widgets", {"widget": 1}, False),
        ("/widgets", {"Widgets": [2, 1]}, False),
        ("/widgets", {"name": "w ü"}, False),
        ("/widgets", {"count": 1}, True),
        ("/widgets", {"widget": {"count": 1}}, True),
        ("/widgets/1/parts", {}, False),
        ("/parts/1", {}, True),
        ("/parts?widget=1", {}, False),
        ("/widgets?page=1", {}, True),
    ],
)
def test_a_number_is_a_deleted_id_where_its_name_says_so(
    document: Document, url: str, body: dict[str, Any], is_blamed: bool
) -> None:
    operation = ContractRoutes(Contract(document), BASE).find("/widgets", "POST")
    assert operation is not None
    deleted = [
        replace(exchange(1, "DELETE", 5, 204), request=HttpRequest("DELETE", each, ()))
        for each in (
            f"{BASE}/parts/2",
            f"{BASE}/widgets/1",
            f"{BASE}/widgets/w%20%C3%BC",
            f"{ORIGIN}/",
        )
    ]
    refused = HttpResponse(400, (), json.dumps({"code": "invalid"}).encode())
    listed = replace(exchange(2, "GET", 6), response=HttpResponse(200, (), b"[1, 2]"))
    request = HttpRequest("POST", f"{BASE}{url}", (), json.dumps(body).encode())
    proof = replace(exchange(3, "POST", 10), request=request, response=refused)
    report = FailedCheck("positive_data_acceptance", proof, operation, None, RequestVerdict())
    found = violation(report, oracle(document, [*deleted, listed, proof]))
    assert (found is not None) is is_blamed


@pytest.mark.parametrize(
    ("body", "is_blamed"),
    [
        ({"parts": [{"part_id": "p1"}]}, True),
        ({"parts": [{"part_id": "p2"}]}, False),
        ({"parts": [{"name": "p2"}]}, True),
        ({"partIds": ["p1", "p2"], "name": "p1"}, False),
        ({"id": "p2"}, True),
        # A reference that is not there.
        ({"part_id": None}, True),
    ],
)
def test_a_request_that_refers_to_nothing_may_be_refused(
    document: Document, body: dict[str, Any], is_blamed: bool
) -> None:
    operation = ContractRoutes(Contract(document), BASE).find("/widgets", "POST")
    assert operation is not None
    listed = replace(exchange(1, "GET", 5), response=HttpResponse(200, (), b'[{"id": "p1"}]'))
    failed = replace(exchange(2, "GET", 6), response=HttpResponse(404, (), b'{"detail": "p2"}'))
    refused = HttpResponse(400, (), json.dumps({"code": "invalid"}).encode())
    request = HttpRequest("POST", f"{BASE}/widgets", (), json.dumps(body).encode())
    proof = replace(exchange(3, "POST", 10), request=request, response=refused)
    report = FailedCheck("positive_data_acceptance", proof, operation, None, RequestVerdict())
    assert (violation(report, oracle(document, [listed, failed, proof])) is not None) is is_blamed


def test_a_put_may_make_what_was_deleted(document: Document) -> None:
    deleted, put = exchange(1, "DELETE", 10, 204), exchange(2, "PUT", 12)
    assert blamed(document, "use_after_free", deleted, put) is None
    assert blamed(document, "use_after_free", deleted, exchange(2, "GET", 12)) == DELETE


def test_an_earlier_answer_that_comes_again_made_nothing(document: Document) -> None:
    first, again = exchange(1, "POST", 1, 201), exchange(4, "POST", 20, 201)
    proof = exchange(5, "GET", 22, 404)
    check, operation = (
        "ensure_resource_availability",
        ContractRoutes(Contract(document), BASE).operations[0],
    )
    for cause, seen, found in (
        (again, (first, again, proof), False),
        (again, (again, proof), True),
    ):
        report = FailedCheck(check, proof, operation, cause, RequestVerdict())
        assert (violation(report, oracle(document, seen)) is not None) is found
