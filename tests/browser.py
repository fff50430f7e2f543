"""A headless Chromium, driven by its DevTools protocol over a pipe.

Only a browser knows whether a page runs a script, scrolls sideways or can be reached by the
keyboard. Playwright brings a Node runtime and browsers of its own version, Selenium a second
program that has to fit the browser; both are made for clicking through applications, and our pages
have no scripts. JSON that ends with a zero byte needs no WebSocket library either. Firefox and
Safari are not tested.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chromium-headless-shell",
)
# As a hung browser would take.
SECONDS = 60
# Window numbers of the keys that tests press, and the text that they type.
KEYS = {
    "Tab": (9, ""),
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "Space": (32, " "),
    "ArrowUp": (38, ""),
    "ArrowDown": (40, ""),
    "k": (75, "k"),
    "/": (191, "/"),
}
CONTROL = 2


def installed() -> str | None:
    """The command of a Chromium on the path."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser process; everything it keeps lies in one directory."""

    def __init__(self, command: str, directory: Path, *options: str) -> None:
        # It reads commands from descriptor 3 and writes answers to descriptor 4.
        self._process = subprocess.Popen(
            [
                *("sh", "-c", 'exec "$@" 3<&0 4>&1 0</dev/null 1>&2', "sh"),
                command,
                "--headless",
                "--remote-debugging-pipe",
                f"--user-data-dir={directory}",
                "--disable-background-networking",
                "--disable-dev-shm-usage",
                "--no-first-run",
                # Containers and the superuser have none; the pages are the tests' own.
                "--no-sandbox",
                *options,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        self._read = b""
        self._events: list[Any] = []

    def close(self) -> None:
        self.call("Browser.close")
        self._process.communicate(timeout=SECONDS)

    def open(self, place: Path | str, *, scripts: bool = True) -> Page:
        """A new page that shows a file or a URL, as soon as it has been loaded."""
        page = self.blank()
        page.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        page.go(place)
        return page

    def blank(self) -> Page:
        """A new page, before it shows anything."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        return page

    def call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """Return the result of a command; events that arrive meanwhile are kept."""
        self._last += 1
        command = {"id": self._last, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        assert self._process.stdin
        self._process.stdin.write(json.dumps(command).encode() + b"\0")
        self._process.stdin.flush()
        while (message := self._message()).get("id") != self._last:
            self._events.append(message)
        assert "error" not in message, message["error"]
        return message["result"]

    def events(self, session: str) -> list[Any]:
        """Return the events of a page so far."""
        return [event for event in self._events if event.get("sessionId") == session]

    def next_event(self) -> None:
        self._events.append(self._message())

    def _message(self) -> Any:
        assert self._process.stdout
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
            assert ready, "the browser does not answer"
            part = os.read(self._process.stdout.fileno(), 1 << 20)
            assert part, "the browser has ended"
            self._read += part
        message, _, self._read = self._read.partition(b"\0")
        return json.loads(message)


@dataclass
class Page:
    """One page, as its reader and its developer see it."""

    browser: Browser
    session: str

    def call(self, method: str, **parameters: Any) -> Any:
        return self.browser.call(method, self.session, **parameters)

    def go(self, place: Path | str) -> None:
        """Show a file or a URL, and wait until it has been loaded."""
        self.call("Page.navigate", url=place if isinstance(place, str) else place.as_uri())
        self.wait("Page.loadEventFired")

    def wait(self, event: str) -> None:
        while not self.happened(event):
            self.browser.next_event()

    def happened(self, event: str) -> list[Any]:
        """The parameters of each event of this kind."""
        events = self.browser.events(self.session)
        return [found["params"] for found in events if found["method"] == event]

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        outcome = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in outcome, outcome["exceptionDetails"]
        return outcome["result"].get("value")

    def resize(self, width: int, height: int = 800) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def show_as(self, scheme: str = "light", media: str = "screen") -> None:
        """Let the page believe in a colour scheme and in a screen or a printer."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def press(self, key: str, *, control: bool = False) -> None:
        code, text = KEYS[key]
        text = "" if control else text
        name = text if key == "Space" else key
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                **{"type": kind, "key": name, "code": key, "windowsVirtualKeyCode": code},
                modifiers=CONTROL if control else 0,
                **({"text": text} if text and kind == "keyDown" else {}),
            )

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """Write a screenshot of the whole page."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(b64decode(picture["data"]))
