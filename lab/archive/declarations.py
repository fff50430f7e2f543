"""The declarations that a team would add to the document of the archive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.tickets.declaring import Declarations, final, matching, ordered, pages, sorting

_COLLECTION = "/collections/{collection_id}"
_FILE = f"{_COLLECTION}/files/{{file_id}}"
_COLLECTIONS = ("paths", "/collections", "get")
_FILES = ("paths", f"{_COLLECTION}/files", "get")
_CANCEL = ("paths", "/jobs/{job_id}/cancel", "post")
# A requirement of a role (OpenAPI 3.1.1, 4.8.30).
_EDITORS: Mapping[str, Any] = {"security": [{"token": ["editor"]}]}
_WRITES = (
    ("/collections", "post"),
    (_COLLECTION, "put"),
    (_COLLECTION, "delete"),
    (f"{_COLLECTION}/files", "post"),
    (_FILE, "patch"),
    (_FILE, "delete"),
    (f"{_FILE}/move", "post"),
    (f"{_FILE}/content", "put"),
    ("/jobs", "post"),
    ("/jobs/{job_id}/cancel", "post"),
)
DECLARATIONS: Declarations = {
    **{("paths", path, method): _EDITORS for path, method in _WRITES},
    _COLLECTIONS: pages(
        "/items",
        limit="per_page",
        page="page",
        first_page=1,
        total="/total",
        pages="/pages",
        full=True,
    ),
    (*_COLLECTIONS, "parameters", "sort"): sorting("name", "created_at"),
    _FILES: {
        **pages("/items", cursor="cursor", next="/next_cursor", full=True),
        **ordered("/number"),
    },
    (*_FILES, "parameters", "tag"): matching("/tags"),
    ("paths", "/jobs/{job_id}", "get"): final("/state", "done", "cancelled"),
    _CANCEL: {
        **_EDITORS,
        "x-contract-transition": {
            "read": "JobsJobIdGetJob",
            "at": "/state",
            "moves": {"running": "cancelled"},
        },
    },
    **{
        ("components", "schemas", schema, "properties", f"{event}_at"): {
            "x-contract-moment": {"updated": "modified"}.get(event, event)
        }
        for schema in ("Collection", "FileInfo")
        for event in ("created", "updated")
    },
}
