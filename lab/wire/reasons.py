"""The reasons why calls disagree or cannot be made: found by hand, for each document."""

from __future__ import annotations

import re

# A document, what is found in the operation and in what was said of it, and why.
REASONS: tuple[tuple[str, str, str], ...] = (
    (
        "camara-sim-swap-subscriptions.yaml",
        "accessTokenExpiresUtc",
        "The example names `AccessTokenCredential` by its discriminator, and has seconds where "
        "that has a date-time, which JSON Schema does not see; the model reads the moment.",
    ),
    (
        "digitalocean.json",
        "/records .*(flags|tag): Field required",
        "The example names `domain_record_ns` by its discriminator and lacks what that requires, "
        "which JSON Schema does not see: the value fits another alternative.",
    ),
    (
        "oxide-nexus.json",
        "serial-console/stream",
        "It answers 101: the connection becomes a WebSocket, which is not HTTP.",
    ),
    (
        "oxide-nexus.json",
        "ip-pools/.*valid under each",
        "The alternatives differ in `format` alone (`ipv4`, `ipv6`), which the judge takes for an "
        "annotation.",
    ),
    (
        "pagerduty.json",
        "tag '(sidecar|runbook)'",
        "Its discriminator has no mapping, so tags are names of schemas, and its enum has others.",
    ),
    (
        "modern-treasury.yaml",
        "None is not one of",
        "Whether `nullable: true` adds null to an enum without it is disputed; it does here, and "
        "does not for `openapi-schema-validator`.",
    ),
    (
        "adyen-terminal.json",
        "no value",
        "Its pattern `^.{0,262144}$` is too large for the engine that tries values.",
    ),
    (
        "unkey.yaml",
        "400 application",
        "Contradictory: `BaseError` is closed, and the error that is one has to have `errors`.",
    ),
    (
        "readme-schema-types-3.1.json",
        "polymorphism",
        "Contradictory on purpose: text and integer at once.",
    ),
    (
        "opc-baseline-3.1.yaml",
        "duplicate-types",
        "Contradictory on purpose: a `oneOf` of one schema twice.",
    ),
    (
        "opc-baseline-3.1.yaml",
        "only_null",
        "A query cannot carry null, the only value.",
    ),
    (
        "elasticsearch-serverless.json",
        "/_inference/{task_type}/{",
        "29 paths differ in nothing but the names of their parameters, which OpenAPI forbids: the "
        "server answers all of them as the first. It answers a task type that has a path of its "
        "own there.",
    ),
    (
        "*",
        "no value",
        "None of the 2,000 values that were tried: the schema is deep, or holds itself.",
    ),
)


def reason(document: str, operation: str, said: str) -> str:
    """Return why; an empty text where it is not known."""
    text = f"{operation} {said}"
    return next(
        (why for name, form, why in REASONS if name in (document, "*") and re.search(form, text)),
        "",
    )
