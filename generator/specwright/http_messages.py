"""HTTP messages as results and reports hold them: text, with Base64 for other bytes."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from specwright.json_values import JsonObject, JsonValue, declared_sequence, sequence

Headers = tuple[tuple[str, str], ...]

# The most bytes of a body in a report.
BODY_LIMIT = 64 * 1024


@dataclass(frozen=True, slots=True)
class MessageContent:
    """The headers and the body of a message.

    Attributes:
        body: the text, or Base64 if `is_base64`; None without a body.
        is_base64: whether the body is not UTF-8.
        full_length: the number of bytes of the whole body, if this is only its beginning.
    """

    headers: Headers = field(repr=False)
    body: str | None = field(default=None, repr=False)
    is_base64: bool = False
    full_length: int | None = None

    @classmethod
    def of(cls, headers: Headers, body: bytes | None, limit: int | None = None) -> MessageContent:
        """Return the content of a message; a body of more than `limit` bytes is truncated."""
        if body is None:
            return cls(headers)
        kept = body[:limit]
        full_length = None if kept == body else len(body)
        try:
            return cls(headers, kept.decode(), False, full_length)
        except UnicodeDecodeError:
            return cls(headers, b64encode(kept).decode(), True, full_length)

    @classmethod
    def from_json(cls, value: Mapping[str, JsonValue]) -> MessageContent:
        """Return the content that `as_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: it is not in that form.
        """
        pairs = map(sequence, declared_sequence(value["headers"]))
        headers = tuple((str(name), str(text)) for name, text in pairs)
        if "body_base64" in value:
            return cls(headers, str(value["body_base64"]), is_base64=True)
        return cls(headers, str(value["body"]) if "body" in value else None)

    def as_json(self) -> JsonObject:
        """Return headers and body as members of an object."""
        written: JsonObject = {"headers": [list(header) for header in self.headers]}
        return written | self.body_as_json()

    def body_as_json(self) -> JsonObject:
        """Return the body as members of an object; none without a body."""
        if self.body is None:
            return {}
        written: JsonObject = {"body_base64" if self.is_base64 else "body": self.body}
        return written if self.full_length is None else {**written, "bytes": self.full_length}

    @property
    def data(self) -> bytes | None:
        """The bytes of the body, or of the kept part of it."""
        if self.body is None:
            return None
        return b64decode(self.body) if self.is_base64 else self.body.encode()

    def with_texts(self, change: Callable[[str], str]) -> MessageContent:
        """Return the content with each text replaced by the result of a function."""
        return replace(
            self,
            headers=tuple((change(name), change(value)) for name, value in self.headers),
            body=None if self.body is None else change(self.body),
        )


@dataclass(frozen=True, slots=True)
class RequestMessage:
    """A request that was sent."""

    method: str
    url: str
    content: MessageContent

    def as_json(self) -> JsonObject:
        """Return the request as an object."""
        return {"method": self.method, "url": self.url, **self.content.as_json()}

    def with_texts(self, change: Callable[[str], str]) -> RequestMessage:
        """Return the request with each text replaced by the result of a function."""
        content = self.content.with_texts(change)
        return RequestMessage(change(self.method), change(self.url), content)


@dataclass(frozen=True, slots=True)
class ResponseMessage:
    """A response that was received."""

    status: int
    content: MessageContent

    def as_json(self) -> JsonObject:
        """Return the response as an object."""
        return {"status": self.status, **self.content.as_json()}

    def with_texts(self, change: Callable[[str], str]) -> ResponseMessage:
        """Return the response with each text replaced by the result of a function."""
        return replace(self, content=self.content.with_texts(change))
