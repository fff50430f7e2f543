"""The parameters of a request that its sender writes."""

from __future__ import annotations

from specwright.document.model import Document
from specwright.document.operations.headers import OF_HTTP, OF_MEDIA_TYPES, is_header_name
from specwright.document.operations.security import Demands
from specwright.document.operations.sites import OperationSite, Site, parameters


def sent_parameters(
    document: Document, operation: OperationSite, demands: Demands
) -> dict[tuple[str, str], Site]:
    """Return the parameters of an operation that can be sent, by place and name.

    Left out are headers that another part of the document or HTTP itself describes (OpenAPI 3.1.1,
    4.8.12.1), and those with names that no header can have (RFC 9110, 5.1). If the document does
    not declare any security, as is common in documents that frameworks write from code, the
    parameter `Authorization` is all that is known about the credential.
    """
    of_security = {"authorization"} if demands.of(operation) else set()
    others = OF_MEDIA_TYPES | OF_HTTP | of_security
    return {
        (place, name): parameter
        for (place, name), parameter in parameters(document, operation).items()
        if place != "header" or (name not in others and is_header_name(name))
    }
