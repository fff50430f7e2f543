"""The operations, by their ids; TICKET_BUG names the bug that they have."""

from __future__ import annotations

import re
import time
import zlib
from typing import Any

from flask import Response, g, jsonify, request

from lab.tickets.bug import has
from lab.tickets.contract import RefusedError
from lab.tickets.rows import (
    DEFAULTS,
    Row,
    begun,
    cursor,
    etag,
    missing,
    new_row,
    now,
    page,
    position,
    shown,
    stored,
    with_etag,
)

# An export takes its time.
EXPORT_SECONDS = 0.3


def ticket_of(ticket_id: Any) -> Row:
    return g.store.of(g.store.tickets, ticket_id)


def check_label(row: Row) -> None:
    if row.get("label_id") is not None:
        label = g.store.labels.get(row["label_id"].lower())
        if label is None or label["account"] != g.account:
            raise RefusedError(422, "unknown_label", "There is no such label")


def opened(body: Row) -> Row:
    given = stored(body)
    check_label(given)
    mine = g.store.all_of(g.store.tickets)
    row = new_row(number=len(mine) + 1, subject="", **DEFAULTS)
    return row | {"escalated": False} | given | {"created_at": now()}


def check_unchanged(row: Row) -> None:
    sent = request.if_match
    if g.query["If-Match"] is None or has("if-match"):
        return
    if not (sent.star_tag or sent.contains(etag(row).strip('"'))):
        raise RefusedError(412, "changed", "The ticket has changed since")


def list_tickets() -> Response:
    query, descending = g.query, g.query["sort"].startswith("-")
    field = query["sort"].lstrip("-")
    with g.store.lock:
        rows = list(g.store.tickets.values())
    if not has("tenant-list"):
        rows = [row for row in rows if row["account"] == g.account]
    deleted = sum(row["deleted"] for row in rows)
    rows = [row for row in rows if matches(row, query)]
    if has("unstable-sort") and field == "created_at":
        rows.sort(key=lambda row: zlib.crc32(f"{query['offset']}{row['id']}".encode()))
        rows.sort(key=lambda row: row[field], reverse=descending)
    else:
        rows.sort(key=lambda row: (row[field], row["number"]), reverse=descending)
    total = len(rows) + (deleted if has("deleted-counted") else 0)
    return jsonify({"items": page(rows, query["offset"], query["limit"]), "total": total})


def matches(row: Row, query: Row) -> bool:
    """Whether a list with these parameters has a ticket."""
    filters = {name: query[name] for name in ("status", "priority") if query[name] is not None}
    if has("filters-combined") and len(filters) > 1:
        del filters["status"]
    text = query["q"] or ""
    if has("search-500"):
        is_match = bool(re.search(text, row["subject"], re.IGNORECASE))
    else:
        is_match = text.casefold() in row["subject"].casefold()
    wanted = filters | {"deleted": False}
    return is_match and all(row[name] == value for name, value in wanted.items())


def create_ticket() -> Response:
    with g.store.lock:
        row = opened(g.body) | {"deleted": False}
        g.store.tickets[row["id"]] = row
    return begun(with_etag(row), f"/tickets/{row['id']}")


def get_ticket(ticket_id: Any) -> Response:
    row = ticket_of(ticket_id)
    if has("stale-cache"):
        row = g.store.cache.setdefault(row["id"], row)
    return with_etag(row)


def replace_ticket(ticket_id: Any) -> Response:
    given = stored(g.body)
    if has("put-creates") and str(ticket_id) not in g.store.tickets:
        return with_etag(opened(g.body) | {"id": str(ticket_id)})
    with g.store.lock:
        row = ticket_of(ticket_id)
        check_unchanged(row)
        check_label(given)
        row = row | ({} if has("put-merges") else DEFAULTS) | given
        g.store.tickets[row["id"]] = row
        g.store.cache.pop(row["id"], None)
    return with_etag(row)


def change_ticket(ticket_id: Any) -> Response:
    given = stored(g.body)
    if has("patch-null"):
        given = {name: value for name, value in given.items() if value is not None}
    if has("patch-absent"):
        empty = {name: value for name, value in DEFAULTS.items() if value is None}
        given = empty | given
    with g.store.lock:
        row = ticket_of(ticket_id)
        check_unchanged(row)
        check_label(given)
        row = g.store.tickets[row["id"]] = row | given
    return with_etag(row)


def delete_ticket(ticket_id: Any) -> tuple[str, int]:
    with g.store.lock:
        row = ticket_of(ticket_id)
        g.store.tickets[row["id"]] = row | {"deleted": True}
    return "", 204


def create_tickets() -> Response:
    results: list[Row] = []
    by_subject: dict[str, Row] = {}
    with g.store.lock:
        for number, body in enumerate(g.body["tickets"]):
            try:
                row = opened(body) | {"deleted": False}
            except RefusedError as error:
                result = {"outcome": "refused", "id": None, "error": error.message}
            else:
                result = {"outcome": "created", "id": row["id"]}
                if not (has("bulk-lies") and number > 0):
                    g.store.tickets[row["id"]] = row
            results.append(result)
            by_subject[body["subject"]] = result
    return jsonify({"results": list(by_subject.values()) if has("bulk-short") else results})


