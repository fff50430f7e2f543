"""Browsers of this machine show pages while they are written; no other page can read them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from specwright.errors import InputError
from specwright.preview.process import Preview
from specwright.serving import bound
from tests.browser import Browser, Page

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="passes a socket to a process")

HOSTILE = "</pre><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>\u2028"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "reference.html"
    write(file, "first")
    return file


@pytest.fixture
def preview(page: Path) -> Iterator[Preview]:
    with Preview(bound(0), page) as shown:
        yield shown


def write(file: Path, text: str) -> None:
    """A page with a place far down, and the text."""
    html = f"<!doctype html><title>A page</title><p>{text}</p><h2 style='margin-top: 3000px' id=x>x"
    file.write_text(html, "utf-8")


def states(response: httpx2.Response) -> Iterator[Any]:
    """The states of a stream of events, as they come."""
    for line in response.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_the_page_is_the_file(preview: Preview, page: Path) -> None:
    response = httpx2.get(f"{preview.url}/pages/")
    assert response.content == page.read_bytes()
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    write(page, "second")
    assert "second" in httpx2.get(f"{preview.url}/pages/").text
    page.unlink()
    assert httpx2.get(f"{preview.url}/pages/").status_code == 404


def test_a_site_has_pages_of_its_own(tmp_path: Path) -> None:
    for name in ("index.html", "a b.html", ".hidden.html", "secret.txt"):
        write(tmp_path / name, name)
    (tmp_path / "link.html").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "inner.html").mkdir()
    with Preview(bound(0), tmp_path) as preview, httpx2.Client(base_url=preview.url) as client:
        assert "index.html" in client.get("/pages/").text
        assert "index.html" in client.get("/pages/index.html").text
        assert "a b.html" in client.get("/pages/a%20b.html?x=1").text
        for name in (
            *(".hidden.html", "secret.txt", "link.html", "inner.html", "none.html"),
            *("..%2findex.html", "%2e%2e/x.html", "/etc/passwd", "..%5cx.html", "index.html/"),
        ):
            response = client.get(f"/pages/{name}")
            assert response.status_code == 404, name
            assert response.headers["content-type"] == "text/plain; charset=utf-8"


def test_one_page_has_no_others(preview: Preview) -> None:
    for path in ("/pages/reference.html", "/pages/index.html", "/pages", "/reference.html"):
        assert httpx2.get(preview.url + path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/events", "/pages/"])
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1.evil.example:{}", ""])
def test_another_name_of_this_machine_is_refused(preview: Preview, path: str, host: str) -> None:
    port = preview.url.rpartition(":")[2]
    response = httpx2.get(preview.url + path, headers={"Host": host.format(port)})
    assert response.status_code == 421
    assert response.text == "another host\n"
    for name in ("localhost", "127.0.0.1"):
        assert httpx2.head(preview.url, headers={"Host": f"{name}:{port}"}).status_code == 501
        named = {"Host": f"{name}:{port}"}
        assert httpx2.get(preview.url, headers=named).status_code == 200


def test_pages_of_other_origins_can_neither_read_nor_frame_it(preview: Preview) -> None:
    for path, frame in (("/", "'none'"), ("/pages/", "'self'"), ("/x", None)):
        headers = httpx2.get(preview.url + path, headers={"Origin": "https://evil.example"}).headers
        assert "access-control-allow-origin" not in headers
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        policy = headers["content-security-policy"]
        assert policy == "default-src 'none'" if frame is None else f"ancestors {frame}" in policy


def test_events_tell_of_pages_and_messages(preview: Preview) -> None:
    with httpx2.stream("GET", f"{preview.url}/events") as response:
        assert response.headers["content-type"] == "text/event-stream"
        events = states(response)
        first = next(events)
        preview.complain(HOSTILE)
        assert next(events) == {"version": first["version"], "message": HOSTILE}
        preview.reload()
        last = next(events)
        assert last["message"] is None and last["version"] != first["version"]
    with httpx2.stream("GET", f"{preview.url}/events") as response:
        assert next(states(response)) == last


def test_a_connection_that_is_cut_is_of_no_importance(
    preview: Preview, capfd: pytest.CaptureFixture[str]
) -> None:
    host, port = preview.url.removeprefix("http://").split(":")
    for sent in (b"", b"GET /events HTTP/1.1\r\nHost: " + f"{host}:{port}".encode() + b"\r\n\r\n"):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(sent)
            linger = (1).to_bytes(4, sys.byteorder) + bytes(4)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    preview.reload()
    assert httpx2.get(preview.url).status_code == 200
    assert capfd.readouterr().err == ""


def test_the_port_is_free_again(page: Path) -> None:
    with Preview(bound(0), page) as preview:
        port = int(preview.url.rpartition(":")[2])
        with pytest.raises(InputError, match=f"port {port} is already in use"):
            bound(port)
    bound(port).close()


def test_a_server_that_has_ended_stops_nothing(page: Path) -> None:
    with Preview(bound(0), page) as preview:
        preview._process.kill()
        preview._process.wait()
        preview.complain("x" * 1_000_000)
        preview.reload()


def test_it_ends_with_its_standard_input(page: Path) -> None:
    listener = bound(0)
    command = [sys.executable, "-m", "specwright.preview.server", str(listener.fileno()), str(page)]
    with (
        listener,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, pass_fds=(listener.fileno(),), start_new_session=True
        ) as server,
    ):
        assert server.stdin is not None
        # Also while a browser waits for events.
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/events"
        with httpx2.stream("GET", url) as response:
            next(states(response))
            server.stdin.close()
            # A thread of the browser's connection would go on until two heartbeats have failed.
            assert server.wait(20) == 0


@pytest.fixture
def shown(browser: Browser, preview: Preview) -> Page:
    opened = browser.open(f"{preview.url}/#x")
    wait(opened, "frame.contentDocument?.querySelector('p')?.textContent === 'first'")
    return opened


def wait(page: Page, condition: str) -> None:
    """Return when a condition is true in the page, which is asked at each of its frames."""
    page.evaluate(
        "new Promise(resolve => { const look = () => "
        f"{condition} ? resolve() : requestAnimationFrame(look); look(); }})"
    )


def test_a_browser_loads_the_page_again_where_its_reader_is(
    shown: Page, preview: Preview, page: Path
) -> None:
    at = shown.evaluate("frame.contentWindow.scrollY")
    assert at > 1_000
    assert shown.evaluate("frame.contentWindow.location.hash") == "#x"
    write(page, "second")
    preview.reload()
    wait(shown, "frame.contentDocument?.querySelector('p')?.textContent === 'second'")
    wait(shown, f"frame.contentWindow.scrollY === {at}")
    assert shown.evaluate("findings.checkVisibility()") is False


def test_a_browser_shows_a_message_above_the_page(shown: Page, preview: Preview) -> None:
    preview.complain(f"first line\n{HOSTILE}")
    wait(shown, "findings.checkVisibility()")
    assert shown.evaluate("findings.querySelector('pre').textContent") == f"first line\n{HOSTILE}"
    assert shown.evaluate("window.hit === undefined")
    assert shown.evaluate("frame.getBoundingClientRect().top") > 40
    assert shown.evaluate("frame.contentDocument.querySelector('p').textContent") == "first"
    preview.reload()
    wait(shown, "!findings.checkVisibility()")


def test_nothing_of_the_page_is_refused_by_its_policy(shown: Page) -> None:
    assert shown.happened("Log.entryAdded") == []
    assert shown.evaluate("frame.clientHeight") > 500
