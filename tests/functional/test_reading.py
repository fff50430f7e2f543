"""Additions to a service are read by packages in use; absent values become None."""

from __future__ import annotations

import copy
import json
from types import ModuleType
from typing import Any

import pytest
from pydantic import ValidationError

from tests.functional.conftest import Generate, codecs
from tests.functional.documents import Json, content, document, operation, ref
from tests.functional.origin import Answer, Origin, running

TEXT: Json = {"type": "string"}
FINE: Json = {
    "type": "object",
    "required": ["kind", "amount"],
    "properties": {"kind": {"const": "fine"}, "amount": {"type": "string", "format": "decimal"}},
}
HOLD: Json = {
    "type": "object",
    "required": ["kind", "place"],
    "properties": {"kind": {"const": "hold"}, "place": {"type": "integer"}},
}
NOTICES: Json = {"oneOf": [ref("Fine"), ref("Hold")], "discriminator": {"propertyName": "kind"}}
LOAN: Json = {
    "type": "object",
    "required": ["id", "copies", "state", "currency", "due", "holder"],
    "properties": {
        "id": {"type": "string", "pattern": "^loan_[0-9]+$", "maxLength": 12},
        "copies": {"type": "integer", "minimum": 1, "maximum": 20, "multipleOf": 1},
        "weight": {"type": "number", "exclusiveMaximum": 9},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "currency": {"type": "string", "enum": ["EUR"]},
        "rating": {"type": "integer", "enum": [1, 2]},
        "due": {"type": "string", "format": "date-time"},
        "holder": {"type": ["string", "null"]},
        "again": {"anyOf": [ref("Loan"), {"type": "null"}]},
        "day": {"type": "string", "format": "date"},
        "fee": ref("Fee"),
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 2},
        "notes": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}], "maxLength": 3},
        "title": TEXT,
        "remark": {"type": ["string", "null"]},
        "shelf": {"type": "object", "properties": {"row": TEXT}, "additionalProperties": False},
        "notices": {"type": "array", "items": ref("Notice")},
        "last": NOTICES,
    },
}
FEE: Json = {"type": "string", "format": "decimal", "pattern": r"^[0-9]{1,3}\.[0-9]{2}$"}
SCHEMAS: Json = {"Loan": LOAN, "Fee": FEE, "Fine": FINE, "Hold": HOLD, "Notice": NOTICES}
PLAIN: Json = {
    "id": "loan_1",
    "copies": 1,
    "state": "open",
    "currency": "EUR",
    "due": "2026-03-02T09:15:00Z",
    "holder": None,
}
GROWN: dict[str, tuple[str, Any]] = {
    "another form of id": ("id", "L/1"),
    "a longer id": ("id", "loan_" + "1" * 30),
    "more than a maximum": ("copies", 21),
    "an integer with a fraction of zero": ("copies", 3.0),
    "a larger number": ("weight", 9.5),
    "a value outside its set": ("state", "lost"),
    "a value beside the only one": ("currency", "CHF"),
    "an integer outside its set": ("rating", 3),
    "a time without an offset": ("due", "2026-03-02T09:15:00"),
    "a decimal of another form": ("fee", "12345.5"),
    "more items": ("tags", ["a", "b", "c"]),
    "longer items": ("tags", ["long"]),
    "longer members": ("notes", {"a": "long"}),
    "a longer text of a union": ("either", "longer"),
    "a field of an open object": ("colour", "red"),
    "a field of a closed object": ("shelf", {"row": "A", "column": 3}),
    "an item of a later kind": ("notices", [{"kind": "fine", "amount": "1"}, {"kind": "poem"}]),
    "a value of a later kind": ("last", {"kind": "poem", "lines": [1]}),
    "null for a field that may be absent": ("title", None),
}


def api() -> Json:
    posted = operation(ref("Loan"), operationId="makeLoan")
    posted["requestBody"] = {"required": True, **content(ref("Loan"))}
    return document(
        {"/loans": {"get": operation(ref("Loan"), operationId="getLoan"), "post": posted}}, SCHEMAS
    )


@pytest.fixture
def made(package: Generate) -> ModuleType:
    return package(api())


@pytest.fixture
def origin() -> Any:
    with running() as origin:
        yield origin


def read(made: ModuleType, origin: Origin, **members: Any) -> Any:
    origin.script = [Answer(body=json.dumps({**PLAIN, **members}).encode())]
    with made.Client(base_url=origin.url) as client:
        return client.things.get_loan()


@pytest.mark.parametrize("name", GROWN)
def test_growth_of_a_service_raises_nothing(made: ModuleType, origin: Origin, name: str) -> None:
    field, value = GROWN[name]
    loan = read(made, origin, **{field: value})
    found = json.loads(loan.model_dump_json(exclude_unset=True))
    assert found == {**PLAIN, **({} if value is None else {field: value})}


@pytest.mark.parametrize("name", GROWN)
def test_what_was_read_can_be_kept_as_json(made: ModuleType, origin: Origin, name: str) -> None:
    field, value = GROWN[name]
    loan = read(made, origin, **{field: value})
    assert type(loan).model_validate(loan.model_dump(mode="json")) == loan
    assert type(loan).model_validate_json(loan.model_dump_json()) == loan
    assert copy.deepcopy(loan) == loan


