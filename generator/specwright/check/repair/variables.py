"""Parameters for the variables of paths that have none, so that a client can build every URL."""

from __future__ import annotations

from specwright.check.lint.paths import (
    RULES,
    PathParameters,
    path_parameters,
    path_parameters_of,
)
from specwright.check.repair.edits import Edit
from specwright.document.model import Document
from specwright.json_values import JsonObject, JsonValue, mapping, sequence
from specwright.pointer import Pointer, join, resolve

# The rule whose findings this repairs; nothing is left out, and the document does not say it.
DESCRIBED = frozenset(rule.id for rule in RULES if rule.check is path_parameters)


def describe_variables(document: Document) -> list[Edit]:
    """Return edits that give a misspelt parameter its name, and other variables a parameter."""
    lists: dict[Pointer, list[JsonValue]] = {}
    for parameters in path_parameters_of(document):
        for name in parameters.missing:
            place = _own_place(parameters, name)
            holder = place.rpartition("/")[0] if place else parameters.operation / "parameters"
            listed = lists.setdefault(holder, _listed(document, holder))
            parameter: JsonValue = {**_similar(document, parameters, name), "name": name}
            if place:
                listed[int(place.rpartition("/")[2])] = parameter
            elif parameter not in listed:
                listed.append(parameter)
    return [Edit(holder, listed, loses=False) for holder, listed in lists.items()]


def _own_place(parameters: PathParameters, name: str) -> Pointer:
    """Return the place of a misspelt parameter; empty if other paths may have it as well."""
    place = parameters.unused.get(parameters.misspelt.get(name, ""), "")
    is_own = place.startswith(join("paths", parameters.operation.key) + "/")
    return place if is_own else ""


def _listed(document: Document, holder: Pointer) -> list[JsonValue]:
    return [*sequence(resolve(document.data, holder))] if document.has(holder) else []


def _similar(document: Document, parameters: PathParameters, name: str) -> JsonObject:
    """Return the parameter that is meant for a variable, or else one for any text."""
    place = parameters.unused.get(parameters.misspelt.get(name, ""))
    if place is None:
        return {"in": "path", "required": True, "schema": {"type": "string"}}
    return mapping(document.end(place, resolve(document.data, place))[1])
