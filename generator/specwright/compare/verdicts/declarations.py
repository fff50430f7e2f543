"""Changes of declarations beyond OpenAPI, judged by the policies that the keywords declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rule import ChangeCategory, ChangeRule
from specwright.compare.verdicts.example import DECLARED, OPERATION, WEBHOOK, example
from specwright.document.operations.sites import Site
from specwright.findings import values_of
from specwright.json_values import JsonValue
from specwright.pointer import join
from specwright.vocabulary.keyword import Keyword, KeywordReader, Place
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.policy import ANY, UNJUDGED, ChangePolicy, Subject
from specwright.vocabulary.shape import Path
from specwright.vocabulary.table import KEYWORDS

_SIGNED = f"{SIGNATURE.name}: {{header: %s, algorithm: hmac-sha256}}"
BEHAVIOUR_CHANGED = ChangeRule(
    "behaviour-changed",
    ChangeCategory.WIRE,
    ("Clients rely on declarations of the contract beyond OpenAPI, such as the order of a list."),
    example=example(
        OPERATION,
        f"{ORDER.name}: {{by: /id, direction: ascending}}",
        f"{ORDER.name}: {{by: /id, direction: descending}}",
        "- {name: newest_first, in: query, schema: {type: boolean}}\n"
        f"      {ORDER.name}: {{by: /id, direction: ascending}}",
    ),
    remedy="Keep the declared behaviour unless a request selects another by a new parameter.",
)
LIMIT_LOWERED = ChangeRule(
    "limit-lowered",
    ChangeCategory.WIRE,
    "Clients that stay within the old limit are now rejected.",
    example=example(
        DECLARED,
        f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 4096}}",
    ),
    remedy="Keep the limit or raise it; the next major version may lower it.",
)
DELIVERY_WEAKENED = ChangeRule(
    "delivery-weakened",
    ChangeCategory.WIRE,
    "A receiver that is down or slow for as long as it may be today misses events.",
    example=example(
        WEBHOOK,
        f"{DELIVERY.name}: {{retry_after_seconds: [60, 300]}}",
        f"{DELIVERY.name}: {{retry_after_seconds: [60]}}",
        f"{DELIVERY.name}: {{retry_after_seconds: [60, 300, 900]}}",
    ),
    remedy="Keep the attempts, or add some.",
)
SIGNATURE_CHANGED = ChangeRule(
    "signature-changed",
    ChangeCategory.WIRE,
    (
        "Receivers verify deliveries as they are signed today, and reject any that are signed "
        "differently or not at all."
    ),
    example=example(
        WEBHOOK,
        _SIGNED % "Signature",
        _SIGNED % "Webhook-Signature",
        _SIGNED % "Signature",
        (WEBHOOK % (_SIGNED % "Webhook-Signature"))
        .removeprefix("webhooks:\n")
        .replace("order.changed", "order.updated"),
    ),
    remedy="Sign events of a new name in the new way, and let receivers move to them.",
)
ERROR_CODE_CHANGED = ChangeRule(
    "error-code-changed",
    ChangeCategory.WIRE,
    "Clients handle an error by a code that is no longer returned, or has another status.",
    example=example(
        DECLARED,
        f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}}}}}",
        f"{ERROR.name}: {{codes: {{gone: {{status: 410, type: missing}}}}}}",
        f"{ERROR.name}: {{codes: {{gone: {{status: 404, type: missing}}, "
        "new: {status: 400, type: invalid}}}",
    ),
    remedy="Keep the code and its status; add another code for a new case.",
)
DECLARATION_COMPATIBLE = ChangeRule(
    "declaration-compatible",
    ChangeCategory.COMPATIBLE,
    "A declaration of the contract changed and keeps its promises.",
    example=example(
        DECLARED,
        f"{BODY_LIMIT.name}: {{max_bytes: 1024}}",
        f"{BODY_LIMIT.name}: {{max_bytes: 2048}}",
    ),
)
RULES_BY_SUBJECT = {
    Subject.BEHAVIOUR: BEHAVIOUR_CHANGED,
    Subject.LIMIT: LIMIT_LOWERED,
    Subject.DELIVERY: DELIVERY_WEAKENED,
    Subject.SIGNATURE: SIGNATURE_CHANGED,
    Subject.ERROR_CODE: ERROR_CODE_CHANGED,
}


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part of a declaration with two values, of which one may be missing (None)."""

    path: Path
    before: JsonValue
    after: JsonValue
    rule: ChangeRule


def declaration_changes(base: Site, revision: Site, place: Place) -> Iterator[Change]:
    """Yield the changes in the declarations of two matching objects."""
    for keyword in reviewed_keywords(place):
        name = keyword.name
        parts = list(part_changes(keyword, base.value.get(name), revision.value.get(name)))
        if parts and (name in base.value) is not (name in revision.value):
            # An added or removed declaration is one change, however many members it has.
            word = "added" if name in revision.value else "removed"
            yield Change(
                worst(parts),
                base / name,
                revision / name,
                f"{name} was {word}",
                values_of(base.value.get(name), revision.value.get(name)),
            )
            continue
        for part in parts:
            yield Change(
                part.rule,
                base.pointer + join(name, *part.path),
                revision.pointer + join(name, *part.path),
                f"{'/'.join((name, *part.path))} {became(part.before, part.after)}",
                values_of(part.before, part.after),
            )


def reviewed_keywords(place: Place) -> Iterator[Keyword[object]]:
    """Yield the keywords of a place that the review of changes reads."""
    for keyword in KEYWORDS:
        if place in keyword.places and KeywordReader.REVIEW in keyword.readers:
            yield keyword


def part_changes(
    keyword: Keyword[object], before: JsonValue, after: JsonValue
) -> Iterator[PartChange]:
    """Yield the differences between two values of a keyword, each with the rule that it breaks."""
    if before == after:
        # The usual case: most objects declare nothing.
        return
    for member, policy in keyword.policies():
        if policy is UNJUDGED:
            continue
        base, revision = (dict(_parts(value, member, ())) for value in (before, after))
        for path in base | revision:
            was, becomes = base.get(path), revision.get(path)
            if was != becomes:
                yield PartChange(path, was, becomes, _rule(policy, was, becomes))


def worst(changes: Iterable[PartChange]) -> ChangeRule:
    """Return the first rule that is broken, as all changes together are one."""
    return next(
        (change.rule for change in changes if change.rule is not DECLARATION_COMPATIBLE),
        DECLARATION_COMPATIBLE,
    )


def _rule(policy: ChangePolicy, before: JsonValue, after: JsonValue) -> ChangeRule:
    try:
        is_broken = policy.breaks(before, after)
    except (TypeError, AttributeError):
        # A value of the wrong type cannot keep a promise.
        is_broken = True
    return RULES_BY_SUBJECT[policy.subject] if is_broken else DECLARATION_COMPATIBLE


def _parts(value: JsonValue, member: Path, path: Path) -> Iterator[tuple[Path, JsonValue]]:
    """Yield the parts of a declaration at a path, each with its own path, without wildcards."""
    if not member:
        if value is not None:
            yield path, value
        return
    if not isinstance(value, dict):
        return
    first, rest = member[0], member[1:]
    for name in value if first == ANY else (first,):
        yield from _parts(value.get(name), rest, (*path, name))
