"""Servers are compared by the addresses at which clients call the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.compare.comparison import compare
from specwright.findings import Level
from tests.validate.documents import whole

from .documents import TODAY, changes, document, report

GET: dict[str, Any] = {"get": {"responses": {"200": {"description": "Done."}}}}
HOST = "https://a.test"


def api(*servers: Any, paths: tuple[str, ...] = ("/x",), **own: Any) -> dict[str, Any]:
    declared = [{"url": server} if isinstance(server, str) else server for server in servers]
    items = {path: own.get(path, GET) for path in paths}
    return whole("{}") | {"paths": items} | ({"servers": declared} if declared else {})


def template(url: str, **variables: Any) -> dict[str, Any]:
    """A server with variables: the allowed values of each, the default first, or its default."""
    return {
        "url": url,
        "variables": {
            name: {"default": values}
            if isinstance(values, str)
            else {"default": values[0], "enum": [*values]}
            for name, values in variables.items()
        },
    }


REGION = "https://{r}.a.test"
EU, US = "https://eu.a.test", "https://us.a.test"
BREAKS: dict[str, tuple[Any, Any, str]] = {
    "a value of a variable is gone": (
        api(template(REGION, r=("eu", "us"))),
        api(template(REGION, r=("eu",))),
        f"server {EU} is no longer at {US}",
    ),
    "a value of one of two variables is gone": (
        api(template(f"{REGION}/{{v}}", r=("eu", "us"), v=("v1", "v2"))),
        api(template(f"{REGION}/{{v}}", r=("eu",), v=("v1", "v2"))),
        f"server {EU}/v1 is no longer at {US}/v1, {US}/v2",
    ),
    "a variable of any value gets an enumeration": (
        api(template(REGION, r="eu")),
        api(template(REGION, r=("eu", "us"))),
        f"server {EU} is no longer at all of https://*.a.test",
    ),
    "a template replaces literal servers, but for one": (
        api(EU, US),
        api(template(REGION, r=("eu", "ap"))),
        f"server {US} was removed",
    ),
    "a server with variables is gone": (
        api(template(REGION, r=("eu", "us")), HOST),
        api(HOST),
        f"server {EU} was removed",
    ),
    "the default of a variable": (
        api(template(f"{HOST}/{{v}}", v="v1")),
        api(template(f"{HOST}/{{v}}", v="v2")),
        f"server {HOST}/{{v}}: the default of v v1 -> v2",
    ),
    "a prefix that the paths do not get": (
        api(f"{HOST}/v1"),
        api(HOST),
        f"server {HOST}/v1 was removed",
    ),
    "a prefix moves into the paths, and a value of a variable is gone": (
        api(template(f"{REGION}/v1", r=("eu", "us"))),
        api(template(REGION, r=("eu",)), paths=("/v1/x",)),
        f"server {EU}/v1 is no longer at {US}/v1",
    ),
    "a prefix moves into the servers, and a value of a variable is gone": (
        api(template(REGION, r=("eu", "us")), paths=("/v1/x",)),
        api(template(f"{REGION}/v1", r=("eu",))),
        f"server {EU} is no longer at {US}/v1",
    ),
    "a prefix moves, and the host changes as well": (
        api(f"{HOST}/v1", f"{US}/v1"),
        api(HOST, paths=("/v1/x",)),
        f"server {US}/v1 was removed",
    ),
}
EQUAL: dict[str, tuple[Any, Any]] = {
    "a template of the same servers": (api(EU, US), api(template(REGION, r=("us", "eu")))),
    "the servers of a template": (api(template(REGION, r=("us", "eu"))), api(EU, US)),
    "a variable that is called otherwise": (
        api(template(REGION, r=("eu", "us"))),
        api(template("https://{region}.a.test", region=("eu", "us"))),
    ),
    "a prefix moves from the servers into the paths": (
        api(f"{HOST}/v1"),
        api(HOST, paths=("/v1/x",)),
    ),
    "a prefix moves from the paths into the servers": (
        api(HOST, paths=("/v1/x", "/v1/y/{id}")),
        api(f"{HOST}/v1/", paths=("/x", "/y/{id}")),
    ),
    "a prefix moves from a server without a host": (api("/v1"), api(paths=("/v1/x",))),
    "a prefix moves, and an operation has a server of its own": (
        api(f"{HOST}/v1", paths=("/x", "/y"), **{"/y": {**GET, "servers": [{"url": EU}]}}),
        api(HOST, paths=("/v1/x", "/y"), **{"/y": {**GET, "servers": [{"url": EU}]}}),
    ),
    "a prefix moves, and an operation keeps its address with a server of its own": (
        api(f"{HOST}/v1", paths=("/x", "/y")),
        api(
            HOST,
            paths=("/v1/x", "/v1/y"),
            **{"/v1/y": {**GET, "servers": [{"url": HOST}]}},
        ),
    ),
}


@pytest.mark.parametrize(("base", "revision", "words"), BREAKS.values(), ids=BREAKS)
def test_an_address_that_clients_call_is_gone(
    base: Any, revision: Any, words: str, tmp_path: Path
) -> None:
    found = changes(report(tmp_path, base, revision))
    assert [finding.message for finding in found if finding.level is Level.ERROR] == [words]


@pytest.mark.parametrize(("base", "revision"), EQUAL.values(), ids=EQUAL)
def test_the_same_addresses_are_no_change(base: Any, revision: Any, tmp_path: Path) -> None:
    assert changes(report(tmp_path, base, revision)) == []


def test_a_new_value_of_a_variable_is_an_addition(tmp_path: Path) -> None:
    base, revision = (api(template(REGION, r=values)) for values in (("eu",), ("eu", "us")))
    (finding,) = changes(report(tmp_path, base, revision))
    assert (finding.rule, finding.message) == ("added", f"server {EU} is now also at {US}")


def test_an_operation_below_a_moved_prefix_may_change_and_others_may_be_new(
    tmp_path: Path,
) -> None:
    base, revision = api(f"{HOST}/v1", paths=("/x", "/y")), api(HOST, paths=("/v1/x", "/health"))
    found = changes(report(tmp_path, base, revision))
    assert {(finding.rule, finding.operations) for finding in found} == {
        ("operation-removed", ("GET /y",)),
        ("operation-added", ("GET /health",)),
    }


def test_more_addresses_than_can_be_compared_are_said(tmp_path: Path) -> None:
    letters = tuple("abcdefghijk")
    many = {f"v{number}": letters for number in range(4)}
    url = "https://a.test/" + "/".join(f"{{{name}}}" for name in many)
    base, revision = api(template(url, **many)), api(HOST)
    (finding,) = changes(report(tmp_path, base, revision))
    assert finding.rule == "diff-incomplete"
    assert "more than 10,000 addresses" in finding.message


def test_prefixes_that_are_ignored_anyway_may_move(tmp_path: Path) -> None:
    base = document(tmp_path, "base.json", api(f"{HOST}/v1"))
    revision = document(tmp_path, "revision.json", api(HOST, paths=("/v1/x",)))
    found = compare(base, revision, today=TODAY, prefixes=("/v1",))
    assert changes(found) == []
