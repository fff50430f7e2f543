"""The reference page of the service: the one that the toolkit makes, with this base URL."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

from esim_service.http import document
from tests.browser import Browser
from tests.reference.pages import ANSWER, Page, digest

from .running import serving

BASE_URL = "http://127.0.0.1:8000/proxied/api/v1"
DEFAULT = "https://api.example.com/api/v1"


def test_every_operation_webhook_and_model_has_a_place() -> None:
    page, source = Page(document.reference_page(BASE_URL).decode()), document.load()
    operations = [
        each["operationId"]
        for kind in ("paths", "webhooks")
        for item in source[kind].values()
        for each in item.values()
    ]
    models = [f"model-{name}" for name in source["components"]["schemas"]]
    assert set(operations + models) <= set(page.ids)


def test_the_page_has_the_address_of_this_service() -> None:
    html = document.reference_page(BASE_URL).decode()
    page = Page(html)
    assert DEFAULT not in html
    assert f"curl --request POST {BASE_URL}/orders" in page.text
    assert json.loads(page.data["api"])["servers"] == [BASE_URL]
    download = zlib.decompress(base64.b64decode(page.data["document"]), -zlib.MAX_WBITS)
    assert download == document.render(BASE_URL)


def test_an_address_cannot_end_an_element() -> None:
    html = document.reference_page('https://a.example/"></script><u>/api/v1').decode()
    assert "<u>" not in html
    assert len(Page(html).scripts) == 2


def test_nothing_is_loaded_from_anywhere_and_only_this_script_runs() -> None:
    page = Page(document.reference_page(BASE_URL).decode())
    assert {link for link in page.links if not link.startswith("#")} == {"data:,"}
    digests = " ".join(f"'sha256-{digest(script)}'" for script in page.scripts)
    assert f"script-src {digests};" in page.policy
    assert f"style-src 'sha256-{digest(page.style)}'" in page.policy


def test_limits_are_told_where_a_value_is_sent() -> None:
    text = " ".join(Page(document.reference_page(BASE_URL).decode()).text.split())
    assert "at most 200" in text
    assert "limit 60 Requests allowed in any window." in text
    assert "The value is shown in this response only and never again." in text


def test_requests_can_be_tried_on_the_served_page(browser: Browser, tmp_path: Path) -> None:
    with serving(str(tmp_path / "service.db"), tmp_path) as running:
        page = browser.open(f"{running.reference}#getBalance")
        form = "document.querySelector('#getBalance form')"
        page.evaluate("document.querySelector('#getBalance > .trying').click()")
        assert page.evaluate(f"{form}.querySelector('input').value") == running.base_url
        page.evaluate(f"{form}.querySelector('.secret').value = '{running.key()}'")
        page.evaluate(f"{form}.requestSubmit()")
        answer = page.evaluate(ANSWER % "getBalance")
    assert answer.startswith("200 OK\n")
    assert '"balance_usd": ' in answer
    assert page.happened("Log.entryAdded") == []
