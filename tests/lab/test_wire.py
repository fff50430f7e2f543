"""A generated client sends and reads as its document says, by independent judgement.

`nox -s wire_proof` does this for all documents of the corpus, and writes docs/wire-proof.md.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from lab.wire.judge import Judge, Meant, Sent
from lab.wire.proof import prove
from tests.functional.test_fastapi_shop import shop  # noqa: F401 (a fixture)

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
CONSTRUCTS = ROOT / "lab" / "wire" / "constructs.yaml"
OURS = [
    CONSTRUCTS,
    *(GOLDEN / name / "input.json" for name in ("bicycle_rental", "paged_orders", "pets")),
    GOLDEN / "upgraded_yaml" / "input.yaml",
    ROOT / "spec" / "openapi.json",
]
OF_OTHERS = ("cafe.yaml", "ollama.yaml", "readme-petstore-3.1.yaml", "train-travel.yaml")


@pytest.mark.parametrize("file", OURS, ids=lambda file: file.parent.name)
def test_calls_of_our_documents_agree(file: Path, tmp_path: Path) -> None:
    proof = prove(file, tmp_path)
    assert (proof.exceptions, proof.untried) == ([], [])
    assert 0 < proof.operations <= proof.calls == proof.agreed


@pytest.mark.published
@pytest.mark.parametrize("name", OF_OTHERS)
def test_calls_of_published_documents_agree(corpus: Path, name: str, tmp_path: Path) -> None:
    proof = prove(corpus / "specs" / name, tmp_path)
    assert (proof.exceptions, proof.untried) == ([], [])
    assert 0 < proof.calls == proof.agreed


def test_calls_of_a_fastapi_product_agree(
    shop: ModuleType,  # noqa: F811
    tmp_path: Path,
) -> None:
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(shop.app.openapi()))
    proof = prove(file, tmp_path)
    assert (proof.exceptions, proof.untried) == ([], [])
    assert proof.operations == 20


MEANT = Meant("/items", "POST", {}, "application/json", {"name": "a", "size": None})
HEADERS = [
    ("Accept", "application/json"),
    ("Authorization", "Basic dXNlcjpwYXNzIHdvcmQ="),
    ("Cookie", "session=token-of-the-proof"),
    ("Content-Type", "application/json"),
]
GOOD = Sent("POST", "/items", "", HEADERS, b'{"name": "a", "size": null}', {})


@pytest.mark.parametrize(
    ("sent", "complaint"),
    [
        (GOOD, None),
        (replace(GOOD, path="/item"), "path"),
        (replace(GOOD, method="PUT"), "method"),
        (replace(GOOD, query="a=1"), "query"),
        (replace(GOOD, headers=[HEADERS[0], *HEADERS[2:]]), "security"),
        (replace(GOOD, headers=[*HEADERS, ("X-Flag", "true")]), "header X-Flag"),
        (replace(GOOD, headers=[("Accept", "text/csv"), *HEADERS[1:]]), "accept"),
        (replace(GOOD, headers=[*HEADERS[:3], ("Content-Type", "text/plain")]), "content-type"),
        (replace(GOOD, body=b'{"name": "a"}'), "body : -size"),
        (replace(GOOD, body=b'{"name": "b", "size": null}'), "body /name"),
    ],
)
def test_the_judge_sees_what_is_wrong(sent: Sent, complaint: str | None) -> None:
    found = Judge(CONSTRUCTS).complaints(MEANT, sent)
    assert found == [] if complaint is None else any(line.startswith(complaint) for line in found)


@pytest.mark.parametrize(
    ("place", "sent", "is_right"),
    [
        ("query", Sent("GET", "/", "size=b,2,a,1", [("Accept", "*/*")], b"", {}), True),
        ("query", Sent("GET", "/", "size=b,1,a,2", [("Accept", "*/*")], b"", {}), False),
        (
            "cookie",
            Sent("GET", "/", "", [("Accept", "*/*"), ("Cookie", "size=b,2,a,1")], b"", {}),
            True,
        ),
        (
            "cookie",
            Sent("GET", "/", "", [("Accept", "*/*"), ("Cookie", "size=b,1,a,2")], b"", {}),
            False,
        ),
    ],
)
def test_members_of_a_parameter_have_no_order(
    place: str, sent: Sent, is_right: bool, tmp_path: Path
) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    size = {"name": "size", "in": place, "explode": False, "schema": schema}
    get = {"parameters": [size], "responses": {"204": {"description": "Done."}}}
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/": {"get": get}}}))
    meant = Meant("/", "GET", {(place, "size"): {"a": 1, "b": 2}})
    assert (Judge(file).complaints(meant, sent) == []) is is_right
