"""The requirements of a document on an implementation, in a form for tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TypeVar, cast
from urllib.parse import urlsplit

from jsonschema_rs.canonical.schema import clone

from specwright.conformance.contract.resources import Shape, shape, up_to_variables
from specwright.conformance.contract.samples import distinct, sample
from specwright.conformance.contract.tagged_values import TaggedValues
from specwright.conformance.contract.write_only import WriteOnlyMembers
from specwright.conformance.contract.xml_bodies import XmlBodies
from specwright.conformance.recording.exchange import Exchange, HttpResponse
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.security import Demands
from specwright.document.operations.sent_parameters import sent_parameters
from specwright.document.operations.sites import Direction, OperationSite, Site
from specwright.document.schemas.instances import Instances
from specwright.document.schemas.number_formats import with_ranges
from specwright.document.schemas.polarity import Polarity, in_direction
from specwright.document.shape import walk
from specwright.findings import Finding
from specwright.json_values import JsonValue, mapping
from specwright.names import snake
from specwright.pointer import Pointer, join, resolve, split
from specwright.runtime.shared.media.table import medium_of
from specwright.runtime.shared.operation import Location, Parameter
from specwright.runtime.shared.templates import PathTemplate
from specwright.samples.bodies import encode
from specwright.samples.non_validating import CONTENT, FORMATS
from specwright.samples.sent import of_direction
from specwright.samples.witnesses import Witnesses
from specwright.samples.xml import root_of
from specwright.text import Text
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.error import ERROR, MALFORMED, ErrorContract
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.filter import FILTER, Filter
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY, KEY_HEADER
from specwright.vocabulary.keywords.once import ONCE
from specwright.vocabulary.keywords.rate_limit import RATE_LIMITS, RateLimits
from specwright.vocabulary.keywords.sort import SORT, Sort
from specwright.vocabulary.table import KEYWORDS

T = TypeVar("T")
# Statuses for malformed requests, for servers without declared codes.
_MALFORMED_STATUSES = frozenset({400, 422})
# For another body with the same key (draft-ietf-httpapi-idempotency-key-header, 2.7).
_KEY_REUSED = 422
# Formats of files in forms (OpenAPI 3.1.1, 4.8.14.5; 3.0.4, 4.7.14.2).
_FILE_FORMATS = frozenset({"binary", "base64"})


@dataclass(frozen=True, slots=True, eq=False)
class ParameterSlot:
    """A parameter: its declaration, and the serialization of its values."""

    site: Site
    written: Parameter
    filter: Filter | None
    sort: Sort | None

    @property
    def key(self) -> tuple[str, str]:
        """Location and name, which identify it within its operation."""
        return self.written.location, self.written.wire

    @property
    def schema(self) -> Pointer:
        """The pointer of its schema."""
        content = next(iter(mapping(self.site.value.get("content"))), None)
        holder = "" if content is None else join("content", content)
        return f"{self.site.pointer}{holder}/schema"


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link from a response to an operation (OpenAPI 3.1.1, 4.8.20)."""

    pointer: Pointer
    name: str
    status: str
    target: Pointer
    parameters: Mapping[str, JsonValue]
    body: JsonValue


