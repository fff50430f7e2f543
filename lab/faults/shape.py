"""Faults in the shape of answers: status, headers, media type and body."""

from pytest import MonkeyPatch

from lab.faults.seeding import Exchange, in_answers, over_http

ORDER, ESIM = r"GET /orders/.+", r"GET /esims/[^/]+"


def created_answered_200(patch: MonkeyPatch) -> None:
    """An order that was placed is answered with 200. “201, Order”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status == 201:
            exchange.status = 200

    over_http(patch, "POST /orders", answered=answered)


def float_money(patch: MonkeyPatch) -> None:
    """The balance is a JSON number. “JSON string, `^-?(0|[1-9][0-9]{0,8})”"""
    in_answers(
        patch,
        "GET /balance",
        lambda balance: balance.update(balance_usd=float(balance["balance_usd"])),
    )


def local_time(patch: MonkeyPatch) -> None:
    """Orders have the time of the server's zone. “RFC 3339 UTC with `Z`, field suffix `_at`”"""
    in_answers(
        patch,
        ORDER,
        lambda order: order.update(created_at=order["created_at"].replace("Z", "+02:00")),
    )


def null_expiry(patch: MonkeyPatch) -> None:
    """eSIMs that were never used do not end. “expires_at always set”"""

    def change(esim: dict[str, object]) -> None:
        if esim["activated_at"] is None:
            esim["expires_at"] = None

    in_answers(patch, ESIM, change)


def plan_type_in_capitals(patch: MonkeyPatch) -> None:
    """The type of a plan is written by the name of its constant. “plan_type fixed/daily”"""
    in_answers(
        patch, "GET /plans/.+", lambda plan: plan.update(plan_type=plan["plan_type"].upper())
    )


def order_without_iccids(patch: MonkeyPatch) -> None:
    """An order does not say which eSIMs it produced.

    “An order carries an order_id and the iccid of each eSIM it produced”
    """
    in_answers(patch, ORDER, lambda order: order.pop("iccids") and None)


def bare_list(patch: MonkeyPatch) -> None:
    """Webhook endpoints come as an array. “"next_cursor": string or null}` for all six”"""
    in_answers(patch, "GET /webhook-endpoints", lambda page: page["data"])


def flat_error(patch: MonkeyPatch) -> None:
    """Errors have no envelope. “type, code, message, request_id required”"""
    in_answers(patch, ".*", lambda body: body["error"], "4..")


def unlisted_error_code(patch: MonkeyPatch) -> None:
    """A missing resource has an undeclared code. “codes: not shown”"""

    def change(body: dict[str, dict[str, object]]) -> None:
        body["error"]["code"] = "not_found"

    in_answers(patch, ".*", change, "404")


def plain_text(patch: MonkeyPatch) -> None:
    """Plans are served as text. “Requests and responses are JSON (application/json).”"""

    def answered(exchange: Exchange) -> None:
        exchange.headers["content-type"] = "text/plain; charset=utf-8"

    over_http(patch, "GET /plans.*", answered=answered)


def no_request_id(patch: MonkeyPatch) -> None:
    """Errors have no request id in their headers. “`Request-Id` header on every response.”"""

    def answered(exchange: Exchange) -> None:
        if exchange.status >= 400:
            exchange.headers.pop("request-id", None)

    over_http(patch, ".*", answered=answered)
