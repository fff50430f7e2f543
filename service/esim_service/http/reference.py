"""The reference page: the API's document as self-contained HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

_METHODS = ("get", "post", "put", "patch", "delete")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_LIMITS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("maxItems", "at most {} items"),
)

# A part of the document: JSON whose shape depends on its place.
Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a property of a model."""

    name: str
    type: Markup
    required: bool
    place: str
    description: Markup
    notes: Sequence[Markup]


@dataclass(frozen=True, slots=True)
class Example:
    """A named example."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The response of an operation with a status."""

    status: str
    description: Markup
    type: Markup | None
    examples: Sequence[Example]


@dataclass(frozen=True, slots=True)
class Entry:
    """An operation or a webhook."""

    anchor: str
    title: str
    method: str
    path: str
    description: Markup
    notes: Sequence[str]
    parameters: Sequence[Field]
    body: Markup | None
    body_fields: Sequence[Field]
    body_examples: Sequence[Example]
    answers: Sequence[Answer]
    errors: Sequence[str]


@dataclass(frozen=True, slots=True)
class Group:
    """The operations of a tag."""

    anchor: str
    title: str
    description: Markup
    entries: Sequence[Entry]


@dataclass(frozen=True, slots=True)
class Model:
    """A schema with its properties."""

    name: str
    description: Markup
    type: Markup
    notes: Sequence[Markup]
    fields: Sequence[Field]


def render(document: Node) -> bytes:
    """Return the page for a document."""
    folder = resources.files("esim_service") / "data"
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string((folder / "reference.html.jinja").read_text("utf-8"))
    writer = _Writer(document)
    return (
        page.render(
            title=document["info"]["title"],
            version=document["info"]["version"],
            base_url=document["servers"][0]["variables"]["base_url"]["default"],
            style=Markup((folder / "reference.css").read_text("utf-8")),
            introduction=writer.introduction(),
            headings=writer.headings(),
            groups=list(writer.groups()),
            webhooks=list(writer.webhooks()),
            models=list(writer.models()),
        )
        .lstrip()
        .encode()
    )


