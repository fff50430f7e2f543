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
        "Declare the status in `responses` of the operation, or answer one that is declared. A "
        "`default` or a range such as `4XX` covers what a framework answers by itself.",
    ),
    Behaviour.UNREADABLE_REFUSAL: Remedy(
        "POST /items with the bytes ff fe -> 400, and the operation declares 201 and 422",
        "Declare the status by which the framework refuses what it cannot read, often 400 or 415, "
        "or switch the rule off if clients never see it.",
    ),
    Behaviour.REDIRECT: Remedy(
        "GET /items -> 307 to /items/",
        "Write the path in the document as the server has it, with its slash, or let the server "
        "answer both spellings. Clients lose the body or the credentials on a redirect.",
    ),
    Behaviour.UNDECLARED_MEDIA_TYPE: Remedy(
        "GET /items/7 -> 404 with Content-Type: text/html, and the response has application/json",
        "Send the declared media type, for errors of the framework, too, or add this one to "
        "`content` of the response.",
    ),
    Behaviour.RESPONSE_SCHEMA: Remedy(
        'GET /items/7 -> 200 {"id": 7, "price": "1.50"}, and `price` is a number',
        "Correct the code that writes the member, or the schema if clients rely on what is sent. "
        "A member that may be missing leaves `required`; one that may be null has it in `type`.",
    ),
    Behaviour.RESPONSE_HEADER: Remedy(
        "POST /items -> 201 without Location, which the response declares as required",
        "Send the header with each answer of that status, or declare it without `required`.",
    ),
    Behaviour.ERROR_CODE: Remedy(
        'GET /items/7 -> 404 {"detail": "Not Found"}, and errors have the member `code`',
        "Give errors of the framework (no route, no such method, a body that cannot be read) the "
        "shared body, too, with a code that the document lists for the status.",
    ),
    Behaviour.RESPONSE_TIME: Remedy(
        "GET /items?limit=100 -> 200 after 2.4 s, with --max-response-time 1",
        "Look at the slowest answers in the traffic of the report. An index, a smaller page or "
        "work that is done after the answer are the usual ways.",
    ),
    Behaviour.REQUEST_ID: Remedy(
        "two answers with the same Request-Id, or one without it",
        "Make an id for each request in the outermost layer, so that errors have one as well.",
    ),
    Behaviour.INVALID_ACCEPTED: Remedy(
        'POST /items {"price": -1} -> 201, and `price` has "minimum": 0',
        "Check the request against its schema before anything is done, or take the limit out of "
        "the document if the value is fine.",
    ),
    Behaviour.COERCION: Remedy(
        'POST /items {"price": "17"} -> 201, and `price` is a number',
        "Switch conversion off (`strict` in Pydantic), or leave it: the rule is a note unless "
        "`lint.toml` says otherwise.",
    ),
    Behaviour.MEDIA_TYPE_ACCEPTED: Remedy(
        "POST /items with Content-Type: application/x-unknown -> 201",
        "Look at the Content-Type before the body is read, and refuse others with 415.",
    ),
    Behaviour.VALID_REFUSED: Remedy(
        'POST /items {"price": 0} -> 422, and `price` has "minimum": 0',
        "Accept the value, or write into the schema why it is refused: a limit, a pattern, an "
        "enumeration, a member that is required.",
    ),
    Behaviour.REQUIRES_ONE_OF: Remedy(
        "GET /invoices without `id` and without `reference` -> 200",
        "Refuse a request without any of the parameters with the code that the document names.",
    ),
    Behaviour.CREDENTIALS_IGNORED: Remedy(
        "GET /invoices without a key -> 200",
        "Check the credentials before the route is run, with 401 for none and for wrong ones, or "
        "declare `security: []` if anybody may call the operation.",
    ),
    Behaviour.PERMISSION: Remedy(
        "GET /invoices with the key of a suspended partner -> 200",
        "Look at what a key may do after it is known, and answer 403.",
    ),
    Behaviour.ISOLATION: Remedy(
        "GET /invoices/7 of one partner, with the key of another -> 200",
        "Search by owner and id together, in reading, writing and listing, and answer 404 as for "
        "an id that was never given.",
    ),
    Behaviour.ISOLATION_AGREES: Remedy(
        "with the key of another partner, PATCH /invoices/7 -> 404 and GET /invoices/7 -> 200",
        "Search by owner and id together in reading, too; answer 403 where something is public "
        "and not everybody may change it.",
    ),
    Behaviour.ISOLATION_OPEN: Remedy(
        "one partner makes an invoice, and another one reads, lists and changes it",
        "Search by owner and id together, unless it is for everybody, such as a catalogue.",
    ),
    Behaviour.LOCATION: Remedy(
        "POST /items -> 201 with the id 7 and Location: /items/8",
        "Make the URL by the route and the id of what was stored.",
    ),
    Behaviour.CREATED_IS_FOUND: Remedy(
        "POST /items -> 201 with the id 7, then GET /items/7 -> 404",
        "Store before the answer is sent, and read where was written: a replica or a cache may be "
        "behind. An id that was never given is answered 404.",
    ),
    Behaviour.WRITTEN_IS_READ: Remedy(
        'PATCH /items/7 {"title": "first text"} -> 200, then GET /items/7 -> the title that it had',
        "Store the member, or refuse it. One that only answers have is `readOnly`.",
    ),
    Behaviour.CHANGE_KEEPS: Remedy(
        'PATCH /items/7 {"title": "ab"} -> 200, then GET /items/7 -> a description that is empty',
        "Change what the request has (`exclude_unset` in Pydantic, `partial=True` in Django REST "
        "framework), and none of the defaults.",
    ),
    Behaviour.PARENT: Remedy(
        "POST /shops -> 201 with the id 2, then GET /shops/2/items/7 -> 200, which is of shop 1",
        "Search by the ids of both, and answer 404 where they do not belong together.",
    ),
    Behaviour.DELETED_IS_GONE: Remedy(
        "DELETE /items/7 -> 204, then GET /items/7 -> 200",
        "Leave what is deleted out of each query, and clear what caches have of it.",
    ),
    Behaviour.SHOWN_ONCE: Remedy(
        "POST /keys -> 201 with a secret, then GET /keys/7 with the same secret",
        "Answer with the secret when it is made and never again; store its digest only.",
    ),
    Behaviour.CONSERVATION: Remedy(
        "an invoice of 500 cents moves the balance by 499",
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
    Behaviour.RESET: Remedy(
        "POST /reset -> 204, and the invoices of before are still listed",
        "Take everything away that the declaration names, in one transaction.",
    ),
    Behaviour.IDEMPOTENCY_REPLAY: Remedy(
        "the same request under the same key -> 201 with another id",
        "Store the answer under the key in the transaction that does the work, and send these "
        "bytes again, with the header that marks a replay.",
    ),
    Behaviour.IDEMPOTENCY_CHANGED: Remedy(
        "another payload under a key that was used -> 201",
        "Store a digest of the payload with the key, compare it, and refuse with the declared "
        "code.",
    ),
    Behaviour.IDEMPOTENCY_CONCURRENT: Remedy(
        "two requests at once under one key -> 201 and 201, with two ids",
        "Take the key by a unique constraint before the work begins; the second request waits or "
        "is refused with the declared code.",
    ),
    Behaviour.IDEMPOTENCY_FAILURE: Remedy(
        "a request is refused with 422; mended, under the same key -> 409",
        "Give the key back when the request fails: roll it back with the work.",
    ),
    Behaviour.IDEMPOTENCY_SCOPE: Remedy(
        "another partner uses the same key and gets the answer of the first one",
        "Make the owner a part of the unique constraint of keys.",
    ),
    Behaviour.LIST_AGREES: Remedy(
        "GET /items has the price 1 for an item, GET /items/7 has 2",
        "Make both representations by one function, from the same row.",
    ),
    Behaviour.ORDER: Remedy(
        "GET /invoices shows the oldest first, and the newest first is declared",
        "Sort in the query, with the id as the last key, so that equal values keep their places.",
    ),
    Behaviour.PAGINATION: Remedy(
        "an item is added between two pages: one is shown twice, or another one is left out",
        "Make the cursor of the last item that was shown, and ask for what comes after it; an "
        "offset moves when something is added.",
    ),
    Behaviour.PAGE_SIZE: Remedy(
        "GET /items?limit=2 -> 20 items, or ?limit=101 -> 200 and 100 is the maximum",
        "Pass the limit on to the query, and refuse one beyond the declared bounds.",
    ),
    Behaviour.CURSOR: Remedy(
        "GET /items?cursor=nonsense -> 200",
        "Sign cursors, or check that one reads as it was written, and refuse all others.",
    ),
    Behaviour.FILTER: Remedy(
        "GET /items?status=sold -> drafts, or not all that are sold",
        "Apply the parameter in the query before the page is cut out, and refuse unknown values.",
    ),
    Behaviour.CAPACITY: Remedy(
        "a third endpoint is made, and two are the declared capacity",
        "Count and insert in one transaction under a lock; count what was removed no more.",
    ),
    Behaviour.RATE_LIMIT: Remedy(
        "61 requests of one minute are served, and 60 are allowed",
        "Count in one place for all processes, before the request is handled.",
    ),
    Behaviour.RATE_LIMIT_SCOPE: Remedy(
        "requests of one key use up the limit of another",
        "Count by what the limit is declared for, such as the key or the class of operations.",
    ),
    Behaviour.RATE_LIMIT_HEADERS: Remedy(
        "429 without Retry-After, or a number of remaining requests that does not fall",
        "Write the headers from the counter that decides, with each answer.",
    ),
    Behaviour.EVENT_MISSING: Remedy(
        "an invoice is paid, and no delivery of invoice.paid comes",
        "Write the event in the transaction of the change (an outbox), and send it from there.",
    ),
    Behaviour.EVENT_SCHEMA: Remedy(
        "a delivery lacks a member that the schema of its webhook requires",
        "Make the body of the same model as the document, or correct the schema.",
    ),
    Behaviour.EVENT_HEADERS: Remedy(
        "the header has the type invoice.paid, and the body invoice.refunded",
        "Take the values of the headers from the event that is sent.",
    ),
    Behaviour.SIGNATURE: Remedy(
        "the digest is made of the parsed body, or the timestamp is an hour old",
        "Sign the bytes that are sent, when they are sent, as the document declares it.",
    ),
    Behaviour.DELIVERY_RETRY: Remedy(
        "an endpoint answers 500, and the event does not come again",
        "Keep the event until it is acknowledged, and try again at the declared times, with the "
        "same id and bytes.",
    ),
    Behaviour.DELIVERY_ACKNOWLEDGED: Remedy(
        "an endpoint answers 204, and the same event comes again",
        "Note each acknowledgement before the next attempt is planned.",
    ),
    Behaviour.DELIVERY_REDIRECT: Remedy(
        "an endpoint answers 302, and the delivery goes to the new place",
        "Switch redirects off in the HTTP client, and count one as a failed attempt.",
    ),
    Behaviour.EVENT_UNSUBSCRIBED: Remedy(
        "an endpoint for invoice.paid gets invoice.refunded",
        "Select the endpoints by the type of the event when deliveries are made.",
    ),
    Behaviour.DELIVERY_DELETED: Remedy(
        "DELETE /endpoints/7 -> 204, and a delivery comes to it",
        "Look whether the endpoint is still there before each attempt.",
    ),
    Behaviour.SERVER_ERROR: Remedy(
        "POST /items with a name of one emoji -> 500",
        "Look for the traceback in the log of the server at the time of the request. What a "
        "client can send must be refused with 4xx or work.",
    ),
    Behaviour.NO_ANSWER: Remedy(
        "GET /report -> the connection is closed without an answer",
        "Look whether the process died, was restarted or waits for something without a limit; set "
        "a timeout on what it asks for itself.",
    ),
    Behaviour.METHOD_NOT_ALLOWED: Remedy(
        "PUT /items -> 200, and the document has only GET and POST",
        "Answer 405, or add the operation to the document if it is meant to be there.",
    ),
    Behaviour.UNKNOWN_ROUTE: Remedy(
        "GET /nothing -> 404 with a page of HTML",
        "Answer paths that are not there as all other errors: frameworks have a handler for it.",
    ),
    Behaviour.ALLOW_HEADER: Remedy(
        "PUT /items -> 405 with Allow: GET where there is also POST",
        "Name all methods of the path in `Allow`. Some frameworks cannot, so it is a note unless "
        "`lint.toml` says otherwise.",
    ),
}
