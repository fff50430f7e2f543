"""One operation of a server: parsed arguments, the call of its handler, the response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_json
from starlette.types import Scope

from ..shared.codec import Codecs, shortened
from ..shared.operation import Operation, Parameter
from ..shared.styles import NotUnicodeError, RepeatedError
from .bodies import BodyReader
from .context import Context
from .parameters import Reader, Sent, is_unsafe
from .problems import ErrorWriter, Fault, Problem, ServerResponse, faults
from .responses import ResponseWriter


@dataclass(frozen=True, slots=True)
class Conduct:
    """The settings shared by all operations of a server."""

    codecs: Codecs
    errors: ErrorWriter
    max_body: int
    check_responses: bool
    refuse_unknown_query: bool
    refuse_unsafe_paths: bool
    # Names of query parameters that are credentials.
    query_keys: frozenset[str] = frozenset()


class Endpoint:
    """An operation with its handler; everything independent of requests is prepared once."""

    def __init__(
        self, operation: Operation[Any], handler: Callable[..., Awaitable[object]], conduct: Conduct
    ) -> None:
        self.operation = operation
        self._handler = handler
        self._conduct = conduct
        readers = [_reader(conduct.codecs, parameter) for parameter in operation.parameters]
        self._readers = [
            (
                replace(reader, others=tuple(_others(reader, readers))),
                None if reader.parameter.model is None else conduct.codecs[reader.parameter.model],
            )
            for reader in readers
        ]
        self._body = BodyReader(operation, conduct.codecs, conduct.max_body)
        self._responses = ResponseWriter(operation, conduct.codecs, conduct.check_responses)

    async def __call__(self, context: Context, path: Mapping[str, str]) -> ServerResponse:
        """Return the response to a request for this operation."""
        arguments, wrong = self._read_parameters(context.scope, path)
        if self.operation.body:
            arguments["body"] = await self._body.read(context, wrong)
        if wrong:
            raise self._conduct.errors.invalid(wrong)
        for names, code in self.operation.one_of:
            if all(arguments.get(name) is None for name in names):
                raise Problem(code, f"At least one of {', '.join(names)} is required.")
        accept = context.fields.get(b"accept", b"").decode("latin-1")
        return self._responses.write(await self._handler(**arguments, context=context), accept)

    def _read_parameters(
        self, scope: Scope, path: Mapping[str, str]
    ) -> tuple[dict[str, Any], list[Fault]]:
        arguments: dict[str, Any] = {}
        wrong: list[Fault] = []
        if not self._readers and not self._conduct.refuse_unknown_query:
            return arguments, wrong
        sent = Sent(scope, path, self._conduct.query_keys)
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
                else:
                    arguments[parameter.name] = codec.decode(to_json(value)) if codec else value
            except RepeatedError:
                wrong.append(Fault("invalid_value", place, "The parameter is repeated"))
            except NotUnicodeError:
                wrong.append(Fault("invalid_value", place, "The parameter is not UTF-8"))
            except ValidationError as error:
                wrong += faults(error, place, value)
            except ValueError as error:
                wrong.append(Fault("invalid_value", place, f"The parameter is not JSON: {error}"))
        has_whole = any(reader.parameter.content is not None for reader, _ in self._readers)
        if self._conduct.refuse_unsafe_paths:
            wrong += [
                Fault("invalid_value", f"path.{name}", "The parameter is not safe in a file name")
                for name in (
                    reader.parameter.wire
                    for reader, _ in self._readers
                    if reader.parameter.location == "path"
                )
                if is_unsafe(path[name])
            ]
        if self._conduct.refuse_unknown_query and not has_whole:
            wrong += [
                Fault("unknown_field", f"query.{shortened(name)}", "The parameter is unknown")
                for name in dict(sent.query)
                if name not in self._conduct.query_keys
                and not any(
                    reader.parameter.location == "query" and reader.claims(name)
                    for reader, _ in self._readers
                )
            ]
        return arguments, wrong


def _reader(codecs: Codecs, parameter: Parameter) -> Reader:
    model = codecs.model(parameter.model) if parameter.model else None
    fields = getattr(model, "model_fields", {})
    return Reader(parameter, frozenset(field.alias or name for name, field in fields.items()))


def _others(reader: Reader, readers: Iterable[Reader]) -> Iterator[Reader]:
    for other in readers:
        if other is not reader and other.parameter.location == reader.parameter.location:
            yield other
