"""Values in XML, from generated clients to generated servers and to other servers.

What a client or a server sends is judged by the parser of the standard library, which knows nothing
of this package.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
import xmlschema

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, ref
from tests.functional.origin import Answer, Origin
from tests.serving import Server

TEXT: Json = {"type": "string"}
INTEGER: Json = {"type": "integer"}
# The schemas of Swagger's Petstore, with an attribute and a namespace.
SCHEMAS: Json = {
    "Category": {
        "type": "object",
        "properties": {"id": INTEGER, "name": TEXT},
        "xml": {"name": "category"},
    },
    "Tag": {
        "type": "object",
        "properties": {"id": INTEGER, "name": TEXT},
        "xml": {"name": "tag"},
    },
    "Pet": {
        "type": "object",
        "required": ["name", "photoUrls"],
        "properties": {
            "id": {"type": "integer", "format": "int64"},
            "name": {"type": "string", "maxLength": 20},
            "category": ref("Category"),
            "photoUrls": {
                "type": "array",
                "xml": {"wrapped": True},
                "items": {**TEXT, "xml": {"name": "photoUrl"}},
            },
            "tags": {"type": "array", "xml": {"wrapped": True}, "items": ref("Tag")},
            "status": {"type": "string", "enum": ["available", "pending", "sold"]},
            "born": {"type": "string", "format": "date", "xml": {"attribute": True}},
            "weight": {
                "type": "number",
                "xml": {"namespace": "urn:units", "prefix": "u"},
            },
            "friends": {"type": "array", "items": {"type": "string", "xml": {"name": "friend"}}},
            "isTame": {"type": ["boolean", "null"]},
        },
        "xml": {"name": "pet"},
    },
    "Problem": {
        "type": "object",
        "required": ["detail"],
        "properties": {"detail": TEXT, "status": INTEGER},
        "xml": {"name": "problem", "namespace": "urn:ietf:rfc:7807"},
    },
}


def both(schema: Json) -> Json:
    return {
        "content": {"application/json": {"schema": schema}, "application/xml": {"schema": schema}}
    }


def xml(schema: Json, media_type: str = "application/xml") -> Json:
    return {"content": {media_type: {"schema": schema}}}


def operation(name: str, response: Json, body: Json | None = None) -> Json:
    made: Json = {"operationId": name, "tags": ["pets"], "responses": {"200": response}}
    return made if body is None else {**made, "requestBody": {"required": True, **body}}


PETS: Json = {"type": "array", "items": ref("Pet")}
FAILED: Json = {"description": "It failed.", **xml(ref("Problem"), "application/problem+xml")}
PATHS: Json = {
    "/pet": {
        "post": operation("addPet", {"description": "It.", **both(ref("Pet"))}, both(ref("Pet"))),
        "put": operation("updatePet", {"description": "It.", **xml(ref("Pet"))}, xml(ref("Pet"))),
    },
    "/pets": {"get": operation("findPets", {"description": "All.", **both(PETS)})},
    "/latin": {
        "put": operation(
            "latin",
            {"description": "It."},
            xml(ref("Pet"), "application/xml; charset=ISO-8859-1"),
        )
    },
    "/feed": {
        "get": operation("feed", {"description": "It.", **xml(TEXT, "application/atom+xml")}),
        "put": operation("replaceFeed", {"description": "It."}, xml({}, "text/xml")),
    },
}
PATHS["/pet"]["put"]["responses"]["default"] = FAILED

WHOLE: Json = {
    "id": 7,
    "name": "Bär <&> ]]>",
    "category": {"id": 1, "name": "bears"},
    "photo_urls": ["a", ""],
    "tags": [{"id": 1, "name": "x"}, {"name": "y"}],
    "status": "sold",
    "born": "2020-01-02",
    "weight": 12.5,
    "friends": ["a", "b"],
    "is_tame": None,
}


@pytest.fixture(scope="session")
def made(package: Generate) -> ModuleType:
    return package(document(PATHS, SCHEMAS))


def implementation(made: ModuleType, stub: ModuleType) -> Any:
    class Pets(stub.Pets):  # type: ignore[misc, name-defined]
        async def add_pet(self, *, body: Any, context: Any) -> Any:
            return body

        async def update_pet(self, *, body: Any, context: Any) -> Any:
            return body

        async def find_pets(self, *, context: Any) -> Any:
            return [
                made.models.Pet(name="a", photo_urls=[]),
                made.models.Pet(name="b", photo_urls=[]),
            ]

        async def feed(self, *, context: Any) -> Any:
            return "<feed/>"

        async def latin(self, *, body: Any, context: Any) -> Any:
            return None

        async def replace_feed(self, *, body: Any, context: Any) -> Any:
            assert body == "<feed>ä</feed>"

    return Pets()


@pytest.fixture(scope="session")
def server(made: ModuleType) -> Iterator[Server]:
    stub = importlib.import_module(f"{made.__name__}.server")
    with Server(stub.create_app(pets=implementation(made, stub))) as started:
        yield started


@pytest.fixture
def client(made: ModuleType, server: Server) -> Iterator[Any]:
    with made.Client(base_url=server.url) as client:
        yield client


@pytest.mark.parametrize("arguments", [{}, {"content_type": "application/xml"}])
@pytest.mark.parametrize("accept", [None, "application/xml"])
def test_a_value_is_the_same_in_all_media(
    client: Any, made: ModuleType, arguments: Json, accept: str | None
) -> None:
    pet = client.pets.add_pet(**WHOLE, **arguments, accept=accept)
    assert pet == made.models.Pet(**WHOLE)
    assert pet.model_dump(by_alias=True, exclude_unset=True)["isTame"] is None


def test_the_document_names_the_encoding(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(status=200, body=b""))
    with made.Client(base_url=origin.url) as client:
        client.pets.latin(name="\xe4\u4e2d", photo_urls=[])
        client.pets.replace_feed(body="<feed>\xe4</feed>")
    pet, feed = origin.asked
    assert b"\xe4&#20013;" in pet.body
    assert ElementTree.fromstring(pet.body).findtext("name") == "\xe4\u4e2d"
    assert feed.headers["content-type"] == "text/xml; charset=utf-8"
    assert feed.body == "<feed>\xe4</feed>".encode()


def test_only_xml_is_sent_by_default(client: Any, made: ModuleType) -> None:
    response = client.with_raw_response(client.pets.update_pet, **WHOLE)
    assert response.headers["content-type"] == "application/xml"
    assert client.pets.update_pet(**WHOLE) == made.models.Pet(**WHOLE)


def test_what_is_sent_is_what_others_read(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(body=b"<pet><name>x</name><photoUrls/></pet>", headers=XML))
    with made.Client(base_url=origin.url) as client:
        client.pets.update_pet(**WHOLE)
    (asked,) = origin.asked
    assert asked.headers["content-type"] == "application/xml"
    assert asked.headers["accept"].startswith("application/xml")
    pet = ElementTree.fromstring(asked.body)
    assert pet.tag == "pet"
    assert pet.attrib == {"born": "2020-01-02"}
    assert [(part.tag, part.text) for part in pet if len(part) == 0] == [
        ("id", "7"),
        ("name", "Bär <&> ]]>"),
        ("status", "sold"),
        ("{urn:units}weight", "12.5"),
        ("friend", "a"),
        ("friend", "b"),
        ("isTame", None),
    ]
    assert pet.findtext("category/name") == "bears"
    assert [url.text for url in pet.findall("photoUrls/photoUrl")] == ["a", None]
    assert [tag.findtext("name") for tag in pet.findall("tags/tag")] == ["x", "y"]
    nil = "{http://www.w3.org/2001/XMLSchema-instance}nil"
    assert pet.find("isTame").attrib == {nil: "true"}  # type: ignore[union-attr]


# What the document says, as a person would write it in XML Schema.
XSD = """\
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="pet"><xs:complexType>
    <xs:sequence>
      <xs:element name="id" type="xs:long" minOccurs="0"/>
      <xs:element name="name"><xs:simpleType><xs:restriction base="xs:string">
        <xs:maxLength value="20"/></xs:restriction></xs:simpleType></xs:element>
      <xs:element name="category" type="named" minOccurs="0"/>
      <xs:element name="photoUrls"><xs:complexType><xs:sequence>
        <xs:element name="photoUrl" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element name="tags" minOccurs="0"><xs:complexType><xs:sequence>
        <xs:element name="tag" type="named" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence></xs:complexType></xs:element>
      <xs:element name="status" type="status" minOccurs="0"/>
      <xs:any namespace="urn:units" processContents="skip" minOccurs="0"/>
      <xs:element name="friend" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
      <xs:element name="isTame" type="xs:boolean" nillable="true" minOccurs="0"/>
    </xs:sequence>
    <xs:attribute name="born" type="xs:date"/>
  </xs:complexType></xs:element>
  <xs:complexType name="named"><xs:sequence>
    <xs:element name="id" type="xs:long" minOccurs="0"/>
    <xs:element name="name" type="xs:string" minOccurs="0"/>
  </xs:sequence></xs:complexType>
  <xs:simpleType name="status"><xs:restriction base="xs:string">
    <xs:enumeration value="available"/><xs:enumeration value="sold"/>
  </xs:restriction></xs:simpleType>
