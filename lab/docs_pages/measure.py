"""The size, the time and the memory of a page, and its violations of accessibility."""

from __future__ import annotations

import contextlib
import gzip
import json
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlsplit

from tests import axe
from tests.browser import Browser, Page, installed

WIDTHS = {"desktop": (1280, 800), "phone": (390, 844)}
# The width and the colour scheme.
VIEWS = {"desktop": ("desktop", "light"), "phone": ("phone", "light"), "dark": ("desktop", "dark")}
RUNS = 5
# A page without a long task for so many milliseconds is ready.
_QUIET = 1000
_LONGEST = 120_000
_WORK = Path(__file__).with_name("work.js").read_text("utf-8")
READING = Path(__file__).with_name("reading.js").read_text("utf-8")
_READY = """new Promise(resolve => {
  const look = () => {
    const [loading] = performance.getEntriesByType("navigation");
    const last = Math.max(loading.loadEventEnd, ...work.ends);
    const isReady = loading.loadEventEnd && performance.now() - last > %d
      && reading.text().includes(%s);
    isReady || performance.now() > %d
      ? resolve(isReady ? {ready: last / 1000, ...work} : null) : setTimeout(look, 100);
  };
  look();
})"""
_MEGA = 1_000_000


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a page.

    Attributes:
        ready: seconds until the last work before a quiet second.
        busy: seconds of processor time that the main thread of the page used until then.
        heap: megabytes of JavaScript objects, after a garbage collection.
        nodes: nodes of the document.
        size: megabytes of all files that were loaded.
        compressed: the same, compressed by gzip.
        elsewhere: other hosts that the page asked for something.
    """

    ready: float
    busy: float
    heap: float
    nodes: int
    size: float
    compressed: float
    elsewhere: Sequence[str]


@dataclass(frozen=True, slots=True)
class Violations:
    """The violations that axe-core finds on a page.

    Attributes:
        elements: the number of elements by impact.
        rules: the rules that they break.
    """

    elements: Mapping[str, int]
    rules: Sequence[str]


@contextlib.contextmanager
def browsing() -> Iterator[Browser]:
    """A browser that finds no host but this machine.

    Raises:
        SystemExit: there is no Chromium.
    """
    command = installed()
    if command is None:
        raise SystemExit("error: this needs Chromium on the path")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        browser = Browser(command, Path(profile), rules)
        try:
            yield browser
        finally:
            browser.close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextlib.contextmanager
def served(directory: Path) -> Iterator[str]:
    """Serve the files of a directory on this machine; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def show(browser: Browser, address: str, title: str, view: str = "desktop") -> tuple[Page, float]:
    """Open a page; return it when it is ready, and the seconds until then.

    Args:
        title: a text that the page shows when it is ready.

    Raises:
        TimeoutError: it does not become ready.
    """
    page = browser.blank()
    page.call("Performance.enable", timeDomain="threadTicks")
    page.call("Page.addScriptToEvaluateOnNewDocument", source=_WORK)
    size, scheme = VIEWS[view]
    page.resize(*WIDTHS[size])
    page.show_as(scheme)
    page.go(address)
    page.evaluate(READING)
    work = page.evaluate(_READY % (_QUIET, json.dumps(title), _LONGEST))
    if work is None:
        raise TimeoutError(f"{address} is not ready")
    return page, work["ready"]


def _load(address: str, directory: Path, title: str) -> Figures:
    """Load a page in a new browser, whose caches are empty."""
    with browsing() as browser:
        page, ready = show(browser, address, title)
        counts = _counts(page)
        page.call("HeapProfiler.collectGarbage")
        heap = page.call("Runtime.getHeapUsage")["usedSize"]
        paths, elsewhere = requested(page)
        files = [directory / unquote(path).lstrip("/") for path in paths]
        contents = [file.read_bytes() for file in files if file.is_file()]
        return Figures(
            ready,
            counts["TaskDuration"],
            round(heap / _MEGA, 1),
            int(counts["Nodes"]),
            round(sum(map(len, contents)) / _MEGA, 2),
            round(sum(len(gzip.compress(content)) for content in contents) / _MEGA, 2),
            elsewhere,
        )


def _counts(page: Page) -> Mapping[str, float]:
    return {row["name"]: row["value"] for row in page.call("Performance.getMetrics")["metrics"]}


def requested(page: Page) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths of the files that a page asked this machine for, and the other hosts."""
    addresses = [
        urlsplit(event["request"]["url"]) for event in page.happened("Network.requestWillBeSent")
    ]
    hosts = {address.hostname for address in addresses if address.scheme in ("http", "https")}
    files = {address.path for address in addresses if address.hostname == "127.0.0.1"}
    return tuple(sorted(files)), tuple(sorted(filter(None, hosts - {"127.0.0.1"})))


def figures(address: str, directory: Path, title: str) -> Figures:
    """Load a page several times; return its figures, with the middle one of each time."""
    runs = [_load(address, directory, title) for _ in range(RUNS)]
    return replace(
        runs[-1],
        ready=round(median(run.ready for run in runs), 2),
        busy=round(median(run.busy for run in runs), 2),
    )


def violations(page: Page, code: str) -> Violations:
    """Return the violations of a page in its present state."""
    found = axe.violations(page, code)
    counts = Counter(violation.impact for violation in found)
    return Violations(
        {impact: counts[impact] for impact in axe.IMPACTS},
        sorted({violation.rule for violation in found}),
    )
