"""Names for classes that the model generator has created on its own.

It combines the alternatives of a schema with the keywords beside them, which results in a class
for each that has not been named. Such a class is named after its place, like all others.
"""

from __future__ import annotations

from typing import Any

from specwright.document.normalise import COMPONENTS
from specwright.document.operations.naming import free
from specwright.models.dialect import Dialect


def names_by_place(metadata: list[dict[str, Any]], dialect: Dialect) -> dict[str, str]:
    """Return the new names of classes by the generator's."""
    taken = {entry["class_name"] for entry in metadata}
    found: dict[str, str] = {}
    for entry in metadata:
        key, _, inner = str(entry["source_ref"]).partition("#" + COMPONENTS + "/")[2].partition("/")
        place = dialect.words.get(f"{dialect.origins.get(key)}/{inner}")
        if place is not None:
            found[entry["class_name"]] = name = free(place, taken)
            taken.add(name)
    return found
