"""Values as XML and back: of random schemas, with lxml as the judge, and at the limits."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from specwright.document.model import Document
from specwright.document.schemas.applicators import Subschema
from specwright.document.schemas.xml_shapes import XmlDescriptions
from specwright.runtime.shared.xml.nodes import XmlRoot
from specwright.runtime.shared.xml.parsing import MAX_DEPTH, Element, parse
from specwright.runtime.shared.xml.reading import read
from specwright.runtime.shared.xml.writing import write

Json = Any
Described = tuple[Json, st.SearchStrategy[Json]]

# All characters of XML 1.0, and often those that parsers change or that have to be escaped.
CHARACTERS = st.one_of(
    st.sampled_from(" \t\r\n<>&'\"]x\x85\u2028"),
    st.characters(exclude_categories=["Cs"]).filter(
        lambda c: c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff")
    ),
)
TEXTS = st.text(CHARACTERS, max_size=6)
# Of names, too: all kinds of letters, and none that XML has reserved.
NAMES = ["a", "b", "c-d", "e.1", "_", "\xe9", "\u4e2d"]
SCALARS: dict[str, st.SearchStrategy[Json]] = {
    "string": TEXTS,
    "integer": st.integers(),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
}


def descriptions(schema: Json, **schemas: Json) -> XmlDescriptions:
    """The descriptions of a document, with that of the component `Root`."""
    data = {"openapi": "3.2.0", "components": {"schemas": {"Root": schema, **schemas}}}
    document = Document("openapi.json", cast("Any", data), cast("Any", None), {}, {})
    made = XmlDescriptions(document)
    made.root(Subschema("/components/schemas/Root", schema))
    return made


def described(schema: Json, **schemas: Json) -> XmlRoot:
    """The description of the component `Root`."""
    made = descriptions(schema, **schemas)
    return made.root(Subschema("/components/schemas/Root", schema))


@st.composite
def scalars(draw: st.DrawFn) -> Described:
    kind = draw(st.sampled_from([*SCALARS]))
    if draw(st.booleans()):
        return {"type": kind}, SCALARS[kind]
    return {"type": [kind, "null"]}, st.none() | SCALARS[kind]


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Described], *, is_item: bool) -> Described:
    """A list; one without an element of its own is empty only where it is required."""
    items, values = draw(inner)
    if draw(st.booleans()):
        items = {**items, "xml": {**items.get("xml", {}), "name": draw(st.sampled_from(NAMES))}}
    is_wrapped = is_item or draw(st.booleans())
    keyword = draw(st.sampled_from([{"wrapped": True}, {"nodeType": "element"}]))
    schema = {"type": "array", "items": items, **({"xml": keyword} if is_wrapped else {})}
    return schema, st.lists(values, min_size=0 if is_wrapped else 1, max_size=3)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Described]) -> Described:
    schema: Json = {"type": "object", "properties": {}, "required": []}
    always: dict[str, st.SearchStrategy[Json]] = {}
    sometimes: dict[str, st.SearchStrategy[Json]] = {}
    has_text = draw(st.booleans())
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        kind = draw(st.sampled_from(["attribute"] if has_text else ["attribute", "element"]))
        property_, values = draw(scalars() if kind == "attribute" else inner)
        # No element of one member is that of another one.
        own: Json = {"name": f"{name}{len(schema['properties'])}"}
        if draw(st.booleans()):
            own |= {"namespace": f"urn:{draw(st.sampled_from('ab'))}", "prefix": draw(PREFIXES)}
        if kind == "attribute":
            own["nodeType"] = "attribute"
            own["prefix"] = own.get("prefix") or "p"
        elif property_.get("type") == "array":
            own = {}
            property_["items"] = {**property_["items"], "xml": {"name": f"{name}items"}}
            property_["xml"] = {**property_.get("xml", {}), "name": f"{name}list"}
        schema["properties"][name] = {**property_, "xml": {**property_.get("xml", {}), **own}}
        # An attribute that is null is not there.
        is_null = kind == "attribute" and "null" in property_["type"]
        if is_null or draw(st.booleans()):
            schema["required"].append(name)
            always[name] = values
        else:
            sometimes[name] = values
    if has_text:
        kind = draw(st.sampled_from(["text", "cdata"]))
        schema["properties"]["text"] = {"type": "string", "xml": {"nodeType": kind}}
        schema["required"].append("text")
        always["text"] = TEXTS
    return schema, st.fixed_dictionaries(always, optional=sometimes)


PREFIXES = st.sampled_from(["", "p", "q"])
INNER: st.SearchStrategy[Described] = st.recursive(
    scalars(),
    lambda inner: st.one_of(objects(inner), lists(inner, is_item=True)),
    max_leaves=6,
)
MEMBERS = st.one_of(INNER, lists(INNER, is_item=False))


@st.composite
def documents(draw: st.DrawFn) -> tuple[Json, Json]:
    """A schema of a body, and a value that fits it."""
    schema, values = draw(st.one_of(objects(MEMBERS), INNER))
    return schema, draw(values)


def same(ours: Element, theirs: Any) -> bool:
    """Whether two parsers have read the same element."""
    name = etree.QName(theirs)
    attributes = {
        (etree.QName(key).namespace or "", etree.QName(key).localname): value
        for key, value in theirs.attrib.items()
    }
    texts = [theirs.text or "", *(child.tail or "" for child in theirs)]
    elements = ours.elements
    return (
        (ours.namespace, ours.name) == (name.namespace or "", name.localname)
        and dict(ours.attributes) == attributes
        and ours.text == "".join(texts)
        and len(elements) == len(theirs)
        and all(map(same, elements, theirs))
    )


@given(documents())
def test_a_value_that_is_written_is_read_again(drawn: tuple[Json, Json]) -> None:
    schema, value = drawn
    root = described(schema)
    text = write(root, value)
    assert same(parse(text.encode()), etree.fromstring(text.encode()))
    assert read(root, text.encode()) == value
    assert json.dumps(read(root, text.encode("utf-16"))) == json.dumps(
        read(root, text.encode("utf-8-sig"))
    )


TEXT: Json = {"type": "string"}
INTEGER: Json = {"type": "integer"}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def of(required: str = "", /, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": required.split()}


def tag(value: str) -> Json:
    return {"type": "string", "const": value}


CAT = {**of("kind", kind=tag("cat"), size=INTEGER), "xml": {"name": "cat"}}
DOG = {
    **of("kind", kind=tag("dog"), size=TEXT, tricks={"type": "array", "items": TEXT}),
    "xml": {"name": "dog"},
}
PETS: dict[str, Json] = {"Cat": CAT, "Dog": DOG}
MAPPED = {
    "oneOf": [ref("Small"), ref("Large")],
    "discriminator": {"propertyName": "kind", "mapping": {"s": "Small", "l": "Large"}},
}
SIZES: dict[str, Json] = {
    "Small": of("kind", kind=TEXT, size=INTEGER),
    "Large": of("kind", kind=TEXT, size=TEXT),
}
BASE: dict[str, Json] = {
    "Base": {**of("kind", kind=TEXT), "discriminator": {"propertyName": "kind"}},
    "Heir": {"allOf": [ref("Base"), of(n=INTEGER)]},
    "Other": {"allOf": [ref("Base"), of(n={**TEXT, "xml": {"attribute": True}})]},
}
# Schema, value, XML.
NIL_A = '<Root><a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/></Root>'
UNIONS: list[tuple[Json, Json, str, dict[str, Json]]] = [
    (
        {"oneOf": [ref("Cat"), ref("Dog")]},
        {"kind": "cat", "size": 5},
        "<Root><kind>cat</kind><size>5</size></Root>",
        PETS,
    ),
    (
        {"oneOf": [ref("Cat"), ref("Dog")]},
        {"kind": "dog", "size": "5", "tricks": ["a"]},
        "<Root><kind>dog</kind><size>5</size><tricks>a</tricks></Root>",
        PETS,
    ),
    (MAPPED, {"kind": "l", "size": "5"}, "<Root><kind>l</kind><size>5</size></Root>", SIZES),
    (MAPPED, {"kind": "s", "size": 5}, "<Root><kind>s</kind><size>5</size></Root>", SIZES),
    # Without a tag, by their required properties, or by the form of their texts.
    (
        {"anyOf": [of("a", a=TEXT, n=INTEGER), of("b", b=TEXT, n=TEXT)]},
        {"b": "x", "n": "1"},
        "<Root><b>x</b><n>1</n></Root>",
        {},
    ),
    ({"oneOf": [INTEGER, {"type": "boolean"}]}, 5, "<Root>5</Root>", {}),
    ({"oneOf": [INTEGER, {"type": "boolean"}]}, True, "<Root>true</Root>", {}),
    ({"oneOf": [of(a=INTEGER), INTEGER]}, 7, "<Root>7</Root>", {}),
    ({"oneOf": [of(a=INTEGER), INTEGER]}, {"a": 7}, "<Root><a>7</a></Root>", {}),
    (
        {"anyOf": [ref("Cat"), {"type": "null"}]},
        None,
        NIL := '<Root xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>',
        PETS,
    ),
    # The union of a part, beside properties of the whole.
    (
        {**of(id=INTEGER), "oneOf": [of("a", a=INTEGER), of("b", b=TEXT)]},
        {"id": 1, "b": "2"},
        "<Root><id>1</id><b>2</b></Root>",
        {},
    ),
    (
        {"anyOf": [{"type": "array", "items": {**TEXT, "xml": {"name": "i"}}}, {"type": "object"}]},
        {"k": "1"},
        "<Root><k>1</k></Root>",
        {},
    ),
    (
        {"anyOf": [{"type": "array", "items": {**TEXT, "xml": {"name": "i"}}}, {"type": "object"}]},
        ["1"],
        "<Root><i>1</i></Root>",
        {},
    ),
    (of(a={"oneOf": [of("n", n=INTEGER), TEXT, {"type": "null"}]}), {"a": None}, NIL_A, {}),
    # Heirs, which their base does not name.
    (
        of(it=ref("Base")),
        {"it": {"kind": "Heir", "n": 1}},
        "<Root><it><kind>Heir</kind><n>1</n></it></Root>",
        BASE,
    ),
    (
        of(it=ref("Base")),
        {"it": {"kind": "Other", "n": "1"}},
        '<Root><it n="1"><kind>Other</kind></it></Root>',
        BASE,
    ),
]


@pytest.mark.parametrize(("schema", "value", "text", "schemas"), UNIONS)
def test_alternatives_are_told_apart(
    schema: Json, value: Json, text: str, schemas: dict[str, Json]
) -> None:
    root = described(schema, **schemas)
    assert write(root, value) == text
    assert read(root, text.encode()) == value


def test_a_schema_may_contain_itself() -> None:
    node = of(name=TEXT, parts={"type": "array", "items": ref("Root")}, next=ref("Root"))
    root = described(node)
    value = {"name": "a", "parts": [{"name": "b"}, {"next": {"name": "c"}}]}
    assert read(root, write(root, value).encode()) == value


@pytest.mark.parametrize(
    "schemas",
    [
        {"A": {"oneOf": [ref("A"), ref("B")]}, "B": {"anyOf": [ref("A"), INTEGER]}},
        {"A": {"allOf": [ref("A"), of(n=INTEGER)]}},
        {"A": ref("B"), "B": ref("A")},
        {"A": {**of(n={**ref("A"), "xml": {"nodeType": "none"}}), "xml": {"nodeType": "none"}}},
        {"A": {"anyOf": [ref("A"), {"type": "null"}], "xml": {"name": "x"}}},
    ],
)
def test_circles_have_an_end(schemas: dict[str, Json]) -> None:
    root = described(of(a=ref("A")), **schemas)
    for value in ({}, {"a": 1}, {"a": {"n": {"n": 1}}}, {"a": None}):
        read(root, write(root, value).encode())


def nested(depth: int) -> Json:
    value: Json = {}
    for _ in range(depth):
        value = {"next": value}
    return value


def test_values_are_nested_up_to_a_limit() -> None:
    root = described(of(next=ref("Root")))
    value = nested(MAX_DEPTH - 1)
    assert read(root, write(root, value).encode()) == value
    with pytest.raises(ValueError, match="too many nested"):
        write(root, nested(MAX_DEPTH + 1))
    with pytest.raises(ValueError, match="too many nested"):
        read(root, b"<a>" * (MAX_DEPTH + 1) + b"</a>" * (MAX_DEPTH + 1))


# Documents that are large in one way each.
LARGE: list[Callable[[int], bytes]] = [
    lambda n: b"<Root>" + b"<a>1</a>" * n + b"</Root>",
    lambda n: b"<Root>" + b"".join(b"<a%d/>" % number for number in range(n)) + b"</Root>",
    lambda n: b"<Root " + b" ".join(b'a%d="1"' % number for number in range(n)) + b"/>",
    lambda n: b"<Root>" + b"<![CDATA[]]>x" * n + b"</Root>",
    lambda n: b"<Root>" + b"&amp;&#10;" * n + b"</Root>",
    lambda n: b"<Root>" + b"<b><a>1</a></b>" * n + b"</Root>",
]


def steps(root: XmlRoot, data: bytes) -> int:
    """The number of calls and returns, of Python and of C, that reading takes."""
    count = 0

    def add(*_: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(add)
    try:
        read(root, data)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("large", LARGE, ids=range(len(LARGE)))
def test_reading_takes_time_in_proportion(large: Callable[[int], bytes]) -> None:
    union = {"anyOf": [of(a=TEXT), of(b={"type": "array", "items": ref("Root")}), TEXT]}
    root = described(union)
    assert steps(root, large(2_000)) < 2.5 * steps(root, large(1_000))


def test_deep_unions_are_read_once_per_level() -> None:
    sums = [of("op left right", op=tag(op), left=ref("Root"), right=ref("Root")) for op in "+-*/"]
    root = described({"oneOf": [*sums, of("n", n=INTEGER)]})

    def tree(depth: int) -> Json:
        if not depth:
            return {"n": 1}
        return {"op": "*", "left": tree(depth - 1), "right": tree(0)}

    texts = {depth: write(root, tree(depth)).encode() for depth in (20, 40)}
    assert read(root, texts[40]) == tree(40)
    assert steps(root, texts[40]) < 2.5 * steps(root, texts[20])


# Schemas with values that XML lacks, the place of the finding, and its words.
LIMITED: list[tuple[Json, str, str]] = [
    (of(a={"type": ["string", "integer"]}), "/properties/a", "a text from a number"),
    (of(a={"description": "Any."}), "/properties/a", "a value of any type"),
    (of(a={"xml": {"nodeType": "attribute"}, **of(b=TEXT)}), "/properties/a", "'attribute'"),
    (of(**{"a b": TEXT}), "/properties/a b", "'a b' is not a name in XML, so it is 'a_b'"),
    (
        of(a={"type": "array", "items": {"type": "array", "items": TEXT}}),
        "/properties/a/items",
        "a list within a list",
    ),
    (
        of(a={"type": "array", "items": {**TEXT, "xml": {"attribute": True}}}),
        "/properties/a/items",
        "an item of a list cannot be of nodeType 'attribute'",
    ),
    (
        of(
            a={**TEXT, "xml": {"attribute": True}},
            b={**TEXT, "xml": {"attribute": True, "name": "a"}},
        ),
        "/properties/b",
        "another attribute is called 'a'",
    ),
    (of(a={**ref("Root"), "xml": {"nodeType": "none"}}), "/properties/a", "contain itself"),
]


@pytest.mark.parametrize(("schema", "place", "words"), LIMITED)
def test_what_xml_cannot_say_is_reported_at_its_place(schema: Json, place: str, words: str) -> None:
    (limit,) = descriptions(schema).limits.values()
    assert limit.pointer == f"/components/schemas/Root{place}"
    assert words in limit.message


def test_names_that_xml_lacks_are_read_again() -> None:
    root = described(of(**{"a b": INTEGER, "1": {"type": "array", "items": TEXT}}))
    value = {"a b": 1, "1": ["x"]}
    assert write(root, value) == "<Root><a_b>1</a_b><_1>x</_1></Root>"
    assert read(root, write(root, value).encode()) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<Root><n> +07 </n></Root>", {"n": 7}),
        ("<Root><n>7_0</n></Root>", {"n": "7_0"}),
        ("<Root><n>\u0667</n></Root>", {"n": "\u0667"}),
        ("<Root><n>" + "1" * 700 + "</n></Root>", {"n": "1" * 700}),
        ("<Root><x>1e400</x></Root>", {"x": "1e400"}),
        ("<Root><x>.5</x></Root>", {"x": 0.5}),
        ("<Root><x>NaN</x></Root>", {"x": "NaN"}),
        ("<Root><b>1</b></Root>", {"b": True}),
        ("<Root><b>yes</b></Root>", {"b": "yes"}),
        ("<Root><n/><b/></Root>", {}),
        ("<Root><n>1</n><n>2</n></Root>", {"n": [1, 2]}),
        ("<Root><n><m/></n></Root>", {"n": {"m": ""}}),
        ("<Root><!-- c --><?p i?><n>1</n></Root>", {"n": 1}),
        ('<Root xml:lang="de"><n>1</n></Root>', {"n": 1}),
    ],
)
def test_texts_become_values_only_where_they_are_some(text: str, value: Json) -> None:
    root = described(of(n=INTEGER, x={"type": "number"}, b={"type": "boolean"}))
    assert read(root, text.encode()) == value


@pytest.mark.parametrize(
    "text",
    ["<Root>x<n>1</n></Root>", "<Root><n>1</n>x</Root>", "<Root><list><i/>x</list></Root>"],
)
def test_text_between_elements_is_refused(text: str) -> None:
    items = {"type": "array", "items": TEXT, "xml": {"wrapped": True}}
    with pytest.raises(ValueError, match="text"):
        read(described(of(n=INTEGER, list=items)), text.encode())


# Schema, value, XML: where names and their order come from.
NAMED: list[tuple[Json, Json, str, dict[str, Json]]] = [
    (
        of(
            a={**TEXT, "xml": {"name": "x", "namespace": "urn:a", "prefix": "p"}},
            b={**TEXT, "xml": {"name": "x", "namespace": "urn:b"}},
            c={**TEXT, "xml": {"name": "x"}},
        ),
        {"a": "1", "b": "2", "c": "3"},
        '<Root><p:x xmlns:p="urn:a">1</p:x><x xmlns="urn:b">2</x><x>3</x></Root>',
        {},
    ),
    ({**of(a=TEXT), "xml": {"name": "##default"}}, {"a": "1"}, "<Root><a>1</a></Root>", {}),
    (
        {"allOf": [ref("Base"), of(b=TEXT)]},
        {"b": "2", "a": "1"},
        "<Root><a>1</a><b>2</b></Root>",
        {"Base": {**of(a=TEXT), "xml": {"name": "base"}}},
    ),
    (
        of(it={"allOf": [ref("Base"), of(b=TEXT)]}),
        {"it": {"a": "1"}},
        "<Root><it><a>1</a></it></Root>",
        {"Base": {**of(a=TEXT), "xml": {"name": "base"}}},
    ),
    (
        {**of(a={**TEXT, "xml": {"prefix": "p"}}), "xml": {"namespace": "urn:r", "prefix": "p"}},
        {"a": "1"},
        '<p:Root xmlns:p="urn:r"><p:a>1</p:a></p:Root>',
        {},
    ),
]


@pytest.mark.parametrize(("schema", "value", "text", "schemas"), NAMED)
def test_elements_have_the_names_and_the_order_of_the_schema(
    schema: Json, value: Json, text: str, schemas: dict[str, Json]
) -> None:
    root = described(schema, **schemas)
    assert write(root, value) == text
    etree.fromstring(text)
    assert read(root, text.encode()) == value


def test_a_name_without_a_namespace_is_read_in_any() -> None:
    assert read(described(of(a=INTEGER)), b'<Root xmlns="urn:x"><a>1</a></Root>') == {"a": 1}
    declared = of(a={**INTEGER, "xml": {"namespace": "urn:a"}})
    assert read(described(declared), b'<Root><a xmlns="urn:b">1</a></Root>') == {"a": "1"}
