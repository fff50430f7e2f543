"""Security requirements, and changes of them that lock callers out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from specwright.compare.document.pairing import pairs_by_key
from specwright.compare.verdicts.change import Change, became, display
from specwright.compare.verdicts.change_rule import RELAXED, ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import example
from specwright.document.model import Document
from specwright.document.operations.security import schemes
from specwright.document.operations.sites import OperationSite, Site
from specwright.findings import values_of
from specwright.json_values import declared_mapping, declared_sequence, mapping
from specwright.pointer import join

# Scheme -> scopes; a caller needs all of them.
Requirement = dict[str, frozenset[str]]
# The parts of a scheme that a client has to know, by path.
SchemeParts = dict[tuple[str, ...], str]
# The fields that a client has to know to use a scheme.
_KNOWN_FIELDS = ("type", "in", "name", "scheme", "openIdConnectUrl")
_URLS = ("authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl")

_SECURED = """\
components:
  securitySchemes:
    key: {type: http, scheme: %s}
paths:
  /orders:
    get:
      security: [%s]
      responses: {default: {description: Orders.}}
"""
SECURITY_TIGHTENED = ChangeRule(
    "security-tightened",
    ChangeCategory.WIRE,
    "Callers that had access are now rejected: they lack a credential or a scope.",
    example=example(
        _SECURED, ("bearer", "{}"), ("bearer", "{key: []}"), ("bearer", "{key: []}, {}")
    ),
    remedy="List the new requirement beside the old one until all callers meet it.",
)
SECURITY_SCHEME_CHANGED = ChangeRule(
    "security-scheme-changed",
    ChangeCategory.WIRE,
    "Clients send their credential in a way that is no longer accepted.",
    example=example(
        _SECURED,
        ("basic", "{key: []}"),
        ("bearer", "{key: []}"),
        ("basic}\n    token: {type: http, scheme: bearer", "{key: []}, {token: []}"),
    ),
    remedy="Add the new scheme under another name, and list it beside the old one.",
)


@dataclass(slots=True)
class Security:
    """The security schemes of two documents, which may have been renamed.

    Attributes:
        used: the schemes that operations of the base require, by their names in the revision.
    """

    documents: tuple[Document, Document]
    used: set[str] = field(default_factory=set)
    _schemes: tuple[dict[str, Site], dict[str, Site]] = field(init=False)
    _names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        base, revision = self.documents
        self._schemes = dict(schemes(base)), dict(schemes(revision))
        old, new = self._schemes
        added = {str(_case_folded(new[name])): name for name in new if name not in old}
        self._names = {
            name: added[str(_case_folded(old[name]))]
            for name in old
            if name not in new and str(_case_folded(old[name])) in added
        }

    def changes(self, base: OperationSite, revision: OperationSite) -> Iterator[Change]:
        """Yield a change if the security requirements of an operation are tighter or wider."""
        before, after = (
            _requirements(document, operation)
            for document, operation in zip(self.documents, (base, revision), strict=True)
        )
        before = [
            {self._names.get(name, name): scopes for name, scopes in requirement.items()}
            for requirement in before
        ]
        self.used.update(*before)
        # An edit of the requirements of the document is one change of all that have no others.
        has_common = any("security" in document.data for document in self.documents)
        places = (
            join("security") if has_common and "security" not in site.value else site / "security"
            for site in (base, revision)
        )
        at = next(places), next(places)
        values = values_of(*map(_in_order, (before, after)))
        if not all(any(_is_met(new, old) for new in after) for old in before):
            message = f"security {became(_words(before), _words(after))}"
            yield Change(SECURITY_TIGHTENED, *at, message, values)
        elif values[0] != values[1]:
            yield Change(RELAXED, *at, "security was relaxed", values)

    def scheme_changes(self) -> Iterator[Change]:
        """Yield the changes in the way that credentials of used schemes are sent or obtained."""
        for name, old, new in pairs_by_key(*self._schemes):
            if old is None or new is None or name not in self.used:
                # The requirements show added and removed schemes; unused ones do not matter.
                continue
            before, after = _parts(old), _parts(new)
            new_parts = _case_folded(new)
            for path, value in _case_folded(old).items():
                # The members of a removed flow were removed with it.
                is_inside = path[:2] != path and path[:2] not in after
                is_same = new_parts.get(path) == value or after.get(path) == before[path]
                if not (is_same or is_inside):
                    words = became(before[path], after[path]) if path in after else "was removed"
                    message = f"security scheme '{name}': {'/'.join(path)} {words}"
                    at = join("components", "securitySchemes", name, *path)
                    values = values_of(before[path], after.get(path))
                    yield Change(SECURITY_SCHEME_CHANGED, at, at, message, values)


def _parts(scheme: Site) -> SchemeParts:
    """Return the parts of a scheme that a client has to know, by path."""
    values = scheme.value
    parts: SchemeParts = {(name,): str(values[name]) for name in _KNOWN_FIELDS if name in values}
    for name, flow in mapping(values.get("flows")).items():
        if isinstance(flow, dict):
            path = ("flows", str(name))
            parts[path] = ""
            parts |= {(*path, url): str(flow[url]) for url in _URLS if url in flow}
            parts |= {
                (*path, "scopes", str(scope)): "" for scope in declared_mapping(flow.get("scopes"))
            }
    return parts


def _case_folded(scheme: Site) -> SchemeParts:
    """Return the same in lower case where case does not matter (RFC 9110, 5.1 and 11.1)."""
    parts = _parts(scheme)
    insensitive: list[tuple[str, ...]] = [
        ("scheme",),
        *([("name",)] if scheme.value.get("in") == "header" else []),
    ]
    return parts | {path: parts[path].lower() for path in insensitive if path in parts}


def _requirements(document: Document, operation: OperationSite) -> list[Requirement]:
    declared = operation.value.get("security", document.data.get("security"))
    requirements = [
        {
            str(name): frozenset(map(str, declared_sequence(scopes)))
            for name, scopes in requirement.items()
        }
        for requirement in declared_sequence(declared)
        if isinstance(requirement, dict)
    ]
    return requirements or [{}]


def _in_order(requirements: list[Requirement]) -> list[dict[str, list[str]]]:
    """Return requirements in a normal form: neither their order nor that of scopes matters."""
    return sorted(
        (
            {name: sorted(scopes) for name, scopes in requirement.items()}
            for requirement in requirements
        ),
        key=values_of,
    )


def _is_met(requirement: Requirement, credentials: Requirement) -> bool:
    """Return whether the credentials of a caller meet a requirement."""
    return all(
        name in credentials and scopes <= credentials[name] for name, scopes in requirement.items()
    )


def _words(requirements: list[Requirement]) -> str:
    texts = (
        " and ".join(
            f"{name} ({', '.join(sorted(scopes))})" if scopes else name
            for name, scopes in requirement.items()
        )
        for requirement in requirements
    )
    return display(" or ".join(words or "none" for words in texts))
