"""An archive as a team would write it with Litestar; ARCHIVE_BUG names the bug that it has."""

from __future__ import annotations

import base64
import csv
import io
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from litestar import Litestar, MediaType, Request, Response, delete, get, patch, post, put
from litestar.datastructures import ResponseHeader
from litestar.exceptions import (
    HTTPException,
    NotAuthorizedException,
    NotFoundException,
    PermissionDeniedException,
    ValidationException,
)
from litestar.middleware import DefineMiddleware
from litestar.openapi import OpenAPIConfig, ResponseSpec
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import FromPath, JSONBody, MultipartBody, QueryParameter

from lab.archive.bug import has
from lab.archive.errors import (
    ChangedException,
    ConflictException,
    MediaTypeException,
    UnconditionalException,
)
from lab.archive.models import (
    Collection,
    Collections,
    FileChange,
    FileInfo,
    Files,
    IfMatch,
    IfNoneMatch,
    Job,
    NewCollection,
    NewContent,
    NewFile,
    NewJob,
    Page,
    PerPage,
    Target,
    Usage,
)
from lab.archive.requests import Authentication, Caller, check_body, editors
from lab.archive.store import (
    CollectionRow,
    FileRow,
    JobRow,
    Store,
    checksum,
    database,
    now,
)

Sent = Request[Caller, str, Any]
store = Store()


def header(name: str, description: str) -> ResponseHeader:
    """Return the documentation of a response header."""
    return ResponseHeader(
        name, documentation_only=True, value="", description=description, required=True
    )


ETAG = header("ETag", "Changes with the resource.")
LOCATION = header("Location", "The URL of what was made.")
# What each operation may respond with.
READS: list[type[HTTPException]] = [NotAuthorizedException]
FINDS = [*READS, NotFoundException]
WRITES = [*FINDS, PermissionDeniedException]
SENDS = [*WRITES, ValidationException, MediaTypeException]
OCTETS = "application/octet-stream"


def shown(row: CollectionRow, **headers: str) -> Response[Any]:
    """Return the response that shows a collection."""
    return Response(row.shown, headers={"ETag": row.etag, **headers})


@post(
    "/collections",
    guards=[editors],
    raises=[*SENDS, ConflictException],
    response_headers=[ETAG, LOCATION],
)
async def create_collection(request: Sent, data: JSONBody[NewCollection]) -> Response[Collection]:
    """Make a collection."""
    org = request.user.org
    if store.is_taken(org, data.name):
        raise ConflictException("There is a collection with this name")
    row = store.add_collection(org, data)
    return shown(row, Location=f"/collections/{row.shown.id}")


