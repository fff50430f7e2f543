"""A document prepared for checking: its objects by kind, its operations, its validators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from specwright.config import Renames
from specwright.document.model import Document
from specwright.document.operations.sites import (
    OperationSite,
    component_operations,
    events,
    follow,
    of_request,
    of_response,
    operations,
    parameters,
    request_body,
    responses,
)
from specwright.document.schemas.instances import Instances, SchemaMismatch
from specwright.document.schemas.polarity import Polarity
from specwright.document.shape import Node, is_swagger, shape_of, walk
from specwright.errors import InputError
from specwright.json_values import JsonObject, JsonValue, mapping
from specwright.pointer import Pointer, split
from specwright.samples.witnesses import Witnesses


class LintContext:
    """The input of the rules; expensive parts are computed once, on first use."""

    def __init__(
        self,
        document: Document,
        *,
        short_names: bool = False,
        names: Renames = Renames(),  # noqa: B008
    ) -> None:
        self.document = document
        # Whether method names are to leave out the words of their tag.
        self.short_names = short_names
        # The project's own names in code.
        self.names = names

    @cached_property
    def nodes(self) -> list[Node]:
        return list(walk(self.document.data))

    @property
    def is_3_0(self) -> bool:
        """Whether the document is written in OpenAPI 3.0."""
        return self.written.version.startswith("3.0.")

    @property
    def is_swagger(self) -> bool:
        """Whether the document is written in Swagger 2.0."""
        return is_swagger(self.written.data)

    @property
    def is_before_3_1(self) -> bool:
        """Whether the document has the keywords of schemas that came before JSON Schema's own."""
        return self.is_swagger or self.is_3_0

    @cached_property
    def written_nodes(self) -> list[Node]:
        """All objects as the author wrote them, before an upgrade."""
        if self.written is self.document:
            return self.nodes
        return list(walk(self.written.data, shape=shape_of(self.written.data)))

    @property
    def written(self) -> Document:
        """The document as the author wrote it, before an upgrade."""
        return self.document.original

    def section(self, kind: str) -> str:
        """Return the words for the place of shared objects of a kind."""
        return shape_of(self.written.data).sections[kind].removeprefix("/")

    @cached_property
    def _by_kind(self) -> dict[str, list[Node]]:
        grouped: dict[str, list[Node]] = defaultdict(list)
        for node in self.nodes:
            grouped[node.kind].append(node)
        return grouped

    def of_kind(self, *kinds: str) -> list[Node]:
        """Return all objects of these kinds that are written out here, and references to them."""
        return [node for kind in kinds for node in self._by_kind.get(kind, [])]

    @cached_property
    def components(self) -> JsonObject:
        return mapping(self.document.data.get("components"))

    @cached_property
    def operations(self) -> list[OperationSite]:
        """All operations, each once; those of unused components come last."""
        return list(self.operations_by_pointer.values())

    def by_operation_id(self, operation_id: str) -> OperationSite | None:
        return self._operation_ids.get(operation_id)

    @cached_property
    def _operation_ids(self) -> dict[str, OperationSite]:
        sites: dict[str, OperationSite] = {}
        for operation in self.operations:
            if operation.id is not None:
                sites.setdefault(operation.id, operation)
        return sites

    @cached_property
    def operations_by_pointer(self) -> dict[Pointer, OperationSite]:
        sites: dict[Pointer, OperationSite] = {}
        for operation in (*operations(self.document), *component_operations(self.document)):
            sites.setdefault(operation.pointer, operation)
        return sites

    @cached_property
    def operations_by_part(self) -> dict[int, list[OperationSite]]:
        """The operations that an operation or parameter object belongs to, by its identity."""
        sites: dict[int, list[OperationSite]] = defaultdict(list)
        for operation in self.operations:
            sites[id(operation.value)].append(operation)
            for parameter in parameters(self.document, operation).values():
                sites[id(parameter.value)].append(operation)
        return sites

    @cached_property
    def event_data(self) -> frozenset[Pointer]:
        """The places of the schemas of data in server-sent events."""
        contents = (
            (split(node.pointer)[-1], follow(self.document, node.pointer, node.value))
            for node in self.of_kind("mediaType")
        )
        return frozenset(
            event.json_schema.pointer
            for media_type, content in contents
            for event in events(self.document, media_type, content)
            if event.json_schema is not None
        )

    @cached_property
    def polarities(self) -> dict[Pointer, set[Polarity]]:
        """The directions of parameters, bodies and responses, by their places."""
        places: dict[Pointer, set[Polarity]] = defaultdict(set)
        for operation in self.operations:
            body = request_body(self.document, operation)
            sent = [*parameters(self.document, operation).values(), *([body] if body else [])]
            for site in sent:
                places[site.pointer].add(of_request(operation.direction))
            for _, response in responses(self.document, operation):
                places[response.pointer].add(of_response(operation.direction))
        return places

    def follow(self, value: JsonValue) -> JsonObject:
        """Return the object that a value is or refers to; empty if it cannot be found."""
        try:
            return mapping(self.document.follow(value))
        except InputError:
            return {}

    def problems(self, schema: Pointer, value: JsonValue) -> Iterator[SchemaMismatch]:
        """Yield the reasons why a value does not fit the schema at a pointer."""
        return self._instances.problems(schema, value)

    @cached_property
    def witnesses(self) -> Witnesses:
        return Witnesses(self.document)

    @cached_property
    def _instances(self) -> Instances:
        return Instances(self.document)