def parent_of_comments(ticket_id: Any) -> Row:
    ticket = g.store.tickets.get(str(ticket_id))
    if has("nested-permission") and ticket is not None and not ticket["deleted"]:
        return ticket
    return ticket_of(ticket_id)


def list_comments(ticket_id: Any) -> Response:
    ticket, limit = parent_of_comments(ticket_id), g.query["limit"]
    with g.store.lock:
        rows = [row for row in g.store.comments.values() if row["account"] == ticket["account"]]
    if not has("comments-of-all"):
        rows = [row for row in rows if row["ticket_id"] == ticket["id"]]
    start = position(g.query["cursor"], len(rows))
    end = start + limit
    following = cursor(end) if end < len(rows) else None
    return jsonify({"items": page(rows, start, limit), "next_cursor": following})


def create_comment(ticket_id: Any) -> Response:
    with g.store.lock:
        ticket = ticket_of(ticket_id)
        row = new_row(ticket_id=ticket["id"], text=g.body["text"], author=g.account)
        row["created_at"] = now()
        g.store.comments[row["id"]] = row
    return begun(jsonify(shown(row)), f"/tickets/{ticket['id']}/comments/{row['id']}")


def get_comment(ticket_id: Any, comment_id: Any) -> Response:
    ticket = parent_of_comments(ticket_id)
    row = g.store.comments.get(str(comment_id))
    if row is None or row["account"] != ticket["account"]:
        raise missing()
    if row["ticket_id"] != ticket["id"] and not has("wrong-parent-id"):
        raise missing()
    return jsonify(shown(row))


def list_labels() -> Response:
    with g.store.lock:
        rows = g.store.all_of(g.store.labels)
    items = page(rows, g.query["offset"], g.query["limit"])
    return jsonify({"items": items, "total": len(rows)})


def create_label() -> tuple[Response, int]:
    def spelled(name: str) -> str:
        return name if has("unique-case") else name.casefold()

    name, colour = g.body["name"], g.body["colour"]
    with g.store.lock:
        taken = {spelled(label["name"]) for label in g.store.all_of(g.store.labels)}
        if spelled(name) in taken and not has("unique-none"):
            raise RefusedError(409, "name_taken", "There is a label with this name")
        row = new_row(name=name, colour=colour)
        g.store.labels[row["id"]] = row
    return jsonify(shown(row)), 201


def check_slot(row: Row) -> None:
    for other in g.store.all_of(g.store.bookings):
        if all(other[name] == row[name] for name in ("technician", "day", "hour")):
            raise RefusedError(409, "slot_taken", "The technician is booked for this hour")


def create_booking() -> Response:
    row = new_row(**{name: g.body[name] for name in ("technician", "day", "hour")})
    if has("double-booking"):
        check_slot(row)
        # The calendar of the technician takes its time.
        time.sleep(0.05)
        g.store.bookings[row["id"]] = row
    else:
        with g.store.lock:
            check_slot(row)
            g.store.bookings[row["id"]] = row
    return begun(jsonify(shown(row)), f"/bookings/{row['id']}")


def get_booking(booking_id: Any) -> Response:
    return jsonify(shown(g.store.of(g.store.bookings, booking_id)))


def cancel_booking(booking_id: Any) -> tuple[str, int]:
    with g.store.lock:
        del g.store.bookings[g.store.of(g.store.bookings, booking_id)["id"]]
    return "", 204


def create_export() -> Response:
    row = new_row(format=g.body["format"], status="pending", tickets=None)
    row["begun"] = time.monotonic()
    g.store.exports[row["id"]] = row
    return begun(jsonify(told(row)), f"/exports/{row['id']}", 202)


def get_export(export_id: Any) -> Response:
    row = g.store.of(g.store.exports, export_id)
    is_due = time.monotonic() - row["begun"] > EXPORT_SECONDS
    with g.store.lock:
        if is_due and row["status"] == "pending" and not has("job-never-ends"):
            count = sum(not ticket["deleted"] for ticket in g.store.all_of(g.store.tickets))
            row.update(status="done", tickets=count)
    return jsonify(told(row))


def told(export: Row) -> Row:
    return {name: export[name] for name in ("id", "format", "status", "tickets")}


VIEWS = {
    "listTickets": list_tickets,
    "createTicket": create_ticket,
    "getTicket": get_ticket,
    "replaceTicket": replace_ticket,
    "changeTicket": change_ticket,
    "deleteTicket": delete_ticket,
    "createTickets": create_tickets,
    "listComments": list_comments,
    "createComment": create_comment,
    "getComment": get_comment,
    "listLabels": list_labels,
    "createLabel": create_label,
    "createBooking": create_booking,
    "getBooking": get_booking,
    "cancelBooking": cancel_booking,
    "createExport": create_export,
    "getExport": get_export,
}
