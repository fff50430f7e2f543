"""Ids that lead from one response to the next request, in the spellings of different APIs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.responses import Response
from pydantic import BaseModel

from specwright.conformance.checks.requests.explore import explore
from specwright.conformance.outcome import coverage
from tests.conformance.fastapi_apps import driver_of


class Named(BaseModel):
    """The body of a request that creates something."""

    title: str


def slashes() -> FastAPI:
    """Collections with a slash at the end, as Django and FastAPI's tutorial write them."""
    app, items = FastAPI(), dict[str, Any]()

    @app.post("/items/", status_code=201)
    def add(item: Named) -> dict[str, str]:
        items[made := str(uuid4())] = item
        return {"id": made}

    @app.get("/items/{item_id}")
    def get(item_id: str) -> dict[str, str]:
        return {"id": found(items, item_id)}

    @app.delete("/items/{item_id}/", status_code=204)
    def remove(item_id: str) -> None:
        del items[found(items, item_id)]

    return app


def nested() -> FastAPI:
    """Three levels, of which each belongs to the one above."""
    app, made = FastAPI(), set[tuple[str, ...]]()

    def add(*parents: str) -> dict[str, str]:
        if parents and parents not in made:
            raise HTTPException(404)
        made.add((*parents, name := str(uuid4())))
        return {"id": name}

    def get(*names: str) -> dict[str, str]:
        return {"id": names[-1]} if names in made else found({}, names[-1])

    app.post("/users", status_code=201)(lambda: add())
    app.get("/users/{user_id}")(lambda user_id: get(user_id))
    app.post("/users/{user}/posts", status_code=201)(lambda user: add(user))
    app.get("/users/{user_id}/posts/{post_id}")(lambda user_id, post_id: get(user_id, post_id))
    app.post("/users/{u}/posts/{p}/notes", status_code=201)(lambda u, p: add(u, p))
    app.get("/users/{u}/posts/{p}/notes/{n}")(lambda u, p, n: get(u, p, n))
    return app


def enveloped() -> FastAPI:
    """Return an app with the id within `data`, beside a list that is a part of the new item."""
    app, items = FastAPI(), dict[str, Any]()

    @app.post("/items", status_code=201)
    def add(item: Named) -> dict[str, Any]:
        items[made := str(uuid4())] = item
        return {"data": {"id": made, "lines": [{"id": "line"}]}, "errors": [{"id": "none"}]}

    @app.get("/items/{itemId}")
    def get(itemId: str) -> dict[str, str]:  # noqa: N803 - as the path has it
        return {"id": found(items, itemId)}

    return app


def located() -> FastAPI:
    """An id in `Location` alone."""
    app, items = FastAPI(), dict[str, Any]()

    @app.post("/items", status_code=201)
    def add(item: Named) -> Response:
        items[made := str(uuid4())] = item
        return Response(status_code=201, headers={"Location": f"items/{made}"})

    @app.get("/items/{item_id}")
    def get(item_id: str) -> dict[str, str]:
        return {"id": found(items, item_id)}

    return app


def elsewhere() -> FastAPI:
    """Return an app with items created at another path, a slug, and a key that the client chose."""
    app, items, keys = FastAPI(), dict[str, Any](), dict[str, Any]()

    @app.post("/things/new", status_code=201)
    def add(item: Named) -> dict[str, str]:
        items[made := f"slug-{uuid4()}"] = item
        return {"slug": made, "thing_code": f"code-{made}"}

    @app.get("/things/{slug}")
    def get(slug: str) -> dict[str, str]:
        return {"slug": found(items, slug)}

    @app.get("/codes")
    def by_code(thing_code: str) -> dict[str, str]:
        return {"slug": found(items, thing_code.removeprefix("code-"))}

    @app.get("/thing/by/{thing_slug}/label")
    def label(thing_slug: str) -> dict[str, str]:
        return {"label": found(items, thing_slug)}

    @app.post("/tenants")
    def tenant(named: dict[str, Any]) -> dict[str, str]:
        keys[named.get("name", "none")] = named
        return {}

    @app.get("/tenants/{tenant}")
    def get_tenant(tenant: str) -> dict[str, str]:
        return {"name": found(keys, tenant)}

    body = app.openapi()["paths"]["/tenants"]["post"]["requestBody"]["content"]
    name = {"type": "string", "enum": ["acme"]}
    body["application/json"]["schema"] = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": name},
    }
    return app


