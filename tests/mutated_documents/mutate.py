"""Documents with a few random edits, the same for the same seed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from specwright.pointer import join

# Names that are odd for a tag, an operationId, a property, a schema or a media type.
NAMES = (
    *(
        "",
        " ",
        "_",
        "__init__",
        "None",
        "class",
        "self",
        "str",
        "models",
        "Any",
        "error",
        "SERVICE",
    ),
    *(
        "3d",
        "-1",
        "a b",
        "a/b",
        "a~b",
        "$ref",
        "x-a",
        "ß",
        "ﬁ",
        "İ",
        "日本",
        "\u202e",
        "\x00",
        "a\nb",
    ),
    *('"""', "'''", "{{ x }}", "{a}", "a" * 300, "\ud800", "..", "*/*", "application/json", "2XX"),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**30, -(10**30), 1e308, 5e-324, "", "x", "\x00", "é" * 500),
    *([], {}, [[]], [{}], {"": {}}, {"$ref": "#"}, {"$ref": "#/paths"}, {"$ref": "nowhere"}),
    *(
        {"$ref": "#/components/schemas/~1"},
        {"type": []},
        {"type": ["string", "null"]},
        {"const": None},
    ),
    *(
        {"enum": []},
        {"enum": [1, "a", None, {}]},
        {"type": "array"},
        {"type": "object"},
        {"not": {}},
    ),
)
KEYWORDS: dict[str, tuple[Any, ...]] = {
    "type": ("string", "integer", "number", "boolean", "array", "object", "null", "file"),
    "format": ("date", "date-time", "time", "uuid", "decimal", "binary", "int32", "x"),
    "pattern": ("^a$", "(", "^(?=a)b", "[\\p{L}]", "(a+)+$", "\\Z", "", "^[\\w-]{1,99999}$"),
    "enum": (["a", "A", "a_"], [1, 1.0, True], [None], ["a", 1], [[]], [{}]),
    "const": ("x", 1, None, {}, []),
    "default": ("x", 1, None, [], {}, 10**30),
    "minLength": (0, 5, -1, 10**30, 1.0),
    "maxLength": (0, 5, -1, 10**30),
    "minimum": (0, -1.5, 10**30, 1e308),
    "exclusiveMaximum": (0, 10**30, True),
    "multipleOf": (0, 0.1, 5e-324, 3),
    "minItems": (0, 3, 10**30),
    "uniqueItems": (True,),
    "required": ([], ["id"], ["nothing"], [""]),
    "additionalProperties": (True, False, {}, {"type": "string"}),
    "nullable": (True,),
    "readOnly": (True,),
    "discriminator": ({"propertyName": "type"}, {"propertyName": ""}, {}),
    "x-extensible-enum": (["a"], [], 1),
    "x-contract-once": (True, 1),
    "explode": (True, False),
    "style": ("form", "simple", "deepObject", "pipeDelimited", "label", "x"),
    "in": ("query", "header", "cookie", "path", "body"),
    "deprecated": (True,),
    "description": ('"""', "\\", "x" * 5000),
}

# Tokens in the pointer of an operation's parameter or of a component's property.
NEAR = 5


@dataclass(frozen=True)
class Place:
    """A member of an object or of an array, and its pointer."""

    pointer: str
    holder: Any
    key: Any

    @property
    def value(self) -> Any:
        return self.holder[self.key]


def mutant(document: dict[str, Any], seed: str) -> tuple[dict[str, Any], list[str]]:
    """Return the document with one to five edits, and their descriptions."""
    random = Random(seed)
    data = copy.deepcopy(document)
    edits = []
    for _ in range(min(random.randint(1, 5), random.randint(1, 5))):
        places = list(_places(data))
        # Most places are deep inside; half of the edits are to hit what they are part of.
        near = [place for place in places if place.pointer.count("/") <= NEAR]
        if places:
            place = random.choice(near if random.random() < 0.5 else places)
            edit = random.choice(EDITS)
            edits.append(f"{edit.__name__.strip('_')} {place.pointer}{edit(random, place, places)}")
    return data, edits


def _places(value: Any, pointer: str = "") -> Iterator[Place]:
    members = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))
        if isinstance(value, list)
        else []
    )
    for key, inner in members:
        below = pointer + join(str(key))
        yield Place(below, value, key)
        yield from _places(inner, below)


def _shown(value: Any) -> str:
    return ": " + json.dumps(value)[:80]


def _delete(random: Random, place: Place, places: list[Place]) -> str:
    del place.holder[place.key]
    return ""


def _retype(random: Random, place: Place, places: list[Place]) -> str:
    place.holder[place.key] = copy.deepcopy(random.choice(VALUES))
    return _shown(place.value)


def _swap(random: Random, place: Place, places: list[Place]) -> str:
    other = random.choice(places)
    mine, theirs = copy.deepcopy(place.value), copy.deepcopy(other.value)
    place.holder[place.key], other.holder[other.key] = theirs, mine
    return f" with {other.pointer}"


def _duplicate(random: Random, place: Place, places: list[Place]) -> str:
    value = copy.deepcopy(place.value)
    if isinstance(place.holder, list):
        place.holder.append(value)
        return ""
    key = random.choice((place.key.swapcase(), f"{place.key}_", f"{place.key}-", f"_{place.key}"))
    place.holder[key] = value
    return f" as {key!r}"


def _rename(random: Random, place: Place, places: list[Place]) -> str:
    name = random.choice(NAMES)
    if isinstance(place.holder, dict):
        members = [
            (name if key == place.key else key, value) for key, value in place.holder.items()
        ]
        place.holder.clear()
        place.holder.update(members)
    elif isinstance(place.value, str):
        place.holder[place.key] = name
    return _shown(name)


def _name(random: Random, place: Place, places: list[Place]) -> str:
    """Give an operation, a tag, a parameter or the document an odd name."""
    named = [
        place for place in places if place.key in ("operationId", "name", "title", "propertyName")
    ]
    chosen = random.choice(named or [place])
    chosen.holder[chosen.key] = random.choice(NAMES)
    return f" not, but {chosen.pointer}{_shown(chosen.value)}"


def _refer(random: Random, place: Place, places: list[Place]) -> str:
    """Put a reference to another place here, or let one lead elsewhere."""
    references = [place for place in places if place.key == "$ref"]
    target = "#" + random.choice(places).pointer
    if references and random.random() < 0.5:
        chosen = random.choice(references)
        chosen.holder["$ref"] = target
        return f" not, but {chosen.pointer}{_shown(target)}"
    place.holder[place.key] = {"$ref": target}
    return _shown(target)


def _keyword(random: Random, place: Place, places: list[Place]) -> str:
    """Add a keyword to a schema, or to an object that may look like one."""
    schemas = [place for place in places if isinstance(place.value, dict) and "type" in place.value]
    chosen = random.choice(schemas or [place])
    if not isinstance(chosen.value, dict):
        return ""
    keyword = random.choice(list(KEYWORDS))
    value = chosen.value[keyword] = copy.deepcopy(random.choice(KEYWORDS[keyword]))
    return f" not, but {chosen.pointer}/{keyword}{_shown(value)}"


EDITS: tuple[Callable[[Random, Place, list[Place]], str], ...] = (
    *(_delete, _retype, _swap, _duplicate, _rename, _name, _name, _refer, _keyword, _keyword),
)
