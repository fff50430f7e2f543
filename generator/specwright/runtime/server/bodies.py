"""Request bodies: received up to a limit, and parsed by their media type."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from ..shared.codec import Codecs
from ..shared.media.multipart import Multipart
from ..shared.media.table import essence, medium_of
from ..shared.media.text import charset
from ..shared.operation import Content, Operation
from ..shared.strict_json import scan
from .context import Context
from .forms import fields_of
from .problems import Fault, Problem, faults

_INDEX = re.compile(r"(?<=\.)\d+(?=\.|$)")


class BodyReader:
    """Parses the request bodies of one operation."""

    def __init__(self, operation: Operation[Any], codecs: Codecs, max_body: int) -> None:
        self._operation = operation
        self._codecs = codecs
        self._max_body = max_body

    async def read(self, context: Context, wrong: list[Fault]) -> object:
        """Return the value of a body; append its errors to `wrong`.

        Raises:
            Problem: the body is too large, has an undeclared media type, or does not match its own.
        """
        data = context.body = await self._receive(context.receive)
        if not data and not self._operation.body_required:
            return None
        sent = context.fields.get(b"content-type", b"").decode("latin-1")
        content = self._content(sent, context.fields)
        medium = medium_of(content.media_type)
        is_json = medium.is_json or content.xml is not None
        converter = self._codecs.server(content.model)
        try:
            if medium.is_json:
                data = scan(data)
            if content.xml is not None:
                data = medium.to_json(content, data, sent)
                return converter.read(data)
            if isinstance(medium, Multipart):
                return medium.build(content, await fields_of(sent, data), converter)
            return medium.decode(content, data, sent, converter)
        except ValidationError as error:
            problems = faults(error, "", _value(data) if is_json else {})
        except ValueError as error:
            name = "JSON" if medium.is_json else content.media_type
            raise Problem("invalid_json", f"The body is not valid {name}: {error}.") from None
        if problems[0].code == "invalid_json":
            raise Problem("invalid_json", problems[0].message)
        wrong += [self._refused(fault) for fault in problems]
        return None

    def _refused(self, fault: Fault) -> Fault:
        code = self._operation.refusals.get(_INDEX.sub("*", fault.param))
        if code is None or fault.code != "invalid_value":
            return fault
        return Fault(code, fault.param, fault.message)

    async def _receive(self, receive: Receive) -> bytes:
        limit = self._max_body
        body = bytearray()
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > limit:
                raise Problem("body_too_large", f"The body has more than {limit} bytes.")
        return bytes(body)

    def _content(self, sent: str, fields: Mapping[bytes, bytes]) -> Content:
        """Return the declared content that matches the headers of a body."""
        name = essence(sent)
        for content in self._operation.body:
            if not _fits(essence(content.media_type), name):
                continue
            has_charset = medium_of(content.media_type).has_charset
            is_utf8 = "charset" not in sent.lower() or charset(sent) == "utf-8"
            is_coded = fields.get(b"content-encoding", b"identity").lower() != b"identity"
            if (has_charset or is_utf8) and not is_coded:
                return content
        names = " or ".join(content.media_type for content in self._operation.body)
        raise Problem("unsupported_media_type", f"The body must be {names}.")


def _value(data: bytes) -> object:
    try:
        return json.loads(data)
    except RecursionError:
        # The errors are about the whole: Pydantic allows fewer levels than Python.
        return None


def _fits(declared: str, name: str) -> bool:
    top, _, rest = declared.partition("/")
    return declared in (name, "*/*") or (rest == "*" and name.startswith(f"{top}/"))
