"""Mistakes against the specification: one finding each, in our words, at its place."""

from pathlib import Path

import pytest

from specwright.check.checks import check
from specwright.config import PackageOptions
from specwright.document.sources.load import load
from specwright.document.sources.upgrade import upgrade
from specwright.pipeline import generate
from specwright.policy import Settings

from .documents import write

OPERATION = 'operationId: getIt, responses: {"200": {description: D}}'
PARAMETER = "name: %s, in: path, required: true, schema: {type: integer}"


def findings(directory: Path, part: str) -> list[tuple[str, str, str]]:
    """The level, the rule and the place of each finding, with its message after a colon."""
    report = check(upgrade(load(write(directory, part))), Settings())
    return [
        (f"{finding.level} {finding.rule}", finding.pointer or "", finding.message)
        for finding in report.findings
    ]


PATHS = {
    "a misspelt parameter": (
        f"{{'/books/{{isbn}}': {{get: {{parameters: [{{{PARAMETER % 'isbnn'}}}], {OPERATION}}}}}}}",
        "error path-parameters",
        "/paths/~1books~1{isbn}/get/parameters/0",
        "the path has {isbn}, but no parameter is named isbn (did you mean isbnn?)",
    ),
    "another name": (
        f"{{'/books/{{isbn}}': {{parameters: [{{{PARAMETER % 'id'}}}], get: {{{OPERATION}}}}}}}",
        "error path-parameters",
        "/paths/~1books~1{isbn}/parameters/0",
        "the path has {isbn}, but no parameter is named isbn (did you mean id?)",
    ),
    "no parameter in any operation": (
        f"{{'/books/{{isbn}}': {{get: {{{OPERATION}}}, put: {{responses: {{default: "
        "{description: D}}, operationId: putIt}}}",
        "error path-parameters",
        "/paths/~1books~1{isbn}",
        "the path has {isbn}, but no parameter is named isbn",
    ),
    "no parameter in one operation": (
        f"{{'/books/{{isbn}}': {{get: {{{OPERATION}}}, put: {{parameters: "
        f"[{{{PARAMETER % 'isbn'}}}], responses: {{default: {{description: D}}}}, "
        "operationId: putIt}}}",
        "error path-parameters",
        "/paths/~1books~1{isbn}/get",
        "the path has {isbn}, but no parameter is named isbn",
    ),
    "several variables": (
        f"{{'/{{a}}/{{b}}': {{get: {{{OPERATION}}}}}}}",
        "error path-parameters",
        "/paths/~1{a}~1{b}",
        "the path has {a}, {b}, but no parameters have these names",
    ),
    "a parameter too many": (
        f"{{/books: {{get: {{parameters: [{{{PARAMETER % 'isbn'}}}], {OPERATION}}}}}}}",
        "warning path-parameter-unused",
        "/paths/~1books/get/parameters/0",
        "there is no {isbn} in the path '/books'",
    ),
    "an open brace": (
        f"{{'/x/{{a': {{get: {{{OPERATION}}}}}}}",
        "error path-template",
        "/paths/~1x~1{a",
        "a { is not closed in the path '/x/{a'",
    ),
    "a closed brace": (
        f"{{'/x/a}}': {{get: {{{OPERATION}}}}}}}",
        "error path-template",
        "/paths/~1x~1a}",
        "a } closes nothing in the path '/x/a}'",
    ),
    "a variable without a name": (
        f"{{'/y/{{}}': {{get: {{{OPERATION}}}}}}}",
        "error path-template",
        "/paths/~1y~1{}",
        "a variable has no name: {} in the path '/y/{}'",
    ),
    "a variable that comes twice": (
        f"{{'/{{a}}/{{a}}': {{get: {{parameters: [{{{PARAMETER % 'a'}}}], {OPERATION}}}}}}}",
        "warning path-variable-twice",
        "/paths/~1{a}~1{a}",
        "the path has {a} 2 times",
    ),
    "a query": (
        f"{{'/x?y=1': {{get: {{{OPERATION}}}}}}}",
        "warning path-characters",
        "/paths/~1x?y=1",
        "'?' ends a path: describe the query with 'in: query' in '/x?y=1'",
    ),
    "no slash": (
        "{books: {}}",
        "error openapi-schema",
        "/paths/books",
        "the path 'books' does not begin with '/'",
    ),
    "the names of a header": (
        "{/x: {get: {parameters: [{name: X-Id, in: header, schema: {}}, "
        f"{{name: x-id, in: header, schema: {{}}}}], {OPERATION}}}}}}}",
        "warning parameter-duplicate",
        "/paths/~1x/get/parameters/1",
        "the header parameter 'x-id' is already described at /paths/~1x/get/parameters/0",
    ),
}


