"""A pair of documents that breaks each rule of the review, and one that does not."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.signature import SIGNATURE

# What fills in one part, or several.
Fill = str | tuple[str, ...]
# The bad pair and the good one.
Example = tuple[str, str]

_OPERATION = """\
paths:
  /orders/{id}:
    post:
      operationId: changeOrder
      tags: [orders]
      parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      %s
      responses: {default: {description: The order.}}
"""
_PARAMETER = _OPERATION % "- {name: lang, in: query%s, schema: {type: string}}"
_LANG = "- {name: lang, in: query, schema: {}}"
_BOTH = "- {name: lang, in: query, schema: {}}\n      - {name: area, in: query, schema: {}}"
_BOTH_OTHERWISE = (
    "- {name: area, in: query, schema: {}}\n      - {name: lang, in: query, schema: {}}"
)
_PARAMETER_OF = _OPERATION % "- {name: lang, in: query, schema: %s}"
_GET = "/a: {get: {responses: {}}}"
_BODY = _OPERATION % "requestBody: {content: {application/json: {}}%s}"
_WEBHOOK = """\
webhooks:
  order.changed:
    post:
      %s
      responses: {default: {description: Taken.}}
"""
_REQUEST = """\
paths:
  /orders:
    post:
      requestBody:
        content:
          application/json:
            schema: %s
      responses: {default: {description: An order.}}
"""
_RESPONSE = """\
paths:
  /orders:
    get:
      responses:
        default:
          description: Orders.
          content:
            application/json:
              schema: %s
"""
_HEADER = """\
paths:
  /orders:
    get:
      responses:
        default:
          description: Orders.
          headers: {%s}
"""
_IN_PATH = """\
paths:
  /orders/{%s}:
    parameters: [{name: %s, in: path, required: true, schema: {}}]
    get: {responses: {default: {description: The order.}}}
"""
_RESPONSES = """\
paths:
  /orders:
    get:
      responses: {%s}
"""
_SECURED = """\
components:
  securitySchemes:
    key: {type: http, scheme: %s}
paths:
  /orders:
    get:
      security: [%s]
      responses: {default: {description: Orders.}}
