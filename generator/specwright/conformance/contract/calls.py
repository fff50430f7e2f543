"""Calls of operations: their arguments, and their serialization as requests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from specwright.conformance.contract.contract import ContractOperation
from specwright.json_values import JsonValue, mapping
from specwright.pointer import Pointer, resolve, split
from specwright.runtime.client.wire.query import parts
from specwright.runtime.shared import querystring
from specwright.runtime.shared.styles import text

Key = tuple[str, str]


class Absent:
    """The type of a missing body, which is not the same as null."""


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True)
class OperationCall:
    """An operation with arguments by place and name, and a JSON body.

    Attributes:
        conditions: headers such as If-Match, in place of parameters with their names.
    """

    operation: ContractOperation
    arguments: Mapping[Key, JsonValue] = field(default_factory=dict)
    body: JsonValue | Absent = ABSENT
    conditions: tuple[tuple[str, str], ...] = ()

    def with_argument(self, key: Key, value: JsonValue) -> OperationCall:
        """Return the same call with another argument."""
        return replace(self, arguments={**self.arguments, key: value})

    def with_member(self, pointer: Pointer, value: JsonValue) -> OperationCall:
        """Return the same call with another value at a pointer of its body."""
        return replace(self, body=_with(self.body, split(pointer), value))

    def without_member(self, pointer: Pointer, name: str) -> OperationCall:
        """Return the same call without a member of an object in its body."""
        holder = {} if isinstance(self.body, Absent) else mapping(resolve(self.body, pointer))
        return self.with_member(
            pointer, {key: value for key, value in holder.items() if key != name}
        )

    @property
    def path(self) -> str:
        """The path below the base URL, with its query."""
        path, query = self.operation.site.key, []
        for slot in self.operation.slots:
            value = self.arguments.get(slot.key)
            if value is None:
                continue
            if slot.written.location == "path":
                path = path.replace(f"{{{slot.written.wire}}}", text(slot.written, value))
            elif slot.written.content is not None:
                query += querystring.parts(slot.written.content, value)
            elif slot.written.location == "query":
                query += parts(slot.written, value)
        return f"{path}?{'&'.join(query)}" if query else path

    @property
    def headers(self) -> list[tuple[str, str]]:
        """The headers for the arguments and for the media type of the body."""
        headers = [("Accept", "application/json, */*;q=0.5")]
        cookies = []
        replaced = {name.lower() for name, _ in self.conditions}
        for slot in self.operation.slots:
            value = self.arguments.get(slot.key)
            if value is None:
                continue
            if slot.written.location == "header" and slot.written.wire.lower() in replaced:
                continue
            if slot.written.location == "header":
                headers.append((slot.written.wire, text(slot.written, value)))
            elif slot.written.location == "cookie":
                cookies += parts(slot.written, value)
        if cookies:
            headers.append(("Cookie", "; ".join(cookies)))
        headers += self.conditions
        if not isinstance(self.body, Absent):
            headers += [("Content-Type", kind) for kind in self._written[:1]]
        return headers

    @property
    def content(self) -> bytes | None:
        """The bytes of the body."""
        return None if isinstance(self.body, Absent) else self._written[1]

    @property
    def _written(self) -> tuple[str, bytes]:
        """The media type and the bytes of the body."""
        if self.operation.write is not None and not isinstance(self.body, Absent):
            return self.operation.write(self.body)
        text = json.dumps(self.body, ensure_ascii=False, separators=(",", ":"))
        media_type = self.operation.body[0] if self.operation.body else "application/json"
        return media_type, text.encode()


def _with(value: object, tokens: tuple[str, ...], new: JsonValue) -> JsonValue:
    """Return a value with another part at a place, in an object where it has no such place."""
    if not tokens:
        return new
    if isinstance(value, list) and tokens[0] in map(str, range(len(value))):
        index = int(tokens[0])
        return [*value[:index], _with(value[index], tokens[1:], new), *value[index + 1 :]]
    members = dict(value) if isinstance(value, dict) else {}
    members[tokens[0]] = _with(members.get(tokens[0]), tokens[1:], new)
    return members
