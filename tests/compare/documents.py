"""Pairs of short documents for the tests of the review."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from specwright.compare.comparison import compare
from specwright.compare.table import BY_ID
from specwright.compare.verdicts.acceptances import Acceptance
from specwright.compare.verdicts.change_rule import BREAKING, DIFF_UNPROVEN
from specwright.document.model import Document
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.findings import Finding, Report
from specwright.policy import Settings
from tests.validate.documents import whole

TODAY = date(2026, 6, 1)
USUAL = Settings()


def document(directory: Path, name: str, data: dict[str, Any]) -> Document:
    path = directory / name
    path.write_text(json.dumps(data, indent=1), "utf-8")
    return upgrade(load(path))


def report(
    directory: Path,
    base: dict[str, Any],
    revision: dict[str, Any],
    accepted: tuple[Acceptance, ...] = (),
    settings: Settings = USUAL,
) -> Report:
    documents = (
        document(directory, f"{name}.json", data)
        for name, data in (("base", base), ("revision", revision))
    )
    return compare(*documents, accepted, today=TODAY, settings=settings)


def parts(stream: str) -> list[dict[str, Any]]:
    """Return whole documents from a YAML stream of their relevant parts."""
    return [whole(yaml.safe_dump(part)) for part in yaml.safe_load_all(stream)]


def changes(found: Report) -> list[Finding]:
    """The findings about changes, without those about the version."""
    return [finding for finding in found.findings if not finding.rule.startswith("version-")]


def breaking(found: Sequence[Finding]) -> list[Finding]:
    """Return the findings that need attention: breaking changes and unproven ones."""
    return [
        finding
        for finding in found
        if finding.rule == DIFF_UNPROVEN or BY_ID[finding.rule].category in BREAKING
    ]


# The operation that has a schema at each kind of place.
PLACES = {
    "request": "POST /request",
    "response": "GET /response",
    "parameter": "GET /parameter",
    "webhook": "webhook POST request",
    "webhook response": "webhook POST response",
    "callback": "callback POST {$url}",
}
SENT_BY_CLIENTS = frozenset({"request", "parameter", "webhook response"})
_DONE: dict[str, Any] = {"responses": {"200": {"description": "Done."}}}


def everywhere(schema: Any) -> dict[str, Any]:
    """A document that has a schema at every kind of place."""
    content = {"application/json": {"schema": schema}}
    asked = {"requestBody": {"content": content}, **_DONE}
    answered = {"responses": {"200": {"description": "Done.", "content": content}}}
    parameter = {"name": "q", "in": "query", "schema": schema}
    return whole("{}") | {
        "paths": {
            "/request": {"post": asked},
            "/response": {"get": answered},
            "/parameter": {"get": {"parameters": [parameter], **_DONE}},
            "/callback": {"post": {**_DONE, "callbacks": {"b": {"{$url}": {"post": asked}}}}},
        },
        "webhooks": {"request": {"post": asked}, "response": {"post": answered}},
    }


def affected(findings: list[Finding]) -> set[str]:
    """The places that findings are about, by the operations that they name."""
    named = {
        name for finding in findings if finding.affected for name in finding.affected.operations
    }
    return {place for place, operation in PLACES.items() if operation in named}
