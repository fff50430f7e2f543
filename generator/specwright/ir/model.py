"""Nouns of an HTTP API as frozen dataclasses: the only thing that templates see.

What a person wrote in the document is `Text`, which only quoting filters accept. Everything
typed `str` was made or checked by us: identifiers, annotations, methods, status patterns,
JSON pointers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from specwright.document.naming import apart
from specwright.runtime.shared.operation import REDIRECTS, Way
from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from specwright.runtime.shared.media.medium import Medium

# What an object declares by `x-contract-*`: each key of its place without the prefix.
Contract: TypeAlias = "Mapping[str, object]"
# What lets a caller in: for each alternative its schemes, with the scopes of each.
Alternatives: TypeAlias = "tuple[Mapping[Text, tuple[Text, ...]], ...]"
JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

# Statuses whose answers have no body (RFC 9110, 15.3.5 and 15.3.6).
WITHOUT_BODY = frozenset({"204", "205"})
# The type of bodies that the document says nothing of, and of items without a schema.
RAW = "RawBody"
_STREAM = "stream"
ITEM = defaultdict(lambda: "JsonValue", events="ServerSentEvent")
# RFC 9110, 9.2.2: PUT, DELETE and the safe methods (9.2.1).
IDEMPOTENT_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"})


class Location(StrEnum):
    """Where a parameter travels (OpenAPI 3.1.1, Parameter Object, `in`)."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"


class Kind(StrEnum):
    """JSON type of a value that travels as text, so that `5` can become the integer 5."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"
    ANY = "any"


def optional(annotation: str) -> str:
    """Return an annotation that includes None."""
    has_none = annotation == "object" or "None" in annotation.split(" | ")
    return annotation if has_none else f"{annotation} | None"


def union(annotations: Iterable[str]) -> str:
    """Return the annotation of a value that is of one of several types, None last."""
    return " | ".join(sorted(dict.fromkeys(annotations), key="None".__eq__))


@dataclass(frozen=True, slots=True)
class TypeRef:
    """The Python type of a slot of the document.

    Attributes:
        annotation: for people, in a module that has `models` imported: `models.Order`,
            `str`, `list[models.Plan] | None`.
        model: name in `models` of the class or alias that validates the value;
            None where every JSON value is valid.
        is_class: whether `model` is a class (a BaseModel) and not an alias.
    """

    annotation: str
    model: str | None
    is_class: bool = False

    @property
    def optional(self) -> str:
        """The annotation of a slot that may be left out."""
        return optional(self.annotation)


@dataclass(frozen=True, slots=True)
class Default:
    """A default value of the document; wrapped, so that a default of null is one, too."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation, path items' parameters and references resolved.

    Attributes:
        kind, inner, alone: the JSON types of a value, of what is in it by its place, and of one
            that is neither array nor object where it may be one.
        style: that of OpenAPI; `content` for JSON in one text.
    """

    name: str
    wire: Text
    location: Location
    type: TypeRef
    kind: Kind
    inner: Mapping[Text, Kind]
    alone: Kind | None
    required: bool
    default: Default | None
    style: str
    explode: bool
    allow_reserved: bool
    description: Text
    deprecated: bool
    pointer: str


@dataclass(frozen=True, slots=True)
class Field:
    """A property of a JSON request body, as a keyword argument of the client's method.

    Attributes:
        attribute: of the body's model.
        tells_null: whether null is something else than to leave the property out.
    """

    name: str
    attribute: str
    wire: Text
    annotation: str
    required: bool
    tells_null: bool
    default: Default | None
    description: Text
    deprecated: bool

    @property
    def optional(self) -> str:
        """The annotation of an argument that may be left out."""
        return optional(self.annotation) + (" | Omit" if self.tells_null else "")


@dataclass(frozen=True, slots=True)
class Part:
    """A property of a form whose text is not simply its value; as the runtime's `Part`."""

    name: Text
    kind: Kind
    inner: Mapping[Text, Kind]
    alone: Kind | None
    content_type: Text | None
    style: str
    explode: bool


