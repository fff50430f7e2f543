"""Typed dictionaries in place of models: what type checkers accept, the client sends."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import json
import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NotRequired, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter, ValidationError

from specwright.config import OldName
from specwright.document.normalise import normalise
from specwright.document.sources.load import load
from specwright.ir.build import build
from specwright.ir.model.api import PackageNames
from specwright.models.outline import outline
from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, operation, ref

TEXT: Json = {"type": "string"}
INTEGER: Json = {"type": "integer"}


def thing(*required: str, **properties: Json) -> Json:
    return {"type": "object", "required": [*required], "properties": properties}


def array(items: Json) -> Json:
    return {"type": "array", "items": items}


def by_name(values: Json) -> Json:
    return {"type": "object", "additionalProperties": values}


def tagged(name: str, **properties: Json) -> Json:
    return thing("kind", kind={"const": name}, **properties)


def union(property_name: str, *members: str, **keywords: Any) -> Json:
    discriminator = {"propertyName": property_name}
    return {"oneOf": [ref(name) for name in members], "discriminator": discriminator, **keywords}


SCHEMAS: Json = {
    "Place": {
        **thing("city", city=TEXT, **{"post-code": {**TEXT, "description": "As on letters."}}),
        "description": "Where something is. It may move.",
    },
    "Customer": thing("name", name=TEXT, place=ref("Place"), id={**INTEGER, "readOnly": True}),
    "Item": thing(
        "sku",
        sku={**TEXT, "description": "The number of the article. It has ten digits."},
        count={**INTEGER, "default": 1},
        extras=array(ref("Extra")),
        places=by_name(ref("Place")),
    ),
    "Extra": union("kind", "Wrap", "Card", description="What comes with an item."),
    "Wrap": tagged("wrap", colour={"enum": ["red", "blue"]}),
    "Card": tagged("card", text=TEXT),
    "Node": thing("name", name=TEXT, children=array(ref("Node"))),
    "Tree": {"anyOf": [TEXT, array(ref("Tree"))]},
    "Base": thing("id", id=TEXT, size=TEXT),
    "Heir": {"allOf": [ref("Base"), thing("more", more=TEXT, size={"const": "big"})]},
    "Colour": {**TEXT, "enum": ["red", "blue"]},
    "Open": {"anyOf": [{**TEXT, "enum": ["small", "large"]}, TEXT]},
    "All": thing(
        text=TEXT,
        integer=INTEGER,
        number={"type": "number"},
        flag={"type": "boolean"},
        moment={**TEXT, "format": "date-time"},
        day={**TEXT, "format": "date"},
        time={**TEXT, "format": "time"},
        id={**TEXT, "format": "uuid"},
        price={**TEXT, "format": "decimal"},
        colour=ref("Colour"),
        open=ref("Open"),
        nullable={"type": ["string", "null"]},
        texts=array(TEXT),
        days=by_name({**TEXT, "format": "date"}),
        anything={},
        extra=ref("Extra"),
        either={"oneOf": [ref("Node"), TEXT]},
        node=ref("Node"),
        tree=ref("Tree"),
        heir=ref("Heir"),
        customer=ref("Customer"),
        sequence=ref("Sequence"),
        date={**TEXT, "format": "date"},
        late=ref("NotRequired"),
        pair={"type": "array", "prefixItems": [TEXT, INTEGER], "minItems": 2, "maxItems": 2},
        among=ref("Among"),
        maybe=ref("Maybe"),
    ),
    "Among": {"anyOf": [ref("Extra"), ref("Node")]},
    "Maybe": {"anyOf": [array(ref("Maybe")), {"type": "null"}]},
    "NotRequired": thing(text=TEXT),
    "Letters": thing("\ufb01", **{"\ufb01": TEXT}),
    "Private": thing("__private", __private=TEXT),
    "Words": thing("class", **{"class": TEXT, "__private": TEXT, "content-type": TEXT}),
    "Hiding": thing("str", "object", str=TEXT, object={}, abc=array(TEXT)),
    "Sequence": thing(items=array(ref("Mapping"))),
    "Mapping": thing(values=by_name(ref("Sequence"))),
    "Counts": {**thing("name", name=TEXT), "additionalProperties": INTEGER},
    "Filter": thing(tags=array(TEXT), place=TEXT),
    "Document": thing("file", "about", file={**TEXT, "format": "binary"}, about=ref("Place")),
    "Book": {**thing("title", title=TEXT, place=ref("Place")), "xml": {"name": "book"}},
    "Unused": thing("unused", unused=TEXT),
}
JSON = "application/json"
ALL = ("All", "Letters", "Private", "Words", "Hiding", "Counts", "Heir", "Tree")


def sent(schema: Json, media_type: str = JSON, *, required: bool = False) -> Json:
    return operation(
        requestBody={"required": required, "content": {media_type: {"schema": schema}}}
    )


ORDER = thing(
    "customer",
    customer=ref("Customer"),
    items=array(ref("Item")),
    colour=ref("Colour"),
    place={"oneOf": [ref("Place"), {"type": "null"}]},
)
FILTER: Json = {"name": "filter", "in": "query", "style": "deepObject", "schema": ref("Filter")}
API = document(
    {
        "/orders": {
            "post": {**sent(ORDER, required=True), "operationId": "addOrder"},
            "get": {
                **operation(operationId="findOrders"),
                "parameters": [{**FILTER, "explode": True}],
            },
        },
        "/params": {"get": operation(operationId="params")},
        "/either": {
            "put": operation(
                operationId="putEither",
                requestBody={
                    "content": {
                        JSON: {"schema": ref("Place")},
                        "application/octet-stream": {"schema": {}},
                    }
                },
            )
        },
        "/unused": {"get": operation(ref("Unused"), operationId="getUnused")},
        "/books": {"put": {**sent(ref("Book"), "application/xml"), "operationId": "putBook"}},
        "/files": {
            "put": {**sent(ref("Document"), "multipart/form-data"), "operationId": "putFile"}
        },
        "/forms": {
            "put": {
                **sent(ref("Place"), "application/x-www-form-urlencoded"),
                "operationId": "putForm",
            }
        },
        "/lines": {
            "put": {
                **sent(ref("Item"), "application/jsonl", required=True),
                "operationId": "putLines",
            }
        },
        **{
            f"/{name.lower()}": {"put": {**sent(ref(name)), "operationId": f"put{name}"}}
            for name in ALL
        },
    },
    SCHEMAS,
)
MOMENT = "2026-01-02T03:04:05Z"
UUID = "12345678-1234-5678-1234-567812345678"
NAMES = {"datetime": datetime, "decimal": decimal, "uuid": uuid}
# Expressions for a key of `All`. All of them are right or wrong for type checkers and for the
# client alike.
RIGHT = [
    ("text", "'a'"),
    ("integer", "5"),
    ("number", "5"),
    ("number", "5.5"),
    ("flag", "True"),
    ("moment", "datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)"),
    ("moment", f"'{MOMENT}'"),
    ("day", "datetime.date(2026, 1, 2)"),
    ("day", "'2026-01-02'"),
    ("date", "datetime.date(2026, 1, 2)"),
    ("late", "{'text': 'a'}"),
    ("pair", "('a', 5)"),
    ("time", "datetime.time(3, 4, 5, tzinfo=datetime.UTC)"),
    ("time", "'03:04:05Z'"),
    ("id", f"uuid.UUID('{UUID}')"),
    ("id", f"'{UUID}'"),
    ("price", "decimal.Decimal('1.50')"),
    ("price", "'1.50'"),
    ("colour", "'red'"),
    ("open", "'small'"),
    ("open", "'huge'"),
    ("nullable", "None"),
    ("nullable", "'a'"),
    ("text", "None"),
    ("texts", "['a']"),
    ("texts", "('a', 'b')"),
    ("days", "{'a': '2026-01-02', 'b': datetime.date(2026, 1, 2)}"),
    ("anything", "{'a': [None, 5]}"),
    ("extra", "{'kind': 'wrap', 'colour': 'red'}"),
    ("extra", "models.Card(kind='card', text='a')"),
    ("either", "'a'"),
    ("either", "{'name': 'a'}"),
    ("node", "{'name': 'a', 'children': [{'name': 'b', 'children': ()}]}"),
    ("node", "{'name': 'a', 'children': [models.Node(name='b')]}"),
    ("heir", "{'id': 'a', 'more': 'b', 'size': 'big'}"),
    ("customer", "{'name': 'a', 'place': {'city': 'b', 'post-code': 'c'}}"),
    ("sequence", "{'items': [{'values': {'a': {'items': ()}}}]}"),
]
WRONG = [
    ("text", "5"),
    ("integer", "'5'"),
    ("number", "'5.5'"),
    ("flag", "'yes'"),
    ("moment", "[]"),
    ("day", "{}"),
    ("date", "[]"),
    ("pair", "('a', 'b')"),
    ("id", "5"),
    ("colour", "'green'"),
    ("texts", "[5]"),
    ("texts", "{'a': 'b'}"),
    ("days", "{'a': None}"),
    ("extra", "{'kind': 'flag'}"),
    ("extra", "{'kind': 'card', 'text': 5}"),
    ("either", "{'name': 5}"),
    ("node", "{'children': []}"),
    ("node", "{'name': 'a', 'children': [{'name': 'b', 'children': [{'name': 5}]}]}"),
    ("heir", "{'id': 'a', 'more': 'b', 'size': 'small'}"),
    ("heir", "{'id': 'a'}"),
    ("customer", "{'place': {'city': 'b'}}"),
    ("customer", "{'name': 'a', 'place': {}}"),
    ("sequence", "{'items': [{'values': {'a': {'items': {}}}}]}"),
]
# Wrong for type checkers only: keys that the document does not declare may be meant for a newer
# service, and the names of Python are those of models.
LENIENT = [
    ("customer", "{'name': 'a', 'nmae': 'b'}"),
    ("customer", "{'name': 'a', 'place': {'city': 'b', 'cite': 'c'}}"),
    ("customer", "{'name': 'a', 'place': {'city': 'b', 'post_code': 'c'}}"),
    ("customer", "{'name': 'a', 'id': 5}"),
]
LINES = [f"v{at}: params.AllInput = {{{key!r}: {value}}}" for at, (key, value) in enumerate(RIGHT)]
LINES += [
    f"w{at}: params.AllInput = {{{key!r}: {value}}}  # wrong"
    for at, (key, value) in enumerate([*WRONG, *LENIENT])
]
VALUES = "\n".join(
    (
        "import datetime",
        "import decimal",
        "import uuid",
        "from PACKAGE import models, params",
        *LINES,
    )
)
CALLS = """\
from PACKAGE import AsyncClient, Client, models, params

