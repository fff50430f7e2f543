"""Errors in the bodies that a document declares for them, where it names no shape of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..shared.codec import Codecs
from ..shared.media.table import medium_of
from ..shared.operation import Operation

_LOCATIONS = frozenset({"cookie", "header", "path", "query"})


class Said(NamedTuple):
    """What an error says; `details` are its faults, if it has several."""

    code: str
    message: str
    details: Sequence[Mapping[str, object]]


def status_of(operation: Operation[Any] | None, status: int) -> int:
    """Return the status of a request that is not valid: 422 where that is declared, and 400 not."""
    if operation is None or status != 400 or operation.contents_of(400) is not None:
        return status
    return 422 if operation.contents_of(422) is not None else status


def declared_body(
    operation: Operation[Any], codecs: Codecs, status: int, said: Said
) -> tuple[str, bytes] | None:
    """Return the media type and the body that a status is declared to have.

    None where no JSON is declared, or none of the usual shapes of errors fits it.
    """
    for content in operation.contents_of(status) or ():
        if medium_of(content.media_type).name != "json" or content.model is None:
            continue
        codec = codecs[content.model]
        for shape in _shapes(said):
            body = json.dumps(shape, separators=(",", ":")).encode()
            try:
                codec.decode(body)
            except ValidationError:
                continue
            # An open schema takes every shape, and means those that it names.
            if codec.names >= shape.keys():
                return content.media_type, body
    return None


def _shapes(said: Said) -> Sequence[Mapping[str, object]]:
    faults = said.details or [{"param": None, "code": said.code, "message": said.message}]
    return (
        {"detail": [_fault(each) for each in faults]},
        {"code": said.code, "message": said.message},
        {"error": {"code": said.code, "message": said.message}},
        {"error": {"message": said.message}},
        {"message": said.message},
        {"detail": said.message},
        {"error": said.message},
        {"title": said.message},
        {"errors": [said.message]},
    )


def _fault(detail: Mapping[str, object]) -> Mapping[str, object]:
    """A fault as FastAPI writes it."""
    place = [each for each in str(detail.get("param") or "").split(".") if each]
    is_parameter = bool(place) and place[0] in _LOCATIONS
    return {
        "loc": place if is_parameter else ["body", *place],
        "msg": detail.get("message"),
        "type": detail.get("code"),
    }
