"""Security schemes as templates see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from specwright.ir.model.api import SecurityScheme
from specwright.runtime.shared.auth.scheme import Scheme
from specwright.text import Text


def security_schemes(table: Mapping[str, Scheme]) -> tuple[SecurityScheme, ...]:
    """Return the schemes of a document by their names in it."""
    return tuple(_shown(name, scheme) for name, scheme in table.items())


def _shown(name: str, scheme: Scheme) -> SecurityScheme:
    kind = type(scheme)
    members = {field.name: getattr(scheme, field.name) for field in fields(scheme)}
    usual = {field.name: getattr(kind(argument=""), field.name) for field in fields(scheme)}
    return SecurityScheme(
        key=Text(name),
        kind=kind.__name__,
        module=kind.__module__.rpartition(".")[2],
        members={name: _quoted(value) for name, value in members.items() if value != usual[name]},
        argument=scheme.argument,
        value=kind.value,
        received=kind.received or kind.value,
        exports=kind.exports,
        grants=tuple(scheme.grants),
        grant_exports=tuple(scheme.grant_exports),
        has_argument=scheme.is_sent,
    )


def _quoted(value: object) -> object:
    """Return a value with its strings as `Text`, since they come from the document."""
    if isinstance(value, str):
        return Text(value)
    return (
        {name: _quoted(member) for name, member in value.items()}
        if isinstance(value, Mapping)
        else value
    )
