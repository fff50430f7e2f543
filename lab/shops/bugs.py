"""Forty bugs, each by the request that shows it: a function that says whether a shop is right.

They were written before anybody who wrote them had read what `specwright test` looks for.
"""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import httpx2

from lab.shops.dialects import Desk

IsRight = Callable[[Desk], bool]


@dataclass(frozen=True, slots=True)
class Bug:
    """A thing that is wrong with a shop.

    Attributes:
        says: what is wrong, in a sentence.
        is_right: whether a shop is right at this point, as requests by hand show.
    """

    name: str
    kind: str
    says: str
    is_right: IsRight


BUGS: dict[str, Bug] = {}


def bug(kind: str) -> Callable[[IsRight], IsRight]:
    """Register a bug under the name of the function, with its docstring as the description."""

    def enter(is_right: IsRight) -> IsRight:
        name = is_right.__name__.replace("_", "-")
        BUGS[name] = Bug(name, kind, inspect.getdoc(is_right) or "", is_right)
        return is_right

    return enter


def _status(desk: Desk, **changed: object) -> int:
    return desk.alice.post(desk.products, json=desk.asked(**changed)).status_code


@bug("shape")
def price_of_another_type(desk: Desk) -> bool:
    """The price of one product has another JSON type."""
    read = desk.alice.get(desk.one(desk.products, desk.product())).json()
    return bool(read["price"] == desk.dialect.price(1250))


@bug("shape")
def list_lacks_a_field(desk: Desk) -> bool:
    """Products in the list have no category."""
    desk.product()
    return all("category" in product for product in desk.listed(desk.products))


@bug("shape")
def created_is_200(desk: Desk) -> bool:
    """Making a product is answered with 200."""
    return _status(desk) == 201


@bug("shape")
def date_is_not_a_date(desk: Desk) -> bool:
    """The time of a product is written as people do."""
    text = desk.alice.get(desk.one(desk.products, desk.product())).json()["created_at"]
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


@bug("shape")
def no_location(desk: Desk) -> bool:
    """The response to a new product has no Location."""
    return "Location" in desk.alice.post(desk.products, json=desk.asked()).headers


@bug("shape")
def deleted_has_a_body(desk: Desk) -> bool:
    """Deleting a product is answered with 200 and a body."""
    return desk.alice.delete(desk.one(desk.products, desk.product())).status_code == 204


@bug("shape")
def not_found_is_html(desk: Desk) -> bool:
    """A missing product is answered with an HTML page."""
    gone = desk.product()
    desk.alice.delete(desk.one(desk.products, gone))
    answer = desk.alice.get(desk.one(desk.products, gone))
    return answer.headers["Content-Type"].startswith("application/json")


@bug("validation")
def negative_price(desk: Desk) -> bool:
    """A price may be negative."""
    return 400 <= _status(desk, price=desk.dialect.price(-100)) < 500


@bug("validation")
def no_quantity(desk: Desk) -> bool:
    """A line may be about 0 pieces."""
    return 400 <= desk.order(quantity=0).status_code < 500


@bug("validation")
def long_name(desk: Desk) -> bool:
    """A name may be longer than 80 characters."""
    return 400 <= _status(desk, name="x" * 81) < 500


@bug("validation")
def unknown_category(desk: Desk) -> bool:
    """A product of a category that does not exist becomes a book."""
    return 400 <= _status(desk, category="fish") < 500


@bug("validation")
def limit_above_maximum(desk: Desk) -> bool:
    """A page may be larger than its largest size."""
    answer = desk.alice.get(desk.products, params={desk.dialect.size: 51})
    return 400 <= answer.status_code < 500


@bug("validation")
def six_stars(desk: Desk) -> bool:
    """A review may have six stars."""
    answer = desk.alice.post(desk.reviews(desk.product()), json={"stars": 6})
    return 400 <= answer.status_code < 500


@bug("validation")
def no_lines(desk: Desk) -> bool:
    """An order may have no lines."""
    return 400 <= desk.buy([]).status_code < 500


@bug("robustness")
def non_ascii_breaks(desk: Desk) -> bool:
    """A name with letters beyond ASCII breaks the shop."""
    try:
        return _status(desk, name="Käse") < 500
    except OSError:
        return False


@bug("robustness")
def unknown_id_breaks(desk: Desk) -> bool:
    """Asking for a product that is gone breaks the shop."""
    gone = desk.product()
    desk.alice.delete(desk.one(desk.products, gone))
    return desk.alice.get(desk.one(desk.products, gone)).status_code == 404


@bug("robustness")
def empty_change_breaks(desk: Desk) -> bool:
    """A change of nothing breaks the shop."""
    return desk.alice.patch(desk.one(desk.products, desk.product()), json={}).status_code == 200


@bug("state")
def change_is_not_stored(desk: Desk) -> bool:
    """A change is shown in its response and nowhere else."""
    path = desk.one(desk.products, desk.product())
    desk.alice.patch(path, json={"name": "changed"})
    return bool(desk.alice.get(path).json()["name"] == "changed")


@bug("state")
def change_resets_others(desk: Desk) -> bool:
    """A change of the name empties the description."""
    path = desk.one(desk.products, desk.product(description="kept"))
    desk.alice.patch(path, json={"name": "changed"})
    return bool(desk.alice.get(path).json()["description"] == "kept")