@pytest.mark.parametrize(("paths", "rule", "place", "message"), PATHS.values(), ids=PATHS)
def test_a_mistake_in_a_path_is_one_finding(
    tmp_path: Path, paths: str, rule: str, place: str, message: str
) -> None:
    assert findings(tmp_path, f"paths: {paths}") == [(rule, place, message)]


def test_an_empty_path_item_needs_no_parameters(tmp_path: Path) -> None:
    """OAS 3.1.1, 4.8.8.2: an item without operations is left to access control."""
    assert findings(tmp_path, "paths: {'/books/{isbn}': {}}") == []


def response(statuses: str) -> str:
    return f"paths: {{/x: {{get: {{operationId: x, responses: {statuses}}}}}}}"


FIELDS = {
    "a misspelt field": (
        "paths: {/x: {get: {operationID: x, responses: {default: {description: D}}}}}",
        "/paths/~1x/get/operationID",
        "'operationID' is not a field of this object: did you mean 'operationId'?",
    ),
    "a field of another version": (
        "openapi: 3.0.3\ncomponents: {schemas: {A: {const: a}}}",
        "/components/schemas/A/const",
        "'const' is not a field of this object in OpenAPI 3.0",
    ),
    "a field that is required and misspelt": (
        response("{'200': {descripton: D}}"),
        "/paths/~1x/get/responses/200/descripton",
        "'descripton' is not a field of this object: did you mean 'description'?",
    ),
    "a required field": (
        response("{'200': {}}"),
        "/paths/~1x/get/responses/200",
        "'description' is missing",
    ),
    "a status that no response has": (
        response("{'600': {description: D}}"),
        "/paths/~1x/get/responses/600",
        "'600' is not a status: write three digits from 100 to 599, a range such as 4XX, or "
        "default",
    ),
    "a status of two digits, beside another": (
        response("{'99': {description: D}, '200': {description: D}}"),
        "/paths/~1x/get/responses/99",
        "'99' is not a status: write three digits from 100 to 599, a range such as 4XX, or default",
    ),
    "a range in lower case": (
        response("{2xx: {description: D}}"),
        "/paths/~1x/get/responses/2xx",
        "'2xx' is not a status: write 2XX",
    ),
    "no responses": (
        response("{}"),
        "/paths/~1x/get/responses",
        "no response is described",
    ),
    "a path parameter that is optional": (
        "components: {parameters: {a: {name: a, in: path, required: false, schema: {}}}}",
        "/components/parameters/a/required",
        "a path parameter is always required: write 'required: true'",
    ),
}


