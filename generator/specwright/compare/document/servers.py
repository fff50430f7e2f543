"""Where the API is reached: addresses that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specwright.compare.verdicts.change import Change, shown
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.model import Document
from specwright.pointer import join

# What a document without servers says (OAS 3.1.1, 4.8.1).
_HERE = "/"


def server_changes(base: Document, revision: Document) -> Iterator[Change]:
    """Servers of the base that the revision does not have, and new ones."""
    before, after = (_urls(each) for each in (base, revision))
    at = join("servers")
    for url in before:
        if url not in after:
            yield Change(ChangeRule.SERVER_REMOVED, at, at, f"server {shown(url)} is gone")
    for url in after:
        if url not in before:
            yield Change(ChangeRule.ADDED, None, at, f"server {shown(url)} is new")


def _urls(document: Document) -> list[str]:
    declared = document.data.get("servers")
    servers = declared if isinstance(declared, list) else []
    urls = [_with_defaults(each) for each in servers if isinstance(each, dict)]
    return list(dict.fromkeys(urls)) or [_HERE]


def _with_defaults(server: dict[str, Any]) -> str:
    url = str(server.get("url"))
    variables = server.get("variables")
    for name, variable in (variables if isinstance(variables, dict) else {}).items():
        if isinstance(variable, dict):
            url = url.replace(f"{{{name}}}", str(variable.get("default")))
    return url.rstrip("/") or _HERE
