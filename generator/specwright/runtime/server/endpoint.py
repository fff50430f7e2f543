"""One operation of a server: reads its arguments, calls its handler, writes what that returns."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope

from ..shared.codec import Codec, Codecs, problems_of
from ..shared.operation import Operation
from ..shared.strict_json import scan
from .context import Context
from .parameters import Reader, RepeatedError, Sent
from .problems import Answer, ErrorWriter, Fault, Problem, Unimplemented, faults

T = TypeVar("T")

_NO_HEADERS: Mapping[str, str] = {}
_JSON: Mapping[str, str] = {"content-type": "application/json"}
_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)")
_INDEX = re.compile(r"(?<=\.)\d+(?=\.|$)")


class BrokenContractError(Exception):
    """A handler's answer is none that the contract declares."""


# Without slots: Python 3.11 cannot make `Reply[Order](order)` of a frozen class that has them.
@dataclass(frozen=True)
class Reply(Generic[T]):
    """A handler's answer with a status other than the first declared success, or with headers.

    `value` may be the bytes of an earlier answer, which are sent as they are.
    """

    value: T | bytes
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Conduct:
    """How all operations of a server behave."""

    models: ModuleType
    codecs: Codecs
    errors: ErrorWriter
    max_body: int
    check_responses: bool
    refuse_unknown_query: bool
    # Names of query parameters that are credentials.
    query_keys: frozenset[str] = frozenset()

    def codec(self, model: str | None) -> Codec | None:
        """Return the codec of a model; None where the contract has no JSON."""
        return None if model is None or model == "bytes" else self.codecs[model]


