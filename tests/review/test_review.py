"""`specwright review`: its parts, and input that it cannot use."""

import json
import os
from datetime import date
from pathlib import Path

import pytest

from specwright.compare.verdicts.acceptances import Acceptance
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.emit.drift import FileDifference, State
from specwright.errors import Location
from specwright.findings import Finding, Level, Report
from specwright.review.package import Files, PackageFailure, RegeneratedPackage
from specwright.review.pull_request import join_reports
from tests.conftest import Run
from tests.repository import Repository
from tests.review.projects import edited, project, write

TODAY = date(2026, 6, 1)
OLD = {"shop/client.py": b"class Orders:\n def create(self, *, thing: str): ...\n"}
NEW = {"shop/client.py": b"class Orders:\n\n def create(self, *, what: str): ...\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return project(tmp_path / "repository")


@pytest.fixture
def documents(tmp_path: Path) -> tuple[Document, Document]:
    """The same API, described in other words."""
    sides = []
    newer = (("Sells things.", "Sells everything."), ("1.2.3", "1.2.4"))
    for name, edits in (("base", ()), ("revision", newer)):
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(edited(*edits)), "utf-8")
        sides.append(upgrade(load(file)))
    return sides[0], sides[1]


def rules(report: Report) -> set[str]:
    return {finding.rule for finding in report.findings}


def of(
    documents: tuple[Document, Document],
    base: Files | PackageFailure,
    revision: Files | PackageFailure,
    *differences: FileDifference,
    validation: Report | None = None,
    accepted: tuple[Acceptance, ...] = (),
) -> Report:
    package = RegeneratedPackage(Path("generated"), base, revision, differences)
    valid = Report("revision.json", ())
    validations = valid, validation or valid
    return join_reports(validations, documents, package, accepted, today=TODAY)


@pytest.mark.parametrize(
    ("defined", "message"),
    [(b"", "shop.client.A: removed"), (b"class A: ...", "shop.A: removed")],
    ids=["gone", "kept"],
)
def test_a_name_that_is_gone_is_told_once_where_it_was_defined(
    documents: tuple[Document, Document], defined: bytes, message: str
) -> None:
    base = {"shop/__init__.py": b"__all__ = ['A', 'B']", "shop/client.py": b"class A: ..."}
    revision = {"shop/__init__.py": b"__all__ = ['B']", "shop/client.py": defined}
    found = of(documents, base, revision).findings
    assert [each.message for each in found if each.rule == "sdk-broken"] == [message]


def test_nothing_is_said_of_a_change_that_is_none(repository: Repository, specwright: Run) -> None:
    result = specwright("review", "--base", "main", cwd=repository.top)
    commit = repository.git("rev-parse", "HEAD")[:12]
    assert result.stdout == (
        f"Base: main ({commit})\nGenerated package: none\n"
        "openapi.json: no breaking changes in 1 operation; no findings\n"
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_the_document_may_be_named_and_lie_above(repository: Repository, specwright: Run) -> None:
    (repository.top / "below").mkdir()
    arguments = ("review", "--base", "main", "--document", "../openapi.json")
    result = specwright(*arguments, cwd=repository.top / "below")
    assert (result.returncode, result.stderr) == (0, "")
    assert "../openapi.json: no breaking changes in 1 operation; no findings" in result.stdout


def test_the_findings_of_validate_belong_to_it(repository: Repository, specwright: Run) -> None:
    write(repository, edited(("      summary:", "      answers: 3\n      summary:")))
    result = specwright("review", "--base", "main", cwd=repository.top)
    assert result.returncode == 1
    assert "error openapi-schema 'answers' is not a field" in result.stdout
    # Errors stay errors, even if the base has them.
    repository.commit()
    assert specwright("review", "--base", "main", cwd=repository.top).returncode == 1


def test_a_warning_that_the_base_has_too_is_counted(
    repository: Repository, specwright: Run
) -> None:
    repository.write("lint.toml", '[levels]\ncomponent-unused = "warning"\n')
    spare = ("  schemas:", "  schemas:\n    Spare: {type: string}")
    write(repository, edited(spare))
    repository.commit()
    write(repository, edited((spare[0], f"{spare[1]}\n    Other: {{type: string}}")))
    result = specwright("review", "--base", "main", cwd=repository.top)
    assert "Not listed: 1 finding of validate below errors that the base also has" in result.stdout
    assert "warning component-unused nothing refers to 'Other'" in result.stdout
    assert "'Spare'" not in result.stdout


def test_a_base_that_is_not_valid_is_compared_as_far_as_possible(
    repository: Repository, specwright: Run
) -> None:
    write(repository, {**edited(("maximum: 20", "maximum: 30")), "unknown": 1})
    repository.commit()
    write(repository, edited())
    result = specwright("review", "--base", "main", cwd=repository.top)
    assert "warning diff-invalid git:main:openapi.json is not valid OpenAPI" in result.stdout
    assert "error range-narrowed Order.count: maximum 30 -> 20" in result.stdout


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("nowhere", "unknown commit 'nowhere'"),
        ("--upload-pack=x", "does not name a commit"),
        ("main:openapi.json", "does not name a commit"),
        ("", "does not name a commit"),
    ],
)
def test_a_base_that_is_no_commit_is_an_error_with_advice(
    base: str, message: str, repository: Repository, specwright: Run
) -> None:
    result = specwright("review", f"--base={base}", cwd=repository.top)
    assert (result.returncode, result.stdout) == (2, "")
    first, second = result.stderr.splitlines()
    assert message in first
    assert second.startswith("hint: ")


