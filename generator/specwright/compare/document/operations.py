"""Changes of operations, apart from their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specwright.compare.document.contents import (
    ChangeOrSchema,
    content_changes,
    header_changes,
    presence_changes,
    value_changes,
)
from specwright.compare.document.lifecycle import deprecation_changes, stability_changes
from specwright.compare.document.pairing import (
    ParameterKey,
    callbacks_by_key,
    match_operations,
    operations_by_key,
    pairs_by_key,
    parameters_by_key,
)
from specwright.compare.document.serialisation import serialisation_changes
from specwright.compare.document.servers import MovedPrefixes, own_server_changes
from specwright.compare.schemas.presence import (
    BODY_RULES,
    PARAMETER_RULES,
)
from specwright.compare.verdicts.announcements import SUNSET_OPERATION_REMOVED
from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rule import (
    ADDED,
    ChangeCategory,
    ChangeRule,
)
from specwright.compare.verdicts.example import MORE, OPERATION, RESPONSES, example
from specwright.document.model import Document
from specwright.document.operations.naming import group_names
from specwright.document.operations.sites import (
    Direction,
    OperationSite,
    Site,
    of_request,
    of_response,
    request_body,
    responses,
)
from specwright.document.schemas.polarity import Polarity
from specwright.findings import values_of
from specwright.pointer import Pointer

_IN_PATH = """\
paths:
  /orders/{%s}:
    parameters: [{name: %s, in: path, required: true, schema: {}}]
    get: {responses: {default: {description: The order.}}}
