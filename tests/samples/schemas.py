"""Schemas by themselves, or beside components that they refer to."""

from pathlib import Path
from typing import Any

from specwright.samples.compiled import Compiled
from specwright.samples.sampler import Sampler
from specwright.samples.sides import Side
from tests.compare.documents import document
from tests.validate.documents import whole

ADDRESS = "urn:document"


def side(directory: Path, **components: Any) -> Side:
    """A document that has these components."""
    data = whole("{}") | {"components": {"schemas": components}}
    return Side(document(directory, "openapi.json", data), ADDRESS)


def sampler(*sides: Side) -> Sampler:
    return Sampler(Compiled(sides))


def referring(name: str, **beside: Any) -> dict[str, Any]:
    """A reference to a component, with keywords beside it."""
    return {"$ref": f"{ADDRESS}#/components/schemas/{name}", **beside}
