"""Pagination of lists, where a document shows it plainly.

The names are those that APIs commonly use. Uncertain cases are left to people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jsonschema_rs.canonical.schema import clone

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import Direction, OperationSite, Site
from specwright.document.schemas.applicators import UNIONS
from specwright.errors import InputError, Location, did_you_mean
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.names import words
from specwright.pointer import ROOT, Pointer, join, resolve, split
from specwright.vocabulary.keywords.pagination import PAGINATION

# Names in snake case, the most specific first.
LIMIT = (
    *("limit", "per_page", "page_size", "pagesize", "page_limit", "size", "count", "max_results"),
    *("results_per_page", "items_per_page", "take", "top", "first", "max_items", "num_items"),
)
OFFSET = ("offset", "skip")
PAGE = ("page", "page_number", "page_no", "page_num", "current_page", "page_index")
# A cursor parameter, and the names of its value in a response.
CURSOR = (
    *("cursor", "page_token", "next_token", "next_page_token", "pagination_token", "next_cursor"),
    *("continuation_token", "page_cursor", "after_cursor", "starting_after", "after", "continue"),
    *("page_after", "page_key", "next_key", "marker", "iterator", "from", "start_cursor"),
)
NEXT = (
    *("next_cursor", "next_page_token", "next_token", "next_page_cursor", "continuation_token"),
    *("after_cursor", "end_cursor", "next_page_key", "next_key", "next_marker", "next_page"),
    *(
        "next_page_offset",
        "next_offset",
        "starting_after",
        "cursor",
        "iterator",
        "after",
        "continue",
        "next",
    ),
)
NEXT_URL = ("next_url", "next_page_url", "next_link", "next_page_uri", "next_page_link", "next")
MORE = ("has_more", "has_next_page", "has_next", "more", "has_more_items", "has_more_results")
TOTAL = (
    *("total", "total_count", "total_items", "total_results", "total_elements", "total_entries"),
    *("total_records", "count"),
)
PAGES = ("total_pages", "page_count", "pages", "last_page", "num_pages", "max_page")
DONE = ("done", "is_last", "last")
ITEMS = ("items", "data", "results", "records", "entries", "values", "content", "list", "rows")
ID = ("id", "uuid")
# Members with data about the list: of a response, and some of a request body.
AROUND = (
    *("meta", "metadata", "pagination", "paging", "page_info", "links", "_links", "page", "pages"),
    *("cursors", "cursor", "response_metadata", "next", "result"),
)
# The first words of operations that change something, which may return a list, too.
CHANGES = (
    *("create", "add", "insert", "import", "upload", "update", "upsert", "set", "replace", "patch"),
    *("delete", "remove", "clear", "cancel", "bulk", "batch", "send", "start", "run", "apply"),
)
_PARTS = ("allOf", *UNIONS)
_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class _Argument:
    """A part of a request that may choose a page.

    Attributes:
        name: as declarations name it: that of a query parameter, or a place in the body.
        described: the members of its parameter, such as an example.
    """

    name: str
    schema: Site
    described: Mapping[str, JsonValue]


# By their names in snake case.
_Arguments = Mapping[str, _Argument]


def detected(document: Document, operation: OperationSite) -> JsonObject | None:
    """Return the pagination that an operation shows plainly, as a declaration; else None."""
    body = sites.success_content(document, operation)
    if not _may_read(document, operation) or body is None:
        return None
    schema = sites.schema(document, body)
    listed = _items(document, schema, operation)
    if listed is None:
        return None
    place, items = listed
    arguments = dict(_arguments(document, operation))
    leaves = dict(_leaves(document, schema, ROOT, 0))
    way = _way(document, operation, arguments, leaves)
    if way is None:
        return None
    fields: JsonObject = {
        **dict.fromkeys(("cursor", "limit", "next", "more", "id")),
        "limit": _first(arguments, LIMIT),
        "items": place,
        "more": _typed(document, leaves, MORE, "boolean"),
        "id": _id(document, items),
        **way,
    }
    is_certain = operation.method == "GET" or _is_certain(document, arguments, fields)
    return fields if is_certain else None


def with_pagination(document: Document, declared: Mapping[str, JsonObject]) -> Document:
    """Return the document with the declarations from the settings.

    Args:
        declared: by operationId, or by method and path; missing members are null.

    Raises:
        InputError: the document has no such operation.
    """
    if not declared:
        return document
    operations = sites.named_operations(document)
    data = clone(document.data)
    for name, members in declared.items():
        if name not in operations:
            hint = did_you_mean(
                name, operations, "use an operationId, or a method and path such as `GET /things`"
            )
            message = f"the setting 'pagination' names {name!r}, which is not an operation"
            raise InputError(message, Location(document.path, 1, 1), hint)
        needed = dict.fromkeys(("cursor", "limit", "next", "more", "id"))
        operation = mapping(resolve(data, operations[name].pointer))
        operation[PAGINATION.name] = {
            **needed,
            "items": "",
            **members,
        }
    return document.with_data(data)


def _may_read(document: Document, operation: OperationSite) -> bool:
    """Return whether an operation reads: a GET, or a POST that does not look like a change."""
    if operation.direction is not Direction.PATH or operation.method not in ("GET", "POST"):
        return False
    statuses = {status for status, _ in sites.responses(document, operation)}
    last = operation.key.rstrip("/").rpartition("/")[2]
    leading = {_snake(name).partition("_")[0] for name in (operation.id or "", last)}
    return operation.method == "GET" or (
        statuses.isdisjoint(("201", "202", "204")) and leading.isdisjoint(CHANGES)
    )


def _is_certain(document: Document, arguments: _Arguments, fields: JsonObject) -> bool:
    """Return whether members of a body are surely about pages: there is a size, too.

    An offset may also be the number of an item. It counts items if it begins at 0, and if items
    have an identity or are counted.
    """
    if fields["limit"] is None or "offset" not in fields:
        return fields["limit"] is not None
    offset = _number(document, arguments, OFFSET)
    is_counted = fields.get("total") is not None or fields["id"] is not None
    return offset is not None and offset[1] == 0 and is_counted


def _arguments(document: Document, operation: OperationSite) -> Iterator[tuple[str, _Argument]]:
    """Yield the query parameters of a GET, or the members of the JSON body of a POST."""
    if operation.method == "GET":
        for (kind, name), parameter in sites.parameters(document, operation).items():
            if kind == "query":
                schema = sites.schema(document, parameter)
                yield _snake(name), _Argument(name, schema, parameter.value)
        return
    body = sites.json_content(document, sites.request_body(document, operation))
    members = [] if body is None else _leaves(document, sites.schema(document, body), ROOT, 0)
    # Of several members with one name, the highest is the last one here.
    for place, schema in sorted(members, key=lambda member: -member[0].count("/")):
        yield _snake(place.rpartition("/")[2]), _Argument(place, schema, {})


def _way(
    document: Document,
    operation: OperationSite,
    arguments: _Arguments,
    leaves: Mapping[Pointer, Site],
) -> JsonObject | None:
    """Return the way to the next page, as members of the declaration."""
    cursor = _cursor(document, arguments, leaves)
    if cursor is not None:
        return cursor
    page, offset = (_number(document, arguments, names) for names in (PAGE, OFFSET))
    url = _typed(document, leaves, NEXT_URL, "string")
    if url is not None and _is_url(url, leaves[url]):
        return {"next_url": url}
    if _has_link(document, operation):
        return {"link": True}
    if page is not None:
        name, first = page
        pages = _given("pages", _typed(document, leaves, PAGES, "integer"))
        # With the wrong number of the first page, a page would be left out.
        return {"page": name, "first_page": first, **pages} if first in (0, 1) else None
    total = _given("total", _typed(document, leaves, TOTAL, "integer"))
    return None if offset is None else {"offset": offset[0], **total}


def _cursor(
    document: Document, arguments: _Arguments, leaves: Mapping[Pointer, Site]
) -> JsonObject | None:
    """Return an argument, and the place of its value for the next page in the response."""
    # Such lists give a cursor at their end, too.
    places = {} if _typed(document, leaves, DONE, "boolean") else leaves
    plain = {place: each for place, each in places.items() if not _is_url(place, each)}
    following = _typed(document, plain, NEXT, "string", "integer")
    if following is None:
        return None
    name = _snake(following.rpartition("/")[2])
    # The position of the next page may be an offset that the server gives.
    names = ("offset",) if name.endswith("_offset") else (name, *CURSOR)
    known = (arguments[name] for name in names if name in arguments)
    texts = (argument.name for argument in known if "format" not in argument.schema.value)
    cursor = next(texts, None)
    return None if cursor is None else {"cursor": cursor, "next": following}


def _number(
    document: Document, arguments: _Arguments, names: Sequence[str]
) -> tuple[str, JsonValue] | None:
    """Return an argument that takes a number, and the number of the first page, if it is one."""
    for argument in (arguments[name] for name in names if name in arguments):
        schema = argument.schema
        number = _of_type(document, schema, "integer") or _of_type(document, schema, "number")
        if number is not None:
            keywords = {**argument.described, **number.value, **schema.value}
            places = (keywords.get(keyword) for keyword in ("default", "minimum", "example"))
            return argument.name, next((place for place in places if place is not None), None)
    return None


def _given(name: str, value: JsonValue) -> JsonObject:
    return {} if value is None else {name: value}


def _items(
    document: Document, schema: Site, operation: OperationSite
) -> tuple[Pointer, Site] | None:
    """Return the place of the only array that can be the list, and the schema of its items."""
    if _has_type(document, schema, "array"):
        return ROOT, sites.follow(document, schema / "items", schema.value.get("items"))
    lists = {
        pointer: each
        for pointer, each in _leaves(document, schema, ROOT, 1)
        if _has_type(document, each, "array")
    }
    last = operation.key.rstrip("/").rpartition("/")[2]
    wanted = (*ITEMS, _snake(last))
    named = [list_ for list_ in lists if _snake(list_.rpartition("/")[2]) in wanted]
    # The only array of a single resource is not a list of resources.
    if len(named) != 1 and (len(lists) != 1 or last.endswith("}")):
        return None
    place = named[0] if len(named) == 1 else next(iter(lists))
    array = _of_type(document, lists[place], "array") or lists[place]
    return place, sites.follow(document, array / "items", array.value.get("items"))


def _leaves(
    document: Document, schema: Site, at: Pointer, depth: int
) -> Iterator[tuple[Pointer, Site]]:
    """Yield the properties of a body, and of the objects in it that describe the list."""
    for name, (written, each) in _properties(document, schema, 0).items():
        yield at + join(written), each
        if depth < _MAX_DEPTH and name in AROUND:
            yield from _leaves(document, each, at + join(written), depth + 1)


def _properties(document: Document, schema: Site, depth: int) -> dict[str, tuple[str, Site]]:
    properties = {
        _snake(name): (name, each) for name, each in sites.members(document, schema, "properties")
    }
    for keyword in _PARTS if depth < _MAX_DEPTH else ():
        for _, part in sites.members(document, schema, keyword):
            properties = {**_properties(document, part, depth + 1), **properties}
    return properties


def _typed(
    document: Document, leaves: Mapping[Pointer, Site], names: Sequence[str], *types: str
) -> Pointer | None:
    """Return the first place with one of these names and types; higher places come first."""
    places = sorted(leaves, key=lambda pointer: pointer.count("/"))
    for name in names:
        for place in places:
            if _snake(place.rpartition("/")[2]) == name and any(
                _has_type(document, leaves[place], type_) for type_ in types
            ):
                return place
    return None


def _has_type(document: Document, schema: Site, name: str) -> bool:
    return _of_type(document, schema, name) is not None


def _of_type(document: Document, schema: Site, name: str, depth: int = 0) -> Site | None:
    """Return the schema itself, or its alternative, that has a type."""
    types = schema.value.get("type")
    if types == name or (isinstance(types, list) and name in types):
        return schema
    for keyword in _PARTS if depth < _MAX_DEPTH else ():
        for _, part in sites.members(document, schema, keyword):
            property = _of_type(document, part, name, depth + 1)
            if property is not None:
                return property
    return None


def _is_url(place: Pointer, schema: Site) -> bool:
    """Return whether a text is a URL by its format, its name or its place."""
    parts = [
        schema.value,
        *(member for key in _PARTS for member in sequence(schema.value.get(key))),
    ]
    formats = {str(part.get("format")) for part in parts if isinstance(part, dict)}
    names = [_snake(word) for word in split(place)]
    return (
        not formats.isdisjoint(("uri", "uri-reference", "url"))
        or names[-1].endswith(("url", "uri", "link"))
        or "links" in names[:-1]
    )


def _has_link(document: Document, operation: OperationSite) -> bool:
    return any(
        name.lower() == "link"
        for status, response in sites.responses(document, operation)
        if status.startswith("2")
        for name, _ in sites.members(document, response, "headers")
    )


def _id(document: Document, items: Site) -> Pointer | None:
    properties = _properties(document, items, 0)
    known = next((properties[name][0] for name in ID if name in properties), None)
    return None if known is None else join(known)


def _first(arguments: _Arguments, names: Sequence[str]) -> str | None:
    return next((arguments[name].name for name in names if name in arguments), None)


def _snake(name: str) -> str:
    return "_".join(words(name)).lower()
