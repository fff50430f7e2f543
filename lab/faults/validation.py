"""Faults in the checks of requests: too little is refused, or with the wrong words."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr
from pytest import MonkeyPatch

from lab.faults.seeding import Exchange, in_requests, over_http, substitute, unchecked
from partner_esim import models
from partner_esim._runtime.server.bodies import BodyReader
from partner_esim._runtime.server.endpoint import Endpoint
from partner_esim._runtime.shared import styles
from partner_esim._runtime.shared.operation import Content, Operation


def unknown_fields_accepted(patch: MonkeyPatch) -> None:
    """Misspelt fields are ignored. “No properties other than those below are allowed.”"""
    for model in (models.OrderCreate, models.TopupCreate, models.WebhookEndpointCreate):
        patch.setitem(model.model_config, "extra", "ignore")


def unknown_fields_of_end_user_accepted(patch: MonkeyPatch) -> None:
    """Only the outer object is strict. “label (string, length 1 to 120); no other properties”"""
    patch.setitem(models.EndUserCreate.model_config, "extra", "ignore")


def quantity_without_maximum(patch: MonkeyPatch) -> None:
    """Orders may have any quantity. “1 to 20, default 1”"""
    for model in (models.OrderCreate, models.Order):
        unchecked(patch, model, "quantity", Annotated[StrictInt, Field(ge=1)])


def reference_may_have_spaces(patch: MonkeyPatch) -> None:
    """References are any text. “(0x21 to 0x7E, so no spaces)”"""
    any_text = Annotated[StrictStr, Field(min_length=1, max_length=200)]
    for model in (models.OrderCreate, models.Order):
        unchecked(patch, model, "reference", any_text)


def metadata_values_of_any_length(patch: MonkeyPatch) -> None:
    """Long metadata is cut. “values are strings of max length 500”"""

    def change(body: dict[str, Any]) -> None:
        metadata = body.get("metadata")
        if isinstance(metadata, dict):
            for name, value in metadata.items():
                metadata[name] = value[:500] if isinstance(value, str) else value

    in_requests(patch, "POST /orders", change)


def null_is_absent(patch: MonkeyPatch) -> None:
    """Null means a field that was left out.

    “refused (400), unless the field is nullable in the document”
    """

    def change(body: dict[str, Any]) -> None:
        for name in [name for name, value in body.items() if value is None]:
            del body[name]

    in_requests(patch, "POST .*", change)


def text_is_converted(patch: MonkeyPatch) -> None:
    """The text of a number is a number. “`"10"`, true and 10.5 are refused”"""
    unchecked(patch, models.OrderCreate, "quantity", Annotated[int, Field(ge=1, le=20)])


def limit_is_clamped(patch: MonkeyPatch) -> None:
    """A page of 500 is one of 200. “1 to 200, default 50”"""

    def asked(exchange: Exchange) -> None:
        pairs = [each.split("=", 1) for each in exchange.query.split("&") if "=" in each]
        exchange.query = "&".join(
            f"{name}={min(max(int(value), 1), 200)}"
            if name == "limit" and value.lstrip("-").isdecimal()
            else f"{name}={value}"
            for name, value in pairs
        )

    over_http(patch, "GET .*", asked=asked)


def plans_without_filter(patch: MonkeyPatch) -> None:
    """Without filters all plans are listed.

    “Rule: GET /plans requires country or coverage (at least one).”
    """
    init = Endpoint.__init__

    def without_filter(endpoint: Endpoint, operation: Operation[Any], *others: Any) -> None:
        init(endpoint, replace(operation, one_of=()), *others)

    patch.setattr(Endpoint, "__init__", without_filter)


def first_of_repeated_parameters(patch: MonkeyPatch) -> None:
    """Of a parameter that is repeated the first counts.

    “a parameter given twice is 400 invalid_value”
    """
    value = styles.value
    substitute(patch, value, lambda parameter, sent: value(parameter, sent[:1]))


def http_address_accepted(patch: MonkeyPatch) -> None:
    """Webhooks go to addresses without TLS. “must be an HTTPS address”"""

    def change(body: dict[str, Any]) -> None:
        if str(body.get("url")).startswith("http://"):
            body["url"] = body["url"].replace("http://", "https://", 1)

    in_requests(patch, "POST /webhook-endpoints", change)


def any_media_type_accepted(patch: MonkeyPatch) -> None:
    """A body of any media type is read as JSON.

    “body_too_large (over 64 KiB), unsupported_media_type”
    """
    content = BodyReader._content

    def of_json(reader: BodyReader, sent: str, fields: Mapping[bytes, bytes]) -> Content:
        _, separator, parameters = sent.partition(";")
        return content(reader, f"application/json{separator}{parameters}", fields)

    patch.setattr(BodyReader, "_content", of_json)


def invalid_is_422(patch: MonkeyPatch) -> None:
    """A request that does not fit is unprocessable. “every validation failure (never 422)”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 400:
            exchange.status = 422

    over_http(patch, "POST .*", answered=answered)
