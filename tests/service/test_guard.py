"""Webhooks reach the public internet and nothing else."""

import asyncio
import threading
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from esim_service.delivery.addresses import NOT_PUBLIC, Address, AddressRule, is_public
from esim_service.delivery.guard import RefusedUrl, check, parse
from esim_service.delivery.resolver import SystemResolver

REFUSED_ADDRESSES = """
0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1
192.0.0.9 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.88.99.255 192.168.0.1
192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.255 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 64:ff9b::8.8.8.8
64:ff9b::7f00:1 64:ff9b:1::a00:1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378::1 2001:2::1
2001:10::1 2001:20::1 2001:30::1 2001:1ff:ffff::1 2001:db8::1 2002::1 2002:7f00:1::1
2002:808:808::1 2620:4f:8000::1 3ffe::1 3fff::1 3fff:fff::1 4000::1 5f00::1 8000::1 fc00::1
fd00:ec2::254 fdff::1 fe80::1 fe80::1%1 fec0::1 feff::1 ff00::1 ff02::1 ff0e::1
2600::5efe:a00:1 2600::200:5efe:a00:1
""".split()
PUBLIC_ADDRESSES = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
168.63.129.15 168.63.129.17 169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255
192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700::1111
2a00:1450::1 3ffd::1 3fff:1000::1
""".split()


@pytest.mark.parametrize("address", REFUSED_ADDRESSES)
def test_an_address_of_a_special_range_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC_ADDRESSES)
def test_addresses_beside_the_ranges_are_public(address: str) -> None:
    assert is_public(ip_address(address))


ADDRESSES = st.one_of(
    st.integers(0, 2**32 - 1).map(IPv4Address), st.integers(0, 2**128 - 1).map(IPv6Address)
)


@given(ADDRESSES)
def test_what_python_calls_special_is_never_public(address: Address) -> None:
    special = (
        address.is_private
        or address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or not address.is_global
    )
    assert not (special and is_public(address))


@given(st.sampled_from(NOT_PUBLIC), st.data())
def test_no_address_of_a_listed_network_is_public(network, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, network.num_addresses - 1))
    assert not is_public(network[offset])


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_no_form_that_carries_an_ipv4_address_is_public(inner: IPv4Address) -> None:
    number = int(inner)
    for base, shift in (
        ("::", 0),
        ("::ffff:0:0", 0),
        ("::ffff:0:0:0", 0),
        ("64:ff9b::", 0),
        ("64:ff9b:1::", 0),
        ("2002::", 80),
        ("2001::", 0),
        ("2600::5efe:0:0", 0),
    ):
        assert not is_public(IPv6Address(int(IPv6Address(base)) | number << shift))


def test_the_operator_can_allow_a_network() -> None:
    rule = AddressRule((ip_network("127.0.0.0/8"),))
    assert rule.permits(ip_address("127.0.0.1"))
    assert rule.permits(ip_address("8.8.8.8"))
    assert not rule.permits(ip_address("10.0.0.1"))
    assert not rule.permits(ip_address("::1"))
    assert not rule.permits(ip_address("::ffff:127.0.0.1"))
    assert not AddressRule().permits(ip_address("127.0.0.1"))


REFUSED_URLS = [
    "",
    "hooks.example",
    "//hooks.example/",
    "http://hooks.example/",
    "HTTPS://hooks.example/",
    "ftp://hooks.example/",
    " https://hooks.example/",
    "https://hooks.example/ ",
    "https://hooks.example/\n",
    "https:///path",
    "https://",
    "https://?q",
    "https:hooks.example",
    "https:/hooks.example",
    "https://hooks.example/#",
    "https://hooks.example/#part",
    "https://hooks.example#@public.example/",
    "https://user@hooks.example/",
    "https://user:secret@hooks.example/",
    "https://@hooks.example/",
    "https://hooks.example:443@10.0.0.1/",
    "https://hooks.example\\@10.0.0.1/",
    "https://hooks.example\\.other.example/",
    "https://hooks.example:/",
    "https://hooks.example:0/",
    "https://hooks.example:65536/",
    "https://hooks.example:443443/",
    "https://hooks.example:-1/",
    "https://hooks.example:https/",
    "https://hooks..example/",
    "https://.hooks.example/",
    "https://hooks.example../",
    "https://./",
    "https://-hooks.example/",
    "https://hooks-.example/",
    f"https://{'a' * 64}.example/",
    f"https://{'a.' * 127}example/",
    "https://hooks%2eexample/",
    "https://127%2e0.0.1/",
    "https://b\u00fccher.example/",
    "https://\u2460\u2461\u2466.0.0.1/",
    "https://hooks\u3002example/",
    "https://hooks.example/b\u00fccher",
    "https://hooks.example/a b",
    "https://hooks.example/%",
    "https://hooks.example/%zz",
    "https://hooks.example/{id}",
    "https://hooks.example/<script>",
    "https://hooks.example/\x00",
    "https://hooks.example/\r\nHost: other",
    "https://[::1/",
    "https://::1/",
    "https://[]/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://[v1.a]/",
    "https://[127.0.0.1]/",
    "https://2130706433/",
    "https://134744072/",
    "https://0x7f.1/",
    "https://0x7f000001/",
    "https://0X7F.0.0.1/",
    "https://0x/",
    "https://127.1/",
    "https://127.0.1/",
    "https://0177.0.0.1/",
    "https://08.8.8.8/",
    "https://8.8.8.8./",
    "https://127.0.0.1./",
    "https://1.2.3.4.5/",
    "https://256.1.1.1/",
    "https://hooks.1/",
    "https://hooks.0x1f/",
    f"https://hooks.example/{'a' * 2048}",
]


def test_a_host_has_up_to_253_characters() -> None:
    host = ".".join(["a" * 63] * 3 + ["b" * 61])
    assert (len(host), parse(f"https://{host}/").host) == (253, host)
    with pytest.raises(RefusedUrl):
        parse(f"https://{host}b/")


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_a_url_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(RefusedUrl):
        parse(url)


@pytest.mark.parametrize(
    ("url", "host", "port", "target"),
    [
        ("https://hooks.example", "hooks.example", 443, "/"),
        ("https://hooks.example/", "hooks.example", 443, "/"),
        ("https://hooks.example?a=b", "hooks.example", 443, "/?a=b"),
        ("https://Hooks.Example:8443/a/%20b?c=d/e?f", "hooks.example", 8443, "/a/%20b?c=d/e?f"),
        ("https://hooks.example./a", "hooks.example.", 443, "/a"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/"),
        ("https://my_hooks.example/", "my_hooks.example", 443, "/"),
        ("https://1e100.net/@a", "1e100.net", 443, "/@a"),
        ("https://8.8.8.8/", "8.8.8.8", 443, "/"),
        ("https://[2606:4700:0::1111]:444/", "2606:4700::1111", 444, "/"),
    ],
)
def test_a_url_is_taken_apart(url: str, host: str, port: int, target: str) -> None:
    parsed = parse(url)
    assert (parsed.host, parsed.port, parsed.target) == (host, port, target)


@given(st.text(max_size=60))
def test_any_text_is_a_target_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"https://{text}.example/", f"https://a.example/{text}"):
        try:
            target = parse(url)
        except RefusedUrl:
            continue
        assert (target.host + target.target).isascii()
        assert not set("@#\\ \t\r\n[]") & set(target.host)
        assert not set("#\\ \t\r\n") & set(target.target)


def names(**hosts: str):
    async def resolve(name: str) -> tuple[Address, ...]:
        return tuple(map(ip_address, hosts.get(name.replace(".", "_"), "").split()))

    return resolve


RESOLVE = names(
    public_example="93.184.215.14 2606:2800:21f::1",
    private_example="10.0.0.1",
    mixed_example="93.184.215.14 ::ffff:10.0.0.1",
)


@pytest.mark.parametrize(
    "url",
    [
        "https://private.example/",
        "https://mixed.example/",
        "https://127.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:8.8.8.8]/",
        "https://[64:ff9b::a00:1]/",
    ],
)
def test_a_host_that_is_not_public_is_refused(url: str) -> None:
    with pytest.raises(RefusedUrl, match="not public"):
        asyncio.run(check(url, AddressRule(), RESOLVE))


@pytest.mark.parametrize(
    "url", ["https://public.example/", "https://unknown.example/", "https://8.8.8.8/"]
)
def test_a_public_or_unknown_host_is_accepted(url: str) -> None:
    asyncio.run(check(url, AddressRule(), RESOLVE))


def test_the_system_resolves_names() -> None:
    async def lookups() -> list[tuple[Address, ...]]:
        resolve = SystemResolver()
        try:
            return await asyncio.gather(
                resolve("localhost"), resolve("localhost"), resolve("nothing.invalid")
            )
        finally:
            resolve.close()

    first, second, nothing = asyncio.run(lookups())
    assert first == second
    assert all(address.is_loopback for address in first) and first
    assert nothing == ()


def test_who_gives_up_does_not_end_the_lookup_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = threading.Event()
    calls: list[bytes] = []

    def getaddrinfo(name: bytes, *_: object, **__: object) -> list[object]:
        calls.append(name)
        answer.wait(10)
        return [(None, None, None, "", ("192.0.2.1", 0))]

    monkeypatch.setattr("socket.getaddrinfo", getaddrinfo)

    async def lookups() -> tuple[Address, ...]:
        resolve = SystemResolver(threads=1)
        impatient = asyncio.create_task(resolve("slow.example"))
        patient = asyncio.create_task(resolve("slow.example"))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
        answer.set()
        return await patient

    assert asyncio.run(lookups()) == (ip_address("192.0.2.1"),)
    assert calls == [b"slow.example"]
