"""An API as templates see it: groups of operations, webhooks, credentials, errors."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from specwright.distributions import with_runtime
from specwright.ir.model.bodies import RAW, RequestBody, ResponseDefinition
from specwright.ir.model.operations import (
    Alternatives,
    Contract,
    Failures,
    OperationDefinition,
    ServerDefinition,
)
from specwright.ir.model.params import Params
from specwright.ir.model.values import MODEL, NAME, Constructed, Default, TypeRef
from specwright.runtime.shared.media.table import MEDIA
from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from specwright.runtime.shared.media.medium import Medium

T = TypeVar("T")

# The types that annotations name, by the modules of the runtime's room `shared`.
_SHARED_TYPES: Mapping[str, tuple[str, ...]] = {
    "files": ("FileTypes",),
    "responses": (RAW, "Redirect"),
    **{f"media.{type(m).__module__.rpartition('.')[2]}": m.exports for m in MEDIA},
}


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The operations that share a tag.

    Attributes:
        name: the attribute of the client, of the type `class_name`.
        protocol: the class of the server module, given to `create_app` as `argument`.
        module: the module of its implementation in the scaffold.
    """

    name: str
    class_name: str
    protocol: str
    argument: str
    module: str
    tag: Text
    description: Text
    operations: tuple[OperationDefinition, ...]


@dataclass(frozen=True, slots=True)
class Webhook:
    """An event of a webhook or a callback: the outbound operation, its type and its payload."""

    operation: OperationDefinition
    event_type: Text
    payload: TypeRef | None
    media_type: Text
    contract: Contract


@dataclass(frozen=True, slots=True)
class WebhookDeclaration:
    """A declaration that all webhooks share, or that of one of them if they differ.

    Attributes:
        suffix: the end of names that belong to it; empty for the shared declaration.
    """

    suffix: str
    value: object


@dataclass(frozen=True, slots=True)
class ErrorTypes:
    """The types of members of the shared error body; code and type are annotations.

    Attributes:
        detail: the type of one of several faults; None if the body does not list faults.
    """

    code: str
    type: str
    detail: TypeRef | None


@dataclass(frozen=True, slots=True)
class Parser:
    """A function that verifies a delivery, if it is signed, and returns its event.

    Attributes:
        suffix: the end of its name, and of that of the function that makes such a delivery.
        media_type: the media type of the body of such a delivery.
        delivery: the declaration of the delivery; None if its events have different ones.
    """

    suffix: str
    payload: TypeRef
    media_type: Text
    signature: WebhookDeclaration | None
    delivery: WebhookDeclaration | None


@dataclass(frozen=True, slots=True)
class ExampleValue:
    """An example value of a type as JSON; for an event, with the name of its webhook."""

    type: TypeRef
    value: Text
    event_type: Text | None = None


@dataclass(frozen=True, slots=True)
class ListedType:
    """A type in a signature: a class with its attributes, or an alias of the members of a union.

    Attributes:
        attributes: their names, inherited ones first.
        members: their types; one alone if it is another alias.
    """

    attributes: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; without a name, it is positional.

    Attributes:
        value: None if the document has no example of it that is short enough to be shown.
        constructor: the function that makes the argument of the value; empty for the value itself.
        is_list: whether the value is an array, and the constructor is for its items.
    """

    name: str
    value: Default | None
    constructor: str = ""
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """An example of a call."""

    group: OperationGroup
    operation: OperationDefinition
    arguments: tuple[Argument, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every argument has a value."""
        return all(argument.value is not None for argument in self.arguments)


