"""The receiver records its deliveries, and fails as configured, over real TLS."""

from __future__ import annotations

import contextlib
import gc
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from specwright.conformance.checks.webhooks.attempt import DeliveryFault
from specwright.conformance.checks.webhooks.authority import CERTIFICATE, RECEIVER, Authority
from specwright.conformance.checks.webhooks.connection import MAX_BODY_BYTES
from specwright.conformance.checks.webhooks.receiver import GivenUp, Receiver, Setting
from specwright.conformance.checks.webhooks.server import MAX_CONNECTIONS
from specwright.errors import InputError
from specwright.http_messages import Headers

SLOW = 0.3


def identify(headers: Headers) -> tuple[str, str]:
    fields = {name.lower(): value for name, value in headers}
    return fields.get("kind", ""), fields.get("event", "")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.at(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def receiver(authority: Authority) -> Iterator[Receiver]:
    with Receiver(Setting(identify, authority, slow_seconds=SLOW)) as opened:
        yield opened


@pytest.fixture
def client(authority: Authority) -> Iterator[httpx2.Client]:
    trust = ssl.create_default_context(cafile=str(authority.file))
    with httpx2.Client(verify=trust, trust_env=False, timeout=10) as opened:
        yield opened


def sent(client: httpx2.Client, url: str, event: str = "e1", kind: str = "k") -> int:
    return client.post(url, content=b"{}", headers={"Event": event, "Kind": kind}).status_code


def test_a_delivery_is_kept_as_it_came(receiver: Receiver, client: httpx2.Client) -> None:
    url, before = receiver.endpoint(), time.time()
    assert url.startswith("https://127.0.0.1:")
    answer = client.post(url, content=b' {"a": 1}\n', headers=[("Twice", "a"), ("twice", "b")])
    assert answer.status_code == 200
    (attempt,) = receiver.attempts(url)
    assert (attempt.method, attempt.url, attempt.body) == ("POST", url, b' {"a": 1}\n')
    assert attempt.values("TWICE") == ("a", "b")
    assert before <= attempt.received_at <= time.time()
    assert (attempt.fault, attempt.status, attempt.is_cut) == (None, 200, False)


def test_each_new_event_of_a_type_gets_the_next_faults(
    receiver: Receiver, client: httpx2.Client
) -> None:
    url = receiver.endpoint([(DeliveryFault.ERROR, DeliveryFault.ERROR), (DeliveryFault.REDIRECT,)])
    first = [sent(client, url) for _ in range(3)]
    second = [sent(client, url, "e2") for _ in range(2)]
    assert (first, second) == ([500, 500, 200], [307, 200])
    assert sent(client, url, "e3") == 200
    assert sent(client, url, "e4", "another kind") == 500


def test_a_redirect_leads_to_itself_and_is_noticed(
    receiver: Receiver, client: httpx2.Client
) -> None:
    url = receiver.endpoint([(DeliveryFault.REDIRECT,)])
    client.post(url, content=b"{}", follow_redirects=True)
    assert [attempt.is_redirected for attempt in receiver.attempts(url)] == [False, True]


@pytest.mark.parametrize(("success", "length"), [(200, "0"), (204, None)])
def test_only_a_status_that_may_have_a_body_has_a_length(success: int, length: str | None) -> None:
    with Receiver(Setting(identify, successes=(success,))) as plain, httpx2.Client() as client:
        answer = client.post(plain.endpoint(), content=b"{}")
    assert (answer.status_code, answer.headers.get("Content-Length")) == (success, length)


@pytest.mark.parametrize("fault", [DeliveryFault.DROP, DeliveryFault.RESET])
def test_a_connection_ends_without_an_answer(
    receiver: Receiver, client: httpx2.Client, fault: DeliveryFault
) -> None:
    url = receiver.endpoint([(fault,)])
    with pytest.raises(httpx2.TransportError):
        sent(client, url)
    assert sent(client, url) == 200


def test_a_reset_is_one_and_a_drop_is_none() -> None:
    with Receiver(Setting(identify)) as plain:
        for fault, is_reset in ((DeliveryFault.DROP, False), (DeliveryFault.RESET, True)):
            parts = urlsplit(plain.endpoint([(fault,)]))
            with socket.create_connection((parts.hostname or "", parts.port or 0)) as raw:
                raw.sendall(f"POST {parts.path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
                if is_reset:
                    with pytest.raises(ConnectionResetError):
                        raw.recv(100)
                else:
                    assert raw.recv(100) == b""


def test_a_slow_answer_keeps_nobody_waiting(receiver: Receiver, client: httpx2.Client) -> None:
    slow, quick, order = receiver.endpoint([(DeliveryFault.SLOW,)]), receiver.endpoint(), []

    def wait() -> None:
        order.append(("slow", sent(client, slow)))

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert receiver.wait(lambda: bool(receiver.attempts(slow)), time.time() + 60)
    order.append(("quick", sent(client, quick)))
    waiting.join()
    assert order == [("quick", 200), ("slow", 200)]


def test_only_what_nobody_can_guess_is_an_endpoint(
    receiver: Receiver, client: httpx2.Client
) -> None:
    url = receiver.endpoint()
    assert len(url.rpartition("/")[2]) >= 32
    for stranger in (receiver.url, f"{receiver.url}/", f"{receiver.url}/guess", f"{url}x"):
        assert sent(client, stranger) == 404
    assert receiver.attempts(url) == ()
    assert receiver.refused == 4


def test_a_long_body_is_cut(receiver: Receiver, client: httpx2.Client) -> None:
    url = receiver.endpoint()
    answers = [client.post(url, content=b"x" * (MAX_BODY_BYTES + more)) for more in (0, 1)]
    # Without a word of it, the next request would go into a connection that is about to end.
    assert [answer.headers.get("connection") for answer in answers] == [None, "close"]
    exact, longer = receiver.attempts(url)
    assert (len(exact.body), exact.is_cut) == (MAX_BODY_BYTES, False)
    assert (len(longer.body), longer.is_cut) == (MAX_BODY_BYTES, True)


def test_a_body_in_chunks_and_one_that_asks_first_are_read(receiver: Receiver) -> None:
    with Receiver(Setting(identify)) as plain:
        url = plain.endpoint()
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        connection.request("POST", parts.path, iter([b"a", b"b"]), encode_chunked=True)
        assert connection.getresponse().read() == b""
        connection.close()
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as raw:
            head = f"POST {parts.path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
            raw.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
            assert raw.recv(100).startswith(b"HTTP/1.1 100")
            raw.sendall(b"cd")
            assert raw.recv(100).startswith(b"HTTP/1.1 200")
        assert [attempt.body for attempt in plain.attempts(url)] == [b"ab", b"cd"]


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"a" * 100_000])
def test_what_is_not_http_is_refused(sent: bytes) -> None:
    with Receiver(Setting(identify)) as plain:
        parts = urlsplit(plain.url)
        with socket.create_connection((parts.hostname or "", parts.port or 0)) as raw:
            raw.sendall(sent)
            with contextlib.suppress(ConnectionResetError):
                assert raw.recv(100) == b""
        assert plain.wait(lambda: plain.refused == 1, time.time() + 60)