class Endpoint:
    """An operation with its handler; what can be known before a request is looked up once."""

    def __init__(
        self, operation: Operation[Any], handler: Callable[..., Awaitable[object]], conduct: Conduct
    ) -> None:
        self.operation = operation
        self._handler = handler
        self._conduct = conduct
        self._readers = [
            (Reader(each, _properties(conduct.models, each.model)), conduct.codec(each.model))
            for each in operation.parameters
        ]
        self._body = conduct.codec(operation.body)
        self._media_type = (operation.body_type or "").partition(";")[0].strip().lower()
        success = next((each for each in operation.responses if each.startswith("2")), "200")
        self._status = int(success.replace("XX", "00"))
        self._codecs: dict[int, Codec | None] = {}

    async def __call__(self, context: Context, path: Mapping[str, str]) -> Answer:
        """Answer a request for this operation."""
        arguments, wrong = self._read_parameters(context.scope, path)
        if self.operation.body_type is not None:
            arguments["body"] = await self._read_body(context, wrong)
        if wrong:
            raise self._conduct.errors.invalid(wrong)
        for names, code in self.operation.one_of:
            if all(arguments.get(name) is None for name in names):
                raise Problem(code, f"At least one of {', '.join(names)} is required.")
        return await self._call(context, arguments)

    async def _call(self, context: Context, arguments: dict[str, Any]) -> Answer:
        try:
            return self._write(await self._handler(**arguments, context=context))
        except Unimplemented:
            raise
        except Problem as problem:
            _, meaning = self._conduct.errors.meaning(problem)
            if self._conduct.check_responses and not self.operation.model_for(meaning.status)[0]:
                raise BrokenContractError(
                    f"the status {meaning.status} is not declared"
                ) from problem
            raise

    def _read_parameters(
        self, scope: Scope, path: Mapping[str, str]
    ) -> tuple[dict[str, Any], list[Fault]]:
        arguments: dict[str, Any] = {}
        wrong: list[Fault] = []
        if not self._readers and not self._conduct.refuse_unknown_query:
            return arguments, wrong
        sent = Sent(scope, path)
        for reader, codec in self._readers:
            parameter = reader.parameter
            place = f"{parameter.location}.{parameter.wire}"
            arguments[parameter.name] = parameter.default
            value: Any = None
            try:
                value = reader.read(sent)
                if value is None:
                    if parameter.required:
                        wrong.append(Fault("missing_field", place, "The parameter is required"))
                elif parameter.kind == "object" and codec:
                    arguments[parameter.name] = codec.validator.validate_strings(value)
                else:
                    arguments[parameter.name] = codec.decode(to_json(value)) if codec else value
            except RepeatedError:
                wrong.append(Fault("invalid_value", place, "The parameter is given twice"))
            except ValidationError as error:
                wrong += faults(error, place, value)
        if self._conduct.refuse_unknown_query:
            wrong += [
                Fault("unknown_field", f"query.{name}", "The parameter is unknown")
                for name in sent.query
                if name not in self._conduct.query_keys
                and not any(
                    reader.parameter.location == "query" and reader.claims(name)
                    for reader, _ in self._readers
                )
            ]
        return arguments, wrong

    async def _read_body(self, context: Context, wrong: list[Fault]) -> object:
        data = context.body = await self._receive(context.receive)
        if not data and not self.operation.body_required:
            return None
        self._check_media_type(context.fields)
        if self._body is None:
            return data
        try:
            data = scan(data)
        except ValueError as error:
            raise Problem("invalid_json", f"The body is not valid JSON: {error}.") from None
        try:
            return self._body.decode(data)
        except ValidationError as error:
            found = faults(error, "", json.loads(data))
        if found[0].code == "invalid_json":
            raise Problem("invalid_json", found[0].message)
        wrong += [self._refused(fault) for fault in found]
        return None

    def _refused(self, fault: Fault) -> Fault:
        code = self.operation.refusals.get(_INDEX.sub("*", fault.param))
        if code is None or fault.code != "invalid_value":
            return fault
        return Fault(code, fault.param, fault.message)

    async def _receive(self, receive: Receive) -> bytes:
        limit = self._conduct.max_body
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

    def _check_media_type(self, fields: Mapping[bytes, bytes]) -> None:
        sent = fields.get(b"content-type", b"").decode("latin-1").lower()
        is_coded = fields.get(b"content-encoding", b"identity").lower() != b"identity"
        if sent == self._media_type and not is_coded:
            return
        essence, _, rest = sent.partition(";")
        charset = _CHARSET.search(rest)
        is_other_text = self._body and charset and charset[1] not in ("utf-8", "utf8")
        if essence.strip() != self._media_type or is_other_text or is_coded:
            raise Problem("unsupported_media_type", f"The body must be {self._media_type}.")

    def _write(self, result: object) -> Answer:
        status, value, headers = self._status, result, _NO_HEADERS
        if isinstance(result, Reply):
            reply = cast("Reply[object]", result)
            status, value, headers = reply.status or status, reply.value, reply.headers
        codec = self._codecs[status] if status in self._codecs else self._codec_for(status)
        if codec is None:
            if value is not None and not isinstance(value, bytes):
                raise BrokenContractError(f"an answer with the status {status} has no JSON body")
            return Answer(status, value or b"", headers)
        try:
            body = value if isinstance(value, bytes) else codec.dump(value)
            if self._conduct.check_responses:
                codec.decode(body)
            return Answer(status, body, {**_JSON, **headers} if headers else _JSON)
        except PydanticSerializationError:
            wrong = f"a {type(value).__name__} is not, or does not have, the values it should"
        except ValidationError as error:
            wrong = problems_of("body", error)
        # Not within the block: Pydantic's error has the values, and this one is logged.
        raise BrokenContractError(f"the body of {status} breaks its schema: {wrong}")

    def _codec_for(self, status: int) -> Codec | None:
        is_declared, model = self.operation.model_for(status)
        if not is_declared:
            raise BrokenContractError(f"the status {status} is not declared")
        codec = self._codecs[status] = self._conduct.codec(model)
        return codec


def _properties(models: ModuleType, model: str | None) -> frozenset[str]:
    fields = getattr(getattr(models, model or "", None), "model_fields", {})
    return frozenset(each.alias or name for name, each in fields.items())