SCHEME = "components: {securitySchemes: {key: {%s}}}"
ONCE = {
    "a parameter without a place": (
        "components: {parameters: {a: {name: a, schema: {}}}}",
        "/components/parameters/a",
        "'in' is missing",
    ),
    "a parameter in a place that does not exist": (
        "components: {parameters: {a: {name: a, in: body, schema: {}}}}",
        "/components/parameters/a/in",
        "'body' is not known here: write query, header, path, cookie",
    ),
    "a key without a place": (
        SCHEME % "type: apiKey, name: Key",
        "/components/securitySchemes/key",
        "'in' is missing",
    ),
    "a scheme of an unknown type": (
        SCHEME % "type: basic",
        "/components/securitySchemes/key/type",
        "'basic' is not known here: write apiKey, http, mutualTLS, oauth2, openIdConnect",
    ),
    "a variable without a default": (
        "servers: [{url: 'https://{a}', variables: {a: {enum: [b]}}}]",
        "/servers/0/variables/a",
        "'default' is missing",
    ),
    "a flow that is unknown": (
        SCHEME % "type: oauth2, flows: {application: {tokenUrl: 'https://a', scopes: {}}}",
        "/components/securitySchemes/key/flows/application",
        "'application' is not a field of this object",
    ),
    "a license with two addresses": (
        "info: {title: T, version: '1', license: {name: MIT, identifier: MIT, url: 'https://a'}}",
        "/info/license",
        "'identifier' and 'url' exclude each other",
    ),
    "a parameter with two contents": (
        "components: {parameters: {a: {name: a, in: query, schema: {}, content: {text/plain: "
        "{}}}}}",
        "/components/parameters/a",
        "'schema' and 'content' exclude each other",
    ),
    "a link with two operations": (
        f"paths: {{/x: {{get: {{{OPERATION}}}}}}}\n"
        "components: {links: {a: {operationId: getIt, operationRef: '#/paths/~1x/get'}}}",
        "/components/links/a",
        "'operationRef' and 'operationId' exclude each other",
    ),
    "a type that does not exist": (
        "components: {schemas: {a: {type: text}}}",
        "/components/schemas/a/type",
        "'text' is not known here: write array, boolean, integer, null, number, object, string",
    ),
    "a style of 3.0 that does not exist": (
        "openapi: 3.0.3\n"
        "components: {parameters: {a: {name: a, in: query, style: commas, schema: {}}}}",
        "/components/parameters/a/style",
        "'commas' is not known here: write form, spaceDelimited, pipeDelimited, deepObject",
    ),
}


@pytest.mark.parametrize(("part", "place", "message"), ONCE.values(), ids=ONCE)
def test_a_mistake_against_the_official_schema_is_one_finding(
    tmp_path: Path, part: str, place: str, message: str
) -> None:
    assert findings(tmp_path, part) == [("error openapi-schema", place, message)]


def test_a_field_is_unknown_also_beside_one_with_an_unknown_field(tmp_path: Path) -> None:
    part = SCHEME % "type: oauth2, flows: {application: {}}, name: a"
    assert [place for _, place, _ in findings(tmp_path, part)] == [
        "/components/securitySchemes/key/flows/application",
        "/components/securitySchemes/key/name",
    ]