@dataclass(frozen=True, slots=True)
class Content:
    """One media type of a body or a response.

    Attributes:
        type: of the value, or of an item where items come one by one; None where the media type
            says all.
        medium: how it travels.
    """

    media_type: Text
    type: TypeRef | None
    medium: Medium
    parts: tuple[Part, ...] = ()

    @property
    def is_json(self) -> bool:
        """Whether the value travels as JSON."""
        return self.medium.name == "json"

    @property
    def is_object(self) -> bool:
        """Whether the members of an object travel, in whatever way."""
        return self.medium.name in ("json", "form", "multipart")

    def sent(self) -> str:
        """The annotation of a client's argument."""
        return self._annotation(self.medium.sent)

    def received(self) -> str:
        """The annotation of a client's result; asynchronous clients write `Async` before it."""
        return self._annotation(self.medium.received)

    def taken(self) -> str:
        """The annotation of a server's argument."""
        return self._annotation(self.medium.taken)

    def given(self) -> str:
        """The annotation of a server's result."""
        return self._annotation(self.medium.given)

    def _annotation(self, pattern: str) -> str:
        item = ITEM[self.medium.name] if self.type is None else self.type.annotation
        return pattern.replace("{}", item)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The error code of its own that a property has for values it refuses for their form.

    Attributes:
        path: names of properties from the body down, `*` for any item of an array; with dots.
    """

    path: Text
    code: Text


@dataclass(frozen=True, slots=True)
class Body:
    """The request body.

    Attributes:
        contents: all media types, the usual one first: JSON, else a form, else the first.
        fields: the properties when the usual body is a closed or plain object, so that
            a client takes keywords; None when it takes one `body` argument.
        refusals: of all properties of the usual body.
    """

    contents: tuple[Content, ...]
    required: bool
    description: Text
    fields: tuple[Field, ...] | None
    refusals: tuple[Refusal, ...]
    pointer: str

    @property
    def usual(self) -> Content:
        """The form in which the body is sent if nothing else is said."""
        return self.contents[0]

    @property
    def choices(self) -> tuple[Content, ...]:
        """The forms among which a caller can choose: with keywords, those that have the same."""
        if self.fields is None:
            return self.contents
        model = self.usual.type
        return tuple(c for c in self.contents if c.is_object and c.type == model)

    @property
    def annotation(self) -> str:
        """The annotation of a client's argument for the whole body."""
        return union(content.sent() for content in self.choices)

    @property
    def taken(self) -> str:
        """The annotation of a server's argument."""
        return union(content.taken() for content in self.contents)


