"""The responses that a document declares, with its examples or values that match its schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from itertools import chain, islice
from typing import Any

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.headers import OF_HTTP, OF_MEDIA_TYPES
from specwright.document.operations.sites import OperationSite, Site, essence
from specwright.document.schemas.applicators import Subschema, applying, of_property
from specwright.ir.examples import Examples
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.mock.pages import Arguments, before, last, last_links
from specwright.pointer import Pointer, split
from specwright.runtime.shared.media.table import medium_of
from specwright.runtime.shared.operation import Parameter
from specwright.runtime.shared.styles import text
from specwright.runtime.shared.xml.nodes import XmlRoot
from specwright.samples.bodies import encode
from specwright.samples.server_sent_events import event, sample_events
from specwright.samples.witnesses import Witnesses
from specwright.samples.xml import as_xml, is_markup, root_of
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract

# The maximum number of values of one body.
MOST = 4
# Statuses of responses without a body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5).
WITHOUT_BODY = frozenset({204, 205, 304})
# A body without a schema.
_ANY: JsonValue = {"a": 1}
_OF_RANGES = {"*": "application/json", "application": "application/json", "text": "text/plain"}
# Headers that the mock or its server makes itself, as they describe the message or its bytes.
_OF_MESSAGES = (
    OF_HTTP | OF_MEDIA_TYPES | {"content-encoding", "date", "keep-alive", "server", "trailer"}
)
_SHOWN = frozenset({"example", "examples", "default"})
_GIVEN = _SHOWN | {"const", "enum"}
_PHRASES: Mapping[int, str] = {status.value: status.phrase for status in HTTPStatus}
_HEADER_TEXT = re.compile(r"[!-~\xa0-\xff]([ -~\xa0-\xff]*[!-~\xa0-\xff])?")


@dataclass(frozen=True, slots=True)
class MockResponse:
    """A response, and the values that its body may have.

    Attributes:
        pattern: the status as the document writes it, such as `2XX`.
        status: a status that matches the pattern.
        media_type: that of the body; None for a response without a body.
        values: those of the body; for a stream, each is a list of its items. Bytes are the body.
        are_events: whether the items are objects that describe server-sent events.
        named: the examples of the body by name.
        xml: the root element of a body in XML.
        schema: the place of its schema, if it has one.
        has_free_title: whether the title of an error in the body is not the document's.
        headers: those that are required, or have an example or a default.
        missing_body: why the body has no value; empty if it has one.
        missing_headers: why required headers have no value.
    """

    pattern: str
    status: int
    media_type: str | None = None
    values: tuple[object, ...] = ()
    are_events: bool = False
    named: Mapping[str, object] = field(default_factory=dict)
    xml: XmlRoot | None = None
    schema: Pointer | None = None
    has_free_title: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    missing_body: str = ""
    missing_headers: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The reasons why the response cannot be sent."""
        return (*self.missing_headers, *filter(None, [self.missing_body]))

    def without_body(self) -> MockResponse:
        """Return the same response with its headers alone."""
        return replace(self, media_type=None, values=(), named={}, missing_body="")

    def content(self, seed: int) -> tuple[str | None, bytes]:
        """Return the Content-Type of the response, and one of the values as a body."""
        if self.media_type is None or not self.values:
            return None, b""
        top, _, sub = essence(self.media_type).partition("/")
        if sub == "*":
            declared = _OF_RANGES.get(top, "application/octet-stream")
        else:
            declared = self.media_type
        value = self.values[seed % len(self.values)]
        if isinstance(value, bytes):
            return declared, value
        if self.are_events and isinstance(value, tuple):
            value = tuple(map(event, value))
        sent, body = encode(self.media_type, value, xml=self.xml)
        return sent if medium_of(self.media_type).is_multipart else declared, body


