"""Pairs of parts of the base and the revision, and parts without a counterpart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.validate.documents import whole

from .documents import breaking, changes, everywhere, report

TEXT = {"type": "string", "maxLength": 5}
NUMBER = {"type": "integer", "maximum": 10}
TRUTH = {"type": "boolean"}
GONE = ["operation-removed", "operation-added"]


def answering(response: dict[str, Any]) -> dict[str, Any]:
    """A document with one operation, which answers so."""
    described = {"description": "Done.", **response}
    return whole("{}") | {"paths": {"/a": {"get": {"responses": {"200": described}}}}}


def test_names_of_headers_have_no_case(tmp_path: Path) -> None:
    def document(name: str, most: int) -> dict[str, Any]:
        schema = {"type": "integer", "maximum": most}
        return answering({"headers": {name: {"required": True, "schema": schema}}})

    assert changes(report(tmp_path, document("X-Rate", 9), document("x-rate", 9))) == []
    [found] = changes(report(tmp_path, document("X-Rate", 9), document("x-rate", 10)))
    assert found.rule == "range-widened"


def test_media_types_have_neither_case_nor_spaces(tmp_path: Path) -> None:
    def document(name: str, most: int) -> dict[str, Any]:
        return answering({"content": {name: {"schema": {"type": "integer", "maximum": most}}}})

    names = "Application/JSON; charset=utf-8", "application/json;charset=utf-8"
    assert changes(report(tmp_path, *(document(name, 9) for name in names))) == []
    [found] = changes(report(tmp_path, document(names[0], 9), document(names[1], 10)))
    assert found.rule == "range-widened"


def test_ranges_of_statuses_have_no_case(tmp_path: Path) -> None:
    def document(status: str, most: int) -> dict[str, Any]:
        schema = {"type": "integer", "maximum": most}
        answer = {"description": "Done.", "content": {"application/json": {"schema": schema}}}
        return whole("{}") | {"paths": {"/a": {"get": {"responses": {status: answer}}}}}

    assert changes(report(tmp_path, document("2xx", 9), document("2XX", 9))) == []
    [found] = changes(report(tmp_path, document("2xx", 9), document("2XX", 10)))
    assert found.rule == "range-widened"


def calling(path: str, name: str, expression: str) -> dict[str, Any]:
    """A document with an operation that calls back, and a webhook."""
    done = {"responses": {"200": {"description": "Done."}}}
    callbacks = {"changed": {expression: {"post": done}}}
    return whole("{}") | {
        "paths": {path: {"post": {**done, "callbacks": callbacks}}},
        "webhooks": {name: {"post": done}},
    }


@pytest.mark.parametrize(
    ("revision", "rules"),
    [
        (("/a/{key}", "order.{id}", "{$request.body#/url}"), []),
        (("/a/{id}", "order.{key}", "{$request.body#/url}"), GONE),
        (("/a/{id}", "order.{id}", "{$request.body#/to}"), GONE),
    ],
    ids=["a path", "a webhook", "a callback"],
)
def test_only_a_path_is_the_same_under_another_name_in_braces(
    revision: tuple[str, str, str], rules: list[str], tmp_path: Path
) -> None:
    base = calling("/a/{id}", "order.{id}", "{$request.body#/url}")
    assert [change.rule for change in changes(report(tmp_path, base, calling(*revision)))] == rules


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_an_alternative_in_the_place_of_another_one_is_compared_with_it(
    keyword: str, tmp_path: Path
) -> None:
    base, revision = {keyword: [TEXT, NUMBER]}, {keyword: [{**TEXT, "maxLength": 4}, NUMBER]}
    found = breaking(report(tmp_path, everywhere(base), everywhere(revision)).findings)
    assert {finding.rule for finding in found} == {"length-narrowed"}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    ("before", "after"),
    [([TEXT, NUMBER], [TRUTH, TEXT, {"type": "null"}]), ([TRUTH, TEXT, NUMBER], [NUMBER, TEXT])],
    ids=["one more", "one less"],
)
def test_alternatives_of_which_there_are_more_or_fewer_are_compared_together_only(
    keyword: str, before: list[Any], after: list[Any], tmp_path: Path
) -> None:
    sides = everywhere({keyword: before}), everywhere({keyword: after})
    found = changes(report(tmp_path, *sides))
    assert found
    assert not [each for each in found if f"/{keyword}/" in str(each.pointer)]


@pytest.mark.parametrize(
    ("narrow", "wide"), [("int32", "int64"), ("float", "double"), ("uri", "uri-reference")]
)
def test_a_wider_format_breaks_those_who_receive_it_only(
    narrow: str, wide: str, tmp_path: Path
) -> None:
    sides = everywhere({"format": narrow}), everywhere({"format": wide})
    widened = breaking(report(tmp_path, *sides).findings)
    narrowed = breaking(report(tmp_path, *sides[::-1]).findings)
    assert {finding.rule for finding in widened} == {"format-widened"}
    assert {finding.rule for finding in narrowed} == {"format-narrowed"}