things, others = Client().things, AsyncClient().things
place: params.Place = {"city": "Bern"}
extras: list[params.Extra] = [{"kind": "card", "text": "Hello"}]
wrap: params.Extra = {"kind": "wrap", "colour": "red"}
letter: params.Place = {"city": "Bern", "post-code": "3000"}
things.add_order(
    customer={"name": "Ann", "place": {"city": "Bern", "post-code": "3000"}},
    items=[{"sku": "1", "extras": [{"kind": "wrap", "colour": "red"}], "places": {"a": place}}],
)
things.add_order(customer={"name": "Ann", "place": {"city": 3000}})  # wrong
things.add_order(customer={"name": "Ann"}, items=[{"sku": "1", "extras": [{"kind": 5}]}])  # wrong
things.add_order(customer={"name": "Ann"}, items=[{"extras": extras}])  # wrong
things.add_order(customer={"name": "Ann"}, items=[{"sku": "1", "extras": extras}])
things.add_order(customer=models.CustomerInput(name="Ann"), items=[models.Item(sku="1")])
things.add_order(customer={"name": "Ann"}, items=[models.Item(sku="1"), {"sku": "2"}])
things.find_orders(filter={"tags": ["a"]})
things.find_orders(filter={"tag": ["a"]})  # wrong
things.put_book(body={"title": "T", "place": place})
things.put_file(body={"file": b"a", "about": {"city": "Bern"}})
things.put_file(body={"file": 5, "about": {"city": "Bern"}})  # wrong
things.put_words(body={"class": "a", "content-type": "b"})
things.put_words(body={"content-type": "b"})  # wrong
things.put_hiding(body={"str": "a", "object": 5, "abc": ["b"]})
things.put_hiding(body={"str": 5, "object": 5})  # wrong
things.put_hiding(body={"str": "a", "object": 5, "abc": [5]})  # wrong
things.put_counts(body={"name": "a"})
things.put_either(body={"city": "Bern"})
things.put_either(body=b"a", content_type="application/octet-stream")
things.put_lines(body=[{"sku": "1"}, models.Item(sku="2")])