class _Writer:
    def __init__(self, document: Node) -> None:
        self._document = document
        # Text of the document must not contain HTML.
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable("table")

    def introduction(self) -> Markup:
        text = self._text(self._document["info"]["description"])
        for anchor, title in self.headings():
            text = Markup(text.replace(f"<h2>{escape(title)}</h2>", _heading(anchor, title)))
        return text

    def headings(self) -> list[tuple[str, str]]:
        lines = self._document["info"]["description"].splitlines()
        titles = [line.removeprefix("## ") for line in lines if line.startswith("## ")]
        return [(f"about-{_slug(title)}", title) for title in titles]

    def groups(self) -> Iterator[Group]:
        for tag in self._document["tags"]:
            entries = [
                self._entry(operation, method.upper(), path)
                for path, item in self._document["paths"].items()
                for method in _METHODS
                if (operation := item.get(method)) and tag["name"] in operation["tags"]
            ]
            title = tag["name"].replace("-", " ").capitalize()
            yield Group(f"group-{tag['name']}", title, self._text(tag["description"]), entries)

    def webhooks(self) -> Iterator[Entry]:
        for name, item in self._document["webhooks"].items():
            yield self._entry(item["post"], "POST", name)

    def models(self) -> Iterator[Model]:
        for name, schema in self._document["components"]["schemas"].items():
            yield Model(
                name,
                self._text(schema.get("description", "")),
                self._type(schema),
                _notes(schema),
                self._fields(schema),
            )

    def _entry(self, operation: Node, method: str, path: str) -> Entry:
        answers, errors = [], []
        for status, found in operation["responses"].items():
            if status[0] in "23d":
                answers.append(self._answer(status, self._resolved(found)))
            else:
                errors.append(status)
        body = operation.get("requestBody")
        content = self._json(body) if body else {}
        return Entry(
            anchor=operation["operationId"],
            title=operation["summary"],
            method=method,
            path=path,
            description=self._text(operation["description"]),
            notes=list(_rules(operation, self._document)),
            parameters=[self._parameter(each) for each in operation.get("parameters", ())],
            body=self._type(content["schema"]) if content else None,
            body_fields=self._fields(self._resolved(content["schema"])) if content else (),
            body_examples=_examples(content),
            answers=answers,
            errors=errors,
        )

    def _answer(self, status: str, response: Node) -> Answer:
        content = self._json(response)
        return Answer(
            status=status,
            description=self._text(response["description"]),
            type=self._type(content["schema"]) if content else None,
            examples=_examples(content),
        )

    def _parameter(self, node: Node) -> Field:
        parameter = self._resolved(node)
        schema = parameter["schema"]
        shown = {**schema, "description": parameter["description"]}
        return self._field(
            parameter["name"], shown, parameter.get("required", False), parameter["in"]
        )

    def _fields(self, schema: Node) -> list[Field]:
        required = schema.get("required", ())
        return [
            self._field(name, each, name in required)
            for name, each in schema.get("properties", {}).items()
        ]

    def _field(self, name: str, schema: Node, required: bool, place: str = "") -> Field:
        text = self._text(schema.get("description", ""))
        notes = _notes({**self._resolved(schema), **schema})
        return Field(name, self._type(schema), required, place, text, notes)

    def _type(self, schema: Node) -> Markup:
        if ref := schema.get("$ref"):
            name = ref.rpartition("/")[2]
            return Markup('<a href="#model-{0}">{0}</a>').format(name)
        if parts := schema.get("oneOf"):
            return Markup(" or ").join(self._type(each) for each in parts)
        if "const" in schema:
            return Markup("<code>{}</code>").format(json.dumps(schema["const"]))
        kind = schema.get("type", "any value")
        if kind == "array":
            return Markup("array of {}").format(self._type(schema["items"]))
        values = schema.get("additionalProperties")
        if kind == "object" and isinstance(values, Mapping):
            return Markup("object of {}").format(self._type(values))
        return escape(" or ".join(kind) if isinstance(kind, list) else kind)

    def _json(self, node: Node) -> Node:
        found: Node = self._resolved(node).get("content", {}).get("application/json", {})
        return found

    def _resolved(self, node: Node) -> Node:
        while ref := node.get("$ref"):
            found: Any = self._document
            for step in ref.removeprefix("#/").split("/"):
                found = found[step]
            node = found
        return node

    def _text(self, text: str) -> Markup:
        return Markup(self._markdown.render(text))


def _examples(content: Node) -> list[Example]:
    return [
        Example(each.get("summary", name), json.dumps(each["value"], indent=2, ensure_ascii=False))
        for name, each in content.get("examples", {}).items()
    ]


def _notes(schema: Node) -> list[Markup]:
    notes = [escape(text.format(schema[name])) for name, text in _LIMITS if name in schema]
    if pattern := schema.get("pattern"):
        notes.append(Markup("matches <code>{}</code>").format(pattern))
    if "default" in schema:
        notes.append(Markup("default <code>{}</code>").format(json.dumps(schema["default"])))
    if values := schema.get("enum"):
        notes.append(Markup("one of {}").format(_codes(values)))
    if values := schema.get("x-extensible-enum"):
        notes.append(Markup("{}; more may be added").format(_codes(values)))
    if schema.get("x-contract-once"):
        notes.append(Markup("shown in this response only"))
    if schema.get("x-contract-sensitive"):
        notes.append(Markup("sensitive"))
    return notes


def _codes(values: Sequence[object]) -> Markup:
    return Markup(", ").join(Markup("<code>{}</code>").format(each) for each in values)


def _rules(operation: Node, document: Node) -> Iterator[str]:
    if limit := operation.get("x-contract-rate-limit"):
        rule = document["x-contract-rate-limit"]["classes"][limit["class"]]
        yield f"at most {rule['limit']} in {rule['window_seconds']} seconds per {rule['scope']}"
    if operation.get("x-contract-idempotency"):
        yield "safe to repeat with the same reference"
    if trigger := operation.get("x-contract-trigger"):
        scenario = f" with the scenario {trigger['scenario']}" if trigger["scenario"] else ""
        yield (
            f"after {trigger['operation']}{scenario}, within {trigger['within_seconds']} seconds "
            "in the sandbox"
        )


def _heading(anchor: str, title: str) -> Markup:
    return Markup('<h2 id="{}">{}</h2>').format(anchor, title)


def _slug(title: str) -> str:
    return _NOT_WORD.sub("-", title.lower()).strip("-")
