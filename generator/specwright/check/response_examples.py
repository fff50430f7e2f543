"""The examples of responses that do not match their schemas, so that a mock sends others."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.examples import invalid_examples
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.reach import HELD
from specwright.document.operations.sites import Direction, Site
from specwright.document.schemas.applicators import Subschema, held, spread
from specwright.document.shape import OBJECTS
from specwright.pointer import Pointer


def invalid_in_responses(document: Document) -> Iterator[str]:
    """Yield the findings of `validate` about the examples of responses, with their places."""
    context = LintContext(document)
    places = frozenset(_places(document))
    for node in context.nodes:
        if node.pointer in places:
            for violation in invalid_examples(context, node):
                yield f"{document.locate(violation.pointer)}: {violation.message}"


def _places(document: Document) -> Iterator[Pointer]:
    """Yield the places of the values of responses, and of the schemas that they are made of."""
    holders = [*_holders(document)]
    yield from (holder.pointer for holder in holders)
    schemas = (
        Subschema(holder / key, holder.value[key])
        for holder in holders
        for key in HELD & holder.value.keys()
    )
    whole = spread(schemas, lambda schema: held(document, schema, OBJECTS["schema"]))
    yield from (schema.pointer for schema in whole)


def _holders(document: Document) -> Iterator[Site]:
    """Yield the media types and headers of the responses that a server sends."""
    for operation in sites.operations(document):
        if operation.direction is Direction.PATH:
            for _, response in sites.responses(document, operation):
                yield from (content for _, content in sites.contents(document, response))
                for _, header in sites.members(document, response, "headers"):
                    yield header
                    yield from (content for _, content in sites.contents(document, header))
