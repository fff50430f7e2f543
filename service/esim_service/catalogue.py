"""The catalogue file: plans and top-up plans in the contract's format, and their checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ValidationError

from partner_esim.models import DataAllowance, Plan, PlanId, TopupPlan, Validity
from partner_esim.server import Checker

_SHOWN = 20
_PLAN_TYPES = ("fixed", "daily")
_COVERAGES = ("country", "regional", "global")
_STARTS = ("first_connection", "installation", "purchase")

Step: TypeAlias = int | str


class CatalogueError(ValueError):
    """A catalogue cannot be used; the message lists the errors and their places."""


class EligibleTopupPlan(TopupPlan):
    """A top-up plan with the plans that it can top up."""

    plan_ids: list[PlanId]


class Catalogue(BaseModel):
    """The plans and top-up plans for sale."""

    plans: list[Plan]
    topup_plans: list[EligibleTopupPlan]


@dataclass(frozen=True, slots=True)
class _Fault:
    place: Sequence[Step]
    message: str


_CHECKER = Checker(Catalogue)


def default_path() -> Path:
    """Return the path of the catalogue that comes with the service."""
    return Path(str(resources.files(__package__) / "data" / "catalogue.json"))


def load(path: Path) -> Catalogue:
    """Read a catalogue file.

    Raises:
        CatalogueError: the file cannot be read, or breaks the contract.
    """
    try:
        return parse(path.read_bytes(), str(path))
    except OSError as error:
        raise CatalogueError(f"{path}: {error.strerror}") from None


def parse(data: bytes, source: str) -> Catalogue:
    """Parse a catalogue; `source` names it in errors.

    Raises:
        CatalogueError: the catalogue breaks the contract.
    """
    try:
        content: object = json.loads(data, object_pairs_hook=_unique)
    except UnicodeDecodeError:
        raise CatalogueError(f"{source}: not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise CatalogueError(f"{source}: not valid JSON: {error}") from None
    try:
        catalogue = _CHECKER.validate_json(data, extra="forbid")
    except ValidationError as error:
        broken = [_Fault(fault["loc"], fault["msg"]) for fault in error.errors(include_url=False)]
        raise _error(source, broken, content) from None
    faults = list(_faults(catalogue))
    if faults:
        raise _error(source, faults, content)
    return catalogue


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        repeated = next(
            name for name, count in Counter(name for name, _ in pairs).items() if count > 1
        )
        raise ValueError(f"duplicate property {repeated!r}")
    return result


def _error(source: str, faults: Sequence[_Fault], content: object) -> CatalogueError:
    lines = [
        f"{source}: {_place(fault.place, content)}: {fault.message}" for fault in faults[:_SHOWN]
    ]
    if len(faults) > _SHOWN:
        lines.append(f"{source}: {len(faults) - _SHOWN} more")
    return CatalogueError("\n".join(lines))


def _place(steps: Sequence[Step], content: object) -> str:
    # `plans[3] (pln_jp-5gb-30d).price_usd`: the index finds the entry, the id names it.
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f"{'.' if text else ''}{step}"
        if isinstance(content, list) and isinstance(step, int):
            content = content[step]
            if isinstance(content, dict):
                name = content.get("plan_id") or content.get("topup_plan_id")
                text += f" ({name})" if isinstance(name, str) else ""
        elif isinstance(content, dict):
            content = content.get(str(step))
    return text or "document"


def _faults(catalogue: Catalogue) -> Iterator[_Fault]:
    if not catalogue.plans:
        yield _Fault(("plans",), "there must be at least one plan")
    topups_of: Counter[str] = Counter()
    plans = {plan.plan_id: plan for plan in catalogue.plans}
    yield from _repeated("plans", "plan_id", [plan.plan_id for plan in catalogue.plans])
    topup_ids = [topup_plan.topup_plan_id for topup_plan in catalogue.topup_plans]
    yield from _repeated("topup_plans", "topup_plan_id", topup_ids)
    for index, topup_plan in enumerate(catalogue.topup_plans):
        place = ("topup_plans", index)
        topups_of.update(set(topup_plan.plan_ids))
        yield from _offer_faults(place, topup_plan)
        yield from _eligibility_faults((*place, "plan_ids"), topup_plan.plan_ids, plans)
    for index, plan in enumerate(catalogue.plans):
        place = ("plans", index)
        yield from _offer_faults(place, plan)
        yield from _coverage_faults(place, plan)
        if plan.topup_supported and not topups_of[plan.plan_id]:
            yield _Fault((*place, "topup_supported"), "is true, but no top-up plan lists this plan")


def _repeated(collection: str, name: str, ids: Sequence[str]) -> Iterator[_Fault]:
    seen: set[str] = set()
    for index, id_ in enumerate(ids):
        if id_ in seen:
            yield _Fault((collection, index, name), "duplicate id")
        seen.add(id_)


def _eligibility_faults(
    place: tuple[Step, ...], plan_ids: Sequence[str], plans: Mapping[str, Plan]
) -> Iterator[_Fault]:
    if not plan_ids:
        yield _Fault(place, "must list at least one plan")
    for index, plan_id in enumerate(plan_ids):
        if plan_id not in plans:
            yield _Fault((*place, index), f"there is no plan {plan_id}")
        elif plan_id in plan_ids[:index]:
            yield _Fault((*place, index), "duplicate plan")
        elif plans[plan_id].topup_supported is False:
            yield _Fault((*place, index), f"topup_supported of {plan_id} is false")


def _offer_faults(place: tuple[Step, ...], offer: Plan | TopupPlan) -> Iterator[_Fault]:
    if not offer.name.strip():
        yield _Fault((*place, "name"), "must not be empty")
    if offer.price_usd <= 0:
        yield _Fault((*place, "price_usd"), "must be greater than zero")
    # The contract lets clients meet new values; this service has rules for these only.
    if offer.plan_type not in _PLAN_TYPES:
        yield _Fault((*place, "plan_type"), f"must be one of {', '.join(_PLAN_TYPES)}")
    yield from _data_faults((*place, "data"), offer.data)
    yield from _validity_faults((*place, "validity"), offer.validity, offer.plan_type)
    if offer.plan_type == "daily" and not offer.data.per_day:
        yield _Fault((*place, "data", "per_day"), "must be true for a daily plan")


def _data_faults(place: tuple[Step, ...], data: DataAllowance) -> Iterator[_Fault]:
    if data.unlimited and data.bytes is not None:
        yield _Fault((*place, "bytes"), "must be null when unlimited is true")
    if not data.unlimited and not data.bytes:
        yield _Fault((*place, "bytes"), "must be greater than zero when unlimited is false")


def _validity_faults(
    place: tuple[Step, ...], validity: Validity, plan_type: str
) -> Iterator[_Fault]:
    if validity.starts_on not in _STARTS:
        yield _Fault((*place, "starts_on"), f"must be one of {', '.join(_STARTS)}")
    if plan_type == "daily" and validity.days is not None:
        yield _Fault((*place, "days"), "must be null for a daily plan: the buyer chooses")
    if plan_type == "fixed" and validity.days is None:
        yield _Fault((*place, "days"), "must be a number of days for a fixed plan")


def _coverage_faults(place: tuple[Step, ...], plan: Plan) -> Iterator[_Fault]:
    countries = set(plan.countries)
    if plan.coverage not in _COVERAGES:
        yield _Fault((*place, "coverage"), f"must be one of {', '.join(_COVERAGES)}")
    elif (plan.coverage == "country") is not (len(countries) == 1):
        wanted = "one country" if plan.coverage == "country" else "more than one country"
        yield _Fault((*place, "countries"), f"must be {wanted} for the coverage {plan.coverage}")
    if len(countries) < len(plan.countries):
        yield _Fault((*place, "countries"), "must not contain duplicates")
    for index, network in enumerate(plan.networks):
        if network.country not in countries:
            yield _Fault(
                (*place, "networks", index, "country"),
                f"{network.country} is not one of the plan's countries",
            )
        if not network.technologies:
            yield _Fault((*place, "networks", index, "technologies"), "must not be empty")
    for country in sorted(countries - {network.country for network in plan.networks}):
        yield _Fault((*place, "networks"), f"there is no network for {country}")
