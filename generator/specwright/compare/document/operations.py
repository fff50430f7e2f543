"""What changed about operations apart from their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from specwright.compare.document.lifecycle import announcements, is_over
from specwright.compare.document.pairing import (
    ParameterKey,
    callbacks_by_key,
    contents_by_media_type,
    headers_by_name,
    operations_by_key,
    paired,
    paired_operations,
    parameters_by_key,
)
from specwright.compare.document.security import security_changes
from specwright.compare.schemas.flatten import Subschemas
from specwright.compare.schemas.polarity import Polarity, Way, Writing, of_request, of_response
from specwright.compare.schemas.presence import Event, event, presence
from specwright.compare.verdicts.change import Change, became, shown
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.applicators import Subschema
from specwright.document.model import Document
from specwright.document.sites import (
    Direction,
    OperationSite,
    Site,
    is_json,
    members,
    request_body,
    responses,
)
from specwright.pointer import Pointer, join

# A field of a parameter or header that says how its value is written, and what it is by default.
_SERIALISATION: Mapping[str, object] = {
    "style": None,
    "explode": None,
    "allowReserved": False,
    "allowEmptyValue": False,
}
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


@dataclass(frozen=True, slots=True)
class SharedSchema:
    """A schema that both documents have at the same place, and how its values are sent."""

    base: Subschemas
    revision: Subschemas
    way: Way


@dataclass(frozen=True, slots=True)
class OperationPair:
    """An operation that both documents have."""

    base: OperationSite
    revision: OperationSite

    @property
    def name(self) -> str:
        """What people call it: method and path, or the name of a webhook or callback."""
        return label(self.revision)


def label(operation: OperationSite) -> str:
    """What people call an operation."""
    kind = "" if operation.direction is Direction.PATH else f"{operation.direction} "
    return f"{kind}{operation.method} {operation.key}"


Found = Change | SharedSchema


def pair_operations(
    base: Document, revision: Document, today: date
) -> tuple[list[OperationPair], list[tuple[str, Change]]]:
    """The operations that both have, and a change for each of the others, with its name."""
    pairs: list[OperationPair] = []
    others: list[tuple[str, Change]] = []
    seen: set[tuple[Pointer, Pointer, str, str]] = set()
    queue = [(operations_by_key(base), operations_by_key(revision))]
    while queue:
        for old, new in paired_operations(*queue.pop()):
            if old is None or new is None:
                others.extend(_unpaired(old, new, today))
                continue
            # A callback may have callbacks, in a circle even.
            identity = (old.pointer, new.pointer, old.key, new.key)
            if identity in seen:
                continue
            seen.add(identity)
            pairs.append(OperationPair(old, new))
            queue.append((callbacks_by_key(base, old), callbacks_by_key(revision, new)))
    return pairs, others


def _unpaired(
    old: OperationSite | None, new: OperationSite | None, today: date
) -> Iterator[tuple[str, Change]]:
    if new is not None:
        message = f"{label(new)} is new"
        yield label(new), Change(ChangeRule.OPERATION_ADDED, None, new.pointer, message)
    if old is not None:
        message = f"{label(old)} is gone"
        rule = (
            ChangeRule.SUNSET_OPERATION_REMOVED
            if is_over(old, today)
            else ChangeRule.OPERATION_REMOVED
        )
        yield label(old), Change(rule, old.pointer, old.pointer, message)


def operation_changes(documents: tuple[Document, Document], pair: OperationPair) -> Iterator[Found]:
    """What changed in an operation, and the slots whose schemas are to be compared."""
    yield from _fields(pair)
    yield from security_changes(documents, pair.base, pair.revision)
    yield from _parameters(documents, pair)
    yield from _bodies(documents, pair)
    yield from _responses(documents, pair)


def _fields(pair: OperationPair) -> Iterator[Change]:
    old, new = pair.base, pair.revision
    if old.id is not None and old.id != new.id:
        message = f"operationId {became(old.id, new.id)}"
        yield Change(
            ChangeRule.OPERATION_ID_CHANGED, old / "operationId", new / "operationId", message
        )
    groups = [_group(each) for each in (old, new)]
    if groups[0] is not None and groups[0] != groups[1]:
        message = f"the first tag {became(*groups)}"
        yield Change(ChangeRule.OPERATION_GROUP_CHANGED, old / "tags", new / "tags", message)
    yield from announcements(old, new, pair.name)


def _group(operation: OperationSite) -> str | None:
    tags = operation.value.get("tags")
    return str(tags[0]) if isinstance(tags, list) and tags else None


def _parameters(documents: tuple[Document, Document], pair: OperationPair) -> Iterator[Found]:
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
        yield Change(ChangeRule.PARAMETER_MOVED, old.pointer, new.pointer, message)
    yield from _order(pair, [each for each in base if each in revision], list(revision))
    for key, one, other in paired(base, revision):
        yield from _parameter(documents, pair, key, one, other, polarity)


def _order(
    pair: OperationPair, shared: list[ParameterKey], revision: list[ParameterKey]
) -> Iterator[Change]:
    """A change if the parameters that both have do not follow each other as before."""
    now = [each for each in revision if each in shared]
    if shared != now:
        words = [", ".join(each.name for each in order) for order in (shared, now)]
        at = pair.base / "parameters", pair.revision / "parameters"
        yield Change(
            ChangeRule.PARAMETER_ORDER_CHANGED, *at, f"order of parameters: {became(*words)}"
        )


def _parameter(
    documents: tuple[Document, Document],
    pair: OperationPair,
    key: ParameterKey,
    old: Site | None,
    new: Site | None,
    polarity: Polarity,
) -> Iterator[Found]:
    words = f"{key.place} parameter '{_name(old, key)}'"
    yield from _presence("parameter", words, old, new, (pair.base, pair.revision), polarity)
    if old is None or new is None:
        return
    names = [str(each.value.get("name")) for each in (old, new)]
    if key.place == "path" and names[0] != names[1]:
        message = f"path parameter {became(*names)}"
        yield Change(ChangeRule.PARAMETER_RENAMED, old / "name", new / "name", message)
    yield from announcements(old, new, words)
    yield from _written_as(old, new, key.place, words)
    yield from _holder(documents, old, new, polarity)


def _name(site: Site | None, key: ParameterKey) -> str:
    return str(site.value.get("name", key.name)) if site else key.name


def _presence(
    kind: str,
    words: str,
    old: Site | None,
    new: Site | None,
    owners: tuple[Site, Site],
    polarity: Polarity,
) -> Iterator[Change]:
    before, after = (
        presence(declared=each is not None, required=_is_required(each)) for each in (old, new)
    )
    happened = event(before, after, polarity)
    if happened is None:
        return
    harmless = happened in (Event.ADDED, Event.RELAXED)
    yield Change(
        ChangeRule(happened if harmless else f"{kind}-{happened}"),
        old.pointer if old else owners[0].pointer,
        new.pointer if new else owners[1].pointer,
        f"{words} was {before}, is {after}",
    )


def _is_required(site: Site | None) -> bool:
    return site is not None and site.value.get("required") is True


def _written_as(old: Site, new: Site, place: str, words: str) -> Iterator[Change]:
    before, after = (_serialisation(each, place) for each in (old, new))
    for name in before:
        if before[name] != after[name]:
            message = f"{words}: {name} {became(before[name], after[name])}"
            yield Change(ChangeRule.SERIALISATION_CHANGED, old / name, new / name, message)


def _serialisation(site: Site, place: str) -> dict[str, object]:
    style = site.value.get("style", _STYLES.get(place))
    usual = {**_SERIALISATION, "style": style}
    found = {name: site.value.get(name, default) for name, default in usual.items()}
    # What is usual follows from the style, whose change says enough.
    return {**found, "explode": None if found["explode"] == (style == "form") else found["explode"]}


def _bodies(documents: tuple[Document, Document], pair: OperationPair) -> Iterator[Found]:
    polarity = of_request(pair.base.direction)
    old, new = (
        request_body(document, operation)
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    yield from _presence("body", "the request body", old, new, (pair.base, pair.revision), polarity)
    if old is not None and new is not None:
        yield from _contents(documents, old, new, polarity)


def _responses(documents: tuple[Document, Document], pair: OperationPair) -> Iterator[Found]:
    polarity = of_response(pair.base.direction)
    base, revision = (
        {status.upper(): each for status, each in responses(document, operation)}
        for document, operation in zip(documents, (pair.base, pair.revision), strict=True)
    )
    for status, old, new in paired(base, revision):
        if old is None and new is not None:
            yield Change(ChangeRule.ADDED, None, new.pointer, f"response {status} is new")
        elif new is None and old is not None:
            # A range that stays answers for the status.
            gone = status[:1] == "2" and f"{status[0]}XX" not in revision
            rule = ChangeRule.STATUS_REMOVED if gone else ChangeRule.ERROR_STATUS_REMOVED
            at = pair.revision / "responses"
            yield Change(rule, old.pointer, at, f"response {status} is gone")
        elif old is not None and new is not None:
            yield from _headers(documents, old, new, polarity)
            yield from _contents(documents, old, new, polarity)


def _headers(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[Found]:
    base, revision = (
        headers_by_name(members(document, response, "headers"))
        for document, response in zip(documents, (old, new), strict=True)
    )
    for name, one, other in paired(base, revision):
        yield from _presence(
            "header", f"response header '{name}'", one, other, (old, new), polarity
        )
        if one is not None and other is not None:
            yield from _written_as(one, other, "header", f"response header '{name}'")
            yield from _holder(documents, one, other, polarity)


def _holder(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[Found]:
    """The value of a parameter or header, which has a schema or one content."""
    has_content = ["content" in each.value for each in (old, new)]
    if all(has_content):
        yield from _contents(documents, old, new, polarity)
    elif any(has_content):
        message = "it is written as its schema says, or as a media type, and that changed"
        yield Change(ChangeRule.SERIALISATION_CHANGED, old.pointer, new.pointer, message)
    else:
        yield _slot(old, new, Way(polarity, _writing(new)))


def _writing(site: Site) -> Writing:
    style = site.value.get("style", _STYLES.get(str(site.value.get("in"))))
    repeats = style == "form" and site.value.get("explode") is not False
    return Writing.REPEATED if repeats else Writing.TEXT


def _contents(
    documents: tuple[Document, Document], old: Site, new: Site, polarity: Polarity
) -> Iterator[Found]:
    base, revision = (
        contents_by_media_type(document, holder)
        for document, holder in zip(documents, (old, new), strict=True)
    )
    for name, one, other in paired(base, revision):
        if one is not None and other is not None:
            # Parts of several are JSON as soon as they are objects.
            is_typed = is_json(name) or name.startswith("multipart/")
            writing = Writing.TYPED if is_typed else Writing.TEXT
            yield _slot(one, other, Way(polarity, writing))
        elif one is not None:
            message = f"media type {shown(name)} is gone"
            yield Change(ChangeRule.MEDIA_TYPE_REMOVED, one.pointer, new / "content", message)
        elif other is not None:
            yield Change(ChangeRule.ADDED, None, other.pointer, f"media type {shown(name)} is new")


def _slot(old: Site, new: Site, way: Way) -> SharedSchema:
    return SharedSchema(_schema(old), _schema(new), way)


def _schema(holder: Site) -> Subschemas:
    # No schema and the schema `true` say the same: any value.
    name = "itemSchema" if "itemSchema" in holder.value else "schema"
    value: Any = holder.value.get(name, True)
    return (Subschema(holder.pointer + join(name), value),)
