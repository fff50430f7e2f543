"""Random documents end no command, and a fault in one is found and becomes a small document."""

from __future__ import annotations

from typing import Any

import pytest

from lab.compositions import __main__ as command
from lab.compositions.grammar import document
from lab.compositions.trial import fault, shrunk
from specwright.document.shape import walk
from specwright.ir import build
from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]


@pytest.mark.parametrize("seed", range(8))
def test_a_document_becomes_a_package_that_can_be_imported(seed: int) -> None:
    assert fault(document(seed)) == ""


def test_a_seed_is_one_document() -> None:
    assert document(7) == document(7) != document(8)


def test_documents_have_all_that_is_combined() -> None:
    seen = {
        keyword
        for seed in range(100)
        for node in walk(document(seed))
        if node.kind == "schema"
        for keyword in node.value
    }
    assert seen >= {
        *("$ref", "allOf", "anyOf", "oneOf", "discriminator", "nullable", "readOnly", "writeOnly"),
        *("enum", "const", "additionalProperties", "patternProperties", "default", "prefixItems"),
    }


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation with a header fails."""
    original = build._Builder._parameter

    def replaced(self: Any, site: Any) -> Any:
        if site.value["in"] == "header":
            raise ZeroDivisionError
        return original(self, site)

    monkeypatch.setattr(build._Builder, "_parameter", replaced)


def with_header() -> dict[str, Any]:
    """The smallest of some documents with a header as a parameter."""
    documents = [
        made for made in map(document, range(200)) if "'in': 'header'" in str(made["paths"])
    ]
    return min(documents, key=lambda made: len(str(made)))


@pytest.mark.usefixtures("broken")
def test_a_fault_becomes_a_small_document() -> None:
    whole = with_header()
    kind = fault(whole)
    assert kind.startswith("ZeroDivisionError")
    small = shrunk(whole, lambda candidate: fault(candidate) == kind)
    [item] = small["paths"].values()
    [operation] = item.values()
    assert [parameter["in"] for parameter in operation["parameters"]] == ["header"]
    assert "requestBody" not in operation and "servers" not in small


@pytest.mark.usefixtures("broken")
def test_the_command_fails_and_names_the_seed(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "FAULTS", tmp_path)
    monkeypatch.setattr(command, "document", lambda seed: with_header())
    monkeypatch.setattr(command, "shrunk", lambda whole, fails: whole)
    monkeypatch.setattr("sys.argv", ["compositions", "--seconds", "0.1", "--seed", "3"])
    assert command.main() == 1
    assert "seed 3: ZeroDivisionError" in capsys.readouterr().out
    assert (tmp_path / "3.json").exists()
