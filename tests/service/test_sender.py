"""An attempt ends within its limits, even if the receiver misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import socket
import time
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest

from esim_service.delivery.addresses import Address, AddressRule
from esim_service.delivery.resolver import Resolve
from esim_service.delivery.sender import (
    Acknowledged,
    AttemptLimits,
    AttemptOutcome,
    Failed,
    FailureReason,
    Sender,
    WebhookMessage,
    trust,
)
from esim_service.values.clock import MINUTE, SECOND
from partner_esim import webhooks

from .manual_clock import ManualClock
from .receiver import Authority, Behaviour, Receiver, answer, receiver

SECRET = "whsec_" + "A" * 43 + "="
BODY = b'{"id":"evt_1",  "type":"order.completed"}'
LOOPBACK = AddressRule((ip_network("127.0.0.0/8"),))
USUAL = AttemptLimits()
# For receivers that let these limits pass; a machine that is busy may need more for the others.
QUICK = AttemptLimits(total_seconds=0.6)
QUICK_CONNECT = AttemptLimits(connect_seconds=0.3, total_seconds=60)
# Far from both limits of an attempt that cannot connect.
SOON = 30


async def resolve(_: str) -> tuple[Address, ...]:
    return (ip_address("127.0.0.1"),)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def message(port: int, host: str = "hooks.example", path: str = "/in?a=b") -> WebhookMessage:
    return WebhookMessage(f"https://{host}:{port}{path}", SECRET, "evt_1", "order.completed", BODY)


class Attempts:
    """Makes attempts against a receiver that behaves in one way."""

    def __init__(self, authority: Authority, clock: ManualClock) -> None:
        self.authority = authority
        self.clock = clock
        self.seen: Receiver | None = None

    def sender(
        self, rule: AddressRule, resolve: Resolve, limits: AttemptLimits, ca: Path | None
    ) -> Sender:
        return Sender(self.clock, rule, resolve, trust(ca), limits)

    def run(
        self,
        behave: Behaviour,
        *,
        times: int = 1,
        rule: AddressRule = LOOPBACK,
        resolve: Resolve = resolve,
        limits: AttemptLimits = USUAL,
        names: str = "hooks.example",
        known: bool = True,
        host: str = "hooks.example",
    ) -> AttemptOutcome:
        async def attempt() -> AttemptOutcome:
            ca = self.authority.file if known else None
            async with (
                receiver(self.authority.context(names), behave) as self.seen,
                self.sender(rule, resolve, limits, ca) as sender,
            ):
                for _ in range(times):
                    outcome = await sender.send(message(self.seen.port, host))
                return outcome

        return asyncio.run(attempt())


@pytest.fixture
def attempts(authority: Authority, clock: ManualClock) -> Iterator[Attempts]:
    yield Attempts(authority, clock)


@pytest.mark.parametrize("status", ["200 OK", "201 Created", "202 Accepted", "204 No Content"])
def test_any_2xx_acknowledges(attempts: Attempts, status: str) -> None:
    behave = answer(status)
    assert attempts.run(behave) == Acknowledged(int(status[:3]))


def test_a_delivery_carries_the_frozen_bytes_and_the_three_headers(
    attempts: Attempts, clock: ManualClock
) -> None:
    attempts.run(answer("200 OK"))
    assert attempts.seen is not None
    (request,) = attempts.seen.requests
    assert request.line == "POST /in?a=b HTTP/1.1"
    assert request.body == BODY
    headers = request.headers
    assert headers["Host"] == f"hooks.example:{attempts.seen.port}"
    assert headers["Content-Type"] == "application/json"
    assert headers["Service-Event-Id"] == "evt_1"
    assert headers["Service-Event-Type"] == "order.completed"
    assert "Cookie" not in headers
    webhooks.verify(BODY, headers["Service-Signature"], SECRET, now=clock.now() / SECOND)


def test_every_attempt_is_signed_anew(attempts: Attempts, clock: ManualClock) -> None:
    async def later(reader, writer, count: int) -> None:
        clock.advance(10 * MINUTE)
        await answer("200 OK")(reader, writer, count)

    attempts.run(later, times=2)
    assert attempts.seen is not None
    first, second = (request.headers["Service-Signature"] for request in attempts.seen.requests)
    assert int(second[2:12]) - int(first[2:12]) == 600
    assert attempts.seen.requests[0].body == attempts.seen.requests[1].body


def test_a_clock_that_is_ten_minutes_off_is_rejected_by_the_receiver(
    attempts: Attempts, clock: ManualClock
) -> None:
    right = clock.now() / SECOND
    clock.adjust(10 * MINUTE)
    attempts.run(answer("200 OK"))
    assert attempts.seen is not None
    header = attempts.seen.requests[0].headers["Service-Signature"]
    with pytest.raises(webhooks.StaleSignatureError):
        webhooks.verify(BODY, header, SECRET, now=right)


def test_a_connection_is_used_again_and_keeps_no_cookies(attempts: Attempts) -> None:
    behave = answer("200 OK", "Set-Cookie: a=b", body=b"thanks")
    assert attempts.run(behave, times=3) == Acknowledged(200)
    assert attempts.seen is not None
    assert attempts.seen.connections == 1
    assert not any("Cookie" in request.headers for request in attempts.seen.requests)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_fails_and_is_not_followed(attempts: Attempts, status: int) -> None:
    behave = answer(f"{status} Elsewhere", "Location: /other")
    assert attempts.run(behave) == Failed(FailureReason.STATUS, status)
    assert attempts.seen is not None
    assert len(attempts.seen.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503])
def test_any_other_status_fails(attempts: Attempts, status: int) -> None:
    assert attempts.run(answer(f"{status} No")) == Failed(FailureReason.STATUS, status)


def drip(head: bytes) -> Behaviour:
    async def behave(_: object, writer: asyncio.StreamWriter, __: int) -> None:
        writer.write(head)
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    return behave


def test_a_head_that_drips_is_cut(attempts: Attempts) -> None:
    outcome = attempts.run(drip(b"HTTP/1.1 200 OK\r\nA: "), limits=QUICK)
    assert outcome == Failed(FailureReason.TIMEOUT)


def test_a_body_that_drips_is_cut_after_its_status_counted(attempts: Attempts) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"
    assert attempts.run(drip(head), limits=AttemptLimits(total_seconds=3)) == Acknowledged(200)


def test_informational_answers_without_end_are_cut(attempts: Attempts) -> None:
    async def behave(_: object, writer: asyncio.StreamWriter, __: int) -> None:
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            await writer.drain()
            await asyncio.sleep(0.02)

    assert attempts.run(behave, limits=QUICK) == Failed(FailureReason.TIMEOUT)


def test_an_attempt_has_5_seconds_to_connect_and_15_in_all() -> None:
    assert AttemptLimits() == AttemptLimits(connect_seconds=5, total_seconds=15)


def test_a_long_answer_is_not_read_to_its_end(attempts: Attempts) -> None:
    sent = 0

    async def behave(_: object, writer: asyncio.StreamWriter, __: int) -> None:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
        for _ in range(1000):
            writer.write(b"x" * 10_000)
            await writer.drain()
            sent += 10_000

    assert attempts.run(behave) == Acknowledged(200)
    # What is on its way in the buffers of both sides is neither read nor acknowledged.
    assert sent < 9_000_000


def test_a_compressed_answer_is_not_unpacked(attempts: Attempts) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    behave = answer("200 OK", "Content-Encoding: gzip", body=bomb)
    assert attempts.run(behave) == Acknowledged(200)


@pytest.mark.parametrize("head", [b"nonsense\r\n\r\n", b"A" * 200_000])
def test_an_answer_that_is_not_http_fails(attempts: Attempts, head: bytes) -> None:
    async def behave(_: object, writer: asyncio.StreamWriter, __: int) -> None:
        writer.write(head)
        await writer.drain()

    assert attempts.run(behave) == Failed(FailureReason.PROTOCOL)


def test_a_connection_that_ends_without_an_answer_fails(attempts: Attempts) -> None:
    async def behave(_: object, writer: asyncio.StreamWriter, __: int) -> None:
        writer.close()
        await asyncio.sleep(1)

    assert attempts.run(behave) in (
        Failed(FailureReason.PROTOCOL),
        Failed(FailureReason.DISCONNECTED),
    )


@pytest.mark.parametrize(
    ("place", "outcome"), [(8, Acknowledged(200)), (9, Failed(FailureReason.CONNECT))]
)
def test_at_most_eight_addresses_are_dialled(
    attempts: Attempts, place: int, outcome: AttemptOutcome
) -> None:
    # Only one of them, 127.0.0.1, has a receiver.
    found = [ip_address(f"127.0.0.{number}") for number in range(2, 20)]
    found.insert(place - 1, ip_address("127.0.0.1"))

    async def many(_: str) -> tuple[Address, ...]:
        return tuple(found)

    assert attempts.run(answer("200 OK"), resolve=many) == outcome


def test_a_reset_fails(attempts: Attempts) -> None:
    async def behave(_: object, writer: asyncio.StreamWriter, __: int) -> None:
        writer.transport.abort()
        await asyncio.sleep(1)

    assert attempts.run(behave) in (
        Failed(FailureReason.PROTOCOL),
        Failed(FailureReason.DISCONNECTED),
    )


def test_the_certificate_must_be_for_the_host(attempts: Attempts) -> None:
    assert attempts.run(answer("200 OK"), names="other.example") == Failed(FailureReason.TLS)
    assert attempts.seen is not None
    assert attempts.seen.requests == []


def test_the_certificate_must_be_of_a_known_authority(attempts: Attempts) -> None:
    assert attempts.run(answer("200 OK"), known=False) == Failed(FailureReason.TLS)
    assert attempts.seen is not None
    assert attempts.seen.requests == []


def test_the_certificate_of_a_literal_address_is_checked(attempts: Attempts) -> None:
    assert attempts.run(answer("200 OK"), host="127.0.0.1", names="127.0.0.1") == Acknowledged(200)
    assert attempts.run(answer("200 OK"), host="127.0.0.1") == Failed(FailureReason.TLS)


def test_an_absolute_name_is_checked_without_its_dot(attempts: Attempts) -> None:
    assert attempts.run(answer("200 OK"), host="hooks.example.") == Acknowledged(200)


@pytest.mark.parametrize("host", ["127.0.0.1", "hooks.example"])
def test_a_private_address_is_never_reached(attempts: Attempts, host: str) -> None:
    outcome = attempts.run(answer("200 OK"), rule=AddressRule(), host=host)
    assert outcome == Failed(FailureReason.REFUSED_ADDRESS)
    assert attempts.seen is not None
    assert attempts.seen.connections == 0


def test_one_address_that_is_not_public_spoils_the_name(attempts: Attempts) -> None:
    async def mixed(_: str) -> tuple[Address, ...]:
        return (ip_address("127.0.0.1"), ip_address("10.0.0.1"))

    assert attempts.run(answer("200 OK"), resolve=mixed) == Failed(FailureReason.REFUSED_ADDRESS)


def test_a_name_that_changes_its_address_is_checked_at_every_connection(
    attempts: Attempts,
) -> None:
    answers = iter(["127.0.0.1", "10.0.0.1", "127.0.0.1"])

    async def rebinding(_: str) -> tuple[Address, ...]:
        return (ip_address(next(answers)),)

    behave = answer("200 OK", "Connection: close")
    assert attempts.run(behave, times=2, resolve=rebinding) == Failed(FailureReason.REFUSED_ADDRESS)
    # A third lookup would mean that an address was dialled that was not the checked one.
    assert next(answers) == "127.0.0.1"
    assert attempts.seen is not None
    assert attempts.seen.connections == 1


def test_a_name_without_address_fails(attempts: Attempts) -> None:
    async def nothing(_: str) -> tuple[Address, ...]:
        return ()

    assert attempts.run(answer("200 OK"), resolve=nothing) == Failed(FailureReason.NOT_RESOLVED)


def test_a_name_server_that_hangs_is_given_up(attempts: Attempts) -> None:
    async def hang(_: str) -> tuple[Address, ...]:
        await asyncio.Event().wait()
        raise AssertionError

    started = time.monotonic()
    outcome = attempts.run(answer("200 OK"), resolve=hang, limits=QUICK_CONNECT)
    assert outcome == Failed(FailureReason.TIMEOUT)
    assert time.monotonic() - started < SOON


def test_the_next_address_is_tried(attempts: Attempts) -> None:
    async def several(_: str) -> tuple[Address, ...]:
        return (ip_address("127.0.0.2"), ip_address("127.0.0.1"))

    assert attempts.run(answer("200 OK"), resolve=several) == Acknowledged(200)


def test_an_authority_is_trusted_as_soon_as_its_file_is_there(
    authority: Authority, clock: ManualClock, tmp_path: Path
) -> None:
    file = tmp_path / "authority.pem"

    async def attempts() -> list[AttemptOutcome]:
        context = authority.context("hooks.example")
        async with (
            receiver(context, answer("204 No Content")) as seen,
            Sender(clock, LOOPBACK, resolve, trust(file), QUICK) as sender,
        ):
            found = [await sender.send(message(seen.port))]
            for content in ("nothing yet", authority.file.read_text()):
                file.write_text(content)
                found.append(await sender.send(message(seen.port)))
            return found

    stranger = Failed(FailureReason.TLS)
    assert asyncio.run(attempts()) == [stranger, stranger, Acknowledged(204)]


def test_a_port_that_nobody_listens_on_fails(authority: Authority, clock: ManualClock) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    async def attempt() -> AttemptOutcome:
        async with Sender(clock, LOOPBACK, resolve, trust(), USUAL) as sender:
            return await sender.send(message(port))

    assert asyncio.run(attempt()) == Failed(FailureReason.CONNECT)


def test_a_handshake_that_hangs_is_given_up(clock: ManualClock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:

        async def attempt() -> AttemptOutcome:
            async with Sender(clock, LOOPBACK, resolve, trust(), QUICK_CONNECT) as sender:
                return await sender.send(message(silent.getsockname()[1]))

        started = time.monotonic()
        assert asyncio.run(attempt()) == Failed(FailureReason.TIMEOUT)
        assert time.monotonic() - started < SOON


def test_a_connect_that_hangs_is_given_up(clock: ManualClock) -> None:
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())

        async def attempt() -> AttemptOutcome:
            async with Sender(clock, LOOPBACK, resolve, trust(), QUICK_CONNECT) as sender:
                return await sender.send(message(full.getsockname()[1]))

        started = time.monotonic()
        assert asyncio.run(attempt()) == Failed(FailureReason.TIMEOUT)
        assert time.monotonic() - started < SOON


def test_a_url_that_breaks_a_rule_is_not_tried(clock: ManualClock) -> None:
    async def attempt() -> AttemptOutcome:
        async with Sender(clock, LOOPBACK, resolve, trust(), USUAL) as sender:
            return await sender.send(message(443, host="2130706433"))

    assert asyncio.run(attempt()) == Failed(FailureReason.REFUSED_ADDRESS)


def test_proxies_of_the_environment_are_not_used(
    attempts: Attempts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert attempts.run(answer("200 OK")) == Acknowledged(200)


def test_what_is_sent_is_shown_without_secret_and_body() -> None:
    shown = repr(message(443))
    assert SECRET not in shown
    assert "order.completed" in shown
    assert "evt_1" in shown
    assert BODY.decode() not in shown
