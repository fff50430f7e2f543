"""The contract's declarations beyond OpenAPI, and the changes of them that break a promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from specwright.compare.document.pairing import paired
from specwright.compare.verdicts.change import Change, became
from specwright.compare.verdicts.change_rules import ChangeRule
from specwright.document.operations.sites import Site
from specwright.pointer import join
from specwright.vocabulary.keyword import Keyword, Place
from specwright.vocabulary.keywords.body_limit import BODY_LIMIT
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.charge import CHARGE
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.error import ERROR
from specwright.vocabulary.keywords.filter import FILTER
from specwright.vocabulary.keywords.final import FINAL
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.rate_limit import RATE_LIMIT, RATE_LIMITS
from specwright.vocabulary.keywords.requires_one_of import REQUIRES_ONE_OF
from specwright.vocabulary.keywords.reset import RESET
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.keywords.sort import SORT
from specwright.vocabulary.keywords.transition import TRANSITION
from specwright.vocabulary.keywords.trigger import TRIGGER
from specwright.vocabulary.keywords.webhook_endpoint import WEBHOOK_ENDPOINT

# Whether a change from one value to another (None: missing) breaks a promise.
Breaks = Callable[[Any, Any], bool]
ANY = "*"
COMPATIBLE = ChangeRule.DECLARATION_COMPATIBLE


def _lower(before: Any, after: Any) -> bool:
    """Return whether a limit is new, or lower than before."""
    return after is not None and (before is None or after < before)


def _higher(before: Any, after: Any) -> bool:
    return after is not None and (before is None or after > before)


def _raised(before: Any, after: Any) -> bool:
    """Return whether an existing limit was raised; a new one comes with a new declaration."""
    return before is not None and after is not None and after > before


def _gone(before: Any, after: Any) -> bool:
    """Return whether a promise was removed or changed."""
    return before is not None


def _withdrawn(before: Any, after: Any) -> bool:
    """Return whether a promise was withdrawn; false was not a promise."""
    return before is True and after is not True


def _changed(before: Any, after: Any) -> bool:
    return before is not None and after is not None


def _other_start(before: Any, after: Any) -> bool:
    """Return whether the number of the first page changed; it defaults to 1."""
    return (1 if before is None else before) != (1 if after is None else after)


def _set(before: Any, after: Any) -> bool:
    return after is not None


def _other_code(before: Any, after: Any) -> bool:
    """Return whether an error code was removed, or has another status or type."""
    return before is not None and (
        after is None or any(before.get(name) != after.get(name) for name in ("status", "type"))
    )


def _shorter(before: Any, after: Any) -> bool:
    """Return whether there are fewer attempts, or less time until the last one."""
    return before is not None and (
        after is None or len(after) < len(before) or sum(after) < sum(before)
    )


def _lost(before: Any, after: Any) -> bool:
    """Return whether an item was removed from a list."""
    return any(each not in (after or ()) for each in before or ())


def _fewer_moves(before: Any, after: Any) -> bool:
    """Return whether a move was removed, or its promise of a state; null promises none."""
    return after is None or any(
        state not in after or to not in (None, after[state]) for state, to in (before or {}).items()
    )


def _other(before: Any, after: Any) -> bool:
    return True


def _required(before: Any, after: Any) -> bool:
    """Return whether callers have to meet a new requirement; false is none."""
    return after is True


def _demands(before: Any, after: Any) -> bool:
    """Return whether callers have to meet a new requirement."""
    return after is not None and not (before and set(before) <= set(after))


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a declaration that can change independently.

    Attributes:
        member: its path in the value, in which `*` stands for every name.
        breaks: decides whether a difference breaks a promise.
    """

    keyword: Keyword[Any]
    member: tuple[str, ...]
    breaks: Breaks
    rule: ChangeRule


