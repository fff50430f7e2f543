"""The presence of parameters, headers, bodies and properties, and the effects of changes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from specwright.compare.verdicts.announcements import SUNSET_REMOVED
from specwright.compare.verdicts.change_rule import (
    ADDED,
    CONTINUE_TO_SEND,
    KEEP_UNTIL_SUNSET,
    RELAXED,
    ChangeCategory,
    ChangeRule,
)
from specwright.compare.verdicts.example import (
    BODY,
    HEADER,
    ONE,
    OPERATION,
    PARAMETER,
    REQUEST,
    RESPONSE,
    TWO,
    TWO_OLD,
    WEBHOOK,
    example,
)
from specwright.document.schemas.polarity import Polarity


class Presence(StrEnum):
    """The presence of something: whether it is declared, and required."""

    ABSENT = "not declared"
    OPTIONAL = "optional"
    REQUIRED = "required"


class PresenceChange(StrEnum):
    """A change of presence."""

    REQUIRED = "is required"
    NOT_SENT = "is not always sent"
    REMOVED = "is not sent"
    ADDED = "may be sent"
    RELAXED = "is not required, or always sent"


PresenceRules = Mapping[PresenceChange, ChangeRule]
_ABSENT, _OPTIONAL, _REQUIRED = Presence
# (before, after) -> the event for values sent to the server, and for those sent to clients.
_CHANGES = {
    (_ABSENT, _OPTIONAL): (PresenceChange.ADDED, PresenceChange.ADDED),
    (_ABSENT, _REQUIRED): (PresenceChange.REQUIRED, PresenceChange.ADDED),
    (_OPTIONAL, _ABSENT): (PresenceChange.REMOVED, PresenceChange.REMOVED),
    (_OPTIONAL, _REQUIRED): (PresenceChange.REQUIRED, PresenceChange.RELAXED),
    (_REQUIRED, _ABSENT): (PresenceChange.REMOVED, PresenceChange.NOT_SENT),
    (_REQUIRED, _OPTIONAL): (PresenceChange.RELAXED, PresenceChange.NOT_SENT),
}
# The changes in messages.
_WORDS = {
    (_ABSENT, _OPTIONAL): "was added",
    (_ABSENT, _REQUIRED): "was added as required",
    (_OPTIONAL, _ABSENT): "was removed",
    (_OPTIONAL, _REQUIRED): "is now required",
    (_REQUIRED, _ABSENT): "was removed",
    (_REQUIRED, _OPTIONAL): "is now optional",
}


def presence_words(before: Presence, after: Presence) -> str:
    """Return the change in words, to follow the name of the thing."""
    return _WORDS[before, after]


def presence(*, declared: bool, required: bool) -> Presence:
    """Return the presence of something."""
    if required:
        return Presence.REQUIRED
    return Presence.OPTIONAL if declared else Presence.ABSENT


def presence_change(before: Presence, after: Presence, polarity: Polarity) -> PresenceChange | None:
    """Return the change of presence; None if nothing changed."""
    changes = _CHANGES.get((before, after))
    return changes and changes[polarity is Polarity.TO_CLIENT]


PARAMETER_REQUIRED = ChangeRule(
    "parameter-required",
    ChangeCategory.WIRE,
    "Requests without the parameter were valid and are now rejected.",
    example=example(PARAMETER, "", ", required: true", ", description: 'Without it, English.'"),
    remedy=(
        "Keep it optional and document the effect of omitting it, or require it in a new operation."
    ),
)
PARAMETER_NOT_SENT = ChangeRule(
    "parameter-not-sent",
    ChangeCategory.WIRE,
    ("The receiver of a webhook or callback relies on a parameter that is no longer always sent."),
    example=example(
        WEBHOOK,
        "parameters: [{name: Id, in: header, required: true, schema: {}}]",
        "tags: []",
        "parameters: [{name: Id, in: header, required: true, deprecated: true, schema: {}}]",
    ),
    remedy=CONTINUE_TO_SEND,
)
PARAMETER_REMOVED = ChangeRule(
    "parameter-removed",
    ChangeCategory.CLIENT_SOURCE,
    "Generated methods lose an argument; a value that clients still send is ignored.",
    example=example(
        OPERATION,
        "- {name: lang, in: query, schema: {}}",
        "",
        "- {name: lang, in: query, schema: {}, deprecated: true}",
    ),
    remedy=KEEP_UNTIL_SUNSET,
    after_sunset=SUNSET_REMOVED,
)
BODY_REQUIRED = ChangeRule(
    "body-required",
    ChangeCategory.WIRE,
    "Requests without a body were valid and are now rejected.",
    example=example(BODY, "", ", required: true", ", description: 'Without one, nothing changes.'"),
    remedy=(
        "Keep it optional and document the effect of omitting it, or require it in a new operation."
    ),
)
BODY_NOT_SENT = ChangeRule(
    "body-not-sent",
    ChangeCategory.WIRE,
    "The receiver of a webhook or callback relies on a body that is no longer always sent.",
    example=example(
        WEBHOOK,
        "requestBody: {required: true, content: {}}",
        "requestBody: {content: {}}",
        "requestBody: {required: true, content: {}, description: May say nothing.}",
    ),
    remedy="Continue to send a body, even if it has no content.",
)
BODY_REMOVED = ChangeRule(
    "body-removed",
    ChangeCategory.CLIENT_SOURCE,
    "Generated methods lose an argument; the body that clients still send is ignored.",
    example=example(
        OPERATION,
        "requestBody: {content: {application/json: {}}}",
        "",
        "requestBody: {content: {application/json: {}}, description: Means nothing any more.}",
    ),
    remedy="Continue to accept it, and say in `description` that it is ignored.",
)
HEADER_REQUIRED = ChangeRule(
    "header-required",
    ChangeCategory.WIRE,
    (
        "Clients send a part of a form without the header, or receivers of a webhook or callback "
        "respond without it, and are rejected."
    ),
    example=example(
        "webhooks: {a: {post: {responses: {default: {description: It.%s}}}}}\n",
        "",
        ", headers: {Id: {required: true, schema: {}}}",
        ", headers: {Id: {schema: {}}}",
    ),
    remedy="Declare it without `required`, and accept responses without it.",
)
HEADER_NOT_SENT = ChangeRule(
    "header-not-sent",
    ChangeCategory.WIRE,
    "Clients rely on a response header that is no longer always sent.",
    example=example(
        HEADER,
        "Id: {required: true, schema: {}}",
        "Id: {schema: {}}",
        "Id: {required: true, deprecated: true, schema: {}}",
    ),
    remedy=CONTINUE_TO_SEND,
    after_sunset=SUNSET_REMOVED,
)
HEADER_REMOVED = ChangeRule(
    "header-removed",
    ChangeCategory.CLIENT_SOURCE,
    "Clients read an optional response header that is no longer sent.",
    example=example(HEADER, "Id: {schema: {}}", "", "Id: {deprecated: true, schema: {}}"),
    remedy=KEEP_UNTIL_SUNSET,
    after_sunset=SUNSET_REMOVED,
)
PROPERTY_REQUIRED = ChangeRule(
    "property-required",
    ChangeCategory.WIRE,
    "Requests of clients that omit the property, as they may today, are now rejected.",
    example=example(
        REQUEST,
        ONE % "",
        ONE % ", required: [a]",
        "{properties: {a: {type: string, description: 'Without it, the first.'}}}",
    ),
    remedy=(
        "Keep it optional and document the effect of omitting it, or require it in a new operation."
    ),
)
PROPERTY_NOT_SENT = ChangeRule(
    "property-not-sent",
    ChangeCategory.WIRE,
    "Clients rely on a property that is no longer always sent.",
    example=example(
        RESPONSE,
        TWO % ", required: [b]",
        TWO % "",
        TWO_OLD % ", required: [b]",
    ),
    remedy=CONTINUE_TO_SEND,
    after_sunset=SUNSET_REMOVED,
)
PROPERTY_REMOVED = ChangeRule(
    "property-removed",
    ChangeCategory.CLIENT_SOURCE,
    "Generated models lose a field that code may use; values still sent are ignored.",
    example=example(REQUEST, TWO % "", ONE % "", TWO_OLD % ""),
    remedy=KEEP_UNTIL_SUNSET,
    after_sunset=SUNSET_REMOVED,
)


def _rules(required: ChangeRule, not_sent: ChangeRule, removed: ChangeRule) -> PresenceRules:
    return {
        PresenceChange.REQUIRED: required,
        PresenceChange.NOT_SENT: not_sent,
        PresenceChange.REMOVED: removed,
        PresenceChange.ADDED: ADDED,
        PresenceChange.RELAXED: RELAXED,
    }


PARAMETER_RULES = _rules(PARAMETER_REQUIRED, PARAMETER_NOT_SENT, PARAMETER_REMOVED)
BODY_RULES = _rules(BODY_REQUIRED, BODY_NOT_SENT, BODY_REMOVED)
HEADER_RULES = _rules(HEADER_REQUIRED, HEADER_NOT_SENT, HEADER_REMOVED)
PROPERTY_RULES = _rules(PROPERTY_REQUIRED, PROPERTY_NOT_SENT, PROPERTY_REMOVED)
