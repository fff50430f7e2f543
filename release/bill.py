"""The bill of materials of a release (CycloneDX 1.6): the packages with which it was tested.

These are the pins of `action/requirements.txt`: for its users, pip resolves the ranges of
pyproject.toml. The text depends on nothing but the sources, so it has no time and no serial number.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PIN = re.compile(r"^([a-z0-9.-]+)==([^ ;\\]+)", re.MULTILINE)


def render(top: Path) -> str:
    """Return the bill of materials of the toolkit in a checkout, as JSON."""
    project = tomllib.loads((top / "pyproject.toml").read_text("utf-8"))["project"]
    pins = dict(_PIN.findall((top / "action" / "requirements.txt").read_text("utf-8")))
    toolkit = _component("application", project["name"], project["version"])
    toolkit["licenses"] = [{"expression": project["license"]}]
    libraries = {name: _component("library", name, version) for name, version in pins.items()}
    required = {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": toolkit},
        "components": list(libraries.values()),
        "dependencies": [
            {
                "ref": toolkit["bom-ref"],
                "dependsOn": sorted(str(libraries[name]["bom-ref"]) for name in required),
            }
        ],
    }
    return json.dumps(bill, indent=2) + "\n"


def _component(kind: str, name: str, version: str) -> dict[str, object]:
    address = f"pkg:pypi/{name}@{version}"
    return {"type": kind, "bom-ref": address, "name": name, "version": version, "purl": address}
