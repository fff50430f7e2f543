"""Cases of single rules beyond their examples."""

from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.policy import LintProfile, Settings

from .documents import write


def found(directory: Path, part: str, rule: str) -> list[tuple[str, str]]:
    document = upgrade(load(write(directory, part)))
    report = check(document, Settings(LintProfile.STRICT))
    return [
        (finding.pointer, finding.message) for finding in report.findings if finding.rule == rule
    ]


def test_a_schema_that_may_end_is_satisfiable(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        Node:
          type: object
          properties:
            next: {anyOf: [{$ref: "#/components/schemas/Node"}, {type: "null"}]}
          required: [next]
        Closed: {type: object, additionalProperties: false}
    """
    assert found(tmp_path, part, "schema-unsatisfiable") == []


def test_a_broken_format_in_an_example_counts(tmp_path: Path) -> None:
    part = "components: {schemas: {T: {type: string, format: date-time, examples: [yesterday]}}}"
    [(pointer, message)] = found(tmp_path, part, "example-valid")
    assert pointer == "/components/schemas/T/examples/0"
    assert "date-time" in message


def test_a_part_may_require_a_property_that_the_composition_declares(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        Base: {type: object, properties: {name: {type: string}}}
        Ticket:
          allOf:
            - $ref: "#/components/schemas/Base"
            - allOf:
                - {type: object, required: [id, name, nam], properties: {id: {type: integer}}}
        Other: {type: object, required: [name], properties: {id: {type: integer}}}
    """
    assert found(tmp_path, part, "required-declared") == [
        (
            "/components/schemas/Ticket/allOf/1/allOf/0/required/2",
            "'nam' is required but not among the properties",
        ),
        (
            "/components/schemas/Other/required/0",
            "'name' is required but not among the properties",
        ),
    ]


OVERLAPPING = {
    "numbers": ("[{type: integer}, {type: number}]", "1 fits the alternatives 1 and 2"),
    "a listed text": ("[{type: string}, {enum: ['-1']}]", '"-1" fits the alternatives 1 and 2'),
    "null": ("[{$ref: A}, {type: [array, 'null']}]", "null fits the alternatives 1 and 2"),
    "the third": (
        "[{type: boolean}, {type: string, maxLength: 3}, {const: ab}]",
        '"ab" fits the alternatives 2 and 3',
    ),
}


@pytest.mark.parametrize(("union", "words"), OVERLAPPING.values(), ids=OVERLAPPING)
def test_alternatives_that_overlap_are_shown_with_a_value(
    tmp_path: Path, union: str, words: str
) -> None:
    union = union.replace("A}", '"#/components/schemas/A"}')
    part = f"components: {{schemas: {{A: {{type: [integer, 'null']}}, U: {{oneOf: {union}}}}}}}"
    [(pointer, message)] = found(tmp_path, part, "one-of-overlap")
    assert pointer == "/components/schemas/U/oneOf"
    assert message.startswith(words)


@pytest.mark.parametrize(
    "union",
    [
        "oneOf: [{type: integer}, {type: string}]",
        "oneOf: [{type: string, maxLength: 3}, {type: string, minLength: 4}]",
        "anyOf: [{type: integer}, {type: number}]",
        "oneOf: [{type: object}, {type: object}], discriminator: {propertyName: kind}",
        "oneOf: [{type: integer}]",
    ],
)
def test_other_alternatives_do_not_overlap(tmp_path: Path, union: str) -> None:
    part = f"components: {{schemas: {{U: {{{union}}}}}}}"
    assert found(tmp_path, part, "one-of-overlap") == []


def test_items_of_an_object_mean_nothing(tmp_path: Path) -> None:
    part = "components: {schemas: {T: {type: %s, items: {required: [a]}}}}"
    assert found(tmp_path, part % "object", "unsupported-schema") == []
    assert found(tmp_path, part % "[object, array]", "unsupported-schema") != []
    named = "components: {schemas: {T: {properties: {type: {}, items: {required: [a]}}}}}"
    assert found(tmp_path, named, "unsupported-schema") != []


@pytest.mark.parametrize("media_type", ["application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ("{type: integer}", "integer"),
        ("{type: [string, array]}", "array or string"),
        ("{allOf: [{type: [object, 'null']}, {type: [boolean, 'null']}]}", "null"),
        ("{enum: [a, 1.5]}", "number or string"),
        ("{oneOf: [{const: true}, {items: {}}]}", "array or boolean"),
        ("{type: [string, integer], anyOf: [{type: object}, {type: string}]}", "string"),
        ("{type: [object, 'null']}", ""),
        ("{properties: {a: {}}}", ""),
        ("{anyOf: [{type: string}, {required: [a]}]}", ""),
        ("{}", ""),
    ],
)
def test_a_form_is_an_object(tmp_path: Path, media_type: str, schema: str, named: str) -> None:
    part = f"""
    paths:
      /a:
        post:
          requestBody: {{content: {{{media_type}: {{schema: {schema}}}}}}}
          responses:
            "400": {{description: No., content: {{{media_type}: {{schema: {schema}}}}}}}
    """
    message = f"a form has the members of an object, not {named}"
    for rule, place in {
        "unsupported-body": "/paths/~1a/post/requestBody/content",
        "unsupported-answer": "/paths/~1a/post/responses/400/content",
    }.items():
        where = f"{place}/{media_type.replace('/', '~1')}/schema"
        assert found(tmp_path, part, rule) == ([(where, message)] if named else [])


@pytest.mark.parametrize(("status", "count"), [("200", 1), ("400", 0), ("default", 0)])
def test_the_parts_of_errors_are_bytes_without_a_word(
    tmp_path: Path, status: str, count: int
) -> None:
    part = f"""
    paths:
      /a:
        get:
          responses:
            "{status}": {{description: It., content: {{multipart/mixed: {{}}}}}}
    """
    assert len(found(tmp_path, part, "unsupported-answer")) == count


@pytest.mark.parametrize("schema", ["true", "false", "{}"])
def test_a_property_of_any_value_is_read_as_xml(tmp_path: Path, schema: str) -> None:
    part = f"""
    paths:
      /a:
        post:
          requestBody:
            content: {{application/xml: {{schema: {{properties: {{a: {schema}}}}}}}}}
          responses: {{"204": {{description: Done.}}}}
    """
    report = check(load(write(tmp_path, part)), Settings())
    rules = {finding.rule for finding in report.findings}
    assert rules.isdisjoint({"check-incomplete", "unsupported-xml"})


def test_a_reference_inside_an_example_is_text(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        Anything:
          examples: [{$ref: "https://elsewhere.example.com/x"}]
          default: {$ref: "#/nowhere"}
          enum: [{$ref: "#/nowhere"}, {$ref: "https://elsewhere.example.com/x"}]
    """
    report = check(load(write(tmp_path, part)), Settings())
    # What models do not check of it is another matter.
    assert {finding.rule for finding in report.findings} == {"unsupported-schema"}


@pytest.mark.parametrize(
    ("declared", "rule"),
    [
        ("x-contract-once: true", "contract-key"),
        ("x-contract-nonsense: true", "contract-key"),
        ("x-contract-capacity: {limit: 0}", "contract-shape"),
        ("x-contract-rate-limit: {class: read}", "contract-reference"),
        ("x-contract-requires-one-of: {parameters: [a, b], code: missing}", "contract-reference"),
        ("x-contract-order: {by: /created_at, direction: ascending}", "contract-reference"),
    ],
)
def test_declarations_of_operations_are_checked(declared: str, rule: str, tmp_path: Path) -> None:
    part = f"""
    paths:
      /a:
        get:
          operationId: getA
          {declared}
          responses: {{"200": {{description: Fine.}}}}
    """
    key = declared.partition(":")[0]
    pointers = [pointer for pointer, _ in found(tmp_path, part, rule)]
    assert pointers
    assert all(pointer.startswith(f"/paths/~1a/get/{key}") for pointer in pointers)


@pytest.mark.parametrize(
    ("place", "is_known"), [("/plan_id", True), ("/plan", False), ("/other", False)]
)
def test_what_requires_a_property_is_one_that_chooses(
    place: str, is_known: bool, tmp_path: Path
) -> None:
    part = f"""
    components:
      schemas:
        Base:
          type: object
          properties:
            plan_id: {{type: string, x-contract-chosen-from: {{list: listPlans}}}}
            other: {{type: string}}
        Order:
          allOf: [{{$ref: "#/components/schemas/Base"}}]
          properties:
            months:
              type: integer
              x-contract-required-when: {{of: {place}, at: /billing, values: [monthly]}}
    """
    of = "/components/schemas/Order/properties/months/x-contract-required-when/of"
    said = f"'{place}' is not a property with x-contract-chosen-from"
    reported = [each for each in found(tmp_path, part, "contract-reference") if each[0] == of]
    assert reported == ([] if is_known else [(of, said)])


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/offset", None),
        ("/paging/from", None),
        ("offset", "'offset' is not a query parameter of the operation"),
        ("/ofset", "'/ofset' is not in the request body"),
        ("/paging/offset", "'/paging/offset' is not in the request body"),
        ("/", "'/' is not in the request body"),
    ],
)
def test_pages_may_be_chosen_in_the_request_body(
    place: str, said: str | None, tmp_path: Path
) -> None:
    part = f"""
    paths:
      /things/filter:
        post:
          operationId: filterThings
          x-contract-pagination:
            {{cursor: null, limit: null, next: null, more: null, id: null, items: "",
              offset: {place}}}
          requestBody:
            content:
              application/json:
                schema:
                  allOf: [{{$ref: "#/components/schemas/Filter"}}]
          responses:
            "200":
              description: Some.
              content: {{application/json: {{schema: {{type: array, items: {{type: string}}}}}}}}
    components:
      schemas:
        Filter:
          properties:
            offset: {{type: integer}}
            paging: {{$ref: "#/components/schemas/Paging"}}
        Paging: {{properties: {{from: {{type: integer}}}}}}
    """
    at = "/paths/~1things~1filter/post/x-contract-pagination/offset"
    assert found(tmp_path, part, "contract-reference") == ([] if said is None else [(at, said)])


def test_webhooks_are_checked_like_operations(tmp_path: Path) -> None:
    part = """
    webhooks:
      done:
        post:
          x-contract-signature:
            header: Signature
            template: "{digest}"
            payload: "{timestamp}.{body}"
            algorithm: hmac-sha256
            encoding: hex
            tolerance_seconds: 300
            secret: text
          requestBody:
            content:
              application/json:
                schema: {type: object, properties: {a: {type: integer, default: x}}}
          responses: {"2XX": {description: Received.}}
    """
    assert found(tmp_path, part, "operation-id")
    assert found(tmp_path, part, "schema-inline")
    assert found(tmp_path, part, "default-valid")
    contract = [*found(tmp_path, part, "contract-reference")]
    contract += found(tmp_path, part, "contract-shape")
    assert contract


def test_a_header_that_overrides_one_in_other_case_is_no_clash(tmp_path: Path) -> None:
    part = """
    paths:
      /orders:
        parameters: [{name: X-Foo, in: header, schema: {type: string}}]
        get:
          parameters: [{name: x-foo, in: header, schema: {type: string}}]
          responses: {"200": {description: The orders.}}
    """
    assert found(tmp_path, part, "parameter-name-clash") == []


def test_names_and_joined_patterns_that_models_do_not_check_are_told(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        Code: {type: string, pattern: "^a"}
        Keys: {type: object, patternProperties: {"(a)\\\\1": {type: string}, "^b": {type: string}}}
        Short: {allOf: [{$ref: "#/components/schemas/Code"}, {pattern: "b$"}]}
        Same: {allOf: [{$ref: "#/components/schemas/Code"}, {pattern: "^a"}]}
        Typeless: {allOf: [{pattern: "^a"}, {pattern: "b$"}]}
        Base: {type: object, properties: {code: {$ref: "#/components/schemas/Code"}}}
        More:
          allOf:
            - $ref: "#/components/schemas/Base"
            - {properties: {code: {pattern: "b$"}, other: {pattern: "c"}}}
        Apart:
          allOf:
            - $ref: "#/components/schemas/Base"
            - {properties: {inner: {properties: {code: {pattern: "b$"}}}}}
        Broken: {type: string, pattern: "(["}
    """
    assert found(tmp_path, part, "unsupported-pattern") == [
        (
            "/components/schemas/Keys/patternProperties/(a)\\1",
            "models accept any property: they cannot match '(a)\\1'",
        ),
        ("/components/schemas/More/allOf", "models check one of the 2 patterns of 'code'"),
    ]
    # Without a type, they check none.
    unchecked = {place for place, _ in found(tmp_path, part, "unsupported-schema")}
    assert unchecked >= {f"/components/schemas/Typeless/allOf/{n}/pattern" for n in (0, 1)}


def test_a_schema_of_too_many_parts_is_told_in_one_line(tmp_path: Path) -> None:
    parts = ", ".join(f"{{pattern: 'a{number}'}}" for number in range(6_000))
    part = f"""
    components:
      schemas:
        Many: {{allOf: [{parts}]}}
    """
    assert found(tmp_path, part, "unsupported-pattern") == [
        ("/components/schemas/Many/allOf", "too many parts to compare their patterns")
    ]


def test_a_message_is_one_line_however_long_the_path_is(tmp_path: Path) -> None:
    part = f"""
    paths:
      /{"x" * 1000}/{{a: {{}}
    """
    [(_, message)] = found(tmp_path, part, "path-template")
    assert len(message) == 200


@pytest.mark.parametrize(
    "schema",
    [
        "{if: {required: [kind]}, then: {properties: {id: {type: string}}}}",
        "{if: {required: [kind]}, else: {properties: {id: {type: string}}}}",
        "{dependentSchemas: {kind: {properties: {id: {type: string}}}}}",
        "{patternProperties: {'^i': {type: string}}}",
        "{unevaluatedProperties: {type: string}}",
        "{$dynamicRef: '#thing'}",
    ],
    ids=["then", "else", "dependentSchemas", "pattern", "unevaluated", "dynamic reference"],
)
def test_a_link_may_name_whatever_a_keyword_describes(schema: str, tmp_path: Path) -> None:
    assert found(tmp_path, _link_to("/id", schema), "link-expression") == []


@pytest.mark.parametrize(
    "schema",
    [
        "{not: {properties: {id: {type: string}}}}",
        "{patternProperties: {'^x': {type: string}}}",
        "{patternProperties: {'^i': false}, additionalProperties: {type: string}}",
        "{properties: {id: false}, additionalProperties: {type: string}}",
    ],
    ids=["not", "another pattern", "forbidden pattern", "forbidden property"],
)
def test_a_link_may_not_name_what_no_answer_has(schema: str, tmp_path: Path) -> None:
    assert found(tmp_path, _link_to("/id", schema), "link-expression")


def test_a_link_may_name_items_of_a_list(tmp_path: Path) -> None:
    for schema in ("{contains: {type: string}}", "{unevaluatedItems: {type: string}}"):
        assert found(tmp_path, _link_to("/1", schema), "link-expression") == []


def _link_to(place: str, schema: str) -> str:
    return f"""
    paths:
      /things:
        get:
          operationId: getThing
          parameters: [{{name: id, in: query, schema: {{type: string}}}}]
          responses:
            "200":
              description: Fine.
              content: {{application/json: {{schema: {schema}}}}}
              links:
                self: {{operationId: getThing, parameters: {{id: "$response.body#{place}"}}}}
    components:
      schemas:
        Thing: {{$dynamicAnchor: thing, properties: {{id: {{type: string}}}}}}
    """


HEIRS = """
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        "200":
          description: D
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
components:
  schemas:
    Pet:
      type: object
      required: [kind]
      properties: {kind: {type: string}}
      %s
    Cat: {allOf: [{$ref: "#/components/schemas/Pet"}, {type: object}]}
    Kitten: {allOf: [{$ref: "#/components/schemas/Cat"}, {type: object}]}
"""


def test_heirs_of_a_discriminator_are_used(tmp_path: Path) -> None:
    part = HEIRS % "discriminator: {propertyName: kind}"
    assert found(tmp_path, part, "component-unused") == []


def test_heirs_without_a_discriminator_are_not_used(tmp_path: Path) -> None:
    assert [place for place, _ in found(tmp_path, HEIRS % "title: Pet", "component-unused")] == [
        "/components/schemas/Kitten"
    ]


def test_a_base_does_not_use_itself(tmp_path: Path) -> None:
    part = """
    components:
      schemas:
        Pet:
          type: object
          required: [kind]
          properties: {kind: {type: string}}
          discriminator: {propertyName: kind}
    """
    assert [place for place, _ in found(tmp_path, part, "component-unused")] == [
        "/components/schemas/Pet"
    ]


def test_a_required_name_that_each_class_has_needs_no_finding(tmp_path: Path) -> None:
    """As a union requires the tag that all alternatives have in a part, and a list a name."""
    part = """
    components:
      schemas:
        Drink: {allOf: [{type: object, properties: {kind: {const: a}}, required: [kind]}]}
        Cake: {type: object, properties: {kind: {const: b}}, required: [kind]}
        Plate: {type: object, properties: {kind: {const: c}}}
        Item: {oneOf: [{$ref: "#/components/schemas/Drink"}, {$ref: "#/components/schemas/Cake"}],
               required: [kind]}
        Inline: {oneOf: [{type: object, properties: {a: {type: string}}, required: [a],
                          additionalProperties: {type: string}}]}
        Names: {type: array, items: {type: string}, required: [kind]}
        Lacking: {oneOf: [{$ref: "#/components/schemas/Cake"},
                          {$ref: "#/components/schemas/Plate"}],
                  required: [kind]}
    """
    assert found(tmp_path, part, "unsupported-schema") == [
        ("/components/schemas/Lacking/required", "models do not check 'required'")
    ]
