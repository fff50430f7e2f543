"""The responses that a document declares, with its examples or values that match its schemas."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import OperationSite, Site, essence
from specwright.ir.examples import Examples
from specwright.runtime.shared.media.table import medium_of
from specwright.samples.bodies import encode
from specwright.vocabulary.keywords.pagination import PAGINATION, PaginationContract

# The maximum number of values of one body.
MOST = 4
# A body without a schema.
ANY = {"a": 1}
_OF_RANGES = {"*": "application/json", "application": "application/json", "text": "text/plain"}
# Statuses of responses without a body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5).
_WITHOUT_BODY = frozenset({204, 205, 304})


@dataclass(frozen=True, slots=True)
class MockResponse:
    """A response, and the values that its body may have.

    Attributes:
        pattern: the status as the document writes it, such as `2XX`.
        status: a status that matches the pattern.
        media_type: that of the body; None for a response without a body.
        values: those of the body; for a stream, each is a list of its items.
    """

    pattern: str
    status: int
    media_type: str | None = None
    values: tuple[object, ...] = ()

    def content(self, seed: int) -> tuple[str | None, bytes]:
        """Return the Content-Type of the response, and one of the values as a body."""
        if self.media_type is None:
            return None, b""
        top, _, sub = essence(self.media_type).partition("/")
        if sub == "*":
            declared = _OF_RANGES.get(top, "application/octet-stream")
        else:
            declared = self.media_type
        if not self.values:
            return declared, b""
        sent, body = encode(self.media_type, self.values[seed % len(self.values)])
        return sent if medium_of(self.media_type).is_multipart else declared, body


class Bodies:
    """The values that bodies of a document may have."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.examples = Examples(document)

    def responses(self, operation: OperationSite) -> tuple[MockResponse, ...]:
        """Return a response for each status and media type that an operation declares."""
        declared = dict(sites.responses(self._document, operation))
        page = PAGINATION.read(operation.value)
        responses = []
        for pattern, response in declared.items():
            status = _status(pattern, declared)
            forms = dict(sites.contents(self._document, response))
            if not forms or status in _WITHOUT_BODY or operation.method == "HEAD":
                responses.append(MockResponse(pattern, status))
                continue
            for name, content in forms.items():
                media_type = sites.concrete(self._document, name, content)
                values = self.values(media_type, content, page)
                responses.append(MockResponse(pattern, status, media_type, values))
        return tuple(responses)

    def values(
        self, media_type: str, content: Site, page: PaginationContract | None = None
    ) -> tuple[object, ...]:
        """Return values of a body, or lists of the items of a stream; empty if none were found."""
        medium = medium_of(media_type)
        if medium.is_stream:
            schema = sites.value_schema(self._document, media_type, content)
            items = tuple(islice(self._of(schema), MOST))
            return (items, ()) if items else ()
        if not medium.has_schema:
            return tuple(self._without_schema(medium.sample, content))
        if "schema" not in content.value:
            return (ANY,)
        return tuple(islice(self.examples.valid(content, page), MOST))

    def _of(self, schema: Site | None) -> Iterator[object]:
        return iter((ANY,)) if schema is None else iter(self.examples.witnesses.of(schema.pointer))

    def _without_schema(self, sample: object, content: Site) -> Iterator[object]:
        """Yield the texts that a schema allows, then the medium's sample."""
        if isinstance(sample, str) and sites.schema(self._document, content).value:
            texts = [text for text in self.examples.valid(content) if isinstance(text, str)]
            yield from texts[:MOST]
        yield sample


def _status(pattern: str, declared: Collection[str]) -> int:
    """Return a status that matches a pattern and that the operation does not declare itself."""
    if pattern.isdecimal():
        return int(pattern)
    first = int(pattern[0]) * 100 if pattern[0].isdecimal() else 500
    if pattern == "default" and not any(status[0] in "23" for status in declared):
        first = 200
    return next(status for status in range(first, 600) if str(status) not in declared)
