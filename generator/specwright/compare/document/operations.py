"""Changes of operations, apart from their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specwright.compare.document.contents import ChangeOrSchema, content_changes, schemas_of
from specwright.compare.document.lifecycle import deprecation_changes, stability_changes
from specwright.compare.document.pairing import (
    ParameterKey,
    callbacks_by_key,
    headers_by_name,
    match_operations,
    operations_by_key,
    pairs_by_key,
    parameters_by_key,
)
from specwright.compare.document.serialisation import encoding_of, serialisation_changes
from specwright.compare.document.servers import own_server_changes
from specwright.compare.schemas.presence import (
    BODY_RULES,
    HEADER_RULES,
    PARAMETER_RULES,
    PresenceRules,
    presence,
    presence_change,
    presence_words,
)
from specwright.compare.schemas.transfer import Transfer
from specwright.compare.verdicts.announcements import SUNSET_OPERATION_REMOVED
from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rule import (
    ADDED,
    SERIALISATION_CHANGED,
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
    members,
    of_request,
    of_response,
    request_body,
    responses,
)
from specwright.document.schemas.polarity import Polarity
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
    base: Document, revision: Document, prefixes: Sequence[str] = ()
) -> tuple[list[OperationPair], list[tuple[str, Change]]]:
    """Return the operations in both documents, and a change with a name for each of the others."""
    pairs: list[OperationPair] = []
    others: list[tuple[str, Change]] = []
    seen: set[tuple[Pointer, Pointer, str, str]] = set()
    queue = [(operations_by_key(base, prefixes), operations_by_key(revision, prefixes))]
    while queue:
        for old, new in match_operations(*queue.pop()):
            if old is None or new is None:
                others.extend(_unpaired(old, new))
                continue
            # Callbacks may be nested, even in a cycle.
            identity = (old.pointer, new.pointer, old.key, new.key)
            if identity in seen:
                continue
            seen.add(identity)
            pairs.append(OperationPair(old, new))
            queue.append((callbacks_by_key(base, old), callbacks_by_key(revision, new)))
    return pairs, others


def _unpaired(old: OperationSite | None, new: OperationSite | None) -> Iterator[tuple[str, Change]]:
    if new is not None:
        message = f"{label(new)} was added"
        yield label(new), Change(OPERATION_ADDED, None, new.pointer, message)
    if old is not None:
        message = f"{label(old)} was removed"
        yield label(old), Change(OPERATION_REMOVED, old.pointer, old.pointer, message)


def operation_changes(
    documents: tuple[Document, Document], pair: OperationPair
) -> Iterator[ChangeOrSchema]:
    """Yield the changes of an operation, and the pairs of schemas to compare."""
    yield from _members(pair)
    yield from own_server_changes(documents, pair.base, pair.revision)
    yield from _parameters(documents, pair)
    yield from _bodies(documents, pair)
    yield from _responses(documents, pair)


def _members(pair: OperationPair) -> Iterator[Change]:
    old, new = pair.base, pair.revision
    if old.id is not None and old.id != new.id:
        message = f"operationId {became(old.id, new.id)}"
        yield Change(OPERATION_ID_CHANGED, old / "operationId", new / "operationId", message)
    tags = [_first_tag(site) for site in (old, new)]
    # Tags that differ only in case or separators form one group of a client.
    groups = [tag and group_names(tag).attribute for tag in tags]
    if groups[0] is not None and groups[0] != groups[1]:
        message = f"the first tag {became(*tags)}"
        yield Change(OPERATION_GROUP_CHANGED, old / "tags", new / "tags", message)
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
        yield Change(PARAMETER_MOVED, old.pointer, new.pointer, message)
    yield from _order(pair, [key for key in base if key in revision], list(revision))
    for key, one, other in pairs_by_key(base, revision):
        yield from _parameter(documents, pair, key, one, other, polarity)


def _order(
    pair: OperationPair, shared: list[ParameterKey], revision: list[ParameterKey]
) -> Iterator[Change]:
    """Yield a change if the shared parameters are in another order."""
    now = [key for key in revision if key in shared]
    if shared != now:
        words = [", ".join(key.name for key in order) for order in (shared, now)]
        at = pair.base / "parameters", pair.revision / "parameters"
        yield Change(PARAMETER_ORDER_CHANGED, *at, f"order of parameters: {became(*words)}")


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
        yield Change(ADDED, None, new.pointer, f"{words} is now declared")
        return
    yield from _presence(PARAMETER_RULES, words, old, new, (pair.base, pair.revision), polarity)
    if old is None or new is None:
        return
    names = [str(site.value.get("name")) for site in (old, new)]
    if key.place == "path" and names[0] != names[1]:
        message = f"path parameter {became(*names)}"
        yield Change(PARAMETER_RENAMED, old / "name", new / "name", message)
    yield from deprecation_changes(old, new, words)
    yield from serialisation_changes(old, new, key.place, words, polarity)
    yield from _value_holder(documents, old, new, polarity)


def _name(site: Site | None, key: ParameterKey) -> str:
    return str(site.value.get("name", key.name)) if site else key.name


def _presence(
    rules: PresenceRules,
    words: str,
    old: Site | None,
    new: Site | None,
    owners: tuple[Site, Site],
    polarity: Polarity,
) -> Iterator[Change]:
    before, after = (
        presence(declared=node is not None, required=_is_required(node)) for node in (old, new)
    )
    change = presence_change(before, after, polarity)
    if change is None:
        return
    yield Change(
        rules[change],
        old.pointer if old else owners[0].pointer,
        new.pointer if new else owners[1].pointer,
        f"{words} {presence_words(before, after)}",
    )


def _is_required(site: Site | None) -> bool:
    return site is not None and site.value.get("required") is True


def _bodies(documents: tuple[Document, Document], pair: OperationPair) -> Iterator[ChangeOrSchema]:
    polarity = of_request(pair.base.direction)
    old, new = (
        request_body(document, operation)
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    yield from _presence(
        BODY_RULES, "the request body", old, new, (pair.base, pair.revision), polarity
    )
    if old is not None and new is not None:
        yield from content_changes(documents, old, new, polarity)


def _responses(
    documents: tuple[Document, Document], pair: OperationPair
) -> Iterator[ChangeOrSchema]:
    polarity = of_response(pair.base.direction)
    base, revision = (
        {status.upper(): response for status, response in responses(document, operation)}
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    for status, one, other in pairs_by_key(base, revision):
        # A range such as `4XX` covers its statuses, so a status may be compared with its range.
        range_ = f"{status[0]}XX"
        old, new = one or base.get(range_), other or revision.get(range_)
        if old is not None and new is not None:
            yield from _headers(documents, old, new, polarity)
            yield from content_changes(documents, old, new, polarity)
        elif new is not None:
            yield Change(ADDED, None, new.pointer, f"response {status} was added")
        elif old is not None and not (
            status == range_ and any(other.startswith(status[0]) for other in revision)
        ):
            rule = STATUS_REMOVED if status[:1] == "2" else ERROR_STATUS_REMOVED
            at = pair.revision / "responses"
            yield Change(rule, old.pointer, at, f"response {status} was removed")


def _headers(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[ChangeOrSchema]:
    base, revision = (
        headers_by_name(members(document, response, "headers"))
        for document, response in zip(documents, (old, new), strict=True)
    )
    for name, one, other in pairs_by_key(base, revision):
        words = f"response header '{name}'"
        yield from _presence(HEADER_RULES, words, one, other, (old, new), polarity)
        if one is not None and other is not None:
            yield from deprecation_changes(one, other, words)
            yield from serialisation_changes(one, other, "header", words, polarity)
            yield from _value_holder(documents, one, other, polarity)


def _value_holder(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[ChangeOrSchema]:
    """Yield the changes of a parameter or header value, which has a schema or one content."""
    has_content = ["content" in site.value for site in (old, new)]
    if all(has_content):
        yield from content_changes(documents, old, new, polarity)
    elif any(has_content):
        message = "its serialisation changed between `schema` and `content`"
        yield Change(SERIALISATION_CHANGED, old.pointer, new.pointer, message)
    else:
        yield schemas_of(old, new, Transfer(polarity, encoding_of(new)))
