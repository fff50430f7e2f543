"""The JSON bodies that operations take and give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from specwright.check.subject import Operation, Subject, mapping
from specwright.pointer import Pointer, join


class Body(NamedTuple):
    """The schema of a body, and the media type object that holds it."""

    schema: dict[str, Any]
    media_type: dict[str, Any]


def is_json(media_type: str) -> bool:
    """Whether bodies of the media type are JSON values."""
    plain = media_type.partition(";")[0].strip().lower()
    return plain in ("application/json", "*/*", "application/*") or plain.endswith(
        ("+json", "/json")
    )


def json_body(subject: Subject, holder: Any) -> Body | None:
    """The JSON body of a request body or response, written here or referred to."""
    content = mapping(subject.follow(holder).get("content"))
    for name, media_type in content.items():
        if is_json(name):
            followed = subject.follow(media_type)
            return Body(mapping(followed.get("schema")), followed)
    return None


def request_body(subject: Subject, operation: Operation) -> Body | None:
    return json_body(subject, operation.value.get("requestBody"))


def responses(operation: Operation) -> dict[str, Any]:
    return mapping(operation.value.get("responses"))


def success_body(subject: Subject, operation: Operation) -> Body | None:
    """The JSON body of the first answer that says that all went well."""
    for status, response in responses(operation).items():
        if status.startswith("2"):
            body = json_body(subject, response)
            if body is not None:
                return body
    return None


def example_values(
    subject: Subject, holder: dict[str, Any], pointer: Pointer
) -> Iterator[tuple[Pointer, Any]]:
    """The example values of a media type, parameter or header, and where each is written."""
    if "example" in holder:
        yield f"{pointer}/example", holder["example"]
    for name, each in mapping(holder.get("examples")).items():
        example = subject.follow(each)
        at = pointer + join("examples", name)
        for field in ("value", "dataValue"):
            if field in example:
                # What a reference leads to is reported where it is used.
                yield (at if "$ref" in mapping(each) else f"{at}/{field}"), example[field]