"""
_BOTH = "- {name: lang, in: query, schema: {}}\n      - {name: area, in: query, schema: {}}"
_BOTH_OTHERWISE = (
    "- {name: area, in: query, schema: {}}\n      - {name: lang, in: query, schema: {}}"
)
OPERATION_ADDED = ChangeRule(
    "operation-added",
    ChangeCategory.SERVER_SOURCE,
    "Implementations of the server stub must implement one more method.",
    example=example(
        "paths: {%s}\n",
        "/a: {get: {responses: {}}}",
        "/a: {get: {responses: {}}, put: {responses: {}}}",
    ),
)
OPERATION_REMOVED = ChangeRule(
    "operation-removed",
    ChangeCategory.WIRE,
    (
        "Clients that call the operation, or wait for the webhook, stop working. The names of "
        "path parameters do not matter."
    ),
    example=example(
        "paths: {%s, responses: {}}}}\n",
        "/a: {get: {operationId: a",
        "/b: {get: {operationId: a",
        "/a: {get: {operationId: a, deprecated: true, x-sunset: '2999-06-30'",
    ),
    remedy=(
        "Mark it `deprecated` with the removal date (`x-sunset`), and remove it after that date."
    ),
    after_sunset=SUNSET_OPERATION_REMOVED,
)
OPERATION_ID_CHANGED = ChangeRule(
    "operation-id-changed",
    ChangeCategory.CLIENT_SOURCE,
    "The method of generated clients has another name.",
    example=example(
        "paths: {/a: {get: {operationId: %s, responses: {}}}}\n",
        "getA",
        "readA",
        "getA, summary: Read it",
    ),
    remedy="Keep the operationId; put better words in `summary`.",
)
OPERATION_GROUP_CHANGED = ChangeRule(
    "operation-group-changed",
    ChangeCategory.CLIENT_SOURCE,
    "The method of generated clients is in another group, which the first tag names.",
    example=example("paths: {/a: {get: {tags: [%s], responses: {}}}}\n", "a", "b", "a, b"),
    remedy="Put the new tag behind the first one.",
)
STATUS_REMOVED = ChangeRule(
    "status-removed",
    ChangeCategory.WIRE,
    "Clients recognise success by a status that is no longer returned.",
    example=example(
        RESPONSES,
        "'200': {description: It.}",
        "'201': {description: It.}",
        "'200': {description: It.}",
        MORE,
    ),
    remedy="Keep the status; add an operation for a different success.",
)
ERROR_STATUS_REMOVED = ChangeRule(
    "error-status-removed",
    ChangeCategory.COMPATIBLE,
    "An error status is no longer declared; clients handle one case too many.",
    example=example(
        RESPONSES,
        "default: {description: It.}, '404': {description: None.}",
        "default: {description: It.}",
    ),
)
PARAMETER_MOVED = ChangeRule(
    "parameter-moved",
    ChangeCategory.WIRE,
    "Clients send the parameter in a place that is no longer read.",
    example=example(
        OPERATION,
        "- {name: lang, in: query, schema: {}}",
        "- {name: lang, in: header, schema: {}}",
        "- {name: lang, in: query, schema: {}, deprecated: true}\n"
        "      - {name: lang, in: header, schema: {}}",
    ),
    remedy="Accept it in both places, and mark the old one `deprecated`.",
)
PARAMETER_RENAMED = ChangeRule(
    "parameter-renamed",
    ChangeCategory.CLIENT_SOURCE,
    "The argument of generated methods has another name; the request stays the same.",
    example=example(
        _IN_PATH, ("x", "x"), ("y", "y"), ("x", "x, description: The number of the order")
    ),
    remedy="Keep the name; explain it in `description`.",
)
PARAMETER_ORDER_CHANGED = ChangeRule(
    "parameter-order-changed",
    ChangeCategory.CLIENT_SOURCE,
    (
        "Methods that take arguments by position, as many generators write them, get them in "
        "another order. Those of specwright take them by name."
    ),
    example=example(
        OPERATION,
        _BOTH,
        _BOTH_OTHERWISE,
        f"{_BOTH}\n      - {{name: page, in: query, schema: {{}}}}",
    ),
    remedy="Keep the order, and put new parameters at the end.",
)


@dataclass(frozen=True, slots=True)
class OperationPair:
    """An operation in both documents."""

    base: OperationSite
    revision: OperationSite

    @property
    def name(self) -> str:
        """The display name: method and path, or the name of a webhook or callback."""
        return label(self.revision)


def label(operation: OperationSite) -> str:
    """Return the display name of an operation."""
    kind = "" if operation.direction is Direction.PATH else f"{operation.direction} "
    return f"{kind}{operation.method} {operation.key}"


def pair_operations(
    base: Document, revision: Document, prefixes: Sequence[str], moved: MovedPrefixes
) -> tuple[list[OperationPair], list[tuple[str, Change]]]:
    """Return the operations in both documents, and a change with a name for each of the others."""
    pairs: list[OperationPair] = []
    others: list[tuple[str, Change]] = []
    seen: set[tuple[Pointer, Pointer]] = set()
    queue = [
        (
            operations_by_key(base, prefixes, moved.base),
            operations_by_key(revision, prefixes, moved.revision),
        )
    ]
    while queue:
        for old, new in match_operations(*queue.pop()):
            if old is None or new is None:
                others.extend(_unpaired(old, new))
                continue
            # Callbacks may be nested, even in a cycle.
            identity = (old.pointer, new.pointer)
            if identity in seen:
                continue
            seen.add(identity)
            pairs.append(OperationPair(old, new))
            queue.append((callbacks_by_key(base, old), callbacks_by_key(revision, new)))
    return pairs, others


def _unpaired(old: OperationSite | None, new: OperationSite | None) -> Iterator[tuple[str, Change]]:
    if new is not None:
        message = f"{label(new)} was added"
        yield label(new), Change(OPERATION_ADDED, None, new.pointer, message, ())
    if old is not None:
        message = f"{label(old)} was removed"
        yield label(old), Change(OPERATION_REMOVED, old.pointer, old.pointer, message, ())


def operation_changes(
    documents: tuple[Document, Document], pair: OperationPair, moved: MovedPrefixes
) -> Iterator[ChangeOrSchema]:
    """Yield the changes of an operation, and the pairs of schemas to compare."""
    yield from _members(pair)
    yield from own_server_changes(documents, pair.base, pair.revision, moved)
    yield from _parameters(documents, pair)
    yield from _bodies(documents, pair)
    yield from _responses(documents, pair)


def _members(pair: OperationPair) -> Iterator[Change]:
    old, new = pair.base, pair.revision
    if old.id is not None and old.id != new.id:
        message, values = f"operationId {became(old.id, new.id)}", values_of(old.id, new.id)
        at = old / "operationId", new / "operationId"
        yield Change(OPERATION_ID_CHANGED, *at, message, values)
    tags = [_first_tag(site) for site in (old, new)]
    # Tags that differ only in case or separators form one group of a client.
    groups = [tag and group_names(tag).attribute for tag in tags]
    if groups[0] is not None and groups[0] != groups[1]:
        message = f"the first tag {became(*tags)}"
        at = old / "tags", new / "tags"
        yield Change(OPERATION_GROUP_CHANGED, *at, message, values_of(*tags))
    yield from deprecation_changes(old, new, pair.name)
    yield from stability_changes(old, new, pair.name)


def _first_tag(operation: OperationSite) -> str | None:
    tags = operation.value.get("tags")
    return str(tags[0]) if isinstance(tags, list) and tags else None


def _parameters(
    documents: tuple[Document, Document], pair: OperationPair
) -> Iterator[ChangeOrSchema]:
    polarity = of_request(pair.base.direction)
    base, revision = (
        parameters_by_key(document, operation)
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    moved = {
        old: new
        for new in revision.keys() - base.keys()
        for old in base.keys() - revision.keys()
        if old.name == new.name and old.place != new.place
    }
    for before, after in moved.items():
        message = f"parameter '{before.name}' moved: {before.place} -> {after.place}"
        old, new = base.pop(before), revision.pop(after)
        values = values_of(before, after)
        yield Change(PARAMETER_MOVED, old.pointer, new.pointer, message, values)
    yield from _order(pair, base, revision)
    for key, one, other in pairs_by_key(base, revision):
        yield from _parameter(documents, pair, key, one, other, polarity)


def _order(
    pair: OperationPair, base: dict[ParameterKey, Site], revision: dict[ParameterKey, Site]
) -> Iterator[Change]:
    """Yield a change if the shared parameters are in another order."""
    was = [key for key in base if key in revision]
    now = [key for key in revision if key in base]
    if was != now:
        names = (", ".join(_name(base[key], key) for key in order) for order in (was, now))
        at = pair.base / "parameters", pair.revision / "parameters"
        message = f"order of parameters: {became(*names)}"
        yield Change(PARAMETER_ORDER_CHANGED, *at, message, values_of(was, now))


def _parameter(
    documents: tuple[Document, Document],
    pair: OperationPair,
    key: ParameterKey,
    old: Site | None,
    new: Site | None,
    polarity: Polarity,
) -> Iterator[ChangeOrSchema]:
    words = f"{key.place} parameter '{_name(old or new, key)}'"
    if key.place == "path" and old is None and new is not None:
        # The path template had the parameter before it was declared.
        yield Change(ADDED, None, new.pointer, f"{words} is now declared", values_of(key))
        return
    at = pair.base, pair.revision
    yield from presence_changes(PARAMETER_RULES, words, values_of(key), old, new, at, polarity)
    if old is None or new is None:
        return
    names = [str(site.value.get("name")) for site in (old, new)]
    if key.place == "path" and names[0] != names[1]:
        message = f"path parameter {became(*names)}"
        yield Change(PARAMETER_RENAMED, old / "name", new / "name", message, values_of(*names))
    yield from deprecation_changes(old, new, words)
    yield from serialisation_changes(old, new, key.place, words, polarity)
    yield from value_changes(documents, old, new, polarity)


def _name(site: Site | None, key: ParameterKey) -> str:
    return str(site.value.get("name", key.name)) if site else key.name


def _bodies(documents: tuple[Document, Document], pair: OperationPair) -> Iterator[ChangeOrSchema]:
    polarity = of_request(pair.base.direction)
    old, new = (
        request_body(document, operation)
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    at = pair.base, pair.revision
    yield from presence_changes(BODY_RULES, "the request body", (), old, new, at, polarity)
    if old is not None and new is not None:
        yield from content_changes(documents, old, new, polarity)


def _responses(
    documents: tuple[Document, Document], pair: OperationPair
) -> Iterator[ChangeOrSchema]:
    polarity = of_response(pair.base.direction)
    base, revision = (
        {_status(name): response for name, response in responses(document, operation)}
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    for status, one, other in pairs_by_key(base, revision):
        # A range such as `4XX` covers its statuses, so a status may be compared with its range.
        range_ = f"{status[0]}XX"
        old, new = one or base.get(range_), other or revision.get(range_)
        if old is not None and new is not None:
            yield from header_changes(documents, old, new, "response header", polarity)
            yield from content_changes(documents, old, new, polarity)
        elif new is not None:
            message = f"response {status} was added"
            yield Change(ADDED, None, new.pointer, message, values_of(status))
        elif old is not None and not (
            status == range_ and any(other.startswith(status[0]) for other in revision)
        ):
            rule = STATUS_REMOVED if status[:1] == "2" else ERROR_STATUS_REMOVED
            at, message = pair.revision / "responses", f"response {status} was removed"
            yield Change(rule, old.pointer, at, message, values_of(status))


def _status(name: str) -> str:
    """Return the key of a response, with a range such as `4xx` in upper case."""
    return name if name == "default" else name.upper()
