"""Declarations in sentences, with each of their variants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specwright.reference.sentences import sentences
from specwright.vocabulary.keyword import Keyword
from specwright.vocabulary.keywords.capacity import CAPACITY
from specwright.vocabulary.keywords.delivery import DELIVERY
from specwright.vocabulary.keywords.filter import FILTER, Match
from specwright.vocabulary.keywords.final import FINAL
from specwright.vocabulary.keywords.idempotency import IDEMPOTENCY
from specwright.vocabulary.keywords.order import ORDER
from specwright.vocabulary.keywords.pagination import PAGINATION
from specwright.vocabulary.keywords.rate_limit import RATE_LIMIT, RATE_LIMITS
from specwright.vocabulary.keywords.signature import SIGNATURE
from specwright.vocabulary.keywords.sort import SORT
from specwright.vocabulary.keywords.transition import TRANSITION
from specwright.vocabulary.table import KEYWORDS
from tests.reference.pages import Page
from tests.reference.shop import page, shop

LIMITS = {RATE_LIMITS.name: RATE_LIMITS.example}
# The reader has these otherwise, or they are for tests of the server.
ELSEWHERE = {
    *("chosen-from", "computed", "error", "invalid", "mode", "moment", "once", "x-extensible-enum"),
    *("required-when", "reset", "sensitive", "set-when", "trigger", "webhook-endpoint"),
}


def words(keyword: Keyword[Any], value: Any = None) -> str | None:
    return sentences(keyword, keyword.example if value is None else value, LIMITS)


def test_each_rule_for_callers_has_a_sentence() -> None:
    without = {
        keyword.name.removeprefix("x-contract-") for keyword in KEYWORDS if words(keyword) is None
    }
    assert without - {"rate-limit"} == ELSEWHERE


@pytest.mark.parametrize(
    ("keyword", "changes", "expected"),
    [
        (
            RATE_LIMIT,
            {},
            "At most 600 requests in any minute for each `key`, together with the other operations "
            "of the class `read`. Once they are used up, `Retry-After` has the seconds to wait.",
        ),
        (
            IDEMPOTENCY,
            {},
            "Safe to repeat: requests with the same value at `/reference` of the body have one "
            "effect. A repetition gets the first response again, a 201, marked by the header "
            "`Replayed` with the value `true`. The value belongs to one `account`. While the first "
            "request is in progress, the response is 409 `in_progress`. Another request with the "
            "same value is refused with 422 `reference_reused`.",
        ),
        (
            IDEMPOTENCY,
            {
                **{"key": None, "header": "Idempotency-Key", "replay": {"status": 200}},
                **{"in_progress": None, "changed": {"status": 409, "header": "Retry-After"}},
            },
            "Safe to repeat: requests with the same header `Idempotency-Key` have one effect. A "
            "repetition gets the first response again, a 200. The value belongs to one `account`. "
            "Another request with the same value is refused with 409 with the header "
            "`Retry-After`.",
        ),
        (
            PAGINATION,
            {},
            "Items are at `/data` of the response, a page at a time. `cursor` takes `/next_cursor` "
            "of the page before. `limit` is the number of items of a page.",
        ),
        (
            PAGINATION,
            {"cursor": None, "limit": None, "items": "", "next_url": "/next"},
            "Items are the response, a page at a time. `/next` has the URL of the next page.",
        ),
        (
            PAGINATION,
            {"cursor": None, "limit": None, "link": True},
            "Items are at `/data` of the response, a page at a time. The header `Link` has the URL "
            "of the next page, with the relation `next`.",
        ),
        (
            PAGINATION,
            {"cursor": None, "limit": None, "page": "page", "first_page": 0},
            "Items are at `/data` of the response, a page at a time. `page` is the number of the "
            "page, from 0.",
        ),
        (
            PAGINATION,
            {"cursor": None, "limit": None, "offset": "skip"},
            "Items are at `/data` of the response, a page at a time. `skip` is the number of items "
            "to skip.",
        ),
        (
            PAGINATION,
            {"cursor": None, "limit": None},
            "Items are at `/data` of the response, a page at a time. There is one page.",
        ),
        (
            PAGINATION,
            {"limit": None, "resume": True, "interval_seconds": 5, "expired": "too_old"},
            "Items are at `/data` of the response, a page at a time. `cursor` takes `/next_cursor` "
            "of the page before. The last cursor remains: with it, a later request gets the items "
            "added since. While waiting for them, ask at most once in 5 seconds. A cursor that is "
            "too old is refused with `too_old`.",
        ),
        (ORDER, {}, "Items are in descending order of `/created_at`."),
        (SORT, {}, "`price`: ascending by `/price`; `-price`: descending by `/price`"),
        (FILTER, {}, "keeps items where `/status` equals the value, or has it as a member"),
        (
            FILTER,
            {"match": "contains_ignore_case"},
            "keeps items where `/status` contains the value, in lower or upper case",
        ),
        (
            DELIVERY,
            {},
            "A response with `2XX` within 15 seconds acknowledges a delivery. A failed one is "
            "repeated after 1 minute, 5 minutes: it is given up after 3 attempts. `Event-Id` has "
            "the id of the event, which is the same in each attempt, and `Event-Type` its type.",
        ),
        (
            DELIVERY,
            {"retry_after_seconds": []},
            "A response with `2XX` within 15 seconds acknowledges a delivery. A failed one is not "
            "repeated. `Event-Id` has the id of the event, which is the same in each attempt, and "
            "`Event-Type` its type.",
        ),
        (
            SIGNATURE,
            {},
            "`Signature` signs a delivery, as `t={timestamp},v1={digest}`: the digest is the hex "
            "form of hmac-sha256 over `{timestamp}.{body}`. Refuse it if the timestamp differs "
            "from your clock by more than 5 minutes.",
        ),
        (
            CAPACITY,
            {},
            "At most 3 may exist at once for each `account`; one more is refused with 409 "
            "`too_many_hooks`. `deleteHook` makes room.",
        ),
        (
            FINAL,
            {},
            "`/status` changes until it is `paid` or `refused`. While waiting, ask at most once in "
            "1 second.",
        ),
        (
            TRANSITION,
            {},
            "Allowed only while `/status` of `getOrder` is `open`. A success changes it from "
            "`open` to `paid`.",
        ),
        (
            TRANSITION,
            {"moves": {"open": None, "new": None, "kept": None}},
            "Allowed only while `/status` of `getOrder` is `open`, `new` or `kept`.",
        ),
    ],
)
def test_a_declaration_is_a_sentence(
    keyword: Keyword[Any], changes: dict[str, Any], expected: str
) -> None:
    assert words(keyword, {**keyword.example, **changes}) == expected


def test_each_comparison_of_a_filter_has_words() -> None:
    made = {words(FILTER, {"property": "/a", "match": str(match)}) for match in Match}
    assert len(made) == len(Match)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(1, "1 second"), (90, "90 seconds"), (3_600, "1 hour"), (172_800, "2 days")],
)
def test_times_have_their_largest_whole_unit(seconds: int, shown: str) -> None:
    text = words(FINAL, {**FINAL.example, "interval_seconds": seconds})
    assert text and text.endswith(f"ask at most once in {shown}.")


def test_declarations_of_parameters_are_shown(tmp_path: Path) -> None:
    document = shop()
    get = document["paths"]["/items/{id}"]["get"]
    del document["paths"]["/items/{id}"]
    items = {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}
    get["responses"]["200"]["content"]["application/json"]["schema"] = items
    get["parameters"] = [
        {
            **{"name": "state", "in": "query", "schema": {"type": "string"}},
            "x-contract-filter": {"property": "/state", "match": "equals"},
        }
    ]
    get["x-contract-pagination"] = {
        **{"cursor": None, "limit": None, "items": "", "next": None, "more": None, "id": "/id"}
    }
    document["paths"]["/items"]["get"] = get
    shown = " ".join(Page(page(tmp_path, document)).text.split())
    assert "filter: keeps items where /state equals the value" in shown


def test_hostile_names_are_code(tmp_path: Path) -> None:
    document = shop()
    attack = "` <img src=x> [a](javascript:b) `"
    classes = document["x-contract-rate-limit"]["classes"]
    classes[attack] = {**classes["read"], "scope": attack}
    document["paths"]["/items/{id}"]["get"]["x-contract-rate-limit"] = {"class": attack}
    found = Page(page(tmp_path, document))
    assert "img" not in {tag for tag, _ in found.elements}
    assert f"for each {attack} , together" in " ".join(found.text.split())
