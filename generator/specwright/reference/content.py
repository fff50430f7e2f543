"""The content of a reference: everything that its pages show, in their order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

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
from specwright.pointer import Pointer, join, resolve
from specwright.reference.markdown import introduction, prose
from specwright.reference.rules import Rule, rules
from specwright.reference.samples import SampleCredential, Samples, address, form
from specwright.reference.schemas import FieldEntry, Piece, Schemas
from specwright.samples.xml import as_xml, root_of
from specwright.vocabulary.keyword import Place
from specwright.vocabulary.keywords.error import ERROR

_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,80}")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 60
# Of one example; the rest of a longer one is left out, with a note.
_LONGEST_EXAMPLE = 10_000
# Those of the page itself.
_ANCHORS = ("api", "authentication", "content", "errors", "rules", "search", "servers")
_RESPONSES = "/components/responses/"


@dataclass(frozen=True, slots=True)
class ExampleEntry:
    """A named example."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ContentEntry:
    """A body or a response in one media type."""

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
class ResponseEntry:
    """The response of an operation with a status.

    Attributes:
        codes: the error codes that its examples show.
        shared: the anchor of the whole response, if operations share it.
    """

    status: str
    description: Markup
    contents: Sequence[ContentEntry]
    headers: Sequence[FieldEntry]
    codes: Sequence[Code]
    shared: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it is a response to a failed request, as `default` usually is."""
        return self.status[0] in "45d"


@dataclass(frozen=True, slots=True)
class OperationEntry:
    """An operation or a webhook.

    Attributes:
        server: the URL of its own server; empty if it has none.
        credentials: the schemes that authorize a caller, for each alternative.
        schemes: those of the first alternative as JSON, for the script.
        samples: calls by their language.
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
    credentials: Sequence[Sequence[str]] = ()
    schemes: str = ""
    samples: Sequence[ExampleEntry] = ()
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
class SchemeEntry:
    """A security scheme."""

    credential: SampleCredential
    kind: str
    description: Markup


@dataclass(frozen=True, slots=True)
class ApiReference:
    """Everything that the pages show.

    Attributes:
        headings: anchors and titles of the introduction.
        servers: URLs with descriptions.
        anchors: the anchors of models by name.
    """

    title: str
    version: str
    introduction: Markup
    headings: Sequence[tuple[str, str]]
    servers: Sequence[tuple[str, Markup]]
    schemes: Sequence[SchemeEntry]
    rules: Sequence[Rule]
    codes: Sequence[Code]
    sections: Sequence[Section]
    anchors: Mapping[str, str]


def content(document: Document, normal: Document, api: Api) -> ApiReference:
    """Return the content of the reference of a document.

    Args:
        normal: the document in the form that `api` was built from.
    """
    return _Writer(document, api, Samples(normal, api)).reference()


