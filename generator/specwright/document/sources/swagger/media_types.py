"""Media types of Swagger 2.0, which operations and the document list for all of their bodies."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from specwright.document.model import Document, Remark
from specwright.json_values import JsonObject, JsonValue, mapping, texts
from specwright.pointer import Pointer, join
from specwright.runtime.shared.media.table import essence

# The id of the rule that reports assumptions.
ASSUMED = "media-type-assumed"

JSON, BYTES = "application/json", "application/octet-stream"
URL_ENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_FORMS = re.compile(rf"({re.escape(URL_ENCODED)}|multipart/.*)(;|$)", re.I)
_WITH_FILES = re.compile(r"multipart/", re.I)
# Media types without objects or lists, and those without files.
_NO_STRUCTURE = re.compile(
    r"(audio|font|image|video)/|application/(.*-stream|pdf|(x-)?(zip|gzip|tar))\b", re.I
)
_TEXT = re.compile(r"text/plain\b", re.I)
_NO_FILE = re.compile(r"application/(.*\+)?(json|xml)\b", re.I)
_STRUCTURE = frozenset(("properties", "additionalProperties", "allOf", "items"))


@dataclass(frozen=True, slots=True)
class MediaTypeList:
    """The media types that an operation or the document lists.

    Attributes:
        names: none if neither lists any.
        field: `consumes` or `produces`.
        at: the place of the list.
    """

    names: tuple[str, ...]
    field: str
    at: Pointer

    @property
    def is_of_forms(self) -> bool:
        """Whether it lists forms, and nothing else."""
        return bool(self.names) and all(map(_is_form, self.names))


# Media types of one body, with the places that name them.
MediaTypePlaces = Mapping[str, Pointer]


class MediaTypes:
    """The media types of each body: those of the list that it can be written in, or a usual one."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._assumed: dict[tuple[MediaTypeList, str], list[Pointer]] = defaultdict(list)

    def of(self, operation: JsonObject, at: Pointer, field: str) -> MediaTypeList:
        """Return the list of an operation, or else that of the document."""
        for holder, place in ((operation, at), (self._document.data, "")):
            if isinstance(listed := holder.get(field), list):
                return MediaTypeList(tuple(texts(listed)), field, place + join(field))
        return MediaTypeList((), field, join(field))

    def of_body(self, schema: JsonValue, listed: MediaTypeList, at: Pointer) -> MediaTypePlaces:
        """Return the media types of a body with a schema."""
        is_possible = self._possible(schema, listed)
        places = _places(listed, lambda name: not _is_form(name) and is_possible(name))
        # A form may be described by a schema, although it should be by parameters.
        return places or _places(listed, _is_form) or self._assume(listed, JSON, at)

    def of_form(self, listed: MediaTypeList, at: Pointer, *, has_file: bool) -> MediaTypePlaces:
        """Return the media types of a form."""
        places = _places(listed, _WITH_FILES.match if has_file else _is_form)
        usual = MULTIPART if has_file else URL_ENCODED
        if not places and not listed.names:
            # Nothing else is possible.
            return {usual: at}
        return places or self._assume(listed, usual, at)

    def of_response(
        self, schema: JsonValue, examples: JsonObject, listed: MediaTypeList, at: Pointer
    ) -> MediaTypePlaces:
        """Return the media types of a response.

        Its examples name them, if it has any and they are in no media type of the list.
        """
        listed_types = set(map(essence, listed.names))
        if examples and listed_types.isdisjoint(map(essence, examples)):
            return {name: at + join("examples", name) for name in examples}
        usual = BYTES if mapping(schema).get("type") == "file" else JSON
        return _places(listed, self._possible(schema, listed)) or self._assume(listed, usual, at)

    def remarks(self) -> Iterator[Remark]:
        """Yield the assumptions, once for each list."""
        for (listed, usual), places in self._assumed.items():
            times = f" (in {len(places)} places)" if len(places) > 1 else ""
            if listed.names:
                message = f"a body cannot be written in any of these: {usual} is assumed{times}"
                yield Remark(ASSUMED, listed.at, message)
            else:
                message = f"'{listed.field}' lists no media type: {usual} is assumed{times}"
                yield Remark(ASSUMED, places[0], message)

    def _assume(self, listed: MediaTypeList, usual: str, at: Pointer) -> MediaTypePlaces:
        self._assumed[listed, usual].append(at)
        return {usual: at}

    def _possible(self, schema: JsonValue, listed: MediaTypeList) -> Callable[[str], bool]:
        """Return whether values of a schema can be written in a media type of a list."""
        if mapping(schema).get("type") == "file":
            return lambda name: not _NO_FILE.match(name)
        value = mapping(self._document.follow(schema))
        if value.get("type") in ("array", "object") or _STRUCTURE & value.keys():
            # Frameworks list plain text beside JSON for every response.
            only_text = all(map(_TEXT.match, listed.names))
            return lambda name: not (_NO_STRUCTURE.match(name) or (only_text and _TEXT.match(name)))
        return lambda name: True


def _is_form(name: str) -> bool:
    return _FORMS.match(name) is not None


def _places(listed: MediaTypeList, is_possible: Callable[[str], object]) -> MediaTypePlaces:
    places: dict[str, Pointer] = {}
    for index, name in enumerate(listed.names):
        if is_possible(name):
            places.setdefault(name, listed.at + join(index))
    return places
