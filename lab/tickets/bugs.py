"""The bugs, each by the requests that show it: a function that says whether a server is right.

They were written before anybody who wrote them had read what `specwright test` looks for.
"""

from __future__ import annotations

import secrets
import unicodedata
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lab.tickets.bug_table import Bug, register
from lab.tickets.desk import Desk

BUGS: dict[str, Bug[Desk]] = {}


def bug(kind: str) -> Callable[[Callable[[Desk], bool]], Callable[[Desk], bool]]:
    """Register a bug under the name of the function, with its docstring as the description."""
    return register(BUGS, kind)


@bug("robustness")
def search_500(desk: Desk) -> bool:
    """A search for a parenthesis ends with 500."""
    desk.opened()
    return desk.acme.get("/tickets", params={"q": "printer ("}).status_code == 200


@bug("tenants")
def tenant_list(desk: Desk) -> bool:
    """The list has the tickets of the other account, too."""
    ticket = desk.opened(by=desk.globex)
    return ticket["id"] not in {item["id"] for item in desk.listed()}


@bug("tenants")
def nested_permission(desk: Desk) -> bool:
    """The comments of another account's ticket can be read."""
    ticket = desk.opened(by=desk.globex)
    path = f"/tickets/{ticket['id']}/comments"
    comment = desk.commented(ticket, by=desk.globex)
    statuses = {desk.acme.get(url).status_code for url in (path, f"{path}/{comment['id']}")}
    return statuses == {404}


@bug("state")
def mass_assign(desk: Desk) -> bool:
    """`escalated`, which only the server sets, is taken from the body."""
    return desk.opened(escalated=True)["escalated"] is False


@bug("state")
def put_creates(desk: Desk) -> bool:
    """PUT of a ticket that does not exist succeeds, and creates nothing."""
    path = f"/tickets/{uuid.uuid4()}"
    return desk.acme.put(path, json={"subject": "new"}).status_code == 404


@bug("state")
def stale_cache(desk: Desk) -> bool:
    """After a change, a ticket that was read before is shown as it was."""
    ticket = desk.opened()
    desk.read(ticket)
    desk.change(ticket, status="closed")
    return bool(desk.read(ticket)["status"] == "closed")


@bug("state")
def patch_null(desk: Desk) -> bool:
    """A null in a change is ignored, and does not remove the value."""
    ticket = desk.opened(assignee="ada")
    return desk.change(ticket, assignee=None)["assignee"] is None


@bug("state")
def patch_absent(desk: Desk) -> bool:
    """A change clears the members that it does not have."""
    ticket = desk.opened(assignee="ada")
    return bool(desk.change(ticket, status="pending")["assignee"] == "ada")


@bug("state")
def put_merges(desk: Desk) -> bool:
    """A replacement keeps the members that it does not have."""
    ticket = desk.opened(assignee="ada")
    path = f"/tickets/{ticket['id']}"
    return desk.acme.put(path, json={"subject": "new"}).json()["assignee"] is None


@bug("state")
def wrong_parent_id(desk: Desk) -> bool:
    """A comment can be read below another ticket."""
    comment, other = desk.commented(desk.opened()), desk.opened()
    path = f"/tickets/{other['id']}/comments/{comment['id']}"
    return desk.acme.get(path).status_code == 404


@bug("lists")
def comments_of_all(desk: Desk) -> bool:
    """The list of a ticket's comments has those of all tickets."""
    desk.commented(desk.opened())
    ticket = desk.opened()
    return desk.acme.get(f"/tickets/{ticket['id']}/comments").json()["items"] == []


@bug("lists")
def deleted_counted(desk: Desk) -> bool:
    """The total of a list counts deleted tickets."""
    ticket = desk.opened()
    desk.acme.delete(f"/tickets/{ticket['id']}").raise_for_status()
    body = desk.acme.get("/tickets", params={"limit": 100}).json()
    return bool(body["total"] == len(body["items"]))


@bug("lists")
def unstable_sort(desk: Desk) -> bool:
    """The order of tickets of the same second differs from page to page."""
    made = {desk.opened()["id"] for _ in range(12)}
    shown = [ticket["id"] for ticket in desk.listed(limit=3)]
    return len(shown) == len(set(shown)) and made <= set(shown)