class Run(BaseModel):
    """The body of a request that names its parents."""

    flow_id: UUID
    label_ids: list[UUID]


def parents_in_bodies() -> FastAPI:
    """Return an app with resources that need existing ones in the body of the request."""
    app, flows, labels = FastAPI(), set[UUID](), set[UUID]()

    def made(kind: set[UUID]) -> dict[str, UUID]:
        kind.add(name := uuid4())
        return {"id": name}

    @app.post("/runs/", status_code=201)
    def start(run: Run) -> dict[str, UUID]:
        if run.flow_id not in flows or not labels.issuperset(run.label_ids):
            raise HTTPException(409)
        return {"id": uuid4()}

    app.post("/flows/", status_code=201)(lambda: made(flows))
    app.post("/labels/", status_code=201)(lambda: made(labels))
    return app


def selected() -> FastAPI:
    """Return an app in which a part of a path names the member that selects an item."""
    app, limits = FastAPI(), dict[str, Any]()

    @app.post("/limits", status_code=201)
    def add(item: Named) -> dict[str, str]:
        limits[tag := f"tag-{uuid4()}"] = item
        return {"id": str(uuid4()), "tag": tag, "limit_name": f"name-of-{tag}", "name": "a name"}

    @app.get("/limits/tag/{tag}")
    def get(tag: str) -> dict[str, str]:
        return {"id": str(uuid4()), "tag": found(limits, tag)}

    @app.post("/limits/by-tag/{tag}/reset")
    def reset(tag: str) -> None:
        found(limits, tag)

    @app.post("/owners", status_code=201)
    def own(owner: Named) -> dict[str, str]:
        return {"owner_name": "somebody"}

    # Of several variables, the last one belongs to the item.
    @app.get("/limits/name/{owner_name}/{limit_name}")
    def owned(owner_name: str, limit_name: str) -> dict[str, str]:
        found({"somebody": None}, owner_name)
        return {"tag": found(limits, limit_name.removeprefix("name-of-"))}

    return app


class Job(BaseModel):
    """The body of a request with optional members, of which the server requires one."""

    name: str | None = None
    queue_id: UUID | None = None


def demanding() -> FastAPI:
    """Return an app that requires a member that its document declares as optional."""
    app = FastAPI()

    @app.post("/jobs", status_code=201)
    def add(job: Job) -> dict[str, UUID]:
        # A queue that does not exist must not be named, either.
        if job.name is None or job.queue_id is not None:
            raise HTTPException(422)
        return {"id": uuid4()}

    return app


class Started(BaseModel):
    """The body of a request that names a flow."""

    flow_id: UUID


def deleted_together() -> FastAPI:
    """Return an app in which another method than DELETE removes what later operations need."""
    app, flows = FastAPI(), set[UUID]()

    @app.post("/flows", status_code=201)
    def add() -> dict[str, UUID]:
        # There may be only one, so that a second one cannot replace it.
        if flows:
            raise HTTPException(409)
        flows.add(name := uuid4())
        return {"id": name}

    @app.post("/flows/bulk_delete")
    def remove(chosen: dict[str, Any]) -> None:
        flows.clear()
        flows.add(uuid4())

    @app.post("/runs", status_code=201)
    def start(run: Started) -> dict[str, UUID]:
        if run.flow_id not in flows:
            raise HTTPException(409)
        return {"id": uuid4()}

    return app


class Schema(BaseModel):
    """The body of a request, named like a representation of another resource."""

    block_type_id: UUID


class BlockSchema(BaseModel):
    """The response, with a name that ends like that of a representation."""

    id: UUID