@pytest.mark.parametrize(("part", "place", "message"), FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize("version", ["3.0.3", "3.1.1", "3.2.0"])
def test_the_official_schema_speaks_our_words(
    tmp_path: Path, version: str, part: str, place: str, message: str
) -> None:
    if part.startswith("openapi: ") and version != "3.0.3":
        pytest.skip("a mistake of 3.0")
    if message == "'description' is missing" and version == "3.2.0":
        pytest.skip("a mistake of earlier versions")
    report = findings(tmp_path, f"openapi: {version}\n{part.removeprefix('openapi: 3.0.3')}")
    assert report == [("error openapi-schema", place, message)]


TWICE = 'get: {tags: [ordrs], security: [{ky: []}], responses: {"200": {description: D}}'
OAUTH = """
security: [{oauth: [orders:reed]}, {oauth: [orders:reed, events:all]}]
components:
  securitySchemes:
    oauth:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: "https://example.com", scopes: {%s}}}
"""


def test_an_undeclared_tag_is_one_finding(tmp_path: Path) -> None:
    part = f"""
    tags: [{{name: orders}}]
    paths: {{/a: {{{TWICE}, operationId: a}}}}, /b: {{{TWICE}, operationId: b}}}}}}
    """
    assert ("info tag-declared", "/paths/~1a/get/tags/0") in [
        finding[:2] for finding in findings(tmp_path, part)
    ]
    messages = [message for rule, _, message in findings(tmp_path, part) if "tag-" in rule]
    assert messages == [
        "tag 'ordrs' is not declared (2 operations have it): did you mean 'orders'?"
    ]


def test_an_unknown_scheme_is_one_finding(tmp_path: Path) -> None:
    part = f"""
    paths: {{/a: {{{TWICE}, operationId: a}}}}, /b: {{{TWICE}, operationId: b}}}}}}
    components: {{securitySchemes: {{key: {{type: http, scheme: bearer}}}}}}
    """
    assert (
        "warning security-defined",
        "/paths/~1a/get/security/0/ky",
        "security scheme 'ky' is not in components/securitySchemes (named 2 times): did you mean "
        "'key'?",
    ) in findings(tmp_path, part)
    assert len([each for each in findings(tmp_path, part) if "security" in each[0]]) == 1


def test_a_scope_of_no_flow_is_one_finding(tmp_path: Path) -> None:
    assert findings(tmp_path, OAUTH % "'orders:read': Read.") == [
        (
            "warning security-scopes",
            "/security/0/oauth/0",
            "security scheme 'oauth' has no scope 'orders:reed' (named 2 times): did you mean "
            "'orders:read'?",
        ),
        (
            "warning security-scopes",
            "/security/1/oauth/1",
            "security scheme 'oauth' has no scope 'events:all': declare it in its flows",
        ),
    ]


def test_a_scheme_without_scopes_is_one_finding(tmp_path: Path) -> None:
    [(_, place, message)] = findings(tmp_path, OAUTH % "")
    assert place == "/security/0/oauth/0"
    assert "declares no scopes (named 3 times)" in message


def test_roles_of_other_schemes_are_free(tmp_path: Path) -> None:
    """OAS 3.1.1, 4.8.30: the array may contain role names."""
    part = """
    security: [{key: [admin]}]
    components: {securitySchemes: {key: {type: http, scheme: bearer}}}
    """
    assert findings(tmp_path, part) == []


def test_one_id_of_two_operations_is_one_finding(tmp_path: Path) -> None:
    part = f"paths: {{/a: {{get: {{{OPERATION}}}}}, /b: {{get: {{{OPERATION}}}}}}}"
    assert [rule for rule, _, _ in findings(tmp_path, part)] == ["error operation-id-unique"]


PETS = """
components:
  schemas:
    Cat: {type: object, properties: {kind: {type: string}}}
    Dog: {type: object, properties: {name: {type: string}}}
    Pet: {%s, discriminator: {propertyName: kind%s}}
"""
BOTH = 'oneOf: [{$ref: "#/components/schemas/Cat"}, {$ref: "#/components/schemas/Dog"}]'
MAPPED = ", mapping: {cat: Cat, dog: '#/components/schemas/Dogg', mouse: Mouse}"


def test_each_alternative_declares_the_property_of_the_discriminator(tmp_path: Path) -> None:
    place = "/components/schemas/Pet/discriminator/propertyName"
    message = "'kind' is not a property of 'Dog'"
    assert findings(tmp_path, PETS % (BOTH, "")) == [
        ("warning discriminator-property", place, message)
    ]
    assert findings(tmp_path, PETS % (f"properties: {{kind: {{}}}}, {BOTH}", "")) == []
    with_null = 'oneOf: [{$ref: "#/components/schemas/Cat"}, {type: "null"}]'
    assert findings(tmp_path, PETS % (with_null, "")) == []
    inherited = 'allOf: [{$ref: "#/components/schemas/Dog"}]'
    assert [m for *_, m in findings(tmp_path, PETS % (inherited, ""))] == [
        "'kind' is not a property of 'Pet'"
    ]


def test_a_discriminator_without_its_property_concerns_the_alternatives(tmp_path: Path) -> None:
    report = check(upgrade(load(write(tmp_path, PETS % (BOTH, "")))), Settings())
    [finding] = report.findings
    # The class has the property wherever the alternative is used.
    assert "/components/schemas/Dog" in finding.places
    assert "/components/schemas/Cat" not in finding.places


def test_a_mapping_names_schemas(tmp_path: Path) -> None:
    report = findings(tmp_path, PETS % (f"properties: {{kind: {{}}}}, {BOTH}", MAPPED))
    place = "/components/schemas/Pet/discriminator/mapping"
    assert report == [
        (
            "warning discriminator-mapping",
            f"{place}/dog",
            "'#/components/schemas/Dogg' is not a schema of the document: did you mean 'Dog'?",
        ),
        (
            "warning discriminator-mapping",
            f"{place}/mouse",
            "'Mouse' is not a schema of the document: name a schema of components/schemas",
        ),
    ]


SIBLINGS = """
openapi: %s
components:
  schemas:
    A: {type: string}
    B: {type: object, properties: {a: {$ref: "#/components/schemas/A", %s}}}
  responses:
    R: {description: D}
    S: {$ref: "#/components/responses/R", %s}
"""
HERE = "/components/schemas/B/properties/a"
THERE = "/components/responses/S"


@pytest.mark.parametrize(
    ("version", "of_schema", "of_response", "rules"),
    [
        ("3.0.3", "nullable: true, description: D", "x-a: 1", {"warning reference-siblings": HERE}),
        ("3.0.3", "maxLength: 3", "x-a: 1", {"warning reference-siblings": HERE}),
        ("3.0.3", "readOnly: true", "x-a: 1", {"warning reference-siblings": HERE}),
        ("3.0.3", "x-a: 1", "description: D", {"info reference-annotations": THERE}),
        ("3.1.1", "maxLength: 3", "description: D, summary: S", {}),
        ("3.1.1", "x-a: 1", "content: {}", {"warning reference-siblings": THERE}),
    ],
)
def test_fields_beside_a_reference_are_reported_if_they_are_ignored(
    tmp_path: Path, version: str, of_schema: str, of_response: str, rules: dict[str, str]
) -> None:
    report = findings(tmp_path, SIBLINGS % (version, of_schema, of_response))
    assert {rule: place.rpartition("/")[0] for rule, place, _ in report} == rules


def test_several_fields_beside_a_reference_are_one_finding(tmp_path: Path) -> None:
    part = SIBLINGS % ("3.0.3", "nullable: true, description: D", "x-a: 1")
    [(_, _, message)] = findings(tmp_path, part)
    assert message == (
        "OpenAPI ignores 'nullable', 'description' beside a '$ref': write 'allOf' with the "
        "reference, and these beside it"
    )


def test_headers_that_openapi_ignores_are_named(tmp_path: Path) -> None:
    part = """
    components:
      parameters:
        a: {name: AUTHORIZATION, in: header, schema: {type: string}}
        b: {name: Authorization, in: query, schema: {type: string}}
        c: {name: Accept-Language, in: header, schema: {type: string}}
      responses:
        r: {description: D, headers: {content-type: {schema: {type: string}}}}
    """
    assert [finding[:2] for finding in findings(tmp_path, part)] == [
        ("warning header-ignored", "/components/parameters/a/name"),
        ("warning header-ignored", "/components/responses/r/headers/content-type"),
    ]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("maxLenght", "maxLength"),
        ("readonly", "readOnly"),
        ("additionalproperties", "additionalProperties"),
        ("oneof", "oneOf"),
    ],
)
def test_a_misspelt_keyword_is_named_in_3_1(tmp_path: Path, written: str, meant: str) -> None:
    part = f"components: {{schemas: {{A: {{type: string, {written}: 3}}}}}}"
    [(rule, place, message)] = findings(tmp_path, part)
    assert (rule, place) == ("warning keyword-misspelt", f"/components/schemas/A/{written}")
    assert message.endswith(f"(did you mean '{meant}'?)")


