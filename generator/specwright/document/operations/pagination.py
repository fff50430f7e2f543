"""Pagination of lists, where a document shows it plainly.

The names are those that APIs commonly use. Uncertain cases are left to people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
    *("page_after", "page_key", "next_key", "marker", "iterator", "from"),
)
NEXT = (
    *("next_cursor", "next_page_token", "next_token", "next_page_cursor", "continuation_token"),
    *("after_cursor", "end_cursor", "next_page_key", "next_key", "next_marker", "next_page"),
    *("cursor", "iterator", "after", "continue", "next"),
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
# Members of a response with data about the list.
AROUND = (
    *("meta", "metadata", "pagination", "paging", "page_info", "links", "_links", "page"),
    *("cursors", "cursor", "response_metadata", "next"),
)
_PARTS = ("allOf", *UNIONS)
_MAX_DEPTH = 3

# The properties of an object by their names in snake case: the written name and the schema.
Properties = Mapping[str, tuple[str, Site]]


def detected(document: Document, operation: OperationSite) -> JsonObject | None:
    """Return the pagination that an operation shows plainly, as a declaration; else None."""
    body = sites.success_content(document, operation)
    if operation.method != "GET" or operation.direction is not Direction.PATH or body is None:
        return None
    schema = sites.schema(document, body)
    listed = _items(document, schema, operation)
    if listed is None:
        return None
    place, items = listed
    query = {
        _snake(name): name
        for kind, name in sites.parameters(document, operation)
        if kind == "query"
    }
    leaves = dict(_leaves(document, schema, ROOT, 0))
    way = _way(document, operation, query, leaves)
    if way is None:
        return None
    fields: JsonObject = {
        **dict.fromkeys(("cursor", "limit", "next", "more", "id")),
        "limit": _first(query, LIMIT),
        "items": place,
        "more": _typed(document, leaves, MORE, "boolean"),
        "id": _id(document, items),
        **way,
    }
    return fields


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


def _way(
    document: Document,
    operation: OperationSite,
    query: Mapping[str, str],
    leaves: Mapping[Pointer, Site],
) -> JsonObject | None:
    """Return the way to the next page, as members of the declaration."""
    cursor = _cursor(document, operation, query, leaves)
    if cursor is not None:
        return cursor
    page, offset = (_number(document, operation, query, names) for names in (PAGE, OFFSET))
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
    document: Document,
    operation: OperationSite,
    query: Mapping[str, str],
    leaves: Mapping[Pointer, Site],
) -> JsonObject | None:
    """Return a parameter, and the place of its value for the next page in the response."""
    # Such lists give a cursor at their end, too.
    places = {} if _typed(document, leaves, DONE, "boolean") else leaves
    plain = {place: each for place, each in places.items() if not _is_url(place, each)}
    following = _typed(document, plain, NEXT, "string", "integer")
    if following is None:
        return None
    names = (_snake(following.rpartition("/")[2]), *CURSOR)
    written = (query[parameter_name] for parameter_name in names if parameter_name in query)
    texts = (
        parameter
        for parameter in written
        if "format" not in _schema_of(document, operation, parameter)
    )
    name = next(texts, None)
    return None if name is None else {"cursor": name, "next": following}


def _number(
    document: Document, operation: OperationSite, query: Mapping[str, str], names: Sequence[str]
) -> tuple[str, JsonValue] | None:
    """Return a parameter that takes a number, and the number of the first page, if it is one."""
    for written in (query[name] for name in names if name in query):
        parameter = sites.parameters(document, operation)["query", written]
        schema = sites.schema(document, parameter)
        number = _of_type(document, schema, "integer") or _of_type(document, schema, "number")
        if number is not None:
            keywords = {**parameter.value, **number.value, **schema.value}
            places = (keywords.get(keyword) for keyword in ("default", "minimum", "example"))
            return written, next((place for place in places if place is not None), None)
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
    """Yield the properties of a response, and of the objects in it that describe the list."""
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


def _schema_of(document: Document, operation: OperationSite, name: str) -> Mapping[str, JsonValue]:
    """Return the schema of a query parameter."""
    parameter = sites.parameters(document, operation)["query", name]
    return sites.schema(document, parameter).value


def _id(document: Document, items: Site) -> Pointer | None:
    properties = _properties(document, items, 0)
    known = next((properties[name][0] for name in ID if name in properties), None)
    return None if known is None else join(known)


def _first(query: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((query[name] for name in names if name in query), None)


def _snake(name: str) -> str:
    return "_".join(words(name)).lower()
