"""Documents that show a rule of the review, and the templates that they are made from."""

from __future__ import annotations

# The text for one placeholder, or for several.
Fill = str | tuple[str, ...]
# The pair with a finding, and a pair without a break from the same document, or "".
Example = tuple[str, str]

OPERATION = """\
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
PARAMETER = OPERATION % "- {name: lang, in: query%s, schema: {type: string}}"
BODY = OPERATION % "requestBody: {content: {application/json: {}}%s}"
WEBHOOK = """\
webhooks:
  order.changed:
    post:
      %s
      responses: {default: {description: Taken.}}
"""
REQUEST = """\
paths:
  /orders:
    post:
      requestBody:
        content:
          application/json:
            schema: %s
      responses: {default: {description: An order.}}
"""
RESPONSE = """\
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
HEADER = """\
paths:
  /orders:
    get:
      responses:
        default:
          description: Orders.
          headers: {%s}
"""
RESPONSES = """\
paths:
  /orders:
    get:
      responses: {%s}
"""
DECLARED = """\
%s
paths: {/orders: {get: {responses: {default: {description: Orders.}}}}}
"""
ONE, TWO = "{properties: {a: {type: string}}%s}", "{properties: {a: {type: string}, b: {}}%s}"
TWO_OLD = "{properties: {a: {type: string}, b: {deprecated: true}}%s}"
CLOSED = ", additionalProperties: false"
MORE = """\
  /orders/details:
    get:
      responses: {'201': {description: Details.}}
"""


def _pair(part: str, base: Fill, revision: Fill, more: str = "") -> str:
    """Return two documents in one YAML stream that differ in the filled-in text and the end."""
    return f"{part % base}---\n{part % revision}{more}"


def example(
    part: str, base: Fill, revision: Fill, instead: Fill | None = None, more: str = ""
) -> Example:
    """Return the pair with a finding, and the one without, if `instead` is given.

    Args:
        more: the end of the document without a break.
    """
    return _pair(part, base, revision), "" if instead is None else _pair(part, base, instead, more)
