"""Examples of each rule of the review: a pair of documents with a finding, and one without."""

from __future__ import annotations

from collections.abc import Mapping

from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.signature import SIGNATURE

# The text for one placeholder, or for several.
Fill = str | tuple[str, ...]
# The pair with a finding, and a pair without a break from the same document, or "".
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
_TWO_OLD = "{properties: {a: {type: string}, b: {deprecated: true}}%s}"
_CLOSED = ", additionalProperties: false"
_MORE = """\
  /orders/details:
    get:
      responses: {'201': {description: Details.}}
"""
_SIGNED = f"{SIGNATURE.name}: {{header: %s, algorithm: hmac-sha256}}"


def _pair(part: str, base: Fill, revision: Fill, more: str = "") -> str:
    """Return two documents in one YAML stream that differ in the filled-in text and the end."""
    return f"{part % base}---\n{part % revision}{more}"


def _example(
    part: str, base: Fill, found: Fill, instead: Fill | None = None, more: str = ""
) -> Example:
    """Return the pair with a finding, and the one without, if `instead` is given.

    Args:
        more: the end of the document without a break.
    """
    return _pair(part, base, found), "" if instead is None else _pair(part, base, instead, more)


# The stem of a rule, the wider schema, the narrower one.
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


def _beside(part: str, before: str, after: str) -> Example:
    """Return an example: a property with a changed schema, or a new property beside the old one."""
    old = f"{before.removesuffix('}')}, deprecated: true}}"
    return _example(
        part,
        f"{{type: object, properties: {{v: {before}}}}}",
        f"{{type: object, properties: {{v: {after}}}}}",
        f"{{type: object, properties: {{v: {old}, w: {after}}}}}",
    )