CLAUSES = (
    Clause(BODY_LIMIT, ("max_bytes",), _lower, ChangeRule.LIMIT_LOWERED),
    Clause(RATE_LIMITS, ("classes", ANY, "limit"), _lower, ChangeRule.LIMIT_LOWERED),
    Clause(RATE_LIMITS, ("classes", ANY, "window_seconds"), _higher, ChangeRule.LIMIT_LOWERED),
    Clause(RATE_LIMITS, ("classes", ANY, "scope"), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(RATE_LIMITS, ("headers", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(RATE_LIMIT, (), _set, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CAPACITY, ("limit",), _lower, ChangeRule.LIMIT_LOWERED),
    Clause(CAPACITY, ("scope",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CAPACITY, ("status",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CAPACITY, ("code",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CAPACITY, ("release",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(DELIVERY, ("retry_after_seconds",), _shorter, ChangeRule.DELIVERY_WEAKENED),
    Clause(DELIVERY, ("connect_timeout_seconds",), _lower, ChangeRule.DELIVERY_WEAKENED),
    Clause(DELIVERY, ("timeout_seconds",), _lower, ChangeRule.DELIVERY_WEAKENED),
    Clause(DELIVERY, ("success",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(DELIVERY, ("event_id_header",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(DELIVERY, ("event_type_header",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(SIGNATURE, ("header",), _other, ChangeRule.SIGNATURE_CHANGED),
    Clause(SIGNATURE, ("template",), _other, ChangeRule.SIGNATURE_CHANGED),
    Clause(SIGNATURE, ("payload",), _other, ChangeRule.SIGNATURE_CHANGED),
    Clause(SIGNATURE, ("algorithm",), _other, ChangeRule.SIGNATURE_CHANGED),
    Clause(SIGNATURE, ("encoding",), _other, ChangeRule.SIGNATURE_CHANGED),
    Clause(SIGNATURE, ("secret",), _other, ChangeRule.SIGNATURE_CHANGED),
    Clause(SIGNATURE, ("tolerance_seconds",), _lower, ChangeRule.SIGNATURE_CHANGED),
    Clause(DELIVERY, ("event_id",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(DELIVERY, ("event_type",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRIGGER, ("operation",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRIGGER, ("scenario",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRIGGER, ("within_seconds",), _higher, ChangeRule.DELIVERY_WEAKENED),
    Clause(TRIGGER, ("carries", "at"), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRIGGER, ("carries", "values"), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRIGGER, ("ahead", ANY), _gone, ChangeRule.DELIVERY_WEAKENED),
    Clause(TRIGGER, ("falls", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(WEBHOOK_ENDPOINT, ("public",), _required, ChangeRule.BEHAVIOUR_CHANGED),
    *(
        Clause(WEBHOOK_ENDPOINT, (name,), _gone, ChangeRule.BEHAVIOUR_CHANGED)
        for name in ("url", "event_types", "id", "secret", "remove", "test")
    ),
    Clause(CHARGE, ("balance",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CHARGE, ("at",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CHARGE, ("amount",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CHARGE, ("left",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CHARGE, ("refund", "scenario"), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CHARGE, ("refund", "within_seconds"), _raised, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(CHARGE, ("unpaid", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(RESET, ("empties",), _lost, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(RESET, ("keeps",), _lost, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(RESET, ("restores",), _lost, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ORDER, (ANY,), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("cursor",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("limit",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("items",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("next",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("more",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("id",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("offset",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("page",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("first_page",), _other_start, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("total",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("pages",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("next_url",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("link",), _withdrawn, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("resume",), _withdrawn, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("full",), _withdrawn, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(PAGINATION, ("interval_seconds",), _raised, ChangeRule.LIMIT_LOWERED),
    Clause(PAGINATION, ("expired",), _changed, ChangeRule.BEHAVIOUR_CHANGED),
    # New, it refuses calls that nothing has refused before.
    Clause(TRANSITION, ("read",), _other, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRANSITION, ("at",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(TRANSITION, ("moves",), _fewer_moves, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(FINAL, ("at",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(FINAL, ("states",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(FINAL, ("interval_seconds",), _raised, ChangeRule.LIMIT_LOWERED),
    Clause(IDEMPOTENCY, ("key",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(IDEMPOTENCY, ("header",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(IDEMPOTENCY, ("replay", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(IDEMPOTENCY, ("in_progress", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(IDEMPOTENCY, ("changed", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(IDEMPOTENCY, ("scope",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(REQUIRES_ONE_OF, ("parameters",), _demands, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(REQUIRES_ONE_OF, ("code",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(SORT, ("orders", ANY), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(FILTER, (ANY,), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("type",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("code",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("message",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("param",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("request_id",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("details",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("request_id_header",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("precedence",), _gone, ChangeRule.BEHAVIOUR_CHANGED),
    Clause(ERROR, ("codes", ANY), _other_code, ChangeRule.ERROR_CODE_CHANGED),
)


def declaration_changes(base: Site, revision: Site, place: Place) -> Iterator[Change]:
    """Yield the changes in the declarations of two matching objects."""
    keywords = dict.fromkeys(clause.keyword for clause in CLAUSES if place in clause.keyword.places)
    for keyword in keywords:
        if keyword.name not in base.value and keyword.name not in revision.value:
            continue
        found = list(_member_changes(keyword, base, revision))
        is_whole = (keyword.name in base.value) is not (keyword.name in revision.value)
        if found and is_whole:
            # An added or removed declaration is one change, however many members it has.
            worst = next((each for each in found if each.rule is not COMPATIBLE), found[0])
            word = "added" if keyword.name in revision.value else "removed"
            message = f"{keyword.name} was {word}"
            yield Change(worst.rule, base / keyword.name, revision / keyword.name, message)
        else:
            yield from found


def _member_changes(keyword: Keyword[Any], base: Site, revision: Site) -> Iterator[Change]:
    name = keyword.name
    for clause in CLAUSES:
        if clause.keyword is not keyword:
            continue
        parts = (dict(_parts(site.value.get(name), clause.member, ())) for site in (base, revision))
        for way, before, after in paired(*parts):
            if before != after:
                yield Change(
                    clause.rule if _is_broken(clause, before, after) else COMPATIBLE,
                    base.pointer + join(name, *way),
                    revision.pointer + join(name, *way),
                    f"{'/'.join((name, *way))} {became(before, after)}",
                )


def _is_broken(clause: Clause, before: Any, after: Any) -> bool:
    try:
        return clause.breaks(before, after)
    except TypeError:
        # A value of the wrong type cannot keep a promise.
        return True


def _parts(
    value: Any, member: tuple[str, ...], way: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the parts of a declaration at a path, each with its own path, without wildcards."""
    if not member:
        if value is not None:
            yield way, value
        return
    if not isinstance(value, dict):
        return
    first, rest = member[0], member[1:]
    for name in value if first == ANY else (first,):
        yield from _parts(value.get(name), rest, (*way, name))