@dataclass(frozen=True, slots=True)
class ServerArgument:
    """An argument of the client for the server variables of one name.

    Attributes:
        values: the allowed values; empty if any text is allowed.
        default: the default; None if servers have different ones, or none.
    """

    name: str
    values: tuple[Text, ...]
    default: Text | None


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """A security scheme that operations ask for.

    Attributes:
        kind, module: its class in the runtime, and the module of the class.
        members: the arguments of the class.
        argument: the argument of the client.
        value: the type of a credential.
        received: the type of what the server stub gets.
        exports: names of the module that the implementation of a server needs.
        grants: classes of the module that obtain credentials.
        grant_exports: these, and what their functions get.
        has_argument: whether the client takes a credential; otherwise its HTTP client has it.
    """

    key: Text
    kind: str
    module: str
    members: Mapping[str, object]
    argument: str
    value: str
    received: str
    exports: tuple[str, ...]
    grants: tuple[str, ...]
    grant_exports: tuple[str, ...]
    has_argument: bool


@dataclass(frozen=True, slots=True)
class PackageNames:
    """The names from the configuration; none of them comes from the toolkit.

    Attributes:
        arguments: the arguments of methods by the names of parameters.
        credentials: the arguments of the client by the names of security schemes.
    """

    package: str
    distribution: str
    client: str
    env_prefix: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    credentials: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PackageMetadata:
    """The metadata of a distribution, apart from its names and version.

    Attributes:
        license: the SPDX expression of the owner's code; None if the document has none.
        author, email: empty without one that is valid.
        urls: the addresses of pages, with their labels.
    """

    license: str | None
    author: Text
    email: Text
    urls: tuple[tuple[str, Text], ...]

    @property
    def whole_license(self) -> str | None:
        """The SPDX expression of the package, which has a copy of the runtime."""
        return None if self.license is None else with_runtime(self.license)


