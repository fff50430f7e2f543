"""Nouns of an HTTP API as frozen dataclasses: the only thing that templates see.

What a person wrote in the document is `Text`, which only quoting filters accept. Everything
typed `str` was made or checked by us: identifiers, annotations, methods, status patterns,
JSON pointers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from specwright.document.naming import apart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specwright.text import Text

# What an object declares by `x-contract-*`: each key of its place without the prefix.
Contract: TypeAlias = "Mapping[str, object]"
# What lets a caller in: for each alternative its schemes, with the scopes of each.
Alternatives: TypeAlias = "tuple[Mapping[Text, tuple[Text, ...]], ...]"
JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

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
    """A parameter of an operation, path items' parameters and references resolved."""

    name: str
    wire: Text
    location: Location
    type: TypeRef
    kind: Kind
    item_kind: Kind
    required: bool
    default: Default | None
    style: str
    explode: bool
    description: Text
    deprecated: bool
    pointer: str


@dataclass(frozen=True, slots=True)
class Field:
    """A property of a JSON request body, as a keyword argument of the client's method.

    Attributes:
        tells_null: whether null is something else than to leave the property out.
    """

    name: str
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
class Content:
    """One media type of a body or a response; `type` is None for content that is not JSON."""

    media_type: Text
    type: TypeRef | None


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
        contents: all media types in the document's order; the first JSON one is `json`.
        fields: the properties when the JSON body is a closed or plain object, so that
            a client takes keywords; None when it takes one `body` argument.
        refusals: of all properties of the JSON body.
    """

    contents: tuple[Content, ...]
    required: bool
    description: Text
    fields: tuple[Field, ...] | None
    refusals: tuple[Refusal, ...]
    pointer: str

    @property
    def json(self) -> TypeRef | None:
        """The type of the JSON body, if it has one."""
        return next((c.type for c in self.contents if c.type is not None), None)


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
        return next((c.type for c in self.contents if c.type is not None), None)

    @property
    def annotation(self) -> str:
        """What such an answer becomes: a value of the JSON body's type, or the bytes of another."""
        if self.json is not None:
            return self.json.annotation
        return "bytes" if self.contents else "None"

    @property
    def is_success(self) -> bool:
        """Whether the status belongs to class 2 (RFC 9110, 15.3)."""
        return self.status.startswith("2")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list: attributes of the answer's model, one name for each step.

    Attributes:
        item: type of one item.
        cursor: the argument that says where a page starts; empty when there is none.
        items, next, more: the items, the next cursor, whether there is a next page.
        resume: whether the last cursor may be used again to ask for what is new.
        interval: seconds between asking and asking again at least, if the document says so.
        expired: the error code of a cursor that is too old.
    """

    item: TypeRef
    cursor: str
    items: tuple[str, ...]
    next: tuple[str, ...]
    more: tuple[str, ...]
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
    def result(self) -> str:
        """The annotation of what a successful call returns, whichever success it is."""
        answers = self.successes or tuple(r for r in self.responses if r.status == "default")
        found = dict.fromkeys(answer.annotation for answer in answers)
        return " | ".join(sorted(found, key="None".__eq__)) or "None"


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


@dataclass(frozen=True, slots=True)
class Api:
    """A whole API, ready to be rendered."""

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
    examples: tuple[Example, ...]
    events: tuple[Example, ...]
    first_call: Call | None
    contract: Contract

    @property
    def credentials(self) -> tuple[SecurityScheme, ...]:
        """The schemes whose credentials a client takes."""
        return tuple(each for each in self.schemes if each.is_given)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All inbound operations in the document's order of groups."""
        return tuple(o for g in self.groups for o in g.operations)
