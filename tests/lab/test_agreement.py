"""No command contradicts another about a document: a sample of `nox -s agreement`.

What is listed in `exceptions.toml` may fail here; the session also fails for what is listed and
passes.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.agreement import loop
from lab.agreement.checks import CHECKS
from lab.agreement.loop import Exemption, Outcome
from specwright.check.checks import check
from specwright.document.model import Document
from specwright.findings import Report
from specwright.models.generate import ModelSource
from specwright.models.generate import generate as generate_models
from specwright.policy import Settings
from specwright.render.package import render_runtime
from tests.in_process import tasks_in_this_process

__all__ = ["tasks_in_this_process"]

SAMPLE = (
    *("directions-read-only", "directions-write-only", "discriminator-explicit"),
    *("examples-encoded", "formats-of-text", "headers-required", "multipart-formats"),
    *("names-of-headers", "names-of-variables", "no-responses", "nullable-3.0", "pagination"),
    *("server-variables", "streams-of-json"),
    *("patterns", "ranges-of-statuses", "redirects", "security-of-headers", "servers"),
    *("styles-of-parameters", "swagger-2.0", "unique-items"),
)
# Starting the fuzzer takes seconds.
TESTED = ("directions-write-only", "headers-required", "swagger-2.0")
APART = "processes"
LISTED = {(entry.document, entry.check) for entry in loop.exemptions()}
IN_PROCESS = [name for name in CHECKS if name != APART]


def unexplained(outcomes: list[Outcome]) -> list[Outcome]:
    assert outcomes
    return [o for o in outcomes if o.contradictions and (o.document, o.check) not in LISTED]


@pytest.mark.parametrize("name", SAMPLE)
def test_no_command_contradicts_another(name: str) -> None:
    file = loop.HERE / "documents" / f"{name}.yaml"
    assert unexplained(list(loop.of_document(file, IN_PROCESS))) == []


@pytest.mark.parametrize("name", TESTED)
def test_the_mock_of_a_document_passes_its_test(name: str) -> None:
    file = loop.HERE / "documents" / f"{name}.yaml"
    assert unexplained(list(loop.of_document(file, [APART]))) == []


@pytest.mark.parametrize("file", loop.REFUSED[::3], ids=lambda file: file.stem)
def test_no_command_accepts_in_silence_what_validate_refuses(file: Path) -> None:
    assert unexplained(list(loop.of_refused(file))) == []


@pytest.mark.parametrize("file", loop.PAIRS[::3], ids=lambda file: file.stem)
def test_an_old_client_agrees_with_the_review_of_a_change(file: Path) -> None:
    assert unexplained(list(loop.of_pair(file))) == []


@pytest.mark.published
@pytest.mark.parametrize("name", ["cafe.yaml", "oas-uspto-3.0.yaml", "train-travel.yaml"])
def test_no_command_contradicts_another_about_published_documents(corpus: Path, name: str) -> None:
    assert unexplained(list(loop.of_document(corpus / "specs" / name, IN_PROCESS))) == []


def test_what_fails_is_listed_and_what_is_listed_fails() -> None:
    outcomes = [Outcome("a", "stub", ("400",)), Outcome("b", "stub"), Outcome("c", "stub")]
    listed = [Exemption("b", "stub", "It cannot."), Exemption("d", "stub", "It was not tried.")]
    assert list(loop.wrong(outcomes, listed)) == [
        "a stub: 400",
        "b stub: agrees now; remove it from exceptions.toml",
    ]


def test_every_exception_is_of_a_document_of_the_loop() -> None:
    own = {file.name for file in loop.DOCUMENTS}
    own |= {f"refused/{file.name}" for file in loop.REFUSED}
    own |= {f"pairs/{file.stem}" for file in loop.PAIRS}
    data = tomllib.loads((loop.HERE / "exceptions.toml").read_text("utf-8"))
    assert {entry["document"] for entry in data["exceptions"]} <= own
    assert all(entry.reason for entry in loop.exemptions())


def same_document(document: Document, polarity: object) -> Document:
    return document


def runtime(module: str, before: str, after: str) -> Callable[[str], dict[str, bytes]]:
    """The runtime of a package with an edit of one of its modules."""

    def render(package: str) -> dict[str, bytes]:
        files = render_runtime(package)
        (name,) = (name for name in files if name.endswith(f"/{module}"))
        edited = files[name].replace(before.encode(), after.encode())
        assert edited != files[name]
        return {**files, name: edited}

    return render


def models_without_null(document: Document) -> ModelSource:
    models = generate_models(document)
    return replace(models, source=models.source.replace("nothing: None", "nothing: StrictStr"))


def silent(document: Document, settings: Settings) -> Report:
    return replace(check(document, settings), findings=())


# One reader at a time is wrong: its place, what it is then, and the document and check that see it.
WRONG: dict[str, tuple[str, object, str, str]] = {
    "samples ignore the schema": (
        "specwright.samples.witnesses.Witnesses.of",
        lambda self, schema: ("wrong",),
        "bounds",
        "samples",
    ),
    "the mock sends no required headers": (
        "specwright.mock.responses.Bodies._with_headers",
        lambda self, response, declared: response,
        "headers-required",
        "traffic",
    ),
    "tests demand what only requests have": (
        "specwright.conformance.contract.contract.in_direction",
        same_document,
        "directions-write-only",
        "traffic",
    ),
    "the client writes deepObject otherwise": (
        "specwright.pipeline.render_runtime",
        runtime("shared/styles.py", "wire + encode(path)", "wire + '.' + encode(path)"),
        "styles-of-parameters",
        "client",
    ),
    "the stub looks for keys elsewhere": (
        "specwright.pipeline.render_runtime",
        runtime("server/authentication.py", "cookies.get(scheme.name)", "cookies.get('other')"),
        "cookies",
        "stub",
    ),
    "models refuse null": (
        "lab.wire.proof.generate_models",
        models_without_null,
        "nullable-3.1",
        "client",
    ),
    "operations lose their security": (
        "specwright.ir.build._Builder._security",
        lambda self, site: (),
        "security-of-headers",
        "client",
    ),
    "pages leave examples out": (
        "specwright.reference.content._Writer._examples",
        lambda self, site: iter(()),
        "examples",
        "docs",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_reader_that_is_wrong_contradicts_another(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, wrong, document, check = WRONG[name]
    monkeypatch.setattr(place, wrong)
    file = loop.HERE / "documents" / f"{document}.yaml"
    (outcome,) = loop.of_document(file, [check])
    assert outcome.contradictions


def test_a_validation_that_is_silent_contradicts_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("specwright.commands.validate.check", silent)
    (outcome,) = loop.of_refused(loop.HERE / "refused" / "status-unknown.yaml")
    assert outcome.contradictions[-1].startswith("mock and test: error")


@pytest.mark.parametrize("name", ["type-changed", "operation-removed"])
def test_a_review_that_misses_a_change_contradicts_the_old_client(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specwright.compare.comparison._Review.findings", lambda self: [])
    (outcome,) = loop.of_pair(loop.HERE / "pairs" / f"{name}.yaml")
    assert any(words.startswith("compatible, but") for words in outcome.contradictions)
