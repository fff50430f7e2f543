"""For each rule, an example of behaviour that breaks it, and advice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from specwright.conformance.behaviours import Behaviour


class Remedy(NamedTuple):
    """An example of a violation, as people see it, and advice on how to fix it."""

    example: str
    advice: str


REMEDIES: Mapping[Behaviour, Remedy] = {
    Behaviour.UNDOCUMENTED_OPERATION: Remedy(
        "GET /internal/users -> 200, and the document has no such path",
        "Declare the operation if clients are to use it. If they are not, close it to them, or "
        "record the traffic without it.",
    ),
    Behaviour.UNDECLARED_STATUS: Remedy(
        "GET /items/7 -> 418, and the operation declares 200 and 404",
        "Declare the status in `responses` of the operation, or return one that is declared. A "
        "`default` or a range such as `4XX` covers the responses of the framework itself.",
    ),
    Behaviour.UNREADABLE_REFUSAL: Remedy(
        "POST /items with the bytes ff fe -> 400, and the operation declares 201 and 422",
        "Declare the status with which the framework rejects unreadable bodies, often 400 or 415, "
        "or turn the rule off if clients never see it.",
    ),
    Behaviour.UNDECLARED_REFUSAL: Remedy(
        "GET /items/7 -> 404, and the operation declares 200 and 422",
        "Declare the status with its body in `responses` of the operation: clients meet a 404 or "
        "a 401 more often than any other error.",
    ),
    Behaviour.REDIRECT: Remedy(
        "GET /items -> 307 to /items/",
        "Write the path in the document as the server has it, with its slash, or let the server "
        "accept both forms. Clients lose the body or the credentials on a redirect.",
    ),
    Behaviour.UNDECLARED_MEDIA_TYPE: Remedy(
        "GET /items/7 -> 404 with Content-Type: text/html, and the response has application/json",
        "Send the declared media type, also for errors of the framework, or add this one to "
        "`content` of the response.",
    ),
    Behaviour.RESPONSE_SCHEMA: Remedy(
        'GET /items/7 -> 200 {"id": 7, "price": "1.50"}, and `price` is a number',
        "Fix the code that writes the member, or the schema if clients rely on the current value. "
        "Remove an optional member from `required`; add null to `type` of a nullable one.",
    ),
    Behaviour.WRITE_ONLY: Remedy(
        'GET /users/7 -> 200 {"id": 7, "password": "…"}, and `password` is writeOnly',
        "Leave the member out of responses, or remove `writeOnly` if clients may read it.",
    ),
    Behaviour.RESPONSE_HEADER: Remedy(
        "POST /items -> 201 without Location, which the response declares as required",
        "Send the header with each response of that status, or declare it without `required`.",
    ),
    Behaviour.ERROR_CODE: Remedy(
        'GET /items/7 -> 404 {"detail": "Not Found"}, and errors have the member `code`',
        "Give errors of the framework (no route, no such method, a body that cannot be read) the "
        "shared body as well, with a code that the document lists for the status.",
    ),
    Behaviour.RESPONSE_TIME: Remedy(
        "GET /items?limit=100 -> 200 after 2.4 s, with --max-response-time 1",
        "Look at the slowest responses in the traffic of the report. The usual fixes are an index, "
        "a smaller page, or work that is done after the response.",
    ),
    Behaviour.REQUEST_ID: Remedy(
        "two responses with the same Request-Id, or one without it",
        "Generate an id for each request in the outermost layer, so that errors have one as well.",
    ),
    Behaviour.PRECEDENCE: Remedy(
        "POST /items without a key, with a body that is not JSON -> 400",
        "Check the credentials in a middleware that runs before routing and parsing.",
    ),
    Behaviour.INVALID_ACCEPTED: Remedy(
        'POST /items {"price": -1} -> 201, and `price` has "minimum": 0',
        "Validate the request against its schema before anything else, or remove the limit from "
        "the document if the value is fine.",
    ),
    Behaviour.COERCION: Remedy(
        'POST /items {"price": "17"} -> 201, and `price` is a number',
        "Turn coercion off (`strict` in Pydantic), or leave it: the rule is a note unless "
        "`lint.toml` says otherwise.",
    ),
    Behaviour.MEDIA_TYPE_ACCEPTED: Remedy(
        "POST /items with Content-Type: application/x-unknown -> 201",
        "Check the Content-Type before the body is parsed, and refuse others with 415.",
    ),
    Behaviour.VALID_REFUSED: Remedy(
        'POST /items {"price": 0} -> 422, and `price` has "minimum": 0',
        "Accept the value, or declare the reason for the refusal in the schema: a limit, a "
        "pattern, an enumeration, a required member.",
    ),
    Behaviour.REQUIRES_ONE_OF: Remedy(
        "GET /invoices without `id` and without `reference` -> 200",
        "Refuse a request without any of the parameters with the code that the document names.",
    ),
    Behaviour.CREDENTIALS_IGNORED: Remedy(
        "GET /invoices without a key -> 200",
        "Check the credentials before the handler runs, with 401 for missing and for wrong ones, "
        "or declare `security: []` if the operation is public.",
    ),
    Behaviour.PERMISSION: Remedy(
        "GET /invoices with the key of a suspended partner, or without the scope that it requires "
        "-> 200",
        "Check the permissions of a key after it is authenticated, and return 403.",
    ),
    Behaviour.ISOLATION: Remedy(
        "GET /invoices/7 of one partner, with the key of another -> 200",
        "Query by owner and id together when reading, writing and listing, and return 404 as for "
        "an id that never existed.",
    ),
    Behaviour.ISOLATION_AGREES: Remedy(
        "with the key of another partner, PATCH /invoices/7 -> 404 and GET /invoices/7 -> 200",
        "Query by owner and id together also when reading; return 403 for a resource that is "
        "public but that only some may change.",
    ),
    Behaviour.ISOLATION_OPEN: Remedy(
        "one partner creates an invoice, and another one reads, lists and changes it",
        "Query by owner and id together, unless the resource is public, such as a catalogue.",
    ),
    Behaviour.LOCATION: Remedy(
        "POST /items -> 201 with the id 7 and Location: /items/8",
        "Build the URL from the route and the id of the stored resource.",
    ),
    Behaviour.CREATED_IS_FOUND: Remedy(
        "POST /items -> 201 with the id 7, then GET /items/7 -> 404",
        "Store the resource before the response is sent, and read from where it was written: a "
        "replica or a cache may be behind. Only an id that never existed gets 404.",
    ),
    Behaviour.WRITTEN_IS_READ: Remedy(
        'PATCH /items/7 {"title": "first text"} -> 200, then GET /items/7 -> the old title',
        "Store the member, or refuse it. Declare one that only responses have as `readOnly`.",
    ),
    Behaviour.CHANGE_KEEPS: Remedy(
        'PATCH /items/7 {"title": "ab"} -> 200, then GET /items/7 -> an empty description',
        "Change only the members in the request (`exclude_unset` in Pydantic, `partial=True` in "
        "Django REST framework), and do not apply defaults.",
    ),
    Behaviour.PARENT: Remedy(
        "POST /shops -> 201 with the id 2, then GET /shops/2/items/7 -> 200, which is of shop 1",
        "Query by both ids, and return 404 if they do not belong together.",
    ),
    Behaviour.DELETED_IS_GONE: Remedy(
        "DELETE /items/7 -> 204, then GET /items/7 -> 200",
        "Exclude deleted resources from every query, and remove them from caches.",
    ),
    Behaviour.SHOWN_ONCE: Remedy(
        "POST /keys -> 201 with a secret, then GET /keys/7 with the same secret",
        "Return the secret when it is created and never again; store only its digest.",
    ),
    Behaviour.CONSERVATION: Remedy(
        "an invoice of 500 cents changes the balance by 499",
        "Write the invoice and its ledger entry in one transaction, in whole minor units.",
    ),
    Behaviour.CONSISTENCY: Remedy(
        "an order of 3 at 2.00 has the total 2.00; a paid order has null in `paid_at`",
        "Compute the value where it is stored, and set it in the same transaction as the state.",
    ),
    Behaviour.MOMENT: Remedy(
        "an item has changed, and its `updated_at` has not",
        "Take the time when the change is committed, in UTC, and write it with the change.",
    ),
    Behaviour.TRANSITION: Remedy(
        "a shipped order is cancelled, and answered with 200",
        "Check the state in the transaction that changes it, such as `UPDATE … WHERE status = …`, "
        "and refuse the request if no row was changed.",
    ),
    Behaviour.RESET: Remedy(
        "POST /reset -> 204, and the earlier invoices are still listed",
        "Delete everything that the declaration names, in one transaction.",
    ),
    Behaviour.IDEMPOTENCY_REPLAY: Remedy(
        "the same request with the same key -> 201 with another id",
        "Store the response with the key in the transaction that does the work, and send the same "
        "bytes again, with the header that marks a replay.",
    ),
    Behaviour.IDEMPOTENCY_CHANGED: Remedy(
        "another payload with a used key -> 201",
        "Store a digest of the payload with the key, compare it, and refuse with the declared "
        "code.",
    ),
    Behaviour.IDEMPOTENCY_CONCURRENT: Remedy(
        "two concurrent requests with one key -> 201 and 201, with two ids",
        "Claim the key by a unique constraint before the work begins; the second request waits or "
        "is refused with the declared code.",
    ),
    Behaviour.IDEMPOTENCY_FAILURE: Remedy(
        "a request is refused with 422; corrected, with the same key -> 409",
        "Release the key when the request fails: roll it back with the work.",
    ),
    Behaviour.IDEMPOTENCY_SCOPE: Remedy(
        "another partner uses the same key and gets the response of the first one",
        "Make the owner part of the unique constraint on keys.",
    ),
    Behaviour.LIST_AGREES: Remedy(
        "GET /items has the price 1 for an item, GET /items/7 has 2",
        "Build both representations with one function, from the same row.",
    ),
    Behaviour.ORDER: Remedy(
        "GET /invoices shows the oldest first, and the newest first is declared",
        "Sort in the query, with the id as the last key, so that equal values keep their order.",
    ),
    Behaviour.PAGINATION: Remedy(
        "an item is added between two pages: one is shown twice, or another one is left out",
        "Build the cursor from the last item of the page, and query the items after it; an offset "
        "shifts when an item is added.",
    ),
    Behaviour.PAGE_SIZE: Remedy(
        "GET /items?limit=2 -> 20 items, or ?limit=101 -> 200 and 100 is the maximum",
        "Pass the limit on to the query, and refuse one beyond the declared bounds.",
    ),
    Behaviour.CURSOR: Remedy(
        "GET /items?cursor=nonsense -> 200",
        "Sign cursors, or check that they parse to an issued value, and refuse all others.",
    ),
    Behaviour.FILTER: Remedy(
        "GET /items?status=sold -> drafts, or not all sold items",
        "Apply the parameter in the query before the page limit, and refuse unknown values.",
    ),
    Behaviour.CAPACITY: Remedy(
        "a third endpoint is created, and the declared capacity is two",
        "Count and insert in one transaction under a lock; do not count deleted resources.",
    ),
    Behaviour.RATE_LIMIT: Remedy(
        "61 requests are served in one minute, and 60 are allowed",
        "Count in one place for all processes, before the request is handled.",
    ),
    Behaviour.RATE_LIMIT_SCOPE: Remedy(
        "requests of one key use up the limit of another",
        "Count by the scope that the limit is declared for, such as the key.",
    ),
    Behaviour.RATE_LIMIT_HEADERS: Remedy(
        "429 without Retry-After, or a number of remaining requests that does not fall",
        "Write the headers from the counter that decides, with each response.",
    ),
    Behaviour.EVENT_MISSING: Remedy(
        "an invoice is paid, and no delivery of invoice.paid arrives",
        "Write the event in the transaction of the change (an outbox), and send it from there.",
    ),
    Behaviour.EVENT_SCHEMA: Remedy(
        "a delivery lacks a member that the schema of its webhook requires",
        "Build the body from the model in the document, or correct the schema.",
    ),
    Behaviour.EVENT_CONTENT: Remedy(
        "invoice.paid is sent for an invoice whose status is 'void'",
        "Write the event where the state changes, with the resource as it is afterwards.",
    ),
    Behaviour.EVENT_HEADERS: Remedy(
        "the header has the type invoice.paid, and the body invoice.refunded",
        "Take the values of the headers from the event that is sent.",
    ),
    Behaviour.SIGNATURE: Remedy(
        "the digest is computed from the parsed body, or the timestamp is an hour old",
        "Sign the exact bytes at the time they are sent, as the document declares.",
    ),
    Behaviour.DELIVERY_RETRY: Remedy(
        "an endpoint returns 500, and the delivery is not retried",
        "Keep the event until it is acknowledged, and retry at the declared times, with the same "
        "id and bytes.",
    ),
    Behaviour.DELIVERY_ACKNOWLEDGED: Remedy(
        "an endpoint returns 204, and the same event is sent again",
        "Record each acknowledgement before the next attempt is scheduled.",
    ),
    Behaviour.DELIVERY_REDIRECT: Remedy(
        "an endpoint returns 302, and the delivery goes to the new URL",
        "Turn redirects off in the HTTP client, and count one as a failed attempt.",
    ),
    Behaviour.EVENT_UNSUBSCRIBED: Remedy(
        "an endpoint for invoice.paid gets invoice.refunded",
        "Select the endpoints by the type of the event when deliveries are created.",
    ),
    Behaviour.DELIVERY_DELETED: Remedy(
        "DELETE /endpoints/7 -> 204, and a delivery is sent to it",
        "Check before each attempt that the endpoint still exists.",
    ),
    Behaviour.SERVER_ERROR: Remedy(
        "POST /items with a single emoji as the name -> 500",
        "Look for the traceback in the log of the server at the time of the request. Any request "
        "must either succeed or be refused with 4xx.",
    ),
    Behaviour.NO_ANSWER: Remedy(
        "GET /report -> the connection is closed without a response",
        "Check whether the process crashed, was restarted or waits without a limit; set timeouts "
        "on its own requests.",
    ),
    Behaviour.METHOD_NOT_ALLOWED: Remedy(
        "PUT /items -> 200, and the document has only GET and POST",
        "Return 405, or add the operation to the document if it is intended.",
    ),
    Behaviour.UNKNOWN_ROUTE: Remedy(
        "GET /nothing -> 404 with a page of HTML",
        "Return the shared error for unknown paths, too: frameworks have a handler for it.",
    ),
    Behaviour.ALLOW_HEADER: Remedy(
        "PUT /items -> 405 with Allow: GET where there is also POST",
        "Name all methods of the path in `Allow`. Some frameworks cannot, so it is a note unless "
        "`lint.toml` says otherwise.",
    ),
}
