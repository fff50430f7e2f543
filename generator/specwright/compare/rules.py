"""The rules of the review: whom a change breaks, and why."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from specwright.findings import Level, RuleDescription
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.extensible_enum import EXTENSIBLE_ENUM
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.signature import SIGNATURE


class Category(StrEnum):
    """Chapters of the list of rules: whom a change breaks, the worst first."""

    WIRE = "Changes: break what is sent"
    CLIENT_SOURCE = "Changes: break the source of clients"
    SERVER_SOURCE = "Changes: work for the server"
    COMPATIBLE = "Changes: compatible"
    REVIEW = "Changes: the review itself"


_LEVELS: Mapping[Category, Level] = {
    Category.WIRE: Level.ERROR,
    Category.CLIENT_SOURCE: Level.WARNING,
    Category.SERVER_SOURCE: Level.INFO,
    Category.COMPATIBLE: Level.INFO,
}
BREAKING = frozenset((Category.WIRE, Category.CLIENT_SOURCE))

RETYPED = "text-type-changed"

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
_PARAMETER_OF = _OPERATION % "- {name: lang, in: query, schema: %s}"
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


def _pair(part: str, base: str | tuple[str, ...], revision: str | tuple[str, ...]) -> str:
    """Two documents in one stream of YAML, which differ in what is filled in."""
    return f"{part % base}---\n{part % revision}"


def _rule(id: str, category: Category, why: str, bad: str, good: str) -> RuleDescription:
    level = _LEVELS[category]
    return RuleDescription(id, category, why, bad, good, level, level)


def _narrowed(stem: str, what: str, wide: str, narrow: str) -> RuleDescription:
    return _rule(
        f"{stem}-narrowed",
        Category.WIRE,
        f"Clients go on sending what they may send today. {what} is refused from now on.",
        _pair(_REQUEST, wide, narrow),
        _pair(_REQUEST, narrow, wide),
    )


def _widened(
    stem: str, what: str, wide: str, narrow: str, category: Category = Category.WIRE
) -> RuleDescription:
    return _rule(
        f"{stem}-widened",
        category,
        f"Clients rely on what the API may send today. {what} is sent from now on.",
        _pair(_RESPONSE, narrow, wide),
        _pair(_RESPONSE, wide, narrow),
    )


# Stem, what is refused or sent, the wider schema, the narrower one.
_SCHEMAS = (
    ("type", "A type that was allowed", "A type that was not", "{type: number}", "{type: integer}"),
    (
        "format",
        "Text of another format",
        "Text of another format",
        "{type: string}",
        "{type: string, format: uuid}",
    ),
    (
        "content",
        "Text of another encoding or media type",
        "Text of another encoding or media type",
        "{type: string}",
        "{type: string, contentEncoding: base64}",
    ),
    (
        "range",
        "A number that was in the range",
        "A number out of the range",
        "{type: integer, maximum: 20}",
        "{type: integer, maximum: 10}",
    ),
    (
        "length",
        "Text of a length that was allowed",
        "Text of a length that was not",
        "{type: string, maxLength: 20}",
        "{type: string, maxLength: 10}",
    ),
    (
        "pattern",
        "Text that was allowed",
        "Text that was not",
        "{type: string}",
        "{type: string, pattern: '^[a-z]+$'}",
    ),
    (
        "array",
        "A list that was allowed",
        "A list that was not",
        "{type: array, maxItems: 20}",
        "{type: array, maxItems: 10}",
    ),
    (
        "object",
        "An object that was allowed",
        "An object that was not",
        "{type: object}",
        "{type: object, additionalProperties: false}",
    ),
    (
        "union",
        "A value of an alternative that is gone",
        "A value of an alternative that is new",
        "{oneOf: [{type: string}, {type: integer}, {type: boolean}]}",
        "{oneOf: [{type: string}, {type: integer}]}",
    ),
)

RULES: tuple[RuleDescription, ...] = (
    _rule(
        "operation-removed",
        Category.WIRE,
        "Clients that call the operation, or wait for the webhook, are left without it. A path "
        "parameter of another name is no other operation.",
        _pair("paths: {%s: {get: {responses: {default: {description: It.}}}}}\n", "/a", "/b"),
        _pair(
            "paths: {'/a/%s': {get: {responses: {default: {description: It.}}}}}\n", "{x}", "{y}"
        ),
    ),
    _rule(
        "parameter-required",
        Category.WIRE,
        "Requests without the parameter were fine and are refused from now on.",
        _pair(_PARAMETER, "", ", required: true"),
        _pair(_PARAMETER, ", required: true", ""),
    ),
    _rule(
        "parameter-not-sent",
        Category.WIRE,
        "The receiver of a webhook or callback relies on a parameter that no longer always comes.",
        _pair(
            _WEBHOOK, "parameters: [{name: Id, in: header, required: true, schema: {}}]", "tags: []"
        ),
        _pair(
            _WEBHOOK, "tags: []", "parameters: [{name: Id, in: header, required: true, schema: {}}]"
        ),
    ),
    _rule(
        "parameter-moved",
        Category.WIRE,
        "Clients send the parameter where nobody looks for it any more.",
        _pair(
            _OPERATION,
            "- {name: lang, in: query, schema: {}}",
            "- {name: lang, in: header, schema: {}}",
        ),
        _pair(
            _OPERATION,
            "- {name: Lang, in: header, schema: {}}",
            "- {name: lang, in: header, schema: {}}",
        ),
    ),
    _rule(
        "serialisation-changed",
        Category.WIRE,
        "The same value is written in another way, and is read as another one.",
        _pair(_PARAMETER, "", ", style: pipeDelimited"),
        _pair(_PARAMETER, "", ", style: form, explode: true"),
    ),
    _rule(
        "body-required",
        Category.WIRE,
        "Requests without a body were fine and are refused from now on.",
        _pair(_BODY, "", ", required: true"),
        _pair(_BODY, ", required: true", ""),
    ),
    _rule(
        "body-not-sent",
        Category.WIRE,
        "The receiver of a webhook or callback relies on a body that no longer always comes.",
        _pair(_WEBHOOK, "requestBody: {required: true, content: {}}", "requestBody: {content: {}}"),
        _pair(_WEBHOOK, "requestBody: {content: {}}", "requestBody: {required: true, content: {}}"),
    ),
    _rule(
        "header-required",
        Category.WIRE,
        "Receivers of a webhook or callback answer without the header and are refused.",
        _pair(
            "webhooks: {a: {post: {%s}}}\n",
            "responses: {default: {description: It.}}",
            "responses: {default: {description: It., headers: {Id: {required: true, schema: {}}}}}",
        ),
        _pair(_HEADER, "", "Id: {required: true, schema: {}}"),
    ),
    _rule(
        "header-not-sent",
        Category.WIRE,
        "Clients rely on a response header that no longer always comes.",
        _pair(_HEADER, "Id: {required: true, schema: {}}", "Id: {schema: {}}"),
        _pair(_HEADER, "Id: {schema: {}}", "Id: {required: true, schema: {}}"),
    ),
    _rule(
        "property-required",
        Category.WIRE,
        "Clients that leave the property out, as they may today, are refused from now on.",
        _pair(_REQUEST, _ONE % "", _ONE % ", required: [a]"),
        _pair(_REQUEST, _ONE % ", required: [a]", _ONE % ""),
    ),
    _rule(
        "property-not-sent",
        Category.WIRE,
        "Clients rely on a property that no longer always comes.",
        _pair(_RESPONSE, _ONE % ", required: [a]", _ONE % ""),
        _pair(_RESPONSE, _ONE % "", _ONE % ", required: [a]"),
    ),
    _rule(
        "property-refused",
        Category.WIRE,
        "An object that allows no other properties no longer has one that clients send.",
        _pair(
            _REQUEST,
            _TWO % ", additionalProperties: false",
            _ONE % ", additionalProperties: false",
        ),
        _pair(
            _REQUEST,
            _ONE % ", additionalProperties: false",
            _TWO % ", additionalProperties: false",
        ),
    ),
    _rule(
        "status-removed",
        Category.WIRE,
        "Clients recognise success by a status that no longer comes.",
        _pair(_RESPONSES, "'200': {description: It.}", "'201': {description: It.}"),
        _pair(_RESPONSES, "'200': {description: It.}", "2XX: {description: It.}"),
    ),
    _rule(
        "media-type-removed",
        Category.WIRE,
        "Clients send, or ask for, a media type that the API no longer knows.",
        _pair(
            _OPERATION,
            "requestBody: {content: {application/json: {}, text/csv: {}}}",
            "requestBody: {content: {application/json: {}}}",
        ),
        _pair(
            _OPERATION,
            "requestBody: {content: {application/json: {}}}",
            "requestBody: {content: {Application/JSON: {}}}",
        ),
    ),
    _rule(
        "security-tightened",
        Category.WIRE,
        "Callers that were let in are refused: they lack a credential or a scope.",
        _pair(_SECURED, ("bearer", "{}"), ("bearer", "{key: []}")),
        _pair(_SECURED, ("bearer", "{key: []}"), ("bearer", "{key: []}, {}")),
    ),
    _rule(
        "security-scheme-changed",
        Category.WIRE,
        "Clients send their credential in a way that is no longer understood.",
        _pair(_SECURED, ("basic", "{key: []}"), ("bearer", "{key: []}")),
        _pair(_SECURED, ("bearer", "{key: []}"), ("Bearer", "{key: []}")),
    ),
    _rule(
        "server-removed",
        Category.WIRE,
        "Clients go on calling the address that is gone.",
        _pair(
            _DECLARED, "servers: [{url: 'https://a.test'}]", "servers: [{url: 'https://b.test'}]"
        ),
        _pair(
            _DECLARED,
            "servers: [{url: 'https://a.test'}]",
            "servers: [{url: 'https://b.test'}, {url: 'https://a.test/'}]",
        ),
    ),
    _rule(
        "default-changed",
        Category.WIRE,
        "Clients that leave the value out get another behaviour without a change of theirs.",
        _pair(_REQUEST, "{type: integer, default: 1}", "{type: integer, default: 2}"),
        _pair(_RESPONSE, "{type: integer, default: 1}", "{type: integer, default: 2}"),
    ),
    _rule(
        "discriminator-changed",
        Category.WIRE,
        "Another property tells the alternatives apart than the one that is looked at.",
        _pair(
            _REQUEST,
            "{type: object, discriminator: {propertyName: kind}}",
            "{type: object, discriminator: {propertyName: type}}",
        ),
        _pair(
            _REQUEST,
            "{type: object, discriminator: {propertyName: kind}}",
            "{type: object, discriminator: {propertyName: kind, mapping: {a: '#/a'}}}",
        ),
    ),
    _rule(
        "known-value-removed",
        Category.WIRE,
        "Clients send a value of an enumeration that may grow, and it has shrunk.",
        _pair(
            _REQUEST,
            f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b]}}",
            f"{{type: string, {EXTENSIBLE_ENUM.name}: [a]}}",
        ),
        _pair(
            _RESPONSE,
            f"{{type: string, {EXTENSIBLE_ENUM.name}: [a]}}",
            f"{{type: string, {EXTENSIBLE_ENUM.name}: [a, b]}}",
        ),
    ),
    *(_narrowed(stem, refused, wide, narrow) for stem, refused, _, wide, narrow in _SCHEMAS),
    *(_widened(stem, sent, wide, narrow) for stem, _, sent, wide, narrow in _SCHEMAS),
    _narrowed("enum", "A value that was allowed", "{enum: [a, b]}", "{enum: [a]}"),
    _narrowed("nullable", "Null", "{type: [string, 'null']}", "{type: string}"),
    _rule(
        "limit-lowered",
        Category.WIRE,
        "Clients that kept to the limit are refused from now on.",
        _pair(
            _DECLARED,
            f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
            f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        ),
        _pair(
            _DECLARED,
            f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
            f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
        ),
    ),
    _rule(
        "delivery-weakened",
        Category.WIRE,
        "A receiver that is down or slow for as long as it may be today misses events.",
        _pair(
            _WEBHOOK,
            f"{DELIVERY.name}: {{retry_after_seconds: [60, 300]}}",
            f"{DELIVERY.name}: {{retry_after_seconds: [60]}}",
        ),
        _pair(
            _WEBHOOK,
            f"{DELIVERY.name}: {{retry_after_seconds: [60]}}",
            f"{DELIVERY.name}: {{retry_after_seconds: [60, 300]}}",
        ),
    ),
    _rule(
        "signature-changed",
        Category.WIRE,
        "Receivers verify deliveries as they are signed today; any other signature is a forgery "
        "to them, and none at all is worse.",
        _pair(
            _WEBHOOK,
            f"{SIGNATURE.name}: {{header: Signature, algorithm: hmac-sha256}}",
            f"{SIGNATURE.name}: {{header: Webhook-Signature, algorithm: hmac-sha256}}",
        ),
        _pair(
            _WEBHOOK,
            f"{SIGNATURE.name}: {{header: Signature, algorithm: hmac-sha256}}",
            f"{SIGNATURE.name}: {{algorithm: hmac-sha256, header: Signature}}",
        ),
    ),
    _rule(
        "behaviour-changed",
        Category.WIRE,
        "Clients rely on what the contract declares beyond OpenAPI, such as the order of a list.",
        _pair(
            _OPERATION,
            f"{ORDER.name}: {{by: /id, direction: ascending}}",
            f"{ORDER.name}: {{by: /id, direction: descending}}",
        ),
        _pair(_OPERATION, "summary: It.", f"{ORDER.name}: {{by: /id, direction: ascending}}"),
    ),
    _rule(
        "error-code-changed",
        Category.WIRE,
        "Clients handle an error by a code that no longer comes, or comes with another status.",
        _pair(
            _DECLARED,
            f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}}}}}",
            f"{ERROR.name}: {{codes: {{gone: {{status: 410, type: missing}}}}}}",
        ),
        _pair(
            _DECLARED,
            f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}}}}}",
            f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}, "
            "new: {status: 400, type: invalid}}}",
        ),
    ),
    _rule(
        "operation-id-changed",
        Category.CLIENT_SOURCE,
        "The method of generated clients has another name.",
        _pair("paths: {/a: {get: {operationId: %s, responses: {}}}}\n", "getA", "readA"),
        _pair("paths: {/a: {get: {%sresponses: {}}}}\n", "", "operationId: getA, "),
    ),
    _rule(
        "operation-group-changed",
        Category.CLIENT_SOURCE,
        "The method of generated clients is in another group, which the first tag names.",
        _pair("paths: {/a: {get: {tags: [%s], responses: {}}}}\n", "a", "b"),
        _pair("paths: {/a: {get: {tags: [%s], responses: {}}}}\n", "a", "a, b"),
    ),
    _rule(
        "parameter-renamed",
        Category.CLIENT_SOURCE,
        "The argument of generated methods has another name; what is sent stays as it was.",
        _pair(
            _IN_PATH,
            ("x", "x"),
            ("y", "y"),
        ),
        _pair(
            _IN_PATH,
            ("x", "x"),
            ("x", "x"),
        ),
    ),
    _rule(
        "parameter-removed",
        Category.CLIENT_SOURCE,
        "Generated methods lose an argument; clients that still send it are not heeded.",
        _pair(_OPERATION, "- {name: lang, in: query, schema: {}}", ""),
        _pair(_OPERATION, "", "- {name: lang, in: query, schema: {}}"),
    ),
    _rule(
        "body-removed",
        Category.CLIENT_SOURCE,
        "Generated methods lose an argument; clients that still send a body are not heeded.",
        _pair(_OPERATION, "requestBody: {content: {application/json: {}}}", ""),
        _pair(_OPERATION, "", "requestBody: {content: {application/json: {}}}"),
    ),
    _rule(
        "header-removed",
        Category.CLIENT_SOURCE,
        "Clients look at a response header, where it is given, that never comes any more.",
        _pair(_HEADER, "Id: {schema: {}}", ""),
        _pair(_HEADER, "", "Id: {schema: {}}"),
    ),
    _rule(
        "property-removed",
        Category.CLIENT_SOURCE,
        "Generated models lose a field; what clients still send there is not heeded.",
        _pair(_REQUEST, _TWO % "", _ONE % ""),
        _pair(_REQUEST, _ONE % "", _TWO % ""),
    ),
    _rule(
        RETYPED,
        Category.CLIENT_SOURCE,
        "Generated code has another type for a value that is written as text, such as that of a "
        "query. What is sent is read as well as before.",
        _pair(_PARAMETER_OF, "{type: integer}", "{type: string}"),
        _pair(_PARAMETER_OF, "{type: [integer]}", "{type: number}"),
    ),
    _rule(
        "property-unexpected",
        Category.CLIENT_SOURCE,
        "An object was declared to have no other properties, and gets one: clients that hold the "
        "API to its word refuse it.",
        _pair(
            _RESPONSE,
            _ONE % ", additionalProperties: false",
            _TWO % ", additionalProperties: false",
        ),
        _pair(_RESPONSE, _ONE % "", _TWO % ""),
    ),
    _rule(
        "alternative-changed",
        Category.CLIENT_SOURCE,
        "Generated unions lose a class that clients send, or gain one that no branch of theirs is "
        "for, even though all values were possible before.",
        _pair(
            _REQUEST,
            "{anyOf: [{type: string}, {type: integer}, {type: number}]}",
            "{anyOf: [{type: string}, {type: number}]}",
        ),
        _pair(
            _REQUEST,
            "{anyOf: [{type: string}, {type: number}]}",
            "{anyOf: [{type: string}, {type: integer}, {type: number}]}",
        ),
    ),
    _widened(
        "enum",
        "A value that no branch of theirs is for",
        "{enum: [a, b]}",
        "{enum: [a]}",
        Category.CLIENT_SOURCE,
    ),
    _widened(
        "nullable",
        "Null, which their types do not expect,",
        "{type: [string, 'null']}",
        "{type: string}",
        Category.CLIENT_SOURCE,
    ),
    _rule(
        "operation-added",
        Category.SERVER_SOURCE,
        "Implementations of the server stub have one more method to write.",
        _pair(
            "paths: {%s}\n",
            "/a: {get: {responses: {}}}",
            "/a: {get: {responses: {}}, put: {responses: {}}}",
        ),
        _pair("paths: {%s}\n", "/a: {get: {responses: {}}}", "/a: {get: {responses: {}}}"),
    ),
    _rule(
        "added",
        Category.COMPATIBLE,
        "Something is new that nobody has to use.",
        _pair(_OPERATION, "", "- {name: lang, in: query, schema: {}}"),
        _pair(_OPERATION, "", ""),
    ),
    _rule(
        "relaxed",
        Category.COMPATIBLE,
        "Something is no longer demanded, or promised from now on.",
        _pair(_BODY, ", required: true", ""),
        _pair(_BODY, ", required: false", ""),
    ),
    _rule(
        "schema-compatible",
        Category.COMPATIBLE,
        "A schema changed, and whoever receives its values takes all that may be sent.",
        _pair(_REQUEST, "{type: integer}", "{type: number}"),
        _pair(_REQUEST, "{type: [integer]}", "{type: [integer]}"),
    ),
    _rule(
        "declaration-compatible",
        Category.COMPATIBLE,
        "A declaration of the contract changed and keeps what it promised.",
        _pair(
            _DECLARED,
            f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
            f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
        ),
        _pair(
            _DECLARED,
            f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
            f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        ),
    ),
    _rule(
        "deprecation",
        Category.COMPATIBLE,
        "Something is deprecated, or is so no longer: what is to go is known in advance.",
        _pair(_OPERATION, "deprecated: false", "deprecated: true"),
        _pair(_OPERATION, "deprecated: false", ""),
    ),
    _rule(
        "error-status-removed",
        Category.COMPATIBLE,
        "An answer that is no success is gone; clients handle one case too many.",
        _pair(
            _RESPONSES,
            "default: {description: It.}, '404': {description: None.}",
            "default: {description: It.}",
        ),
        _pair(_RESPONSES, "default: {description: It.}", "default: {description: It.}"),
    ),
)


def _review(id: str, level: Level, why: str) -> RuleDescription:
    return RuleDescription(id, Category.REVIEW, why, "", "", level, level)


UNPROVEN = _review(
    "diff-unproven",
    Level.WARNING,
    "A schema changed in a way of which neither a proof nor a value shows whether it breaks "
    "anybody: somebody has to look.",
)
INCOMPLETE = _review(
    "diff-incomplete",
    Level.WARNING,
    "A part of the documents could not be compared to the end: it takes more time or memory than "
    "any document should, or breaks an assumption.",
)
INVALID = _review(
    "diff-invalid",
    Level.WARNING,
    "A document that is not valid OpenAPI is compared as far as possible; what it means instead "
    "is not known.",
)
UNUSED = _review(
    "acceptance-unused",
    Level.WARNING,
    "An acceptance that no change needs any more would hide the next one.",
)
EXPIRED = _review(
    "acceptance-expired",
    Level.WARNING,
    "An acceptance counts until its day; the change that it covered is reported again.",
)
VERSION_TOO_LOW = _review(
    "version-too-low",
    Level.WARNING,
    "The version of the API promises less change than there is (Semantic Versioning; before "
    "1.0.0 the second number stands for the first).",
)
VERSION = _review(
    "version-suggested",
    Level.INFO,
    "Which version the changes call for.",
)
DESCRIPTIONS: tuple[RuleDescription, ...] = (
    *sorted(RULES, key=lambda rule: list(Category).index(Category(rule.category))),
    UNPROVEN,
    INCOMPLETE,
    INVALID,
    UNUSED,
    EXPIRED,
    VERSION_TOO_LOW,
    VERSION,
)
BY_ID: Mapping[str, RuleDescription] = {rule.id: rule for rule in DESCRIPTIONS}
