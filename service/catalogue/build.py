"""The service's catalogue, built from the adjacent tables by `nox -s derive`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).parent

Json = dict[str, object]

UPDATED_AT = "2026-02-01T00:00:00Z"
FAIR_USE = "Full speed for the first 3 GB of a day, then at least 1 Mbit/s."

# The price of each size in a country with a price level of 100 percent.
COUNTRY_PLANS = {
    "1gb-7d": Decimal("1.30"),
    "3gb-30d": Decimal("3.00"),
    "5gb-30d": Decimal("4.50"),
    "10gb-30d": Decimal("8.00"),
}
POPULAR_PLANS = {"20gb-30d": Decimal("14.00"), "daily-unlimited": Decimal("3.20")}
POPULAR = frozenset("AU CA DE ES FR GB GR IT JP KR MX MY NL PT SG TH TR US VN".split())
COUNTRY_TOPUPS = {"3gb-30d": Decimal("3.00"), "daily-1gb": Decimal("1.20")}
AREA_TOPUPS = ("3gb-30d", "10gb-30d")

# `topup_supported` of the plans, and whether there are any top-up plans.
TOPUPS: dict[str, tuple[bool | None, bool]] = {
    "yes": (True, True),
    "no": (False, False),
    "unknown-yes": (None, True),
    "unknown-no": (None, False),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """An allowance and a validity, named by a slug such as `5gb-30d` or `daily-1gb`."""

    slug: str
    volume: int | None
    days: int | None

    @classmethod
    def parse(cls, slug: str) -> Offer:
        """Parse a slug."""
        first, second = slug.split("-")
        is_daily = first == "daily"
        size = second if is_daily else first
        volume = None
        if size != "unlimited":
            volume = int(size[:-2]) * {"gb": 1_000_000_000, "mb": 1_000_000}[size[-2:]]
        return cls(slug, volume, None if is_daily else int(second.removesuffix("d")))

    @property
    def words(self) -> str:
        """The offer as shown in names."""
        size = "unlimited"
        if self.volume is not None:
            gigabytes, rest = divmod(self.volume, 1_000_000_000)
            size = f"{gigabytes} GB" if not rest else f"{self.volume // 1_000_000} MB"
        return f"{size} per day" if self.days is None else f"{size}, {self.days} days"

    def terms(self, starts_on: str) -> Json:
        """Return the properties that plans and top-up plans share."""
        return {
            "plan_type": "daily" if self.days is None else "fixed",
            "data": {
                "bytes": self.volume,
                "unlimited": self.volume is None,
                "per_day": self.days is None,
                "fair_use": FAIR_USE if self.volume is None else None,
            },
            "validity": {"days": self.days, "starts_on": starts_on},
        }


@dataclass(frozen=True, slots=True)
class Destination:
    """A country or an area with plans for sale."""

    slug: str
    name: str
    coverage: str
    topups: str
    countries: tuple[str, ...]
    networks: tuple[Json, ...]
    plans: dict[str, Decimal]
    topup_plans: dict[str, Decimal]


def rows(path: Path) -> Iterator[list[str]]:
    """Yield the cells of each row of a table."""
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


def network(country: str, text: str) -> Json:
    """Parse a network such as `SK Telecom 4G 5G`."""
    words = text.split()
    technologies = [word for word in words if word in ("3G", "4G", "5G")]
    name = " ".join(word for word in words if word not in technologies)
    return {"country": country, "name": name, "technologies": technologies}


def places() -> Iterator[Destination]:
    """Yield the countries, then the areas, where eSIMs use the last network of each country."""
    roaming: dict[str, Json] = {}
    for code, name, level, topups, text in rows(HERE / "countries.txt"):
        networks = tuple(network(code, part) for part in text.split(";"))
        roaming[code] = networks[-1]
        factor = Decimal(level) / 100
        plans = COUNTRY_PLANS | (POPULAR_PLANS if code in POPULAR else {})
        yield Destination(
            slug=code.lower(),
            name=name,
            coverage="country",
            topups=topups,
            countries=(code,),
            networks=networks,
            plans={slug: price * factor for slug, price in plans.items()},
            topup_plans={slug: price * factor for slug, price in COUNTRY_TOPUPS.items()},
        )
    for slug, name, coverage, topups, codes, offers in rows(HERE / "areas.txt"):
        prices = dict(offer.split() for offer in offers.split(";"))
        plans = {offer: Decimal(price) for offer, price in prices.items()}
        per_gigabyte = min(plans.values())
        yield Destination(
            slug=slug,
            name=name,
            coverage=coverage,
            topups=topups,
            countries=tuple(codes.split()),
            networks=tuple(roaming[code] for code in codes.split()),
            plans=plans,
            topup_plans={
                offer: per_gigabyte * factor
                for offer, factor in zip(AREA_TOPUPS, (Decimal("2.5"), Decimal(7)), strict=True)
            },
        )


def money(amount: Decimal) -> str:
    """Return an amount in the contract's format."""
    whole, _, decimals = f"{amount:.4f}".partition(".")
    return f"{whole}.{decimals[:2]}{decimals[2:].rstrip('0')}"


def plan(place: Destination, offer: Offer, price: Decimal) -> Json:
    """Return a plan in the contract's format."""
    terms = offer.terms("first_connection")
    supported, _ = TOPUPS[place.topups]
    return {
        "plan_id": f"pln_{place.slug}-{offer.slug}",
        "name": f"{place.name} {offer.words}",
        "plan_type": terms["plan_type"],
        "coverage": place.coverage,
        "countries": list(place.countries),
        "data": terms["data"],
        "validity": terms["validity"],
        "networks": list(place.networks),
        "price_usd": money(price),
        "topup_supported": False if offer.volume is None else supported,
        "updated_at": UPDATED_AT,
    }


def topup_plan(place: Destination, offer: Offer, price: Decimal) -> Json:
    """Return a top-up plan in the contract's format, with the plans that it can top up."""
    metered = [slug for slug in place.plans if Offer.parse(slug).volume is not None]
    return {
        "topup_plan_id": f"tpl_{place.slug}-{offer.slug}",
        "name": f"{place.name} {offer.words}",
        **offer.terms("purchase"),
        "price_usd": money(price),
        "plan_ids": sorted(f"pln_{place.slug}-{slug}" for slug in metered),
    }


def catalogue() -> dict[str, list[Json]]:
    """Return the whole catalogue, ordered by id."""
    plans: list[Json] = []
    topup_plans: list[Json] = []
    for place in places():
        plans += [plan(place, Offer.parse(slug), price) for slug, price in place.plans.items()]
        if TOPUPS[place.topups][1]:
            topup_plans += [
                topup_plan(place, Offer.parse(slug), price)
                for slug, price in place.topup_plans.items()
            ]
    return {
        "plans": sorted(plans, key=lambda plan: str(plan["plan_id"])),
        "topup_plans": sorted(topup_plans, key=lambda plan: str(plan["topup_plan_id"])),
    }


def render() -> str:
    """Return the catalogue as JSON with one plan per line, so that diffs are readable."""
    lists = [
        f'"{name}": [\n'
        + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        + "\n]"
        for name, entries in catalogue().items()
    ]
    return "{\n" + ",\n".join(lists) + "\n}\n"
