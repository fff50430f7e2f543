"""Validators of the schemas of documents, each of which is compiled once.

A validator of jsonschema_rs holds a copy of everything that its schema refers to, at any depth. In
a document whose schemas refer to most others, such as that of Stripe, thousands of validators hold
thousands of copies: gigabytes. Here a reference is a keyword that asks the validator of its target.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import TypeAlias, cast
from urllib.parse import unquote

import jsonschema_rs

from specwright.json_values import JsonObject, JsonValue
from specwright.pointer import resolve

Schema = JsonObject
# The library has this type for type checkers only.
Keywords: TypeAlias = "Mapping[str, type[jsonschema_rs.KeywordValidator]]"
Formats = Mapping[str, Callable[[str], bool]]
# The errors of the library for schemas that it cannot reduce, compile or resolve.
UNUSABLE = (ValueError, TypeError, jsonschema_rs.ReferencingError)
# Keywords that make a schema depend on more than its own keywords and what these refer to.
_DEPENDENT = ("$dynamicRef", "$id", "unevaluatedItems", "unevaluatedProperties")
# Keywords whose schemas apply to the value itself: some of them, by index or name, or one.
_NAMED_IN_PLACE = ("allOf", "anyOf", "oneOf", "dependentSchemas")
_IN_PLACE = ("not", "if", "then", "else")
# The most validators of whole schemas that are kept.
_MOST_WHOLE = 8
# A linked one has no copies; most are needed again soon, for values of the same schema.
_MOST_RECENT = 1_000


class SchemaValidators:
    """The validators of schemas that refer to documents by their addresses.

    Args:
        documents: by address, such as `urn:document`.
        keywords, formats: those that are enforced in addition to JSON Schema.
        validate_formats: whether formats are enforced.
        mask: the words for a value in messages.
    """

    def __init__(
        self,
        documents: Mapping[str, JsonValue],
        keywords: Keywords = MappingProxyType({}),
        formats: Formats = MappingProxyType({}),
        *,
        validate_formats: bool = False,
        mask: str | None = None,
    ) -> None:
        self._documents = documents
        self._keywords = dict(keywords)
        self._compile = partial(
            jsonschema_rs.Draft202012Validator,
            formats=dict(formats),
            validate_formats=validate_formats,
            mask=mask,
            offline=True,
        )
        # The library resolves no reference, and yet has to know the addresses.
        self._addresses = _registry(dict.fromkeys(documents, True))
        self._targets: dict[str, jsonschema_rs.Validator] = {}
        # The references of each target, and whether they apply to the same value.
        self._references: dict[str, dict[str, bool]] = {}
        # References with targets that are compiled, and so is all that these refer to.
        self._sound: set[str] = set()
        self._whole: dict[str, jsonschema_rs.Validator] = {}
        self._recent: dict[str, jsonschema_rs.Validator] = {}

    @cached_property
    def registry(self) -> jsonschema_rs.Registry:
        """The documents, for schemas that are read together with all that they refer to."""
        return _registry(self._documents)

    def validator(self, schema: Schema | bool) -> jsonschema_rs.Validator:
        """Return a validator that tells whether a value is valid, and not why it is invalid.

        Args:
            schema: its references have addresses.

        Raises:
            UNUSABLE: the schema, or one that it refers to, is missing or cannot be compiled.
        """
        key = json.dumps(schema)
        validator = self._recent.pop(key, None) or self._complete(schema)
        self._recent[key] = validator
        if len(self._recent) > _MOST_RECENT:
            del self._recent[next(iter(self._recent))]
        return validator

    def _complete(self, schema: Schema | bool) -> jsonschema_rs.Validator:
        """Return a validator, after all that its schema refers to is compiled."""
        references: dict[str, bool] = {}
        validator = self._linked(schema, "", references) or self._compiled_whole(schema)
        pending, reached = [*references], set[str]()
        while pending:
            reference = pending.pop()
            if reference in self._sound or reference in reached:
                continue
            reached.add(reference)
            if reference not in self._targets:
                self._targets[reference] = self._target(reference)
            pending += self._references[reference]
        self._end_circles(reached)
        self._sound |= reached
        return validator

    def whole(self, schema: Schema | bool) -> jsonschema_rs.Validator:
        """Return a validator that tells all errors of a value, at their places.

        Few of them are kept, as each has a copy of all that its schema refers to.

        Raises:
            UNUSABLE: the schema, or one that it refers to, is missing or cannot be compiled.
        """
        key = json.dumps(schema)
        validator = self._whole.pop(key, None) or self._compiled_whole(schema)
        self._whole[key] = validator
        if len(self._whole) > _MOST_WHOLE:
            del self._whole[next(iter(self._whole))]
        return validator

    def _end_circles(self, references: Iterable[str]) -> None:
        """Compile a schema of each circle that applies to one value as a whole.

        A value has no end there, and the library notices it.
        """
        done = set[str]()
        for first in references:
            above: dict[str, Iterator[str]] = {first: self._in_place(first)}
            while above and first not in done:
                last = next(reversed(above))
                following = next(above[last], None)
                if following is None:
                    del above[last]
                    done.add(last)
                elif following in above:
                    self._targets[following] = self._compiled_whole({"$ref": following})
                    self._references[following] = {}
                elif following not in done:
                    above[following] = self._in_place(following)

    def _in_place(self, reference: str) -> Iterator[str]:
        """Yield the references of a target that apply to the same value."""
        named = self._references[reference]
        return iter([other for other, is_in_place in named.items() if is_in_place])

    def _target(self, reference: str) -> jsonschema_rs.Validator:
        """Return the validator of the schema at a reference that has an address."""
        address, _, pointer = reference.partition("#")
        try:
            schema = resolve(self._documents[address], unquote(pointer))
        except KeyError:
            raise ValueError(f"there is no schema at {reference}") from None
        if not isinstance(schema, dict | bool):
            raise TypeError(f"there is no schema at {reference}")
        references = self._references[reference] = {}
        return self._linked(schema, address, references) or self._compiled_whole(
            {"$ref": reference}
        )

    def _linked(
        self, schema: Schema | bool, address: str, references: dict[str, bool]
    ) -> jsonschema_rs.Validator | None:
        """Return the validator of one schema, and add its references to those that are known.

        None for a schema that has to be compiled together with what it refers to.

        Args:
            address: that of the references without one.
        """
        written = json.dumps(schema)
        if any(f'"{keyword}"' in written for keyword in _DEPENDENT):
            return None
        link = partial(_Reference, self._targets, address, references)
        keyword = cast("type[jsonschema_rs.KeywordValidator]", link)
        validator = self._compile(
            schema, registry=self._addresses, keywords={**self._keywords, "$ref": keyword}
        )
        if all(map(self._is_linkable, references)):
            return validator
        references.clear()
        return None

    def _is_linkable(self, reference: str) -> bool:
        address, _, fragment = reference.partition("#")
        return address in self._documents and (not fragment or fragment.startswith("/"))

    def _compiled_whole(self, schema: Schema | bool) -> jsonschema_rs.Validator:
        return self._compile(schema, registry=self.registry, keywords=self._keywords)


class _Reference:
    """The keyword `$ref`, which asks the validator of its target."""

    def __init__(
        self,
        targets: Mapping[str, jsonschema_rs.Validator],
        address: str,
        references: dict[str, bool],
        parent_schema: JsonObject,
        value: JsonValue,
        schema_path: list[str | int],
    ) -> None:
        if not isinstance(value, str):
            raise TypeError("a reference is a text")
        self._targets = targets
        self._reference = address + value if value.startswith("#") else value
        is_in_place = references.get(self._reference, False) or _is_in_place(schema_path)
        references[self._reference] = is_in_place

    def validate(self, instance: object) -> None:
        if not self._targets[self._reference].is_valid(instance):
            raise ValueError(self._reference)


def _is_in_place(path: Sequence[str | int]) -> bool:
    """Return whether a keyword at the end of a path applies to the value of the whole schema."""
    keywords = iter(path[:-1])
    for keyword in keywords:
        if keyword in _NAMED_IN_PLACE:
            next(keywords, None)
        elif keyword not in _IN_PLACE:
            return False
    return True


def _registry(documents: Mapping[str, JsonValue]) -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([*documents.items()], draft=jsonschema_rs.Draft202012)
