"""review.toml: the changes that a project accepts, the reasons, and the expiry dates."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from specwright.compare.table import BY_ID
from specwright.compare.verdicts.acceptances import Acceptance, entries_in_base, find, load
from specwright.errors import InputError, Location
from specwright.findings import Level, Report

from .documents import TODAY, parts, report

ENTRY = '[[accepted]]\nrule = "range-narrowed"\nwhere = "POST *"\nreason = "Nobody."\n'


def reviewed(directory: Path, *accepted: Acceptance) -> Report:
    return report(directory, *parts(BY_ID["range-narrowed"].description.bad), accepted)


def acceptance(where: str, days: int = 0, rule: str = "range-narrowed") -> Acceptance:
    expires = TODAY + timedelta(days=days)
    return Acceptance(rule, where, "Nobody.", expires, Location("review.toml", 7, 1))


@pytest.mark.parametrize("where", ["POST /orders", "POST *", "/paths/~1orders/*", "*/maximum"])
def test_an_accepted_change_is_named_by_pointer_or_operation(where: str, tmp_path: Path) -> None:
    found = reviewed(tmp_path, acceptance(where))
    assert [finding.rule for finding in found.waived] == ["range-narrowed"]
    assert found.waived[0].waived == "Nobody."
    assert not found.has_errors


SHARED = """
openapi: 3.1.1
info: {title: Shop, version: 1.2.3}
components:
  schemas:
    Count: {type: integer, maximum: 20}
paths:
  /a: &path
    post:
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/Count'}}}
      responses: {'204': {description: Done.}}
  /b: *path
  /c: *path
"""


def test_a_change_is_accepted_in_the_operations_that_are_named(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        yaml.safe_load(SHARED),
        yaml.safe_load(SHARED.replace("maximum: 20", "maximum: 10")),
        (acceptance("POST /a"), replace(acceptance("*/c"), reason="They agreed.")),
    )
    [error] = [finding for finding in found.findings if finding.level is Level.ERROR]
    assert error.operations == ("POST /b",)
    assert [(finding.operations, finding.waived) for finding in found.waived] == [
        (("POST /a",), "Nobody."),
        (("POST /c",), "They agreed."),
    ]
    # It is one change, and not accepted.
    assert found.breaking == 1
    assert found.headline == "1 breaking change in 3 of 3 operations"


def test_a_change_is_accepted_where_all_its_operations_are(tmp_path: Path) -> None:
    entries = [acceptance(f"POST /{name}") for name in "abc"]
    parts = (
        yaml.safe_load(text) for text in (SHARED, SHARED.replace("maximum: 20", "maximum: 10"))
    )
    found = report(tmp_path, *parts, tuple(entries))
    assert not found.has_errors
    assert found.headline == "1 breaking change in 3 of 3 operations (1 accepted)"
    # An expired one among others opens its place again.
    entries[1] = acceptance("POST /b", days=-1)
    parts = (
        yaml.safe_load(text) for text in (SHARED, SHARED.replace("maximum: 20", "maximum: 10"))
    )
    found = report(tmp_path, *parts, tuple(entries))
    assert [f.operations for f in found.findings if f.level is Level.ERROR] == [("POST /b",)]


def test_one_change_is_accepted_and_not_the_next_one_at_its_place(tmp_path: Path) -> None:
    [change] = [
        finding for finding in reviewed(tmp_path).findings if finding.rule == "range-narrowed"
    ]
    entry = replace(acceptance(""), change=change.fingerprint)
    assert not reviewed(tmp_path, entry).has_errors
    base, revision = parts(
        BY_ID["range-narrowed"].description.bad.replace("maximum: 10", "maximum: 9")
    )
    assert report(tmp_path, base, revision, (entry,)).has_errors


def test_an_entry_of_the_author_waits_for_the_base() -> None:
    old, new = acceptance("GET *"), acceptance("POST *")
    kept, pending = entries_in_base([new, old], [replace(old, location=Location("base", 1, 1))])
    assert kept == [old]
    assert [(each.rule, each.location.line) for each in pending] == [("acceptance-pending", 7)]


def test_a_link_to_accepted_changes_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "all.toml").write_text(f"{ENTRY}expires = 2027-01-31\n")
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "review.toml").symlink_to(tmp_path / "elsewhere" / "all.toml")
    with pytest.raises(InputError, match="must not be a symbolic link to another directory"):
        find(str(tmp_path / "api" / "openapi.json"))


def test_what_is_not_needed_is_reported_at_its_line(tmp_path: Path) -> None:
    found = reviewed(tmp_path, acceptance("GET *"), acceptance("*", rule="type-narrowed"))
    unused = [finding for finding in found.findings if finding.rule == "acceptance-unused"]
    assert [finding.location.line for finding in unused] == [7, 7]
    assert found.has_errors


@pytest.mark.parametrize(("days", "has_expired"), [(-1, True), (0, False)])
def test_what_has_expired_counts_no_more(days: int, has_expired: bool, tmp_path: Path) -> None:
    found = {finding.rule for finding in reviewed(tmp_path, acceptance("*", days)).findings}
    rules = {"acceptance-expired", "range-narrowed"}
    assert found & rules == (rules if has_expired else set())


def test_an_accepted_break_fails_no_run_and_calls_for_a_major_version(tmp_path: Path) -> None:
    found = reviewed(tmp_path, acceptance("*"))
    assert not found.has_errors
    [version] = [finding for finding in found.findings if finding.rule == "version-suggested"]
    assert "major version (1 breaking change" in version.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (ENTRY, 1),
        (f"{ENTRY}expires = 2027-01-31\n\n{ENTRY}expires = 'soon'\n", 7),
        (f"{ENTRY}expires = 2027-01-31T12:00:00\n", 1),
        (f"{ENTRY}expires = 2027-01-31\nwho = 'me'\n", 1),
        (ENTRY.replace("range-narrowed", "rang-narrowed") + "expires = 2027-01-31\n", 1),
        (ENTRY.replace("POST *", "*") + "expires = 2027-01-31\n", 1),
        (ENTRY.replace("POST *", "**") + "expires = 2027-01-31\n", 1),
        (f"{ENTRY}change = '1234'\nexpires = 2027-01-31\n", 1),
        ("accepted = 3\n", 1),
        ("other = 3\n", 1),
        ("accepted = [3]\n", 1),
        ("= \n", 1),
    ],
)
def test_an_entry_without_meaning_is_refused_with_its_line(
    text: str, line: int, tmp_path: Path
) -> None:
    file = tmp_path / "review.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError) as raised:
        load(str(file), BY_ID)
    assert raised.value.location is not None
    assert raised.value.location.line == line


@pytest.mark.parametrize("name", ["rule", "where", "reason", "expires"])
def test_what_an_entry_lacks_is_named(name: str, tmp_path: Path) -> None:
    file = tmp_path / "review.toml"
    lines = f"{ENTRY}expires = 2027-01-31\n".splitlines()
    file.write_text("\n".join(line for line in lines if not line.startswith(name)), "utf-8")
    with pytest.raises(InputError, match=f"lacks .*{name}\n"):
        load(str(file), BY_ID)


def test_an_unknown_rule_may_be_meant_as_a_known_one(tmp_path: Path) -> None:
    file = tmp_path / "review.toml"
    file.write_text(ENTRY.replace("range-narrowed", "rang-narrowed") + "expires = 2027-01-31\n")
    with pytest.raises(InputError) as raised:
        load(str(file), BY_ID)
    assert "'range-narrowed'" in str(raised.value.hint)
