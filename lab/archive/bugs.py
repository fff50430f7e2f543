"""The bugs, each by the requests that show it: a function that says whether an archive is right.

They were written before anybody who wrote them had read what `specwright test` looks for.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable

from lab.archive.desk import Desk
from lab.tickets.bug_table import Bug, register

BUGS: dict[str, Bug[Desk]] = {}


def bug(kind: str) -> Callable[[Callable[[Desk], bool]], Callable[[Desk], bool]]:
    """Register a bug under the name of the function, with its docstring as the description."""
    return register(BUGS, kind)


@bug("shape")
def null_tags(desk: Desk) -> bool:
    """The tags of a file without any are null."""
    return bool(desk.json(desk.file())["tags"] == [])


@bug("shape")
def wrapped_replacement(desk: Desk) -> bool:
    """The response to a replacement has the collection one level deeper."""
    collection = desk.collection()
    return "name" in desk.replace(collection, desk.etag(collection)).json()


@bug("shape")
def unlisted_state(desk: Desk) -> bool:
    """A new job is queued, a state that the document does not have."""
    return desk.json(desk.job())["state"] in ("running", "done")


@bug("validation")
def blank_title(desk: Desk) -> bool:
    """A title may consist of spaces."""
    return desk.upload(desk.collection(), title="   ").status_code == 400


@bug("validation")
def too_many_tags(desk: Desk) -> bool:
    """A file may have more than five tags."""
    tags = ["one", "two", "three", "four", "five", "six"]
    return desk.north.patch(desk.file(), json={"tags": tags}).status_code == 400


@bug("validation")
def lax_numbers(desk: Desk) -> bool:
    """A number may be a text in JSON."""
    return desk.make(retention_days="30").status_code == 400


@bug("validation")
def page_zero(desk: Desk) -> bool:
    """There is a page 0."""
    return desk.north.get("/collections", params={"page": 0}).status_code == 400


@bug("authentication")
def prefix_token(desk: Desk) -> bool:
    """A token is accepted with something behind it."""
    return desk.client("test-north-editor-2").get("/usage").status_code == 401


@bug("authentication")
def open_download(desk: Desk) -> bool:
    """Files can be downloaded without a token."""
    return desk.client("").get(f"{desk.file()}/content").status_code == 401


@bug("authentication")
def reader_deletes(desk: Desk) -> bool:
    """A reader may delete files."""
    return desk.reader.delete(desk.file()).status_code == 403


@bug("authentication")
def no_challenge(desk: Desk) -> bool:
    """The response to a request without a token has no WWW-Authenticate."""
    return "WWW-Authenticate" in desk.client("").get("/usage").headers


@bug("tenants")
def move_to_others(desk: Desk) -> bool:
    """A file can be moved into a collection of another organisation."""
    return desk.move(desk.file(), desk.collection(by=desk.south)).status_code == 404


@bug("tenants")
def delete_of_others(desk: Desk) -> bool:
    """A file of another organisation can be deleted."""
    return desk.south.delete(desk.file()).status_code == 404


@bug("tenants")
def usage_of_all(desk: Desk) -> bool:
    """The usage counts the files of all organisations."""
    before = desk.json("/usage")
    desk.file(by=desk.south)
    return bool(desk.json("/usage") == before)


@bug("tenants")
def job_of_others(desk: Desk) -> bool:
    """A job of another organisation can be read."""
    return desk.south.get(desk.job()).status_code == 404


@bug("tenants")
def name_of_others(desk: Desk) -> bool:
    """A name is taken if another organisation has it."""
    name = secrets.token_hex(4)
    made = (desk.make(by=client, name=name) for client in (desk.north, desk.south))
    return [response.status_code for response in made] == [201, 201]


@bug("state")
def tags_add_up(desk: Desk) -> bool:
    """Tags in a change are added to those that a file has."""
    path = desk.file()
    desk.patch(path, tags=["one"])
    return bool(desk.patch(path, tags=["two"])["tags"] == ["two"])


@bug("state")
def full_collection_deleted(desk: Desk) -> bool:
    """A collection with files can be deleted."""
    collection = desk.collection()
    desk.file(collection)
    return desk.north.delete(collection).status_code == 409


@bug("state")
def updated_at_frozen(desk: Desk) -> bool:
    """A change leaves `updated_at` as it was."""
    path = desk.file()
    before = desk.json(path)["updated_at"]
    return bool(desk.patch(path, title="changed")["updated_at"] > before)


@bug("state")
def move_copies(desk: Desk) -> bool:
    """A file that was moved is still in the collection where it was."""
    path = desk.file()
    desk.move(path, desk.collection()).raise_for_status()
    return desk.north.get(path).status_code == 404


@bug("state")
def default_public(desk: Desk) -> bool:
    """A collection is public by default, where the document says private."""
    return bool(desk.make().json()["visibility"] == "private")


@bug("concurrency")
def lost_update(desk: Desk) -> bool:
    """Of two changes that are sent at once, one is lost."""
    path = desk.file()
    desk.at_once(
        (lambda: desk.patch(path, title="changed"),), (lambda: desk.patch(path, tags=["changed"]),)
    )
    shown = desk.json(path)
    return (shown["title"], shown["tags"]) == ("changed", ["changed"])


@bug("concurrency")
def number_twice(desk: Desk) -> bool:
    """Files that are uploaded at once have the same number."""
    collection = desk.collection()
    made = desk.at_once(*[(desk.upload, collection)] * 4)
    return len({response.json()["number"] for response in made}) == 4


@bug("concurrency")
def precondition_optional(desk: Desk) -> bool:
    """A collection is replaced without If-Match."""
    return desk.replace(desk.collection()).status_code == 428


@bug("lists")
def pages_floor(desk: Desk) -> bool:
    """The number of pages is rounded down."""
    desk.collection()
    body = desk.json("/collections?per_page=100")
    return bool(body["pages"] == -(-body["total"] // 100))


@bug("lists")
def empty_filter_all(desk: Desk) -> bool:
    """A filter that nothing fits is ignored."""
    collection = desk.collection()
    desk.file(collection)
    return list(desk.files(collection, tag="missing")) == []


@bug("lists")
def boundary_repeated(desk: Desk) -> bool:
    """A page begins with the last item of the page before it."""
    collection = desk.collection()
    for _ in range(5):
        desk.file(collection)
    return len(list(desk.files(collection, limit=2))) == 5


@bug("lists")
def descending_ignored(desk: Desk) -> bool:
    """A list in descending order is in ascending order."""
    for name in ("aa", "zz"):
        desk.make(name=name)
    names = [
        collection["name"]
        for collection in desk.json("/collections?sort=-name&per_page=100")["items"]
    ]
    return names == sorted(names, reverse=True)


@bug("headers")
def json_as_text(desk: Desk) -> bool:
    """A collection is sent as plain text."""
    response = desk.north.get(desk.collection())
    return response.headers["Content-Type"].startswith("application/json")


@bug("headers")
def never_304(desk: Desk) -> bool:
    """A collection is sent again although the client has it."""
    path = desk.collection()
    headers = {"If-None-Match": desk.etag(path)}
    return desk.north.get(path, headers=headers).status_code == 304


@bug("jobs")
def done_without_result(desk: Desk) -> bool:
    """A job that is done has no result."""
    job = desk.job()
    return desk.settled(job) == "done" and desk.north.get(f"{job}/result").status_code == 200


@bug("jobs")
def cancel_ignored(desk: Desk) -> bool:
    """A job that was cancelled is done in the end."""
    job = desk.job()
    desk.north.post(f"{job}/cancel").raise_for_status()
    # As long as a job takes.
    time.sleep(0.4)
    return bool(desk.json(job)["state"] == "cancelled")


@bug("jobs")
def done_is_cancelled(desk: Desk) -> bool:
    """A job that is done can be cancelled."""
    job = desk.job()
    return desk.settled(job) == "done" and desk.north.post(f"{job}/cancel").status_code == 409


@bug("files")
def binary_mangled(desk: Desk) -> bool:
    """Bytes that are not text are replaced."""
    content = bytes(range(256))
    return desk.content(desk.file(content=content)) == content


@bug("files")
def long_file_cut(desk: Desk) -> bool:
    """A file ends after a kilobyte."""
    content = b"0123456789" * 300
    return desk.content(desk.file(content=content)) == content


@bug("files")
def wrong_checksum(desk: Desk) -> bool:
    """The checksum is that of nothing."""
    shown = desk.json(desk.file(content=b"content"))
    return bool(shown["sha256"] == hashlib.sha256(b"content").hexdigest())


@bug("files")
def size_stays(desk: Desk) -> bool:
    """The size stays the same when the content is replaced."""
    path = desk.file(content=b"long content")
    files = {"content": ("b.bin", b"short", "application/octet-stream")}
    desk.north.put(f"{path}/content", files=files).raise_for_status()
    return bool(desk.json(path)["size"] == 5)


@bug("files")
def empty_file_500(desk: Desk) -> bool:
    """An empty file ends with 500."""
    return desk.upload(desk.collection(), b"").status_code == 201


@bug("errors")
def missing_as_200(desk: Desk) -> bool:
    """A file that does not exist has the status 200."""
    path = desk.file()
    desk.north.delete(path).raise_for_status()
    return desk.north.get(path).status_code == 404


@bug("errors")
def other_error_shape(desk: Desk) -> bool:
    """A conflict has another body than all other errors."""
    name = secrets.token_hex(4)
    desk.make(name=name)
    return "detail" in desk.make(name=name).json()