@bug("state")
def delete_deletes_nothing(desk: Desk) -> bool:
    """A deleted product can still be read."""
    path = desk.one(desk.products, desk.product())
    desk.alice.delete(path)
    return desk.alice.get(path).status_code == 404


@bug("state")
def location_of_another(desk: Desk) -> bool:
    """Location is the URL of something else."""
    made = desk.alice.post(desk.products, json=desk.asked())
    found = desk.alice.get(made.headers["Location"])
    return bool(found.status_code == 200 and found.json()["id"] == made.json()["id"])


@bug("state")
def paid_twice(desk: Desk) -> bool:
    """A paid order can be paid again."""
    order = desk.order().json()
    return desk.act(order, "pay") == 200 and desk.act(order, "pay") == 409


@bug("state")
def unpaid_is_shipped(desk: Desk) -> bool:
    """An unpaid order can be shipped."""
    return desk.act(desk.order().json(), "ship") == 409


@bug("state")
def upload_is_lost(desk: Desk) -> bool:
    """An image is taken and forgotten."""
    path = desk.image(desk.product())
    desk.alice.put(path, files={"image": ("image.png", b"pixels", "image/png")})
    return desk.alice.get(path).content == b"pixels"


@bug("money")
def total_without_quantity(desk: Desk) -> bool:
    """The total of an order is the sum of prices, regardless of the quantity."""
    return bool(desk.order(quantity=2).json()["total"] == desk.dialect.price(2500))


@bug("lists")
def limit_is_ignored(desk: Desk) -> bool:
    """A page has more items than it should."""
    for _ in range(3):
        desk.product()
    return all(len(page) <= 2 for page in desk.pages(desk.products, 2))


@bug("lists")
def pages_repeat(desk: Desk) -> bool:
    """Every page is the first one."""
    for _ in range(3):
        desk.product()
    first, second = list(desk.pages(desk.products, 2))[:2]
    return first != second


@bug("lists")
def page_skips_one(desk: Desk) -> bool:
    """From the second page on, one item is left out."""
    product = desk.product()
    for stars in (1, 2, 3, 4):
        desk.alice.post(desk.reviews(product), json={"stars": stars})
    return [review["stars"] for review in desk.listed(desk.reviews(product), 2)] == [1, 2, 3, 4]


@bug("lists")
def filter_is_ignored(desk: Desk) -> bool:
    """A list of one category has others, too."""
    desk.product(category="game")
    return {product["category"] for product in desk.listed(desk.products, category="book")} <= {
        "book"
    }


@bug("lists")
def sort_is_ignored(desk: Desk) -> bool:
    """A list by price is not sorted."""
    for cents in (300, 100, 200):
        desk.product(price=desk.dialect.price(cents))
    prices = [
        float(product["price"])
        for product in desk.listed(desk.products, **{desk.dialect.sort: "price"})
    ]
    return all(one <= next_ for one, next_ in pairwise(prices))


@bug("idempotency")
def key_is_ignored(desk: Desk) -> bool:
    """A repeated key makes a second order."""
    key, lines = secrets.token_hex(8), [{"product_id": desk.product()["id"], "quantity": 1}]
    made = [desk.buy(lines, key=key).json()["id"] for _ in range(2)]
    return bool(made[0] == made[1])


@bug("idempotency")
def key_for_another_body(desk: Desk) -> bool:
    """A key that was used with another body gets the response of that one."""
    key = secrets.token_hex(8)
    return desk.order(key=key).status_code == 201 and desk.order(key=key).status_code == 422


@bug("authorization")
def delete_without_credentials(desk: Desk) -> bool:
    """A product can be deleted by everybody."""
    path = desk.one(desk.products, desk.product())
    return httpx2.delete(desk.base_url + path).status_code == 401


@bug("authorization")
def any_credentials(desk: Desk) -> bool:
    """A wrong password is as good as the right one."""
    return desk.client("alice", "wrong").get(desk.products).status_code == 401


@bug("authorization")
def order_of_others(desk: Desk) -> bool:
    """An order can be read by another user."""
    path = desk.one(desk.orders, desk.order().json())
    return desk.bob.get(path).status_code == 404


@bug("authorization")
def list_of_others(desk: Desk) -> bool:
    """The list of orders has those of other users."""
    made = desk.order(by=desk.bob).json()["id"]
    return made not in {order["id"] for order in desk.listed(desk.orders)}


@bug("authorization")
def change_of_others(desk: Desk) -> bool:
    """An order can be changed by another user."""
    path = desk.one(desk.orders, desk.order().json())
    return desk.bob.patch(path, json={"note": "mine"}).status_code == 404


@bug("authorization")
def customer_creates_products(desk: Desk) -> bool:
    """A customer has the permissions of a manager."""
    return desk.carol.post(desk.products, json=desk.asked()).status_code == 403


@bug("authorization")
def suspended_is_served(desk: Desk) -> bool:
    """A suspended user is served like any other."""
    return desk.client("dave").get(desk.products).status_code == 403


@bug("authorization")
def review_of_another_product(desk: Desk) -> bool:
    """A review can be read below another product."""
    one, other = desk.product(), desk.product()
    review = desk.alice.post(desk.reviews(one), json={"stars": 3}).json()
    return desk.alice.get(desk.one(desk.reviews(other), review)).status_code == 404