# Without slots: templates ask for the same properties for every group of operations.
@dataclass(frozen=True)
class Api:
    """A whole API, ready to be rendered.

    Attributes:
        error_body: the annotation of an error body, for the failures of all operations.
        classes: the names of the classes of the models.
        examples, events, calls: empty until `with_examples` adds them; calls are one for each
            group, unless its operations cannot be shown.
        xml_shapes: the shapes of values in XML that nodes refer to by name.
        params: the typed dictionaries of its arguments, which `with_params` adds.
        listed: the classes and unions in signatures of methods, which `with_listing` adds.
    """

    title: Text
    version: Text
    summary: Text
    description: Text
    names: PackageNames
    metadata: PackageMetadata
    servers: tuple[ServerDefinition, ...]
    operation_servers: tuple[Text, ...]
    server_arguments: tuple[ServerArgument, ...]
    groups: tuple[OperationGroup, ...]
    webhooks: tuple[Webhook, ...]
    callbacks: tuple[Webhook, ...]
    signatures: tuple[WebhookDeclaration, ...]
    deliveries: tuple[WebhookDeclaration, ...]
    parsers: tuple[Parser, ...]
    schemes: tuple[SecurityScheme, ...]
    errors: ErrorTypes | None
    error_body: str
    contract: Contract
    classes: frozenset[str]
    examples: tuple[ExampleValue, ...] = ()
    events: tuple[ExampleValue, ...] = ()
    calls: tuple[Call, ...] = ()
    xml_shapes: Mapping[Text, Constructed] = field(default_factory=dict)
    params: Params = field(default_factory=Params)
    listed: Mapping[str, ListedType] = field(default_factory=dict)

    @cached_property
    def has_xml(self) -> bool:
        """Whether any body is a value in XML."""
        return any(
            content.xml is not None
            for operation in self.operations
            for holder in (operation.body, *operation.responses)
            if holder is not None
            for content in holder.contents
        )

    @cached_property
    def media(self) -> frozenset[Medium]:
        """The media of the API's bodies."""
        bodies = [operation.body for operation in self.operations if operation.body is not None]
        responses = [r for operation in self.operations for r in operation.result_responses]
        holders: list[RequestBody | ResponseDefinition] = [*bodies, *responses]
        return frozenset(content.medium for holder in holders for content in holder.contents)

    @cached_property
    def media_exports(self) -> dict[str, tuple[str, ...]]:
        """The classes of values of these media, by the names of their modules."""
        exports = {type(m).__module__.rpartition(".")[2]: m.exports for m in self.media}
        return {module: exports[module] for module in sorted(exports) if exports[module]}

    @cached_property
    def handler_exports(self) -> Mapping[str, tuple[str, ...]]:
        """The runtime's types in the signatures of handlers, by their modules in `shared`."""
        annotations = (text for o in self.operations for text in o.handler_annotations)
        names = {name for text in annotations for name in NAME.findall(text)}
        exports = {
            module: tuple(type_ for type_ in types if type_ in names)
            for module, types in _SHARED_TYPES.items()
        }
        return {module: types for module, types in exports.items() if types}

    @property
    def credentials(self) -> tuple[SecurityScheme, ...]:
        """The schemes with credentials that a client takes."""
        return tuple(scheme for scheme in self.schemes if scheme.has_argument)

    @property
    def grants(self) -> Mapping[str, tuple[str, ...]]:
        """The classes to obtain credentials for a client, by their module."""
        grants: dict[str, dict[str, None]] = {}
        for scheme in self.credentials:
            if scheme.grants:
                grants.setdefault(scheme.module, {}).update(dict.fromkeys(scheme.grant_exports))
        return {module: tuple(names) for module, names in sorted(grants.items())}

    @property
    def scheme_exports(self) -> Mapping[str, tuple[str, ...]]:
        """The names that the implementation of a server needs, by their module."""
        exports = {scheme.module: scheme.exports for scheme in self.schemes if scheme.exports}
        return dict(sorted(exports.items()))

    @property
    def scheme_kinds(self) -> Mapping[str, str]:
        """The classes of security schemes by their module."""
        return dict(sorted((scheme.module, scheme.kind) for scheme in self.schemes))

    @cached_property
    def securities(self) -> tuple[Alternatives, ...]:
        """The different securities of operations."""
        return _different(operation.security for operation in self.operations)

    @cached_property
    def failures(self) -> tuple[Failures, ...]:
        """The different declared failures of operations."""
        return _different(operation.failures for operation in self.operations)

    @property
    def has_security(self) -> bool:
        """Whether any operation takes credentials, even if callers may be anonymous."""
        return any(any(operation.security) for operation in self.operations)

    @property
    def has_pages(self) -> bool:
        """Whether any operation declares pagination."""
        return any(operation.contract["pagination"] for operation in self.operations)

    @property
    def has_multipart(self) -> bool:
        """Whether any body is a multipart form."""
        return any(medium.is_multipart for medium in self.media)

    @property
    def has_webhooks(self) -> bool:
        """Whether the package can parse deliveries."""
        return bool(self.webhooks or self.parsers)

    @property
    def has_params(self) -> bool:
        """Whether any argument may be a typed dictionary."""
        return bool(self.params_names)

    @property
    def redirects(self) -> bool:
        """Whether any operation succeeds with a redirect."""
        return any(operation.is_redirect for operation in self.operations)

    @cached_property
    def argument_models(self) -> tuple[str, ...]:
        """The names of models in the arguments of the client's methods, in alphabetical order."""
        names = {name for operation in self.operations for name in operation.argument_models}
        return tuple(sorted(names))

    @cached_property
    def params_names(self) -> frozenset[str]:
        """The names in the module of typed dictionaries."""
        return self.params.names

    def accepted(self, annotation: str) -> str:
        """Return the annotation of an argument with typed dictionaries beside the models."""

        def beside(match: re.Match[str]) -> str:
            name = match[1]
            return f"{match[0]} | params.{name}" if name in self.params_names else match[0]

        return MODEL.sub(beside, annotation)

    @cached_property
    def operations(self) -> tuple[OperationDefinition, ...]:
        """All inbound operations in the document's order of groups."""
        return tuple(o for g in self.groups for o in g.operations)


def _different(values: Iterable[tuple[T, ...]]) -> tuple[tuple[T, ...], ...]:
    """Return each value once, without empty ones; they need not be hashable."""
    different: list[tuple[T, ...]] = []
    for value in values:
        if value and value not in different:
            different.append(value)
    return tuple(different)