@dataclass(frozen=True, slots=True, eq=False)
class ContractOperation:
    """An operation of the API.

    Attributes:
        body: the media type of its JSON body, and the media type object.
        media_types: of all bodies that it accepts, as the document writes them.
        responses: by status as written: `200`, `2XX` or `default`.
        other_body: the same for a body that is not JSON.
        files: the members of that body that are files.
        write: returns the media type and the bytes of that body for a value.
        scheme: the security scheme that it requires; None if it is public.
    """

    site: OperationSite
    template: PathTemplate
    slots: tuple[ParameterSlot, ...]
    body: tuple[str, Site] | None
    media_types: tuple[str, ...]
    responses: Mapping[str, Site]
    scheme: Site | None
    other_body: tuple[str, Site] | None = None
    files: frozenset[str] = frozenset()
    write: Callable[[JsonValue], tuple[str, bytes]] | None = field(default=None, repr=False)
    _declarations: Mapping[Keyword[object], object] = field(default_factory=dict, repr=False)

    def get(self, keyword: Keyword[T]) -> T | None:
        """Return its declaration of a keyword; None without one."""
        return cast("T | None", self._declarations.get(keyword))

    @property
    def pointer(self) -> Pointer:
        """The pointer of the operation object."""
        return self.site.pointer

    @property
    def name(self) -> str:
        """Method and path, such as `POST /orders`."""
        return f"{self.method} {self.site.key}"

    @property
    def method(self) -> str:
        """The HTTP method as it is sent."""
        return self.site.method

    @property
    def has_body(self) -> bool:
        """Whether a request may have a body."""
        return bool(self.media_types)

    @property
    def item(self) -> Pointer:
        """The pointer of its path item."""
        return self.site.item.pointer

    @property
    def is_safe(self) -> bool:
        """Whether the method is safe (RFC 9110, 9.2.1)."""
        return self.method in ("GET", "HEAD", "OPTIONS", "TRACE", "QUERY")

    def is_success(self, response: HttpResponse | None) -> bool:
        """Return whether a response is 2xx, or a redirect with a status of `responses`.

        A redirect is all that some operations promise, such as a short link (RFC 9110, 15.4).
        """
        if response is None or response.is_success:
            return response is not None
        is_redirect = 300 <= response.status < 400
        return is_redirect and not {str(response.status), "3XX"}.isdisjoint(self.responses)

    def slot(self, name: str) -> ParameterSlot | None:
        """Return the parameter with a name, or with `place.name` as links write it."""
        return next(
            (slot for slot in self.slots if name in (slot.key[1], ".".join(slot.key))), None
        )

    def response(self, status: int) -> Site | None:
        """Return the declared response for a status (OpenAPI 3.1.1, 4.8.16)."""
        for pattern in (str(status), f"{status // 100}XX", "default"):
            if pattern in self.responses:
                return self.responses[pattern]
        return None