</xs:schema>
"""


@pytest.mark.parametrize(
    "left_out", [(), ("id", "tags", "born"), ("category", "status", "weight", "friends", "is_tame")]
)
def test_what_is_sent_is_valid_by_xml_schema(
    made: ModuleType, origin: Origin, left_out: tuple[str, ...]
) -> None:
    origin.answer(Answer(body=b"<pet><name>x</name><photoUrls/></pet>", headers=XML))
    pet = {name: value for name, value in WHOLE.items() if name not in left_out}
    with made.Client(base_url=origin.url) as client:
        # In another order than that of the document.
        client.pets.update_pet(**dict(reversed(pet.items())))
    (asked,) = origin.asked
    xmlschema.validate(asked.body, xmlschema.XMLSchema(XSD))


XML = {"content-type": "application/xml"}


def test_a_list_has_a_root(client: Any, server: Server) -> None:
    assert [pet.name for pet in client.pets.find_pets(accept="application/xml")] == ["a", "b"]
    response = httpx2.get(f"{server.url}/pets", headers={"accept": "application/xml"})
    assert [pet.findtext("name") for pet in ElementTree.fromstring(response.content)] == ["a", "b"]


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/json"),
        ("application/xml", "application/xml"),
        ("application/json;q=0.5, application/*;q=0.8", "application/xml"),
        ("text/html, application/xml;q=0.9, */*;q=0.8", "application/xml"),
        ("application/json;q=x, application/xml", "application/xml"),
        ("text/html", "application/json"),
    ],
)
def test_the_server_sends_what_is_preferred(server: Server, accept: str, media_type: str) -> None:
    response = httpx2.get(f"{server.url}/pets", headers={"accept": accept})
    assert response.headers["content-type"] == media_type


# The answers of Java's reference implementations, of public records: Jackson names the root after
# the class and writes null as an empty element; Jersey names the root of a list after the items.
JACKSON = (
    b"<Pet><id>123</id><category><id/><name/></category><name>n</name><photoUrls><photoUrl/>"
    b"</photoUrls><tags><tag><id/><name/></tag></tags><status>sold</status></Pet>"
)
LISTS = (b"<ArrayList><item>%s</item></ArrayList>", b"<pets><Pet>%s</Pet></pets>")


def test_answers_of_the_reference_implementation_are_read(made: ModuleType, origin: Origin) -> None:
    origin.answer(
        Answer(body=JACKSON, headers=XML),
        *(Answer(body=each % JACKSON[5:-6], headers=XML) for each in LISTS),
    )
    expected = made.models.Pet(
        id=123,
        category=made.models.Category(name=""),
        name="n",
        photo_urls=[""],
        tags=[made.models.Tag(name="")],
        status="sold",
    )
    with made.Client(base_url=origin.url) as client:
        assert client.pets.update_pet(**WHOLE) == expected
        for _ in LISTS:
            assert client.pets.find_pets() == [expected]


def test_an_error_in_xml_is_read(made: ModuleType, origin: Origin) -> None:
    body = b'<problem xmlns="urn:ietf:rfc:7807"><detail>No.</detail><status>418</status></problem>'
    headers = {"content-type": "application/problem+xml"}
    origin.answer(Answer(418, body, headers), Answer(418, b"<problem", headers))
    with made.Client(base_url=origin.url) as client:
        with pytest.raises(made.errors.ApiStatusError, match=r"418: No\.") as caught:
            client.pets.update_pet(**WHOLE)
        assert caught.value.body == made.models.Problem(detail="No.", status=418)
        with pytest.raises(made.errors.ApiStatusError) as caught:
            client.pets.update_pet(**WHOLE)
        assert caught.value.body is None


def detail(response: httpx2.Response) -> str:
    return ElementTree.fromstring(response.content).findtext("{urn:ietf:rfc:7807}detail") or ""


def test_an_error_of_the_server_is_in_the_declared_form(server: Server) -> None:
    response = httpx2.put(f"{server.url}/pet", content=b"<pet>", headers=XML)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/problem+xml"
    assert ElementTree.fromstring(response.content).tag == "{urn:ietf:rfc:7807}problem"
    assert "is not valid" in detail(response)


def test_a_body_without_a_description_is_a_text(client: Any) -> None:
    assert client.pets.feed() == "<feed/>"
    client.pets.replace_feed(body="<feed>ä</feed>")


HOSTILE = [
    b'<!DOCTYPE pet [<!ENTITY a "x">]><pet><name>&a;</name><photoUrls/></pet>',
    b'<!DOCTYPE pet SYSTEM "http://127.0.0.1:1/pet.dtd"><pet/>',
    b"<pet>" * 300 + b"</pet>" * 300,
    b"<pet><name>\x00</name><photoUrls/></pet>",
    b"<pet><name>&#1;</name><photoUrls/></pet>",
    b"<pet><name>x</photoUrls></pet>",
    b"<p:pet/>",
    b"<pet/><pet/>",
    b'<?xml version="1.0" encoding="unicode_escape"?><pet/>',
    b"",
]


@pytest.mark.parametrize("body", HOSTILE)
def test_what_is_not_plain_xml_is_refused(server: Server, body: bytes) -> None:
    response = httpx2.put(f"{server.url}/pet", content=body, headers=XML)
    assert response.status_code == 400, response.text
    assert "is not valid" in response.text


@pytest.mark.parametrize("body", HOSTILE)
def test_a_response_that_is_not_plain_xml_is_invalid(
    made: ModuleType, origin: Origin, body: bytes
) -> None:
    origin.answer(Answer(body=body, headers=XML))
    with (
        made.Client(base_url=origin.url) as client,
        pytest.raises(made.errors.InvalidResponseError),
    ):
        client.pets.update_pet(**WHOLE)


@pytest.mark.parametrize(
    ("inner", "param"),
    [
        ("<name>x</name>", "photoUrls"),
        ("<name>x</name><photoUrls/><id>many</id>", "id"),
        ("<name>" + "x" * 21 + "</name><photoUrls/>", "name"),
        ("<name>x</name><name>y</name><photoUrls/>", "name"),
        ("<name>x</name><photoUrls/><tags><tag><id>1.5</id></tag></tags>", "tags.0.id"),
        ("<name>x</name><photoUrls/><status>gone</status>", "status"),
    ],
)
def test_a_value_is_judged_by_its_schema(server: Server, inner: str, param: str) -> None:
    body = f"<pet>{inner}</pet>"
    response = httpx2.put(f"{server.url}/pet", content=body.encode(), headers=XML)
    assert response.status_code == 400, response.text
    assert detail(response).startswith(f"{param}: ")


@pytest.mark.parametrize(
    "changed", [{"name": "a\0"}, {"tags": [{"name": "\x1f"}]}, {"category": {"name": "\ud800"}}]
)
def test_a_text_that_xml_lacks_is_refused(client: Any, made: ModuleType, changed: Json) -> None:
    with pytest.raises(made.errors.InvalidArgumentError, match=r"body"):
        client.pets.update_pet(**{**WHOLE, **changed})


def test_a_key_that_is_not_a_name_is_refused(client: Any, made: ModuleType) -> None:
    tag = made.models.Tag.model_validate({"not a name": 1})
    words = r"body: tags\.0\.not a name: this is not a name in XML"
    with pytest.raises(made.errors.InvalidArgumentError, match=words):
        client.pets.update_pet(**{**WHOLE, "tags": [tag]})


@pytest.mark.parametrize(
    ("encoding", "media_type"),
    [
        ("utf-16", "application/xml"),
        ("utf-16", "application/xml; charset=utf-16"),
        ("iso-8859-1", "application/xml; charset=ISO-8859-1"),
        ("utf-8-sig", "application/xml; charset=ISO-8859-1"),
    ],
)
def test_encodings_are_those_of_the_mark_the_header_or_the_declaration(
    server: Server, encoding: str, media_type: str
) -> None:
    declared = "utf-8" if "charset" in media_type else encoding
    text = f'<?xml version="1.0" encoding="{declared}"?><pet><name>\xe4</name><photoUrls/></pet>'
    response = httpx2.put(
        f"{server.url}/pet", content=text.encode(encoding), headers={"content-type": media_type}
    )
    assert ElementTree.fromstring(response.content).findtext("name") == "\xe4"
