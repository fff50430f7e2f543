"""Pictures of the pages of all tools side by side, put together by the browser."""

from __future__ import annotations

import tempfile
from base64 import b64decode, b64encode
from collections.abc import Mapping
from html import escape
from pathlib import Path

from lab.docs_pages.measure import WIDTHS
from tests.browser import Browser, Page

# The width of one page in a picture, and how many stand in a row.
_SHOWN = {"desktop": (640, 2), "phone": (312, 4)}
_HTML = """<!doctype html>
<meta charset="utf-8">
<style>
body {{ margin: 0; display: grid; gap: 12px; padding: 12px; background: #8a929c;
  grid-template-columns: repeat({columns}, {width}px); width: max-content }}
figure {{ margin: 0; background: #fff }}
figcaption {{ padding: 4px 8px; font: 600 14px system-ui, sans-serif }}
img {{ display: block; width: {width}px }}
</style>
{figures}
"""
_FIGURE = (
    '<figure><figcaption>{label}</figcaption><img src="data:image/png;base64,{data}"></figure>'
)
_QUALITY = 70


def first_screen(page: Page, size: str) -> bytes:
    """Return a picture of what a page shows without scrolling, as PNG."""
    page.call("Emulation.setScrollbarsHidden", hidden=True)
    width, height = WIDTHS[size]
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    return b64decode(page.call("Page.captureScreenshot", clip=clip)["data"])


def side_by_side(browser: Browser, screens: Mapping[str, bytes], size: str, file: Path) -> None:
    """Write a picture of several first screens, each below its label, as WebP."""
    width, columns = _SHOWN[size]
    figures = "\n".join(
        _FIGURE.format(label=escape(label), data=b64encode(data).decode())
        for label, data in screens.items()
    )
    with tempfile.TemporaryDirectory() as directory:
        html = Path(directory, "screens.html")
        html.write_text(_HTML.format(columns=columns, width=width, figures=figures), "utf-8")
        page = browser.open(html)
        page.resize(columns * (width + 12) + 12)
        height = page.evaluate("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": columns * (width + 12) + 12, "height": height, "scale": 1}
        options = {"format": "webp", "quality": _QUALITY, "captureBeyondViewport": True}
        taken = page.call("Page.captureScreenshot", clip=clip, **options)
    file.write_bytes(b64decode(taken["data"]))