class Contract:
    """A document with the data that tests need, computed once.

    Args:
        left_out: operations that are not tested, with the errors of the document about them.
        excluded: operations that are not to be called.
        elsewhere: operations on other hosts, which are not called either.
    """

    def __init__(
        self,
        document: Document,
        left_out: tuple[tuple[OperationSite, Finding], ...] = (),
        excluded: tuple[OperationSite, ...] = (),
        elsewhere: tuple[OperationSite, ...] = (),
    ) -> None:
        self.document = document
        self.left_out = left_out
        self.excluded = excluded
        self.elsewhere = elsewhere
        self.instances = Instances(document)
        self._demands = Demands(document)
        # Responses may have only listed values: a new one must be added to the document first.
        received = in_direction(_closed(document), Polarity.TO_CLIENT)
        self.responses = Instances(with_ranges(received), CONTENT, FORMATS)
        self.responses_of_any_number = Instances(received, CONTENT, FORMATS)
        self.xml_bodies = XmlBodies(document)
        self.requests = Instances(in_direction(document, Polarity.TO_SERVER))
        self.errors: ErrorContract | None = ERROR.read(document.data)
        self.rate_limits: RateLimits | None = RATE_LIMITS.read(document.data)
        operations = [
            self._operation(site)
            for site in sites.operations(document)
            if site.direction is Direction.PATH
        ]
        self.operations: Mapping[Pointer, ContractOperation] = {
            operation.pointer: operation for operation in operations
        }
        self.by_id: Mapping[str, ContractOperation] = {
            operation.site.id: operation for operation in operations if operation.site.id
        }

    def declaring(self, keyword: Keyword[T]) -> Iterator[tuple[ContractOperation, T]]:
        """Yield the operations that declare a keyword, with their declarations."""
        for operation in self.operations.values():
            declaration = operation.get(keyword)
            if declaration is not None:
                yield operation, declaration

    def reader(self, operation: ContractOperation) -> ContractOperation | None:
        """Return the GET of the path of an operation; None without one."""
        path = shape(operation.site.key)
        return next(
            (
                other
                for other in self.operations.values()
                if other.method == "GET" and shape(other.site.key) == path
            ),
            None,
        )

    @cached_property
    def uncalled(self) -> frozenset[tuple[str, str]]:
        """Method and path of the operations that exist, but are not tested."""
        sites = (*(site for site, _ in self.left_out), *self.excluded, *self.elsewhere)
        return frozenset((site.method, site.key) for site in sites)

    @cached_property
    def webhooks(self) -> tuple[OperationSite, ...]:
        """The operations of webhooks."""
        return tuple(
            site for site in sites.operations(self.document) if site.direction is Direction.WEBHOOK
        )

    def scopes(self, scheme: str) -> tuple[str, ...]:
        """Return the scopes of a security scheme that any operation requires."""
        asked = (
            alternative.get(scheme, ())
            for operation in self.operations.values()
            for alternative in self._demands.of(operation.site)
        )
        return tuple(dict.fromkeys(scope for scopes in asked for scope in scopes))

    @cached_property
    def members(self) -> Mapping[Shape, Mapping[str, list[ContractOperation]]]:
        """The operations below the members of collections.

        The keys are the shape of a path up to a variable, then the name of the variable. A list
        has the operations with that as the last variable, and may be empty.
        """
        collections = defaultdict[Shape, dict[str, list[ContractOperation]]](dict)
        for operation in self.operations.values():
            longest = True
            for part, names in up_to_variables(operation.site.key):
                below = collections[part].setdefault(names[-1], [])
                below += [operation] if longest else []
                longest = False
        return collections

    @cached_property
    def selections(self) -> Mapping[Shape, list[tuple[Shape, tuple[str, ...]]]]:
        """Other paths to the members of collections, such as `/items/by-name/{name}`.

        The keys are the shapes of collections; a value has the shape of a path up to the variable,
        and names of the property that selects a member, the likeliest first.
        """
        shapes = {shape(operation.site.key) for operation in self.operations.values()}
        selections = defaultdict[Shape, list[tuple[Shape, tuple[str, ...]]]](list)
        for part, below in self.members.items():
            collection, selector = part[:-2], part[-2] if len(part) > 2 else None
            if selector is None or collection[-1] is None or collection not in shapes:
                continue
            wanted = snake(selector).removeprefix("by_")
            # One of several variables may belong to something else.
            for variable in (snake(name) for name, operations in below.items() if operations):
                if variable == wanted or variable.endswith(f"_{wanted}"):
                    selections[collection].append((part, (variable, wanted)))
        return selections

    @cached_property
    def strict_requests(self) -> Instances:
        """The validators of requests by everything that a server may enforce.

        A request that fits them must be accepted, and one that does not may be.
        """
        return Instances(with_ranges(self.requests.document), CONTENT, FORMATS)

    @cached_property
    def shown_once(self) -> frozenset[Pointer]:
        """The pointers of the properties with a value that is shown once."""
        return frozenset(
            node.pointer
            for node in walk(self.document.data)
            if node.kind == "schema" and ONCE.name in node.value
        )

    @cached_property
    def write_only(self) -> WriteOnlyMembers:
        """The members that only requests have."""
        return WriteOnlyMembers(self.document)

    @cached_property
    def tagged_values(self) -> TaggedValues:
        """The values of responses that have a discriminator."""
        return TaggedValues(self.document, self.responses)

    def name_of(self, exchange: Exchange) -> str:
        """Return the name of the operation of an exchange, or the method and path of another."""
        operation = self.operations.get(exchange.operation or "")
        request = exchange.request
        path = urlsplit(request.url).path
        return f"{request.method} {path}" if operation is None else operation.name

    def calls_malformed(self, operation: ContractOperation, response: HttpResponse) -> bool:
        """Return whether a response says that the request is malformed."""
        if self.errors is None:
            return response.status in _MALFORMED_STATUSES - self._statuses_of_keys(operation)
        code = str(response.at(self.errors.code.raw))
        conditions = {name.raw: each.condition for name, each in self.errors.codes.items()}
        return conditions.get(code) in MALFORMED

    def _statuses_of_keys(self, operation: ContractOperation) -> set[int]:
        """Return the statuses that refuse a key that was used before, with another body."""
        declared = operation.get(IDEMPOTENCY)
        if declared is not None:
            errors = (declared.changed, declared.in_progress)
            return {error.status for error in errors if error is not None}
        headers = (slot for slot in operation.slots if slot.written.location == "header")
        has_key = any(slot.written.wire.lower() == KEY_HEADER for slot in headers)
        return {_KEY_REUSED} if has_key else set()

    def secrets(self, pointer: Pointer | None, response: HttpResponse) -> list[str]:
        """Return the values in the response of an operation that are shown once."""
        operation = self.operations.get(pointer or "")
        declared = operation.response(response.status) if operation is not None else None
        schema = self.schema_of(declared) if declared is not None else None
        value = response.json_or_none
        if schema is None or not isinstance(value, dict):
            return []
        at, _ = self.document.end(schema, {"$ref": f"#{schema}"})
        return [
            secret
            for pointer in self.shown_once
            if pointer.startswith(f"{at}/properties/")
            and isinstance(secret := value.get(split(pointer)[-1]), str)
        ]

    def links(self, operation: ContractOperation, status: int) -> list[Link]:
        """Return the links of a response to operations of this document."""
        response = operation.response(status)
        if response is None:
            return []
        links = []
        for name, link in sites.members(self.document, response, "links"):
            target = self._target(link)
            if target is not None:
                links.append(
                    Link(
                        link.pointer,
                        name,
                        str(status),
                        target,
                        mapping(link.value.get("parameters")),
                        link.value.get("requestBody"),
                    )
                )
        return links

    def _target(self, link: Site) -> Pointer | None:
        operation_id, reference = link.value.get("operationId"), link.value.get("operationRef")
        if isinstance(operation_id, str) and operation_id in self.by_id:
            return self.by_id[operation_id].pointer
        if isinstance(reference, str) and reference.startswith("#"):
            target = self.document.target(reference)
            return target if target in self.operations else None
        return None

    def _operation(self, site: OperationSite) -> ContractOperation:
        document = self.document
        body = sites.request_body(document, site)
        contents = list(sites.contents(document, body)) if body is not None else []
        content = next((entry for entry in contents if sites.is_json(entry[0])), None)
        return ContractOperation(
            site,
            PathTemplate(site.key),
            tuple(
                _slot(document, parameter, *key)
                for key, parameter in sent_parameters(document, site, self._demands).items()
            ),
            ("application/json" if sites.is_range(content[0]) else content[0], content[1])
            if content
            else None,
            tuple(kind for kind, _ in contents),
            dict(sites.responses(document, site)),
            self._demands.scheme(site),
            *self._other_body(contents if content is None else []),
            {
                keyword: keyword.read(site.value)
                for keyword in KEYWORDS
                if Place.OPERATION in keyword.places
            },
        )

    def _other_body(
        self, contents: list[tuple[str, Site]]
    ) -> tuple[
        tuple[str, Site] | None, frozenset[str], Callable[[JsonValue], tuple[str, bytes]] | None
    ]:
        """Return the first body that can be written, with its files, and a function for that."""
        for kind, content in contents:
            media_type = _sent_as(kind)
            if not medium_of(media_type).is_stream:
                files = frozenset(_files(self.document, content))
                xml = root_of(self.document, content) if sites.is_xml(media_type) else None
                write = partial(encode, media_type, files=files, xml=xml)
                return (media_type, content), files, write
        return None, frozenset(), None

    def schema_of(self, holder: Site) -> Pointer | None:
        """Return the pointer of the schema of JSON content; None without a schema."""
        content = sites.json_content(self.document, holder)
        if content is None or "schema" not in content.value:
            return None
        return content / "schema"

    def body_schema(self, operation: ContractOperation) -> Pointer | None:
        """Return the pointer of the schema of the JSON body; None without a schema."""
        if operation.body is None or "schema" not in operation.body[1].value:
            return None
        return operation.body[1] / "schema"

    def needs_body(self, operation: ContractOperation) -> bool:
        """Return whether a request without a body is invalid."""
        body = sites.request_body(self.document, operation.site)
        return body is not None and body.value.get("required") is True

    def sampled_body(self, operation: ContractOperation, *, is_whole: bool = False) -> JsonValue:
        """Return a sample body without read-only members; None without a schema.

        Args:
            is_whole: objects have their optional members, too.
        """
        content, document = operation.body or operation.other_body, self.requests.document
        if content is None or "schema" not in content[1].value:
            return None
        schema = content[1] / "schema"
        value = sample(document, resolve(document.data, schema), is_whole=is_whole)
        if not any(self.strict_requests.problems(schema, value)):
            return value
        # The usual values of the parts are none of the whole.
        values = self._witnesses.of(schema) or (value,)
        return values[0 if is_whole else -1]

    @cached_property
    def _witnesses(self) -> Witnesses:
        """Values for schemas of requests."""
        return Witnesses(of_direction(self.document, Polarity.TO_SERVER))

    def distinct_values(self, schema: Pointer) -> Iterator[JsonValue]:
        """Yield values for a schema of a request that a server does not treat as equal."""
        for value in distinct(self.document, resolve(self.document.data, schema)):
            if not any(self.strict_requests.problems(schema, value)):
                yield value


