"""Rules about parts of Swagger 2.0 that the upgrade could not keep, or where it had to choose."""

from __future__ import annotations

from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation, remarks
from specwright.document.sources.swagger.bodies import IGNORED
from specwright.document.sources.swagger.media_types import ASSUMED
from specwright.findings import Level


def ignored(context: LintContext) -> Iterator[LintViolation]:
    return remarks(context, IGNORED)


def assumed(context: LintContext) -> Iterator[LintViolation]:
    return remarks(context, ASSUMED)


RULES = (
    LintRule(
        IGNORED,
        Category.DOCUMENT,
        "A request of Swagger 2.0 has one body, which one parameter in 'body' or those in "
        "'formData' describe, and a response has the media types that its operation produces; "
        "what contradicts that has no effect.",
        """
        swagger: "2.0"
        paths:
          /orders:
            post:
              consumes: [application/json]
              parameters:
                - {name: order, in: body, schema: {type: object}}
                - {name: note, in: formData, type: string}
              responses: {"204": {description: Done.}}
        """,
        """
        swagger: "2.0"
        paths:
          /orders:
            post:
              consumes: [application/json]
              parameters:
                - name: order
                  in: body
                  schema: {type: object, properties: {note: {type: string}}}
              responses: {"204": {description: Done.}}
        """,
        Level.WARNING,
        Level.ERROR,
        ignored,
    ),
    LintRule(
        ASSUMED,
        Category.DOCUMENT,
        "Swagger 2.0 lists the media types of all bodies of an operation in 'consumes' and "
        "'produces'. If these name none, or none that a body can be written in, readers have to "
        "guess: an object is then JSON, a file is bytes, and formData is a form.",
        """
        swagger: "2.0"
        paths:
          /orders:
            get:
              responses: {"200": {description: The orders., schema: {type: array, items: {}}}}
        """,
        """
        swagger: "2.0"
        paths:
          /orders:
            get:
              produces: [application/json]
              responses: {"200": {description: The orders., schema: {type: array, items: {}}}}
        """,
        Level.INFO,
        Level.WARNING,
        assumed,
    ),
)
