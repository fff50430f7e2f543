"""Examples lack what values in their direction lack, and a misspelt property is one finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_rule_details import found

ORDER = """
  schemas:
    Order:
      type: object
      required: [id, secret, %s]
      properties:
        id: {$ref: "#/components/schemas/Id"}
        secret: {type: string, writeOnly: true}
        size: {type: integer}
    Id: {type: string, readOnly: true}
"""
BODY = "content: {application/json: {schema: {$ref: '#/components/schemas/Order'}, example: %s}}"
NEITHER, READ, SENT = "{size: 1}", "{size: 1, id: a}", "{size: 1, secret: a}"
OTHERS = 'responses: {"200": {description: D}}'


def missing(directory: Path, part: str) -> list[str]:
    messages = [message for _, message in found(directory, part, "example-valid")]
    return [message.partition('"')[2].partition('"')[0] for message in messages]


def whole(item: str, components: str = "") -> str:
    return f"{item}\ncomponents:\n{components}{ORDER % 'size'}"


REQUEST = "%s: {/x: {post: {operationId: x, requestBody: {%s}, %s}}}"
RESPONSE = '%s: {/x: {post: {operationId: x, responses: {"200": {description: D, %s}}}}}'
CALLBACK = (
    "paths: {/x: {post: {operationId: x, %s, callbacks: {c: {'{$url}': {post: {operationId: y, "
    "requestBody: {%s}, %s}}}}}}}"
)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (REQUEST % ("paths", BODY % NEITHER, OTHERS), ["secret"]),
        (REQUEST % ("paths", BODY % SENT, OTHERS), []),
        (REQUEST % ("webhooks", BODY % NEITHER, OTHERS), ["id"]),
        (REQUEST % ("webhooks", BODY % READ, OTHERS), []),
        (RESPONSE % ("paths", BODY % NEITHER), ["id"]),
        (RESPONSE % ("paths", BODY % READ), []),
        (CALLBACK % (OTHERS, BODY % NEITHER, OTHERS), ["id"]),
    ],
    ids=["sent", "sent in full", "webhook", "webhook in full", "read", "read in full", "callback"],
)
def test_an_example_has_what_its_direction_requires(
    tmp_path: Path, part: str, expected: list[str]
) -> None:
    assert missing(tmp_path, whole(part)) == expected


def test_a_shared_response_is_read_like_those_that_use_it(tmp_path: Path) -> None:
    reference = '{$ref: "#/components/responses/R"}'
    use = f'paths: {{/x: {{get: {{operationId: x, responses: {{"200": {reference}}}}}}}}}'
    shared = f"  responses: {{R: {{description: D, {BODY % NEITHER}}}}}"
    assert missing(tmp_path, whole(use, shared)) == ["id"]


def test_a_body_of_both_directions_has_what_either_requires(tmp_path: Path) -> None:
    body = "requestBody: {$ref: '#/components/requestBodies/B'}"
    use = "\n".join(
        f"{field}: {{/{name}: {{post: {{operationId: {name}, {body}, {OTHERS}}}}}}}"
        for field, name in (("paths", "x"), ("webhooks", "y"))
    )
    shared = f"  requestBodies: {{B: {{{BODY % NEITHER}}}}}"
    assert sorted(missing(tmp_path, whole(use, shared))) == ["id", "secret"]


@pytest.mark.parametrize("example", [NEITHER, READ, SENT])
def test_an_example_of_a_schema_is_of_any_direction(tmp_path: Path, example: str) -> None:
    part = (
        whole("paths: {}")
        + f"    Shown: {{$ref: '#/components/schemas/Order', example: {example}}}"
    )
    assert missing(tmp_path, part) == []


def test_a_misspelt_property_is_one_finding(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        Order:
          type: object
          additionalProperties: false
          required: [size, id]
          properties: {size: {type: integer}, id: {type: string}}
          examples: [{sise: 1, id: a}, {sise: 1, other: 2}]
    """
    [first, *second] = found(tmp_path, part, "example-valid")
    assert first == (
        "/components/schemas/Order/examples/0",
        "the example does not fit: Additional properties are not allowed ('sise' was unexpected): "
        "did you mean 'size'?",
    )
    assert [message.partition(": ")[2] for _, message in second] == [
        '"id" is a required property',
        "Additional properties are not allowed ('sise', 'other' were unexpected): did you mean "
        "'size'?",
    ]
