"""The security schemes of a document, the demands of operations, and the kinds of schemes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from specwright.document.model import Document
from specwright.document.operations import naming
from specwright.document.operations.servers import all_servers
from specwright.document.operations.sites import Direction, Site, components, members, operations
from specwright.json_values import JsonValue, sequence
from specwright.names import snake
from specwright.pointer import Pointer
from specwright.runtime.shared.auth.api_key import ApiKey
from specwright.runtime.shared.auth.basic import Basic
from specwright.runtime.shared.auth.digest import Digest
from specwright.runtime.shared.auth.http_client import ByHTTPClient
from specwright.runtime.shared.auth.oauth2 import OAuth2
from specwright.runtime.shared.auth.scheme import Scheme
from specwright.runtime.shared.auth.token import Token
from specwright.runtime.shared.operation import Security

# The first kind that recognizes a scheme takes it; the last one recognizes every scheme.
KINDS: tuple[type[Scheme], ...] = (Token, Basic, Digest, ApiKey, OAuth2, ByHTTPClient)


@dataclass(frozen=True, slots=True)
class Credential:
    """The credential that authenticates a request.

    Attributes:
        header, prefix: the header of the usual scheme, if it has one: its name, and the text before
            the key.
        schemes: the schemes by their names in the document.
        demands: the security requirements of operations, by their pointers.
    """

    header: str
    prefix: str
    schemes: Mapping[str, Scheme] = field(default_factory=dict)
    demands: Mapping[Pointer, Security] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Add the scheme of the header if it is all that is known."""
        scheme = self.prefix.strip()
        only = Token(argument="", name=self.header, scheme=scheme) if scheme else None
        usual = only or ApiKey(argument="", name=self.header)
        object.__setattr__(self, "schemes", self.schemes or {"": usual})

    @classmethod
    def of(cls, document: Document) -> Credential | None:
        """Return the credential that the document asks for; None if no request can carry it."""
        declared, demands = dict(schemes(document)), Demands(document)
        asked = {
            operation.pointer: demands.of(operation)
            for operation in operations(document)
            if operation.direction is Direction.PATH
        }
        names = dict.fromkeys(
            name
            for alternatives in asked.values()
            for alternative in alternatives
            for name in alternative
        )
        known = {name: _of(declared, "", name) for name in names}
        if not any(scheme.is_sent for scheme in known.values()):
            return None
        usual = (scheme for scheme in known.values() if scheme.prefix is not None)
        first = next((scheme for scheme in usual if scheme.location == "header"), None)
        if first is None:
            return cls("", "", known, asked)
        return cls(first.name, first.prefix or "", known, asked)

    @property
    def is_required(self) -> bool:
        """Whether any operation rejects requests without a credential."""
        return any(demand and all(demand) for demand in self.demands.values())


def schemes(document: Document) -> Iterator[tuple[str, Site]]:
    """Return the security schemes of the document by name, references followed."""
    return members(document, components(document), "securitySchemes")


def scheme_table(document: Document, arguments: Mapping[str, str] = {}) -> Mapping[str, Scheme]:
    """Return the schemes that the document's operations ask for, by their names in it.

    Args:
        arguments: the client's arguments for schemes that the project names.
    """
    declared = dict(schemes(document))
    demands = Demands(document)
    asked = dict.fromkeys(
        name
        for site in operations(document)
        if site.direction is Direction.PATH
        for alternative in demands.of(site)
        for name in alternative
    )
    sent = [scheme for name in asked if (scheme := _of(declared, name, name)).is_sent]
    words = {name: name for name in asked}
    if len(sent) == 1:
        words[sent[0].argument] = _word_alone(sent[0])
    named = _names(document, {name: arguments.get(name, word) for name, word in words.items()})
    return {name: _of(declared, argument, name) for name, argument in named.items()}


def _word_alone(scheme: Scheme) -> str:
    """Return the word for the only credential: that of its kind, or the document's "API key"."""
    is_called_key = "apikey" in snake(scheme.argument).replace("_", "")
    return ApiKey.alone if isinstance(scheme, Token) and is_called_key else scheme.alone


class Demands:
    """The security requirements of the operations of a document.

    If a document has schemes, but neither it nor any operation has requirements, a caller may
    send a credential of any one scheme.
    """

    def __init__(self, document: Document) -> None:
        self._schemes = dict(schemes(document))
        self._usual = document.data.get("security")
        if self._usual is None and not _is_security_declared(document):
            self._usual = (
                [*(dict[str, JsonValue]({name: []}) for name in self._schemes), {}]
                if self._schemes
                else []
            )

    def of(self, operation: Site) -> Security:
        """Return the alternatives that authorize the caller of an operation."""
        return tuple(
            {name: tuple(map(str, sequence(scopes))) for name, scopes in requirement.items()}
            for requirement in sequence(operation.value.get("security", self._usual))
            if isinstance(requirement, dict)
        )

    def scheme(self, operation: Site) -> Site | None:
        """Return the scheme that an operation names first; None if it requires no credential."""
        alternatives = self.of(operation)
        named = next(iter(alternatives[0]), None) if alternatives and all(alternatives) else None
        return self._schemes.get(named or "")


def _of(declared: Mapping[str, Site], argument: str, name: str) -> Scheme:
    return scheme_of(argument, declared[name].value if name in declared else {})


def scheme_of(argument: str, declared: Mapping[str, JsonValue]) -> Scheme:
    """Read a security scheme object; an argument of the client takes its credential."""
    schemes = (kind.of(argument, declared) for kind in KINDS)
    return next(scheme for scheme in schemes if scheme is not None)


def _names(document: Document, words: Mapping[str, str]) -> dict[str, str]:
    """Return the client's arguments for schemes, from the words for them."""
    variables = {
        variable.argument
        for server in all_servers(document)
        for variable in server.variables.values()
    }
    names = {name: naming.credential_name(word, variables) for name, word in words.items()}
    counts = Counter(names.values())
    return {
        name: named if counts[named] == 1 else naming.with_digest(named, name)
        for name, named in names.items()
    }


def _is_security_declared(document: Document) -> bool:
    return "security" in document.data or any(
        "security" in site.value for site in operations(document)
    )