EXAMPLES: Mapping[str, Example] = {
    **{f"{stem}-narrowed": _beside(_REQUEST, wide, narrow) for stem, wide, narrow in _SCHEMAS},
    **{f"{stem}-widened": _beside(_RESPONSE, narrow, wide) for stem, wide, narrow in _SCHEMAS},
    ChangeRule.OPERATION_REMOVED: _example(
        "paths: {%s, responses: {}}}}\n",
        "/a: {get: {operationId: a",
        "/b: {get: {operationId: a",
        "/a: {get: {operationId: a, deprecated: true, x-sunset: '2999-06-30'",
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
    ChangeRule.PARAMETER_REQUIRED: _example(
        _PARAMETER, "", ", required: true", ", description: 'Without it, English.'"
    ),
    ChangeRule.PARAMETER_NOT_SENT: _example(
        _WEBHOOK,
        "parameters: [{name: Id, in: header, required: true, schema: {}}]",
        "tags: []",
        "parameters: [{name: Id, in: header, required: true, deprecated: true, schema: {}}]",
    ),
    ChangeRule.PARAMETER_MOVED: _example(
        _OPERATION,
        "- {name: lang, in: query, schema: {}}",
        "- {name: lang, in: header, schema: {}}",
        "- {name: lang, in: query, schema: {}, deprecated: true}\n"
        "      - {name: lang, in: header, schema: {}}",
    ),
    ChangeRule.SERIALISATION_CHANGED: _example(
        _OPERATION,
        "- {name: lang, in: query, schema: {type: array}}",
        "- {name: lang, in: query, schema: {type: array}, style: pipeDelimited}",
        "- {name: lang, in: query, schema: {type: array}, deprecated: true}\n"
        "      - {name: langs, in: query, schema: {type: array}, style: pipeDelimited}",
    ),
    ChangeRule.BODY_REQUIRED: _example(
        _BODY, "", ", required: true", ", description: 'Without one, nothing changes.'"
    ),
    ChangeRule.BODY_NOT_SENT: _example(
        _WEBHOOK,
        "requestBody: {required: true, content: {}}",
        "requestBody: {content: {}}",
        "requestBody: {required: true, content: {}, description: May say nothing.}",
    ),
    ChangeRule.HEADER_REQUIRED: _example(
        "webhooks: {a: {post: {responses: {default: {description: It.%s}}}}}\n",
        "",
        ", headers: {Id: {required: true, schema: {}}}",
        ", headers: {Id: {schema: {}}}",
    ),
    ChangeRule.HEADER_NOT_SENT: _example(
        _HEADER,
        "Id: {required: true, schema: {}}",
        "Id: {schema: {}}",
        "Id: {required: true, deprecated: true, schema: {}}",
    ),
    ChangeRule.PROPERTY_REQUIRED: _example(
        _REQUEST,
        _ONE % "",
        _ONE % ", required: [a]",
        "{properties: {a: {type: string, description: 'Without it, the first.'}}}",
    ),
    ChangeRule.PROPERTY_NOT_SENT: _example(
        _RESPONSE,
        _TWO % ", required: [b]",
        _TWO % "",
        _TWO_OLD % ", required: [b]",
    ),
    ChangeRule.PROPERTY_REFUSED: _example(
        _REQUEST, _TWO % _CLOSED, _ONE % _CLOSED, _TWO_OLD % _CLOSED
    ),
    ChangeRule.STATUS_REMOVED: _example(
        _RESPONSES,
        "'200': {description: It.}",
        "'201': {description: It.}",
        "'200': {description: It.}",
        _MORE,
    ),
    ChangeRule.MEDIA_TYPE_REMOVED: _example(
        _OPERATION,
        "requestBody: {content: {application/json: {}, text/csv: {}}}",
        "requestBody: {content: {application/json: {}}}",
        "requestBody: {content: {application/json: {}, text/csv: {}}, description: CSV goes.}",
    ),
    ChangeRule.SECURITY_TIGHTENED: _example(
        _SECURED, ("bearer", "{}"), ("bearer", "{key: []}"), ("bearer", "{key: []}, {}")
    ),
    ChangeRule.SECURITY_SCHEME_CHANGED: _example(
        _SECURED,
        ("basic", "{key: []}"),
        ("bearer", "{key: []}"),
        ("basic}\n    token: {type: http, scheme: bearer", "{key: []}, {token: []}"),
    ),
    ChangeRule.SERVER_REMOVED: _example(
        _DECLARED,
        "servers: [{url: 'https://a.test'}]",
        "servers: [{url: 'https://b.test'}]",
        "servers: [{url: 'https://b.test'}, {url: 'https://a.test/'}]",
    ),
    ChangeRule.DEFAULT_CHANGED: _example(
        _REQUEST,
        "{properties: {size: {type: integer, default: 1}}}",
        "{properties: {size: {type: integer, default: 2}}}",
        "{properties: {size: {type: integer, default: 1}, pages: {type: integer, default: 2}}}",
    ),
    ChangeRule.DISCRIMINATOR_CHANGED: _example(
        _REQUEST,
        "{type: object, discriminator: {propertyName: kind}}",
        "{type: object, discriminator: {propertyName: type}}",
        "{type: object, discriminator: {propertyName: kind}, properties: {type: {}}}",
    ),
    ChangeRule.KNOWN_VALUE_REMOVED: _example(
        _REQUEST,
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b]}}",
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a]}}",
        f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b], description: b is taken for a}}",
    ),
    ChangeRule.LIMIT_LOWERED: _example(
        _DECLARED,
        f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 4096}}",
    ),
    ChangeRule.DELIVERY_WEAKENED: _example(
        _WEBHOOK,
        f"{DELIVERY.name}: {{retry_after_seconds: [60, 300]}}",
        f"{DELIVERY.name}: {{retry_after_seconds: [60]}}",
        f"{DELIVERY.name}: {{retry_after_seconds: [60, 300, 900]}}",
    ),
    ChangeRule.SIGNATURE_CHANGED: _example(
        _WEBHOOK,
        _SIGNED % "Signature",
        _SIGNED % "Webhook-Signature",
        _SIGNED % "Signature",
        (_WEBHOOK % (_SIGNED % "Webhook-Signature"))
        .removeprefix("webhooks:\n")
        .replace("order.changed", "order.updated"),
    ),
    ChangeRule.BEHAVIOUR_CHANGED: _example(
        _OPERATION,
        f"{ORDER.name}: {{by: /id, direction: ascending}}",
        f"{ORDER.name}: {{by: /id, direction: descending}}",
        "- {name: newest_first, in: query, schema: {type: boolean}}\n"
        f"      {ORDER.name}: {{by: /id, direction: ascending}}",
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
        "getA, summary: Read it",
    ),
    ChangeRule.OPERATION_GROUP_CHANGED: _example(
        "paths: {/a: {get: {tags: [%s], responses: {}}}}\n", "a", "b", "a, b"
    ),
    ChangeRule.PARAMETER_RENAMED: _example(
        _IN_PATH, ("x", "x"), ("y", "y"), ("x", "x, description: The number of the order")
    ),
    ChangeRule.PARAMETER_ORDER_CHANGED: _example(
        _OPERATION,
        _BOTH,
        _BOTH_OTHERWISE,
        f"{_BOTH}\n      - {{name: page, in: query, schema: {{}}}}",
    ),
    ChangeRule.PARAMETER_REMOVED: _example(
        _OPERATION,
        "- {name: lang, in: query, schema: {}}",
        "",
        "- {name: lang, in: query, schema: {}, deprecated: true}",
    ),
    ChangeRule.BODY_REMOVED: _example(
        _OPERATION,
        "requestBody: {content: {application/json: {}}}",
        "",
        "requestBody: {content: {application/json: {}}, description: Means nothing any more.}",
    ),
    ChangeRule.HEADER_REMOVED: _example(
        _HEADER, "Id: {schema: {}}", "", "Id: {deprecated: true, schema: {}}"
    ),
    ChangeRule.PROPERTY_REMOVED: _example(_REQUEST, _TWO % "", _ONE % "", _TWO_OLD % ""),
    ChangeRule.TEXT_TYPE_CHANGED: _example(
        _OPERATION,
        "- {name: size, in: query, schema: {type: integer}}",
        "- {name: size, in: query, schema: {type: string}}",
        "- {name: size, in: query, schema: {type: integer}, deprecated: true}\n"
        "      - {name: extent, in: query, schema: {type: string}}",
    ),
    ChangeRule.PROPERTY_UNEXPECTED: _example(
        _RESPONSE, _ONE % _CLOSED, _TWO % _CLOSED, _ONE % _CLOSED, _MORE
    ),
    ChangeRule.ALTERNATIVE_CHANGED: _example(
        _REQUEST,
        "{anyOf: [{type: string}, {type: integer}, {type: number}]}",
        "{anyOf: [{type: string}, {type: number}]}",
        "{anyOf: [{type: string}, {type: integer, deprecated: true}, {type: number}]}",
    ),
    ChangeRule.OPERATION_ADDED: _example(
        "paths: {%s}\n",
        "/a: {get: {responses: {}}}",
        "/a: {get: {responses: {}}, put: {responses: {}}}",
    ),
    ChangeRule.ADDED: _example(_OPERATION, "", "- {name: lang, in: query, schema: {}}"),
    ChangeRule.RELAXED: _example(_BODY, ", required: true", ""),
    ChangeRule.SCHEMA_COMPATIBLE: _example(_REQUEST, "{type: integer}", "{type: number}"),
    ChangeRule.DECLARATION_COMPATIBLE: _example(
        _DECLARED,
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
    ),
    ChangeRule.DEPRECATION: _example(_OPERATION, "deprecated: false", "deprecated: true"),
    ChangeRule.SUNSET_OPERATION_REMOVED: _example(
        "paths: {%s}\n",
        f"{_GET}, /b: {{get: {{deprecated: true, x-sunset: '2020-01-31', responses: {{}}}}}}",
        _GET,
    ),
    ChangeRule.SUNSET_REMOVED: _example(
        _OPERATION,
        "- {name: lang, in: query, deprecated: true, x-sunset: '2020-01-31', schema: {}}",
        "",
    ),
    ChangeRule.UNSTABLE_CHANGED: _example(
        _OPERATION,
        f"{_LANG}\n      x-stability-level: alpha",
        "x-stability-level: alpha",
    ),
    ChangeRule.ERROR_STATUS_REMOVED: _example(
        _RESPONSES,
        "default: {description: It.}, '404': {description: None.}",
        "default: {description: It.}",
    ),
}
