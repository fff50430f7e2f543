"""The servers of the API, and changes of their URLs."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.compare.verdicts.change import Change, display
from specwright.compare.verdicts.change_rule import ADDED, ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import DECLARED, example
from specwright.document.model import Document
from specwright.document.operations.sites import OperationSite, Site
from specwright.json_values import JsonObject
from specwright.pointer import Pointer, join

# The server of a document that declares none (OAS 3.1.1, 4.8.1).
_HERE = "/"

SERVER_REMOVED = ChangeRule(
    "server-removed",
    ChangeCategory.WIRE,
    "Clients continue to call the removed address.",
    example=example(
        DECLARED,
        "servers: [{url: 'https://a.test'}]",
        "servers: [{url: 'https://b.test'}]",
        "servers: [{url: 'https://b.test'}, {url: 'https://a.test/'}]",
    ),
    remedy="List the new address beside the old one while both are in use.",
)


def server_changes(base: Document, revision: Document) -> Iterator[Change]:
    """Yield the removed and the added servers of a document."""
    at = join("servers")
    yield from _changes(_urls(base.data), _urls(revision.data), (at, at))


def own_server_changes(
    documents: tuple[Document, Document], base: OperationSite, revision: OperationSite
) -> Iterator[Change]:
    """Yield the removed and the added servers of an operation, if it or its path declares any."""
    owners = [_owner(site) for site in (base, revision)]
    if any(owners):
        before, after = (
            _urls(owner.value if owner else document.data)
            for document, owner in zip(documents, owners, strict=True)
        )
        old, new = ((owner or site) for owner, site in zip(owners, (base, revision), strict=True))
        yield from _changes(before, after, (old / "servers", new / "servers"))


def _owner(operation: OperationSite) -> Site | None:
    return next((node for node in (operation, operation.item) if "servers" in node.value), None)


def _changes(before: list[str], after: list[str], at: tuple[Pointer, Pointer]) -> Iterator[Change]:
    for url in before:
        if url not in after:
            yield Change(SERVER_REMOVED, *at, f"server {display(url)} was removed")
    for url in after:
        if url not in before:
            yield Change(ADDED, None, at[1], f"server {display(url)} was added")


def _urls(owner: JsonObject) -> list[str]:
    declared = owner.get("servers")
    servers = declared if isinstance(declared, list) else []
    urls = [_with_defaults(server) for server in servers if isinstance(server, dict)]
    return list(dict.fromkeys(urls)) or [_HERE]


def _with_defaults(server: JsonObject) -> str:
    url = str(server.get("url"))
    variables = server.get("variables")
    for name, variable in (variables if isinstance(variables, dict) else {}).items():
        if isinstance(variable, dict):
            url = url.replace(f"{{{name}}}", str(variable.get("default")))
    return url.rstrip("/") or _HERE