@dataclass(frozen=True, slots=True)
class Response:
    """A declared response; `status` is `200`, `2XX` or `default`."""

    status: str
    description: Text
    contents: tuple[Content, ...]
    pointer: str

    @property
    def json(self) -> TypeRef | None:
        """The type of the JSON body, if it has one."""
        return next((c.type for c in self.contents if c.is_json), None)

    def received(self, media_type: Text | None = None) -> str:
        """What such an answer becomes for a client; without a media type, in its usual form."""
        if self.status in WITHOUT_BODY:
            return "None"
        found = (c for c in self.contents if media_type in (None, c.media_type))
        return next((c.received() for c in found), RAW)

    @property
    def given(self) -> str:
        """What a server answers with."""
        if self.status in WITHOUT_BODY:
            return "None"
        return union(content.given() for content in self.contents) or RAW

    @property
    def is_success(self) -> bool:
        """Whether the status belongs to class 2 (RFC 9110, 15.3)."""
        return self.status.startswith("2")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list: attributes of the answer's model, one name for each step.

    Attributes:
        item: type of one item.
        way: what leads to the next page (`Way` of the runtime's `Pagination`).
        cursor: the argument that says where a page starts; empty when there is none.
        items, next, more, total, pages: the items, the next cursor or URL, whether there is a
            next page, the numbers of all items and pages.
        first: the number of the first page.
        resume: whether the last cursor may be used again to ask for what is new.
        interval: seconds between asking and asking again at least, if the document says so.
        expired: the error code of a cursor that is too old.
    """

    item: TypeRef
    cursor: str
    items: tuple[str, ...]
    next: tuple[str, ...]
    more: tuple[str, ...]
    way: Way
    first: int
    total: tuple[str, ...]
    pages: tuple[str, ...]
    resume: bool
    interval: int | None
    expired: Text | None


@dataclass(frozen=True, slots=True)
class FinalStates:
    """The states in which a resource stays: attributes of the answer's model lead to its state."""

    path: tuple[str, ...]
    values: tuple[Text, ...]
    interval: int


@dataclass(frozen=True, slots=True)
class Switch:
    """An argument that asks for items one by one.

    Attributes:
        is_on: whether the service sends items if it is left out.
        media_type: of the items.
    """

    name: str
    is_on: bool
    media_type: Text


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to call a method: what one argument is, and what the call returns then.

    Attributes:
        content: the form of the body; the usual one needs no saying.
        accept: the form of the answer; None for the usual one.
        stream: annotation, and default, of the argument that asks for items one by one.
    """

    result: str
    content: Content | None = None
    accept: Text | None = None
    stream: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, or that of a webhook (`path` is then the webhook's name).

    Attributes:
        id: operationId, or one made of method and path when the document has none.
        name: `id` in snake case; the handler's name in the server stub.
        method_name: name on the client's group (`create` of `client.orders.create`).
        follow_name: the method beside it that waits for new items, if its `page` can resume.
        wait_name: the method beside it that waits for one of its `final` states.
        constant: name in the plan table (`CREATE_ORDER`).
        security: the credentials that let a caller in; an empty alternative needs none.
        server: of its own, in place of those of the document.
        page: where its answers keep a page, when the operation declares pagination.
        final: the states in which what it reads stays, when a GET declares them.
    """

    id: Text
    name: str
    method_name: str
    follow_name: str
    wait_name: str
    constant: str
    method: str
    path: Text
    summary: Text
    description: Text
    deprecated: bool
    security: Alternatives
    server: Server | None
    parameters: tuple[Parameter, ...]
    body: Body | None
    responses: tuple[Response, ...]
    contract: Contract
    page: Page | None
    final: FinalStates | None
    pointer: str

    @property
    def secured(self) -> bool:
        """Whether nobody is let in without credentials."""
        return bool(self.security) and all(self.security)

    @property
    def is_idempotent(self) -> bool:
        """Whether a repeated request is the same as one (RFC 9110, 9.2.2, or as declared)."""
        return self.method in IDEMPOTENT_METHODS or self.contract["idempotency"] is not None

    def argument(self, name: str) -> str:
        """Name an argument of a method that is not from the document."""
        taken = {each.name for each in self.parameters}
        if self.body is not None and self.body.fields is not None:
            taken |= {each.name for each in self.body.fields}
        return apart(name, taken)

    @property
    def successes(self) -> tuple[Response, ...]:
        """The declared responses of class 2."""
        return tuple(r for r in self.responses if r.is_success)

    @property
    def answers(self) -> tuple[Response, ...]:
        """The responses that a call succeeds with, if the document declares any."""
        return self.successes or tuple(r for r in self.responses if r.status == "default")

    @property
    def is_redirect(self) -> bool:
        """Whether a call succeeds by leading elsewhere."""
        statuses = {str(status) for status in REDIRECTS} | {"3XX"}
        return not self.successes and any(r.status in statuses for r in self.responses)

    @property
    def result(self) -> str:
        """The annotation of what a successful call returns, whichever success it is."""
        return self.result_in(None)

    def result_in(self, media_type: Text | None) -> str:
        """The annotation of what a call returns that asks for a media type."""
        if self.method == "HEAD":
            return "None"
        declared = [each.received(media_type) for each in self.answers]
        if media_type is not None:
            declared = [each for each in declared if each not in ("None", RAW)]
        if self.is_redirect:
            declared = ["Redirect", *declared]
        return union(declared) or RAW

    @property
    def given(self) -> str:
        """The annotation of what a handler returns."""
        if self.method == "HEAD":
            return "None"
        leads = ["Redirect"] if any(r.status[0] == "3" for r in self.responses) else []
        return union([*(each.given for each in self.answers), *leads]) or RAW

    @property
    def content_type(self) -> str:
        """The argument that chooses the form of the body; empty where there is one form."""
        names = {c.media_type for c in self.body.choices} if self.body else set[Text]()
        return self.argument("content_type") if len(names) > 1 else ""

    @property
    def accept(self) -> str:
        """The argument that chooses the form of the answer; empty where there is one form."""
        is_chosen = bool(self.media_types) and self.page is None and self.stream is None
        return self.argument("accept") if is_chosen else ""

    @property
    def stream(self) -> Switch | None:
        """The property or parameter that asks for items one by one in place of one value."""
        contents = [content for each in self.answers for content in each.contents]
        streams = [content for content in contents if content.medium.is_stream]
        if self.page or not streams or len(streams) == len(contents):
            return None
        fields = (self.body.fields or ()) if self.body else ()
        arguments = [(each.wire, each.name, each.annotation, each.default) for each in fields]
        for each in self.parameters:
            arguments.append((each.wire, each.name, each.type.annotation, each.default))
        for wire, name, annotation, default in arguments:
            if wire == Text(_STREAM) and annotation.split(" | ")[0] == "bool":
                is_on = default is not None and default.value is True
                return Switch(name, is_on, streams[0].media_type)
        return None

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The ways to call a method whose types depend on each other; none if there is one way."""
        found: list[Variant] = []
        if self.stream is not None:
            on, off = self.result_in(self.stream.media_type), self.result
            is_on = self.stream.is_on
            found = [
                Variant(on, stream="Literal[True]" + (" | None = None" if is_on else "")),
                Variant(off, stream="Literal[False]" + ("" if is_on else " | None = None")),
                Variant(union([on, off]), stream="bool"),
            ]
        if self.accept:
            found += [Variant(self.result_in(each), accept=each) for each in self.media_types]
        if self.content_type and self.body and self.body.fields is None:
            first, *others = self.body.choices
            if any(each.sent() != first.sent() for each in others):
                found += [Variant(self.result, content=each) for each in others]
        if not found or self.stream is not None:
            return tuple(found)
        return Variant(self.result, content=self.body.usual if self.body else None), *found

    @property
    def result_of_all(self) -> str:
        """The annotation of what a call may return, however it is made."""
        return union(each.result for each in self.variants if each.stream != "bool") or self.result

    @property
    def is_cast(self) -> bool:
        """Whether type checkers cannot follow from the plan what a call returns."""
        return bool(self.variants) or any(
            content.medium.is_stream for each in self.answers for content in each.contents[:1]
        )

    @property
    def media_types(self) -> tuple[Text, ...]:
        """The media types of answers that are not the usual ones, for a caller to choose."""
        usual = {r.contents[0].media_type for r in self.answers if r.contents}
        found = [c.media_type for r in self.answers for c in r.contents[1:]]
        return tuple(t for t in dict.fromkeys(found) if t not in usual and "*" not in t.raw)


@dataclass(frozen=True, slots=True)
class Group:
    """The operations that share a tag.

    Attributes:
        name: attribute of the client, of the type `class_name`.
        protocol: class of the server module, given to `create_app` as `argument`.
        module: where the scaffold puts its implementation.
    """

    name: str
    class_name: str
    protocol: str
    argument: str
    module: str
    tag: Text
    description: Text
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook event: the outbound operation, its event type and its payload."""

    operation: Operation
    event_type: Text
    payload: TypeRef | None
    contract: Contract


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration that all webhooks make, or one of them where they do not agree.

    Attributes:
        suffix: how names that belong to it end; empty for the declaration of all.
    """

    suffix: str
    value: object


@dataclass(frozen=True, slots=True)
class ErrorTypes:
    """The types of members of the shared error body, code and type as annotations.

    Attributes:
        detail: of one fault of several; None when the body lists none.
    """

    code: str
    type: str
    detail: TypeRef | None


@dataclass(frozen=True, slots=True)
class Parser:
    """A function that verifies a delivery, if it is signed, and returns its event.

    Attributes:
        suffix: how its name ends, and that of the function that makes such a delivery.
        delivery: how the delivery is made; None when that is not the same for all its events.
    """

    suffix: str
    payload: TypeRef
    signature: Declared | None
    delivery: Declared | None


@dataclass(frozen=True, slots=True)
class Example:
    """A value of a type as JSON; of an event, with the name of its webhook."""

    type: TypeRef
    value: Text
    event_type: Text | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; without a name, by its position."""

    name: str
    value: Default


@dataclass(frozen=True, slots=True)
class Call:
    """A call that shows how calls are made."""

    group: Group
    operation: Operation
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class ServerVariable:
    """A part of a server's URL, and the client's argument for it."""

    argument: str
    default: Text | None
    values: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Server:
    """A server; its variables stand in braces in its URL."""

    url: Text
    variables: Mapping[Text, ServerVariable]


@dataclass(frozen=True, slots=True)
class ServerArgument:
    """An argument of the client for the variables of one name.

    Attributes:
        values: those that may stand in all servers; empty where any text may.
        default: None where servers differ in it, or have none.
    """

    name: str
    values: tuple[Text, ...]
    default: Text | None


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """A security scheme that operations ask for.

    Attributes:
        kind, module: its class in the runtime, and the module of that.
        members: what the class is told.
        argument: of the client.
        value: the type of a credential.
        grants: classes of the module that obtain credentials.
        is_given: whether the client takes a credential, and does not leave it to its HTTP client.
    """

    key: Text
    kind: str
    module: str
    members: Mapping[str, object]
    argument: str
    value: str
    grants: tuple[str, ...]
    is_given: bool


@dataclass(frozen=True, slots=True)
class Names:
    """What the configuration calls things; nothing in it comes from the toolkit."""

    package: str
    distribution: str
    client: str
    env_prefix: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Api:
    """A whole API, ready to be rendered.

    Attributes:
        error_body: annotation of the body of an error, whatever operation failed.
    """

    title: Text
    version: Text
    summary: Text
    description: Text
    names: Names
    servers: tuple[Server, ...]
    server_arguments: tuple[ServerArgument, ...]
    groups: tuple[Group, ...]
    webhooks: tuple[Webhook, ...]
    signatures: tuple[Declared, ...]
    deliveries: tuple[Declared, ...]
    parsers: tuple[Parser, ...]
    schemes: tuple[SecurityScheme, ...]
    errors: ErrorTypes | None
    error_body: str
    examples: tuple[Example, ...]
    events: tuple[Example, ...]
    first_call: Call | None
    contract: Contract

    @property
    def media(self) -> frozenset[str]:
        """The names of the media in which bodies of the API travel."""
        bodies = [each.body for each in self.operations if each.body is not None]
        answers = [each for operation in self.operations for each in operation.answers]
        holders: list[Body | Response] = [*bodies, *answers]
        return frozenset(content.medium.name for each in holders for content in each.contents)

    @property
    def credentials(self) -> tuple[SecurityScheme, ...]:
        """The schemes whose credentials a client takes."""
        return tuple(each for each in self.schemes if each.is_given)

    @property
    def redirects(self) -> bool:
        """Whether an operation succeeds by leading elsewhere."""
        return any(each.is_redirect for each in self.operations)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All inbound operations in the document's order of groups."""
        return tuple(o for g in self.groups for o in g.operations)