@bug("lists")
def page_end(desk: Desk) -> bool:
    """The last page lacks its last item if it would be full."""
    subject = secrets.token_hex(8)
    for _ in range(4):
        desk.opened(subject=subject)
    return len(list(desk.listed(limit=2, q=subject))) == 4


@bug("lists")
def filters_combined(desk: Desk) -> bool:
    """Of two filters together, only one applies."""
    desk.opened(status="closed", priority="high")
    shown = list(desk.listed(status="open", priority="high"))
    return {ticket["status"] for ticket in shown} <= {"open"}


@bug("values")
def timezone(desk: Desk) -> bool:
    """A time with an offset is stored with its digits, as another instant."""
    return bool(desk.opened(due_at="2030-05-17T12:00:00+02:00")["due_at"][-6:] == "+02:00")


@bug("values")
def money(desk: Desk) -> bool:
    """A budget of 1,000 or more loses a cent."""
    return desk.keeps("budget", 999.99) and desk.keeps("budget", 1234.56)


@bug("values")
def trim(desk: Desk) -> bool:
    """Spaces at the ends of a text are lost."""
    return desk.keeps("subject", " indented ")


@bug("values")
def unicode(desk: Desk) -> bool:
    """A text is stored in another normal form (NFKD)."""
    return desk.keeps("subject", unicodedata.normalize("NFC", "Zürich ½"))


@bug("values")
def enum_case(desk: Desk) -> bool:
    """A priority is accepted in upper case."""
    body = {"subject": "printer", "priority": "HIGH"}
    return desk.acme.post("/tickets", json=body).status_code == 400


@bug("values")
def leading_zeros(desk: Desk) -> bool:
    """The code 007 becomes 7."""
    return desk.keeps("asset_code", "007")


@bug("concurrency")
def if_match(desk: Desk) -> bool:
    """A change with an old ETag is made."""
    ticket = desk.opened()
    old = desk.etag(ticket)
    desk.change(ticket, status="pending")
    return desk.patch(ticket, {"status": "closed"}, if_match=old).status_code == 412


@bug("concurrency")
def etag_frozen(desk: Desk) -> bool:
    """The ETag stays the same when the ticket changes."""
    ticket = desk.opened()
    old = desk.etag(ticket)
    desk.change(ticket, status="pending")
    return desk.etag(ticket) != old


@bug("concurrency")
def double_booking(desk: Desk) -> bool:
    """Two bookings of one hour succeed if they are sent at once."""
    body = {"technician": secrets.token_hex(4), "day": "2030-05-17", "hour": 9}
    with ThreadPoolExecutor(4) as pool:
        sent = [pool.submit(desk.acme.post, "/bookings", json=body) for _ in range(4)]
    return sorted(response.result().status_code for response in sent) == [201, 409, 409, 409]


@bug("uniqueness")
def unique_case(desk: Desk) -> bool:
    """A label is created although its name differs from another one in case only."""
    name = f"a{secrets.token_hex(4)}"
    return desk.label(name) == 201 and desk.label(name.upper()) == 409


@bug("uniqueness")
def unique_none(desk: Desk) -> bool:
    """Two labels can have the same name."""
    name = secrets.token_hex(4)
    return desk.label(name) == 201 and desk.label(name) == 409


@bug("jobs")
def job_never_ends(desk: Desk) -> bool:
    """An export stays pending."""
    response = desk.acme.post("/exports", json={"format": "csv"})
    return response.status_code == 202 and desk.ends(response.headers["Location"])


@bug("jobs")
def bulk_lies(desk: Desk) -> bool:
    """A batch reports tickets as created that do not exist."""
    results = desk.batch("one", "two", "three")
    paths = [f"/tickets/{result['id']}" for result in results]
    return {desk.acme.get(path).status_code for path in paths} == {200}


@bug("jobs")
def bulk_short(desk: Desk) -> bool:
    """A batch has one result for tickets of the same subject."""
    return len(desk.batch("twice", "twice", "once")) == 3
