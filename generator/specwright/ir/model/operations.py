"""Operations: the ways to call them, and their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from specwright.document.operations.naming import apart
from specwright.ir.model.bodies import RAW, MediaTypeDefinition, RequestBody, ResponseDefinition
from specwright.ir.model.parameters import ParameterDefinition
from specwright.ir.model.values import MODEL, BodyField, TypeRef, union
from specwright.runtime.shared.operation import REDIRECTS, Way
from specwright.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The declarations of an object by `x-contract-*`: each key of its place without the prefix.
Contract: TypeAlias = "Mapping[str, object]"
# The alternatives that authorize a caller: the schemes of each, with their scopes.
Alternatives: TypeAlias = "tuple[Mapping[Text, tuple[Text, ...]], ...]"

# The declared failures of an operation: status and contents.
Failures: TypeAlias = "tuple[tuple[str, tuple[MediaTypeDefinition, ...]], ...]"

_STREAM = "stream"
# RFC 9110, 9.2.2: PUT, DELETE and the safe methods (9.2.1).
IDEMPOTENT_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"})


@dataclass(frozen=True, slots=True)
class ServerVariableDefinition:
    """A part of a server's URL, and the client's argument for it."""

    argument: str
    default: Text | None
    values: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class ServerDefinition:
    """A server; its URL has its variables in braces."""

    url: Text
    variables: Mapping[Text, ServerVariableDefinition]


@dataclass(frozen=True, slots=True)
class PaginationDefinition:
    """The pagination of a list: attributes of the response's model, one name for each step.

    Attributes:
        item: the type of one item.
        way: the way to the next page (`Way` of the runtime's `Pagination`).
        cursor: the argument for the start of a page; empty without one.
        member: the place of the start of a page in the JSON body; empty if it is not there.
        items, next, more, total, pages: the items, the next cursor or URL, whether there is a
            next page, the numbers of all items and pages.
        first: the number of the first page.
        resume: whether the last cursor may be used again to request new items.
        interval: minimum number of seconds between two requests, if the document declares it.
        expired: the error code of a cursor that is too old.
    """

    item: TypeRef
    cursor: str
    member: tuple[Text, ...]
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
class FinalStatesDefinition:
    """The final states of a resource, with the attributes that its state is below."""

    path: tuple[str, ...]
    values: tuple[Text, ...]
    interval: int


@dataclass(frozen=True, slots=True)
class Switch:
    """An argument that requests items one by one.

    Attributes:
        is_on: whether the service sends items if the argument is left out.
        media_type: the media type of the items.
    """

    name: str
    is_on: bool
    media_type: Text


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to call a method: the type of one argument, and the result of such a call.

    Attributes:
        content: the form of the body; the usual one needs no argument.
        accept: the form of the response; None for the usual one.
        stream: annotation and default of the argument that requests items one by one.
    """

    result: str
    content: MediaTypeDefinition | None = None
    accept: Text | None = None
    stream: str = ""


@dataclass(frozen=True, slots=True)
class OperationDefinition:
    """An operation of a path or of a webhook (`path` is then the webhook's name).

    Attributes:
        id: operationId, or one made of method and path if the document has none.
        name: `id` in snake case; the handler's name in the server stub.
        method_name: name on the client's group (`create` of `client.orders.create`).
        follow_name: the method beside it that waits for new items, if its `page` can resume.
        wait_name: the method beside it that waits for one of its `final` states.
        constant: name in the plan table (`CREATE_ORDER`).
        security: the credentials that authorize a caller; an empty alternative needs none.
        servers: the operation's own, in place of those of the document; the default one first.
        page: the page in its responses, if the operation declares pagination.
        final: the final states of the resource that it reads, if a GET declares them.
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
    servers: tuple[ServerDefinition, ...]
    parameters: tuple[ParameterDefinition, ...]
    body: RequestBody | None
    responses: tuple[ResponseDefinition, ...]
    contract: Contract
    page: PaginationDefinition | None
    final: FinalStatesDefinition | None
    pointer: str

    @property
    def title(self) -> Text:
        """The summary, else the description, else the method and the path."""
        if self.summary or self.description:
            return self.summary or self.description
        return Text(f"{self.method} {self.path.raw}")

    @property
    def secured(self) -> bool:
        """Whether a caller needs credentials."""
        return bool(self.security) and all(self.security)

    @property
    def is_idempotent(self) -> bool:
        """Whether a repeated request has the effect of one (RFC 9110, 9.2.2, or as declared)."""
        return self.method in IDEMPOTENT_METHODS or self.contract["idempotency"] is not None

    def argument(self, name: str) -> str:
        """Return the name for an argument of a method that is not from the document."""
        names = {parameter.name for parameter in self.parameters}
        if self.body is not None and self.body.fields is not None:
            names |= {field.name for field in self.body.fields}
        return apart(name, names)

    def arguments_for(self, parameters: Iterable[Text]) -> tuple[str, ...]:
        """Return the arguments for parameters that the document names."""
        return tuple(
            parameter.name
            for wire in parameters
            for parameter in self.parameters
            if parameter.wire == wire
        )

    @property
    def argument_models(self) -> tuple[str, ...]:
        """The names of models in the arguments of the client's method, in alphabetical order."""
        annotations = [parameter.type.annotation for parameter in self.parameters]
        if self.body is not None and self.body.fields is None:
            annotations.append(self.body.annotation)
        elif self.body is not None:
            annotations += [field.annotation for field in self.body.fields or ()]
        return _models(annotations)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of models in the signature of the client's method, in alphabetical order."""
        result = self.page.item.annotation if self.page else self.result_of_all
        return tuple(sorted({*self.argument_models, *_models([result])}))

    @property
    def documented(self) -> tuple[ParameterDefinition | BodyField | RequestBody, ...]:
        """The arguments with a description, in the order of the signature."""
        fields = () if self.body is None else self.body.fields
        body: tuple[BodyField | RequestBody, ...] = (
            (self.body,) if fields is None and self.body else fields or ()
        )
        others = [p for p in self.parameters if p.location != "path"]
        return tuple(
            argument
            for argument in (
                *(p for p in self.parameters if p.location == "path"),
                *(p for p in others if p.required),
                *(f for f in body if f.required),
                *(f for f in body if not f.required),
                *(p for p in others if not p.required),
            )
            if argument.description
        )

    @property
    def successes(self) -> tuple[ResponseDefinition, ...]:
        """The declared responses of class 2."""
        return tuple(r for r in self.responses if r.is_success)

    @property
    def failures(self) -> Failures:
        """The other declared responses, without their descriptions."""
        return tuple((r.status, r.contents) for r in self.responses if not r.is_success)

    @property
    def result_responses(self) -> tuple[ResponseDefinition, ...]:
        """The responses of a successful call, if the document declares any."""
        return self.successes or tuple(r for r in self.responses if r.status == "default")

    @property
    def is_redirect(self) -> bool:
        """Whether a call succeeds with a redirect."""
        statuses = {str(status) for status in REDIRECTS} | {"3XX"}
        return not self.successes and any(r.status in statuses for r in self.responses)

    @property
    def result(self) -> str:
        """The annotation of the result of a successful call."""
        return self.result_in(None)

    def result_in(self, media_type: Text | None) -> str:
        """Return the annotation of the result of a call that requests a media type."""
        if self.method == "HEAD":
            return "None"
        declared = [r.client_result(media_type) for r in self.result_responses]
        if media_type is not None:
            declared = [body for body in declared if body not in ("None", RAW)]
        if self.is_redirect:
            declared = ["Redirect", *declared]
        return union(declared) or RAW

    @property
    def server_result(self) -> str:
        """The annotation of the result of a handler."""
        if self.method == "HEAD":
            return "None"
        leads = ["Redirect"] if any(r.status[0] == "3" for r in self.responses) else []
        return union([*(r.server_result for r in self.result_responses), *leads]) or RAW

    @property
    def reply_value(self) -> str:
        """The annotation of the value of a handler's `Reply`, for all declared statuses."""
        if self.method == "HEAD":
            return "None"
        results = self.result_responses
        others = (r.server_failure for r in self.responses if r not in results)
        return union([*(r.server_result for r in results), *others]) or RAW

    @property
    def handler_annotations(self) -> tuple[str, ...]:
        """The annotations of a handler: those of its arguments, and of its result."""
        body = () if self.body is None else (self.body.server_argument,)
        arguments = (*(parameter.type.annotation for parameter in self.parameters), *body)
        return (*arguments, self.server_result, self.reply_value)

    @property
    def content_type(self) -> str:
        """The argument that chooses the form of the body; empty if there is only one form."""
        names = {c.media_type for c in self.body.choices} if self.body else set[Text]()
        is_chosen = len(names) > 1 and self.page is None
        return self.argument("content_type") if is_chosen else ""

    @property
    def accept(self) -> str:
        """The argument that chooses the form of the response; empty if there is only one form."""
        is_chosen = bool(self.media_types) and self.page is None and self.stream is None
        return self.argument("accept") if is_chosen else ""

    @property
    def stream(self) -> Switch | None:
        """The property or parameter that requests items one by one in place of one value."""
        contents = [content for r in self.result_responses for content in r.contents]
        streams = [content for content in contents if content.medium.is_stream]
        if self.page or not streams or len(streams) == len(contents):
            return None
        fields = (self.body.fields or ()) if self.body else ()
        arguments = [(field.wire, field.name, field.annotation, field.default) for field in fields]
        for parameter in self.parameters:
            arguments.append(
                (parameter.wire, parameter.name, parameter.type.annotation, parameter.default)
            )
        for wire, name, annotation, default in arguments:
            if wire == Text(_STREAM) and annotation.split(" | ")[0] == "bool":
                is_on = default is not None and default.value is True
                return Switch(name, is_on, streams[0].media_type)
        return None

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The ways to call a method if its types depend on each other; empty for one way."""
        variants: list[Variant] = []
        if self.stream is not None:
            on, off = self.result_in(self.stream.media_type), self.result
            is_on = self.stream.is_on
            variants = [
                Variant(on, stream="Literal[True]" + (" | None = None" if is_on else "")),
                Variant(off, stream="Literal[False]" + ("" if is_on else " | None = None")),
                Variant(union([on, off]), stream="bool"),
            ]
        if self.accept:
            variants += [
                Variant(self.result_in(media_type), accept=media_type)
                for media_type in self.media_types
            ]
        if self.content_type and self.body and self.body.fields is None:
            first, *others = self.body.choices
            if any(content.client_argument != first.client_argument for content in others):
                variants += [Variant(self.result, content=content) for content in others]
        if not variants or self.stream is not None:
            return tuple(variants)
        return Variant(self.result, content=self.body.usual if self.body else None), *variants

    @property
    def result_of_all(self) -> str:
        """The annotation of all possible results of a call."""
        return (
            union(variant.result for variant in self.variants if variant.stream != "bool")
            or self.result
        )

    @property
    def is_cast(self) -> bool:
        """Whether type checkers cannot derive the result of a call from the plan."""
        if self.result == "object":
            return False
        return bool(self.variants) or any(
            content.medium.is_stream for r in self.result_responses for content in r.contents[:1]
        )

    @property
    def media_types(self) -> tuple[Text, ...]:
        """The media types of responses, except the usual ones, for a caller to choose from."""
        usual = {r.contents[0].media_type for r in self.result_responses if r.contents}
        others = [c.media_type for r in self.result_responses for c in r.contents[1:]]
        return tuple(t for t in dict.fromkeys(others) if t not in usual and "*" not in t.raw)


def _models(annotations: Iterable[str]) -> tuple[str, ...]:
    names = {name for text in annotations for name in MODEL.findall(text)}
    return tuple(sorted(names - {""}))
