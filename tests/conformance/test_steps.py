"""The steps of a run."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from specwright.conformance import scenarios
from specwright.conformance.run import FIRST_SCENARIOS, LATE_SCENARIOS
from specwright.conformance.scenarios.examples import examples
from specwright.conformance.scenarios.explore import renew
from specwright.conformance.scenarios.refusals import refusals

# A helper of scenarios, and two scenarios that run beside fuzzing.
OTHERS = {renew, examples, refusals}


def test_every_scenario_is_a_step() -> None:
    found = {
        function
        for module in pkgutil.iter_modules(scenarios.__path__, f"{scenarios.__name__}.")
        for name, function in inspect.getmembers(importlib.import_module(module.name))
        if inspect.isfunction(function)
        and not name.startswith("_")
        and inspect.getfullargspec(function).args == ["bench"]
        and inspect.getfullargspec(function).annotations["return"] == "None"
    }
    assert found == {*FIRST_SCENARIOS.values(), *LATE_SCENARIOS.values()} | OTHERS
