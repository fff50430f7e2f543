"""Checks that the parts named by a declaration are in the document."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from specwright.check.context import LintContext
from specwright.check.lint.declared import declared
from specwright.check.schema_at import describes, find
from specwright.document.operations import sites
from specwright.document.operations.sites import OperationSite, Site
from specwright.document.schemas.applicators import Subschema, of_item
from specwright.document.shape import Node
from specwright.errors import InputError
from specwright.json_values import JsonObject, mapping
from specwright.pointer import ROOT
from specwright.text import Text
from specwright.vocabulary.keywords.chosen_from import CHOSEN_FROM
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.pagination import PAGINATION, is_in_body
from specwright.vocabulary.keywords.rate_limit import RATE_LIMITS
from specwright.vocabulary.reference import Reference, Target

Look = Callable[[LintContext, OperationSite, Reference], str | None]


def missing(context: LintContext, node: Node, reference: Reference) -> Iterator[str]:
    """Yield why the reference leads nowhere, once for every operation concerned."""
    look_in_document = _IN_DOCUMENT.get(reference.target)
    if reference.target is Target.RESPONSE_HEADER and reference.status is None:
        look_in_document = _header_somewhere
    if look_in_document is not None:
        reason = look_in_document(context, reference)
        if reason:
            yield reason
        return
    look = _IN_OPERATION[reference.target]
    for operation in _operations(context, node, reference):
        reason = look(context, operation, reference)
        if reason:
            yield reason if node.kind == "operation" else f"{reason} ({operation.id})"


def _operations(context: LintContext, node: Node, reference: Reference) -> list[OperationSite]:
    """Return the operations that a declaration on this object is about."""
    if reference.operation is not None:
        named = context.by_operation_id(reference.operation)
        return [named] if named else []
    if node.kind in ("operation", "parameter"):
        return context.operations_by_part.get(id(node.value), [])
    return context.operations


def _error_codes(context: LintContext) -> JsonObject:
    return mapping(mapping(context.document.data.get(ERROR.name)).get("codes"))


def _schema(context: LintContext, reference: Reference) -> str | None:
    try:
        schema = context.document.resolve(reference.name)
    except InputError:
        schema = None
    return None if isinstance(schema, dict) else "is not a schema of the document"


def _error_body(context: LintContext, reference: Reference) -> str | None:
    declared = mapping(context.document.data.get(ERROR.name)).get("schema")
    if describes(context, Subschema(ROOT, {"$ref": declared}), reference.name):
        return None
    return "is not in the error body"


def _header_somewhere(context: LintContext, reference: Reference) -> str | None:
    wanted = reference.name.lower()
    known = any(
        wanted in map(str.lower, mapping(node.value.get("headers")))
        for node in context.of_kind("response")
    )
    return None if known else "is not a header of any response"


def _error_code(context: LintContext, reference: Reference) -> str | None:
    code = mapping(_error_codes(context).get(reference.name))
    if not code:
        return f"is not a code of {ERROR.name}"
    if reference.status is not None and code.get("status") != reference.status:
        return f"has status {code.get('status')} in {ERROR.name}, not {reference.status}"
    return None


def _rate_limit_class(context: LintContext, reference: Reference) -> str | None:
    declared = mapping(context.document.data.get(RATE_LIMITS.name))
    known = mapping(declared.get("classes"))
    return None if reference.name in known else "is not a class of the document's rate limits"


def _operation(context: LintContext, reference: Reference) -> str | None:
    site = context.by_operation_id(reference.name)
    return None if site is not None else "is not an operationId"


def _choosing_property(context: LintContext, reference: Reference) -> str | None:
    # The object may be composed of several schemas: the property may be in any of them.
    ends = f"/properties{reference.name}"
    choosing = (node for node in context.of_kind("schema") if CHOSEN_FROM.name in node.value)
    known = any(node.pointer.endswith(ends) for node in choosing)
    return None if known else f"is not a property with {CHOSEN_FROM.name}"


def _request_content(context: LintContext, operation: OperationSite) -> Site | None:
    return sites.json_content(context.document, sites.request_body(context.document, operation))


def _has(context: LintContext, body: Site | None, reference: Reference) -> bool:
    return body is not None and describes(context, _schema_of(body), reference.name)


def _schema_of(body: Site) -> Subschema:
    return Subschema(body / "schema", body.value.get("schema"))


def _request_body(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    body = _request_content(context, operation)
    return None if _has(context, body, reference) else "is not in the request body"


def _response_body(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    body = sites.success_content(context.document, operation)
    return None if _has(context, body, reference) else "is not in the response body"


def _item(context: LintContext, operation: OperationSite, reference: Reference) -> str | None:
    body = sites.success_content(context.document, operation)
    if body is None:
        return "needs a response body"
    page = declared(PAGINATION, operation.value)
    lists = find(context, _schema_of(body), page.items.raw if page else ROOT)
    items = (item for list_ in lists for item in of_item(context.document, list_, 0))
    if any(describes(context, item, reference.name) for item in items):
        return None
    return "is not in the items of the list"


def _query_parameter(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    known = ("query", reference.name) in sites.parameters(context.document, operation)
    return None if known else "is not a query parameter of the operation"


def _page_argument(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    look = _request_body if is_in_body(Text(reference.name)) else _query_parameter
    return look(context, operation, reference)


def _header_parameter(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    key = ("header", reference.name.lower())
    known = key in sites.parameters(context.document, operation)
    return None if known else "is not a header parameter of the operation"


def _response_status(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    declared = dict(sites.responses(context.document, operation))
    family = f"{reference.name[:1]}XX"
    if reference.name in declared or family in declared:
        return None
    if reference.name == family and any(status[:1] == family[:1] for status in declared):
        return None
    return "is not a response of the operation"


def _response_header(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    response = dict(sites.responses(context.document, operation)).get(str(reference.status))
    headers = {name.lower() for name in mapping(response and response.value.get("headers"))}
    known = reference.name.lower() in headers
    return None if known else f"is not a header of the response {reference.status}"


def _request_example(
    context: LintContext, operation: OperationSite, reference: Reference
) -> str | None:
    body = _request_content(context, operation)
    examples = mapping(body and body.value.get("examples"))
    return None if reference.name in examples else "is not a request example of the operation"


_IN_DOCUMENT: dict[Target, Callable[[LintContext, Reference], str | None]] = {
    Target.SCHEMA: _schema,
    Target.ERROR_BODY: _error_body,
    Target.ERROR_CODE: _error_code,
    Target.RATE_LIMIT_CLASS: _rate_limit_class,
    Target.OPERATION: _operation,
    Target.CHOOSING_PROPERTY: _choosing_property,
}
_IN_OPERATION: dict[Target, Look] = {
    Target.REQUEST_BODY: _request_body,
    Target.RESPONSE_BODY: _response_body,
    Target.ITEM: _item,
    Target.QUERY_PARAMETER: _query_parameter,
    Target.PAGE_ARGUMENT: _page_argument,
    Target.HEADER_PARAMETER: _header_parameter,
    Target.RESPONSE_STATUS: _response_status,
    Target.RESPONSE_HEADER: _response_header,
    Target.REQUEST_EXAMPLE: _request_example,
}