def kind(extra: params.Extra) -> str:
    return extra["kind"]


async def run() -> None:
    await others.add_order(customer={"name": "Ann", "place": place})
    await others.add_order(customer={"name": "Ann", "place": {"town": "Bern"}})  # wrong
"""


def program(text: str) -> tuple[str, set[int]]:
    """Return the template of a program, and its wrong lines."""
    wrong = {at for at, line in enumerate(text.splitlines(), 1) if line.endswith("# wrong")}
    return text.replace("{", "{{").replace("}", "}}").replace("PACKAGE", "{package}"), wrong


Arguments = Mapping[str, Any]


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(API)


def bodies(made: ModuleType, method: str, arguments: Arguments) -> list[tuple[str, bytes]]:
    """The targets and bodies that the clients send, with boundaries that do not differ."""
    requests: list[Any] = []

    def respond(request: Any) -> Any:
        requests.append(request)
        return made.testing.response(b"", 204)

    with made.Client(transport=made.testing.FakeTransport(respond)) as client:
        getattr(client.things, method)(**arguments)

    async def run() -> None:
        async with made.AsyncClient(transport=made.testing.AsyncFakeTransport(respond)) as client:
            await getattr(client.things, method)(**arguments)

    asyncio.run(run())
    sent_bodies = []
    for request in requests:
        content = request.content or b""
        if request.chunks is not None:
            content = b"".join(request.chunks.read())
        sent_bodies.append((request.url, re.sub(rb"--[0-9a-f]{32}", b"--boundary", content)))
    return sent_bodies


def calls(models: ModuleType) -> list[tuple[str, Arguments, Arguments]]:
    """Calls with dictionaries, and the same with models."""
    place, bern = {"city": "Bern", "post-code": "3000"}, models.Place(city="Bern", post_code="3000")
    card, wrap = {"kind": "card", "text": "x"}, models.Wrap(kind="wrap", colour="red")
    item = {"sku": "1", "extras": [card, wrap], "places": {"a": place, "b": bern}}
    as_model = models.Item(
        sku="1", extras=[models.Card(kind="card", text="x"), wrap], places={"a": bern, "b": bern}
    )
    return [
        (
            "add_order",
            {"customer": {"name": "Ann", "place": place}, "items": [item], "place": None},
            {
                "customer": models.CustomerInput(name="Ann", place=bern),
                "items": [as_model],
                "place": None,
            },
        ),
        (
            "find_orders",
            {"filter": {"tags": ["a", "b"]}},
            {"filter": models.Filter(tags=["a", "b"])},
        ),
        (
            "put_book",
            {"body": {"title": "T", "place": place}},
            {"body": models.Book(title="T", place=bern)},
        ),
        (
            "put_file",
            {"body": {"file": b"x", "about": place}},
            {"body": models.Document(file=b"x", about=bern)},
        ),
        ("put_form", {"body": place}, {"body": bern}),
        ("put_lines", {"body": [item, as_model]}, {"body": [as_model, as_model]}),
        (
            "put_all",
            {"body": {"moment": MOMENT, "price": "1.50", "text": None, "nullable": None}},
            {
                "body": models.AllInput(
                    moment=datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
                    price=decimal.Decimal("1.50"),
                    nullable=None,
                )
            },
        ),
        (
            "put_words",
            {"body": {"class": "a", "__private": "b", "content-type": "c"}},
            {
                "body": models.Words.model_validate(
                    {"class": "a", "__private": "b", "content-type": "c"}
                )
            },
        ),
    ]


@pytest.mark.parametrize("at", range(8))
def test_dictionaries_are_sent_as_the_models_of_their_name(made: ModuleType, at: int) -> None:
    method, dictionaries, models = calls(made.models)[at]
    sent = bodies(made, method, dictionaries)
    assert sent == bodies(made, method, models)
    assert sent[0] == sent[1]
    assert sent[0][1] or "?" in sent[0][0]


def is_sent(made: ModuleType, key: str, value: str) -> bool:
    try:
        bodies(made, "put_all", {"body": {key: eval(value, {**NAMES, "models": made.models})}})
    except made.InvalidArgumentError:
        return False
    return True


@pytest.mark.parametrize(("key", "value"), [*RIGHT, *LENIENT])
def test_what_the_types_accept_is_sent(made: ModuleType, key: str, value: str) -> None:
    assert is_sent(made, key, value)


def test_a_recursive_alias_is_resolved_as_in_the_models(made: ModuleType) -> None:
    assert is_sent(made, "tree", "['a', ['b', ()]]")
    assert not is_sent(made, "tree", "['a', ['b', [5]]]")
    assert TypeAdapter(made.params.Maybe).validate_python([None, [None]])
    with pytest.raises(ValidationError):
        TypeAdapter(made.params.Maybe).validate_python([5])
    trees = TypeAdapter(made.params.Tree)
    assert trees.validate_python(["a", ["b", []]])
    with pytest.raises(ValidationError):
        trees.validate_python(["a", [5]])


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_what_the_types_refuse_is_refused(made: ModuleType, key: str, value: str) -> None:
    assert not is_sent(made, key, value)


def test_the_module_has_what_requests_reach(made: ModuleType) -> None:
    public = {name for name, value in vars(made.params).items() if hasattr(value, "__total__")}
    assert public - {"TypedDict"} == {
        "AllInput",
        "Book",
        "Card",
        "Counts",
        "CustomerInput",
        "Document",
        "Filter",
        "Heir",
        "Hiding",
        "Item",
        "Letters",
        "Mapping",
        "Node",
        "NotRequiredModel",
        "Place",
        "Private",
        "Sequence",
        "Words",
        "Wrap",
    }


def test_keys_are_required_as_in_the_models(made: ModuleType) -> None:
    for name in ("AllInput", "CustomerInput", "Heir", "Hiding", "Letters", "Private", "Words"):
        type_, model = getattr(made.params, name), getattr(made.models, name)
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        keys = get_type_hints(type_, include_extras=True)
        assert keys.keys() == fields.keys()
        assert {key for key, hint in keys.items() if get_origin(hint) is not NotRequired} == {
            key for key, field in fields.items() if field.is_required()
        }


def test_descriptions_are_short_and_listed_values_keep_their_name(made: ModuleType) -> None:
    text = Path(str(made.params.__file__)).read_text()
    assert '    sku: str\n    """The number of the article."""\n' in text
    assert "ten digits" not in text
    assert '"""What comes with an item."""' in text
    assert "    colour: NotRequired[models.Colour | None]\n" in text


def test_names_are_in_order_and_aliases_below_those_that_they_refer_to(made: ModuleType) -> None:
    text = Path(str(made.params.__file__)).read_text()
    classes = re.findall(r"^(?:class )?(\w+)(?:\(| = TypedDict\()", text, re.MULTILINE)
    assert classes == sorted(classes)
    assert text.index("\nExtra: TypeAlias = Wrap | Card\n") < text.index(
        "\nAmong: TypeAlias = Extra | Node\n"
    )


def test_annotations_can_be_resolved(made: ModuleType) -> None:
    assert get_type_hints(made.params.Words)["class"] is str
    for name in ("AllInput", "Item", "Node"):
        assert get_type_hints(getattr(made.params, name))


def test_no_client_imports_the_module(made: ModuleType) -> None:
    place = Path(str(made.__file__)).parent
    for module in ("client", "async_client"):
        lines = (place / f"{module}.py").read_text().split("\n")
        assert "    from . import models, params" in lines
        assert not any(line.startswith("from . import") and "params" in line for line in lines)


def test_a_package_without_dictionaries_has_no_module(package: Generate) -> None:
    plain = package(document({"/a": {"get": operation(ref("Unused"))}}, SCHEMAS))
    assert "params" not in plain.__all__
    assert not Path(str(plain.__file__)).with_name("params.py").exists()


def test_texts_of_a_document_do_nothing_in_the_module(package: Generate) -> None:
    hostile = 'a"""\'\n\\ | params.Place models.Place'
    schema = thing(**{hostile: {"enum": [hostile, "models.Place"], "description": hostile}})
    schemas = {**SCHEMAS, "Hostile": {**schema, "description": hostile}}
    paths = {
        "/a": {"put": {**sent(ref("Hostile")), "operationId": "put"}},
        "/b": {"put": {**sent(thing(a={"enum": ["models.Place"]}), required=True)}},
    }
    made = package(document(paths, schemas))
    assert bodies(made, "put", {"body": {hostile: hostile}})
    assert not hasattr(made.params, "Place")