class _Names:
    """Names that are unique, made of texts that may not be."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._names = {anchor.casefold() for anchor in reserved}

    def of(self, text: str, prefix: str = "") -> str:
        plain = text if _PLAIN.fullmatch(text) else slug(text)
        name, number = prefix + plain, 1
        while name.casefold() in self._names:
            number += 1
            name = f"{prefix}{plain}-{number}"
        self._names.add(name.casefold())
        return name


def slug(text: str) -> str:
    """Return a text as a part of a URL that needs no encoding; `x` if nothing is left of it."""
    return _NOT_PLAIN.sub("-", text.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "x"


class _Writer:
    def __init__(self, document: Document, api: Api, samples: Samples) -> None:
        self._document = document
        self._api = api
        self._samples = samples
        self._schemas = Schemas(document)
        self._sites = {
            (site.direction, site.key, site.method): site for site in sites.operations(document)
        }
        self._error = ERROR.read(document.data)
        self._anchors = _Names(
            ("content", "servers", "authentication", "rules", "errors", "search")
        )
        self._codes = {code.name: code for code in self._all_codes()}
        self._shared: dict[str, SharedResponse] = {}

    def reference(self) -> ApiReference:
        data = self._document.data
        info = mapping(data["info"])
        text, headings = introduction(_text(info.get("description")), level=2)
        declared = dict(sites.members(self._document, sites.components(self._document), "schemas"))
        # Before the operations, whose names could be the same.
        anchors = {name: self._anchors.of(name, "model-") for name in declared}
        return ApiReference(
            title=_text(info.get("title")),
            version=_text(info.get("version")),
            introduction=text,
            headings=headings,
            servers=[*self._servers()],
            schemes=[*self._schemes()],
            rules=[*rules(data, Place.DOCUMENT, data)],
            codes=[*self._codes.values()],
            sections=[*self._sections(anchors)],
            anchors=anchors,
        )

    def _servers(self) -> Iterator[tuple[str, Markup]]:
        declared = sequence(self._document.data.get("servers"))
        described = [server for server in declared if isinstance(server, dict)]
        for number, server in enumerate(self._api.servers):
            text = described[number].get("description") if number < len(described) else ""
            yield address(server), prose(_text(text))

    def _schemes(self) -> Iterator[SchemeEntry]:
        components = sites.components(self._document)
        declared = dict(sites.members(self._document, components, "securitySchemes"))
        for key, credential in self._samples.credentials.items():
            value = declared[key].value if key in declared else {}
            kind = " ".join(
                _text(value.get(member)) for member in ("type", "scheme", "in") if member in value
            )
            yield SchemeEntry(credential, kind, prose(_text(value.get("description"))))

    def _sections(self, anchors: Mapping[str, str]) -> Iterator[Section]:
        files = _Names(("index", "webhooks", "shared-errors", "models"))
        for group in self._api.groups:
            yield Section(
                self._anchors.of(group.tag.raw, "group-"),
                slug(files.of(slug(group.tag.raw))),
                _titled(group.tag.raw),
                prose(group.description.raw, level=4),
                entries=[self._operation(group, operation) for operation in group.operations],
            )
        webhooks = (*self._api.webhooks, *self._api.callbacks)
        if webhooks:
            entries = [self._webhook(webhook) for webhook in webhooks]
            yield Section(self._anchors.of("webhooks"), "webhooks", "Webhooks", Markup(), entries)
        if self._shared:
            errors = list(self._shared.values())
            anchor = self._anchors.of("shared-errors")
            yield Section(anchor, "shared-errors", "Shared errors", Markup(), errors=errors)
        if anchors:
            models = [self._model(name, anchor) for name, anchor in anchors.items()]
            anchor = self._anchors.of("models")
            yield Section(anchor, "models", "Models", Markup(), models=models)

    def _operation(self, group: OperationGroup, operation: OperationDefinition) -> OperationEntry:
        site = self._site("path", operation)
        entry = self._entry(site, operation, Place.OPERATION)
        shown = {
            (parameter.location.value, parameter.wire.raw): parameter
            for parameter in operation.parameters
        }
        credentials = [[key.raw for key in alternative] for alternative in operation.security]
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
            schemes=json.dumps(credentials[0] if credentials else []),
            samples=[
                ExampleEntry("curl", self._samples.curl(operation)),
                ExampleEntry("Python", self._samples.python(group, operation)),
            ],
            has_body=operation.body is not None,
            body_sample=self._samples.body(operation),
        )

    def _webhook(self, webhook: Webhook) -> OperationEntry:
        operation = webhook.operation
        for direction in ("webhook", "callback"):
            if (direction, operation.path.raw, operation.method) in self._sites:
                break
        return self._entry(self._site(direction, operation), operation, Place.WEBHOOK)

    def _site(self, direction: str, operation: OperationDefinition) -> OperationSite:
        return self._sites[direction, operation.path.raw, operation.method]  # type: ignore[index]

    def _entry(
        self, site: OperationSite, operation: OperationDefinition, place: Place
    ) -> OperationEntry:
        sent, read = sites.of_request(site.direction), sites.of_response(site.direction)
        responses = [
            self._response(*member, read) for member in sites.responses(self._document, site)
        ]
        errors = [self._short(entry, pointer) for entry, pointer in responses if entry.is_error]
        body = sites.request_body(self._document, site)
        return OperationEntry(
            anchor=self._anchors.of(operation.id.raw),
            title=operation.summary.raw or _titled(operation.id.raw),
            method=operation.method,
            path=operation.path.raw,
            deprecated=operation.deprecated,
            description=prose(operation.description.raw),
            rules=[*rules(site.value, place, self._document.data)],
            parameters=[
                self._parameter(parameter, sent)
                for parameter in sites.parameters(self._document, site).values()
            ],
            bodies=[*self._contents(body, sent, is_request=True)] if body else (),
            body_text=prose(_text(body.value.get("description"))) if body else Markup(),
            responses=[entry for entry, _ in responses if not entry.is_error],
            errors=errors,
        )

    def _short(self, response: ResponseEntry, pointer: Pointer) -> ResponseEntry:
        """Return an error without the details that operations share."""
        name = pointer.removeprefix(_RESPONSES)
        if name == pointer:
            return response
        if name not in self._shared:
            anchor = self._anchors.of(name, "response-")
            self._shared[name] = SharedResponse(anchor, name, response)
        return replace(response, contents=(), headers=(), shared=self._shared[name].anchor)

    def _parameter(self, site: Site, polarity: Polarity) -> FieldEntry:
        value = site.value
        field = self._schemas.field(
            _text(value.get("name")),
            _schema(sites.described(self._document, site)),
            polarity,
            required=value.get("required") is True or value.get("in") == "path",
            description=value.get("description"),
        )
        return replace(field, place=_text(value.get("in")))

    def _response(
        self, status: str, site: Site, polarity: Polarity
    ) -> tuple[ResponseEntry, Pointer]:
        """Return a response and its place."""
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
        contents = [*self._contents(site, polarity)]
        text = _text(site.value.get("description")) or _phrase(status)
        codes = [*self._codes_in(site)]
        return ResponseEntry(status, prose(text), contents, headers, codes), site.pointer

    def _contents(
        self, holder: Site, polarity: Polarity, *, is_request: bool = False
    ) -> Iterator[ContentEntry]:
        """Yield the media types; the properties of models are listed for requests only."""
        for media_type, site in sites.contents(self._document, holder):
            schema = _schema(site, "itemSchema" if "itemSchema" in site.value else "schema")
            type_ = [] if schema.value is None else self._schemas.type(schema.value)
            is_linked = not is_request and any(piece.model for piece in type_)
            fields = () if is_linked else self._schemas.fields(schema, polarity)
            notes = [*self._schemas.tags(schema)]
            examples = [*self._examples(media_type, site)]
            yield ContentEntry(media_type, type_, notes, fields, examples)

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
            prose(_text(mapping(schema.value).get("description"))),
            [*self._schemas.type(schema.value), *self._schemas.heirs(schema)],
            self._schemas.notes(schema),
            self._schemas.fields(schema),
        )

    def _all_codes(self) -> Iterator[Code]:
        if self._error is None:
            return
        shown = dict(self._shown_codes())
        for name, code in self._error.codes.items():
            meaning = code.condition.meaning if code.condition else shown.get(name.raw, "")
            anchor = self._anchors.of(name.raw, "error-")
            yield Code(anchor, name.raw, code.status, code.type.raw, prose(meaning))

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
