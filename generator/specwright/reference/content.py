"""The content of a reference: everything that its pages show, in their order."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import OperationSite, Site
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.discriminators import COMPONENTS
from specwright.document.schemas.polarity import Polarity
from specwright.ir.model.api import Api, OperationGroup, Webhook
from specwright.ir.model.operations import OperationDefinition
from specwright.json_values import JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, resolve, split
from specwright.reference.anchors import anchors, is_of_page, segment, slug
from specwright.reference.markdown import introduction, link, prose
from specwright.reference.options import CLIENT, ReferenceOptions
from specwright.reference.programs import PROGRAMS, sample
from specwright.reference.rules import Rule, notes_of_rules, rules
from specwright.reference.samples import SampleCredential, Samples, address, form
from specwright.reference.schemas import FieldEntry, Piece, Schemas, anchored
from specwright.samples.xml import as_xml, root_of
from specwright.text import visible
from specwright.vocabulary.keyword import Place
from specwright.vocabulary.keywords.error import ERROR

if TYPE_CHECKING:
    from specwright.reference.changes import VersionEntry

# Of one example; the rest of a longer one is left out, with a note.
_LONGEST_EXAMPLE = 10_000
_RESPONSES = "/components/responses"
# The pages of a site that are not those of groups.
_FILES = frozenset({"index", "webhooks", "shared-errors", "models"})
_FLOWS = {
    "implicit": "Implicit",
    "password": "Password",
    "clientCredentials": "Client credentials",
    "authorizationCode": "Authorization code",
    "deviceAuthorization": "Device authorization",
}
_ADDRESSES = {
    "authorizationUrl": "authorization",
    "deviceAuthorizationUrl": "device authorization",
    "tokenUrl": "token",
    "refreshUrl": "refresh",
}


@dataclass(frozen=True, slots=True)
class ExampleEntry:
    """A named example."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SampleEntry:
    """A call for a program."""

    program: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ContentEntry:
    """A body or a response in one media type."""

    anchor: str
    media_type: str
    type: Sequence[Piece]
    notes: Sequence[Markup]
    fields: Sequence[FieldEntry]
    examples: Sequence[ExampleEntry]


@dataclass(frozen=True, slots=True)
class Code:
    """An error code."""

    anchor: str
    name: str
    status: int
    type: str
    meaning: Markup


@dataclass(frozen=True, slots=True)
class Demand:
    """A security scheme that authorizes a caller, with the scopes that it takes."""

    scheme: str
    anchor: str
    scopes: Sequence[str]


