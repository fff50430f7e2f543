"""Bodies of requests and responses: one content for each media type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specwright.ir.model.values import BodyField, Constructed, Kind, TypeRef, union
from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from specwright.runtime.shared.media.medium import Medium

# Statuses of responses without a body (RFC 9110, 15.3.5 and 15.3.6).
WITHOUT_BODY = frozenset({"204", "205"})
# The type of bodies that the document does not describe.
RAW = "RawBody"
EVENT, UNKNOWN_EVENT = "ServerSentEvent", "UnknownServerSentEvent"


@dataclass(frozen=True, slots=True)
class PartDefinition:
    """A property of a form with text that is not simply its value; like the runtime's `Part`."""

    name: Text
    kind: Kind
    inner: Mapping[Text, Kind]
    alone: Kind | None
    content_type: Text | None
    style: str
    explode: bool


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """The data of server-sent events with certain names; like the runtime's `EventData`.

    Attributes:
        type: the type of its JSON; None if it may be any value, and for a text.
    """

    names: tuple[Text, ...]
    is_json: bool
    type: TypeRef | None

    @property
    def data(self) -> str:
        """The annotation of the data."""
        if not self.is_json:
            return "str"
        return "JsonValue" if self.type is None else self.type.annotation

    @property
    def name(self) -> str:
        """The annotation of the name; empty if any is possible."""
        return literal(self.names)


@dataclass(frozen=True, slots=True)
class MediaTypeDefinition:
    """One media type of a body or a response.

    Attributes:
        type: the type of the value, or of an item where items come one by one; None if the media
            type determines it.
        medium: the medium that carries it.
        xml: of a value in XML, the node of the root element.
        events: of server-sent events, their data; empty if items are values, or plain events.
    """

    media_type: Text
    type: TypeRef | None
    medium: Medium
    parts: tuple[PartDefinition, ...] = ()
    xml: Constructed | None = None
    events: tuple[EventDefinition, ...] = ()

    @property
    def is_json(self) -> bool:
        """Whether the value is sent as JSON."""
        return self.medium.is_json

    @property
    def is_object(self) -> bool:
        """Whether the members of an object are sent, in any medium."""
        return self.medium.is_object

    @property
    def client_argument(self) -> str:
        """The annotation of a client's argument."""
        return self._annotation(self.medium.sent, self._sent)

    @property
    def client_result(self) -> str:
        """The annotation of a client's result; asynchronous ones prefix it with `Async`."""
        return self._annotation(self.medium.received, self._received)

    @property
    def server_argument(self) -> str:
        """The annotation of a server's argument."""
        return self._annotation(self.medium.parsed, self._received)

    @property
    def server_result(self) -> str:
        """The annotation of a server's result."""
        return self._annotation(self.medium.returned, self._sent)

    def _annotation(self, pattern: str, event: str) -> str:
        item = self.medium.untyped if self.type is None else self.type.annotation
        return pattern.replace("{}", event or item)

    @property
    def _received(self) -> str:
        """The annotation of a received event, also of one newer than the package."""
        events = [_event(event.data, event.name) for event in self.events]
        if events and all(event.names for event in self.events):
            events.append(UNKNOWN_EVENT)
        return union(events)

    @property
    def _sent(self) -> str:
        """The annotation of an event to send: one type, as checkers infer no literals in unions."""
        names = dict.fromkeys(name for event in self.events for name in event.names)
        is_closed = all(event.names for event in self.events)
        data = union(event.data for event in self.events)
        return _event(data, literal(names) if is_closed else "") if data else ""


def _event(data: str, name: str) -> str:
    return f"{EVENT}[{data}, {name}]" if name else f"{EVENT}[{data}]"


def literal(texts: Iterable[Text]) -> str:
    """Return the annotation of some texts; empty if there are none."""
    values = ", ".join(ascii(text.raw) for text in texts)
    return f"Literal[{values}]" if values else ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A property's own error code for values of invalid form.

    Attributes:
        path: names of properties from the body down, `*` for any item of an array, joined by dots.
    """

    path: Text
    code: Text


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The request body.

    Attributes:
        contents: all media types, the usual one first: JSON, else a form, else the first.
        fields: the properties if the usual body is a closed or plain object, so that
            a client takes keywords; None if it takes one `body` argument.
        refusals: those of all properties of the usual body.
        tells_null: whether null means something else than no body.
    """

    contents: tuple[MediaTypeDefinition, ...]
    required: bool
    tells_null: bool
    description: Text
    fields: tuple[BodyField, ...] | None
    refusals: tuple[Refusal, ...]
    pointer: str

    @property
    def media_types(self) -> tuple[Text, ...]:
        """The media types of its forms that callers choose from."""
        return tuple(content.media_type for content in self.choices)

    @property
    def name(self) -> str:
        """The argument for the whole body."""
        return "body"

    @property
    def deprecated(self) -> bool:
        """Whether the argument is deprecated."""
        return False

    @property
    def usual(self) -> MediaTypeDefinition:
        """The form of the body if the caller does not choose one."""
        return self.contents[0]

    @property
    def json(self) -> MediaTypeDefinition | None:
        """The JSON form, if there is one."""
        return next((content for content in self.contents if content.is_json), None)

    @property
    def choices(self) -> tuple[MediaTypeDefinition, ...]:
        """The forms that a caller can choose from; with keywords, those of the same type."""
        if self.fields is None:
            return self.contents
        model = self.usual.type
        return tuple(c for c in self.contents if c.is_object and c.type == model)

    @property
    def annotation(self) -> str:
        """The annotation of a client's argument for the whole body."""
        return union(content.client_argument for content in self.choices)

    @property
    def server_argument(self) -> str:
        """The annotation of a server's argument."""
        return union(content.server_argument for content in self.contents)


@dataclass(frozen=True, slots=True)
class ResponseDefinition:
    """A declared response; `status` is `200`, `2XX` or `default`."""

    status: str
    description: Text
    contents: tuple[MediaTypeDefinition, ...]
    pointer: str

    @property
    def json(self) -> TypeRef | None:
        """The type of the JSON body, if it has one."""
        return next((c.type for c in self.contents if c.is_json), None)

    def client_result(self, media_type: Text | None = None) -> str:
        """Return the annotation of a client's result; without a media type, for the usual form."""
        if self.status in WITHOUT_BODY:
            return "None"
        contents = (c for c in self.contents if media_type in (None, c.media_type))
        return next((c.client_result for c in contents), RAW)

    @property
    def server_result(self) -> str:
        """The annotation of a server's result."""
        if self.status in WITHOUT_BODY:
            return "None"
        return self._returned or RAW

    @property
    def server_failure(self) -> str:
        """The annotation of a server's response that is not a result; None without content."""
        return self._returned or "None"

    @property
    def _returned(self) -> str:
        return union(content.server_result for content in self.contents)

    @property
    def is_success(self) -> bool:
        """Whether the status belongs to class 2 (RFC 9110, 15.3)."""
        return self.status.startswith("2")
