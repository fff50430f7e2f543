"""The declarations that a team would add to the document of the ticket system."""

from __future__ import annotations

from lab.tickets.declaring import Declarations, errors, final, matching, ordered, pages, sorting

_LIST = ("paths", "/tickets", "get")
_COMMENTS = ("paths", "/tickets/{ticket_id}/comments", "get")
_BY_OFFSET = pages("/items", offset="offset", total="/total", full=True)
_CODES = {
    "unauthorized": (401, None),
    "not_found": (404, None),
    "method_not_allowed": (405, "method_not_allowed"),
    "invalid_json": (400, "invalid_json"),
    "invalid_parameter": (400, None),
    "invalid_body": (400, None),
    "invalid_cursor": (400, "invalid_cursor"),
    "media_type": (415, "unsupported_media_type"),
    "changed": (412, None),
    "unknown_label": (422, None),
    "name_taken": (409, None),
    "slot_taken": (409, None),
}
DECLARATIONS: Declarations = {
    (): errors(
        _CODES,
        schema="#/components/schemas/Problem",
        code="/error/code",
        message="/error/message",
    ),
    _LIST: {**_BY_OFFSET, **ordered("/created_at", "descending")},
    (*_LIST, "parameters", "status"): matching("/status"),
    (*_LIST, "parameters", "priority"): matching("/priority"),
    (*_LIST, "parameters", "q"): matching("/subject", "contains_ignore_case"),
    (*_LIST, "parameters", "sort"): sorting("number", "created_at"),
    ("paths", "/labels", "get"): _BY_OFFSET,
    _COMMENTS: {
        **pages("/items", cursor="cursor", next="/next_cursor", full=True),
        **ordered("/created_at"),
    },
    ("paths", "/exports/{export_id}", "get"): final("/status", "done"),
}
