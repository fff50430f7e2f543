"""A result has its published shape, holds no key, and is sent again with the keys of its roles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema_rs
import pytest
from click.testing import CliRunner

from specwright.cli import cli
from specwright.conformance.driver.roles import (
    ANONYMOUS,
    LIMITED,
    MAIN,
    OTHER_TENANT,
    STRANGERS,
    SUSPENDED,
    UNKNOWN_KEY,
    UNSCOPED,
    WRONG_SCHEME,
    stranger,
)
from specwright.conformance.outcome.coverage import coverage
from specwright.conformance.outcome.result import FILE, read, render
from specwright.conformance.recording.exchange import Exchange, HttpRequest
from specwright.conformance.recording.record import Violation
from specwright.errors import InputError
from tests.conformance.shop import KEYS, serving
from tests.conformance.shop_faults import shop_with
from tests.conformance.test_command import Exchange as Answering
from tests.conformance.test_command import playing
from tests.conformance.test_scenarios import run
from tests.conftest import Run
from tests.report.published import closed

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "result.schema.json"
BUG = "any payload"
ANNA, *_ = KEYS
ROLES = {
    MAIN: "--api-key-env",
    OTHER_TENANT: "--other-tenant-api-key-env",
    LIMITED: "--limited-api-key-env",
    SUSPENDED: "--suspended-api-key-env",
    UNSCOPED: "--unscoped-api-key-env",
}


def delivery(number: int) -> Exchange:
    """Return a delivery from the target to a receiver."""
    request = HttpRequest("POST", "https://127.0.0.1:4300/token", (), b"{}")
    return Exchange(number, "webhooks", ANONYMOUS, None, request, None, None, 0, 0)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    done = run(BUG)
    first = done.record.exchanges[0]
    roles = (*ROLES, *STRANGERS)
    for number, role in enumerate(roles):
        shown = (replace(first, role=role),)
        done.record.violate(Violation("order", f"/{number}", f"as {role}", shown))
    done.record.violate(Violation("signature", "/webhooks", "delivered", (delivery(1),)))
    items = coverage(done.contract, done.record)
    path = tmp_path_factory.mktemp("result") / FILE
    path.write_text(json.dumps(render(done, items)), "utf-8")
    return path


def named(result: Path, message: str) -> str:
    """The id of the failure with a message."""
    failures = json.loads(result.read_text("utf-8"))["failures"]
    return str(next(failure["id"] for failure in failures if failure["message"] == message))


def test_a_result_has_the_published_shape(result: Path) -> None:
    schema = closed(json.loads(SCHEMA.read_text("utf-8")))
    value = json.loads(result.read_text("utf-8"))
    assert value["failures"]
    assert all(each["reached"] or each["reason"] for each in value["coverage"])
    jsonschema_rs.Draft202012Validator(schema, validate_formats=True).validate(value)


def test_no_key_is_in_a_result(result: Path) -> None:
    text = result.read_text("utf-8")
    assert "X-Key" in text
    assert not any(key in text for key in KEYS)


@pytest.mark.parametrize(("bug", "code", "said"), [(BUG, 1, "still broken"), ("", 0, "fixed")])
def test_a_failure_is_repeated(
    result: Path, monkeypatch: pytest.MonkeyPatch, bug: str, code: int, said: str
) -> None:
    monkeypatch.setenv("ANNA", ANNA)
    with serving(shop_with(bug).app()) as url:
        value = {**json.loads(result.read_text("utf-8")), "target": url}
        moved = result.with_name("moved.json")
        moved.write_text(json.dumps(value), "utf-8")
        done = CliRunner().invoke(cli, ["replay", str(moved), "F1", "--api-key-env", "ANNA"])
    assert done.exit_code == code, done.output
    assert said in done.output
    assert ANNA not in done.output


@pytest.mark.parametrize(
    ("role", "option"),
    [*ROLES.items(), *((each, "--api-key-env") for each in (UNKNOWN_KEY, WRONG_SCHEME))],
)
def test_a_failure_is_not_repeated_without_the_key_that_it_needs(
    result: Path, specwright: Run, role: str, option: str
) -> None:
    done = specwright("replay", str(result), named(result, f"as {role}"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"hint: name it with {option}" in done.stderr


@pytest.mark.parametrize(
    ("role", "key"), [(MAIN, ANNA), (UNKNOWN_KEY, stranger(ANNA)), (WRONG_SCHEME, f"Basic {ANNA}")]
)
def test_a_failure_is_repeated_with_the_key_of_its_role(
    result: Path, specwright: Run, monkeypatch: pytest.MonkeyPatch, role: str, key: str
) -> None:
    monkeypatch.setenv("ANNA", ANNA)
    seen: list[str | None] = []

    def respond(exchange: Answering) -> None:
        seen.append(exchange.headers["x-key"])
        exchange.answer(200)

    with playing(respond) as port:
        value = json.loads(result.read_text("utf-8")) | {"target": f"http://127.0.0.1:{port}"}
        moved = result.with_name("roles.json")
        moved.write_text(json.dumps(value), "utf-8")
        name = named(moved, f"as {role}")
        done = specwright("replay", str(moved), name, "--api-key-env", "ANNA")
    # The rule is about what pages hold together.
    assert done.returncode == 2, done.stderr
    assert "cannot be judged" in done.stdout
    assert seen == [key]


def test_a_failure_without_a_key_is_repeated_without_one(result: Path, specwright: Run) -> None:
    done = specwright("replay", str(result), named(result, "as "))
    assert (done.returncode, done.stderr) == (2, "")
    assert "cannot be judged: there is no response (ConnectError" in done.stdout


def test_a_delivery_is_not_repeated(result: Path, specwright: Run) -> None:
    done = specwright("replay", str(result), named(result, "delivered"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "only the target sends" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 1, "failures": []}', '{"version": 2}']
)
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / FILE
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match="not the result of a run"):
        read(path, "F1")


@pytest.mark.parametrize("path", ["@elsewhere.example/v1", ".elsewhere.example/v1", "v1", ""])
def test_a_path_that_changes_the_host_is_refused(result: Path, path: str) -> None:
    value = json.loads(result.read_text("utf-8"))
    value["failures"][0]["requests"][0]["path"] = path
    changed = result.with_name("changed.json")
    changed.write_text(json.dumps(value), "utf-8")
    with pytest.raises(InputError, match="not the result of a run"):
        read(changed, "F1")


def test_a_failure_that_there_is_not_is_named_with_those_there_are(result: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(result, "F99")
    assert "F1" in str(caught.value.hint)
