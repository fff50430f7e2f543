"""Validation of requests, as they were sent, against their operations."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, urlsplit

import jsonschema_rs

from specwright.conformance.checks.responses.whole_numbers import has_whole_float
from specwright.conformance.contract.routes import ContractRoutes
from specwright.conformance.contract.xml_bodies import XmlBodies
from specwright.conformance.recording.exchange import HttpRequest, value_at
from specwright.document.model import Document
from specwright.document.operations.security import Demands
from specwright.document.operations.sent_parameters import sent_parameters
from specwright.document.operations.sites import (
    WHOLE_QUERY,
    OperationSite,
    Site,
    contents,
    described,
    essence,
    is_json,
    json_content,
    members,
    query_content,
    request_body,
    schema,
)
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.instances import is_only_ambiguous
from specwright.document.schemas.number_formats import with_ranges
from specwright.document.schemas.polarity import Polarity, in_direction
from specwright.document.schemas.validators import UNUSABLE, SchemaValidators
from specwright.document.schemas.value_types import ValueTypes
from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import Pointer
from specwright.runtime.shared import querystring
from specwright.runtime.shared.media.table import medium_of
from specwright.runtime.shared.operation import Content
from specwright.runtime.shared.xml.parsing import NotWellFormedError
from specwright.samples.non_validating import CONTENT, FORMATS
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.pagination import PAGINATION, is_in_body
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF

_BASE = "document:/"
_SCALARS = frozenset({"string", "integer", "number", "boolean"})
# Styles whose texts are more than the value (OpenAPI 3.1.1, 4.8.12.3), or not below the name.
_MARKED = frozenset({"label", "matrix"})
_NESTED = "deepObject"
# Parameters with these names are ignored (OpenAPI 3.1, 4.8.12.1).
_CREDENTIAL = ("header", "authorization")
# NUL as JSON escapes it, and lone surrogates.
_HARD = re.compile(r"\\u0000|[\ud800-\udfff]")


@dataclass(slots=True)
class RequestVerdict:
    """The certain faults of a request, and whether anything is in doubt.

    Attributes:
        faults: the parameters and bodies of the document that it does not fit.
        doubtful: whether a part of it might be refused, or interpreted in another way.
    """

    faults: list[Pointer] = field(default_factory=list)
    doubtful: bool = False

    @property
    def is_valid(self) -> bool:
        """Whether it is certain that the request fits."""
        return not self.faults and not self.doubtful


class RequestJudge:
    """A validator of requests against a document.

    A format is an annotation (JSON Schema 2020-12, 7.2.1): a value that breaks one is called
    neither invalid nor valid, and so is one that fits several alternatives of a `oneOf`, of which
    a discriminator may name one.
    """

    def __init__(self, document: Document, routes: ContractRoutes) -> None:
        self._document = document
        self._routes = routes
        self._limit = BODY_LIMIT.read(document.data)
        self._demands = Demands(document)
        self._types = ValueTypes(document)
        self._xml_bodies = XmlBodies(document)
        sent = in_direction(document, Polarity.TO_SERVER)
        # By whether what JSON Schema leaves to receivers is enforced.
        self._schemas = {
            False: SchemaValidators({_BASE: sent.data}, formats=FORMATS),
            True: SchemaValidators(
                {_BASE: with_ranges(sent).data}, CONTENT, FORMATS, validate_formats=True
            ),
        }
        self._validators: dict[tuple[Pointer, bool], jsonschema_rs.Validator | None] = {}

    def judge(self, operation: OperationSite, request: HttpRequest) -> RequestVerdict:
        """Return the verdict on a request for an operation."""
        path = self._routes.path_values(operation, request.url)
        if path is None:
            return RequestVerdict(doubtful=True)
        query = parse_qs(urlsplit(request.url).query, keep_blank_values=True)
        sent = {
            "path": {name: [value] for name, value in path.items()},
            "query": query,
            "header": _headers(request),
        }
        verdict = RequestVerdict(doubtful=self._may_be_refused(operation, request, query))
        for (place, name), parameter in sent_parameters(
            self._document, operation, self._demands
        ).items():
            if place == WHOLE_QUERY:
                self._query_string(parameter, urlsplit(request.url).query, verdict)
            elif place not in sent:
                verdict.doubtful = True
            elif (place, name) == _CREDENTIAL:
                continue
            elif self._may_be_present(parameter, sent[place]):
                verdict.doubtful = True
            elif name in sent[place]:
                self._parameter(parameter, sent[place][name], verdict)
            elif parameter.value.get("required") is True:
                verdict.faults.append(parameter.pointer)
        self._body(operation, request, verdict)
        return verdict

    def allows(self, operation: OperationSite, way: Sequence[str], form: str) -> bool:
        """Return whether a number in this format is valid at a path in an operation's JSON body."""
        content = json_content(self._document, request_body(self._document, operation))
        described = schema(self._document, content) if content else None
        for name in way:
            below = described and dict(members(self._document, described, "properties")).get(name)
            if not below:
                return False
            described = below
        fitting = described and self._fits(described.pointer, form.format(0), formats=True)
        return bool(fitting)

    def _parameter(self, parameter: Site, values: list[str], verdict: RequestVerdict) -> None:
        described = schema(self._document, parameter)
        types = self._types_of(described)
        if not types or not types <= _SCALARS or "content" in parameter.value:
            verdict.doubtful = True
        elif not any(
            self._fits(described.pointer, reading, formats=False)
            for value in values
            for reading in _readings(value, types)
        ):
            # Many servers treat an empty value as a missing one.
            empty = "string" not in types and "" in values
            verdict.doubtful |= empty
            verdict.faults += [] if empty else [parameter.pointer]
        elif len(values) > 1 or not any(
            self._fits(described.pointer, reading, formats=True)
            for reading in _readings(values[0], types)
            if values[0] in (reading, json.dumps(reading))
        ):
            verdict.doubtful = True

    def _query_string(self, parameter: Site, query: str, verdict: RequestVerdict) -> None:
        content = query_content(self._document, parameter) or Content("")
        is_required = parameter.value.get("required") is True
        # A form may be empty, and a key may be beside the value.
        if medium_of(content.media_type).has_parts or "&" in query:
            verdict.doubtful = True
        elif not query:
            verdict.faults += [parameter.pointer] if is_required else []
        else:
            place = schema(self._document, described(self._document, parameter)).pointer
            try:
                value = querystring.read(content, query)
            except ValueError:
                verdict.faults.append(parameter.pointer)
                return
            if not self._fits(place, value, formats=False):
                verdict.faults.append(parameter.pointer)
            elif not self._fits(place, value, formats=True):
                verdict.doubtful = True

    def _body(
        self, operation: OperationSite, request: HttpRequest, verdict: RequestVerdict
    ) -> None:
        body = request_body(self._document, operation)
        if body is None or request.body is None:
            if body is not None and body.value.get("required") is True:
                verdict.faults.append(body.pointer)
            verdict.doubtful |= body is None and request.body is not None
            return
        media_type = essence(request.header("Content-Type") or "")
        content = next(
            (each for name, each in contents(self._document, body) if essence(name) == media_type),
            None,
        )
        root = None if content is None else self._xml_bodies.root(media_type, content)
        too_large = self._limit is not None and len(request.body) > self._limit.max_bytes
        if content is None or not (is_json(media_type) or root) or too_large:
            verdict.doubtful = True
            return
        try:
            if root is None:
                value = json.loads(request.body.decode(), parse_constant=_no_constant)
            else:
                sent = XmlBodies.read(root, request.body, request.header("Content-Type") or "")
                value = sent.value
                # The names and the order of elements may matter to a server.
                verdict.doubtful |= not sent.is_canonical
            is_hard = _has_hard_text(value) or has_whole_float(value)
        except ValueError as error:
            if root is None or isinstance(error, NotWellFormedError):
                verdict.faults.append(body.pointer)
            else:
                verdict.doubtful = True
            return
        except RecursionError:
            verdict.doubtful = True
            return
        described = schema(self._document, content)
        if not self._fits(described.pointer, value, formats=False):
            errors = [*self._schemas[False].whole(_reference(described.pointer)).iter_errors(value)]
            if is_only_ambiguous(errors):
                verdict.doubtful = True
            else:
                verdict.faults.append(body.pointer)
        elif is_hard or not self._fits(described.pointer, value, formats=True):
            verdict.doubtful = True

    def _may_be_refused(
        self, operation: OperationSite, request: HttpRequest, query: dict[str, list[str]]
    ) -> bool:
        """Return whether declarations allow a refusal of a request that fits the schemas."""
        pages = PAGINATION.read(operation.value)
        one_of = REQUIRES_ONE_OF.read(operation.value)
        cursor = None if pages is None else pages.cursor
        has_cursor = cursor is not None and (
            value_at(request.json_or_none, cursor.raw) is not None
            if is_in_body(cursor)
            else cursor.raw in query
        )
        return has_cursor or (
            one_of is not None and not any(name.raw in query for name in one_of.parameters)
        )

    def _may_be_present(self, parameter: Site, sent: Mapping[str, Sequence[str]]) -> bool:
        """Return whether a parameter is written in a way that is not read here."""
        name, style = parameter.value["name"], parameter.value.get("style")
        if style == _NESTED:
            return any(key.startswith(f"{name}[") for key in sent)
        if style in _MARKED or name in sent or style not in (None, "form"):
            return style in _MARKED
        types = self._types_of(schema(self._document, parameter))
        # The members of an object are parameters of their own; a schema may also allow any value.
        return not types or "object" in types

    def _types_of(self, described: Site) -> frozenset[str]:
        """Return the types of the values of a schema; empty if any."""
        return self._types.of([Subschema(described.pointer, described.value)])

    def _fits(self, place: Pointer, value: JsonValue, *, formats: bool) -> bool:
        """Return whether a value fits a schema; if that is unknown, True only without formats."""
        key = place, formats
        if key not in self._validators:
            self._validators[key] = self._compile(place, formats)
        validator = self._validators[key]
        try:
            # A schema that cannot be compiled makes a request neither invalid nor valid.
            return not formats if validator is None else validator.is_valid(value)
        except ValueError:
            # Text that is not Unicode, or a pattern that takes too long.
            return not formats

    def _compile(self, place: Pointer, formats: bool) -> jsonschema_rs.Validator | None:
        try:
            return self._schemas[formats].validator(_reference(place))
        except UNUSABLE:
            return None


def _reference(place: Pointer) -> JsonObject:
    return {"$ref": f"{_BASE}#{quote(place)}"}


def _readings(text: str, types: frozenset[str]) -> Iterator[JsonValue]:
    """Yield the values that a lenient server may read from a text."""
    numbers = types & {"integer", "number"}
    if numbers:
        try:
            number = float(text)
        except ValueError:
            pass
        else:
            if math.isfinite(number):
                yield int(number) if number.is_integer() else number
    if "boolean" in types:
        word = text.strip().lower()
        if word in _BOOLEANS:
            yield _BOOLEANS[word]
    yield text


def _headers(request: HttpRequest) -> dict[str, list[str]]:
    headers: dict[str, list[str]] = {}
    for name, value in request.headers:
        headers.setdefault(name.lower(), []).append(value.strip(" \t"))
    return headers


_BOOLEANS = {
    **dict.fromkeys(("true", "1", "yes", "on", "y", "t"), True),
    **dict.fromkeys(("false", "0", "no", "off", "n", "f"), False),
}


def _has_hard_text(value: JsonValue) -> bool:
    """Return whether a value has characters that many servers cannot store."""
    return _HARD.search(json.dumps(value, ensure_ascii=False)) is not None


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")
