"""An API as templates see it: groups of operations, webhooks, credentials, errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specwright.ir.model.bodies import Body, Response
from specwright.ir.model.operations import Contract, Operation, Server
from specwright.ir.model.values import Default, TypeRef
from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    """An event of a webhook or a callback: the outbound operation, its type and its payload."""

    operation: Operation
    event_type: Text
    payload: TypeRef | None
    media_type: Text
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
        media_type: of the body of such a delivery.
        delivery: how the delivery is made; None when that is not the same for all its events.
    """

    suffix: str
    payload: TypeRef
    media_type: Text
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
    operation_servers: tuple[Text, ...]
    server_arguments: tuple[ServerArgument, ...]
    groups: tuple[Group, ...]
    webhooks: tuple[Webhook, ...]
    callbacks: tuple[Webhook, ...]
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
