"""Error bodies in the declared schemas of documents without `x-contract-error`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..shared.codec import Codecs
from ..shared.media.table import medium_of
from ..shared.operation import Content, Operation

_LOCATIONS = frozenset({"cookie", "header", "path", "query", "querystring"})


class ErrorContent(NamedTuple):
    """The content of an error; `details` has the individual errors, if there are several."""

    code: str
    message: str
    details: Sequence[Mapping[str, object]]


def status_of(operation: Operation[Any] | None, status: int) -> int:
    """Return the status of an error: 422 in place of 400 if only 422 is declared."""
    if operation is None or status != 400 or operation.contents_of(400) is not None:
        return status
    return 422 if operation.contents_of(422) is not None else status


def declared_body(
    operation: Operation[Any], codecs: Codecs, status: int, error: ErrorContent
) -> tuple[str, bytes] | None:
    """Return the media type and the body of an error, as declared for its status.

    None if no body in JSON or XML is declared, or if it matches no common shape of errors.
    """
    for content in operation.contents_of(status) or ():
        medium = medium_of(content.media_type)
        if not (medium.is_json or content.xml) or content.model is None:
            continue
        codec = codecs[content.model]
        for shape in _shapes(error):
            body = json.dumps(shape, separators=(",", ":")).encode()
            try:
                value = codec.decode(body)
            except ValidationError:
                continue
            # An open schema accepts every shape, but only one with declared fields is meant.
            if codec.names >= shape.keys():
                return (
                    (content.media_type, body)
                    if content.xml is None
                    else _xml(content, value, codecs)
                )
    return None


def _xml(content: Content, value: object, codecs: Codecs) -> tuple[str, bytes] | None:
    """Return an error in XML; None if a message has characters that XML lacks."""
    try:
        converter = codecs.server(content.model)
        media_type, body = medium_of(content.media_type).encode(content, value, converter)
    except ValueError:
        return None
    return (media_type, body) if isinstance(body, bytes) else None


def _shapes(error: ErrorContent) -> Sequence[Mapping[str, object]]:
    faults = error.details or [{"param": None, "code": error.code, "message": error.message}]
    return (
        {"detail": [_fault(fault) for fault in faults]},
        {"code": error.code, "message": error.message},
        {"error": {"code": error.code, "message": error.message}},
        {"error": {"message": error.message}},
        {"message": error.message},
        {"detail": error.message},
        {"error": error.message},
        {"title": error.message},
        {"errors": [error.message]},
    )


def _fault(detail: Mapping[str, object]) -> Mapping[str, object]:
    """Return an error in the format of FastAPI."""
    place = [name for name in str(detail.get("param") or "").split(".") if name]
    is_parameter = bool(place) and place[0] in _LOCATIONS
    return {
        "loc": place if is_parameter else ["body", *place],
        "msg": detail.get("message"),
        "type": detail.get("code"),
    }
