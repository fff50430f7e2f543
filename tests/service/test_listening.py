"""The addresses that a process announces are ones at which it is reached."""

import socket
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from esim_service.http.listening import address_of, bind


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "::"])
def test_an_address_leads_to_the_port(host: str) -> None:
    if ":" in host and not socket.has_dualstack_ipv6():
        pytest.skip("there is no IPv6 here")
    with closing(bind(host, 0, "ESIM_PORT")) as bound:
        address = urlsplit(address_of(bound))
        assert address.scheme == "http"
        assert address.hostname in ("127.0.0.1", "::1")
        place = address.hostname, bound.getsockname()[1]
        assert address.port == place[1]
        with socket.create_connection(place, timeout=5):
            pass
