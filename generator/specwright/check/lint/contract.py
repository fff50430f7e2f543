"""Rules about `x-contract-` declarations: known, in place, of the right shape, and true."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from specwright.check.context import LintContext
from specwright.check.lint.declared import validator
from specwright.check.lint.references import missing
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.document.operations.sites import Direction
from specwright.document.shape import Node
from specwright.findings import Level, values_of
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, join
from specwright.vocabulary import table
from specwright.vocabulary.keyword import PREFIX, Keyword, Place
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.signature import SIGNATURE

_KNOWN = frozenset(keyword.name for keyword in table.KEYWORDS)


class Declaration(NamedTuple):
    """A declaration and its place."""

    keyword: Keyword[object]
    node: Node
    pointer: Pointer
    value: JsonValue


def contract_key(context: LintContext) -> Iterator[LintViolation]:
    for node, name in _keys(context):
        pointer = node.pointer + join(name)
        if name not in _KNOWN:
            close = get_close_matches(name, sorted(_KNOWN), 1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            yield LintViolation(pointer, f"'{name}' is not in the vocabulary{hint}")
            continue
        keyword = _keyword(context, node, name)
        if keyword is None:
            places = " or ".join(sorted(table.places(name)))
            yield LintViolation(pointer, f"'{name}' belongs on a {places}, not here")
        elif keyword.methods and _method(context, node) not in keyword.methods:
            methods = " or ".join(keyword.methods)
            yield LintViolation(
                pointer, f"'{name}' belongs on an operation with {methods}, not here"
            )


def contract_shape(context: LintContext) -> Iterator[LintViolation]:
    for declaration in _declarations(context):
        for error in validator(declaration.keyword).iter_errors(declaration.value):
            values = values_of(error.kind.name, getattr(error.kind, "property", None))
            place = declaration.pointer + join(*error.instance_path)
            yield LintViolation(place, error.message, values)


def contract_reference(context: LintContext) -> Iterator[LintViolation]:
    for declaration in _declarations(context):
        # Invalid shapes are reported by the rule above; nothing can be looked up in them.
        if validator(declaration.keyword).is_valid(declaration.value):
            for reference in declaration.keyword.references(declaration.value):
                for reason in missing(context, declaration.node, reference):
                    yield LintViolation(
                        declaration.pointer + reference.at, f"'{reference.name}' {reason}"
                    )


def contract_condition(context: LintContext) -> Iterator[LintViolation]:
    declared = mapping(context.document.data.get(ERROR.name))
    first: dict[str, str] = {}
    for code, each in mapping(declared.get("codes")).items():
        condition = mapping(each).get("condition")
        if isinstance(condition, str) and first.setdefault(condition, code) != code:
            yield LintViolation(
                join(ERROR.name, "codes", code, "condition"),
                f"'{condition}' is answered with '{first[condition]}' already",
            )


def contract_webhook(context: LintContext) -> Iterator[LintViolation]:
    webhooks = [
        operation for operation in context.operations if operation.direction is Direction.WEBHOOK
    ]
    for name in (SIGNATURE.name, DELIVERY.name):
        if any(name in webhook.value for webhook in webhooks):
            for webhook in webhooks:
                if name not in webhook.value:
                    message = f"other webhooks declare {name}, this one does not"
                    yield LintViolation(webhook.pointer, message, values_of(name))


def _keys(context: LintContext) -> Iterator[tuple[Node, str]]:
    for node in context.nodes:
        for name in node.value:
            if name.startswith(PREFIX) or (name in _KNOWN and name[:2] == "x-"):
                yield node, name


def _declarations(context: LintContext) -> Iterator[Declaration]:
    for node, name in _keys(context):
        keyword = _keyword(context, node, name)
        if keyword is not None:
            yield Declaration(keyword, node, node.pointer + join(name), node.value[name])


def _keyword(context: LintContext, node: Node, name: str) -> Keyword[object] | None:
    place = _place(context, node)
    return None if place is None else table.keyword(name, place)


def _method(context: LintContext, node: Node) -> str | None:
    site = context.operations_by_pointer.get(node.pointer)
    return None if site is None else site.method


def _place(context: LintContext, node: Node) -> Place | None:
    match node.kind:
        case "document":
            return Place.DOCUMENT
        case "operation":
            site = context.operations_by_pointer.get(node.pointer)
            is_webhook = site is not None and site.direction is Direction.WEBHOOK
            return Place.WEBHOOK if is_webhook else Place.OPERATION
        case "parameter":
            return Place.PARAMETER
        case "schema":
            return Place.PROPERTY if node.pointer.split("/")[-2] == "properties" else Place.SCHEMA
    return None


_PLANS = """
        paths:
          /plans:
            get:
              operationId: listPlans
              %s
              parameters:
                - {name: cursor, in: query, schema: {type: string}}
              responses:
                "200":
                  description: The plans.
                  content:
                    application/json:
                      schema:
                        type: object
                        properties:
                          data: {type: array, items: {properties: {plan_id: {type: string}}}}
                          has_more: {type: boolean}
                          next_cursor: {type: [string, "null"]}
        """
_PAGINATION = (
    "{cursor: cursor, limit: null, items: %s, next: /next_cursor, more: /has_more, "
    "id: /plan_id, resume: %s}"
)
_ERRORS = """
        %s:
          codes:
            bad_body: {status: 400, type: invalid_request, condition: invalid_json}
            bad_json: {status: 400, type: invalid_request%s}
        """
_WEBHOOKS = """
        webhooks:
          order.completed:
            post:
              %s: {success: 2XX}
              responses: {"2XX": {description: Received.}}
          order.failed:
            post:
              %s
              responses: {"2XX": {description: Received.}}
        """
_GOOD = _PLANS % (f"{PAGINATION.name}: " + _PAGINATION % ("/data", "false"))

RULES = (
    LintRule(
        "contract-key",
        Category.CONTRACT,
        "A declaration that no tool knows, or that no tool looks for in its place, makes a promise "
        "that is not kept.",
        _PLANS % (f"{PREFIX}paginaton: " + _PAGINATION % ("/data", "false")),
        _GOOD,
        Level.ERROR,
        Level.ERROR,
        contract_key,
    ),
    LintRule(
        "contract-shape",
        Category.CONTRACT,
        "Declarations are read by programs; their shape is fixed by a schema.",
        _PLANS % (f"{PAGINATION.name}: " + _PAGINATION % ("/data", "sometimes")),
        _GOOD,
        Level.ERROR,
        Level.ERROR,
        contract_shape,
    ),
    LintRule(
        "contract-reference",
        Category.CONTRACT,
        "The parts that a declaration names (fields, parameters, headers, statuses, error codes, "
        "operations) must be in the document.",
        _PLANS % (f"{PAGINATION.name}: " + _PAGINATION % ("/items", "false")),
        _GOOD,
        Level.ERROR,
        Level.ERROR,
        contract_reference,
    ),
    LintRule(
        "contract-condition",
        Category.CONTRACT,
        "A tool that detects a condition answers with the code that declares it; two codes for "
        "one condition leave that to chance.",
        _ERRORS % (ERROR.name, ", condition: invalid_json"),
        _ERRORS % (ERROR.name, ""),
        Level.ERROR,
        Level.ERROR,
        contract_condition,
    ),
    LintRule(
        "contract-webhook",
        Category.CONTRACT,
        "Signature and delivery are declared on each webhook: no tool looks at another webhook "
        "to understand this one.",
        _WEBHOOKS % (DELIVERY.name, "description: The order failed."),
        _WEBHOOKS % (DELIVERY.name, f"{DELIVERY.name}: {{success: 2XX}}"),
        Level.WARNING,
        Level.ERROR,
        contract_webhook,
    ),
)
