"""The TLS context that the connections of all clients share."""

from __future__ import annotations

import httpx2
import pytest

from specwright.runtime.client.transport import pools
from specwright.runtime.client.transport.proxies import chosen_proxy


def test_all_clients_share_one_tls_context(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[None] = []
    create = httpx2.create_ssl_context

    def count() -> object:
        made.append(None)
        return create()

    monkeypatch.setattr(httpx2, "create_ssl_context", count)
    pools._shared_context.cache_clear()
    for scheme, proxy in [
        ("http", None),
        ("https", None),
        ("https", None),
        ("http", "https://proxy.example"),
    ]:
        pools.client_of(scheme, chosen_proxy(f"{scheme}://api.example", proxy)).close()
    assert len(made) == 1