def named_schema() -> FastAPI:
    """Return an app with a resource called `block schema`, which is not a view of a block."""
    app, types = FastAPI(), set[UUID]()

    @app.post("/block_types", status_code=201)
    def add_type() -> dict[str, UUID]:
        types.add(name := uuid4())
        return {"id": name}

    @app.post("/block_schemas", status_code=201)
    def add(body: Schema) -> BlockSchema:
        if body.block_type_id not in types:
            raise HTTPException(404)
        return BlockSchema(id=uuid4())

    return app


def worn_out() -> FastAPI:
    """Return an app whose last resource leaves no time for the first one, which needs another."""
    app, flows, rules = FastAPI(), set[UUID](), list[UUID]()

    @app.post("/runs", status_code=201)
    def start(run: Started) -> dict[str, UUID]:
        if rules:
            raise HTTPException(503)
        if run.flow_id not in flows:
            raise HTTPException(409)
        return {"id": uuid4()}

    @app.post("/flows", status_code=201)
    def add() -> dict[str, UUID]:
        flows.add(name := uuid4())
        return {"id": name}

    @app.post("/rules", status_code=201)
    def rule() -> dict[str, UUID]:
        rules.append(name := uuid4())
        return {"id": name}

    return app


def found(known: dict[str, Any], name: str) -> Any:
    if name not in known:
        raise HTTPException(404)
    return name


@pytest.mark.parametrize(
    "app",
    [
        *(slashes, nested, enveloped, located, elsewhere, parents_in_bodies),
        *(selected, demanding, deleted_together, named_schema, worn_out),
    ],
)
def test_every_operation_is_reached(tmp_path: Path, app: Callable[[], FastAPI]) -> None:
    with driver_of(app(), tmp_path) as driver:
        explore(driver)
        assert coverage.never_succeeded(driver.contract, driver.target.record) == []


def test_what_was_linked_is_known_by_operation_and_place(tmp_path: Path) -> None:
    with driver_of(nested(), tmp_path) as driver:
        explore(driver)
        names = {
            operation.name: operation.site.key for operation in driver.contract.operations.values()
        }
        linked = {
            (names[reader], parameter): (names[source], place)
            for (reader, parameter), (source, place) in driver.target.record.linked.items()
        }
        post = "/users/{user_id}/posts/{post_id}"
        assert linked[post, "user_id"] == ("/users/{user}/posts", "$request.path.user")
        assert linked[post, "post_id"] == ("/users/{user}/posts", "$response.body#/id")


def test_a_parent_that_a_body_names_is_known_by_its_name(tmp_path: Path) -> None:
    with driver_of(parents_in_bodies(), tmp_path) as driver:
        explore(driver)
        linked = {key[1]: value[1] for key, value in driver.target.record.linked.items()}
        assert linked == {"flow_id": "/id", "label_ids": "/id"}
        flow, label = (f"POST /{each}/" for each in ("flows", "labels"))
        assert coverage.linked(driver.target.record).rows == (
            ("flow_id", flow, "/id", "POST /runs/"),
            ("label_ids", label, "/id", "POST /runs/"),
        )


class Line(BaseModel):
    product_id: UUID
    count: int = 1


class Order(BaseModel):
    lines: list[Line]


def test_an_id_in_a_list_of_objects_is_found(tmp_path: Path) -> None:
    app, products = FastAPI(), set[UUID]()

    @app.post("/products/", status_code=201)
    def add(product: Named) -> dict[str, UUID]:
        products.add(made := uuid4())
        return {"id": made}

    @app.post("/orders/", status_code=201)
    def order(order: Order) -> dict[str, UUID]:
        if not order.lines or any(each.product_id not in products for each in order.lines):
            raise HTTPException(404)
        return {"id": uuid4()}

    with driver_of(app, tmp_path) as driver:
        explore(driver)
        call, _ = driver.successes["/paths/~1orders~1/post"]
    assert isinstance(call.body, dict)
    (line,) = call.body["lines"]  # type: ignore[misc]
    assert UUID(line["product_id"]) in products  # type: ignore[call-overload,arg-type,index]