@pytest.mark.skipif(os.name == "nt", reason="made of links and pipes")
@pytest.mark.parametrize("name", ["review.toml", "lint.toml"])
def test_settings_that_are_no_files_end_it(
    name: str, repository: Repository, specwright: Run
) -> None:
    os.mkfifo(repository.top / name)
    result = specwright("review", "--base", "main", cwd=repository.top)
    assert result.returncode == 2
    assert result.stderr == f"error: {name}:1:1: cannot be read: is not a regular file\n"


def test_a_name_of_a_commit_does_nothing_on_a_terminal(
    repository: Repository, specwright: Run
) -> None:
    repository.git("branch", "\u202emain")
    result = specwright("review", "--base", "\u202emain", cwd=repository.top)
    assert (result.returncode, result.stdout[:17]) == (0, "Base: \\u202emain ")


def test_names_that_are_gone_call_for_a_major_version(
    documents: tuple[Document, Document],
) -> None:
    found = of(documents, OLD, NEW)
    broken = [finding for finding in found.findings if finding.rule == "sdk-broken"]
    assert [finding.message for finding in broken] == [
        "shop.client.Orders.create: parameter 'thing' was removed, perhaps 'what' now",
        "shop.client.Orders.create: parameter 'what' was added as required",
    ]
    assert {str(finding.location) for finding in broken} == {"generated/shop/client.py:3:1"}
    assert "version-too-low" in rules(found)
    assert found.headline == "2 broken names in the generated package"
    assert found.facts == (
        ("Version", "at least 2.0.0, not 1.2.4"),
        ("Generated package", "1 files are up to date"),
        ("Public names", "2 changed"),
    )


def test_names_may_be_accepted(documents: tuple[Document, Document]) -> None:
    place = Location("review.toml", 1, 1)
    entry = Acceptance("sdk-broken", "shop.client.*", "Nobody uses it.", TODAY, place)
    found = of(documents, OLD, NEW, accepted=(entry,))
    # The version still has to tell those who use them.
    assert rules(found) == {"version-too-low"}
    assert not found.has_errors
    assert [finding.waived for finding in found.waived] == ["Nobody uses it."] * 2


def test_the_asynchronous_client_is_not_reported_once_more(
    documents: tuple[Document, Document],
) -> None:
    sides = (
        {**side, "shop/async_client.py": side["shop/client.py"].replace(b"Orders", b"AsyncOrders")}
        for side in (OLD, NEW)
    )
    found = of(documents, *sides)
    assert sum(finding.rule == "sdk-broken" for finding in found.findings) == 2
    assert len(found.tables[0].rows) == 4


def test_drift_is_one_finding_with_all_files(documents: tuple[Document, Document]) -> None:
    drift = [FileDifference(f"shop/{name}.py", State.CHANGED, b"", b"x") for name in "ab"]
    found = of(documents, OLD, OLD, *drift)
    [finding] = [each for each in found.findings if each.rule == "generated-drift"]
    assert finding.message.startswith("2 of 1 files are out of date; run: ")
    assert finding.evidence[0].text == "shop/a.py: changed\nshop/b.py: changed"


def test_a_package_that_cannot_be_made_is_an_error(documents: tuple[Document, Document]) -> None:
    found = of(documents, OLD, PackageFailure("a template fails"))
    [finding] = [each for each in found.findings if each.level is Level.ERROR]
    assert finding.message == "cannot be generated: a template fails"


def test_an_invalid_document_says_why_itself(documents: tuple[Document, Document]) -> None:
    error = Finding("schema", Level.ERROR, Location("revision.json", 1, 1), "", "It is wrong.")
    validation = Report("revision.json", (error,))
    found = of(documents, OLD, PackageFailure("it is invalid"), validation=validation)
    assert rules(found) == {"schema", "version-suggested"}
    assert found.facts[1:] == (("Generated package", "cannot be generated"),)


def test_a_base_without_a_package_is_said(documents: tuple[Document, Document]) -> None:
    found = of(documents, PackageFailure("it is invalid"), NEW)
    assert "sdk-not-compared" in rules(found)
    assert not found.has_errors