@pytest.mark.parametrize("word", ["embed", "name", "regex", "optional", "enumNames", "x-maxLenght"])
def test_other_unknown_keywords_are_annotations(tmp_path: Path, word: str) -> None:
    assert findings(tmp_path, f"components: {{schemas: {{A: {{{word}: 3}}}}}}") == []


def test_nullable_has_no_effect_since_3_1(tmp_path: Path) -> None:
    part = "components: {schemas: {A: {type: string, nullable: %s}}}"
    [(rule, place, message)] = findings(tmp_path, part % "true")
    assert (rule, place) == ("warning nullable-ignored", "/components/schemas/A/nullable")
    assert "write 'type: [string, \"null\"]'" in message
    assert findings(tmp_path, part % "false") == []
    assert findings(tmp_path, f"openapi: 3.0.3\n{part % 'true'}") == []


def test_an_array_of_3_0_has_items(tmp_path: Path) -> None:
    part = "components: {schemas: {A: {type: array}}}"
    [(rule, place, _)] = findings(tmp_path, f"openapi: 3.0.3\n{part}")
    assert (rule, place) == ("warning array-items", "/components/schemas/A/type")
    assert findings(tmp_path, part) == []


def test_a_pointer_is_that_of_the_document_as_written(tmp_path: Path) -> None:
    part = """
    openapi: 3.0.3
    components:
      schemas:
        A:
          nullable: true
          allOf: [{properties: {b: {nullable: true, allOf: [{type: integer, example: x}]}}}]
    """
    [(_, place, _)] = findings(tmp_path, part)
    assert place == "/components/schemas/A/allOf/0/properties/b/allOf/0/example"


