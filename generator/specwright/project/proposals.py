"""Settings that follow plainly from a document, for a new project."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from specwright.config import Renames, is_variable
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.pagination import detected
from specwright.document.operations.security import scheme_table
from specwright.document.operations.sites import Direction, OperationSite, Site
from specwright.names import snake
from specwright.pointer import ROOT, Pointer, join
from specwright.vocabulary.keywords.pagination import PAGINATION

# Ends of the paths that people sign in at, and members of requests and responses there.
_LOGIN = frozenset(
    ("login", "signin", "sign-in", "sign_in", "log-in", "token", "auth", "authenticate", "session")
)
_USER = ("username", "user_name", "email", "login", "user", "name", "client_id")
_PASSWORD = ("password", "passwd", "secret", "client_secret")
_TOKEN = ("access_token", "token", "id_token", "auth_token", "jwt", "session_token", "key")
_ENVELOPES = ("data", "result", "session", "auth")
# Springfox gives `listUsersUsingGET` to the method `listUsers`.
_OF_SPRINGFOX = re.compile(r"(\w+)Using(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH)(?:_[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposed settings, by operationId or such as `GET /things`; sign-in by security scheme.

    Attributes:
        pagination: `x-contract-pagination` for lists.
        names: plain names of methods that a framework has also named after their paths.
        sign_in: the operation that signs in, its body, and the place of the token.
    """

    pagination: Mapping[str, Mapping[str, object]]
    names: Mapping[str, str]
    sign_in: Mapping[str, Mapping[str, object]]


def proposals(document: Document) -> Proposals:
    """Return the settings that are certain; all others are left to people."""
    operations = _operations(document)
    return Proposals(
        dict(_pagination(document, operations)),
        dict(_names(operations, Renames())),
        dict(_sign_in(document, operations)),
    )


def plain_names(document: Document, names: Renames) -> dict[str, str]:
    """Return plain names of methods that a framework has also named after their paths.

    Args:
        names: those that a project has, which are kept.
    """
    return dict(_names(_operations(document), names))


def _operations(document: Document) -> dict[str, OperationSite]:
    proposed = [
        operation
        for operation in sites.operations(document)
        if operation.direction is Direction.PATH
    ]
    ids = Counter(site.id for site in proposed)
    return {_key(field, ids): field for field in proposed}


def _key(operation: OperationSite, ids: Mapping[str | None, int]) -> str:
    has_own = operation.id is not None and ids[operation.id] == 1
    return operation.name if has_own else f"{operation.method} {operation.key}"


def _pagination(
    document: Document, operations: Mapping[str, OperationSite]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    for name, operation in operations.items():
        fields = None if PAGINATION.name in operation.value else detected(document, operation)
        if fields is not None:
            yield name, {key: value for key, value in fields.items() if value is not None}


def _names(operations: Mapping[str, OperationSite], names: Renames) -> Iterator[tuple[str, str]]:
    plain = {key: _plain_name(site, names) for key, site in operations.items()}
    # All methods, as those without a better name keep theirs.
    count = Counter(
        snake(plain[key] or _own_name(site, names) or site.name) for key, site in operations.items()
    )
    for key, name in plain.items():
        if name is not None and count[snake(name)] == 1 and is_variable(snake(name)):
            yield key, snake(name)


def _own_name(operation: OperationSite, names: Renames) -> str | None:
    return names.of_operation(operation.id, f"{operation.method} {operation.key}")


def _plain_name(operation: OperationSite, names: Renames) -> str | None:
    """Return the name of the function that a framework derived an operationId from.

    Operations with a name of the project have no other.
    """
    if operation.id is None or _own_name(operation, names) is not None:
        return None
    # As FastAPI builds it: name, path and method.
    suffix = re.sub(r"\W", "_", operation.key) + f"_{operation.method.lower()}"
    if operation.id.endswith(suffix) and operation.id != suffix:
        return operation.id.removesuffix(suffix)
    match = _OF_SPRINGFOX.fullmatch(operation.id)
    return None if match is None else match[1]


def _sign_in(
    document: Document, operations: Mapping[str, OperationSite]
) -> Iterator[tuple[str, Mapping[str, object]]]:
    logins = [
        {"operation": name, **members}
        for name, operation in operations.items()
        if (members := _login(document, operation)) is not None
    ]
    tokens = [
        name
        for name, scheme in scheme_table(document).items()
        # The declarations of OAuth 2.0 need no setting.
        if scheme.prefix and not scheme.has_token_endpoint
    ]
    if len(logins) == len(tokens) == 1:
        yield tokens[0], logins[0]


def _login(document: Document, operation: OperationSite) -> dict[str, object] | None:
    """Return the body of a request that signs in, and the place of the token in its response."""
    end = operation.key.rstrip("/").rpartition("/")[2].lower().removesuffix("s")
    if operation.method != "POST" or end not in _LOGIN:
        return None
    sent = sites.json_content(document, sites.request_body(document, operation))
    answered = sites.success_content(document, operation)
    if sent is None or answered is None:
        return None
    asked = _properties(document, sites.schema(document, sent))
    user, password = (_first(asked, names) for names in (_USER, _PASSWORD))
    token = _token(document, sites.schema(document, answered))
    if user is None or password is None or token is None:
        return None
    return {
        "body": {user: "{user}", password: "{password}"},
        "token": f"$response.body#{token}",
    }


def _token(document: Document, schema: Site) -> Pointer | None:
    properties = _properties(document, schema)
    name = _first(properties, _TOKEN)
    if name is not None:
        return ROOT + join(name)
    for envelope in _ENVELOPES:
        inner = properties.get(envelope)
        below = None if inner is None else _first(_properties(document, inner), _TOKEN)
        if below is not None:
            return ROOT + join(envelope, below)
    return None


def _properties(document: Document, schema: Site) -> dict[str, Site]:
    return dict(sites.members(document, schema, "properties"))


def _first(properties: Mapping[str, Site], names: tuple[str, ...]) -> str | None:
    """Return the property with the most likely of some names in snake case."""
    plain = {snake(name): name for name, each in properties.items() if _is_text(each.value)}
    return next((plain[name] for name in names if name in plain), None)


def _is_text(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("type", "string") == "string")