def test_there_are_only_so_many_connections() -> None:
    with Receiver(Setting(identify)) as plain:
        parts = urlsplit(plain.endpoint())
        address = (parts.hostname or "", parts.port or 0)
        held = [socket.create_connection(address) for _ in range(MAX_CONNECTIONS)]
        try:
            # Each of them is served before the next one is looked at.
            for each in held:
                each.sendall(b"POST ")
            with (
                socket.create_connection(address) as more,
                contextlib.suppress(ConnectionResetError),
            ):
                assert more.recv(1) == b""
            assert plain.refused == 1
        finally:
            for each in held:
                each.close()


def test_who_does_not_trust_the_authority_is_counted(receiver: Receiver) -> None:
    with httpx2.Client(trust_env=False) as stranger, pytest.raises(httpx2.ConnectError):
        stranger.post(receiver.endpoint())
    assert receiver.wait(lambda: receiver.distrusted == 1, time.time() + 60)


@pytest.mark.parametrize("path", ["", "/x"])
def test_a_tunnel_leads_to_plain_http(path: str) -> None:
    with Receiver(Setting(identify, public_url="https://tunnel.example/x/")) as plain:
        url = plain.endpoint()
        token = url.removeprefix("https://tunnel.example/x/")
        with httpx2.Client(trust_env=False) as client:
            assert sent(client, f"http://127.0.0.1:{plain.port}{path}/{token}?a=b") == 200
        assert len(plain.attempts(url)) == 1


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(InputError, match=f"port {port}: .*in use"),
            Receiver(Setting(identify, port=port)),
        ):
            pass


