"""Who may call: requirements that were met before and are no longer enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specwright.compare.document.pairing import paired
from specwright.compare.verdicts.change import Change, became, shown
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.model import Document
from specwright.document.security import schemes
from specwright.document.sites import OperationSite
from specwright.pointer import join

# Scheme -> scopes; all of them together let a caller in.
Requirement = dict[str, frozenset[str]]
# What a client has to know of a scheme to use it.
_SENT = ("type", "in", "name", "scheme", "openIdConnectUrl")


def security_changes(
    documents: tuple[Document, Document], base: OperationSite, revision: OperationSite
) -> Iterator[Change]:
    """A change if some callers of an operation are no longer let in."""
    before, after = (
        _requirements(document, operation)
        for document, operation in zip(documents, (base, revision), strict=True)
    )
    shut = [old for old in before if not any(_is_met(new, old) for new in after)]
    if shut:
        message = f"security {became(_words(shut), _words(after))}"
        yield Change(
            ChangeRule.SECURITY_TIGHTENED, base / "security", revision / "security", message
        )
    elif before != after:
        yield Change(
            ChangeRule.RELAXED, base / "security", revision / "security", "security is wider"
        )


def scheme_changes(base: Document, revision: Document) -> Iterator[Change]:
    """Schemes whose credential is sent in another way."""
    at = join("components", "securitySchemes")
    for name, old, new in paired(dict(schemes(base)), dict(schemes(revision))):
        if old is None or new is None:
            # A requirement names it, or nobody misses it.
            continue
        for field in _SENT:
            values = [_folded(field, each.value.get(field)) for each in (old, new)]
            if values[0] != values[1]:
                message = f"security scheme '{name}': {field} {became(*values)}"
                place = at + join(name, field)
                yield Change(ChangeRule.SECURITY_SCHEME_CHANGED, place, place, message)


def _folded(field: str, value: Any) -> Any:
    return value.lower() if field == "scheme" and isinstance(value, str) else value


def _requirements(document: Document, operation: OperationSite) -> list[Requirement]:
    declared = operation.value.get("security", document.data.get("security"))
    found = [
        {str(name): frozenset(map(str, scopes or ())) for name, scopes in each.items()}
        for each in declared or ()
        if isinstance(each, dict)
    ]
    return found or [{}]


def _is_met(requirement: Requirement, held: Requirement) -> bool:
    """Whether what a caller has is enough."""
    return all(name in held and scopes <= held[name] for name, scopes in requirement.items())


def _words(requirements: list[Requirement]) -> str:
    each = (
        " and ".join(
            f"{name} ({', '.join(sorted(scopes))})" if scopes else name
            for name, scopes in requirement.items()
        )
        for requirement in requirements
    )
    return shown(" or ".join(words or "nobody in particular" for words in each))