@pytest.mark.parametrize("name", [name for name in GROWN if "open object" not in name])
def test_what_is_sent_is_checked_in_full(made: ModuleType, name: str) -> None:
    field, value = GROWN[name]
    codec = codecs(made)["Loan"]
    if name == "an integer with a fraction of zero":
        assert codec.decode(json.dumps({**PLAIN, field: value}).encode()).copies == 3
        return
    with pytest.raises(ValidationError):
        codec.decode(json.dumps({**PLAIN, field: value}).encode())


def test_an_argument_is_checked_before_anything_is_sent(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(body=json.dumps(PLAIN).encode()))
    with made.Client(base_url=origin.url) as client:
        for field, value in [("copies", 21), ("state", "lost"), ("shelf", {"column": 3})]:
            with pytest.raises(made.InvalidArgumentError):
                client.things.make_loan(**{**PLAIN, field: value})
        # A model with an invalid value is checked as well.
        with pytest.raises(made.InvalidArgumentError):
            client.things.make_loan(**PLAIN, shelf=made.models.Loan_Shelf(column=3))
    assert origin.asked == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 1),
        ("copies", "1"),
        ("copies", 1.5),
        ("copies", True),
        ("state", 1),
        ("due", 1772442900),
        ("due", "yesterday"),
        ("fee", "much"),
        ("tags", "a"),
        ("notices", [{"kind": "fine"}]),
        ("notices", [{"amount": "1.00"}]),
        ("id", None),
    ],
)
def test_another_shape_is_a_broken_answer(
    made: ModuleType, origin: Origin, field: str, value: Any
) -> None:
    with pytest.raises(made.InvalidResponseError):
        read(made, origin, **{field: value})


def test_a_field_that_must_be_there_is_missed(made: ModuleType, origin: Origin) -> None:
    origin.answer(Answer(body=b'{"id": "loan_1"}'))
    with (
        made.Client(base_url=origin.url) as client,
        pytest.raises(made.InvalidResponseError, match="copies"),
    ):
        client.things.get_loan()


def test_an_absent_field_is_none_and_false(made: ModuleType, origin: Origin) -> None:
    loan = read(made, origin)
    assert (loan.title, loan.fee, loan.tags, loan.shelf) == (None, None, None, None)
    assert not loan.title and f"{loan.title}" == "None"
    assert "MISSING" not in repr(loan)


def test_null_and_absent_are_told_apart_by_the_fields_that_were_set(
    made: ModuleType, origin: Origin
) -> None:
    assert "remark" not in read(made, origin).model_fields_set
    loan = read(made, origin, remark=None)
    assert loan.remark is None and "remark" in loan.model_fields_set


def sent(made: ModuleType, origin: Origin, **members: Any) -> Any:
    origin.answer(Answer(body=json.dumps(PLAIN).encode()))
    with made.Client(base_url=origin.url) as client:
        client.things.make_loan(**{**PLAIN, **members})
    return json.loads(origin.asked[-1].body)


def test_none_leaves_out_what_cannot_be_null(made: ModuleType, origin: Origin) -> None:
    assert sent(made, origin, title=None, fee=None, shelf=None) == PLAIN


def test_none_is_null_where_null_is_a_value(made: ModuleType, origin: Origin) -> None:
    assert sent(made, origin, remark=None) == {**PLAIN, "remark": None}
    assert sent(made, origin, remark=made.OMIT) == PLAIN
    assert sent(made, origin) == PLAIN


def test_a_model_leaves_out_what_it_was_not_given(made: ModuleType) -> None:
    codec = codecs(made)["Loan"]
    loan = made.models.Loan(**PLAIN, remark=None, title=None)
    assert json.loads(codec.dump(loan)) == {**PLAIN, "remark": None}


def test_a_field_that_is_not_declared_can_be_given_to_a_model(made: ModuleType) -> None:
    loan = made.models.Loan(**PLAIN)
    assert loan.model_copy(update={"colour": "red"}).model_dump()["colour"] == "red"
    loan.colour = "blue"
    assert json.loads(codecs(made)["Loan"].dump(loan)) == {**PLAIN, "colour": "blue"}


def test_an_unknown_alternative_keeps_its_json(made: ModuleType, origin: Origin) -> None:
    loan = read(made, origin, notices=[{"kind": "poem", "lines": ["a", "b"]}])
    (notice,) = loan.notices
    assert (type(notice).__name__, notice.kind) == ("UnknownNotice", "poem")
    assert notice.model_dump() == {"kind": "poem", "lines": ["a", "b"]}


def test_what_is_one_s_own_can_be_checked_in_full(made: ModuleType) -> None:
    checker = made.server.Checker(list[made.models.Loan])
    (loan,) = checker.validate_json(json.dumps([PLAIN]))
    assert loan.copies == 1
    for wrong in ({**PLAIN, "copies": 21}, {**PLAIN, "shelf": {"column": 3}}):
        with pytest.raises(ValidationError):
            checker.validate_json(json.dumps([wrong]))


def test_omit_is_false_and_says_its_name(made: ModuleType) -> None:
    assert not made.OMIT and repr(made.OMIT) == "OMIT"