def test_the_authority_of_a_directory_stays_the_same(tmp_path: Path) -> None:
    directory = tmp_path / "new"
    made = Authority.at(directory).file.read_bytes()
    assert Authority.at(directory).file.read_bytes() == made
    (directory / CERTIFICATE).unlink()
    assert Authority.at(directory).file.read_bytes() == made
    (directory / CERTIFICATE).write_text("nothing")
    with pytest.raises(InputError, match="certificate authority"):
        Authority.at(directory)


def test_only_its_owner_reads_the_key_of_the_receiver_and_the_authority_has_none(
    tmp_path: Path,
) -> None:
    Authority.at(tmp_path)
    assert (tmp_path / RECEIVER).stat().st_mode & 0o077 == 0
    assert {path.name for path in tmp_path.iterdir()} == {CERTIFICATE, RECEIVER}
    assert b"PRIVATE KEY" not in (tmp_path / CERTIFICATE).read_bytes()
    assert (tmp_path / RECEIVER).read_bytes().count(b"PRIVATE KEY") == 2


def test_of_authorities_that_are_made_at_the_same_time_one_stays(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(Authority.at, [tmp_path] * 4))
    trust = ssl.create_default_context(cafile=str(tmp_path / CERTIFICATE))
    for authority in made:
        with Receiver(Setting(identify, authority)) as opened, httpx2.Client(verify=trust) as http:
            assert sent(http, opened.endpoint()) == 200


def test_an_authority_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / CERTIFICATE).write_text("mine")
    with pytest.raises(InputError, match=f"{CERTIFICATE} without {RECEIVER}"):
        Authority.at(tmp_path)
    assert (tmp_path / CERTIFICATE).read_text() == "mine"


def test_a_directory_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file"):
        Authority.at(tmp_path / "file" / "below")


@pytest.mark.parametrize("ending", ["", "/"])
def test_behind_a_tunnel_endpoints_are_below_its_url(ending: str) -> None:
    tunnel = Receiver(Setting(identify, public_url=f"https://tunnel.example/here{ending}"))
    with tunnel:
        assert tunnel.endpoint().rpartition("/")[0] == "https://tunnel.example/here"


def test_a_receiver_leaves_nothing_open() -> None:
    def opened() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    # What other tests have left is closed before, if at all.
    gc.collect()
    before, closed = opened(), Receiver(Setting(identify))
    with closed:
        assert opened() > before
    assert opened() <= before


def test_nobody_waits_any_more_once_a_run_is_over(receiver: Receiver) -> None:
    waiting = threading.Event()

    def condition() -> bool:
        waiting.set()
        return False

    def give_up() -> None:
        waiting.wait(10)
        receiver.give_up()

    threading.Thread(target=give_up).start()
    with pytest.raises(GivenUp):
        receiver.wait(condition, time.time() + 600)
    with pytest.raises(GivenUp):
        receiver.wait(lambda: True, time.time() + 600)
