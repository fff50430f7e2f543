"""Small projects in git with a contract that is about to change."""

import json
from pathlib import Path
from typing import Any

import yaml

from tests.repository import Repository

DOCUMENT = """
openapi: 3.1.1
info: {title: Shop, version: 1.2.3, description: Sells things.}
servers: [{url: 'https://shop.example/api'}]
tags: [{name: orders, description: Orders.}]
components:
  schemas:
    Order:
      type: object
      description: An order.
      required: [thing]
      properties:
        thing: {type: string, description: What is ordered.}
        count: {type: integer, maximum: 20, description: How many.}
paths:
  /orders:
    post:
      operationId: createOrder
      summary: Order things
      description: Orders things.
      tags: [orders]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
      responses:
        '201':
          description: The order.
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
"""
SETTINGS = '[tool.specwright]\ndocument = "openapi.json"\npackage = "shop"\n'
ACCEPTED = """\
[[accepted]]
rule = "range-narrowed"
where = "POST /orders"
reason = "Nobody orders as many."
expires = {day}
"""


def edited(*edits: tuple[str, str], text: str = DOCUMENT) -> dict[str, Any]:
    """The document with pieces of its text replaced."""
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def write(repository: Repository, document: dict[str, Any]) -> None:
    repository.write("openapi.json", json.dumps(document, indent=2) + "\n")


def project(place: Path) -> Repository:
    """A repository with the document in its first commit, and without a package."""
    repository = Repository(place)
    repository.write("pyproject.toml", SETTINGS)
    write(repository, edited())
    repository.commit()
    return repository
