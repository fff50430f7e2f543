"""Rules about the keys of maps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.findings import Level
from specwright.json_values import mapping
from specwright.pointer import join, split
from specwright.text import shorten

# OAS 3.1.1, 4.8.7.2.
_COMPONENT = re.compile(r"[a-zA-Z0-9._-]+")
# RFC 9110, 8.3.1 and 12.5.1: a media type, or a range of them, with parameters.
_MEDIA_RANGE = re.compile(r"[^\s/;]+/[^\s/;]+\s*(;.*)?")


def component_name(context: LintContext) -> Iterator[LintViolation]:
    # Swagger 2.0 allows any name.
    if context.is_swagger:
        return
    for section, components in context.components.items():
        for name in () if section.startswith("x-") else mapping(components):
            if not _COMPONENT.fullmatch(name):
                yield LintViolation(
                    join("components", section, name),
                    f"'{shorten(name)}' has other characters than letters, digits, "
                    "'.', '_' and '-'",
                )


def media_type(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("mediaType"):
        *_, field, name = split(node.pointer)
        if field == "content" and not _MEDIA_RANGE.fullmatch(name):
            yield LintViolation(
                node.pointer, f"'{shorten(name)}' is not a media type, such as application/json"
            )


RULES = (
    LintRule(
        "component-name",
        Category.DOCUMENT,
        "Names of components consist of letters, digits, dots, hyphens and underscores, so that "
        "they can be part of a reference.",
        """
        components:
          schemas:
            Order Line: {type: string}
        """,
        """
        components:
          schemas:
            OrderLine: {type: string}
        """,
        Level.WARNING,
        Level.ERROR,
        component_name,
    ),
    LintRule(
        "media-type",
        Category.DOCUMENT,
        "A key of `content` is a media type or a range of them (RFC 9110); clients and servers "
        "send it as `Content-Type`, and no other side understands another word.",
        """
        paths:
          /orders:
            get:
              responses:
                "200": {description: The orders., content: {json: {}}}
        """,
        """
        paths:
          /orders:
            get:
              responses:
                "200": {description: The orders., content: {application/json: {}}}
        """,
        Level.WARNING,
        Level.ERROR,
        media_type,
    ),
)