class Bodies:
    """The values that bodies of a document may have."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.examples = Examples(document)

    def responses(self, operation: OperationSite) -> tuple[MockResponse, ...]:
        """Return a response for each status and media type that an operation declares."""
        declared = dict(sites.responses(self._document, operation))
        page = PAGINATION.read(operation.value)
        responses = []
        for pattern, response in declared.items():
            status = _status(pattern, declared)
            plain = self._with_headers(MockResponse(pattern, status), response)
            forms = dict(sites.contents(self._document, response))
            if not forms or status in WITHOUT_BODY or operation.method == "HEAD":
                responses.append(plain)
                continue
            for name, content in forms.items():
                media_type = sites.concrete(self._document, name, content)
                values = self.values(media_type, content, page)
                missing = "" if values else self._missing(content / "schema", f"the {name} body")
                responses.append(
                    replace(
                        plain,
                        media_type=media_type,
                        values=values,
                        are_events=bool(sites.events(self._document, media_type, content)),
                        named=dict(self._named(media_type, content)),
                        xml=self._root(media_type, content),
                        schema=content / "schema" if "schema" in content.value else None,
                        has_free_title=self._has_free_title(content),
                        missing_body=missing,
                    )
                )
        return tuple(responses)

    def page(
        self, operation: OperationSite, response: MockResponse, asked: Arguments
    ) -> MockResponse:
        """Return the page of a list that a request asks for: the declared one, or the last."""
        page = PAGINATION.read(operation.value)
        if page is None or response.status // 100 != 2 or not response.values:
            return response
        first: Any = response.values[0]
        count = before(page, asked, first, response.headers)
        if count is None or isinstance(first, bytes):
            return response
        fitting = (value for value in last(page, first, count) if self._fits(response, value))
        return replace(
            response,
            values=(next(fitting, first),),
            headers=last_links(response.headers) if page.link else response.headers,
        )

    def unused(self, operation: OperationSite, whole: Witnesses) -> Iterator[str]:
        """Yield the reasons why examples that match their schemas, or last pages, are not sent.

        Args:
            whole: says what schemas accept in any direction.
        """
        page = PAGINATION.read(operation.value)
        for status, response in sites.responses(self._document, operation):
            for name, content in sites.contents(self._document, response):
                media_type = sites.concrete(self._document, name, content)
                yield from self._unused_in_body(media_type, content, whole)
                if page is not None and status[0] == "2":
                    yield from self._endless(media_type, content, page)
            for name, header in sites.members(self._document, response, "headers"):
                if not _is_own(name):
                    yield from self._unused_in_header(name, header)

    def _unused_in_body(self, media_type: str, content: Site, whole: Witnesses) -> Iterator[str]:
        root = self._root(media_type, content)
        for pointer, value, written in self._examples(media_type, content):
            if not self._accepts(content, value):
                if whole.is_valid(content / "schema", value):
                    yield self._skipped(pointer, "has a property that only requests have")
            elif not (
                self._keeps(media_type, content, value) and _is_encodable(media_type, written, root)
            ):
                yield self._skipped(pointer, f"cannot be sent as {media_type}")
        for _, example in sites.members(self._document, content, "examples"):
            if "externalValue" in example.value:
                yield self._skipped(example.pointer, "is elsewhere, and is not read")

    def _unused_in_header(self, name: str, header: Site) -> Iterator[str]:
        holder = sites.described(self._document, header)
        for pointer, example in sites.examples(self._document, holder):
            value = self.examples.sent(holder, example)
            if self._accepts(holder, value) and not any(self._texts(header, [value])):
                yield self._skipped(pointer, f"cannot be sent as the header {name}")

    def _endless(self, media_type: str, content: Site, page: PaginationContract) -> Iterator[str]:
        first: Any = next(iter(self.values(media_type, content, page)), b"")
        if not isinstance(first, bytes) and not any(
            self._accepts(content, value) for value in last(page, first, 1)
        ):
            yield self._at(content.pointer, "its schema accepts no last page: the list has no end")

    def _accepts(self, holder: Site, value: JsonValue) -> bool:
        schema = holder / "schema"
        return "schema" not in holder.value or self.examples.witnesses.is_valid(schema, value)

    def agreeing(self, response: MockResponse) -> MockResponse:
        """Return the response with its own status in problem details (RFC 9457, 3.1.2)."""
        if essence(response.media_type or "") != "application/problem+json":
            return response
        return replace(
            response, values=tuple(self._agreeing(response, value) for value in response.values)
        )

    def _agreeing(self, response: MockResponse, value: Any) -> object:
        members: JsonObject = {"status": response.status}
        if response.has_free_title and response.status in _PHRASES:
            members["title"] = _PHRASES[response.status]
        for name, member in members.items():
            if isinstance(value, dict) and name in value:
                changed = {**value, name: member}
                value = changed if self._fits(response, changed) else value
        return value

    def _fits(self, response: MockResponse, value: JsonValue) -> bool:
        return response.schema is None or self.examples.witnesses.is_valid(response.schema, value)

    def _has_free_title(self, content: Site) -> bool:
        """Return whether neither an example nor the schema gives the title of an error."""
        schema = Subschema(content / "schema", content.value.get("schema", {}))
        titles = (
            title
            for part in applying(self._document, [schema])
            for title in of_property(self._document, part, "title")
        )
        parts = applying(self._document, titles)
        is_given = any(mapping(part.value).keys() & _GIVEN for part in parts)
        return not is_given and not any(sites.examples(self._document, content))

    def values(
        self, media_type: str, content: Site, page: PaginationContract | None = None
    ) -> tuple[object, ...]:
        """Return values of a body, or lists of the items of a stream; empty if none were found."""
        serialized = self._serialized(content).values()
        if not medium_of(media_type).is_stream:
            values = chain(serialized, self._encodable(media_type, content, page))
            return tuple(islice(values, MOST))
        streams = (*serialized, *self._declared_streams(media_type, content))
        if streams:
            return streams[:MOST]
        sampled = self._sampled_items(media_type, content)
        return (sampled, ()) if sampled else ()

    def _encodable(
        self, media_type: str, content: Site, page: PaginationContract | None
    ) -> Iterator[object]:
        root = self._root(media_type, content)
        for value in self._values_of(media_type, content, page):
            written = self._written(media_type, content, value)
            if _is_encodable(media_type, written, root) and self._keeps(media_type, content, value):
                yield written

    def _keeps(self, media_type: str, content: Site, value: Any) -> bool:
        """Return whether a value is valid without its null members, if forms leave them out."""
        if not medium_of(media_type).has_parts or not isinstance(value, dict):
            return True
        sent = {name: member for name, member in value.items() if member is not None}
        schema = sites.schema(self._document, content).pointer
        return sent == value or self.examples.witnesses.is_valid(schema, sent)

    def _root(self, media_type: str, content: Site) -> XmlRoot | None:
        """Return the root element of a body in XML."""
        return root_of(self._document, content) if sites.is_xml(media_type) else None

    def _values_of(
        self, media_type: str, content: Site, page: PaginationContract | None
    ) -> Iterator[Any]:
        """Yield the valid examples of a body, then other values."""
        medium = medium_of(media_type)
        if sites.is_xml(media_type):
            # A text of XML is not a value of the schema.
            texts = (value for _, value in sites.examples(self._document, content))
            yield from (text for text in texts if isinstance(text, str) and is_markup(text))
        if medium.has_schema or sites.is_xml(media_type):
            yield from self.examples.valid(content, page)
            if "schema" not in content.value:
                yield _ANY
            return
        yield from self.examples.declared(content)
        schema = sites.schema(self._document, content)
        if isinstance(medium.sample, str) and schema.value:
            values = self.examples.witnesses.of(schema.pointer)
            yield from sorted(values, key=lambda value: not isinstance(value, str))
        else:
            yield medium.sample

    def _sampled_items(self, media_type: str, content: Site) -> tuple[JsonValue, ...]:
        """Return items of a stream without examples: an event of each kind, or values."""
        schema = self._schema_of_items(media_type, content)
        if isinstance(schema, Subschema):
            kinds = sites.events(self._document, media_type, content)
            return tuple(sample_events(self.examples.witnesses, schema, kinds))
        return tuple(islice(self._of(schema), MOST))

    def _declared_streams(self, media_type: str, content: Site) -> Iterator[object]:
        """Yield the streams of the examples, with the items that their schema accepts."""
        schema = self._schema_of_items(media_type, content)
        for _, value in sites.examples(self._document, content):
            items = self._stream(schema, value)
            if isinstance(items, bytes):
                yield items
                continue
            sent = tuple(item for item in items if self._is_item(schema, item))
            if sent or not items:
                yield sent

    def _stream(self, schema: Site | Subschema | None, value: JsonValue) -> bytes | tuple[Any, ...]:
        """Return an example of a stream: its items as they are sent, or else its text."""
        if isinstance(value, str):
            return value.encode()
        items = value if isinstance(value, list) else [value]
        if schema is None:
            return tuple(items)
        return tuple(self.examples.witnesses.sent(schema.pointer, item) for item in items)

    def _is_item(self, schema: Site | Subschema | None, item: JsonValue) -> bool:
        return schema is None or self.examples.witnesses.is_valid(schema.pointer, item)

    def _schema_of_items(self, media_type: str, content: Site) -> Site | Subschema | None:
        """Return the schema of the items of a stream, a `Subschema` if they are whole events."""
        if sites.events(self._document, media_type, content):
            return sites.item_schema(self._document, content)
        return sites.value_schema(self._document, media_type, content)

    def _serialized(self, content: Site) -> Mapping[str, bytes]:
        """Return the examples with a text to be sent as it is (OpenAPI 3.2.0, 4.19)."""
        texts = (
            (name, example.value.get("serializedValue"))
            for name, example in sites.members(self._document, content, "examples")
        )
        return {name: text.encode() for name, text in texts if isinstance(text, str)}

    def _of(self, schema: Site | None) -> Iterator[JsonValue]:
        return iter((_ANY,)) if schema is None else iter(self.examples.witnesses.of(schema.pointer))

    def _named(self, media_type: str, content: Site) -> Iterator[tuple[str, object]]:
        """Yield the examples of a body that have a name, valid or not."""
        root = self._root(media_type, content)
        for pointer, _, written in self._examples(media_type, content):
            match split(pointer.removeprefix(content.pointer)):
                case ("examples", name, *_) if _is_encodable(media_type, written, root):
                    yield name, written
        yield from self._serialized(content).items()

    def _examples(
        self, media_type: str, content: Site
    ) -> Iterator[tuple[Pointer, JsonValue, object]]:
        """Yield the places and values of a body's examples, each with its form in the medium."""
        for pointer, value in sites.examples(self._document, content):
            if medium_of(media_type).is_stream:
                schema = self._schema_of_items(media_type, content)
                yield pointer, value, self._stream(schema, value)
            else:
                sent = self.examples.sent(content, value)
                yield pointer, sent, self._written(media_type, content, sent)

    def _written(self, media_type: str, content: Site, value: Any) -> object:
        """Return a value of a body as its medium encodes it."""
        medium = medium_of(media_type)
        if sites.is_xml(media_type):
            is_text = sites.xml_schema(self._document, media_type, content) is None
            return as_xml(root_of(self._document, content), value) if is_text else value
        if medium.is_binary and isinstance(value, str):
            return value.encode()
        is_text = isinstance(medium.sample, str) and not isinstance(value, str)
        return json.dumps(value) if is_text else value

    def _with_headers(self, response: MockResponse, declared: Site) -> MockResponse:
        """Return a response with the headers that it requires, or shows by an example."""
        headers: dict[str, str] = {}
        missing: list[str] = []
        for name, header in sites.members(self._document, declared, "headers"):
            is_required = header.value.get("required") is True
            if _is_own(name) or not (is_required or self._is_shown(header)):
                continue
            holder = sites.described(self._document, header)
            value = next(self._texts(header, self.examples.valid(holder)), None)
            if value is not None:
                headers[name] = value
            elif is_required:
                missing.append(self._missing(header.pointer, f"the header {name}"))
        return replace(response, headers=headers, missing_headers=tuple(missing))

    def _is_shown(self, header: Site) -> bool:
        """Return whether a header, or its schema, has an example or a default."""
        holder = sites.described(self._document, header)
        shown = sites.schema(self._document, holder).value.keys() & _SHOWN
        return bool(shown) or any(sites.examples(self._document, holder))

    def _texts(self, header: Site, values: Iterable[JsonValue]) -> Iterator[str]:
        """Yield the values that a header may have, as text (OpenAPI 3.1.1, 4.8.21)."""
        style = "content" if any(sites.contents(self._document, header)) else "simple"
        parameter = Parameter(
            "header", "header", "header", style=style, explode=header.value.get("explode") is True
        )
        for value in values:
            # Recipients ignore empty items of a list (RFC 9110, 5.6.1).
            if not isinstance(value, list) or "" not in value:
                yield from filter(_HEADER_TEXT.fullmatch, [text(parameter, value)])

    def _missing(self, pointer: Pointer, what: str) -> str:
        return self._at(pointer, f"no value was found for {what}")

    def _skipped(self, pointer: Pointer, reason: str) -> str:
        return self._at(pointer, f"the example {reason}; another value is sent")

    def _at(self, pointer: Pointer, words: str) -> str:
        return f"{self._document.locate(pointer)}: {words}"


def _is_encodable(media_type: str, value: object, xml: XmlRoot | None) -> bool:
    if isinstance(value, bytes):
        return True
    try:
        encode(media_type, value, xml=xml)
    except ValueError:
        return False
    return True


def _is_own(name: str) -> bool:
    """Return whether the mock makes a header itself, as it allows pages of any origin."""
    return name.lower() in _OF_MESSAGES or name.lower().startswith("access-control-")


def _status(pattern: str, declared: Collection[str]) -> int:
    """Return a status that matches a pattern and that the operation does not declare itself."""
    if pattern.isdecimal():
        return int(pattern)
    first = int(pattern[0]) * 100 if pattern[0].isdecimal() else 500
    if pattern == "default" and not any(status[0] in "23" for status in declared):
        first = 200
    return next(status for status in range(first, 600) if str(status) not in declared)
