"""What a page has about the whole API: contact, licence, credentials, and the document itself."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import yaml

from specwright.config import PackageOptions
from specwright.document.sources.load import load_in_part
from specwright.pipeline import reference
from tests.conftest import Run
from tests.reference.pages import Page
from tests.reference.shop import page, shop, write

SCHEME = {
    "type": "oauth2",
    "flows": {
        "authorizationCode": {
            "authorizationUrl": "https://id.example/start",
            "tokenUrl": "https://id.example/token",
            "refreshUrl": "javascript:alert(1)",
            "scopes": {"read": "Read *all*.", "write": "Change it."},
        },
        "clientCredentials": {
            "tokenUrl": "https://id.example/token",
            "scopes": {"read": "Read *all*."},
        },
    },
}


def with_oauth() -> dict[str, Any]:
    document = shop()
    document["components"]["securitySchemes"]["sign_in"] = SCHEME
    get = document["paths"]["/items/{id}"]["get"]
    get["security"] = [{"sign_in": ["read"]}, {"sign_in": ["read", "hidden"], "key": []}]
    document["paths"]["/items"]["post"]["security"] = [{"sign_in": ["write", "read"]}]
    return document


def text(html: str) -> str:
    return " ".join(Page(html).text.split())


def test_contact_licence_and_terms_are_links(tmp_path: Path) -> None:
    document = shop(externalDocs={"url": "https://shop.example/guide", "description": "The guide"})
    document["info"] |= {
        "summary": "Buy things.",
        "contact": {"name": "Ann", "url": "https://shop.example/help", "email": "a@shop.example"},
        "license": {"name": "MIT", "url": "https://mit.example/"},
        "termsOfService": "https://shop.example/terms",
    }
    document["tags"][0]["externalDocs"] = {"url": "https://shop.example/items"}
    document["paths"]["/items"]["post"]["externalDocs"] = {"url": "https://shop.example/create"}
    html = page(tmp_path, document)
    shown = text(html)
    assert "Contact Ann , a@shop.example" in shown
    assert "Licence MIT Terms of service https://shop.example/terms More The guide" in shown
    assert "Buy things." in shown
    assert "Shop 1.2.0" in shown
    links = Page(html).links
    assert {
        *("https://shop.example/help", "mailto:a@shop.example", "https://mit.example/"),
        *("https://shop.example/terms", "https://shop.example/guide"),
        *("https://shop.example/items", "https://shop.example/create"),
    } < set(links)


def test_a_contact_may_be_a_name_alone(tmp_path: Path) -> None:
    document = shop()
    document["info"]["contact"] = {"name": "Ann"}
    assert "Contact Ann" in text(page(tmp_path, document))


def test_addresses_are_encoded(tmp_path: Path) -> None:
    document = shop()
    document["info"]["termsOfService"] = "https://shop.example/a b\u202e"
    assert "https://shop.example/a%20b%E2%80%AE" in Page(page(tmp_path, document)).links


def test_addresses_of_other_schemes_are_text(tmp_path: Path) -> None:
    attack = "javascript:alert(1)//\"'<b>"
    document = shop(externalDocs={"url": attack, "description": "More"})
    document["info"] |= {
        "contact": {"name": "Ann", "url": attack, "email": "a?subject=<b>@shop.example"},
        "license": {"name": "Own", "url": "data:text/html,1"},
        "termsOfService": attack,
    }
    html = page(tmp_path, document)
    outer = [link for link in Page(html).links if not link.startswith("#")]
    assert outer == [
        "data:,",
        "mailto:a%3Fsubject%3D%3Cb%3E@shop.example",
        "https://shop.example/about",
    ]
    assert f"Ann ({attack})" in text(html)
    assert "Own (data:text/html,1)" in text(html)


def test_servers_have_their_variables(tmp_path: Path) -> None:
    server = {
        "url": "https://{region}.shop.example/{base}",
        "description": "Ours.",
        "variables": {
            "region": {"default": "eu", "enum": ["eu", "us"], "description": "Where *it* is."},
            "base": {"default": "v1"},
        },
    }
    shown = text(page(tmp_path, shop(servers=[server])))
    assert (
        "https://eu.shop.example/v1 Ours. region Where it is. one of eu, us; default eu "
        "base default v1"
    ) in shown


def test_the_menu_has_methods(tmp_path: Path) -> None:
    menu = page(tmp_path, shop()).partition("</nav>")[0]
    assert "GET Get an item POST CreateItem" in text(menu + "</nav></body></html>")
    assert 'title="/items/{id}"' in menu


def test_addresses_and_scopes_of_oauth(tmp_path: Path) -> None:
    html = page(tmp_path, with_oauth())
    shown = text(html)
    assert (
        "Authorization code: authorization https://id.example/start "
        "Authorization code: token https://id.example/token "
        "Authorization code: refresh javascript:alert(1) "
        "Client credentials: token https://id.example/token"
    ) in shown
    assert "javascript:alert(1)" not in Page(html).links
    assert (
        "Scope Meaning Operations "
        "read Read all . 2 operations Get an item CreateItem "
        "write Change it. Authorization code 1 operation CreateItem "
        "hidden 1 operation Get an item"
    ) in shown
    assert "Credentials: sign_in (scope read ), or sign_in (scopes read , hidden ) and key" in shown
    assert "#scheme-sign_in" in Page(html).links


def test_metadata_of_open_id_is_linked(tmp_path: Path) -> None:
    document = shop()
    document["components"]["securitySchemes"]["key"] = {
        "type": "openIdConnect",
        "openIdConnectUrl": "https://id.example/.well-known/openid-configuration",
    }
    found = Page(page(tmp_path, document))
    assert "https://id.example/.well-known/openid-configuration" in found.links


def offered(html: str) -> dict[str, str]:
    """The document of a page with its name."""
    [(name, packed)] = re.findall('id="document" data-name="([^"]*)">([^<]*)</script>', html)
    return {"name": name, "text": zlib.decompress(base64.b64decode(packed), -15).decode()}


def test_the_document_is_offered_as_it_is(tmp_path: Path) -> None:
    written = "# Ours\r\n" + yaml.safe_dump(shop(), allow_unicode=True) + "# \u202e</script>\n"
    path = tmp_path / "api.yaml"
    path.write_bytes(written.encode())
    html = reference(load_in_part(path), PackageOptions())["index.html"].decode()
    assert offered(html) == {"name": "openapi.yaml", "text": written}
    assert "\u202e" not in html


def test_a_document_in_older_words_is_offered_as_it_is(tmp_path: Path) -> None:
    document = shop(openapi="3.0.3")
    del document["webhooks"]
    document["components"]["schemas"]["Item"]["nullable"] = True
    assert json.loads(offered(page(tmp_path, document))["text"]) == document


def test_a_document_of_several_files_is_offered_as_one(tmp_path: Path) -> None:
    document = shop()
    (tmp_path / "item.yaml").write_text("type: object\ntitle: elsewhere\n")
    document["components"]["schemas"]["NewItem"] = {"$ref": "item.yaml"}
    file = offered(page(tmp_path, document))
    assert file["name"] == "openapi.json"
    (tmp_path / "one").mkdir()
    again = tmp_path / "one" / "openapi.json"
    again.write_text(file["text"])
    whole = load_in_part(again)
    assert not whole.unresolved
    assert whole.follow(whole.data["components"]["schemas"]["NewItem"])["title"] == "elsewhere"


def test_a_site_has_the_document_beside_its_pages(specwright: Run, tmp_path: Path) -> None:
    source = write(tmp_path, shop())
    done = specwright("docs", source, "--output", "site", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "site" / "openapi.json").read_text() == source.read_text()
    html = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert '<a href="openapi.json" download>' in html
    assert "document" not in Page(html).data


def test_the_document_can_be_kept_back(specwright: Run, tmp_path: Path) -> None:
    source = write(tmp_path, shop(**{"x-secret": "not for readers"}))
    for output in ("page.html", "site"):
        done = specwright("docs", source, "--no-download", "--output", output, cwd=tmp_path)
        assert done.returncode == 0
    written = [tmp_path / "page.html", *(tmp_path / "site").iterdir()]
    assert {path.suffix for path in written} == {".html"}
    assert not [path for path in written if "not for readers" in path.read_text("utf-8")]
    assert not [path for path in written if 'class="download"' in path.read_text("utf-8")]
