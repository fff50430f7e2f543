"""Rules about paths and their parameters."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from specwright.check.context import LintContext
from specwright.check.lint.rule import Category, LintRule, LintViolation
from specwright.document.model import Document
from specwright.document.operations.sites import Direction, OperationSite, Site, follow, operations
from specwright.findings import Level, values_of
from specwright.json_values import mapping, sequence
from specwright.pointer import Pointer, join
from specwright.text import shorten

_VARIABLE = re.compile(r"\{([^{}]*)\}")
# No path of an API comes near; comparing names takes time.
_MOST_COMPARISONS = 1_000
# RFC 3986, 3.4 and 3.5: the characters that end a path.
_END = re.compile(r"[?#]")


@dataclass(frozen=True, slots=True)
class PathParameters:
    """The variables of an operation's path, and the path parameters that it has.

    Attributes:
        missing: the variables that no parameter describes.
        unused: the places in lists of the parameters that the path has no variable for, by name.
        misspelt: the unused parameter that is probably meant by a missing variable.
    """

    operation: OperationSite
    missing: tuple[str, ...]
    unused: Mapping[str, Pointer]
    misspelt: Mapping[str, str]


def path_parameters_of(document: Document) -> Iterator[PathParameters]:
    """Yield the path parameters of every operation with a path that can be read."""
    for operation in operations(document):
        if operation.direction is not Direction.PATH or flaw(operation.key) is not None:
            continue
        variables = dict.fromkeys(_VARIABLE.findall(operation.key))
        places = {
            str(parameter.value.get("name")): place
            for owner in (operation.item, operation)
            for place, parameter in _listed(document, owner)
            if parameter.value.get("in") == "path"
        }
        missing = tuple(name for name in variables if name not in places)
        unused = {name: place for name, place in places.items() if name not in variables}
        yield PathParameters(operation, missing, unused, _misspelt(missing, unused))


def _misspelt(missing: Collection[str], unused: Collection[str]) -> dict[str, str]:
    if len(missing) == len(unused) == 1:
        return dict(zip(missing, unused, strict=True))
    if len(missing) * len(unused) > _MOST_COMPARISONS:
        return {}
    near = {name: get_close_matches(name, unused, 1) for name in missing}
    return {name: match for name, matches in near.items() for match in matches}


def flaw(path: str) -> str | None:
    """Return why a path is not a template (OAS 3.1.1, 4.8.8.2); None if it is one."""
    rest = _VARIABLE.sub("", path)
    if "{}" in path:
        return "a variable has no name: {}"
    if "{" in rest:
        return "a { is not closed"
    return "a } closes nothing" if "}" in rest else None


def _listed(document: Document, owner: Site) -> Iterator[tuple[Pointer, Site]]:
    """Yield the parameters of an operation or a path item, with their places in the list."""
    for index, value in enumerate(sequence(owner.value.get("parameters"))):
        place = owner.pointer + join("parameters", index)
        yield place, follow(document, place, value)


def path_template(context: LintContext) -> Iterator[LintViolation]:
    for path in mapping(context.document.data.get("paths")):
        reason = None if path.startswith("x-") else flaw(path)
        if reason is not None:
            yield LintViolation(join("paths", path), shorten(f"{reason} in the path '{path}'"))


def path_parameters(context: LintContext) -> Iterator[LintViolation]:
    by_path: dict[str, list[PathParameters]] = defaultdict(list)
    for parameters in path_parameters_of(context.document):
        by_path[parameters.operation.key].append(parameters)
    violations: dict[LintViolation, None] = {}
    for path, of_operations in by_path.items():
        missing = [
            set(parameters.missing) - parameters.misspelt.keys() for parameters in of_operations
        ]
        everywhere = set.intersection(*missing)
        if everywhere:
            names = [name for name in of_operations[0].missing if name in everywhere]
            violations[_undescribed(join("paths", path), names)] = None
        for parameters, own in zip(of_operations, missing, strict=True):
            here = own - everywhere
            names = [name for name in parameters.missing if name in here]
            if names:
                violations[_undescribed(parameters.operation.pointer, names)] = None
            for name, near in parameters.misspelt.items():
                violation = _undescribed(parameters.unused[near], [name])
                message = f"{violation.message} (did you mean {near}?)"
                violations[violation._replace(message=message)] = None
    yield from violations


def _undescribed(place: Pointer, names: list[str]) -> LintViolation:
    variables = ", ".join(f"{{{name}}}" for name in names)
    named = f"parameter is named {names[0]}" if len(names) == 1 else "parameters have these names"
    message = f"the path has {shorten(variables)}, but no {named}"
    return LintViolation(place, message, values_of(*sorted(names)))


def path_parameter_unused(context: LintContext) -> Iterator[LintViolation]:
    violations: dict[LintViolation, None] = {}
    for parameters in path_parameters_of(context.document):
        meant = parameters.misspelt.values()
        for name, place in parameters.unused.items():
            if name not in meant:
                message = shorten(
                    f"there is no {{{name}}} in the path '{parameters.operation.key}'"
                )
                violations[LintViolation(place, message)] = None
    yield from violations


def path_variable_twice(context: LintContext) -> Iterator[LintViolation]:
    for path in mapping(context.document.data.get("paths")):
        for name, count in Counter(_VARIABLE.findall(path)).items():
            if name and count > 1:
                message = f"the path has {{{name}}} {count} times"
                yield LintViolation(join("paths", path), message, values_of(name))


def path_characters(context: LintContext) -> Iterator[LintViolation]:
    for path in mapping(context.document.data.get("paths")):
        end = _END.search(_VARIABLE.sub("", path))
        if end is not None and not path.startswith("x-"):
            advice = (
                "describe the query with 'in: query'" if end[0] == "?" else "remove the fragment"
            )
            yield LintViolation(
                join("paths", path),
                shorten(f"'{end[0]}' ends a path: {advice} in '{path}'"),
            )


def path_clash(context: LintContext) -> Iterator[LintViolation]:
    seen: dict[str, str] = {}
    for path in mapping(context.document.data.get("paths")):
        template = _VARIABLE.sub("{}", path)
        first = seen.setdefault(template, path)
        if first != path:
            yield LintViolation(join("paths", path), f"'{path}' matches the same URLs as '{first}'")


def parameter_duplicate(context: LintContext) -> Iterator[LintViolation]:
    for node in context.of_kind("pathItem", "operation"):
        seen: dict[tuple[str, str], Pointer] = {}
        for place, parameter in _listed(context.document, Site(node.pointer, node.value)):
            name, where = parameter.value.get("name"), parameter.value.get("in")
            if not isinstance(name, str) or not isinstance(where, str):
                continue
            # Names of headers are case-insensitive (RFC 9110, 5.1).
            key = (where, name.lower() if where == "header" else name)
            if seen.setdefault(key, place) != place:
                yield LintViolation(
                    place, f"the {where} parameter '{name}' is already described at {seen[key]}"
                )


RULES = (
    LintRule(
        "path-template",
        Category.PATHS,
        "A path is text with variables in braces, each with a name; no client or server can tell "
        "what else is meant by a brace.",
        """
        paths:
          /orders/{order_id:
            get:
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /orders/{order_id}:
            get:
              parameters:
                - {name: order_id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        Level.ERROR,
        Level.ERROR,
        path_template,
    ),
    LintRule(
        "path-parameters",
        Category.PATHS,
        "Every variable of a path is described by a path parameter; otherwise no client can build "
        "the URL.",
        """
        paths:
          /orders/{order_id}:
            get:
              parameters:
                - {name: id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /orders/{order_id}:
            get:
              parameters:
                - {name: order_id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        Level.ERROR,
        Level.ERROR,
        path_parameters,
    ),
    LintRule(
        "path-parameter-unused",
        Category.PATHS,
        "A path parameter takes the place of a variable of the path; without one, callers have to "
        "pass a value that is never sent.",
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: order_id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        path_parameter_unused,
    ),
    LintRule(
        "path-variable-twice",
        Category.PATHS,
        "A variable has one value, so a URL that has it twice repeats that value; OpenAPI 3.2 "
        "forbids it.",
        """
        paths:
          /accounts/{id}/orders/{id}:
            get:
              parameters: [{name: id, in: path, required: true, schema: {type: string}}]
              responses: {"200": {description: The order.}}
        """,
        """
        paths:
          /accounts/{account_id}/orders/{id}:
            get:
              parameters:
                - {name: account_id, in: path, required: true, schema: {type: string}}
                - {name: id, in: path, required: true, schema: {type: string}}
              responses: {"200": {description: The order.}}
        """,
        Level.WARNING,
        Level.ERROR,
        path_variable_twice,
    ),
    LintRule(
        "path-characters",
        Category.PATHS,
        "A request is matched by its path, which ends before a question mark or a number sign "
        "(RFC 3986); servers never see the rest as a part of it.",
        """
        paths:
          /orders?status=open:
            get:
              responses: {"200": {description: The open orders.}}
        """,
        """
        paths:
          /orders:
            get:
              parameters: [{name: status, in: query, schema: {type: string}}]
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        path_characters,
    ),
    LintRule(
        "path-clash",
        Category.PATHS,
        "Paths that differ only in the names of their variables match the same URLs; it is "
        "undefined which one answers.",
        """
        paths:
          /orders/{order_id}: {}
          /orders/{reference}: {}
        """,
        """
        paths:
          /orders/{order_id}: {}
          /orders/by-reference/{reference}: {}
        """,
        Level.WARNING,
        Level.ERROR,
        path_clash,
    ),
    LintRule(
        "parameter-duplicate",
        Category.PATHS,
        "A parameter is identified by its name and its place; described twice, one of the two "
        "descriptions is ignored.",
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: limit, in: query, schema: {type: integer}}
                - {name: limit, in: query, schema: {type: string}}
              responses: {"200": {description: The orders.}}
        """,
        """
        paths:
          /orders:
            get:
              parameters:
                - {name: limit, in: query, schema: {type: integer}}
              responses: {"200": {description: The orders.}}
        """,
        Level.WARNING,
        Level.ERROR,
        parameter_duplicate,
    ),
)