def _slot(document: Document, site: Site, place: str, name: str) -> ParameterSlot:
    value = site.value
    schema, content = value.get("schema"), value.get("content")
    explode = value.get("explode")
    is_json = isinstance(content, dict) and any(map(sites.is_json, content))
    whole = sites.query_content(document, site)
    written = Parameter(
        name,
        str(value.get("name")),
        cast("Location", place),
        required=value.get("required") is True,
        style="content" if is_json or whole is not None else str(value.get("style") or ""),
        explode=explode if isinstance(explode, bool) else None,
        allow_reserved=value.get("allowReserved") is True,
        default=schema.get("default") if isinstance(schema, dict) else None,
        content=whole,
    )
    return ParameterSlot(site, written, FILTER.read(value), SORT.read(value))


def _closed(document: Document) -> Document:
    """Return the document with its open enumerations closed."""
    data = clone(document.data)
    for node in walk(data):
        if node.kind == "schema" and node.value.get("type") == "string":
            values = EXTENSIBLE_ENUM.read(node.value)
            if values is not None:
                node.value["enum"] = [
                    value.raw if isinstance(value, Text) else value for value in values
                ]
    return document.with_data(data)


def _sent_as(media_type: str) -> str:
    """Return the media type of a body, with a concrete one for a range."""
    return "text/plain" if sites.is_range(media_type) else media_type


def _files(document: Document, content: Site) -> Iterator[str]:
    """Yield the properties of a form that are files."""
    schema = mapping(document.follow(content.value.get("schema")))
    for name, declared in mapping(schema.get("properties")).items():
        described = document.follow(declared)
        items = document.follow(described.get("items")) if isinstance(described, dict) else None
        if any(map(_is_file, (described, items))):
            yield name


def _is_file(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and (
        schema.get("format") in _FILE_FORMATS or "contentMediaType" in schema
    )