def test_texts_of_types_are_no_models(tmp_path: Path) -> None:
    names = {"name": "models.Place", "in": "query", "schema": {"enum": ["models.Place"]}}
    path = {"put": {**sent(ref("Filter")), "operationId": "put", "parameters": [names]}}
    (tmp_path / "openapi.json").write_text(json.dumps(document({"/a": path}, SCHEMAS)))
    made = normalise(load(tmp_path / "openapi.json"))
    package = PackageNames("made", "made", "Client", "MADE")
    api = build(made, outline(made), package, short_names=False)
    assert api.argument_models == ("Filter",)


def test_an_old_name_of_a_model_is_one_of_its_dictionary(package: Generate) -> None:
    day = datetime.date(2027, 3, 1)
    old = {
        "models.Venue": OldName("Place", day),
        "models.Shade": OldName("Colour", day),
        "models.Words_": OldName("Words", day),
    }
    made = package(API, deprecated=old)
    with pytest.warns(DeprecationWarning, match="Use Place: Venue will be removed on 2027-03-01"):
        assert made.params.Venue is made.params.Place
    with pytest.warns(DeprecationWarning):
        assert made.params.Words_ is made.params.Words
    with pytest.raises(AttributeError, match="no attribute 'Shade'"):
        _ = made.params.Shade