@dataclass(frozen=True, slots=True)
class ResponseEntry:
    """The response of an operation with a status.

    Attributes:
        anchor: empty for a response that operations share.
        codes: the error codes that its examples show.
        shared: the anchor of the whole response, if operations share it.
    """

    status: str
    description: Markup
    contents: Sequence[ContentEntry]
    headers: Sequence[FieldEntry]
    codes: Sequence[Code]
    anchor: str = ""
    shared: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it is a response to a failed request, as `default` usually is."""
        return _is_error(self.status)


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """An operation or a webhook.

    Attributes:
        server: the URL of its own server; empty if it has none.
        credentials: the demands that authorize a caller, for each alternative.
        schemes: those of the first alternative as JSON, for the script.
        body_sample: the media type and the text of a body to try; None if no text can be sent.
    """

    anchor: str
    title: str
    method: str
    path: str
    deprecated: bool
    description: Markup
    rules: Sequence[Rule]
    parameters: Sequence[FieldEntry]
    bodies: Sequence[ContentEntry]
    body_text: Markup
    responses: Sequence[ResponseEntry]
    errors: Sequence[ResponseEntry]
    server: str = ""
    credentials: Sequence[Sequence[Demand]] = ()
    schemes: str = ""
    samples: Sequence[SampleEntry] = ()
    has_body: bool = False
    body_sample: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SharedResponse:
    """An error response that operations share."""

    anchor: str
    name: str
    response: ResponseEntry


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A schema of the document."""

    anchor: str
    name: str
    description: Markup
    type: Sequence[Piece]
    notes: Sequence[Markup]
    fields: Sequence[FieldEntry]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the reference and a page of a site: a group, webhooks, shared errors, or models.

    Attributes:
        file: the name of the page, without a suffix.
    """

    anchor: str
    file: str
    title: str
    description: Markup
    entries: Sequence[OperationEntry] = ()
    errors: Sequence[SharedResponse] = ()
    models: Sequence[ModelEntry] = ()

    @property
    def members(self) -> Sequence[OperationEntry | SharedResponse | ModelEntry]:
        """Everything in it; one kind, or nothing."""
        return [*self.entries, *self.errors, *self.models]


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """A server; its URL has the defaults of its variables, which have names and meanings."""

    url: str
    description: Markup
    variables: Sequence[tuple[str, Markup]]


@dataclass(frozen=True, slots=True)
class ScopeEntry:
    """A scope of a security scheme.

    Attributes:
        flows: the titles of its flows, if others do not have it.
        operations: anchors and titles of the operations that ask for it.
    """

    name: str
    description: Markup
    flows: Sequence[str]
    operations: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SchemeEntry:
    """A security scheme.

    Attributes:
        addresses: titles and addresses, such as that of a token.
    """

    anchor: str
    credential: SampleCredential
    kind: str
    description: Markup
    addresses: Sequence[tuple[str, Markup]]
    scopes: Sequence[ScopeEntry]


@dataclass(frozen=True, slots=True)
class ApiReference:
    """Everything that the pages show.

    Attributes:
        headings: anchors and titles of the introduction.
        facts: titles and texts about the whole API, such as its licence.
        anchors: the anchors of models by name.
        versions: the changes of versions, the newest first.
    """

    title: str
    version: str
    introduction: Markup
    headings: Sequence[tuple[str, str]]
    facts: Sequence[tuple[str, Markup]]
    servers: Sequence[ServerEntry]
    schemes: Sequence[SchemeEntry]
    rules: Sequence[Rule]
    codes: Sequence[Code]
    sections: Sequence[Section]
    anchors: Mapping[str, str]
    versions: Sequence[VersionEntry] = ()

    @property
    def changed(self) -> Mapping[str, Sequence[VersionEntry]]:
        """The versions that changed an operation, by its anchor."""
        versions: defaultdict[str, list[VersionEntry]] = defaultdict(list)
        for version in self.versions:
            groups = [group for _, groups in version.sections for group in groups]
            for anchor in {anchor for group in groups for _, anchor in group.operations}:
                versions[anchor].append(version)
        return versions


def content(
    document: Document,
    normal: Document,
    api: Api,
    options: ReferenceOptions,
    original: Document,
) -> ApiReference:
    """Return the content of the reference of a document.

    Args:
        normal: the document in the form that `api` was built from.
        original: the document as it was read.
    """
    return _Writer(document, api, Samples(normal, api), options, original).reference()


class _Writer:
    def __init__(
        self,
        document: Document,
        api: Api,
        samples: Samples,
        options: ReferenceOptions,
        original: Document,
    ) -> None:
        self._document = document
        self._api = api
        self._samples = samples
        self._options = options
        self._schemas = Schemas(document)
        self._sites = {site.pointer: site for site in sites.operations(document)}
        self._error = ERROR.read(document.data)
        names = {place: self._name(site, original) for place, site in self._sites.items()}
        self._anchors = anchors(names, is_taken=is_of_page)
        self._schemes = anchors({key: key for key in samples.credentials}, "scheme-")
        self._codes = {code.name: code for code in self._all_codes()}
        self._shared: dict[Pointer, SharedResponse] = {}
        self._shared_anchors = anchors(
            {_RESPONSES + join(name): name for name in self._members("responses")}, "response-"
        )

    def _name(self, site: OperationSite, original: Document) -> str:
        """Return the operationId of the original document, or else method and path."""
        written = mapping(_at(original.data, self._document.as_written(site.pointer)))
        return _text(written.get("operationId")) or f"{site.method.lower()} {site.key}"

    def reference(self) -> ApiReference:
        data = self._document.data
        info = mapping(data["info"])
        text, headings = introduction(_text(info.get("description")), level=2)
        models = anchors({name: name for name in self._members("schemas")}, "model-")
        sections = [*self._sections(models)]
        return ApiReference(
            title=_text(info.get("title")),
            version=_text(info.get("version")),
            introduction=prose(_text(info.get("summary"))) + text,
            headings=headings,
            facts=[*self._facts(info)],
            servers=[*self._servers()],
            schemes=[*self._scheme_entries(sections)],
            rules=[*rules(data, Place.DOCUMENT, data)],
            codes=[*self._codes.values()],
            sections=sections,
            anchors=models,
            versions=self._versions() if self._options.changes else (),
        )

    def _versions(self) -> Sequence[VersionEntry]:
        # Imported here: only a changelog needs the comparison.
        from specwright.compare.document.operations import label
        from specwright.reference.changes import version_entries

        places = {label(site): self._anchors[place] for place, site in self._sites.items()}
        return version_entries(self._options.changes, places)

    def _members(self, name: str) -> Mapping[str, Site]:
        """Return the components of a kind by name."""
        return dict(sites.members(self._document, sites.components(self._document), name))

    def _facts(self, info: Mapping[str, JsonValue]) -> Iterator[tuple[str, Markup]]:
        contact, license_ = mapping(info.get("contact")), mapping(info.get("license"))
        name, email = _text(contact.get("name")), _text(contact.get("email"))
        page = _text(contact.get("url"))
        people = [link(page, name)] if name or page else []
        people += [link(f"mailto:{quote(email, safe='@+')}", email)] if email else []
        if people:
            yield "Contact", Markup(", ").join(people)
        terms = _text(license_.get("url"))
        name = _text(license_.get("name")) or _text(license_.get("identifier"))
        if name or terms:
            yield "Licence", link(terms, name)
        if terms := _text(info.get("termsOfService")):
            yield "Terms of service", link(terms)
        if more := _more(self._document.data):
            yield "More", more

    def _servers(self) -> Iterator[ServerEntry]:
        declared = sequence(self._document.data.get("servers"))
        described = [server for server in declared if isinstance(server, dict)]
        for number, server in enumerate(self._api.servers):
            own = described[number] if number < len(described) else {}
            yield ServerEntry(
                address(server),
                prose(_text(own.get("description"))),
                [*_variables(mapping(own.get("variables")))],
            )

    def _scheme_entries(self, sections: Iterable[Section]) -> Iterator[SchemeEntry]:
        declared = self._members("securitySchemes")
        askers: defaultdict[str, defaultdict[str, dict[str, str]]]
        askers = defaultdict(lambda: defaultdict(dict))
        for entry in (entry for section in sections for entry in section.entries):
            for demand in (demand for alternative in entry.credentials for demand in alternative):
                for scope in demand.scopes:
                    askers[demand.scheme][scope][entry.anchor] = entry.title
        for key, credential in self._samples.credentials.items():
            value = declared[key].value if key in declared else {}
            kind = " ".join(
                _text(value.get(member)) for member in ("type", "scheme", "in") if member in value
            )
            yield SchemeEntry(
                self._schemes[key],
                credential,
                kind,
                prose(_text(value.get("description"))),
                [*_addresses(value)],
                [*_scopes(value, askers[key])],
            )

    def _sections(self, models: Mapping[str, str]) -> Iterator[Section]:
        tags = {group.tag.raw: group.tag.raw for group in self._api.groups}
        places = anchors(tags, "group-")
        # File systems may ignore the case of names, which slugs do not have.
        files = anchors({tag: slug(tag) for tag in tags}, is_taken=_FILES.__contains__)
        described = {
            _text(tag.get("name")): tag
            for tag in map(mapping, sequence(self._document.data.get("tags")))
        }
        for group in self._api.groups:
            tag = group.tag.raw
            yield Section(
                places[tag],
                files[tag],
                _titled(tag),
                prose(group.description.raw, level=3) + _more(described.get(tag, {}), "<p>{}</p>"),
                entries=[self._operation(group, operation) for operation in group.operations],
            )
        webhooks = (*self._api.webhooks, *self._api.callbacks)
        if webhooks:
            entries = [self._webhook(webhook) for webhook in webhooks]
            yield Section("webhooks", "webhooks", "Webhooks", Markup(), entries)
        if self._shared:
            errors = list(self._shared.values())
            yield Section(
                "shared-errors", "shared-errors", "Shared errors", Markup(), errors=errors
            )
        if models:
            entries_ = [self._model(name, anchor) for name, anchor in models.items()]
            yield Section("models", "models", "Models", Markup(), models=entries_)

    def _operation(self, group: OperationGroup, operation: OperationDefinition) -> OperationEntry:
        site = self._site(operation)
        entry = self._entry(site, operation, Place.OPERATION)
        shown = {
            (parameter.location.value, parameter.wire.raw): parameter
            for parameter in operation.parameters
        }
        credentials = [
            [
                Demand(key.raw, self._schemes.get(key.raw, ""), [scope.raw for scope in scopes])
                for key, scopes in alternative.items()
            ]
            for alternative in operation.security
        ]
        parameters = [
            replace(
                parameter,
                value=self._samples.shown(declared) if parameter.required else "",
                form=form(declared),
            )
            if (declared := shown.get((parameter.place, parameter.name)))
            else parameter
            for parameter in entry.parameters
        ]
        return replace(
            entry,
            parameters=parameters,
            server=self._samples.base(operation),
            credentials=credentials,
            schemes=json.dumps([demand.scheme for demand in credentials[0]] if credentials else []),
            samples=[*self._samples_of(group, operation)],
            has_body=operation.body is not None,
            body_sample=self._samples.body(operation),
        )

    def _samples_of(
        self, group: OperationGroup, operation: OperationDefinition
    ) -> Iterator[SampleEntry]:
        request = self._samples.request(operation)
        for name in self._options.samples:
            if name == CLIENT:
                yield SampleEntry(name, "Python", self._samples.python(group, operation))
            else:
                yield SampleEntry(name, PROGRAMS[name].title, sample(name, request))

    def _webhook(self, webhook: Webhook) -> OperationEntry:
        operation = webhook.operation
        return self._entry(self._site(operation), operation, Place.WEBHOOK)

    def _site(self, operation: OperationDefinition) -> OperationSite:
        return self._sites[operation.pointer]

    def _entry(
        self, site: OperationSite, operation: OperationDefinition, place: Place
    ) -> OperationEntry:
        sent, read = sites.of_request(site.direction), sites.of_response(site.direction)
        anchor = self._anchors[site.pointer]
        responses = [
            self._response(*member, read, anchor)
            for member in sites.responses(self._document, site)
        ]
        errors = [self._short(entry, pointer) for entry, pointer in responses if entry.is_error]
        body = sites.request_body(self._document, site)
        return OperationEntry(
            anchor=anchor,
            title=operation.summary.raw or _titled(operation.id.raw),
            method=operation.method,
            path=operation.path.raw,
            deprecated=operation.deprecated,
            description=prose(operation.description.raw, level=4) + _more(site.value, "<p>{}</p>"),
            rules=[*rules(site.value, place, self._document.data)],
            parameters=[
                self._parameter(parameter, sent, anchor)
                for parameter in sites.parameters(self._document, site).values()
            ],
            bodies=[*self._contents(body, sent, f"{anchor}/body", is_request=True)] if body else (),
            body_text=prose(_text(body.value.get("description"))) if body else Markup(),
            responses=[entry for entry, _ in responses if not entry.is_error],
            errors=errors,
        )

    def _short(self, response: ResponseEntry, pointer: Pointer) -> ResponseEntry:
        """Return an error without the details that operations share."""
        anchor = self._shared_anchors.get(pointer)
        if anchor is None:
            return response
        name = split(pointer)[-1]
        self._shared.setdefault(pointer, SharedResponse(anchor, name, response))
        return replace(response, contents=(), headers=(), shared=anchor)

    def _parameter(self, site: Site, polarity: Polarity, operation: str) -> FieldEntry:
        value = site.value
        field = self._schemas.field(
            _text(value.get("name")),
            _schema(sites.described(self._document, site)),
            polarity,
            required=value.get("required") is True or value.get("in") == "path",
            description=value.get("description"),
        )
        place = _text(value.get("in"))
        [field] = anchored([field], f"{operation}/{segment(place)}")
        notes = [*field.notes, *notes_of_rules(value, Place.PARAMETER)]
        return replace(field, place=place, notes=notes)

    def _response(
        self, status: str, site: Site, polarity: Polarity, operation: str
    ) -> tuple[ResponseEntry, Pointer]:
        """Return a response and its place."""
        anchor = base = f"{operation}/{segment(status)}"
        if _is_error(status):
            # Its details are shown once.
            base = self._shared_anchors.get(site.pointer, base)
        headers = [
            self._schemas.field(
                name,
                _schema(header),
                polarity,
                required=header.value.get("required") is True,
                description=header.value.get("description"),
            )
            for name, header in sites.members(self._document, site, "headers")
        ]
        contents = [*self._contents(site, polarity, base)]
        text = _text(site.value.get("description")) or _phrase(status)
        codes = [*self._codes_in(site)]
        headers = anchored(headers, f"{base}/header")
        return ResponseEntry(status, prose(text), contents, headers, codes, anchor), site.pointer

    def _contents(
        self, holder: Site, polarity: Polarity, base: str, *, is_request: bool = False
    ) -> Iterator[ContentEntry]:
        """Yield the media types; the properties of models are listed for requests only."""
        for media_type, site in sites.contents(self._document, holder):
            schema = _schema(site, "itemSchema" if "itemSchema" in site.value else "schema")
            type_ = [] if schema.value is None else self._schemas.type(schema.value)
            is_linked = not is_request and any(piece.model for piece in type_)
            fields = [] if is_linked else self._schemas.fields(schema, polarity)
            anchor = "/".join([base, *map(segment, media_type.split("/"))])
            notes = [*self._schemas.tags(schema)]
            examples = [*self._examples(media_type, site)]
            fields = anchored(fields, anchor)
            yield ContentEntry(anchor, media_type, type_, notes, fields, examples)

    def _examples(self, media_type: str, site: Site) -> Iterator[ExampleEntry]:
        def written(value: JsonValue) -> JsonValue:
            if not sites.is_xml(media_type):
                return value
            return as_xml(root_of(self._document, site), value)

        if "example" in site.value:
            yield _example("Example", written(site.value["example"]))
        for name, example in sites.members(self._document, site, "examples"):
            title = _text(example.value.get("summary")) or name
            for field in ("value", "dataValue"):
                if field in example.value:
                    yield _example(title, written(example.value[field]))

    def _model(self, name: str, anchor: str) -> ModelEntry:
        schemas = mapping(sites.components(self._document).value["schemas"])
        schema = Subschema(COMPONENTS + join(name), schemas[name])
        return ModelEntry(
            anchor,
            name,
            prose(_text(mapping(schema.value).get("description")), level=4),
            [*self._schemas.type(schema.value), *self._schemas.heirs(schema)],
            self._schemas.notes(schema),
            anchored(self._schemas.fields(schema), anchor),
        )

    def _all_codes(self) -> Iterator[Code]:
        if self._error is None:
            return
        shown = dict(self._shown_codes())
        places = anchors({name.raw: name.raw for name in self._error.codes}, "error-")
        for name, code in self._error.codes.items():
            meaning = code.condition.meaning if code.condition else shown.get(name.raw, "")
            yield Code(places[name.raw], name.raw, code.status, code.type.raw, prose(meaning))

    def _shown_codes(self) -> Iterator[tuple[str, str]]:
        """Yield the codes in examples of responses, each with the title of its example."""
        for site in self._sites.values():
            for _, response in sites.responses(self._document, site):
                yield from self._codes_of(response)

    def _codes_in(self, response: Site) -> Iterator[Code]:
        names = dict.fromkeys(name for name, _ in self._codes_of(response))
        return (self._codes[name] for name in names if name in self._codes)

    def _codes_of(self, response: Site) -> Iterator[tuple[str, str]]:
        content = sites.json_content(self._document, response)
        if self._error is None or content is None:
            return
        for name, example in sites.members(self._document, content, "examples"):
            code = _at(example.value.get("value"), self._error.code.raw)
            message = _at(example.value.get("value"), self._error.message.raw)
            if isinstance(code, str):
                yield code, _text(example.value.get("summary")) or _text(message) or name


def _is_error(status: str) -> bool:
    return status[0] in "45d"


def _more(holder: Mapping[str, JsonValue], around: str = "{}") -> Markup:
    """Return the link to the documentation of an object elsewhere, if it has one."""
    docs = mapping(holder.get("externalDocs"))
    address = _text(docs.get("url"))
    return (
        Markup(around).format(link(address, _text(docs.get("description"))))
        if address
        else Markup()
    )


def _variables(variables: Mapping[str, JsonValue]) -> Iterator[tuple[str, Markup]]:
    """Yield names and meanings of the variables of a server."""
    for name, variable in variables.items():
        values = mapping(variable).get("enum"), mapping(variable).get("default")
        listed = ", ".join(map(_text, sequence(values[0])))
        words = [f"one of {listed}"] if listed else []
        words += [f"default {values[1]}"] if values[1] else []
        text = Markup("<p>{}</p>").format(visible("; ".join(words))) if words else Markup()
        yield name, prose(_text(mapping(variable).get("description"))) + text


def _addresses(scheme: Mapping[str, JsonValue]) -> Iterator[tuple[str, Markup]]:
    """Yield titles and addresses of a security scheme: those of its flows, or of its metadata."""
    for name, flow in mapping(scheme.get("flows")).items():
        for key, title in _ADDRESSES.items():
            if address := _text(mapping(flow).get(key)):
                yield f"{_FLOWS.get(name, name)}: {title}", link(address)
    for key, title in (("openIdConnectUrl", "OpenID Connect"), ("oauth2MetadataUrl", "Metadata")):
        if address := _text(scheme.get(key)):
            yield title, link(address)


def _scopes(
    scheme: Mapping[str, JsonValue], askers: Mapping[str, Mapping[str, str]]
) -> Iterator[ScopeEntry]:
    """Yield the scopes that a security scheme declares, then others that operations ask for.

    Args:
        askers: anchors and titles of the operations that ask for a scope.
    """
    flows = {
        _FLOWS.get(name, name): mapping(mapping(flow).get("scopes"))
        for name, flow in mapping(scheme.get("flows")).items()
    }
    texts = {name: _text(text) for scopes in flows.values() for name, text in scopes.items()}
    for name in dict.fromkeys((*texts, *askers)):
        own = [title for title, scopes in flows.items() if name in scopes]
        operations = [*askers.get(name, {}).items()]
        shown = own if len(own) < len(flows) else []
        yield ScopeEntry(name, prose(texts.get(name, "")), shown, operations)


def _schema(holder: Site, keyword: str = "schema") -> Subschema:
    """Return the schema that a media type, a parameter or a header has, if any."""
    return Subschema(holder.pointer + join(keyword), holder.value.get(keyword))


def _at(value: JsonValue, pointer: str) -> JsonValue:
    try:
        return resolve(value, pointer)
    except (KeyError, ValueError):
        return None


def _example(title: str, value: JsonValue) -> ExampleEntry:
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    more = len(text) - _LONGEST_EXAMPLE
    shown = text if more <= 0 else f"{text[:_LONGEST_EXAMPLE]}\n… and {more} more characters"
    return ExampleEntry(title, shown)


def _phrase(status: str) -> str:
    try:
        return f"{HTTPStatus(int(status)).phrase}."
    except ValueError:
        return ""


def _titled(name: str) -> str:
    """Return a name as a title: its words, the first of them with a capital."""
    words = name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] or name


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
