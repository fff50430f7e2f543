"""The expected requests by the document as written, read with independent parsers.

Nothing of the toolkit is used: documents are read as JSON or YAML, texts of parameters are those of
RFC 6570 (uritemplate; OpenAPI 3.1.1, appendix C), queries and forms are parsed as Starlette does,
cookies as Werkzeug does, and bodies are judged by jsonschema.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Set
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cache
from itertools import islice, permutations
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote
from uuid import UUID
from xml.etree import ElementTree

import uritemplate
import yaml
from jsonschema import ValidationError
from jsonschema.validators import extend
from openapi_schema_validator import OAS30Validator, OAS31Validator, oas30_format_checker
from pydantic import TypeAdapter
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from starlette.datastructures import UploadFile
from starlette.requests import Request
from werkzeug.http import parse_cookie

from lab.wire.swagger import as_openapi

STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|"}
# What every client sends, and what the proof asks the server for.
USUAL = frozenset(
    {
        *("host", "user-agent", "accept", "accept-encoding", "connection", "prefer"),
        *("content-type", "content-length", "transfer-encoding", "authorization", "cookie"),
    }
)
TOKEN, USER, PASSWORD = "token-of-the-proof", "user", "pass word"
NOTHING = object()
# Those of four members.
_MOST_ORDERS = 24
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LINES = re.compile("\n|\x1e")
_ADDRESS = "urn:judged"

# Those of OpenAPI 3.0 have all of 3.1, and byte.
_FORMATS = oas30_format_checker
Pairs = list[tuple[str, str]]
_READERS: tuple[Callable[[str], Any], ...] = (
    datetime.fromisoformat,
    time.fromisoformat,
    TypeAdapter(timedelta).validate_python,
    UUID,
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it came."""

    method: str
    path: str
    query: str
    headers: Pairs
    body: bytes
    scope: MutableMapping[str, Any]

    def header(self, name: str) -> str | None:
        return next((text for key, text in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Meant:
    """The intended content of a call.

    Attributes:
        path: of the document.
        arguments: by place and name.
        media_type, body: those of the body, if there is one.
    """

    path: str
    method: str
    arguments: Mapping[tuple[str, str], Any]
    media_type: str | None = None
    body: Any = NOTHING


class Judge:
    """Judges requests by a document, and values by its schemas.

    Args:
        hidden: what properties are that the judged side does not send: requests are judged without
            those that are `readOnly`, responses without those that are `writeOnly`.
        in_full: whether formats and encodings of content are judged, too.
    """

    def __init__(self, file: Path, *, hidden: str = "readOnly", in_full: bool = False) -> None:
        self.data = read(file)
        self._hidden, self._in_full = hidden, in_full
        self._is_old = str(self.data["openapi"]).startswith("3.0")
        self._anchors = dict(_anchors(self.data, ""))
        resource = DRAFT202012.create_resource(self._sent(self.data))
        self._registry: Registry[Any] = Registry().with_resource(_ADDRESS, resource)
        self._invalid = cache(self._invalid_in)
        self._asks = "security" in self.data or any(
            isinstance(operation, dict) and "security" in operation
            for item in (self.data.get("paths") or {}).values()
            for operation in self.follow(item).values()
        )

    def complaints(self, meant: Meant, sent: Sent) -> list[str]:
        """Return the errors in a request."""
        item = self.follow(self.data["paths"][meant.path])
        operation = self.operation(item, meant.method)
        parameters = self.parameters(item, operation)
        credentials = self._credentials(operation, sent)
        found = list(self._of_parameters(meant, sent, parameters, credentials))
        if credentials is None:
            found.append("security: no alternative is satisfied")
        if sent.method != meant.method:
            found.append(f"method: {sent.method}")
        found += self._of_body(meant, sent, operation)
        found += self._of_accept(sent, operation)
        return found

    def invalid(self, schema: Any, value: Any) -> str:
        """Return why a schema of the document rejects a value; an empty text if it accepts it."""
        reason: str = self._invalid(json.dumps(schema), json.dumps(value))
        return reason

    def follow(self, value: Any) -> Any:
        """Return a value, or the target of its references."""
        while isinstance(value, dict) and isinstance(value.get("$ref"), str):
            value = self._at(value["$ref"])
        return value

    def _sent(self, value: Any, hidden: Set[str] = frozenset()) -> Any:
        """Return a schema that does not require hidden properties (OpenAPI 3.1.1, 4.8.24).

        Discriminators are hints, and no part of JSON Schema.

        Args:
            hidden: names of properties that the schemas around this part say this of.
        """
        if isinstance(value, list):
            return [self._sent(item) for item in value]
        if not isinstance(value, dict):
            return value
        known = hidden | set(self._hidden_in(value, ()))
        changed = {
            key: [self._sent(part_schema, known) for part_schema in part]
            if key == "allOf" and isinstance(part, list)
            else self._sent(part)
            for key, part in value.items()
            if not (key == "discriminator" and isinstance(part, dict) and "propertyName" in part)
        }
        if isinstance(value.get("$ref"), str) and value["$ref"] in self._anchors:
            # The validator looks for anchors in schemas only, and not in those of components.
            changed["$ref"] = self._anchors[value["$ref"]]
        required = value.get("required")
        if isinstance(required, list):
            changed["required"] = [name for name in required if name not in known]
        return changed

    def _hidden_in(self, schema: Any, above: tuple[Any, ...]) -> Iterator[str]:
        """The names of the properties of an object that the judged side does not send."""
        schema = self.follow(schema)
        if not isinstance(schema, dict) or any(schema is outer for outer in above):
            return
        properties = schema.get("properties")
        for name, each in properties.items() if isinstance(properties, dict) else ():
            parts = [each, *((each.get("allOf") or ()) if isinstance(each, dict) else ())]
            if any(self._is_hidden(part) for part in parts):
                yield name
        together = schema.get("allOf")
        for part in together if isinstance(together, list) else ():
            yield from self._hidden_in(part, (*above, schema))

    def _is_hidden(self, schema: Any) -> bool:
        # What stands beside a reference counts, too.
        said = [part for part in (schema, self.follow(schema)) if isinstance(part, dict)]
        return any(part.get(self._hidden) is True for part in said)

    def _at(self, ref: str) -> Any:
        found: Any = self.data
        for token in ref.partition("#")[2].split("/")[1:]:
            token = unquote(token).replace("~1", "/").replace("~0", "~")
            found = found[int(token)] if isinstance(found, list) else found[token]
        return found

    def operation(self, item: Any, method: str) -> Any:
        """Return the operation of a path item (3.2 may have it in `additionalOperations`)."""
        others = item.get("additionalOperations", {})
        return item[method.lower()] if method.lower() in item else others[method]

    def parameters(self, item: Any, operation: Any) -> dict[tuple[str, str], Any]:
        declared = [*(item.get("parameters") or ()), *(operation.get("parameters") or ())]
        followed = map(self.follow, declared)
        return {
            (parameter["in"], parameter["name"]): parameter
            for parameter in followed
            if "in" in parameter
        }

    def _of_parameters(
        self,
        meant: Meant,
        sent: Sent,
        declared: Mapping[tuple[str, str], Any],
        credentials: set[tuple[str, str]] | None,
    ) -> Iterator[str]:
        paths, queries, cookies = [meant.path], [Pairs()], [Pairs()]
        headers: dict[str, list[str]] = {}
        for (place, name), value in meant.arguments.items():
            parameter = declared[place, name]
            if place == "path":
                texts = [_expanded(parameter, ordered) for ordered in _orders(value)]
                paths = [path.replace("{" + name + "}", text) for path in paths for text in texts]
            elif place == "header":
                headers[name.lower()] = [
                    unquote(_expanded(parameter, ordered)) for ordered in _orders(value)
                ]
            elif place == "query":
                queries = [[*start, *end] for start in queries for end in _forms(parameter, value)]
            else:
                cookies = [[*start, *end] for start in cookies for end in _forms(parameter, value)]
        if unquote(sent.path) not in map(unquote, paths):
            yield f"path: {sent.path} is not {paths[0]}"
        credentials = credentials or set()
        came = [p for p in _query(sent.query) if ("query", p[0]) not in credentials]
        if not any(_same_pairs(came, query) for query in queries):
            yield f"query: {came} is not {queries[0]}"
        parsed = parse_cookie(sent.header("cookie") or "").items(multi=True)
        came = [(unquote(n), unquote(t)) for n, t in parsed if ("cookie", n) not in credentials]
        if not any(_same_pairs(came, expected) for expected in cookies):
            yield f"cookies: {came} is not {cookies[0]}"
        known = USUAL | {name.lower() for place, name in credentials if place == "header"}
        for name, text in sent.headers:
            key = name.lower()
            if key in headers:
                expected = headers.pop(key)
                if not any(_alike(text, one) for one in expected):
                    yield f"header {name}: {text!r} is not {expected[0]!r}"
            elif key not in known:
                yield f"header {name}: was not asked for"
        yield from (f"header {name}: is missing" for name in headers)

    def _credentials(self, operation: Any, sent: Sent) -> set[tuple[str, str]] | None:
        """The places of the credentials of the first alternative that is satisfied."""
        schemes = self.data.get("components", {}).get("securitySchemes", {})
        alternatives = operation.get("security", self.data.get("security"))
        if alternatives is None and not self._asks:
            # Schemes that no operation asks for are offered to all.
            alternatives = [{name: []} for name in schemes]
        alternatives = alternatives or [{}]
        for alternative in alternatives:
            found = [_credential(self.follow(schemes.get(name, {})), sent) for name in alternative]
            if None not in found:
                return {credential for credential in found if credential is not None}
        return None

    def _of_body(self, meant: Meant, sent: Sent, operation: Any) -> Iterator[str]:
        came = sent.header("content-type")
        if meant.media_type is None:
            if sent.body or came is not None:
                yield "body: was not asked for"
            return
        contents = self.follow(operation["requestBody"])["content"]
        name = (
            meant.media_type
            if meant.media_type in contents
            else next((media_type for media_type in contents if "*" in media_type), "")
        )
        if came is None or _plain(came) != _plain(meant.media_type):
            yield f"content-type: {came} is not {meant.media_type}"
            return
        content = self.follow(contents[name])
        value, expected = self._value(content, sent, meant)
        differs = difference(value, expected)
        if differs:
            yield f"body {differs}"
        elif _is_json(meant.media_type) and "schema" in content:
            invalid = self.invalid(content["schema"], value)
            if invalid:
                yield f"body: {invalid}"

    def _value(self, content: Any, sent: Sent, meant: Meant) -> tuple[Any, Any]:
        """Return the received value and the expected value, in the same form."""
        plain = _plain(meant.media_type or "")
        if plain in ("application/x-www-form-urlencoded", "multipart/form-data"):
            pairs = asyncio.run(_form(sent))
            return self._of_form(content, pairs, meant.body)
        if _is_lines(plain):
            lines = _LINES.split(sent.body.decode())
            return [json.loads(line) for line in lines if line], list(meant.body)
        if _is_json(plain):
            return json.loads(sent.body), meant.body
        if plain.endswith(("/xml", "+xml")) and not isinstance(meant.body, str | bytes):
            texts = _texts_of_element(ElementTree.fromstring(sent.body))
            return _in_order(texts), _in_order(_texts_of_value(meant.body))
        expected = meant.body if isinstance(meant.body, bytes) else str(meant.body).encode()
        return sent.body, expected

    def _of_form(self, content: Any, pairs: list[tuple[str, Any]], body: Any) -> tuple[Any, Any]:
        encodings = content.get("encoding") or {}
        expected: list[tuple[str, Any]] = []
        for name, value in body.items():
            encoding = self.follow(encodings.get(name, {}))
            parts = value if isinstance(value, list) else [value]
            if any(name in encoding for name in ("style", "explode", "allowReserved")):
                expected += _pairs({"in": "query", "name": name, "style": "form"} | encoding, value)
            elif isinstance(value, dict):
                expected.append((name, value))
            else:
                expected += [(name, part) for part in parts if part is not None]
        return _grouped(pairs), _grouped(expected)

    def _of_accept(self, sent: Sent, operation: Any) -> Iterator[str]:
        responses = {str(s): self.follow(r) for s, r in (operation.get("responses") or {}).items()}
        declared = {
            _plain(n) for response in responses.values() for n in response.get("content") or ()
        }
        says = any(s[0] == "2" and each.get("content") for s, each in responses.items())
        # Where no success is declared to have a body, one may come all the same.
        ranges = {"*/*"} if says else {"*/*", "application/json"}
        for accepted in (sent.header("accept") or "").split(","):
            name = _plain(accepted)
            if name not in declared | ranges and not any("*" in other for other in declared):
                yield f"accept: {name} is not declared"

    def _invalid_in(self, schema: str, value: str) -> str:
        kind = OAS30Validator if self._is_old else OAS31Validator
        rooted = _rooted(self._sent(json.loads(schema)))
        validator = (
            extend(kind, _CONTENT)(rooted, registry=self._registry, format_checker=_FORMATS)
            if self._in_full
            else kind(rooted, registry=self._registry)
        )
        found = next(iter(validator.iter_errors(json.loads(value))), None)
        return "" if found is None else f"{found.json_path}: {found.message[:120]}"


def read(file: Path) -> Any:
    text = file.read_text("utf-8")
    data = json.loads(text) if file.suffix == ".json" else _named(yaml.load(text, _Loader))
    return as_openapi(data) if "swagger" in data else data


def _named(value: Any) -> Any:
    """Return a value whose keys are texts, as those of statuses may be numbers in YAML."""
    if isinstance(value, dict):
        return {str(key): _named(each) for key, each in value.items()}
    return [*map(_named, value)] if isinstance(value, list) else value


class _Loader(yaml.CSafeLoader):
    """YAML of version 1.2: dates are texts, and so are `on`, `yes` and the like."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in each if not tag.endswith((":timestamp", ":bool"))]
    for first, each in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("(true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)


def _in_order(texts: Iterator[str]) -> list[str]:
    """Return texts that are not empty, numbers in one form."""
    return sorted(repr(float(text)) if _NUMBER.fullmatch(text) else text for text in texts if text)


def _texts_of_element(element: ElementTree.Element) -> Iterator[str]:
    """Yield the texts of an element's attributes, of it and of its elements."""
    yield from (value for name, value in element.attrib.items() if name != _NIL)
    text = element.text or ""
    yield text.strip() if len(element) else text
    for child in element:
        yield from _texts_of_element(child)


def _texts_of_value(value: Any) -> Iterator[str]:
    """Yield the scalars in a value as texts."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts_of_value(part)
    elif value is not None:
        yield value if isinstance(value, str) else json.dumps(value)


def difference(one: Any, other: Any, place: str = "") -> str:
    """Return where two JSON values differ first; an empty text if they are equal.

    True is not 1. Moments, times, durations and UUIDs may be written in several ways.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        missing = [*(f"-{name}" for name in other.keys() - one.keys())]
        missing += [f"+{name}" for name in one.keys() - other.keys()]
        if missing:
            return f"{place}: {', '.join(sorted(missing))[:120]}"
        found = (difference(one[name], other[name], f"{place}/{name}") for name in other)
        return next(filter(None, found), "")
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return f"{place}: {len(one)} items are not {len(other)}"
        pairs = enumerate(zip(one, other, strict=True))
        return next(filter(None, (difference(*each, f"{place}/{n}") for n, each in pairs)), "")
    is_same = one is other if isinstance(one, bool) or isinstance(other, bool) else one == other
    is_same = is_same or _same_text(one, other)
    return "" if is_same else f"{place}: {short(one)} is not {short(other)}"


def _orders(value: Any) -> Iterator[Any]:
    """Yield an object with its members in some orders, which mean the same."""
    if isinstance(value, dict):
        yield from map(dict, islice(permutations(value.items()), _MOST_ORDERS))
    else:
        yield value


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal."""
    return not difference(one, other)


def _same_text(one: Any, other: Any) -> bool:
    if not (isinstance(one, str) and isinstance(other, str)):
        return False
    for reader in _READERS:
        try:
            return bool(reader(one) == reader(other))
        except ValueError:
            continue
    return False


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 160 else f"{text[:157]}…"


async def _form(sent: Sent) -> list[tuple[str, Any]]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent.body, "more_body": False}

    form = await Request(sent.scope, receive).form()
    return [
        (name, (await part.read()).decode() if isinstance(part, UploadFile) else part)
        for name, part in form.multi_items()
    ]


def _query(text: str) -> Pairs:
    return parse_qsl(text, keep_blank_values=True)


def _pairs(parameter: Any, value: Any) -> Pairs:
    name = parameter["name"]
    style = parameter.get("style", STYLES[parameter["in"]])
    if "content" in parameter:
        return [(name, json.dumps(value))]
    if style == "deepObject":
        return list(_deep(name, value))
    is_composite = isinstance(value, list | dict)
    if style in DELIMITERS and is_composite and not parameter.get("explode", False):
        parts = value if isinstance(value, list) else [t for pair in value.items() for t in pair]
        return [(name, DELIMITERS[style].join(map(_text, parts)))]
    expanded = uritemplate.expand(
        "{?v" + ("*}" if parameter.get("explode", True) else "}"), v=_texts(value)
    )
    pairs = _query(expanded.removeprefix("?").replace("+", "%2B"))
    is_member = isinstance(value, dict) and parameter.get("explode", True)
    return [(key if is_member else name, text) for key, text in pairs]


def _forms(parameter: Any, value: Any) -> Iterator[Pairs]:
    """Yield the pairs of a parameter for some orders of its members, each once."""
    forms = (sorted(_pairs(parameter, ordered), key=_name) for ordered in _orders(value))
    yield from map(list, dict.fromkeys(map(tuple, forms)))


def _deep(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield pairs as `qs` of JavaScript reads them: no standard defines arrays."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _deep(f"{path}[{key}]", each)
    elif isinstance(value, list):
        is_flat = not any(isinstance(item, dict | list) for item in value)
        for index, each in enumerate(value):
            yield from _deep(f"{path}[{'' if is_flat else index}]", each)
    elif value is not None:
        yield path, _text(value)


def _expanded(parameter: Any, value: Any) -> str:
    """The text in a path or a header."""
    if "content" in parameter:
        return quote(json.dumps(value), safe="")
    style = parameter.get("style", "simple")
    operator = {"simple": "", "label": ".", "matrix": ";"}[style]
    star = "*" if parameter.get("explode") else ""
    text = uritemplate.expand("{" + operator + "v" + star + "}", v=_texts(value))
    if style != "matrix" or (isinstance(value, dict) and star):
        return text
    return re.sub("(^|;)v(=|;|$)", rf"\1{quote(parameter['name'])}\2", text)


def _texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(item) for item in value if item is not None]
    if isinstance(value, dict):
        # The library would sort the members of a mapping.
        return [(key, _text(member)) for key, member in value.items() if member is not None]
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _same_pairs(came: Pairs, expected: Pairs) -> bool:
    if sorted(name for name, _ in came) != sorted(name for name, _ in expected):
        return False
    # Values of one name stay in their order.
    pairs = zip(sorted(came, key=_name), sorted(expected, key=_name), strict=True)
    return all(_alike(one, other) for (_, one), (_, other) in pairs)


def _name(pair: tuple[str, str]) -> str:
    return pair[0]


def _alike(one: str, other: str) -> bool:
    return one == other or _same_json(one, other) or _same_text(one, other)


def _same_json(one: str, other: str) -> bool:
    """Whether two texts are the same JSON, written with other spaces or another form of number."""
    try:
        return same(json.loads(one), json.loads(other))
    except ValueError:
        return False


def _grouped(pairs: list[tuple[str, Any]]) -> dict[str, list[Any]]:
    """Pairs by name; a text that is JSON as its value."""
    found: dict[str, list[Any]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(_json_or(value) if isinstance(value, str) else value)
    return found


def _json_or(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _credential(scheme: Any, sent: Sent) -> tuple[str, str] | None:
    """Where a credential came; None if it did not."""
    kind, authorization = scheme.get("type"), sent.header("authorization") or ""
    if kind == "apiKey":
        place, name = scheme["in"], scheme["name"]
        came = {
            "header": lambda: sent.header(name),
            "query": lambda: dict(_query(sent.query)).get(name),
            "cookie": lambda: parse_cookie(sent.header("cookie") or "").get(name),
        }[place]()
        return (place, name) if came == TOKEN else None
    if kind == "http" and scheme["scheme"].lower() == "basic":
        basic = f"Basic {base64.b64encode(f'{USER}:{PASSWORD}'.encode()).decode()}"
        return ("header", "authorization") if authorization == basic else None
    is_token = kind in ("oauth2", "openIdConnect") or scheme.get("scheme", "").lower() == "bearer"
    if is_token:
        return ("header", "authorization") if authorization == f"Bearer {TOKEN}" else None
    # The HTTP client of the caller does the rest, such as a certificate.
    return ("header", "authorization")


def _anchors(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Yield references by `$anchor`, each with the same reference by JSON Pointer."""
    parts = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        parts = [(str(number), part) for number, part in enumerate(value)]
    for name, part in parts:
        if name == "$anchor" and isinstance(part, str):
            yield f"#{part}", f"#{quote(place)}"
        yield from _anchors(part, f"{place}/{str(name).replace('~', '~0').replace('/', '~1')}")


def _rooted(schema: Any) -> Any:
    """Return a schema with references that lead into the document."""
    if isinstance(schema, list):
        return [_rooted(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: f"{_ADDRESS}{each}"
        if name == "$ref" and isinstance(each, str) and each.startswith("#")
        else _rooted(each)
        for name, each in schema.items()
    }


def _encoded(_: Any, encoding: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """Judge a text by contentEncoding and contentMediaType (JSON Schema, validation, 8.3, 8.4)."""
    if not isinstance(value, str):
        return
    try:
        content: Any = value
        if schema.get("contentEncoding") == "base64":
            content = base64.b64decode(value, validate=True)
        if _is_json(schema.get("contentMediaType", "")):
            json.loads(content)
    except ValueError as error:
        yield ValidationError(f"{value!r} is not {encoding}: {error}")


_CONTENT = {"contentEncoding": _encoded, "contentMediaType": _encoded}


def _plain(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _is_json(media_type: str) -> bool:
    return _plain(media_type).endswith(("/json", "+json")) and not _is_lines(media_type)


def _is_lines(media_type: str) -> bool:
    plain = _plain(media_type)
    return plain.endswith(("json-seq", "ndjson", "jsonl", "jsonlines", "stream+json"))