def test_a_value_is_quoted_as_json(tmp_path: Path) -> None:
    part = "components: {schemas: {A: {type: string, enum: [a, null]}}}"
    assert [message for *_, message in findings(tmp_path, part)] == ["null is not of type string"]


TAGS = {
    "twice": ("[{name: a}, {name: a}]", "/tags/1/name", "tag 'a' is already declared"),
    "a parent that is not there": (
        "[{name: orders}, {name: b, parent: order}]",
        "/tags/1/parent",
        "'order' is not a declared tag: did you mean 'orders'?",
    ),
    "a circle": (
        "[{name: c, parent: a}, {name: a, parent: b}, {name: b, parent: a}]",
        "/tags/1/parent",
        "a tag is its own descendant: a -> b -> a",
    ),
}


@pytest.mark.parametrize(("tags", "place", "message"), TAGS.values(), ids=TAGS)
def test_tags_are_declared_once_and_have_ends(
    tmp_path: Path, tags: str, place: str, message: str
) -> None:
    assert findings(tmp_path, f"openapi: 3.2.0\ntags: {tags}") == [("warning tags", place, message)]


def client(directory: Path, paths: str) -> str:
    path = write(directory, f"paths: {paths}")
    return generate(load(path), PackageOptions(package="made"))["made/client.py"].decode()


def test_generate_gives_every_variable_an_argument(tmp_path: Path) -> None:
    misspelt = (
        f"{{'/b/{{isbn}}': {{get: {{parameters: [{{{PARAMETER % 'isbnn'}}}], {OPERATION}}}}}}}"
    )
    assert "def get_it(self, isbn: int, *" in client(tmp_path, misspelt)
    missing = f"{{'/b/{{isbn}}': {{get: {{{OPERATION}}}}}}}"
    assert "def get_it(self, isbn: str, *" in client(tmp_path, missing)


def test_generate_leaves_out_a_path_that_is_not_a_template(tmp_path: Path) -> None:
    text = client(tmp_path, f"{{'/b/{{isbn': {{get: {{{OPERATION}}}}}}}")
    assert "get_it" not in text


def test_paths_that_share_an_item_keep_their_own_variables(tmp_path: Path) -> None:
    part = f"""
    paths: {{"/a/{{one}}": {{$ref: "#/components/pathItems/I"}},
             "/b/{{two}}": {{$ref: "#/components/pathItems/I"}}}}
    components:
      pathItems:
        I:
          parameters: [{{{PARAMETER % "one"}}}]
          get: {{responses: {{"200": {{description: D}}}}}}
    """
    package = generate(load(write(tmp_path, part)), PackageOptions(package="made"))
    text = " ".join(package["made/client.py"].decode().split())
    assert 'GET_A_ONE, {"one": one}' in text
    assert 'GET_B_TWO, {"two": two}' in text
