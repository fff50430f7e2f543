"""Schemas of published documents have values that are valid in their direction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema_rs
import pytest

from specwright.check.sound import sound
from specwright.document.model import Document
from specwright.document.operations import sites
from specwright.document.operations.sites import OperationSite, of_request, of_response
from specwright.document.schemas.polarity import Polarity
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.pointer import Pointer
from specwright.samples.sent import of_direction
from specwright.samples.witnesses import Witnesses

# The number of schemas that no value can satisfy.
DOCUMENTS = {
    "adyen-capital.json": 0,
    "cafe.yaml": 0,
    "cohere.yaml": 0,
    "ollama.yaml": 0,
    "readme-petstore-3.1.yaml": 0,
    # Two bodies that are a text and an integer.
    "readme-schema-types-3.1.json": 2,
    "telegram-bot.json": 0,
    "train-travel.yaml": 0,
}


def schemas(document: Document, operation: OperationSite) -> Iterator[tuple[Polarity, Pointer]]:
    sent, received = of_request(operation.direction), of_response(operation.direction)
    for parameter in sites.parameters(document, operation).values():
        yield sent, parameter / "schema"
    body = sites.request_body(document, operation)
    for _, content in sites.contents(document, body) if body else ():
        yield sent, content / "schema"
    for _, response in sites.responses(document, operation):
        for _, content in sites.contents(document, response):
            yield received, content / "schema"
        for _, header in sites.members(document, response, "headers"):
            yield received, header / "schema"


def judged(value: Any) -> Any:
    """A document for a validator that does not know tags: alternatives with tags may overlap."""
    if isinstance(value, list):
        return [judged(item) for item in value]
    if not isinstance(value, dict):
        return value
    overlaps = "oneOf" in value and "discriminator" in value
    return {
        "anyOf" if overlaps and name == "oneOf" else name: judged(part)
        for name, part in value.items()
    }


@pytest.mark.parametrize("name", DOCUMENTS)
def test_values_are_valid_in_their_direction(corpus: Path, name: str) -> None:
    document = sound(upgrade(load(corpus / "specs" / name))).document
    directions = {polarity: of_direction(document, polarity) for polarity in Polarity}
    witnesses = {polarity: Witnesses(each) for polarity, each in directions.items()}
    registries = {
        polarity: jsonschema_rs.Registry([("urn:it", judged(each.data))])
        for polarity, each in directions.items()
    }
    places = dict.fromkeys(
        place
        for operation in sites.operations(document)
        for place in schemas(document, operation)
        if place[1].removesuffix("/schema") != place[1]
    )
    without, wrong = [], []
    for polarity, pointer in places:
        try:
            values = witnesses[polarity].of(pointer)
        except KeyError:
            # A medium without a schema.
            continue
        judge = jsonschema_rs.Draft202012Validator(
            {"$ref": f"urn:it#{quote(pointer)}"},
            registry=registries[polarity],
            validate_formats=True,
        )
        without += [] if values else [document.locate(pointer)]
        wrong += [(pointer, value) for value in values if not judge.is_valid(value)]
    assert wrong == []
    assert len(without) == DOCUMENTS[name], without
