"""Links that the settings of a project add to a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jsonschema_rs.canonical.schema import clone

from specwright.config import AddedLink
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.expressions import EXPRESSION
from specwright.document.operations.sites import OperationSite
from specwright.errors import InputError, Location, did_you_mean
from specwright.json_values import JsonObject, mapping
from specwright.pointer import resolve


def with_links(document: Document, links: Sequence[AddedLink]) -> Document:
    """Return the document with the links that settings add.

    Raises:
        InputError: the document has no such operation, parameter or response, or an expression is
            not valid.
    """
    if not links:
        return document
    operations = sites.named_operations(document)
    data, start = clone(document.data), Location(document.path, 1, 1)
    for number, link in enumerate(links, 1):
        for message, hint in _mistakes(document, operations, link):
            raise InputError(f"a link of the settings {message}", start, hint)
        added: JsonObject = {
            "operationRef": f"#{operations[link.target].pointer}",
            "parameters": dict(link.parameters),
            **({"requestBody": dict(link.body)} if link.body else {}),
        }
        source = mapping(resolve(data, operations[link.source].pointer))
        responses = mapping(source["responses"])
        for status in filter(_is_success, responses):
            # Other operations may share the response.
            response = mapping(document.follow(responses[status]))
            named = {**mapping(response.get("links")), f"setting-{number}": added}
            responses[status] = {**response, "links": named}
    return document.with_data(data)


def _mistakes(
    document: Document, operations: Mapping[str, OperationSite], link: AddedLink
) -> Iterator[tuple[str, str]]:
    """Yield the reasons why a link cannot be added, each with a hint."""
    for name in (link.source, link.target):
        if name not in operations:
            general = "use an operationId, or a form such as `GET /things`"
            yield (
                f"names {name!r}, which is not an operation",
                did_you_mean(name, operations, general),
            )
            return
    if not any(map(_is_success, mapping(operations[link.source].value.get("responses")))):
        yield f"begins at {link.source!r}, which declares no 2xx response", "declare one"
    known = sites.parameters(document, operations[link.target])
    names = {name for _, name in known} | {f"{place}.{name}" for place, name in known}
    for name in link.parameters.keys() - names:
        hint = did_you_mean(name, sorted(names), f"it has {', '.join(sorted(names)) or 'none'}")
        yield f"names the parameter {name!r}, which {link.target!r} does not have", hint
    for value in (*link.parameters.values(), *link.body.values()):
        if isinstance(value, str) and value.startswith("$") and not EXPRESSION.fullmatch(value):
            yield (
                f"has {value!r}, which is not a runtime expression",
                ("use a form such as `$response.body#/id`"),
            )


def _is_success(status: str) -> bool:
    return status.startswith("2")
