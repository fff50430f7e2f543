"""The models and the document's schemas accept the same payloads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from pydantic import ValidationError

import partner_esim.models
from partner_esim._runtime.shared.codec import Codecs
from tests.models.payloads import examples, variants

DOCUMENT: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "spec" / "openapi.json").read_bytes()
)
SCHEMAS = DOCUMENT["components"]["schemas"]
EXAMPLES: dict[str, list[Any]] = {}
for _name, _example in examples(DOCUMENT):
    EXAMPLES.setdefault(_name, []).append(_example)


def _is_count_of_seconds(place: tuple[str | int, ...], value: Any) -> bool:
    is_timestamp = place == ("Timestamp",) or str(place[-1]).endswith("_at")
    return is_timestamp and isinstance(value, str) and _is_number(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_unknown_event(place: tuple[str | int, ...], value: Any) -> bool:
    return place[-1:] == ("type",) and isinstance(value, str)


def _is_no_uri(place: tuple[str | int, ...], value: Any) -> bool:
    return str(place[-1]).endswith("url") and isinstance(value, str)


Exception_ = Callable[[tuple[str | int, ...], Any], bool]

# Payloads that the models accept and the schemas refuse, and why that is right.
EXCEPTIONS: dict[str, Exception_] = {
    "Pydantic reads a string of digits as seconds since 1970; checking the form of each timestamp"
    " of a response would cost more than reading it": _is_count_of_seconds,
    "an event of a type that comes later is an event (x-extensible-enum)": _is_unknown_event,
    "`format: uri` is an annotation (JSON Schema 2020-12, validation, 7.2.1); what the contract"
    " asks of a URL stands in a pattern": _is_no_uri,
}


def _place_of(payload: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            payload = payload[step]
        except (KeyError, IndexError, TypeError):
            return None
    return payload


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_models_judge_as_the_schemas_do(name: str) -> None:
    validator = jsonschema_rs.Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]},
        validate_formats=True,
    )
    codec = Codecs(partner_esim.models.__name__)[name]
    judged = 0
    for example in EXAMPLES[name][:3]:
        for path, payload in variants(example):
            judged += 1
            valid = validator.is_valid(payload)
            try:
                codec.decode(json.dumps(payload).encode())
                accepted = True
            except ValidationError:
                accepted = False
            excused = accepted and any(
                excuse((name, *path), _place_of(payload, path)) for excuse in EXCEPTIONS.values()
            )
            assert accepted == valid or excused, (path, payload)
    assert judged > len(EXAMPLES[name][:3])


def test_bodies_of_requests_and_answers_are_all_judged() -> None:
    bodies = {
        media["schema"]["$ref"].rpartition("/")[2]
        for item in DOCUMENT["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict)
        for holder in (operation.get("requestBody", {}), *operation["responses"].values())
        for media in holder.get("content", {}).values()
    }
    assert bodies <= set(EXAMPLES)
