"""An application names the handlers and operations that do not belong together when it starts."""

from __future__ import annotations

import logging
import re
from types import ModuleType
from typing import Any

import pytest

from tests.functional.conftest import Generate
from tests.functional.documents import Json, document, operation
from tests.serving import Server

ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


def api(tag: str = "things", **names: str) -> Json:
    """A document with three operations, whose operationIds and tags a test may change."""
    read = operation(operationId=names.get("read", "getThing"), parameters=[ID])
    return document(
        {
            "/things": {"get": operation(operationId=names.get("search", "listThings"))},
            "/things/{id}": {"get": {**read, "tags": [tag]}},
            "/count": {"get": operation(operationId="countThings")},
        }
    )


def handlers(made: ModuleType) -> Any:
    """What was written for the document before a change, on the generated base."""

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def list_things(self, *, context: Any) -> None:
            return None

        async def count_things(self, *, context: Any) -> None:
            return None

        async def get_thing(self, *, id: str, context: Any) -> None:
            return None

        async def close(self) -> None:
            """Take no context: no request calls this."""

        def owner(self, context: Any) -> str:
            return "not async, so not a handler"

        async def _owner(self, *, context: Any) -> str:
            return "private"

    return Things()


def differences(made: ModuleType, **options: Any) -> list[str]:
    """The lines of the error with which the application does not start, without the last one."""
    with pytest.raises(made.server.ImplementationError) as raised:
        made.server.create_app(**options)
    _, *lines, hint = str(raised.value).splitlines()
    assert 'unimplemented="501"' in hint
    return lines


def test_an_application_with_all_handlers_and_some_helpers_starts(
    package: Generate, caplog: pytest.LogCaptureFixture
) -> None:
    made = package(api())
    with Server(made.server.create_app(things=handlers(made))) as server:
        assert server.send("GET", "/things/1").status == 204
    assert not caplog.records


def test_a_handler_whose_operation_was_renamed_stops_the_start(package: Generate) -> None:
    made = package(api(read="readThing"))
    assert differences(made, things=handlers(made)) == [
        "Things.read_thing is not implemented (GET /things/{id})",
        "Things.get_thing is not an operation; was it renamed to Things.read_thing?",
    ]


def test_of_several_operations_with_the_arguments_the_closest_name_is_meant(
    package: Generate,
) -> None:
    made = package(api(search="listAllThings", read="z"))

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def list_things(self, *, context: Any) -> None: ...

        async def unlike(self, *, context: Any) -> None: ...

    assert differences(made, things=Things())[-2:] == [
        "Things.list_things is not an operation; was it renamed to Things.list_all_things?",
        "Things.unlike is not an operation",
    ]


def test_an_operation_that_was_renamed_and_has_other_arguments_is_found_by_its_name(
    package: Generate,
) -> None:
    made = package(api(read="getThings"))

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_thing(self, *, number: int, context: Any) -> None: ...

    assert differences(made, things=Things())[-1] == (
        "Things.get_thing is not an operation; was it renamed to Things.get_things?"
    )


def test_an_operation_that_was_removed_leaves_a_handler_that_is_named(package: Generate) -> None:
    data = api()
    del data["paths"]["/things/{id}"]
    made = package(data)
    assert differences(made, things=handlers(made)) == ["Things.get_thing is not an operation"]


def test_an_operation_with_another_tag_is_found_in_its_group(package: Generate) -> None:
    made = package(api(tag="readers"))
    assert differences(made, things=handlers(made)) == [
        "Readers has no implementation; readers was omitted: get_thing",
        "Things.get_thing is not an operation; was it renamed to Readers.get_thing?",
    ]


def test_one_object_may_implement_several_groups(package: Generate) -> None:
    made = package(api(tag="readers"))
    both = handlers(made)
    made.server.create_app(things=both, readers=both)


def test_a_module_can_be_an_implementation(package: Generate) -> None:
    made = package(api())
    module, source = ModuleType("things"), handlers(made)
    for name in ("list_things", "count_things", "get_thing"):
        setattr(module, name, getattr(source, name))
    made.server.create_app(things=module)
    module.read_thing = source.get_thing  # type: ignore[attr-defined]
    assert differences(made, things=module) == ["things.read_thing is not an operation"]


def test_an_omitted_group_stops_the_start(package: Generate) -> None:
    assert differences(package(api())) == [
        "Things has no implementation; things was omitted: list_things, get_thing, count_things"
    ]


def test_operations_without_a_handler_may_respond_with_501(
    package: Generate, caplog: pytest.LogCaptureFixture
) -> None:
    made = package(api(read="readThing"))
    with caplog.at_level(logging.WARNING):
        app = made.server.create_app(things=handlers(made), unimplemented="501")
    assert [record.message for record in caplog.records] == [
        "Things.read_thing is not implemented (GET /things/{id})",
        "Things.get_thing is not an operation; was it renamed to Things.read_thing?",
    ]
    assert all(record.levelname == "WARNING" for record in caplog.records)
    with Server(app) as server:
        assert server.send("GET", "/things/1").status == 501
        assert server.send("GET", "/things").status == 204


def test_an_implementation_without_the_generated_base_may_lack_handlers_too(
    package: Generate,
) -> None:
    made = package(api())

    class Half:
        async def list_things(self, *, context: Any) -> None: ...

    assert differences(made, things=Half()) == [
        "Things.get_thing is not implemented (GET /things/{id})",
        "Things.count_things is not implemented (GET /count)",
    ]
    with Server(made.server.create_app(things=Half(), unimplemented="501")) as server:
        assert server.send("GET", "/count").status == 501


def test_arguments_that_differ_stop_the_start_in_any_case(package: Generate) -> None:
    made = package(api())

    class Things(made.server.UnimplementedThings):  # type: ignore[misc,name-defined]
        async def get_thing(self, *, name: str, context: Any) -> None: ...

    with pytest.raises(made.server.ImplementationError) as raised:
        made.server.create_app(things=Things(), unimplemented="501")
    assert re.findall("Things.*", str(raised.value)) == [
        "Things.get_thing does not take 'id'",
        "Things.get_thing requires 'name', which the operation does not have",
    ]
