"""The builder of the representation of an API from its normalised document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from specwright.document.model import Document
from specwright.document.normalise import COMPONENTS
from specwright.document.operations import sites
from specwright.document.operations.naming import (
    argument_names,
    first_tag,
    group_names,
    operation_names,
)
from specwright.document.operations.security import Demands, scheme_table
from specwright.document.operations.sent_parameters import sent_parameters
from specwright.document.operations.servers import all_servers, own_servers, servers, servers_of
from specwright.document.operations.sites import Direction, OperationSite, Site
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.inheritance import Property, parts, properties
from specwright.document.schemas.inspection import allows_null, describes_other_names
from specwright.document.schemas.xml_shapes import XmlDescriptions
from specwright.ir.calls import Calls
from specwright.ir.constructed import constructed
from specwright.ir.contents import Contents
from specwright.ir.errors import error_body, error_types
from specwright.ir.examples import Examples
from specwright.ir.index import IndexedModel, ModelIndex
from specwright.ir.kinds import MAX_DEPTH, kinds
from specwright.ir.metadata import metadata
from specwright.ir.model.api import Api, OperationGroup, PackageNames, Webhook
from specwright.ir.model.bodies import Refusal, RequestBody, ResponseDefinition
from specwright.ir.model.operations import (
    Alternatives,
    FinalStatesDefinition,
    OperationDefinition,
    ServerDefinition,
)
from specwright.ir.model.parameters import ParameterDefinition, ParameterLocation
from specwright.ir.model.values import BodyField, Default, TypeRef
from specwright.ir.pages import attributes, page
from specwright.ir.refusals import refusals
from specwright.ir.schemes import security_schemes
from specwright.ir.servers import server_arguments, shown_server
from specwright.ir.types import Types
from specwright.ir.webhooks import JSON, declared, parsers
from specwright.json_values import JsonValue, mapping, sequence
from specwright.pointer import join, parents
from specwright.text import Text
from specwright.vocabulary.keyword import Place
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.final import FINAL
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.table import declarations

STYLES = {
    "path": "simple",
    "query": "form",
    "querystring": "content",
    "header": "simple",
    "cookie": "form",
}
# Levels of members with texts of their own.
DEPTH = {"content": 0, "deepObject": MAX_DEPTH}


def build(
    document: Document,
    index: ModelIndex,
    names: PackageNames,
    *,
    short_names: bool,
    body_arguments: str = "required",
    written: Document | None = None,
) -> Api:
    """Build the representation of an API, without examples.

    Args:
        document: a normalised document of OpenAPI 3.1.
        index: the models that were generated from it.
        names: the names of the package and its client.
        short_names: whether method names leave out the words of their group's name.
        body_arguments: the bodies whose properties are arguments: `required`, `all` or `none`.
        written: the document before it was normalised, with the names of elements in XML.
    """
    types = Types(document, index)
    contents = Contents(document, types, XmlDescriptions(written or document))
    demands = Demands(document)
    return _Builder(
        document, types, contents, demands, index, names, short_names, body_arguments
    ).api()


def with_examples(document: Document, api: Api) -> Api:
    """Return the representation of an API with examples of its models, events and calls."""
    examples = Examples(document)
    return replace(
        api,
        examples=examples.models(
            operation for group in api.groups for operation in group.operations
        ),
        events=examples.events(api.webhooks),
        calls=Calls(document, examples, api.classes).first(api.groups),
    )


@dataclass(frozen=True, slots=True)
class _Builder:
    document: Document
    types: Types
    contents: Contents
    demands: Demands
    index: ModelIndex
    names: PackageNames
    short_names: bool
    body_arguments: str

    def api(self) -> Api:
        data = self.document.data
        info = mapping(data["info"])
        operations = list(sites.operations(self.document))
        webhooks = tuple(
            self._webhook(site) for site in operations if site.direction is Direction.WEBHOOK
        )
        callbacks = tuple(
            self._webhook(site) for site in operations if site.direction is Direction.CALLBACK
        )
        payloads = {w.payload.model for w in webhooks if w.payload is not None}
        signatures = declared(webhooks, SIGNATURE.attribute)
        deliveries = declared(webhooks, DELIVERY.attribute)
        parsers_ = parsers(webhooks, signatures, deliveries, self._event_union(payloads))
        parsers_ += parsers(callbacks, (), (), None)
        groups = self._groups(site for site in operations if site.direction is Direction.PATH)
        return Api(
            title=_text(info.get("title")),
            version=_text(info.get("version")),
            summary=_text(info.get("summary")),
            description=_text(info.get("description")),
            names=self.names,
            metadata=metadata(data),
            servers=tuple(map(shown_server, servers(self.document))),
            operation_servers=tuple(
                dict.fromkeys(Text(server.url) for server in own_servers(self.document))
            ),
            server_arguments=server_arguments(all_servers(self.document)),
            groups=groups,
            webhooks=webhooks,
            callbacks=callbacks,
            signatures=signatures,
            deliveries=deliveries,
            parsers=parsers_,
            schemes=security_schemes(scheme_table(self.document, self.names.credentials)),
            errors=error_types(self.document, self.types),
            error_body=error_body(operation for group in groups for operation in group.operations),
            contract=declarations(data, Place.DOCUMENT),
            classes=frozenset(model.name for model in self.index.models.values() if model.is_class),
            xml_shapes={
                Text(name): constructed(shape)
                for name, shape in sorted(self.contents.xml.named.items())
            },
        )

    def _groups(self, operations: Iterable[OperationSite]) -> tuple[OperationGroup, ...]:
        described = {
            str(tag.get("name")): tag.get("description")
            for tag in map(mapping, sequence(self.document.data.get("tags")))
        }
        # Tags that differ only in case or separators are one group, named after the first of them.
        tags: dict[str, str] = {}
        by_tag: dict[str, list[OperationSite]] = {}
        for site in operations:
            own = first_tag(site.value)
            tag = tags.setdefault(group_names(own).attribute, own)
            by_tag.setdefault(tag, []).append(site)
        return tuple(self._group(tag, described.get(tag), sites) for tag, sites in by_tag.items())

    def _group(
        self, tag: str, description: JsonValue, sites: Iterable[OperationSite]
    ) -> OperationGroup:
        names = group_names(tag)
        is_taken = names.class_name == self.names.client
        return OperationGroup(
            name=names.attribute,
            class_name=f"{names.class_name}_" if is_taken else names.class_name,
            protocol=names.protocol,
            argument=names.argument,
            module=names.module,
            tag=Text(tag),
            description=_text(description),
            operations=tuple(self._operation(site, tag) for site in sites),
        )

    def _operation(self, site: OperationSite, tag: str | None) -> OperationDefinition:
        value, identifier = site.value, site.name
        names = operation_names(identifier, tag, short=self.short_names)
        parameters_, body = self._arguments(site)
        responses = tuple(
            self._response(status, response)
            for status, response in sites.responses(self.document, site)
        )
        return OperationDefinition(
            id=Text(identifier),
            name=names.handler,
            method_name=names.method,
            follow_name=names.follow,
            wait_name=names.wait,
            constant=names.constant,
            method=site.method,
            path=Text(site.key),
            summary=_text(value.get("summary")),
            description=_text(value.get("description")),
            deprecated=value.get("deprecated") is True,
            security=self._security(site),
            servers=self._servers(site),
            parameters=parameters_,
            body=body,
            responses=responses,
            contract=declarations(value, Place.OPERATION),
            page=page(self.document, self.types, PAGINATION.read(value), parameters_, responses),
            final=self._final(site, responses),
            pointer=site.pointer,
        )

    def _security(self, site: OperationSite) -> Alternatives:
        if site.direction is not Direction.PATH:
            return ()
        return tuple(
            {Text(name): tuple(map(Text, scopes)) for name, scopes in alternative.items()}
            for alternative in self.demands.of(site)
        )

    def _servers(self, site: OperationSite) -> tuple[ServerDefinition, ...]:
        own = servers_of(site) if site.direction is Direction.PATH else ()
        return tuple(map(shown_server, own))

    def _final(
        self, site: OperationSite, responses: Sequence[ResponseDefinition]
    ) -> FinalStatesDefinition | None:
        # Only requests that may be repeated are polled.
        declared = FINAL.read(site.value) if site.method in FINAL.methods else None
        if declared is None:
            return None
        path = attributes(self.document, self.types, declared.at, responses)
        return FinalStatesDefinition(path, declared.states, declared.interval_seconds)

    def _arguments(
        self, site: OperationSite
    ) -> tuple[tuple[ParameterDefinition, ...], RequestBody | None]:
        """Return the parameters and the body; their arguments have different names."""
        parameters_, body = self._parameters(site), self._body(site)
        fields = body.fields or () if body is not None else ()
        renamed = self.names.arguments
        wanted = [(str(p.location), renamed.get(p.wire.raw, p.wire.raw)) for p in parameters_]
        wanted += [("body", field.attribute) for field in fields]
        names = iter(argument_names(wanted))
        parameters_ = [replace(parameter, name=next(names)) for parameter in parameters_]
        if body is not None and fields:
            body = replace(body, fields=tuple(replace(f, name=next(names)) for f in fields))
        return tuple(parameters_), body

    def _parameters(self, site: OperationSite) -> list[ParameterDefinition]:
        parameters = [
            self._parameter(parameter)
            for parameter in sent_parameters(self.document, site, self.demands).values()
            if parameter.value.get("in") in STYLES
            and sites.lost_media_type(self.document, parameter) is None
        ]
        # Path parameters may be positional, in the order of the path's template.
        return sorted(parameters, key=lambda p: _place(p, site.key))

    def _parameter(self, site: Site) -> ParameterDefinition:
        value = site.value
        location = str(value["in"])
        holder = site.pointer
        style = str(value.get("style", STYLES[location]))
        content = value.get("content")
        if isinstance(content, dict) and content:
            media_type = next(iter(content))
            holder += join("content", media_type)
            value = {**value, "schema": mapping(content[media_type]).get("schema", {})}
            # Other media types are text, like values of the other styles.
            style = "content" if sites.is_json(media_type) else style
        is_whole = location == sites.WHOLE_QUERY
        style = "content" if is_whole else style
        schema = value.get("schema", {})
        types = kinds(self.document, schema, depth=DEPTH.get(style, 1))
        return ParameterDefinition(
            name="",
            wire=Text(str(value["name"])),
            location=ParameterLocation(location),
            type=self.types.slot(holder + "/schema", schema),
            kind=types.kind,
            inner=types.inner,
            alone=types.alone,
            required=value.get("required") is True or location == "path",
            default=self._default(schema),
            style=style,
            explode=bool(value.get("explode", style in ("cookie", "form"))),
            allow_reserved=value.get("allowReserved") is True,
            description=_text(value.get("description")),
            deprecated=value.get("deprecated") is True,
            pointer=site.pointer,
            content=next(iter(self.contents.of(site)), None) if is_whole else None,
        )

    def _body(self, site: OperationSite) -> RequestBody | None:
        body = sites.request_body(self.document, site)
        if body is None:
            return None
        contents = self.contents.of(body)
        if not contents:
            return None
        required, usual = body.value.get("required") is True, self.contents.usual(body)
        is_nullable = usual is not None and allows_null(
            self.document, usual.value.get("schema", {})
        )
        takes_arguments = self.body_arguments == "all" or (
            required and self.body_arguments == "required"
        )
        return RequestBody(
            contents=contents,
            required=required,
            tells_null=not required and contents[0].is_json and is_nullable,
            description=_text(body.value.get("description")),
            fields=self._fields(body, is_required=required) if takes_arguments else None,
            refusals=self._refusals(body),
            pointer=body.pointer,
        )

    def _fields(self, body: Site, *, is_required: bool) -> tuple[BodyField, ...] | None:
        """Return the properties of the usual body as arguments, if it is a class of its own.

        All of them may be left out if the body may.
        """
        content = self.contents.usual(body)
        if content is None:
            return None
        schema = sites.schema(self.document, content)
        model = self.index.get(schema.pointer)
        whole = Subschema(schema.pointer, schema.value)
        members = properties(self.document, whole)
        if model is None or not model.is_class or not members:
            return None
        if any(describes_other_names(part.value) for part in parts(self.document, whole)):
            return None
        attributes = {
            name: self._attribute(model, name, member) for name, member in members.items()
        }
        fields = tuple(
            self._field(member, name, attribute, required=is_required and member.is_required)
            for name, member in members.items()
            # A value of the schema `false` does not exist.
            if (attribute := attributes[name]) is not None and member.schema.value is not False
        )
        has_all = model.fields.keys() <= members.keys() and None not in attributes.values()
        return fields if has_all else None

    def _attribute(self, model: IndexedModel, name: str, member: Property) -> str | None:
        """Return the attribute of a property, which may be that of an inherited one."""
        for pointer in (member.owner, *parents(member.owner)):
            owner = self.index.get(pointer)
            if owner is not None and owner.is_class:
                return model.fields.get(name, owner.fields.get(name))
        return model.fields.get(name)

    def _refusals(self, body: Site) -> tuple[Refusal, ...]:
        """Return the properties' own error codes in the first JSON body."""
        content = sites.json_content(self.document, body)
        schema = {} if content is None else content.value.get("schema", {})
        return refusals(self.document, schema)

    def _field(self, member: Property, name: str, attribute: str, *, required: bool) -> BodyField:
        value = member.schema.value
        followed = self.document.follow(value)
        described = mapping(value)
        if "description" not in described and isinstance(followed, dict):
            described = followed
        return BodyField(
            name=attribute,
            attribute=attribute,
            wire=Text(name),
            annotation=self.types.annotation(member.schema.pointer, value),
            required=required,
            tells_null=not required and allows_null(self.document, value),
            default=self._default(value),
            description=_text(described.get("description")),
            deprecated=described.get("deprecated") is True,
        )

    def _default(self, schema: JsonValue) -> Default | None:
        for schema_ in (schema, self.document.follow(schema)):
            if isinstance(schema_, dict) and "default" in schema_:
                return Default(schema_["default"])
        return None

    def _response(self, status: str, site: Site) -> ResponseDefinition:
        return ResponseDefinition(
            status=status if status == "default" else status.upper(),
            description=_text(site.value.get("description")),
            contents=self.contents.of(site),
            pointer=site.pointer,
        )

    def _webhook(self, site: OperationSite) -> Webhook:
        operation = self._operation(site, None)
        content = operation.body.json if operation.body else None
        return Webhook(
            operation=operation,
            event_type=Text(site.key),
            payload=content.type if content else None,
            media_type=content.media_type if content else JSON,
            contract=declarations(site.value, Place.WEBHOOK),
        )

    def _event_union(self, payloads: set[str | None]) -> TypeRef | None:
        """Return the union, among the schemas, of exactly the models that the webhooks carry."""
        schemas = mapping(sites.components(self.document).value.get("schemas"))
        for key, schema in schemas.items():
            members = mapping(schema).get("oneOf")
            if isinstance(members, list):
                pointer = COMPONENTS + join(key)
                parts = {
                    self.types.slot(f"{pointer}/oneOf/{number}", member).model
                    for number, member in enumerate(members)
                }
                if payloads and parts == payloads:
                    return self.types.slot(pointer, schema)
        return None


def _place(parameter: ParameterDefinition, path: str) -> int:
    in_path = parameter.location is ParameterLocation.PATH
    return path.find("{" + parameter.wire.raw + "}") if in_path else len(path)


def _text(value: JsonValue) -> Text:
    return Text(value if isinstance(value, str) else "")
