"""`specwright docs` writes everything of a document, as one page or as a site."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import shlex
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.reference.pages import Page, digest
from tests.reference.shop import page as page_of
from tests.reference.shop import pages, shop, write


@pytest.fixture(scope="module")
def html(specwright: Run, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the shop."""
    place = tmp_path_factory.mktemp("shop")
    done = specwright("docs", write(place, shop()), "--output", "shop.html", cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"wrote shop\.html: 1 page, 0\.\d MB\n", done.stdout)
    return (place / "shop.html").read_text("utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def article(html: str, anchor: str) -> str:
    """The text of an article."""
    found = re.search(rf'<article id="{anchor}".*?</article>', html, re.DOTALL)
    assert found
    return " ".join(Page(found[0]).text.split())


def samples(html: str, *titles: str) -> list[tuple[str, str]]:
    """The titles and texts of samples."""
    found = re.findall(
        r'data-program="[^>]*><summary>(.*?)</summary><pre><code>(.*?)</code>', html, re.DOTALL
    )
    chosen = titles or ("curl", "Python")
    return [(title, unescape(text)) for title, text in found if title in chosen]


def marked(name: str) -> str:
    """The digest of a name in an anchor."""
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def test_the_page_is_whole_and_its_links_lead_somewhere(page: Page) -> None:
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    inner = {link.removeprefix("#") for link in page.links if link.startswith("#")}
    assert inner <= set(page.ids)
    assert {"getItem", "createItem", "onItemSold", "model-Item", "error-sold_out"} <= inner


def test_nothing_is_loaded_and_only_this_script_runs(page: Page) -> None:
    outer = [link for link in page.links if not link.startswith("#")]
    assert outer == ["data:,", "https://shop.example/about"]
    assert not {tag for tag, _ in page.elements} & {"img", "iframe", "object", "base"}
    assert not [name for name, _ in page.attributes if name == "src" or name.startswith("on")]
    assert page.policy == (
        f"default-src 'none'; style-src 'sha256-{digest(page.style)}'; "
        f"script-src 'sha256-{digest(page.scripts[0])}' 'sha256-{digest(page.scripts[1])}'; "
        "connect-src http: https:; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_types_are_words_before_the_names_of_models(html: str) -> None:
    read = article(html, "getItem")
    assert "id required path string ItemId" in read
    assert "fields query array of string" in read
    assert "at most 20 characters" in read
    assert "parts array of object Item" in article(html, "model-Item")


def test_properties_of_inline_schemas_are_shown_and_models_are_linked(html: str) -> None:
    shown = article(html, "model-Item")
    assert "1 property height number at least 0" in shown
    assert "new , sold ; more may be added" in shown
    # A request lists the properties of its model, a response links it.
    assert "name required string note string" in article(html, "createItem")
    assert "200 object Item The item." in article(html, "getItem")


def test_titles_that_fold_hold_no_links_and_levels_follow_each_other(page: Page) -> None:
    assert not [tags for tags in page.above if tags[-1:] == ["a"] and "summary" in tags]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert all(level <= before + 1 for before, level in pairwise(levels))


def test_error_codes_have_meanings(html: str, page: Page) -> None:
    assert "sold_out The item is sold out" in article(html, "getItem")
    text = " ".join(page.text.split())
    assert "sold_out 400 invalid The item is sold out" in text
    assert "bad_json 400 invalid The request body is not JSON." in text


def test_errors_that_operations_share_are_written_once(html: str) -> None:
    assert "X-Trace string" in article(html, "response-Failed")
    assert html.partition("<footer>")[0].count("Too late.") == 1
    assert "Body and headers" in article(html, "getItem")


def test_declared_rules_are_in_words(html: str, page: Page) -> None:
    read = article(html, "getItem")
    assert (
        "Rate limit At most 60 requests in any 30 seconds for each key , together with the other "
        "operations of the class read ." in read
    )
    assert "As declared class read" in read
    assert "limit 60 Requests allowed in any window." in read
    assert "window_seconds 30 Length of the sliding window in seconds." in read
    assert "Rate limit" in article(html, "getItem")
    assert "Rate limit" not in article(html, "createItem")
    assert "classes.read.limit 60" in " ".join(page.text.split())


def test_webhooks_have_a_payload_and_no_calls(html: str) -> None:
    shown = article(html, "onItemSold")
    assert "id required string ItemId" in shown
    assert "curl" not in shown
    assert "<code>item.sold</code>" in html


def test_samples_are_requests_of_a_shell_and_calls_of_the_client(html: str) -> None:
    found = samples(html)
    assert found == [
        (
            "curl",
            'curl https://shop.example/api/items/it%201 \\\n  --header "X-Key: ${SHOP_API_KEY}"',
        ),
        (
            "Python",
            "from shop import ShopClient\n\nwith ShopClient() as client:\n"
            '    print(client.items.get_item("it 1"))\n',
        ),
        (
            "curl",
            "curl --request POST https://shop.example/api/items \\\n"
            '  --header "X-Key: ${SHOP_API_KEY}" \\\n'
            "  --header 'Content-Type: application/json' \\\n"
            '  --data \'{\n  "name": "it\'"\'"\'s a cup"\n}\'',
        ),
        (
            "Python",
            "from shop import ShopClient\n\nwith ShopClient() as client:\n"
            '    print(client.items.create_item(name="it\'s a cup"))\n',
        ),
    ]


def test_names_in_calls_are_those_of_the_project(specwright: Run, tmp_path: Path) -> None:
    write(tmp_path, shop())
    (tmp_path / "pyproject.toml").write_text(
        '[tool.specwright]\ndocument = "openapi.json"\n'
        'package = "store"\nshort-method-names = true\n'
    )
    assert specwright("docs", "--output", "d.html", cwd=tmp_path).returncode == 0
    calls = [
        text
        for title, text in samples((tmp_path / "d.html").read_text("utf-8"))
        if title == "Python"
    ]
    assert 'client.items.get("it 1")' in calls[0]
    assert "from store import StoreClient" in calls[0]


@pytest.mark.parametrize(
    ("scheme", "word"),
    [
        ({"type": "http", "scheme": "Bearer"}, '--header "Authorization: Bearer ${SHOP_TOKEN}"'),
        ({"type": "http", "scheme": "basic"}, '--user "${SHOP_AUTH}"'),
        ({"type": "http", "scheme": "digest"}, '--digest --user "${SHOP_AUTH}"'),
        (
            {"type": "apiKey", "in": "query", "name": "k y"},
            '"https://shop.example/api/items/it%201?k%20y=${SHOP_API_KEY}"',
        ),
        ({"type": "apiKey", "in": "cookie", "name": "sid"}, '--cookie "sid=${SHOP_API_KEY}"'),
        (
            {"type": "openIdConnect", "openIdConnectUrl": "https://a.example"},
            "Authorization: Bearer ${SHOP_TOKEN}",
        ),
    ],
)
def test_every_kind_of_credential_has_its_place(
    scheme: dict[str, str], word: str, tmp_path: Path
) -> None:
    document = shop()
    document["components"]["securitySchemes"] = {"key": scheme}
    assert word in samples(page_of(tmp_path, document))[0][1]


def test_credentials_of_several_schemes_have_a_variable_each(tmp_path: Path) -> None:
    document = shop()
    document["components"]["securitySchemes"]["signIn"] = {"type": "http", "scheme": "basic"}
    document["paths"]["/items/{id}"]["get"]["security"] = [{"key": [], "signIn": []}]
    text = samples(page_of(tmp_path, document))[0][1]
    assert '--header "X-Key: ${SHOP_KEY}"' in text
    assert '--user "${SHOP_SIGN_IN}"' in text


def test_an_operation_without_a_server_takes_it_from_the_environment(tmp_path: Path) -> None:
    html = page_of(tmp_path, shop(servers=[{"url": "/api"}]))
    assert samples(html)[0][1].startswith('curl "${SHOP_BASE_URL}/items/it%201"')


def test_forms_and_files_are_parts_of_a_command(tmp_path: Path) -> None:
    document = shop()
    post = document["paths"]["/items"]["post"]
    schema = {
        "type": "object",
        "required": ["name", "photo"],
        "properties": {
            "name": {"type": "string", "const": "a & b"},
            "photo": {"type": "string", "format": "binary"},
        },
    }
    post["requestBody"]["content"] = {"multipart/form-data": {"schema": schema}}
    text = samples(page_of(tmp_path, document))[2][1]
    assert "--form-string 'name=a & b'" in text
    assert "--form photo=@file" in text
    post["requestBody"]["content"] = {"application/octet-stream": {}}
    text = samples(page_of(tmp_path, document))[2][1]
    assert text.endswith(
        "--header 'Content-Type: application/octet-stream' \\\n  --data-binary @body"
    )
    del schema["properties"]["photo"], schema["required"]
    post["requestBody"]["content"] = {"application/x-www-form-urlencoded": {"schema": schema}}
    assert samples(page_of(tmp_path, document))[2][1].endswith("--data name=a+%26+b")


def test_a_value_that_cannot_be_written_plainly_is_left_open(tmp_path: Path) -> None:
    document = shop()
    content = document["paths"]["/items"]["post"]["requestBody"]["content"]
    content["application/json"] = {"schema": {"type": "object"}}
    assert "client.items.create_item(body=...)" in samples(page_of(tmp_path, document))[3][1]


def test_calls_of_the_own_api_exist(specwright: Run, root: Path, tmp_path: Path) -> None:
    from partner_esim import EsimClient

    assert specwright("docs", "--output", tmp_path / "d.html").returncode == 0
    html = (tmp_path / "d.html").read_text("utf-8")
    calls = [text for title, text in samples(html) if title == "Python"]
    paths = json.loads((root / "spec/openapi.json").read_text("utf-8"))["paths"]
    assert len(calls) == sum(map(len, paths.values()))
    with EsimClient(api_key="k", base_url="http://127.0.0.1") as client:
        for call in calls:
            assert "..." not in call or "events" in call
            ast.parse(call)
            group, method = re.findall(r"client\.(\w+)\.(\w+)\(", call)[0]
            assert callable(getattr(getattr(client, group), method))
    assert any("for item in client.orders.list():\n        print(item)" in call for call in calls)


def test_a_site_has_a_page_for_each_group(specwright: Run, tmp_path: Path) -> None:
    done = specwright("docs", write(tmp_path, shop()), "--output", tmp_path / "site")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"wrote {tmp_path.as_posix()}/site: 5 pages, 0.2 MB\n"
    site = (tmp_path / "site").glob("*.html")
    files = {path.name: Page(path.read_text("utf-8")) for path in site}
    assert files.keys() == {
        *("index.html", "items.html", "webhooks.html", "shared-errors.html", "models.html")
    }
    assert "getItem" in files["items.html"].ids
    assert "getItem" not in files["index.html"].ids
    for name, page in files.items():
        for link in page.links:
            file, _, anchor = link.partition("#")
            if not link.startswith(("https:", "data:", "openapi.json")):
                assert not anchor or anchor in files[file or name].ids, (name, link)
    # The current page is marked without a script.
    assert ("aria-current", "page") in files["items.html"].attributes
    assert 'title="item.sold"' in (tmp_path / "site" / "items.html").read_text("utf-8")


def test_tags_that_could_be_other_files_are_not(tmp_path: Path) -> None:
    document = shop()
    document["paths"]["/items"]["post"]["tags"] = ["../../index"]
    document["paths"]["/items/{id}"]["get"]["tags"] = ["models"]
    document["tags"] = []
    names = pages(tmp_path, document, is_site=True).keys()
    assert names == {
        *("index.html", f"index~{marked('../../index')}.html"),
        *("models.html", f"models~{marked('models')}.html"),
        *("shared-errors.html", "webhooks.html"),
    }


def test_large_references_are_folded(tmp_path: Path) -> None:
    document = shop()
    get = document["paths"].pop("/items/{id}")
    few = page_of(tmp_path, shop())
    assert '<details class="section" open>' in few
    for number in range(45):
        document["paths"][f"/items/{number}/{{id}}"] = {
            "get": {**get["get"], "operationId": f"get{number}"}
        }
    assert '<details class="section" open>' not in page_of(tmp_path, document)


def test_long_examples_are_cut_with_a_note(tmp_path: Path) -> None:
    document = shop()
    body = document["paths"]["/items"]["post"]["requestBody"]["content"]["application/json"]
    body["example"] = {"name": "x" * 20_000}
    html = page_of(tmp_path, document)
    assert re.search(r"x{9000}\n… and 10\d\d\d more characters<", html)
    assert "--data-binary @body" in samples(html)[2][1]


def test_models_in_a_circle_have_an_end(tmp_path: Path) -> None:
    document = shop()
    schemas = document["components"]["schemas"]
    schemas["Item"]["properties"]["next"] = {
        "description": "The next one.",
        "allOf": [{"$ref": "#/components/schemas/Item"}],
    }
    schemas["More"] = {
        "allOf": [
            {"$ref": "#/components/schemas/Item"},
            {"type": "object", "properties": {"more": {"type": ["string", "null"]}}},
        ]
    }
    html = page_of(tmp_path, document)
    assert "next object Item The next one." in article(html, "model-Item")
    more = article(html, "model-More")
    assert "object Item and object" in more
    assert "state string" in more
    assert "more string or null" in more


def test_alternatives_without_a_name_are_shown(tmp_path: Path) -> None:
    document = shop()
    document["components"]["schemas"]["Item"]["properties"]["owner"] = {
        "oneOf": [
            {"type": "object", "title": "person", "properties": {"age": {"type": "integer"}}},
            {"type": "string", "format": "uuid"},
            {"type": "null"},
        ]
    }
    shown = article(page_of(tmp_path, document), "model-Item")
    assert "owner object or string (uuid) or null" in shown
    assert "person object 1 property age integer" in shown


def test_parts_that_are_left_out_are_named(specwright: Run, tmp_path: Path) -> None:
    document = shop()
    document["paths"]["/items"]["post"]["responses"] = {"201": {"$ref": "#/nowhere"}}
    done = specwright("docs", write(tmp_path, document), "--output", tmp_path / "d.html")
    assert done.returncode == 0
    assert "/nowhere" in done.stderr
    assert "getItem" in (tmp_path / "d.html").read_text("utf-8")


def test_a_document_that_is_none_writes_nothing(specwright: Run, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text("[]")
    done = specwright("docs", "--output", "d.html", cwd=tmp_path)
    assert done.returncode == 2
    assert "error: openapi.json:1:1" in done.stderr
    assert not (tmp_path / "d.html").exists()


def test_invalid_declarations_are_reported_and_fail(specwright: Run, tmp_path: Path) -> None:
    document = shop()
    document["paths"]["/items/{id}"]["get"]["x-contract-rate-limit"] = {"class": "none"}
    done = specwright("docs", write(tmp_path, document), "--output", tmp_path / "d.html")
    assert done.returncode == 1
    assert "error contract-reference 'none' is " in done.stderr
    assert not (tmp_path / "d.html").exists()


def test_an_output_of_another_kind_is_refused(specwright: Run, tmp_path: Path) -> None:
    write(tmp_path, shop())
    (tmp_path / "file").write_text("mine")
    (tmp_path / "d.html").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name, reason in (
        ("file", "is a file"),
        ("d.html", "is a directory"),
        ("link", "is a symbolic link"),
    ):
        done = specwright("docs", "--output", name, cwd=tmp_path)
        assert done.returncode == 2
        assert f"error: {name}: {reason}" in done.stderr
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


def test_the_same_document_makes_the_same_bytes(tmp_path: Path, html: str) -> None:
    assert page_of(tmp_path, shop()) == html


def test_a_shell_reads_hostile_text_as_one_word(tmp_path: Path) -> None:
    attack = "$(touch pwned)`touch pwned`'\"\\;touch pwned\n#"
    document = shop(servers=[{"url": f"https://shop.example/{attack}"}])
    document["components"]["securitySchemes"] = {
        "key": {"type": "apiKey", "in": "header", "name": attack}
    }
    body = document["paths"]["/items"]["post"]["requestBody"]["content"]["application/json"]
    body["example"] = {"name": attack}
    html = page_of(tmp_path, document)
    read, _, create, call = (text for _, text in samples(html))
    words = shlex.split(read.replace("\\\n", " "))
    assert words[0] == "curl"
    assert [word for word in words if word.startswith("https:")] == [
        f"https://shop.example/{attack}/items/it%201".replace("\n", "\\n")
    ]
    words = shlex.split(create.replace("\\\n", " "))
    assert json.loads(words[-1]) == {"name": attack}
    assert ast.literal_eval(re.findall(r"name=(\".*\")\)\)", call)[0]) == attack
