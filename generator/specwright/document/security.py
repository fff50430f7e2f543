"""The credential that generated clients send and generated servers ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from specwright.document.model import Document
from specwright.document.sites import Site, components, members


@dataclass(frozen=True, slots=True)
class Credential:
    """The header that proves who sends a request, and what stands in it before the key."""

    header: str
    prefix: str

    @classmethod
    def of(cls, document: Document) -> Credential | None:
        """Return what the document asks for; None when it asks for none in a header."""
        found = credential_scheme(document)
        if found is None:
            return None
        if found[1].value.get("type") == "apiKey":
            return cls(str(found[1].value.get("name")), "")
        return cls("Authorization", "Bearer ")


def schemes(document: Document) -> Iterator[tuple[str, Site]]:
    """The security schemes of the document by name, references followed."""
    return members(document, components(document), "securitySchemes")


def credential_scheme(document: Document) -> tuple[str, Site] | None:
    """The first scheme whose credential stands in a header as it was given."""
    return next((each for each in schemes(document) if _is_in_header(each[1])), None)


def _is_in_header(scheme: Site) -> bool:
    match scheme.value.get("type"):
        case "http":
            return str(scheme.value.get("scheme")).lower() == "bearer"
        case "apiKey":
            return scheme.value.get("in") == "header"
        case kind:
            # A token, however it was obtained (RFC 6750).
            return kind in ("oauth2", "openIdConnect")


def demanded_scheme(document: Document, operation: Site) -> Site | None:
    """The scheme that an operation names first; None if it asks nobody for a credential."""
    declared = operation.value.get("security", document.data.get("security"))
    requirements = declared if isinstance(declared, list) else []
    known: dict[str | None, Site] = dict(schemes(document))
    named = [next(iter(each), None) for each in requirements if isinstance(each, dict)]
    return known.get(named[0]) if named and None not in named else None
