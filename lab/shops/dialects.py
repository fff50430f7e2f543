"""Requests to each shop in its own dialect, as made by hand."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2

Answer = httpx2.Response
# Guards against pages without an end.
MANY_PAGES = 40


@dataclass(frozen=True)
class Dialect:
    """The differences in spelling between the shops.

    Attributes:
        size: the parameter for the items of a page.
        total: the property with the number of all items.
        sort: the parameter for the order of a list.
        end: how the path of one resource ends.
    """

    size: str
    total: str
    sort: str
    end: str
    prefix: str
    price: Callable[[int], int | str]
    credentials: Callable[[str, str], Mapping[str, Any]]


def _bearer(user: str, secret: str) -> Mapping[str, Any]:
    return {"headers": {"Authorization": f"Bearer {secret}"}}


def _basic(user: str, secret: str) -> Mapping[str, Any]:
    return {"auth": (user, secret)}


DIALECTS = {
    "fastapi": Dialect("limit", "total", "sort", "", "", lambda cents: cents, _bearer),
    "django": Dialect(
        *("page_size", "count", "ordering", "/", "/api"),
        lambda cents: f"{cents / 100:.2f}",
        _basic,
    ),
}


@dataclass
class Desk:
    """A shop with the clients of its users."""

    base_url: str
    dialect: Dialect
    _clients: dict[str, httpx2.Client] = field(default_factory=dict)

    def client(self, user: str, secret: str = "") -> httpx2.Client:
        """Return the client of a user."""
        if (user, secret) not in self._clients:
            given = self.dialect.credentials(user, secret or f"test-{user}")
            client = httpx2.Client(base_url=self.base_url, timeout=60, **given)
            self._clients[user + secret] = client
        return self._clients[user + secret]

    @property
    def alice(self) -> httpx2.Client:
        """A manager."""
        return self.client("alice")

    @property
    def bob(self) -> httpx2.Client:
        """Another manager."""
        return self.client("bob")

    @property
    def carol(self) -> httpx2.Client:
        """A customer."""
        return self.client("carol")

    @property
    def products(self) -> str:
        """The path of the products."""
        return f"{self.dialect.prefix}/products/"

    @property
    def orders(self) -> str:
        """The path of the orders."""
        return f"{self.dialect.prefix}/orders/"

    def one(self, collection: str, record: Any, *more: str) -> str:
        """Return the path of one resource, or of something below it."""
        return collection + "/".join([str(record["id"]), *more]) + self.dialect.end

    def reviews(self, product: Any) -> str:
        """Return the path of the reviews of a product."""
        return f"{self.products}{product['id']}/reviews/"

    def image(self, product: Any) -> str:
        """Return the path of the image of a product."""
        return self.one(self.products, product, "image")

    def asked(self, **changed: Any) -> dict[str, Any]:
        """Return a body that makes a product."""
        price = self.dialect.price(1250)
        return {"name": secrets.token_hex(4), "category": "book", "price": price} | changed

    def product(self, **changed: Any) -> Any:
        """Make a product."""
        return self.alice.post(self.products, json=self.asked(**changed)).json()

    def order(self, *, key: str = "", by: httpx2.Client | None = None, quantity: int = 1) -> Answer:
        """Order a new product."""
        lines = [{"product_id": self.product()["id"], "quantity": quantity}]
        return self.buy(lines, key=key, by=by)

    def buy(self, lines: Any, *, key: str = "", by: httpx2.Client | None = None) -> Answer:
        """Place an order, which may have a key."""
        headers = {"Idempotency-Key": key} if key else {}
        return (by or self.alice).post(self.orders, json={"lines": lines}, headers=headers)

    def act(self, order: Any, verb: str) -> int:
        """Pay, ship or cancel an order; return the status of the response."""
        return self.alice.post(self.one(self.orders, order, verb)).status_code

    def pages(self, path: str, size: int, **query: Any) -> Iterator[list[Any]]:
        """Yield the pages of a list."""
        sent = {self.dialect.size: size, **query}
        answer = self.alice.get(path, params=sent)
        for number in range(1, MANY_PAGES):
            body = answer.json()
            yield (items := _items(body))
            if isinstance(body, dict) and "next" in body:
                following = body["next"]
            elif "Link" in answer.headers:
                following = answer.headers["Link"].partition(">")[0].removeprefix("<")
            elif isinstance(body, dict) and number * size < body[self.dialect.total] and items:
                step = {"offset": number * size, "page": number + 1}
                answer = self.alice.get(path, params=sent | step)
                continue
            else:
                following = None
            if not following:
                return
            answer = self.alice.get(urlsplit(following)._replace(scheme="", netloc="").geturl())

    def listed(self, path: str, size: int = 50, **query: Any) -> list[Any]:
        """Return the items of all pages."""
        return [item for page in self.pages(path, size, **query) for item in page]


def _items(body: Any) -> list[Any]:
    found: list[Any] = body if isinstance(body, list) else body.get("items", body.get("results"))
    return found
