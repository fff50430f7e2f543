"""Rules about security requirements."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.errors import did_you_mean
from specwright.findings import Level
from specwright.json_values import JsonObject, mapping, sequence
from specwright.pointer import Pointer, join

# 3.2 allows the URI of a scheme in place of a name.
_ADDRESS = re.compile(r"[#./]|https?:")
# Scopes have words in common, such as `orders:read` and `events:read`.
_SIMILAR = 0.8


def security_defined(context: LintContext) -> Iterator[LintViolation]:
    known = _schemes(context)
    places: dict[str, list[Pointer]] = defaultdict(list)
    for node in context.of_kind("securityRequirement"):
        for name in node.value:
            if name not in known and not _ADDRESS.match(name):
                places[name].append(node.pointer + join(name))
    for name, pointers in places.items():
        hint = did_you_mean(name, known, "define it there")
        yield LintViolation(
            pointers[0],
            f"security scheme '{name}' is not in {context.section('securityScheme')}"
            f"{_times(pointers)}: {hint}",
        )


def security_scopes(context: LintContext) -> Iterator[LintViolation]:
    schemes = _schemes(context)
    places: dict[tuple[str, str], list[Pointer]] = defaultdict(list)
    for node in context.of_kind("securityRequirement"):
        for name, scopes in node.value.items():
            known = _scopes(context.follow(schemes.get(name)))
            for index, scope in enumerate(sequence(scopes)):
                if known is not None and isinstance(scope, str) and scope not in known:
                    # A scheme without any scopes is one mistake.
                    places[name, scope if known else ""].append(node.pointer + join(name, index))
    for (name, scope), pointers in places.items():
        known = _scopes(context.follow(schemes[name])) or set()
        missing = f"has no scope '{scope}'" if known else "declares no scopes"
        hint = did_you_mean(scope, known, "declare it in its flows", _SIMILAR)
        yield LintViolation(
            pointers[0], f"security scheme '{name}' {missing}{_times(pointers)}: {hint}"
        )


def _schemes(context: LintContext) -> JsonObject:
    return mapping(context.components.get("securitySchemes"))


def _scopes(scheme: JsonObject) -> set[str] | None:
    """Return the scopes of all flows; None if the scheme does not declare its scopes."""
    flows = [mapping(flow) for flow in mapping(scheme.get("flows")).values()]
    if scheme.get("type") != "oauth2" or not any("scopes" in flow for flow in flows):
        return None
    return {scope for flow in flows for scope in mapping(flow.get("scopes"))}


def _times(pointers: list[Pointer]) -> str:
    return f" (named {len(pointers)} times)" if len(pointers) > 1 else ""


RULES = (
    LintRule(
        "security-defined",
        Category.SECURITY,
        "A requirement names a scheme in components; otherwise a client cannot know which "
        "credentials to send.",
        """
        security: [{apiKey: []}]
        """,
        """
        security: [{apiKey: []}]
        components:
          securitySchemes:
            apiKey: {type: http, scheme: bearer}
        """,
        Level.WARNING,
        Level.ERROR,
        security_defined,
    ),
    LintRule(
        "security-scopes",
        Category.SECURITY,
        "The scopes of a requirement are those that the flows of its scheme declare; an "
        "authorization server refuses others.",
        """
        paths:
          /orders:
            get:
              security: [{oauth: ["orders:reed"]}]
              responses: {"200": {description: The orders.}}
        components:
          securitySchemes:
            oauth:
              type: oauth2
              flows:
                clientCredentials:
                  tokenUrl: https://example.com/token
                  scopes: {"orders:read": Read orders.}
        """,
        """
        paths:
          /orders:
            get:
              security: [{oauth: ["orders:read"]}]
              responses: {"200": {description: The orders.}}
        components:
          securitySchemes:
            oauth:
              type: oauth2
              flows:
                clientCredentials:
                  tokenUrl: https://example.com/token
                  scopes: {"orders:read": Read orders.}
        """,
        Level.WARNING,
        Level.ERROR,
        security_scopes,
    ),
)