"""
_DECLARED = """\
%s
paths: {/orders: {get: {responses: {default: {description: Orders.}}}}}
"""
_ONE, _TWO = "{properties: {a: {type: string}}%s}", "{properties: {a: {type: string}, b: {}}%s}"


def _pair(part: str, base: Fill, revision: Fill) -> str:
    """Two documents in one stream of YAML, which differ in what is filled in."""
    return f"{part % base}---\n{part % revision}"


def _example(
    part: str, base: Fill, bad: Fill, harmless: Fill | None = None, *, good: str | None = None
) -> Example:
    """The bad pair and the good one.

    Args:
        harmless: what the good pair has for the revision; without it, the change the other way.
        good: a pair of another part.
    """
    back = _pair(part, bad, base) if harmless is None else _pair(part, base, harmless)
    return _pair(part, base, bad), good or back


# Stem of a rule, the wider schema, the narrower one.
_SCHEMAS = (
    ("type", "{type: number}", "{type: integer}"),
    ("enum", "{enum: [a, b]}", "{enum: [a]}"),
    ("nullable", "{type: [string, 'null']}", "{type: string}"),
    ("format", "{type: string}", "{type: string, format: uuid}"),
    ("content", "{type: string}", "{type: string, contentEncoding: base64}"),
    ("range", "{type: integer, maximum: 20}", "{type: integer, maximum: 10}"),
    ("length", "{type: string, maxLength: 20}", "{type: string, maxLength: 10}"),
    ("pattern", "{type: string}", "{type: string, pattern: '^[a-z]+$'}"),
    ("array", "{type: array, maxItems: 20}", "{type: array, maxItems: 10}"),
    ("object", "{type: object}", "{type: object, additionalProperties: false}"),
    ("union", "{oneOf: [{type: array}, {type: object}]}", "{type: object}"),
)
EXAMPLES: Mapping[str, Example] = {
    **{f"{stem}-narrowed": _example(_REQUEST, wide, narrow) for stem, wide, narrow in _SCHEMAS},
    **{f"{stem}-widened": _example(_RESPONSE, narrow, wide) for stem, wide, narrow in _SCHEMAS},
    ChangeRule.OPERATION_REMOVED: _example(
        "paths: {%s: {get: {responses: {default: {description: It.}}}}}\n",
        "/a",
        "/b",
        good=_pair(
            "paths: {'/a/%s': {get: {responses: {default: {description: It.}}}}}\n", "{x}", "{y}"
        ),
    ),
    ChangeRule.SUNSET_SOONER: _example(
        _OPERATION,
        "deprecated: true\n      x-sunset: '2027-06-30'",
        "deprecated: true",
        "deprecated: true\n      x-sunset: '2027-12-31'",
    ),
    ChangeRule.STABILITY_LOWERED: _example(
        _OPERATION, "deprecated: false", "x-stability-level: beta", "x-stability-level: stable"
    ),
    ChangeRule.PARAMETER_REQUIRED: _example(_PARAMETER, "", ", required: true"),
    ChangeRule.PARAMETER_NOT_SENT: _example(
        _WEBHOOK, "parameters: [{name: Id, in: header, required: true, schema: {}}]", "tags: []"
    ),
    ChangeRule.PARAMETER_MOVED: _example(
        _OPERATION,
        "- {name: lang, in: query, schema: {}}",
        "- {name: lang, in: header, schema: {}}",
        good=_pair(
            _OPERATION,
            "- {name: Lang, in: header, schema: {}}",
            "- {name: lang, in: header, schema: {}}",
        ),
    ),
    ChangeRule.SERIALISATION_CHANGED: _example(
        _PARAMETER, "", ", style: pipeDelimited", ", style: form, explode: true"
    ),
    ChangeRule.BODY_REQUIRED: _example(_BODY, "", ", required: true"),
    ChangeRule.BODY_NOT_SENT: _example(
        _WEBHOOK, "requestBody: {required: true, content: {}}", "requestBody: {content: {}}"
    ),
    ChangeRule.HEADER_REQUIRED: _example(
        "webhooks: {a: {post: {%s}}}\n",
        "responses: {default: {description: It.}}",
        "responses: {default: {description: It., headers: {Id: {required: true, schema: {}}}}}",
        good=_pair(_HEADER, "", "Id: {required: true, schema: {}}"),
    ),
    ChangeRule.HEADER_NOT_SENT: _example(
        _HEADER, "Id: {required: true, schema: {}}", "Id: {schema: {}}"
    ),
    ChangeRule.PROPERTY_REQUIRED: _example(_REQUEST, _ONE % "", _ONE % ", required: [a]"),
    ChangeRule.PROPERTY_NOT_SENT: _example(_RESPONSE, _ONE % ", required: [a]", _ONE % ""),
    ChangeRule.PROPERTY_REFUSED: _example(
        _REQUEST, _TWO % ", additionalProperties: false", _ONE % ", additionalProperties: false"
    ),
    ChangeRule.STATUS_REMOVED: _example(
        _RESPONSES,
        "'200': {description: It.}",
        "'201': {description: It.}",
        "2XX: {description: It.}",
    ),
    ChangeRule.MEDIA_TYPE_REMOVED: _example(
        _OPERATION,
        "requestBody: {content: {application/json: {}, text/csv: {}}}",
        "requestBody: {content: {application/json: {}}}",
        good=_pair(
            _OPERATION,
            "requestBody: {content: {application/json: {}}}",
            "requestBody: {content: {Application/JSON: {}}}",
        ),
    ),
    ChangeRule.SECURITY_TIGHTENED: _example(
        _SECURED,
        ("bearer", "{}"),
        ("bearer", "{key: []}"),
        good=_pair(_SECURED, ("bearer", "{key: []}"), ("bearer", "{key: []}, {}")),
    ),
    ChangeRule.SECURITY_SCHEME_CHANGED: _example(
        _SECURED,
        ("basic", "{key: []}"),
        ("bearer", "{key: []}"),
        good=_pair(_SECURED, ("bearer", "{key: []}"), ("Bearer", "{key: []}")),
    ),
    ChangeRule.SERVER_REMOVED: _example(
        _DECLARED,
        "servers: [{url: 'https://a.test'}]",
        "servers: [{url: 'https://b.test'}]",
        "servers: [{url: 'https://b.test'}, {url: 'https://a.test/'}]",
    ),
    ChangeRule.DEFAULT_CHANGED: _example(
        _REQUEST,
        "{type: integer, default: 1}",
        "{type: integer, default: 2}",
        good=_pair(_RESPONSE, "{type: integer, default: 1}", "{type: integer, default: 2}"),
    ),
    ChangeRule.DISCRIMINATOR_CHANGED: _example(
        _REQUEST,
        "{type: object, discriminator: {propertyName: kind}}",
        "{type: object, discriminator: {propertyName: type}}",
        "{type: object, discriminator: {propertyName: kind, mapping: {a: '#/a'}}}",
    ),
    ChangeRule.KNOWN_VALUE_REMOVED: _example(
        _REQUEST,
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b]}}",
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a]}}",
        good=_pair(
            _RESPONSE,
            f"{{type: string, {EXTENSIBLE_ENUM.name}: [a]}}",
            f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b]}}",
        ),
    ),
    ChangeRule.LIMIT_LOWERED: _example(
        _DECLARED,
        f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
    ),
    ChangeRule.DELIVERY_WEAKENED: _example(
        _WEBHOOK,
        f"{DELIVERY.name}: {{retry_after_seconds: [60, 300]}}",
        f"{DELIVERY.name}: {{retry_after_seconds: [60]}}",
    ),
    ChangeRule.SIGNATURE_CHANGED: _example(
        _WEBHOOK,
        f"{SIGNATURE.name}: {{header: Signature, algorithm: hmac-sha256}}",
        f"{SIGNATURE.name}: {{header: Webhook-Signature, algorithm: hmac-sha256}}",
        f"{SIGNATURE.name}: {{algorithm: hmac-sha256, header: Signature}}",
    ),
    ChangeRule.BEHAVIOUR_CHANGED: _example(
        _OPERATION,
        f"{ORDER.name}: {{by: /id, direction: ascending}}",
        f"{ORDER.name}: {{by: /id, direction: descending}}",
        good=_pair(_OPERATION, "summary: It.", f"{ORDER.name}: {{by: /id, direction: ascending}}"),
    ),
    ChangeRule.ERROR_CODE_CHANGED: _example(
        _DECLARED,
        f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}}}}}",
        f"{ERROR.name}: {{codes: {{gone: {{status: 410, type: missing}}}}}}",
        f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}, "
        "new: {status: 400, type: invalid}}}",
    ),
    ChangeRule.OPERATION_ID_CHANGED: _example(
        "paths: {/a: {get: {operationId: %s, responses: {}}}}\n",
        "getA",
        "readA",
        good=_pair("paths: {/a: {get: {%sresponses: {}}}}\n", "", "operationId: getA, "),
    ),
    ChangeRule.OPERATION_GROUP_CHANGED: _example(
        "paths: {/a: {get: {tags: [%s], responses: {}}}}\n", "a", "b", "a, b"
    ),
    ChangeRule.PARAMETER_RENAMED: _example(_IN_PATH, ("x", "x"), ("y", "y"), ("x", "x")),
    ChangeRule.PARAMETER_ORDER_CHANGED: _example(
        _OPERATION,
        _BOTH,
        _BOTH_OTHERWISE,
        f"{_BOTH}\n      - {{name: page, in: query, schema: {{}}}}",
    ),
    ChangeRule.PARAMETER_REMOVED: _example(_OPERATION, "- {name: lang, in: query, schema: {}}", ""),
    ChangeRule.BODY_REMOVED: _example(
        _OPERATION, "requestBody: {content: {application/json: {}}}", ""
    ),
    ChangeRule.HEADER_REMOVED: _example(_HEADER, "Id: {schema: {}}", ""),
    ChangeRule.PROPERTY_REMOVED: _example(_REQUEST, _TWO % "", _ONE % ""),
    ChangeRule.TEXT_TYPE_CHANGED: _example(
        _PARAMETER_OF,
        "{type: integer}",
        "{type: string}",
        good=_pair(_PARAMETER_OF, "{type: [integer]}", "{type: number}"),
    ),
    ChangeRule.PROPERTY_UNEXPECTED: _example(
        _RESPONSE,
        _ONE % ", additionalProperties: false",
        _TWO % ", additionalProperties: false",
        good=_pair(_RESPONSE, _ONE % "", _TWO % ""),
    ),
    ChangeRule.ALTERNATIVE_CHANGED: _example(
        _REQUEST,
        "{anyOf: [{type: string}, {type: integer}, {type: number}]}",
        "{anyOf: [{type: string}, {type: number}]}",
    ),
    ChangeRule.OPERATION_ADDED: _example(
        "paths: {%s}\n",
        "/a: {get: {responses: {}}}",
        "/a: {get: {responses: {}}, put: {responses: {}}}",
        "/a: {get: {responses: {}}}",
    ),
    ChangeRule.ADDED: _example(_OPERATION, "", "- {name: lang, in: query, schema: {}}", ""),
    ChangeRule.RELAXED: _example(
        _BODY, ", required: true", "", good=_pair(_BODY, ", required: false", "")
    ),
    ChangeRule.SCHEMA_COMPATIBLE: _example(
        _REQUEST,
        "{type: integer}",
        "{type: number}",
        good=_pair(_REQUEST, "{type: [integer]}", "{type: [integer]}"),
    ),
    ChangeRule.DECLARATION_COMPATIBLE: _example(
        _DECLARED,
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
    ),
    ChangeRule.DEPRECATION: _example(_OPERATION, "deprecated: false", "deprecated: true", ""),
    ChangeRule.SUNSET_OPERATION_REMOVED: _example(
        "paths: {%s}\n",
        f"{_GET}, /b: {{get: {{deprecated: true, x-sunset: '2020-01-31', responses: {{}}}}}}",
        _GET,
        good=_pair(
            "paths: {%s}\n",
            f"{_GET}, /b: {{get: {{deprecated: true, x-sunset: '2999-01-31', responses: {{}}}}}}",
            _GET,
        ),
    ),
    ChangeRule.SUNSET_REMOVED: _example(
        _OPERATION,
        "- {name: lang, in: query, deprecated: true, x-sunset: '2020-01-31', schema: {}}",
        "",
        good=_pair(
            _OPERATION,
            "- {name: lang, in: query, deprecated: true, x-sunset: '2999-01-31', schema: {}}",
            "",
        ),
    ),
    ChangeRule.UNSTABLE_CHANGED: _example(
        _OPERATION,
        f"{_LANG}\n      x-stability-level: alpha",
        "x-stability-level: alpha",
        f"{_LANG}\n      x-stability-level: stable",
    ),
    ChangeRule.ERROR_STATUS_REMOVED: _example(
        _RESPONSES,
        "default: {description: It.}, '404': {description: None.}",
        "default: {description: It.}",
        good=_pair(_RESPONSES, "default: {description: It.}", "default: {description: It.}"),
    ),
}
