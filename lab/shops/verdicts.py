"""The verdicts on the bugs of the shops, first and last: stored as JSON, shown in docs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.measured import records
from lab.shops.bugs import BUGS

KEPT = Path(__file__).parent
SHOPS = {"fastapi": "FastAPI", "django": "Django"}

HEAD = """\
# Two shops with forty bugs

A shop in FastAPI and one in Django (Django REST framework with drf-spectacular), as a team would
write them: with bearer or basic credentials, roles, uploads as multipart, lists by offset, by
cursor, by number and by `Link`, `Idempotency-Key`, orders that are paid and shipped. Each has one
of forty bugs at a time. They were written by an author who had not read the checks; a request by
hand shows that each is there, and that the shop without it is right.

`specwright test` gets the document that the shop makes of itself, as it is, with the settings that
`specwright init` proposes for it, and the credentials of two managers, a customer and a user who is
suspended. Where that finds nothing, it gets the same document with the `x-contract-*` keys and the
roles that fit. What is found in a shop without a bug, too, does not count;
nor does the level `info`. A rule that finds something without a bug must find the same with another
seed. Beside it stands schemathesis 4 alone, with the same document and the credentials of one
manager, judged in the same way.

The first figure is of 2026-11-23, before any check was changed for these bugs, and stays. Its
findings were read one by one, and those that tell of something other than the bug do not count. The
Django shop could not be tested then, as credentials for HTTP Basic were not sent.

Both shops were judged again {measured}, two bugs at a time, beside other work on the same two
cores; schemathesis on 2026-11-25. In that run, the Django shop without a bug had two false
findings: the id of a shared product in another tenant's order, and an `Idempotency-Key` that was
used before. Both were fixed, and it has none now.
`x-contract-transition` and keys without roles exist because `paid-twice`, `unpaid-is-shipped` and
`customer-creates-products` had been missed: of what others would find with them, these three say
nothing. `negative-price` of Django breaks nothing that its document says: the price is a text, and
only a number can have a minimum.

The first run against Django showed findings without a bug: two were false and are fixed, and three
were real bugs of the shop (a header longer than its maximum, and orders stored twice or without
lines when two came at once), which was fixed.

`nox -s shops` judges all of them, in an hour, and `nox -s shops -- django NAME` some. The shops are
in `lab/shops`; `python -m lab.shops.serving django NAME` serves one with a
bug. `nox -s derive` makes this page.

"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a bug.

    Attributes:
        plain: the rules that found it with the document as it is.
        declared: those that found it with declarations; None when the plain document sufficed.
        alone: the checks of schemathesis that found it; None when it did not run.
    """

    plain: tuple[str, ...]
    declared: tuple[str, ...] | None
    alone: tuple[str, ...] | None

    @property
    def is_found(self) -> bool:
        """Whether any rule found it."""
        return bool(self.plain or self.declared)

    def __str__(self) -> str:
        rules = ", ".join(f"`{rule}`" for rule in self.plain or self.declared or ())
        return f"{rules}{'' if self.plain else ' (declared)'}" if rules else "**missed**"


@dataclass(frozen=True, slots=True)
class Runs:
    """The results of all runs against one shop.

    Attributes:
        clean: the rules that find something without a bug, by the kind of document.
    """

    clean: Mapping[str, list[str]]
    first: dict[str, Verdict]
    last: dict[str, Verdict]


def load(shop: str) -> Runs:
    """The runs against a shop."""
    file = KEPT / f"{shop}.json"
    kept = json.loads(file.read_text("utf-8")) if file.exists() else {}
    first, last = (
        {name: _verdict(each) for name, each in kept.get(when, {}).items()}
        for when in ("first", "last")
    )
    return Runs(kept.get("clean", {}), first, last)


def save(shop: str, runs: Runs) -> None:
    """Keep runs, in the order of the bugs."""
    kept = {
        "clean": runs.clean,
        **{
            when: {name: asdict(verdicts[name]) for name in BUGS if name in verdicts}
            for when, verdicts in (("first", runs.first), ("last", runs.last))
        },
    }
    (KEPT / f"{shop}.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def render() -> str:
    """The page."""
    judged = {shop: load(shop) for shop in SHOPS}
    lines = [
        "| Shop | Bugs | First, plain | First, declared | Now, plain | Now, declared "
        "| schemathesis | Rules without a bug |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *(_total(SHOPS[shop], runs) for shop, runs in judged.items()),
    ]
    for shop, runs in judged.items():
        lines += ["", f"## {SHOPS[shop]}", "", "| Bug | Found first by | Found now by "]
        lines[-1] += "| schemathesis |"
        lines += ["|---|---|---|---|", *(_row(name, runs) for name in runs.last)]
        if found := set().union(*runs.clean.values()):
            rules = ", ".join(f"`{rule}`" for rule in sorted(found))
            lines += ["", f"The shop without a bug has findings by {rules}."]
    return HEAD.format(measured=records.words("shops")) + "\n".join(lines) + "\n"


def _verdict(kept: Mapping[str, list[str] | None]) -> Verdict:
    declared, alone = kept["declared"], kept["alone"]
    return Verdict(
        tuple(kept["plain"] or ()),
        None if declared is None else tuple(declared),
        None if alone is None else tuple(alone),
    )


def _total(title: str, runs: Runs) -> str:
    counts = [
        sum(
            bool(verdict.plain) if kind == "plain" else verdict.is_found
            for verdict in column.values()
        )
        for column in (runs.first, runs.last)
        for kind in ("plain", "declared")
    ]
    alone = sum(bool(verdict.alone) for verdict in runs.last.values())
    clean = len(set().union(*runs.clean.values()))
    return " | ".join([f"| {title}", *map(str, (len(runs.last), *counts, alone, clean))]) + " |"


def _row(name: str, runs: Runs) -> str:
    verdict = runs.last[name]
    checks = "not run" if verdict.alone is None else "missed"
    alone = ", ".join(f"`{check}`" for check in verdict.alone or ()) or checks
    return f"| `{name}`: {BUGS[name].says} | {runs.first[name]} | {verdict} | {alone} |"
