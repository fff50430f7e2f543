"""Servers as templates see them, and the client's arguments for their variables."""

from __future__ import annotations

from collections.abc import Sequence

from specwright.ir.model import api, operations
from specwright.runtime.shared.servers import Server, ServerVariable
from specwright.text import Text


def shown_server(server: Server) -> operations.ServerDefinition:
    """Return a server with its strings as `Text`."""
    return operations.ServerDefinition(
        Text(server.url),
        {Text(name): _shown(variable) for name, variable in server.variables.items()},
    )


def server_arguments(servers: Sequence[Server]) -> tuple[api.ServerArgument, ...]:
    """Return the client's arguments for the variables of servers."""
    by_argument: dict[str, list[ServerVariable]] = {}
    for server in servers:
        for variable in server.variables.values():
            by_argument.setdefault(variable.argument, []).append(variable)
    return tuple(_argument(name, variables) for name, variables in by_argument.items())


def _argument(name: str, variables: Sequence[ServerVariable]) -> api.ServerArgument:
    is_closed = all(variable.values for variable in variables)
    values = dict.fromkeys(value for variable in variables for value in variable.values)
    defaults = {variable.default for variable in variables}
    default = defaults.pop() if len(defaults) == 1 else None
    return api.ServerArgument(
        name,
        tuple(map(Text, values)) if is_closed else (),
        None if default is None else Text(default),
    )


def _shown(variable: ServerVariable) -> operations.ServerVariableDefinition:
    return operations.ServerVariableDefinition(
        variable.argument,
        None if variable.default is None else Text(variable.default),
        tuple(map(Text, variable.values)),
    )