@get("/collections", raises=[*READS, ValidationException])
async def list_collections(
    request: Sent,
    page: Page = 1,
    per_page: PerPage = 20,
    sort: Annotated[
        Literal["name", "-name", "created_at", "-created_at"],
        QueryParameter(description="The order; a minus sign reverses it."),
    ] = "created_at",
) -> Collections:
    """List the collections of the organisation."""
    rows = [row.shown for row in store.collections.values() if row.org == request.user.org]
    descending = sort.startswith("-") and not has("descending-ignored")
    rows.sort(key=lambda row: getattr(row, sort.lstrip("-")), reverse=descending)
    start = (max(page, 1) - 1) * per_page
    rounded = 0 if has("pages-floor") else per_page - 1
    items = rows[start : start + per_page]
    return Collections(items, len(rows), (len(rows) + rounded) // per_page)


@get(
    "/collections/{collection_id:uuid}",
    raises=FINDS,
    response_headers=[ETAG],
    responses={304: ResponseSpec(None, description="The ETag is that of If-None-Match.")},
)
async def get_collection(
    request: Sent, collection_id: FromPath[UUID], if_none_match: IfNoneMatch = None
) -> Response[Collection]:
    """Read a collection."""
    row = store.collection(request.user.org, collection_id)
    if not has("never-304") and matches(if_none_match, row.etag):
        return Response(None, status_code=304, headers={"ETag": row.etag})
    response = shown(row)
    if has("json-as-text"):
        return Response(
            msgspec.json.encode(row.shown), media_type="text/plain", headers=response.headers
        )
    return response


@put(
    "/collections/{collection_id:uuid}",
    guards=[editors],
    response_headers=[ETAG],
    raises=[*SENDS, ConflictException, ChangedException, UnconditionalException],
)
async def replace_collection(
    request: Sent,
    collection_id: FromPath[UUID],
    data: JSONBody[NewCollection],
    if_match: IfMatch = None,
) -> Response[Collection]:
    """Replace a collection, if it has not changed since it was read."""
    org = request.user.org
    row = store.collection(org, collection_id)
    if if_match is None and not has("precondition-optional"):
        raise UnconditionalException("If-Match is required")
    if if_match is not None and not matches(if_match, row.etag):
        raise ChangedException("The collection has changed")
    if store.is_taken(org, data.name, other_than=collection_id):
        raise ConflictException("There is a collection with this name")
    at = row.shown.updated_at if has("updated-at-frozen") else now()
    row.shown = msgspec.structs.replace(row.shown, **msgspec.structs.asdict(data), updated_at=at)
    if has("wrapped-replacement"):
        return Response({"collection": row.shown}, headers={"ETag": row.etag})
    return shown(row)


@delete("/collections/{collection_id:uuid}", guards=[editors], raises=[*WRITES, ConflictException])
async def delete_collection(request: Sent, collection_id: FromPath[UUID]) -> None:
    """Delete a collection without files."""
    store.collection(request.user.org, collection_id)
    if store.files_in(collection_id) and not has("full-collection-deleted"):
        raise ConflictException("The collection has files")
    del store.collections[collection_id]


@post(
    "/collections/{collection_id:uuid}/files",
    guards=[editors],
    raises=SENDS,
    response_headers=[LOCATION],
)
async def upload_file(
    request: Sent, collection_id: FromPath[UUID], data: MultipartBody[NewFile]
) -> Response[FileInfo]:
    """Add a file to a collection."""
    org = request.user.org
    store.collection(org, collection_id)
    content = await received(data.content)
    if has("empty-file-500"):
        content[0]
    row = await store.add_file(org, collection_id, data.title, content)
    location = f"/collections/{collection_id}/files/{row.shown.id}"
    return Response(told(row), headers={"Location": location})


@get("/collections/{collection_id:uuid}/files", raises=[*FINDS, ValidationException])
async def list_files(
    request: Sent,
    collection_id: FromPath[UUID],
    tag: Annotated[str | None, QueryParameter(description="Only files with this tag.")] = None,
    cursor: Annotated[
        str | None, QueryParameter(description="Where the page begins; next_cursor before it.")
    ] = None,
    limit: PerPage = 20,
) -> Response[Files]:
    """List the files of a collection by their numbers."""
    store.collection(request.user.org, collection_id)
    rows = store.files_in(collection_id)
    if tag is not None:
        tagged = [row for row in rows if tag in row.shown.tags]
        rows = rows if has("empty-filter-all") and not tagged else tagged
    after = number_in(cursor)
    rows = [row for row in rows if row.shown.number > after]
    items = [told(row) for row in rows[:limit]]
    following = None
    if len(rows) > limit:
        last = rows[limit - 1].shown.number
        following = cursor_after(last - 1 if has("boundary-repeated") and limit > 1 else last)
    return Response({"items": items, "next_cursor": following})


@get("/collections/{collection_id:uuid}/files/{file_id:uuid}", raises=FINDS)
async def get_file(
    request: Sent, collection_id: FromPath[UUID], file_id: FromPath[UUID]
) -> Response[FileInfo]:
    """Read about a file."""
    try:
        row = store.file(request.user.org, collection_id, file_id)
    except NotFoundException as error:
        if has("missing-as-200"):
            return Response({"status_code": 404, "detail": error.detail})
        raise
    return Response(told(row))


@patch("/collections/{collection_id:uuid}/files/{file_id:uuid}", guards=[editors], raises=SENDS)
async def change_file(
    request: Sent,
    collection_id: FromPath[UUID],
    file_id: FromPath[UUID],
    data: JSONBody[FileChange],
) -> Response[FileInfo]:
    """Change title or tags of a file."""
    row = store.file(request.user.org, collection_id, file_id)
    given = {
        name: value
        for name, value in msgspec.structs.asdict(data).items()
        if value is not msgspec.UNSET
    }
    if has("tags-add-up") and "tags" in given:
        given["tags"] = [*row.shown.tags, *given["tags"]]
    before = row.shown
    if has("lost-update"):
        await database()
    at = before.updated_at if has("updated-at-frozen") else now()
    row.shown = msgspec.structs.replace(before, **given, updated_at=at)
    return Response(told(row))


def remover() -> list[Any]:
    """Return the guards of deletion."""
    return [] if has("reader-deletes") else [editors]


@delete("/collections/{collection_id:uuid}/files/{file_id:uuid}", guards=remover(), raises=WRITES)
async def delete_file(
    request: Sent, collection_id: FromPath[UUID], file_id: FromPath[UUID]
) -> None:
    """Delete a file."""
    if has("delete-of-others") and file_id in store.files:
        del store.files[file_id]
        return
    del store.files[store.file(request.user.org, collection_id, file_id).shown.id]


@post(
    "/collections/{collection_id:uuid}/files/{file_id:uuid}/move",
    guards=[editors],
    raises=SENDS,
    status_code=200,
)
async def move_file(
    request: Sent, collection_id: FromPath[UUID], file_id: FromPath[UUID], data: JSONBody[Target]
) -> Response[FileInfo]:
    """Move a file to another collection of the organisation."""
    row = store.file(request.user.org, collection_id, file_id)
    if not (has("move-to-others") and data.collection_id in store.collections):
        store.collection(request.user.org, data.collection_id)
    row.shown = msgspec.structs.replace(
        row.shown, collection_id=data.collection_id, updated_at=now()
    )
    row.places = {data.collection_id, *(row.places if has("move-copies") else ())}
    return Response(told(row))


@get(
    "/collections/{collection_id:uuid}/files/{file_id:uuid}/content",
    raises=FINDS,
    media_type=OCTETS,
    response_headers=[ETAG],
    opt={"exclude_from_auth": has("open-download")},
)
async def download_file(
    request: Sent, collection_id: FromPath[UUID], file_id: FromPath[UUID]
) -> Response[bytes]:
    """Download the content of a file."""
    if has("open-download"):
        row = store.files.get(file_id)
        if row is None:
            raise NotFoundException("There is no such file")
    else:
        row = store.file(request.user.org, collection_id, file_id)
    headers = {"ETag": f'"{row.shown.sha256}"', "Content-Disposition": "attachment"}
    return Response(row.content, headers=headers, media_type=OCTETS)


@put(
    "/collections/{collection_id:uuid}/files/{file_id:uuid}/content", guards=[editors], raises=SENDS
)
async def replace_content(
    request: Sent,
    collection_id: FromPath[UUID],
    file_id: FromPath[UUID],
    data: MultipartBody[NewContent],
) -> Response[FileInfo]:
    """Replace the content of a file."""
    row = store.file(request.user.org, collection_id, file_id)
    row.content = await received(data.content)
    size = row.shown.size if has("size-stays") else len(row.content)
    row.shown = msgspec.structs.replace(
        row.shown, size=size, sha256=checksum(row.content), updated_at=now()
    )
    return Response(told(row))


@get("/usage", raises=READS)
async def get_usage(request: Sent) -> Usage:
    """Read what the organisation stores."""
    rows = [
        row for row in store.files.values() if row.org == request.user.org or has("usage-of-all")
    ]
    return Usage(len(rows), sum(len(row.content) for row in rows))


@post("/jobs", guards=[editors], raises=SENDS, status_code=202, response_headers=[LOCATION])
async def start_job(request: Sent, data: JSONBody[NewJob]) -> Response[Job]:
    """Begin a list of the checksums of a collection."""
    store.collection(request.user.org, data.collection_id)
    row = store.add_job(request.user.org, data.collection_id)
    return Response(reported(row), headers={"Location": f"/jobs/{row.shown.id}"})


@get("/jobs/{job_id:uuid}", raises=FINDS)
async def get_job(request: Sent, job_id: FromPath[UUID]) -> Response[Job]:
    """Read a job."""
    return Response(reported(store.job(request.user.org, job_id)))


@post(
    "/jobs/{job_id:uuid}/cancel",
    guards=[editors],
    raises=[*WRITES, ConflictException],
    status_code=200,
)
async def cancel_job(request: Sent, job_id: FromPath[UUID]) -> Response[Job]:
    """Cancel a job that runs."""
    row = store.job(request.user.org, job_id)
    if row.at_present().state != "running" and not has("done-is-cancelled"):
        raise ConflictException("The job does not run")
    row.shown = msgspec.structs.replace(row.shown, state="cancelled")
    return Response(row.shown)


@get("/jobs/{job_id:uuid}/result", raises=[*FINDS, ConflictException], media_type="text/csv")
async def get_result(request: Sent, job_id: FromPath[UUID]) -> Response[str]:
    """Download the result of a job that is done."""
    row = store.job(request.user.org, job_id)
    if row.at_present().state != "done":
        raise ConflictException("The job is not done")
    if has("done-without-result"):
        raise NotFoundException("There is no such result")
    text = io.StringIO()
    files = store.files_in(row.shown.collection_id)
    lines = [(file.shown.number, file.shown.sha256) for file in files]
    csv.writer(text).writerows([("number", "sha256"), *lines])
    return Response(text.getvalue(), media_type="text/csv")


async def received(part: Any) -> bytes:
    """Return the content of an upload."""
    content: bytes = await part.read(1024 if has("long-file-cut") else -1)
    if has("binary-mangled"):
        return content.decode("utf-8", "replace").encode()
    return content


def told(row: FileRow) -> Any:
    """Return a file as responses have it."""
    if has("null-tags") and not row.shown.tags:
        return {**msgspec.to_builtins(row.shown), "tags": None}
    return row.shown


def reported(row: JobRow) -> Any:
    """Return a job as responses have it."""
    job = row.at_present()
    if has("unlisted-state") and job.state == "running":
        return {**msgspec.to_builtins(job), "state": "queued"}
    return job


def matches(sent: str | None, etag: str) -> bool:
    """Whether a list of ETags has this one."""
    return sent is not None and (
        sent.strip() == "*" or etag in [tag.strip().removeprefix("W/") for tag in sent.split(",")]
    )


def cursor_after(number: int) -> str:
    """Return the cursor of a page that begins after a number."""
    return base64.urlsafe_b64encode(f"after {number}".encode()).decode()


def number_in(cursor: str | None) -> int:
    """Return the number before the first one of a page."""
    if cursor is None:
        return 0
    try:
        text = base64.b64decode(cursor, b"-_", validate=True).decode("ascii")
        if not text.startswith("after "):
            raise ValueError(text)
        return int(text.removeprefix("after ")[:9])
    except ValueError as error:
        raise ValidationException("This is not a cursor") from error


def failed(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    """Return the response to a request that failed: JSON, whatever the operation responds with."""
    content = {"status_code": error.status_code, "detail": error.detail}
    if error.extra:
        content["extra"] = error.extra
    if has("other-error-shape") and error.status_code == 409:
        content = {"error": error.detail}
    return Response(
        content,
        status_code=error.status_code,
        headers=error.headers,
        media_type=MediaType.JSON,
    )


app = Litestar(
    [
        create_collection,
        list_collections,
        get_collection,
        replace_collection,
        delete_collection,
        upload_file,
        list_files,
        get_file,
        change_file,
        delete_file,
        move_file,
        download_file,
        replace_content,
        get_usage,
        start_job,
        get_job,
        cancel_job,
        get_result,
    ],
    middleware=[DefineMiddleware(Authentication, exclude="^/schema")],
    before_request=check_body,
    exception_handlers={HTTPException: failed},
    openapi_config=OpenAPIConfig(
        title="Archive",
        version="2.1.0",
        use_handler_docstrings=True,
        security=[{"token": []}],
        components=Components(
            security_schemes={"token": SecurityScheme(type="http", scheme="bearer")}
        ),
    ),
)
