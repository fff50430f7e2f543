"""Parameters as parts of a query or of the `Cookie` header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from pydantic import JsonValue

from ...shared.operation import Parameter
from ...shared.styles import is_undefined, pairs


def parts(parameter: Parameter, value: JsonValue) -> list[str]:
    """Return the `name=text` parts of a parameter."""
    return [f"{name}={text}" for name, text in pairs(parameter, value)]


def with_parts(query: Sequence[str], more: Mapping[str, JsonValue]) -> list[str]:
    """Return a query with added parameters, which replace those of the same name."""
    names = {quote(name, safe="") for name in more}
    kept = [part for part in query if part.partition("=")[0] not in names]
    values = {name: value for name, value in more.items() if not is_undefined(value)}
    added = (parts(Parameter(name, name, "query"), value) for name, value in values.items())
    return [*kept, *(part for group in added for part in group)]
