"""The metadata of a distribution, from the members of a document that have it in a valid form."""

from __future__ import annotations

from collections.abc import Iterator

from specwright import distributions
from specwright.ir.model.api import PackageMetadata
from specwright.json_values import JsonObject, mapping
from specwright.text import Text


def metadata(data: JsonObject) -> PackageMetadata:
    """Return the metadata of a package.

    Args:
        data: a document of OpenAPI 3.1.
    """
    info = mapping(data.get("info"))
    contact, license_ = mapping(info.get("contact")), mapping(info.get("license"))
    name, email = str(contact.get("name", "")), str(contact.get("email", ""))
    return PackageMetadata(
        license=distributions.license_expression(str(license_.get("identifier", ""))),
        author=Text(name if distributions.is_author(name) else ""),
        email=Text(email if distributions.is_email(email) else ""),
        urls=tuple(_urls(data, info, contact)),
    )


def _urls(data: JsonObject, info: JsonObject, contact: JsonObject) -> Iterator[tuple[str, Text]]:
    addresses = {
        "Contact": contact.get("url"),
        "Documentation": mapping(data.get("externalDocs")).get("url"),
        "Terms of Service": info.get("termsOfService"),
    }
    for label, address in addresses.items():
        if isinstance(address, str) and distributions.is_url(address):
            yield label, Text(address)
