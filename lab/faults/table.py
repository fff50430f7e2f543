"""All faults by name, each with its class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from lab.faults import (
    authentication,
    idempotency,
    isolation,
    limits,
    lists,
    robustness,
    shape,
    state,
    validation,
    webhooks,
)
from lab.faults.seeding import Seed

CLASSES = (
    shape,
    validation,
    authentication,
    isolation,
    state,
    idempotency,
    lists,
    limits,
    webhooks,
    robustness,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with the service.

    Attributes:
        kind: the class of faults that it belongs to.
        says: what is wrong, in a sentence.
        quotes: of the source text or the contract, that which it breaks.
    """

    name: str
    kind: str
    says: str
    quotes: tuple[str, ...]
    seed: Seed


def faults_of(module: ModuleType) -> Iterator[Fault]:
    """The faults of a class: the public functions of its module, with their docstrings."""
    for name, seed in vars(module).items():
        if inspect.isfunction(seed) and seed.__module__ == module.__name__ and name[0] != "_":
            text = inspect.cleandoc(seed.__doc__ or "")
            quotes = tuple(" ".join(each.split()) for each in re.findall(r"“(.+?)”", text, re.S))
            says = " ".join(text.partition("“")[0].split())
            kind = module.__name__.rpartition(".")[2]
            yield Fault(name.replace("_", "-"), kind, says, quotes, seed)


FAULTS = {fault.name: fault for module in CLASSES for fault in faults_of(module)}
